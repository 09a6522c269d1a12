"""Table of refused calls, each with the error that it raises and a part of the message."""

import io
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image

from sudokucrypt import (
    DecryptionError,
    FormatError,
    Header,
    Identity,
    InvalidImageError,
    InvalidParameterError,
    Key,
    KeyDerivation,
    Layer,
    OutputExistsError,
    Passphrase,
    SudokucryptError,
    UnsupportedError,
    decrypt,
    decrypt_bytes,
    decrypt_file,
    encrypt,
    encrypt_bytes,
    encrypt_file,
    redact_file,
    redactions,
    rekey_file,
    scramble,
    scramble_file,
    unscramble,
    unscramble_bytes,
    unscramble_file,
)
from sudokucrypt.bijections import UnitPermutation
from sudokucrypt.header import SEGMENT_BYTES
from sudokucrypt.images import (
    Picture,
    PngStream,
    Source,
    decode_picture,
    encode_picture,
    read_picture,
)
from sudokucrypt.keys import KeyStream
from sudokucrypt.recipes import ProtectedImage, open_sealed_info, picture_key, read_header
from sudokucrypt.recipes.carriers.redaction.media import open_medium
from sudokucrypt.typing import AnyArray
from tests.images.builders import encode_array, noise, save_image
from tests.recipes.memory import inspect_picture
from tests.recipes.redacting import lift_covers, redact_bytes
from tests.recipes.test_arrays import draw_image

KEY, OTHER_KEY = Key(bytes(range(32))), Key(bytes(32))
PNG, JPEG = encode_array(noise(40, 30, 3), "PNG"), save_image(noise(40, 30, 3), "JPEG")
AREA = [(0, 0, 9, 9)]
LARGE_SAMPLES = noise(1, SEGMENT_BYTES + 100_000, 1).tobytes()
"""A file that is encrypted in two segments."""


def _read_rows(data: bytes) -> tuple[AnyArray, bytes | None]:
    """Return all rows of a PNG, including its header rows, and its header."""
    stream = PngStream.open(Source(b"", "x", 2**27), io.BytesIO(data), len(data))
    assert stream is not None
    return np.concatenate([lines.copy() for lines in stream.lines()]), stream.picture.header


def _change_large(change_rows: Callable[[AnyArray], AnyArray]) -> bytes:
    """Return an encrypted file of two segments whose stored rows were changed."""
    rows, header = _read_rows(encrypt_bytes(LARGE_SAMPLES, KEY))
    return encode_picture(replace(Picture.plain(change_rows(rows)), header=header), "PNG")


def _flip_last_sample(rows: AnyArray) -> AnyArray:
    rows[-1, -1] ^= 1
    return rows


def _open_reshaped() -> object:
    """Open a PNG that `save` wrote and that then lost its first row."""
    stream = io.BytesIO()
    encrypt(noise(6, 8, 1), KEY).save(stream, format="PNG")
    stored_picture = decode_picture(stream.getvalue())
    return ProtectedImage.open(
        io.BytesIO(encode_array(stored_picture.pixels[1:], "PNG", header=stored_picture.header))
    )


def _open_with_other_recipients() -> object:
    """Open a header whose recipients were replaced by those of another picture."""
    identity = Identity(bytes(range(32)))
    first, second = (encrypt(noise(4, 5, 3), identity.recipient).header for _ in range(2))
    return picture_key(identity, replace(first, recipients=second.recipients))


def _resume_over(path: Path, existing: bytes, source: bytes, call: Any, secret: Any) -> object:
    """Call a function with `resume` while its output file exists with these other contents."""
    path.write_bytes(existing)
    return call(io.BytesIO(source), path, secret, resume=True)


REFUSALS: dict[str, tuple[Callable[[Path], object], type[SudokucryptError], str]] = {
    "a header row that was changed": (
        lambda _: decrypt_bytes(_change_large(_flip_last_sample), KEY),
        *(DecryptionError, "was changed"),
    ),
    "a row that is missing": (
        lambda _: decrypt_bytes(_change_large(lambda rows: rows[1:]), KEY),
        *(DecryptionError, "was changed"),
    ),
    "a plain picture in place of a large file": (
        lambda path: _resume_over(path, PNG, LARGE_SAMPLES, encrypt_file, KEY),
        *(OutputExistsError, "not a protected picture"),
    ),
    "another file of the same size": (
        lambda path: _resume_over(
            path, LARGE_SAMPLES[:-1] + b"!", encrypt_bytes(LARGE_SAMPLES, KEY), decrypt_file, KEY
        ),
        *(OutputExistsError, "its bytes differ"),
    ),
    "a picture of another shape": (
        lambda path: _resume_over(
            path,
            encrypt_bytes(encode_array(noise(9, 8, 3), "PNG"), KEY, as_file=False),
            *(PNG, lambda *args, **options: encrypt_file(*args, as_file=False, **options), KEY),
        ),
        *(OutputExistsError, "its shape differs"),
    ),
    "a picture without layers": (
        lambda path: _resume_over(path, PNG, PNG, redact_file, [Layer(KEY, AREA)]),
        *(OutputExistsError, "it holds no layers"),
    ),
    "a stream without a target": (
        lambda _: scramble_file(io.BytesIO(PNG), None, KEY),
        *(InvalidParameterError, "a stream has no name"),
    ),
    "a redacted picture as TIFF": (
        lambda path: redact_file(io.BytesIO(PNG), path.with_suffix(".tiff"), [Layer(KEY, AREA)]),
        *(UnsupportedError, "is written as PNG, not as TIFF"),
    ),
    "samples of another shape than the header's": (
        lambda _: _open_reshaped(),
        *(FormatError, "the samples do not have the shape and type that the header"),
    ),
    "a context in a file": (
        lambda path: scramble(noise(6, 8, 1), KEY, context="x").save(path),
        *(UnsupportedError, "scrambled under a context"),
    ),
    "a file as an array": (
        lambda _: ProtectedImage.open(io.BytesIO(encrypt_bytes(PNG, KEY))),
        *(UnsupportedError, "the picture was made from a file, not from an array"),
    ),
    "recipients of another picture": (
        lambda _: _open_with_other_recipients(),
        *(DecryptionError, "wrong identity"),
    ),
    "floats without a header": (
        lambda _: unscramble_bytes(encode_array(noise(9, 8, 1).astype("float32"), "TIFF"), KEY),
        *(FormatError, "not a protected picture"),
    ),
    "a scheme of pixels for a file": (
        lambda _: encrypt_bytes(PNG, KEY, as_file=True, scheme="encrypt-v9"),
        *(SudokucryptError, "encrypt-v9"),
    ),
    "the name of a file as its bytes": (
        lambda _: encrypt_bytes("photo.png", KEY),  # type: ignore[arg-type]
        *(InvalidParameterError, "the content of a file must be bytes, not the name of a file"),
    ),
    "a path as bytes": (
        lambda path: encrypt_bytes(path, KEY),  # type: ignore[arg-type]
        *(InvalidParameterError, "the content of a file must be bytes, not the name of a file"),
    ),
    "an array as a file": (
        lambda _: encrypt_bytes(noise(4, 4, 1), KEY),  # type: ignore[arg-type]
        *(InvalidParameterError, "the content of a file must be bytes, not ndarray"),
    ),
    **{
        f"{type(content).__name__} as an array": (
            lambda _, content=content: encrypt(content, KEY),  # type: ignore[misc]
            *(InvalidImageError, "an image is an array, and this is"),
        )
        for content in ("photo.png", Path("photo.png"), PNG)
    },
    **{
        f"an image of mode {mode} as an array": (
            lambda _, mode=mode: encrypt(Image.new(mode, (4, 4)), KEY),  # type: ignore[misc]
            *(InvalidImageError, f"mode {mode} has more than samples"),
        )
        for mode in ("P", "CMYK")
    },
    "the text of a header": (
        lambda _: decrypt(noise(4, 4, 1), KEY, header="{}"),  # type: ignore[arg-type]
        *(InvalidParameterError, "must be the Header of a result"),
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refusals(tmp_path: Path, name: str) -> None:
    """Each call of the table raises its error with its message, and writes no other file."""
    call, error, message = REFUSALS[name]
    path = tmp_path / "out.png"
    with pytest.raises(error, match=message):
        call(path)
    assert [each.name for each in tmp_path.iterdir()] in ([], ["out.png"])


@pytest.mark.parametrize(
    ("name", "value", "as_file", "message"),
    [
        ("carriers.file.MAX_FILE_BYTES", 99, True, "split it into several"),
        ("sources.images.FILE_LIMIT", 99, False, "more than the 99 that are read"),
        ("operations.CARRIERS", [], None, "no kind of protection supports"),
    ],
)
def test_limits(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    value: object,
    as_file: bool | None,
    message: str,
) -> None:
    """A file above a limit, or that no carrier takes, is refused before anything is written."""
    (tmp_path / "in.png").write_bytes(PNG)
    monkeypatch.setattr(f"sudokucrypt.recipes.{name}", value)
    with pytest.raises(InvalidImageError) as error_info:
        encrypt_file(tmp_path / "in.png", tmp_path / "out.png", KEY, as_file=as_file)
    assert message in f"{error_info.value} {error_info.value.hint}"
    assert not (tmp_path / "out.png").exists()


@pytest.mark.parametrize(
    ("name", "as_file"),
    [("carriers.file.MAX_FILE_BYTES", True), ("sources.images.FILE_LIMIT", False)],
)
def test_a_file_as_long_as_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, *, as_file: bool
) -> None:
    """A file with as many bytes as the limit allows is encrypted."""
    (tmp_path / "in.png").write_bytes(PNG)
    monkeypatch.setattr(f"sudokucrypt.recipes.{name}", len(PNG))
    encrypt_file(tmp_path / "in.png", tmp_path / "out.png", KEY, as_file=as_file)


def test_media_of_two_kinds_are_never_equal() -> None:
    """Samples of a PNG and coefficients of a JPEG equal themselves alone, also if covered."""
    png, jpeg = (open_medium(data, "x", None) for data in (PNG, JPEG))
    mask = np.eye(40, 30) > 0
    media = [png, jpeg, *(medium.cover(mask, "#000000", mask) for medium in (png, jpeg))]
    for one, other in product(media, repeat=2):
        assert one.has_same_samples(other) == (one is other)


def test_a_cover_that_is_read_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the written file is decoded to other samples than the covered ones, redacting fails."""
    medium = type(open_medium(PNG, "x", None))
    monkeypatch.setattr(medium, "has_same_samples", lambda *_: False)
    with pytest.raises(UnsupportedError, match="would not be restored exactly"):
        redact_bytes(PNG, [Layer(KEY, AREA)])


def test_areas_of_several_layers_for_good(tmp_path: Path) -> None:
    """A mask and a rectangle without keys are both covered; `resume` keeps the same result."""
    layers = [Layer(None, mask=np.eye(40, 30) > 0), Layer(None, [(0, 20, 5, 5)])]
    for count in (2, 3):
        target = tmp_path / f"{count}.png"
        redact_file(io.BytesIO(PNG), target, layers)
        hidden_pixels = decode_picture(target.read_bytes()).pixels
        assert not hidden_pixels[np.eye(40, 30) > 0].any()
        assert not hidden_pixels[:5, 20:25].any()
        assert redact_file(io.BytesIO(PNG), target, layers, resume=True).kept
        layers.append(Layer(KEY, [(30, 0, 5, 5)]))
    assert redactions(target).permanent == 30 + 25


def test_digests_of_ragged_covers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The digest of visible pixels is the same whether runs are digested one by one or copied."""
    hidden_mask = noise(40, 30, 1) > 99
    media = [open_medium(data, "x", None) for data in (PNG, JPEG)]
    digests_before = [medium.digest(hidden_mask) for medium in media]
    monkeypatch.setattr("sudokucrypt.recipes.carriers.redaction.medium._MAX_LOOPED_RUNS", 1)
    assert digests_before == [medium.digest(hidden_mask) for medium in media]
    assert lift_covers(redact_bytes(PNG, [Layer(KEY, mask=hidden_mask)]), KEY) == PNG


# Costs of headers: one that asks for too much is refused before it takes time or memory.


PASSPHRASE = Passphrase("open")
IMAGE = draw_image((12, 17))
SEALED_HEADER = encrypt(IMAGE, KEY).header
ARRAY_FUNCTIONS: Any = [(scramble, unscramble), (encrypt, decrypt)]
LARGEST_SIDE = 2**31 - 1


@pytest.fixture
def costly_calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Replace costly functions by ones that fail, and return the list of their calls by name."""
    result: list[str] = []

    def note(owner: Any, name: str, label: str) -> None:
        def fail(*_: object, **__: object) -> None:
            result.append(label)
            raise AssertionError(label)

        monkeypatch.setattr(owner, name, fail)

    note(KeyDerivation, "_derive", "derivation")
    note(UnitPermutation, "__init__", "permutation")
    note(KeyStream, "mask", "key stream")
    return result


def list_calls(header: Header, key: Any) -> list[Callable[[], object]]:
    """Return a call of each function that opens a protected picture, with this header and key."""
    data = encode_array(IMAGE, "PNG", header=header.to_bytes())
    restore, restore_file = (
        (decrypt, decrypt_file) if header.scheme == "encrypt-v1" else (unscramble, unscramble_file)
    )
    return [
        lambda: restore(IMAGE, key, header),
        lambda: restore_file(io.BytesIO(data), io.BytesIO(), key),
        lambda: rekey_file(io.BytesIO(data), io.BytesIO(), key, OTHER_KEY),
        lambda: inspect_picture(io.BytesIO(data), key),
        lambda: open_sealed_info(header, key),
    ]


@pytest.mark.parametrize(("scheme", "rounds"), [("encrypt-v1", 17), ("scramble-v1", 255)])
def test_rounds_are_limited(scheme: str, rounds: int, costly_calls: list[str]) -> None:
    """A header of more than 16 rounds is refused before any costly call, even with its key."""
    header = Header(
        scheme=scheme, unit="pixel", rounds=rounds, shape=IMAGE.shape, dtype="uint8",
        key_id=KEY.id, kdf="argon2id:m=64,t=1,p=1:" + "00" * 16,
        salt=bytes(16), tag=bytes(32), header_mac=bytes(32),
    )  # fmt: skip
    sealed = replace(header, header_mac=KEY.picture_key(bytes(16)).seal(header))
    for key in (KEY, PASSPHRASE, KEY.picture_key(bytes(16))):
        for call in list_calls(sealed, key):
            with pytest.raises(
                UnsupportedError, match=f"{rounds} rounds, more than the 16"
            ) as error_info:
                call()
            assert "max_rounds" in str(error_info.value.hint)
    assert not costly_calls


@pytest.mark.parametrize(("protect", "restore"), ARRAY_FUNCTIONS)
@pytest.mark.parametrize("rounds", [1, 16, 17])
def test_rounds_that_are_allowed(protect: Any, restore: Any, rounds: int) -> None:
    """16 rounds are restored by default, and 17 with `max_rounds=17`; a lower limit refuses."""
    result = protect(IMAGE, KEY, rounds=rounds)
    assert np.array_equal(restore(result.pixels, KEY, result.header, max_rounds=rounds), IMAGE)
    if rounds > 1:
        with pytest.raises(UnsupportedError, match="rounds"):
            restore(result.pixels, KEY, result.header, max_rounds=rounds - 1)
    if rounds <= 16:
        assert np.array_equal(restore(result.pixels, KEY, result.header), IMAGE)


@pytest.mark.parametrize("protect", [encrypt_file, scramble_file])
def test_files_of_many_rounds(protect: Any) -> None:
    """A file of 20 rounds can be rekeyed, inspected and restored only with `max_rounds=20`."""
    restore: Any = decrypt_file if protect is encrypt_file else unscramble_file
    data, rekeyed, restored = io.BytesIO(), io.BytesIO(), io.BytesIO()
    protect(io.BytesIO(encode_array(IMAGE, "PNG")), data, KEY, rounds=20)
    with pytest.raises(UnsupportedError, match="rounds"):
        rekey_file(io.BytesIO(data.getvalue()), rekeyed, KEY, OTHER_KEY)
    rekey_file(io.BytesIO(data.getvalue()), rekeyed, KEY, OTHER_KEY, max_rounds=20)
    assert inspect_picture(io.BytesIO(rekeyed.getvalue()), OTHER_KEY, max_rounds=20)[0].rounds == 20
    with pytest.raises(UnsupportedError, match="rounds"):
        inspect_picture(io.BytesIO(rekeyed.getvalue()), OTHER_KEY, max_rounds=19)
    with pytest.raises(UnsupportedError, match="rounds"):
        restore(io.BytesIO(rekeyed.getvalue()), restored, OTHER_KEY)
    restore(io.BytesIO(rekeyed.getvalue()), restored, OTHER_KEY, max_rounds=20)


def test_a_context_has_the_same_limit() -> None:
    """An image of 17 rounds under a context is refused, and restored with `max_rounds=17`."""
    result = scramble(IMAGE, KEY, context="x", rounds=17)
    with pytest.raises(UnsupportedError, match="17 rounds"):
        unscramble(result.pixels, KEY, result.header, context="x")
    restored = unscramble(result.pixels, KEY, result.header, context="x", max_rounds=17)
    assert np.array_equal(restored, IMAGE)


@pytest.mark.parametrize(
    "kdf",
    ["argon2id:m=917505,t=1,p=1", "argon2id:m=4194304,t=64,p=64", "argon2id:m=65536,t=65,p=1",
     "argon2id:m=9999999999,t=9999999999,p=1", "argon2id:m=1024,t=1,p=17",
     "scrypt:m=524288,t=1,p=3", "scrypt:m=4194304,t=1,p=64", "balloon:m=9"],
)  # fmt: skip
def test_derivations_are_limited(kdf: str, costly_calls: list[str]) -> None:
    """A derivation that is too costly, or unknown, is refused before it is computed."""
    header = replace(SEALED_HEADER, kdf=f"{kdf}:" + "00" * 16)
    for call in list_calls(header, PASSPHRASE):
        with pytest.raises((UnsupportedError, FormatError), match=r"allowed|malformed"):
            call()
    assert not costly_calls


def test_a_derivation_at_the_limit_is_paid_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The costliest allowed derivation is computed once by each call, which refuses its key."""
    costs: list[str] = []

    def pretend_to_derive(self: KeyDerivation, secret: bytes) -> bytes:
        costs.append(self.to_text().rpartition(":")[0])
        return secret.ljust(32, b"\0")

    monkeypatch.setattr(KeyDerivation, "_derive", pretend_to_derive)
    for kdf in ("argon2id:m=917504,t=4,p=16", "scrypt:m=524288,t=1,p=2"):
        header = replace(SEALED_HEADER, kdf=f"{kdf}:" + "00" * 16)
        for index in range(len(list_calls(header, PASSPHRASE))):
            costs.clear()
            call = list_calls(header, Passphrase(f"{index}"))[index]
            with pytest.raises(DecryptionError):
                call()
            assert costs == [kdf]


@pytest.mark.parametrize(
    "change",
    [
        {"shape": (LARGEST_SIDE, LARGEST_SIDE, LARGEST_SIDE)},
        {"encrypted_metadata": b"[" * 2**18},
        {"encrypted_metadata": b'{"format":"PNG","frames":[' * 2**13},
    ],
    ids=["shape", "deep", "wide"],
)
def test_claims_are_not_believed(change: dict[str, Any], costly_calls: list[str]) -> None:
    """A header with a huge shape or huge metadata is refused before any costly call."""
    for scheme, key in (("encrypt-v1", KEY), ("scramble-v1", KEY.picture_key(bytes(16)))):
        header = replace(SEALED_HEADER, scheme=scheme, **change)
        for call in list_calls(header, key):
            with pytest.raises(DecryptionError):
                call()
        read_header(io.BytesIO(encode_array(IMAGE, "PNG", header=header.to_bytes())))
    assert not costly_calls


# Variables of tracebacks: no crash report shows samples that were not authenticated.


def find_traceback_arrays(error: BaseException | None) -> Iterator[AnyArray]:
    """Yield each array in the variables of the tracebacks of an error and of its causes."""
    own_objects = {id(KEY)}
    while error is not None:
        traceback = error.__traceback__
        while traceback is not None:
            if traceback.tb_frame.f_code.co_filename != __file__:
                yield from _find_arrays(dict(traceback.tb_frame.f_locals), own_objects)
            traceback = traceback.tb_next
        error = error.__context__


def _find_arrays(value: Any, seen_ids: set[int]) -> Iterator[AnyArray]:
    if id(value) in seen_ids:
        return
    seen_ids.add(id(value))
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, bytes | bytearray | memoryview):
        yield np.frombuffer(value, dtype=np.uint8)
    elif isinstance(value, dict):
        for inner_value in [*value.values()]:
            yield from _find_arrays(inner_value, seen_ids)
    elif isinstance(value, list | tuple | set):
        for inner_value in [*value]:
            yield from _find_arrays(inner_value, seen_ids)
    elif is_dataclass(value):
        for field in fields(value):
            yield from _find_arrays(getattr(value, field.name, None), seen_ids)
        yield from _find_arrays(getattr(value, "__dict__", {}), seen_ids)


def assert_nothing_plain(error: BaseException, plain: AnyArray) -> None:
    """Check that no array in the tracebacks of an error has a quarter of the plain samples."""
    plain_bytes = np.ascontiguousarray(plain).reshape(-1).view(np.uint8)
    for array in find_traceback_arrays(error):
        samples = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        count = min(len(samples), len(plain_bytes))
        if count > len(plain_bytes) // 2:
            equal = (samples[:count] == plain_bytes[:count]).mean()
            assert equal < 0.25, f"an array of shape {array.shape} has {equal:.0%} of the samples"


@pytest.mark.parametrize(("protect", "restore"), [(encrypt, decrypt), (scramble, unscramble)])
def test_no_traceback_has_unverified_samples(protect: Any, restore: Any) -> None:
    """One changed sample makes the tag wrong, and the error refers to no restored samples."""
    plain = noise(40, 30, 3)
    result = protect(plain, KEY)
    result.pixels[0, 0, 0] ^= 1
    with pytest.raises(DecryptionError) as error_info:
        restore(result.pixels, KEY, result.header)
    assert_nothing_plain(error_info.value, plain)
    assert (result.pixels[1:] != plain[1:]).any()


@pytest.mark.parametrize("operation", ["encrypt", "scramble"])
def test_no_traceback_has_unverified_samples_of_a_file(tmp_path: Path, operation: str) -> None:
    """The same for files, where restored samples overwrite the protected ones in memory."""
    plain = noise(40, 30, 3)
    source, protected = tmp_path / "a.png", tmp_path / "b.png"
    source.write_bytes(encode_array(plain, "PNG"))
    if operation == "encrypt":
        encrypt_file(source, protected, KEY, as_file=False)
    else:
        scramble_file(source, protected, KEY)
    picture = read_picture(protected)
    pixels = picture.pixels.copy()
    pixels[0, 0, 0] ^= 1
    protected.write_bytes(encode_picture(replace(picture, pixels=pixels), "PNG"))
    with pytest.raises(DecryptionError) as error_info:
        (decrypt_file if operation == "encrypt" else unscramble_file)(
            protected, tmp_path / "c.png", KEY
        )
    assert not (tmp_path / "c.png").exists()
    assert_nothing_plain(error_info.value, plain)


@pytest.mark.parametrize("row", [-1, 0], ids=["header row", "segment"])
@pytest.mark.parametrize("to_stream", [False, True])
def test_no_traceback_has_unverified_segments(tmp_path: Path, row: int, to_stream: bool) -> None:
    """A changed sample of a file in segments, or of its header rows, shows no plain segment."""
    plain = noise(1100, 1000, 1)
    protected = tmp_path / "b.png"
    encrypt_file(io.BytesIO(plain.tobytes()), protected, KEY)
    with Image.open(protected) as image:
        pixels = np.array(image)
    pixels[row, 0] ^= 1
    header = read_header(protected).to_bytes()
    protected.write_bytes(encode_array(pixels, "PNG", header=header))
    with pytest.raises(DecryptionError) as error_info:
        decrypt_file(protected, io.BytesIO() if to_stream else tmp_path / "c", KEY)
    flat = plain.reshape(-1)
    for start in range(0, len(flat), SEGMENT_BYTES):
        assert_nothing_plain(error_info.value, flat[start : start + SEGMENT_BYTES])


@pytest.mark.parametrize(
    ("protect", "restore", "name"),
    [
        (scramble_file, unscramble_file, "a.jpg"),
        (encrypt_file, decrypt_file, "a.jpg"),
        (encrypt_file, decrypt_file, "a.txt"),
    ],
)
def test_no_traceback_has_the_bytes_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, protect: Any, restore: Any, name: str
) -> None:
    """If the tag of a JPEG or another file is wrong, the error refers to no plain bytes."""
    protected = tmp_path / ("b.jpg" if protect is scramble_file else "b.png")
    source = tmp_path / name
    data = save_image(noise(64, 48, 3), "JPEG") if name == "a.jpg" else bytes(range(256)) * 9
    source.write_bytes(data)
    protect(source, protected, KEY)
    failing_hmac = SimpleNamespace(compare_digest=lambda *_: False)
    monkeypatch.setattr("sudokucrypt.ciphers.schemes.hmac", failing_hmac)
    with pytest.raises(DecryptionError) as error_info:
        restore(protected, tmp_path / "c", KEY)
    assert_nothing_plain(error_info.value, np.frombuffer(data, dtype=np.uint8))
