"""Files that are encrypted as they are: which ones, what is sealed, and that they come back."""

import io
import os
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image

import sudokucrypt
from sudokucrypt import (
    InvalidParameterError,
    Key,
    Passphrase,
    decrypt_bytes,
    decrypt_file,
    encrypt_bytes,
    encrypt_file,
    rekey_file,
    scramble_bytes,
    unscramble_bytes,
)
from sudokucrypt.errors import (
    DecryptionError,
    InvalidImageError,
    OutputExistsError,
    UnsupportedError,
)
from sudokucrypt.images import EmbeddedFile, decode_picture, kept_name, padded_size
from tests.images.builders import encode_array, noise, save_image
from tests.recipes.memory import inspect_picture, run_on_bytes

KEY, OTHER = Key(bytes(range(32))), Key(bytes(32))


def read_enclosed(data: bytes, key: Key = KEY) -> EmbeddedFile:
    """What a result says of the file in it."""
    file = inspect_picture(io.BytesIO(data), key)[1].file
    assert file is not None
    return file


def make_photo(rows: int, columns: int) -> bytes:
    """A smooth JPEG with a little grain, as cameras make them."""
    slopes = np.add.outer(np.arange(rows) * 90 / rows, np.arange(columns) * 90 / columns)
    pixels = np.dstack([slopes, slopes[::-1], slopes[:, ::-1]]) + noise(rows, columns, 3) / 16
    return save_image(pixels.astype(np.uint8), "JPEG", quality=88)


@given(st.binary(max_size=3000))
@example(b"")
@example(b"\0")
@example(b"\0" * 999)
def test_any_bytes_come_back(data: bytes) -> None:
    """decrypt(encrypt(x)) == x for the bytes of any file, and the result is a picture."""
    result = encrypt_bytes(data, KEY, as_file=True, name="x.bin")
    assert decode_picture(result).format == "PNG"
    assert decrypt_bytes(result, KEY) == data
    assert (read_enclosed(result).name, read_enclosed(result).size) == ("x.bin", len(data))
    assert data[:64] not in result or len(data) < 16


@pytest.mark.parametrize(
    "data",
    [
        save_image(noise(9, 8, 3), "JPEG"),
        save_image(noise(9, 8, 3), "WEBP", lossless=True),
        encode_array(noise(9, 8, 3), "PNG"),
        encode_array(noise(9, 8, 3), "PNG")[:-40],
        encode_array(noise(9, 8, 3), "TIFF"),
        b"%PDF-1.7 ...",
        b"",
        b"FUJIFILMCCD-RAW 0201",
    ],
)
def test_the_very_file_comes_back(data: bytes, tmp_path: Path) -> None:
    """Without other wishes any file comes back as it was, a picture or not, damaged or not."""
    source, result = tmp_path / "in.dat", tmp_path / "out.png"
    source.write_bytes(data)
    report = encrypt_file(source, result, KEY)
    assert (report.file is not None, report.pixels_because) == (True, None)
    assert decrypt_bytes(result.read_bytes(), KEY) == data


def test_a_protected_picture_is_refused_unless_it_is_taken_as_a_file() -> None:
    """Nobody encrypts a result once more by mistake."""
    once = encrypt_bytes(b"content", KEY)
    with pytest.raises(UnsupportedError, match="protected already"):
        encrypt_bytes(once, KEY)
    assert decrypt_bytes(encrypt_bytes(once, KEY, as_file=True), KEY) == once


MORE_THAN_PIXELS: dict[str, Callable[[], bytes]] = {
    "YCbCr.tiff": lambda: save_image(noise(9, 8, 3), "TIFF", "YCbCr"),
    "Lab.tiff": lambda: save_image(noise(9, 8, 3), "TIFF", "LAB"),
    "sizes.ico": lambda: save_image(noise(32, 32, 3), "ICO", sizes=[(16, 16), (32, 32)]),
}


@pytest.mark.parametrize("named", MORE_THAN_PIXELS)
def test_pixels_refuse_what_they_do_not_keep(named: str) -> None:
    """Pixels are refused of a picture that is more: other colors, several sizes."""
    data = MORE_THAN_PIXELS[named]()
    with pytest.raises(UnsupportedError) as caught:
        encrypt_bytes(data, KEY, as_file=False)
    assert "encrypt" in str(caught.value.hint)
    assert decrypt_bytes(encrypt_bytes(data, KEY), KEY) == data


def test_options_that_need_pixels(tmp_path: Path) -> None:
    """Stripped metadata and other schemes need pixels, and refuse files."""
    source = tmp_path / "in.jpg"
    source.write_bytes(save_image(noise(9, 8, 3), "JPEG"))
    for index, options in enumerate([{"metadata": "strip"}]):
        target = tmp_path / f"{index}.png"
        report = encrypt_file(source, target, KEY, **options)  # type: ignore[arg-type]
        assert report.file is None
        with pytest.raises(InvalidParameterError, match="encrypted as a whole"):
            encrypt_file(source, tmp_path / "no.png", KEY, as_file=True, **options)  # type: ignore[arg-type]
    assert not (tmp_path / "no.png").exists()


def test_name_time_and_permissions_come_back(tmp_path: Path) -> None:
    """The file has its name and its time again, and nobody may read more than before."""
    source = tmp_path / "Übung 1.jpg"
    source.write_bytes(data := save_image(noise(9, 8, 3), "JPEG"))
    source.chmod(0o600)
    os.utime(source, ns=(1, 1_234_567_890_123_456_789))
    report = encrypt_file(source, None, KEY)
    assert report.target == tmp_path / "Übung 1.jpg.encrypted.png"
    assert report.target.stat().st_mode & 0o777 == 0o600
    assert report.target.stat().st_mtime_ns == source.stat().st_mtime_ns
    assert b"bung" not in report.target.read_bytes()
    moved = tmp_path / "elsewhere" / "mail.png"
    moved.parent.mkdir()
    moved.write_bytes(report.target.read_bytes())  # a copy with another name and time
    back = decrypt_file(moved, None, KEY)
    assert back.target == moved.parent / "Übung 1.jpg"
    assert back.target.read_bytes() == data
    assert back.target.stat().st_mtime_ns == 1_234_567_890_123_456_789
    assert back.file == EmbeddedFile(
        name="Übung 1.jpg", size=len(data), type="image/jpeg", time=1_234_567_890_123_456_789
    )
    with pytest.raises(OutputExistsError):
        decrypt_file(moved, None, KEY)
    assert decrypt_file(moved, None, KEY, resume=True).kept
    back.target.write_bytes(b"mine")
    with pytest.raises(OutputExistsError, match="its bytes differ"):
        decrypt_file(moved, None, KEY, resume=True)


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("a:b\\c.jpg", "a_b_c.jpg"),
        ("new\nline", "new_line"),
        ("..", "_"),
        ("\udcff.jpg", "_.jpg"),
        ("ä" * 200, "ä" * 127),
        (".hidden", ".hidden"),
    ],
)
def test_names_that_cannot_be_kept(name: str, kept: str) -> None:
    """A name is changed as little as the format asks for."""
    assert kept_name(name) == kept
    assert read_enclosed(encrypt_bytes(b"", KEY, name=name)).name == kept


def test_a_named_target_is_taken(tmp_path: Path) -> None:
    """Whoever names the output chooses what is replaced, whatever name is sealed."""
    source, target = tmp_path / "in.png", tmp_path / "seen.txt"
    source.write_bytes(encrypt_bytes(b"other", KEY, name=".bashrc"))
    target.write_bytes(b"old")
    assert decrypt_file(source, target, KEY, replace=True).target == target
    assert target.read_bytes() == b"other"


def test_a_sealed_name_on_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that means more on Windows is changed there, and only there."""
    source = tmp_path / "in.png"
    source.write_bytes(encrypt_bytes(b"data", KEY, name="a?.txt"))
    assert decrypt_file(source, None, KEY).target == tmp_path / "a?.txt"
    monkeypatch.setattr("sudokucrypt.storage.WINDOWS", True)
    back = decrypt_file(source, None, KEY)
    assert (back.target, back.renamed) == (tmp_path / "a_.txt", "a?.txt")
    assert decrypt_file(source, None, KEY, resume=True).kept


def test_previews() -> None:
    """Large photos get a small picture that keeps the result small; others only if asked."""
    data = make_photo(1100, 1000)
    result = encrypt_bytes(data, KEY)
    preview = inspect_picture(io.BytesIO(result), KEY)[1].preview
    assert preview is not None
    assert preview not in result
    with Image.open(io.BytesIO(preview)) as small:
        assert small.format == "WEBP"
        assert max(small.size) <= 320
        assert abs(small.size[0] / small.size[1] - 10 / 11) < 0.02
    assert len(result) <= max(len(data) * 1.01, len(data) + 3500)
    assert (
        inspect_picture(io.BytesIO(encrypt_bytes(data, KEY, preview=False)), KEY)[1].preview is None
    )
    small_photo = make_photo(60, 50)
    assert inspect_picture(io.BytesIO(encrypt_bytes(small_photo, KEY)), KEY)[1].preview is None
    for asked in (small_photo, encode_array(noise(30, 40, 3), "PNG")):
        record = inspect_picture(io.BytesIO(encrypt_bytes(asked, KEY, preview=True)), KEY)[1]
        assert record.preview is not None
    assert (
        inspect_picture(io.BytesIO(encrypt_bytes(b"text", KEY, preview=True)), KEY)[1].preview
        is None
    )


def test_resume_knows_files(tmp_path: Path) -> None:
    """A result that holds the file is kept, be its preview another one; pixels are no file."""
    source, target = tmp_path / "in.jpg", tmp_path / "out.png"
    source.write_bytes(make_photo(1100, 1000))
    encrypt_file(source, target, KEY)
    before = target.read_bytes()
    for preview in (None, True, False):
        assert encrypt_file(source, target, KEY, preview=preview, resume=True).kept
    assert target.read_bytes() == before
    with patch("sudokucrypt.recipes.carriers.file.images.make_preview", side_effect=AssertionError):
        assert encrypt_file(source, target, KEY, resume=True).kept  # without making another one
    for options in ({"as_file": False}, {"name": "other.jpg"}):
        with pytest.raises(OutputExistsError, match="is not what this run would write"):
            encrypt_file(source, target, KEY, resume=True, **options)
    source.write_bytes(source.read_bytes() + b"more")
    with pytest.raises(OutputExistsError):
        encrypt_file(source, target, KEY, resume=True)


def test_files_get_another_key(tmp_path: Path) -> None:
    """rekey keeps file, name, time and preview, and the old key opens nothing of it."""
    source, first, second = (tmp_path / name for name in ("in.jpg", "first.png", "second.png"))
    source.write_bytes(make_photo(1100, 1000))
    encrypt_file(source, first, KEY)
    rekey_file(first, second, KEY, OTHER)
    assert inspect_picture(second, OTHER)[1].file == inspect_picture(first, KEY)[1].file
    assert inspect_picture(second, OTHER)[1].preview == inspect_picture(first, KEY)[1].preview
    assert decrypt_bytes(second.read_bytes(), OTHER) == source.read_bytes()
    with pytest.raises(DecryptionError):
        decrypt_bytes(second.read_bytes(), KEY)


def test_pictures_in_memory() -> None:
    """scramble_bytes and its inverse give the same pixels; a passphrase works too."""
    data = encode_array(noise(7, 5, 3), "PNG")
    plain = decode_picture(data).pixels
    hidden = scramble_bytes(data, KEY, format="TIFF")
    assert decode_picture(hidden).format == "TIFF"
    assert np.array_equal(decode_picture(unscramble_bytes(hidden, KEY)).pixels, plain)
    secret = Passphrase("correct horse battery staple")
    assert decrypt_bytes(encrypt_bytes(b"x", secret), secret) == b"x"
    assert {"encrypt_bytes", "decrypt_bytes", "scramble_bytes", "unscramble_bytes"} <= set(
        dir(sudokucrypt)
    )


def test_a_large_file_is_a_large_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is read by default grows with the file, since a small one cannot claim much then."""
    monkeypatch.setattr("sudokucrypt.images.MAX_PIXELS", 1000)
    data = os.urandom(5000)
    result = encrypt_bytes(data, KEY)
    assert decrypt_bytes(result, KEY) == data
    with pytest.raises(InvalidImageError, match="more than the 1000"):
        decrypt_bytes(result, KEY, max_pixels=1000)


@given(st.integers(min_value=0, max_value=2**36))
def test_padding_adds_little_and_leaves_few_sizes(size: int) -> None:
    """A padded size is at most 12 % larger, and its last bits say nothing."""
    padded = padded_size(size)
    assert size <= padded <= size * 1.12
    assert padded_size(padded) == padded


@pytest.mark.parametrize("size", [0, 1, 9, 1000, 100_003])
def test_a_padded_file_comes_back(size: int) -> None:
    """Files of other sizes give pictures of one size, and come back without the zeros."""
    data = bytes(range(256)) * (size // 256 + 1)
    data = data[:size]
    result = encrypt_bytes(data, KEY, pad=True)
    assert read_enclosed(result).padded == padded_size(size)
    assert decrypt_bytes(result, KEY) == data
    more = data + b"x" * (padded_size(size) - size)
    assert (
        decode_picture(encrypt_bytes(more, KEY, pad=True)).pixels.shape
        == decode_picture(result).pixels.shape
    )
    assert read_enclosed(run_on_bytes(rekey_file, result, KEY, OTHER), OTHER).padded == padded_size(
        size
    )


def test_pixels_are_not_padded() -> None:
    """Padding is for files alone."""
    with pytest.raises(InvalidParameterError, match="can be padded"):
        encrypt_bytes(encode_array(noise(9, 8, 3), "PNG"), KEY, as_file=False, pad=True)
