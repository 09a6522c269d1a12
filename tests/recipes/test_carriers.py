"""One contract for all that a file can be protected as; defaults that are promised to callers."""

import inspect
import io
import logging
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
from sudokucrypt.recipes.carriers.picture import same_pictures
from sudokucrypt.recipes.options import DecryptOptions, OpenOptions
from sudokucrypt.recipes.sinks import Sink
from sudokucrypt.recipes.sources import SourceFile
from tests.cli.gallery import GALLERY
from tests.images.builders import encode_array, noise, save_image
from tests.programs import run_python
from tests.recipes.memory import run_on_bytes
from tests.test_docs import ROOT
from tests.test_manipulations import TABLE

KEY, OTHER = Key(bytes(range(32))), Key(bytes(32))
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
    """Signatures show every option with its default, and no other keyword is taken."""
    function = getattr(sudokucrypt, name)
    parameters = inspect.signature(function).parameters
    assert {option: parameters[option].default for option in DEFAULTS[name]} == DEFAULTS[name]
    assert not any(each.kind is each.VAR_KEYWORD for each in parameters.values())
    given = [each.default for each in parameters.values()].count(inspect.Parameter.empty)
    with pytest.raises(TypeError, match="unexpected"):
        function(b"", *[KEY] * (given - 1), colour=1)


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    """A robust picture in a file."""
    rng = np.random.default_rng(5)
    pixels = rng.integers(60, 200, (10, 12, 3), dtype=np.uint8).repeat(8, 0).repeat(8, 1)
    source = io.BytesIO(encode_picture(Picture.plain(pixels), "PNG"))
    scramble_robust_file(source, tmp_path / "sheet.jpg", KEY)
    return tmp_path / "sheet.jpg"


def test_two_functions_restore_a_robust_picture(sheet: Path, tmp_path: Path) -> None:
    """That for scrambled files does it too, with the same bytes and report."""
    report = unscramble_file(sheet, tmp_path / "a.png", KEY)
    unscramble_robust_file(sheet, tmp_path / "b.png", KEY)
    assert isinstance(report, RobustReport)
    opened = open_file(sheet, KEY)
    assert opened.name == "sheet.png"
    result = bytes(opened.content)
    assert result == (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_a_sheet_whose_colors_came_apart(sheet: Path) -> None:
    """Services send gray with red and blue a little off: the luma of JPEG is what counts."""
    gray = read_picture(sheet).pixels[..., None].repeat(3, axis=2).astype(int)
    gray[..., 0] += 4
    gray[..., 2] -= 4
    apart = unscramble_robust(np.clip(gray, 0, 255).astype(np.uint8), KEY).pixels.astype(int)
    whole = unscramble_robust(read_picture(sheet).pixels, KEY).pixels.astype(int)
    assert np.abs(apart - whole).mean() < 4


def _turn_around(content: bytes, sink: Sink) -> Draft:
    """Bytes that a toy carrier turned around, either way."""
    return BytesDraft(
        destination=sink.settle("PNG")[1], report=FileReport(shape=(1, 1)), content=content
    )


@dataclass(frozen=True, kw_only=True)
class Toy:
    """A carrier of texts that begin with TOY, which it turns around; and one that was restored."""

    content: bytes = b""

    def plan(self, source: SourceFile, request: ProtectRequest) -> Draft | None:
        """Turn a text around."""
        if not source.load().startswith(b"TOY"):
            return None
        return _turn_around(source.load()[::-1], request.sink)

    def recognizes(self, file: ReceivedFile) -> bool:
        """Look at its end."""
        return file.source.load().endswith(b"YOT")

    def restore(self, file: ReceivedFile) -> "Toy":
        """Turn it back."""
        return Toy(content=file.source.load()[::-1])

    def inspect(self) -> PictureRecord:
        """Return a picture of its bytes."""
        file = EmbeddedFile(name="toy", size=len(self.content))
        return PictureRecord(picture=Picture.plain(np.zeros(file.shape, np.uint8)), file=file)

    def draft(self, sink: Sink, options: DecryptOptions) -> Draft:
        """Write the text."""
        del options
        return _turn_around(self.content, sink)

    def reprotect(self, sink: Sink, key: ProtectingKey, options: OpenOptions) -> Draft:
        """Turn it around again."""
        del key, options
        return _turn_around(self.content[::-1], sink)


def test_a_carrier_from_outside(tmp_path: Path) -> None:
    """What another package registers is protected, restored, rekeyed and opened like ours."""
    register_carrier(Toy())
    try:
        turned, back = tmp_path / "t.png", io.BytesIO()
        encrypt_file(io.BytesIO(b"TOY story"), turned, KEY)
        assert turned.read_bytes() == b"yrots YOT"
        unscramble_file(turned, back, KEY)
        assert back.getvalue() == b"TOY story"
        assert open_file(turned, KEY).content == b"TOY story"
        rekeyed = io.BytesIO()
        rekey_file(turned, rekeyed, KEY, OTHER)
        assert rekeyed.getvalue() == b"yrots YOT"
    finally:
        del CARRIERS[0]


# Where pictures come from and go to: how much is read, and which header counts.


PLAIN = encode_array(noise(9, 8, 1), "PNG")
MOST_FRAMES = 12


class Counting(io.BytesIO):
    """A stream that knows how much was read of it, and how much at most was asked for."""

    most = taken = 0

    def read(self, size: int | None = -1) -> bytes:
        """Return the next bytes."""
        self.most = max(self.most, -1 if size is None else size)
        data = super().read(size)
        self.taken += len(data)
        assert size is not None
        assert size > 0
        return data


def test_streams_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream as long as a file may be is read, one byte more is refused, and in pieces."""
    limit = len(PLAIN)
    monkeypatch.setattr("sudokucrypt.images.FILE_LIMIT", limit)
    assert run_on_bytes(encrypt_file, PLAIN, KEY)
    with pytest.raises(InvalidImageError, match=f"more than the {limit} bytes that are read"):
        encrypt_file(io.BytesIO(PLAIN + b"x"), io.BytesIO(), KEY)
    endless = Counting(bytes(2**25))
    with pytest.raises(InvalidImageError, match="more than the"):
        encrypt_file(endless, io.BytesIO(), KEY)
    assert endless.taken <= limit + endless.most
    assert endless.most <= 2**20


def test_a_named_sidecar_counts_before_all_others(tmp_path: Path) -> None:
    """The one that was named, else the one beside the file, else the header inside."""
    for name in "ab":
        source = io.BytesIO(encode_array(noise(9, 8, 1) ^ (name == "b"), "PNG"))
        encrypt_file(source, tmp_path / f"{name}.png", KEY, sidecar=True)
    first, second = (tmp_path / f"{name}.png.sudokucrypt.json" for name in "ab")
    inside = read_header(tmp_path / "a.png")
    other = read_header(tmp_path / "a.png", sidecar=second)
    assert other == read_header(tmp_path / "b.png") != inside
    first.write_bytes(second.read_bytes())
    assert read_header(tmp_path / "a.png") == other
    with pytest.raises(DecryptionError, match=r"the header is from .*b\.png\.sudokucrypt"):
        decrypt_file(tmp_path / "a.png", io.BytesIO(), KEY, sidecar=second)
    report = decrypt_file(tmp_path / "a.png", io.BytesIO(), KEY)  # nobody named this one
    assert report.dropped == ("sidecar that does not belong to it",)
    assert inside is not None
    first.write_bytes(inside.to_bytes() + b"\n")
    with pytest.raises(DecryptionError) as refused:  # a sidecar that says the same is no reason
        decrypt_file(tmp_path / "a.png", io.BytesIO(), Key(bytes(32)))
    assert "the header is from" not in str(refused.value)
    first.write_bytes(b"damaged")
    assert read_sealed_info(tmp_path / "a.png", KEY).header.salt == inside.salt
    with pytest.raises(FormatError):
        read_header(tmp_path / "a.png")
    first.unlink()
    assert read_header(tmp_path / "a.png") == inside
    with pytest.raises(FormatError, match="cannot read the sidecar"):
        read_header(tmp_path / "a.png", sidecar=first)


def test_what_a_stream_is_written_to(tmp_path: Path) -> None:
    """Streams and files get the same bytes, regardless of the other end."""
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
    assert len(set(results)) == 1
    assert not np.array_equal(
        decode_picture(results[0]).pixels, read_picture(tmp_path / "in.png").pixels
    )


def test_a_converted_picture_needs_its_sidecar_alone(tmp_path: Path) -> None:
    """Saved as BMP, which holds no header and is not written, it is decrypted with its metadata."""
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
    plain, back = decode_picture(GALLERY["RGB-metadata.png"]), read_picture(tmp_path / "back.png")
    assert same_pictures(plain, back)
    assert plain.metadata == back.metadata
    assert report.dropped == ("resolution that is not sealed",)  # that of the BMP


def test_the_way_to_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture passes few functions on its way to the kernel, and each room once."""
    ways: list[list[str]] = []

    def note_way(name: str) -> Any:
        def note_and_call(*arguments: Any, **options: Any) -> None:
            way: list[str] = []
            frame = sys._getframe(1)
            while way[-1:] != ["sudokucrypt.recipes.files"]:
                way.append(frame.f_globals["__name__"])
                assert frame.f_back is not None
                frame = frame.f_back
            ways.append(way[::-1])
            getattr(kernels, name)(*arguments, **options)

        return note_and_call

    kernels = load_kernels("sudokucrypt.bijections._kernels", "passes")
    names = ("move_rows", "move_stacks", "exchange")
    spies = SimpleNamespace(**vars(kernels) | {name: note_way(name) for name in names})
    monkeypatch.setattr(keyed, "_kernels", spies)
    picture = encode_array(noise(100, 100, 1), "PNG")
    scrambled = run_on_bytes(scramble_file, picture, KEY, threads=1)
    unscramble_file(io.BytesIO(scrambled), io.BytesIO(), KEY, threads=1)
    assert len(ways) > 2 * len(names)
    for way in ways:
        assert len(way) <= MOST_FRAMES
        rooms = [module.split(".")[1] for module in way]
        order = ["recipes", "ciphers", "bijections"]
        firsts = [rooms.index(room) for room in order]
        assert firsts == sorted(firsts)
        assert rooms.count("recipes") == firsts[1] <= 5


def test_only_what_a_file_needs_is_loaded(tmp_path: Path) -> None:
    """Scrambling a PNG loads no parser of another format, and neither Pillow nor pi_heif."""
    (tmp_path / "in.png").write_bytes(PLAIN)
    code = (
        "import sys; from sudokucrypt import Key, scramble_file, unscramble_file;"
        f"scramble_file({str(tmp_path / 'in.png')!r}, {str(tmp_path / 'out.png')!r}, "
        "Key.generate()); print(*sys.modules)"
    )
    loaded = set(run_python("-c", code).stdout.split())
    assert "sudokucrypt.images.png.file" in loaded
    others = ("tiff", "gif", "webp", "jpeg", "foreign", "cleartext")
    unwanted = ("PIL", "pi_heif", "cv2", *(f"sudokucrypt.images.{name}" for name in others))
    assert not [name for name in loaded if name.startswith(unwanted)]


def test_the_target_is_looked_at_before_the_source_is_read(tmp_path: Path) -> None:
    """Nobody waits for a long reading to hear that the output exists."""
    source, target = tmp_path / "no-picture.png", tmp_path / "there.png"
    source.write_bytes(b"what no picture begins with")
    target.touch()
    with pytest.raises(OutputExistsError):
        scramble_file(source, target, KEY)


# What callers rely on: a table of the errors of changed files, and one line for each result.


def test_the_table_names_the_errors() -> None:
    """The page lists exactly the classes that `test_manipulations` allows, and some kinds."""
    text = (ROOT / "docs/reference/results.md").read_text(encoding="utf-8")
    names = set(re.findall(r"`(\w+Error)`", text.partition("## Which error")[2]))
    for name in names - {"SudokucryptError"}:
        assert issubclass(getattr(sudokucrypt.errors, name), TABLE), name
    assert {each.__name__ for each in TABLE} <= names


def test_results_are_logged_without_secrets(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The logger of the package names results and inputs, and no key, passphrase or content."""
    source, sealed, again = (tmp_path / name for name in ("a.txt", "a.png", "b.txt"))
    source.write_text("the content", encoding="utf-8")
    words = Passphrase("lend trace april dove gulf iron")
    with caplog.at_level(logging.INFO, logger="sudokucrypt"):
        encrypt_file(source, sealed, KEY)
        decrypt_file(sealed, again, KEY)
        encrypt_file(source, sealed, KEY, resume=True)
        assert decrypt_bytes(encrypt_bytes(b"more", words), words) == b"more"
        with pytest.raises(SudokucryptError):
            decrypt_file(sealed, again, Key(bytes(32)), replace=True)
    lines = [record.getMessage() for record in caplog.records]
    assert {record.name for record in caplog.records} == {"sudokucrypt"}
    assert lines[0].startswith(f"wrote '{sealed}', ")
    assert lines[1].startswith(f"wrote '{again}', 11 bytes, made of '{sealed}'")
    assert lines[2] == f"kept '{sealed}', made of '{source}'"
    encrypt_bytes(b"x", KEY, name="a\nb")
    assert not any("\n" in record.getMessage() for record in caplog.records)
    for secret in (KEY.to_text(), "lend", "content", KEY.to_bytes().hex()):
        assert not any(secret in line for line in lines)
