"""The interface of carriers, sources and sidecars, and promised defaults of options."""

import inspect
import io
import logging
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import sudokucrypt
from sudokucrypt import (
    DecryptionError,
    FormatError,
    InvalidImageError,
    Key,
    OutputExistsError,
    Passphrase,
    SudokucryptError,
    decrypt_bytes,
    decrypt_file,
    encrypt_bytes,
    encrypt_file,
    read_header,
    rekey_file,
    scramble_file,
    unscramble_file,
)
from sudokucrypt.bijections import keyed
from sudokucrypt.images import (
    EmbeddedFile,
    Picture,
    PictureRecord,
    decode_picture,
    encode_picture,
    read_picture,
)
from sudokucrypt.kernels import load_kernels
from sudokucrypt.keys import ProtectingKey
from sudokucrypt.recipes import (
    FileReport,
    RobustReport,
    open_file,
    read_sealed_info,
    scramble_robust_file,
    unscramble_robust,
    unscramble_robust_file,
)
from sudokucrypt.recipes.carriers import CARRIERS, register_carrier
from sudokucrypt.recipes.carriers.contract import BytesDraft, Draft, ProtectRequest, ReceivedFile
from sudokucrypt.recipes.carriers.picture import are_same_pictures
from sudokucrypt.recipes.options import DecryptOptions, EncryptOptions, OpenOptions
from sudokucrypt.recipes.sinks import Sink
from sudokucrypt.recipes.sources import SourceFile
from sudokucrypt.storage import parse_location
from tests.cli.gallery import GALLERY
from tests.images.builders import encode_array, noise, save_image
from tests.programs import run_python
from tests.recipes.memory import run_on_bytes
from tests.test_docs import ROOT
from tests.test_manipulations import ERRORS

KEY, OTHER_KEY = Key(bytes(range(32))), Key(bytes(32))
DEFAULTS: dict[str, dict[str, Any]] = {
    "scramble": {"unit": "pixel", "scheme": "scramble-v1", "deterministic": False, "rounds": None},
    "encrypt": {"scheme": "encrypt-v1", "deterministic": False, "rounds": None},
    "scramble_file": {"compress": 0, "metadata": "seal", "replace": False, "resume": False},
    "encrypt_file": {"as_file": None, "preview": None, "name": None, "scheme": "encrypt-v1"},
    "unscramble_file": {"compress": 1, "max_rounds": 16, "format": None, "sidecar": None},
    "decrypt_file": {"compress": 1, "max_rounds": 16, "format": None},
    "scramble_bytes": {"compress": 0, "unit": "pixel", "block_size": None},
    "decrypt_bytes": {"compress": 1, "max_rounds": 16, "max_pixels": None},
    "rekey_file": {"max_rounds": 16, "threads": None, "replace": False},
}
"""Defaults of options that results or limits depend on."""


@pytest.mark.parametrize("name", DEFAULTS)
def test_defaults_are_promised(name: str) -> None:
    """Signatures have each option with its default, and an unknown keyword is a TypeError."""
    function = getattr(sudokucrypt, name)
    parameters = inspect.signature(function).parameters
    assert {option: parameters[option].default for option in DEFAULTS[name]} == DEFAULTS[name]
    assert not any(each.kind is each.VAR_KEYWORD for each in parameters.values())
    required = [each.default for each in parameters.values()].count(inspect.Parameter.empty)
    with pytest.raises(TypeError, match="unexpected"):
        function(b"", *[KEY] * (required - 1), colour=1)


@pytest.fixture
def robust_picture(tmp_path: Path) -> Path:
    """A robust picture in a file."""
    rng = np.random.default_rng(5)
    pixels = rng.integers(60, 200, (10, 12, 3), dtype=np.uint8).repeat(8, 0).repeat(8, 1)
    source = io.BytesIO(encode_picture(Picture.plain(pixels), "PNG"))
    scramble_robust_file(source, tmp_path / "sheet.jpg", KEY)
    return tmp_path / "sheet.jpg"


def test_two_functions_restore_a_robust_picture(robust_picture: Path, tmp_path: Path) -> None:
    """`unscramble_file` and `open_file` give the same bytes as `unscramble_robust_file`."""
    report = unscramble_file(robust_picture, tmp_path / "a.png", KEY)
    unscramble_robust_file(robust_picture, tmp_path / "b.png", KEY)
    assert isinstance(report, RobustReport)
    opened_file = open_file(robust_picture, KEY)
    assert opened_file.name == "sheet.png"
    result = bytes(opened_file.content)
    assert result == (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_a_robust_picture_with_tinted_gray(robust_picture: Path) -> None:
    """A carrier image with red and blue a little off, as services send it, is restored."""
    gray = read_picture(robust_picture).pixels[..., None].repeat(3, axis=2).astype(int)
    gray[..., 0] += 4
    gray[..., 2] -= 4
    tinted = unscramble_robust(np.clip(gray, 0, 255).astype(np.uint8), KEY).pixels.astype(int)
    expected = unscramble_robust(read_picture(robust_picture).pixels, KEY).pixels.astype(int)
    assert np.abs(tinted - expected).mean() < 4


def _draft_bytes(content: bytes, sink: Sink) -> Draft:
    """Return a draft of these bytes."""
    return BytesDraft(
        destination=sink.choose_destination("PNG")[1],
        report=FileReport(shape=(1, 1)),
        content=content,
    )


@dataclass(frozen=True, kw_only=True)
class Toy:
    """A carrier that reverses texts which begin with TOY, and at once a restored text."""

    content: bytes = b""

    def plan_draft(self, source: SourceFile, request: ProtectRequest) -> Draft | None:
        """Reverse a text."""
        if not source.load().startswith(b"TOY"):
            return None
        return _draft_bytes(source.load()[::-1], request.sink)

    def recognizes(self, file: ReceivedFile) -> bool:
        """Return whether the reversed text ends with YOT."""
        return file.source.load().endswith(b"YOT")

    def restore(self, file: ReceivedFile) -> "Toy":
        """Reverse the text again."""
        return Toy(content=file.source.load()[::-1])

    def get_record(self) -> PictureRecord:
        """Return a record of the text as a file."""
        file = EmbeddedFile(name="toy", size=len(self.content))
        return PictureRecord(picture=Picture.plain(np.zeros(file.shape, np.uint8)), file=file)

    def make_draft(self, sink: Sink, options: DecryptOptions) -> Draft:
        """Return the draft of the text."""
        del options
        return _draft_bytes(self.content, sink)

    def reprotect(self, sink: Sink, key: ProtectingKey, options: OpenOptions) -> Draft:
        """Return the draft of the reversed text."""
        del key, options
        return _draft_bytes(self.content[::-1], sink)


def test_a_carrier_of_another_package(tmp_path: Path) -> None:
    """All operations take the files of a carrier that was registered, and ask it first."""
    register_carrier(toy := Toy())
    try:
        assert CARRIERS[0] is toy
        reversed_text, restored = tmp_path / "t.png", io.BytesIO()
        encrypt_file(io.BytesIO(b"TOY story"), reversed_text, KEY)
        assert reversed_text.read_bytes() == b"yrots YOT"
        unscramble_file(reversed_text, restored, KEY)
        assert restored.getvalue() == b"TOY story"
        assert open_file(reversed_text, KEY).content == b"TOY story"
        rekeyed = io.BytesIO()
        rekey_file(reversed_text, rekeyed, KEY, OTHER_KEY)
        assert rekeyed.getvalue() == b"yrots YOT"
    finally:
        del CARRIERS[0]


# Limits of streams, and the priority of sidecars.


PLAIN = encode_array(noise(9, 8, 1), "PNG")
MAX_FRAMES = 12


class CountingStream(io.BytesIO):
    """A stream that records the bytes that were read, and the largest size of a read."""

    largest_read = total_read = 0

    def read(self, size: int | None = -1) -> bytes:
        """Return the next bytes."""
        self.largest_read = max(self.largest_read, -1 if size is None else size)
        data = super().read(size)
        self.total_read += len(data)
        assert size is not None
        assert size > 0
        return data


def test_streams_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream of the largest size is read, and one byte more is refused; reads are small."""
    limit = len(PLAIN)
    monkeypatch.setattr("sudokucrypt.images.FILE_LIMIT", limit)
    assert run_on_bytes(encrypt_file, PLAIN, KEY)
    with pytest.raises(InvalidImageError, match=f"more than the {limit} bytes that are read"):
        encrypt_file(io.BytesIO(PLAIN + b"x"), io.BytesIO(), KEY)
    long_stream = CountingStream(bytes(2**25))
    with pytest.raises(InvalidImageError, match="more than the"):
        encrypt_file(long_stream, io.BytesIO(), KEY)
    assert long_stream.total_read <= limit + long_stream.largest_read
    assert long_stream.largest_read <= 2**20


def test_the_priority_of_headers(tmp_path: Path) -> None:
    """A sidecar chosen by the caller comes first, then one next to the file, then the file itself.

    If the sidecar next to the file does not fit, the header in the file is used.
    """
    for name in "ab":
        source = io.BytesIO(encode_array(noise(9, 8, 1) ^ (name == "b"), "PNG"))
        encrypt_file(source, tmp_path / f"{name}.png", KEY, sidecar=True)
    first_sidecar, second_sidecar = (tmp_path / f"{name}.png.sudokucrypt.json" for name in "ab")
    header_inside = read_header(tmp_path / "a.png")
    other_header = read_header(tmp_path / "a.png", sidecar=second_sidecar)
    assert other_header == read_header(tmp_path / "b.png") != header_inside
    first_sidecar.write_bytes(second_sidecar.read_bytes())
    assert read_header(tmp_path / "a.png") == other_header
    with pytest.raises(DecryptionError, match=r"the header is from .*b\.png\.sudokucrypt"):
        decrypt_file(tmp_path / "a.png", io.BytesIO(), KEY, sidecar=second_sidecar)
    report = decrypt_file(tmp_path / "a.png", io.BytesIO(), KEY)  # the caller chose no sidecar
    assert report.dropped == ("sidecar that does not belong to it",)
    assert header_inside is not None
    first_sidecar.write_bytes(header_inside.to_bytes() + b"\n")
    with pytest.raises(
        DecryptionError
    ) as error_info:  # the sidecar equals the header, so is not named
        decrypt_file(tmp_path / "a.png", io.BytesIO(), Key(bytes(32)))
    assert "the header is from" not in str(error_info.value)
    first_sidecar.write_bytes(b"damaged")
    assert read_sealed_info(tmp_path / "a.png", KEY).header.salt == header_inside.salt
    with pytest.raises(FormatError):
        read_header(tmp_path / "a.png")
    first_sidecar.unlink()
    assert read_header(tmp_path / "a.png") == header_inside
    with pytest.raises(FormatError, match="cannot read the sidecar"):
        read_header(tmp_path / "a.png", sidecar=first_sidecar)


def test_streams_and_files_get_the_same_bytes(tmp_path: Path) -> None:
    """Scrambling from a file or stream to a file or stream gives the same bytes."""
    (tmp_path / "in.png").write_bytes(PLAIN)
    results = []
    for source in (tmp_path / "in.png", io.BytesIO(PLAIN)):
        stream = io.BytesIO()
        report = scramble_file(source, stream, KEY, deterministic=True)
        results.append(stream.getvalue())
        assert (report.source_bytes, report.target_bytes) == (len(PLAIN), len(results[-1]))
        if not isinstance(source, io.BytesIO):
            scramble_file(source, tmp_path / "out.png", KEY, deterministic=True)
            results.append((tmp_path / "out.png").read_bytes())
            report = scramble_file(source, None, KEY, deterministic=True)
            assert report.target == tmp_path / "in.png.scrambled.png"
            results.append(report.target.read_bytes())
            with (tmp_path / "open.png").open("wb") as file:
                scramble_file(source, file, KEY, deterministic=True)
                results.append((tmp_path / "open.png").read_bytes())
    assert len(set(results)) == 1
    assert not np.array_equal(
        decode_picture(results[0]).pixels, read_picture(tmp_path / "in.png").pixels
    )


def test_a_picture_that_was_taken_is_decoded_anew(tmp_path: Path) -> None:
    """Who takes a picture may overwrite it: the next one has the samples of the file again."""
    descriptors = os.listdir("/dev/fd")
    (tmp_path / "in.png").write_bytes(PLAIN)
    source = SourceFile.read(tmp_path / "in.png")
    pixels = source.pop_picture(None).pixels
    picture = source.decode(None)
    assert np.array_equal(picture.pixels, pixels)
    assert not np.shares_memory(picture.pixels, pixels)
    glanced_picture, count = source.decode_reduced(None, 1)
    assert glanced_picture is picture
    assert count == pixels.shape[0] * pixels.shape[1]
    del source
    assert os.listdir("/dev/fd") == descriptors


def test_limits_of_sources(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A picture may have more pixels than bytes; a file may be as large as the limit."""
    data = save_image(np.zeros((50, 50), np.uint8), "PNG")
    (tmp_path / "in.png").write_bytes(data)
    assert len(data) < 50 * 50
    monkeypatch.setattr("sudokucrypt.images.FILE_LIMIT", len(data))
    source = SourceFile.read(tmp_path / "in.png")
    monkeypatch.setattr(source, "load", None)  # the picture is decoded in pieces
    assert source.decode(None).pixels.shape == (50, 50)
    assert SourceFile.read(tmp_path / "in.png").load() == data
    monkeypatch.setattr("sudokucrypt.images.FILE_LIMIT", len(data) - 1)
    with pytest.raises(InvalidImageError, match=f"more than the {len(data) - 1} that are read"):
        SourceFile.read(tmp_path / "in.png").load()


@pytest.mark.parametrize(
    ("content", "time"), [(b"short", 0), (b"longer than before", 0), (b"same length", 1)]
)
def test_a_file_that_changed_is_not_loaded(tmp_path: Path, content: bytes, time: int) -> None:
    """A file that is shorter, longer, or written at another time than it was is refused."""
    path = tmp_path / "in"
    path.write_bytes(b"length same")
    os.utime(path, ns=(0, 0))
    source = SourceFile.read(path)
    assert source.load() == b"length same"
    source.release()
    path.write_bytes(content)
    os.utime(path, ns=(0, time))
    with pytest.raises(InvalidImageError, match="changed while it was read"):
        source.load()


def test_long_streams_are_spooled_to_the_last_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream beyond the limit goes to a file if that is wanted, and is refused otherwise."""
    monkeypatch.setattr("sudokucrypt.recipes.sources.STREAM_LIMIT", 9)
    data = bytes(range(100))
    assert SourceFile.read(io.BufferedReader(io.BytesIO(data)), spooled=True).load() == data
    with pytest.raises(InvalidImageError, match="from a stream"):
        SourceFile.read(io.BufferedReader(io.BytesIO(data)))


@pytest.mark.parametrize(("start", "expected"), [(b"\xff\xd8\xff", True), (b"\xff\xd8\0", False)])
def test_a_jpeg_begins_with_three_bytes(start: bytes, expected: bool) -> None:
    """The two bytes of a marker are too few to take a file for a JPEG."""
    assert SourceFile.read(io.BytesIO(start)).is_jpeg() == expected


def test_the_longest_sidecar_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sidecar holds a header of any allowed length and a line end."""
    target = tmp_path / "p.png"
    encrypt_file(io.BytesIO(PLAIN), target, KEY, sidecar=True)
    sidecar = tmp_path / "p.png.sudokucrypt.json"
    length = len(read_header(target).to_bytes())
    monkeypatch.setattr("sudokucrypt.recipes.sinks.HEADER_LIMIT", length)
    assert read_header(target, sidecar=sidecar) == read_header(target)
    monkeypatch.setattr("sudokucrypt.recipes.sinks.HEADER_LIMIT", length - 1)
    with pytest.raises(FormatError, match=f"larger than {length} bytes"):
        read_header(target, sidecar=sidecar)
    sidecar.unlink()
    sidecar.mkdir()  # a folder is none
    assert read_header(target).to_bytes()


def test_a_converted_picture_needs_only_its_sidecar(tmp_path: Path) -> None:
    """A protected picture that was saved as BMP is decrypted with its metadata by its sidecar."""
    encrypt_file(
        io.BytesIO(GALLERY["RGB-metadata.png"]),
        tmp_path / "p.png",
        KEY,
        as_file=False,
        sidecar=True,
    )
    converted = save_image(read_picture(tmp_path / "p.png").pixels, "BMP")
    (tmp_path / "p.bmp").write_bytes(converted)
    (tmp_path / "p.png.sudokucrypt.json").rename(tmp_path / "p.bmp.sudokucrypt.json")
    report = decrypt_file(tmp_path / "p.bmp", tmp_path / "back.png", KEY)
    plain = decode_picture(GALLERY["RGB-metadata.png"])
    restored = read_picture(tmp_path / "back.png")
    assert are_same_pictures(plain, restored)
    assert plain.metadata == restored.metadata
    assert report.dropped == ("resolution that is not sealed",)  # BMP files have a resolution


def test_the_call_stack_of_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are called through at most 12 functions, and each package is entered once."""
    stacks: list[list[str]] = []

    def record_stack(name: str) -> Any:
        def record_and_call(*arguments: Any, **options: Any) -> None:
            modules: list[str] = []
            frame = sys._getframe(1)
            while modules[-1:] != ["sudokucrypt.recipes.files"]:
                modules.append(frame.f_globals["__name__"])
                assert frame.f_back is not None
                frame = frame.f_back
            stacks.append(modules[::-1])
            getattr(kernels, name)(*arguments, **options)

        return record_and_call

    kernels = load_kernels("sudokucrypt.bijections._kernels", "passes")
    names = ("move_rows", "move_stacks", "exchange")
    spies = SimpleNamespace(**vars(kernels) | {name: record_stack(name) for name in names})
    monkeypatch.setattr(keyed, "_kernels", spies)
    picture = encode_array(noise(100, 100, 1), "PNG")
    scrambled = run_on_bytes(scramble_file, picture, KEY, threads=1)
    unscramble_file(io.BytesIO(scrambled), io.BytesIO(), KEY, threads=1)
    assert len(stacks) > 2 * len(names)
    for modules in stacks:
        assert len(modules) <= MAX_FRAMES
        packages = [module.split(".")[1] for module in modules]
        first_frames = [packages.index(name) for name in ("recipes", "ciphers", "bijections")]
        assert first_frames == sorted(first_frames)
        assert packages.count("recipes") == first_frames[1] <= 5


def test_scrambling_loads_few_modules(tmp_path: Path) -> None:
    """Scrambling a PNG loads no parser of another format, and neither Pillow nor pi_heif."""
    (tmp_path / "in.png").write_bytes(PLAIN)
    code = (
        "import sys; from sudokucrypt import Key, scramble_file, unscramble_file;"
        f"scramble_file({str(tmp_path / 'in.png')!r}, {str(tmp_path / 'out.png')!r}, "
        "Key.generate()); print(*sys.modules)"
    )
    loaded = set(run_python("-c", code).stdout.split())
    assert "sudokucrypt.images.png.file" in loaded
    parsers = ("tiff", "gif", "webp", "jpeg", "foreign", "cleartext")
    unwanted = ("PIL", "pi_heif", "cv2", *(f"sudokucrypt.images.{name}" for name in parsers))
    assert not [name for name in loaded if name.startswith(unwanted)]


def test_the_target_is_checked_before_the_source_is_read(tmp_path: Path) -> None:
    """If the output exists and the input is no picture, the error is that the output exists.

    A missing input is the more important error.
    """
    source, target = tmp_path / "no-picture.png", tmp_path / "existing.png"
    source.write_bytes(b"not a picture")
    target.touch()
    with pytest.raises(OutputExistsError):
        scramble_file(source, target, KEY)
    with pytest.raises(SudokucryptError, match="no such file"):
        scramble_file(tmp_path / "missing.png", target, KEY)


@pytest.mark.parametrize("system_hides", [False, True])
def test_only_files_of_this_machine_are_hidden(
    monkeypatch: pytest.MonkeyPatch, system_hides: bool
) -> None:
    """What goes to a stream or a store is verified before; what is protected needs no hiding."""
    monkeypatch.setattr("sudokucrypt.recipes.sinks.supports_nameless_files", lambda _: system_hides)
    destinations = [Path("a.png"), parse_location("memory://a.png"), io.BytesIO()]
    for options, hides in ((DecryptOptions(), system_hides), (EncryptOptions(), False)):
        sink = Sink.for_target(io.BytesIO(), io.BytesIO(), options)
        hidden = [sink.can_stay_nameless(destination) for destination in destinations]
        assert hidden == [hides, False, False]


@pytest.mark.parametrize("as_file", [False, True])
def test_the_name_of_a_result_is_checked_before_it_is_decoded(
    tmp_path: Path, as_file: bool
) -> None:
    """If the restored file exists, this is the error even if samples are damaged.

    A file under its sealed name never replaces another.
    """
    source, replace = tmp_path / "photo.png", as_file
    source.write_bytes(PLAIN)
    target = encrypt_file(source, None, KEY, as_file=as_file).target
    assert isinstance(target, Path)
    source.unlink()
    restored = decrypt_file(target, None, KEY).target
    damaged = bytearray(target.read_bytes())
    damaged[-30] ^= 1
    target.write_bytes(damaged)
    with pytest.raises(OutputExistsError):
        decrypt_file(target, None, KEY, replace=replace)
    assert isinstance(restored, Path)
    assert (restored == source) == as_file
    restored.unlink()
    with pytest.raises(InvalidImageError):
        decrypt_file(target, None, KEY, replace=replace)


# Documented errors of changed files, and log lines of results.


def test_the_table_names_the_errors() -> None:
    """The page on results names all error classes that `test_manipulations` allows, and no others.

    It may also name subclasses of them.
    """
    text = (ROOT / "docs/reference/results.md").read_text(encoding="utf-8")
    names = set(re.findall(r"`(\w+Error)`", text.partition("## Which error")[2]))
    for name in names - {"SudokucryptError"}:
        assert issubclass(getattr(sudokucrypt.errors, name), ERRORS), name
    assert {each.__name__ for each in ERRORS} <= names


def test_results_are_logged_without_secrets(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The log names results and inputs, but no key, passphrase or content."""
    source, encrypted, decrypted = (tmp_path / name for name in ("a.txt", "a.png", "b.txt"))
    source.write_text("the content", encoding="utf-8")
    passphrase = Passphrase("lend trace april dove gulf iron")
    with caplog.at_level(logging.INFO, logger="sudokucrypt"):
        encrypt_file(source, encrypted, KEY)
        decrypt_file(encrypted, decrypted, KEY)
        encrypt_file(source, encrypted, KEY, resume=True)
        encrypt_file(source, encrypted, KEY, update=True)
        assert decrypt_bytes(encrypt_bytes(b"more", passphrase), passphrase) == b"more"
        with pytest.raises(SudokucryptError):
            decrypt_file(encrypted, decrypted, Key(bytes(32)), replace=True)
    lines = [record.getMessage() for record in caplog.records]
    assert {record.name for record in caplog.records} == {"sudokucrypt"}
    assert lines[0].startswith(f"wrote '{encrypted}', ")
    assert lines[1].startswith(f"wrote '{decrypted}', 11 bytes, made of '{encrypted}'")
    assert lines[2] == lines[3] == f"kept '{encrypted}', made of '{source}'"
    assert lines[4].startswith("wrote a stream, ")
    encrypt_bytes(b"x", KEY, name="a\nb")
    assert not any("\n" in record.getMessage() for record in caplog.records)
    for secret in (KEY.to_text(), "lend", "content", KEY.to_bytes().hex()):
        assert not any(secret in line for line in lines)
