"""Refusals as rows: a call, the error that it raises, and what its message says."""

import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from sudokucrypt import (
    DecryptionError,
    FormatError,
    Identity,
    InvalidImageError,
    InvalidParameterError,
    Key,
    Layer,
    OutputExistsError,
    SudokucryptError,
    UnsupportedError,
    decrypt,
    decrypt_bytes,
    decrypt_file,
    encrypt,
    encrypt_bytes,
    encrypt_file,
    redact_file,
    scramble,
    scramble_file,
    unscramble_bytes,
)
from sudokucrypt.header import SEGMENT
from sudokucrypt.images import Picture, PngStream, Source, decode_picture, encode_picture
from sudokucrypt.recipes import ProtectedImage, picture_key
from sudokucrypt.recipes.carriers.redaction.media import open_medium
from sudokucrypt.typing import AnyArray
from tests.images.builders import encoded, noise, saved
from tests.recipes.redacting import lifted, redacted

KEY = Key(bytes(range(32)))
PNG, JPEG = encoded(noise(40, 30, 3), "PNG"), saved(noise(40, 30, 3), "JPEG")
AREA = [(0, 0, 9, 9)]
LARGE = noise(1, SEGMENT + 100_000, 1).tobytes()
"""A file that is encrypted in two segments."""


def _stored_rows(data: bytes) -> tuple[AnyArray, bytes | None]:
    """Return all rows of a PNG, those of its header included, and its header."""
    stream = PngStream.open(Source(b"", "x", 2**27), io.BytesIO(data), len(data))
    assert stream is not None
    return np.concatenate([lines.copy() for lines in stream.lines()]), stream.picture.header


def _large_with(change: Callable[[AnyArray], AnyArray]) -> bytes:
    """Return an encrypted file of two segments whose stored rows were changed."""
    rows, header = _stored_rows(encrypt_bytes(LARGE, KEY))
    return encode_picture(replace(Picture.plain(change(rows)), header=header), "PNG")


def _flip_last_sample(rows: AnyArray) -> AnyArray:
    rows[-1, -1] ^= 1
    return rows


def _open_reshaped() -> object:
    """Open the result of `save` after a program has cut off a row."""
    stream = io.BytesIO()
    encrypt(noise(6, 8, 1), KEY).save(stream, format="PNG")
    stored = decode_picture(stream.getvalue())
    return ProtectedImage.open(io.BytesIO(encoded(stored.pixels[1:], "PNG", header=stored.header)))


def _picture_key_of_another_header() -> object:
    """Ask for the key of a picture whose recipients were taken from another picture."""
    mine = Identity(bytes(range(32)))
    first, second = (encrypt(noise(4, 5, 3), mine.recipient).header for _ in range(2))
    return picture_key(mine, replace(first, recipients=second.recipients))


def _resume_over(path: Path, existing: bytes, source: bytes, call: Any, what: Any) -> object:
    """Ask for a result that exists already, and that is another one."""
    path.write_bytes(existing)
    return call(io.BytesIO(source), path, what, resume=True)


REFUSALS: dict[str, tuple[Callable[[Path], object], type[SudokucryptError], str]] = {
    "a header row that was changed": (
        lambda _: decrypt_bytes(_large_with(_flip_last_sample), KEY),
        *(DecryptionError, "was changed"),
    ),
    "a row that is missing": (
        lambda _: decrypt_bytes(_large_with(lambda rows: rows[1:]), KEY),
        *(DecryptionError, "was changed"),
    ),
    "a plain picture in place of a large file": (
        lambda path: _resume_over(path, PNG, LARGE, encrypt_file, KEY),
        *(OutputExistsError, "not a protected picture"),
    ),
    "another file of the same size": (
        lambda path: _resume_over(
            path, LARGE[:-1] + b"!", encrypt_bytes(LARGE, KEY), decrypt_file, KEY
        ),
        *(OutputExistsError, "its bytes differ"),
    ),
    "a picture of another shape": (
        lambda path: _resume_over(
            path,
            encrypt_bytes(encoded(noise(9, 8, 3), "PNG"), KEY, as_file=False),
            *(PNG, lambda *given, **more: encrypt_file(*given, as_file=False, **more), KEY),
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
        *(FormatError, "not those that the header describes"),
    ),
    "a context in a file": (
        lambda _: scramble(noise(6, 8, 1), KEY, context="x").save(io.BytesIO(), format="PNG"),
        *(UnsupportedError, "scrambled under a context"),
    ),
    "recipients of another picture": (
        lambda _: _picture_key_of_another_header(),
        *(DecryptionError, "wrong identity"),
    ),
    "floats without a header": (
        lambda _: unscramble_bytes(encoded(noise(9, 8, 1).astype("float32"), "TIFF"), KEY),
        *(FormatError, "not a protected picture"),
    ),
    "a scheme of pixels for a file": (
        lambda _: encrypt_bytes(PNG, KEY, as_file=True, scheme="encrypt-v9"),
        *(SudokucryptError, "encrypt-v9"),
    ),
    "the name of a file as its bytes": (
        lambda _: encrypt_bytes("photo.png", KEY),  # type: ignore[arg-type]
        *(InvalidParameterError, "this is the name of a file"),
    ),
    "a path as bytes": (
        lambda path: encrypt_bytes(path, KEY),  # type: ignore[arg-type]
        *(InvalidParameterError, "this is the name of a file"),
    ),
    "an array as a file": (
        lambda _: encrypt_bytes(noise(4, 4, 1), KEY),  # type: ignore[arg-type]
        *(InvalidParameterError, "this is ndarray"),
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
            *(InvalidImageError, f"mode {mode} is more than its samples"),
        )
        for mode in ("P", "CMYK")
    },
    "the text of a header": (
        lambda _: decrypt(noise(4, 4, 1), KEY, header="{}"),  # type: ignore[arg-type]
        *(InvalidParameterError, "a header is the one in a result"),
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refusals(tmp_path: Path, name: str) -> None:
    """Each call raises its error, and leaves the folder as it was."""
    call, error, message = REFUSALS[name]
    path = tmp_path / "out.png"
    with pytest.raises(error, match=message):
        call(path)
    assert [each.name for each in tmp_path.iterdir()] in ([], ["out.png"])


@pytest.mark.parametrize(
    ("where", "value", "as_file", "message"),
    [
        ("carriers.file.MOST_BYTES", 99, True, "split it into several"),
        ("contents.images.FILE_LIMIT", 99, False, "more than the 99 that are read"),
        ("operations.CARRIERS", [], None, "nothing here can protect"),
    ],
)
def test_limits(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    where: str,
    value: object,
    as_file: bool | None,
    message: str,
) -> None:
    """What is too large, or of no kind, is refused before anything is written."""
    (tmp_path / "in.png").write_bytes(PNG)
    monkeypatch.setattr(f"sudokucrypt.recipes.{where}", value)
    with pytest.raises(InvalidImageError) as raised:
        encrypt_file(tmp_path / "in.png", tmp_path / "out.png", KEY, as_file=as_file)
    assert message in f"{raised.value} {raised.value.hint}"
    assert not (tmp_path / "out.png").exists()


def test_pictures_of_two_kinds_do_not_show_the_same() -> None:
    """Coefficients are never compared with samples."""
    png, jpeg = (open_medium(data, "x", None) for data in (PNG, JPEG))
    assert png.shows(png)
    assert jpeg.shows(jpeg)
    assert not png.shows(jpeg)
    assert not jpeg.shows(png)


def test_a_cover_that_is_read_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that would not show the covers exactly is not written."""
    monkeypatch.setattr(type(open_medium(PNG, "x", None)), "shows", lambda *_: False)
    with pytest.raises(UnsupportedError, match="would not come back exactly"):
        redacted(PNG, [Layer(KEY, AREA)])


def test_areas_of_several_layers_for_good(tmp_path: Path) -> None:
    """Masks and rectangles are joined; the same result is kept, since nothing of it is random."""
    layers = [Layer(None, mask=np.eye(40, 30) > 0), Layer(None, [(0, 20, 5, 5)])]
    redact_file(io.BytesIO(PNG), tmp_path / "out.png", layers)
    hidden = decode_picture((tmp_path / "out.png").read_bytes()).pixels
    assert not hidden[np.eye(40, 30) > 0].any()
    assert not hidden[:5, 20:25].any()
    assert redact_file(io.BytesIO(PNG), tmp_path / "out.png", layers, resume=True).kept


def test_ragged_covers_are_hashed_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether runs are taken one by one or copied, the digest of what is visible is the same."""
    hidden = noise(40, 30, 1) > 99
    media = [open_medium(data, "x", None) for data in (PNG, JPEG)]
    before = [medium.digest(hidden) for medium in media]
    monkeypatch.setattr("sudokucrypt.recipes.carriers.redaction.medium._MANY_RUNS", 1)
    assert before == [medium.digest(hidden) for medium in media]
    assert lifted(redacted(PNG, [Layer(KEY, mask=hidden)]), KEY) == PNG
