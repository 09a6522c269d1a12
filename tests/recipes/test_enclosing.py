"""Files of any kind are encrypted as files, with name, time and preview, and restored exactly."""

import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock, patch

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
from sudokucrypt.recipes.carriers.file import _make_preview
from tests.images.builders import encode_array, noise, save_image
from tests.recipes.memory import inspect_picture, run_on_bytes

KEY, OTHER_KEY = Key(bytes(range(32))), Key(bytes(32))


def read_sealed_file(data: bytes, key: Key = KEY) -> EmbeddedFile:
    """Return the sealed name, size and time of the file in an encrypted picture."""
    file = inspect_picture(io.BytesIO(data), key)[1].file
    assert file is not None
    return file


def make_photo(rows: int, columns: int) -> bytes:
    """Return a smooth JPEG with a little noise, like one of a camera."""
    slopes = np.add.outer(np.arange(rows) * 90 / rows, np.arange(columns) * 90 / columns)
    pixels = np.dstack([slopes, slopes[::-1], slopes[:, ::-1]]) + noise(rows, columns, 3) / 16
    return save_image(pixels.astype(np.uint8), "JPEG", quality=88)


@given(st.binary(max_size=3000))
@example(b"")
@example(b"\0")
@example(b"\0" * 999)
def test_any_bytes_are_restored(data: bytes) -> None:
    """The bytes of any file are encrypted to a PNG, and decrypted to the same bytes."""
    result = encrypt_bytes(data, KEY, as_file=True, name="x.bin")
    assert decode_picture(result).format == "PNG"
    assert decrypt_bytes(result, KEY) == data
    assert (read_sealed_file(result).name, read_sealed_file(result).size) == ("x.bin", len(data))
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
def test_files_are_restored_exactly_by_default(data: bytes, tmp_path: Path) -> None:
    """With default options, pictures, damaged pictures and other files are restored exactly."""
    source, result = tmp_path / "in.dat", tmp_path / "out.png"
    source.write_bytes(data)
    report = encrypt_file(source, result, KEY)
    assert (report.file is not None, report.pixels_because) == (True, None)
    assert decrypt_bytes(result.read_bytes(), KEY) == data


def test_a_protected_picture_is_encrypted_again_only_as_a_file() -> None:
    """Encrypting an encrypted picture is refused by default, and allowed with `as_file=True`."""
    encrypted = encrypt_bytes(b"content", KEY)
    with pytest.raises(UnsupportedError, match="protected already") as error_info:
        encrypt_bytes(encrypted, KEY)
    assert str(error_info.value.hint).startswith("change its key, or restore it first")
    assert decrypt_bytes(encrypt_bytes(encrypted, KEY, as_file=True), KEY) == encrypted


# Pictures with contents that their pixels do not keep: other colors, several sizes.
MORE_THAN_PIXELS: dict[str, Callable[[], bytes]] = {
    "YCbCr.tiff": lambda: save_image(noise(9, 8, 3), "TIFF", "YCbCr"),
    "Lab.tiff": lambda: save_image(noise(9, 8, 3), "TIFF", "LAB"),
    "sizes.ico": lambda: save_image(noise(32, 32, 3), "ICO", sizes=[(16, 16), (32, 32)]),
}


@pytest.mark.parametrize("name", MORE_THAN_PIXELS)
def test_pictures_that_are_more_than_pixels(name: str) -> None:
    """Such a picture is refused with `as_file=False`, and restored exactly as a file."""
    data = MORE_THAN_PIXELS[name]()
    with pytest.raises(UnsupportedError) as error_info:
        encrypt_bytes(data, KEY, as_file=False)
    assert "encrypt" in str(error_info.value.hint)
    assert decrypt_bytes(encrypt_bytes(data, KEY), KEY) == data


def test_options_that_need_pixels(tmp_path: Path) -> None:
    """Stripping metadata encrypts pixels by default, and is refused with `as_file=True`."""
    source = tmp_path / "in.jpg"
    source.write_bytes(save_image(noise(9, 8, 3), "JPEG"))
    report = encrypt_file(source, tmp_path / "pixels.png", KEY, metadata="strip")
    assert report.file is None
    with pytest.raises(InvalidParameterError, match="encrypted as a whole"):
        encrypt_file(source, tmp_path / "file.png", KEY, as_file=True, metadata="strip")
    assert not (tmp_path / "file.png").exists()


def test_name_time_and_permissions_are_restored(tmp_path: Path) -> None:
    """A decrypted file has its original name and time, and permissions of the encrypted one.

    With `resume`, an equal file is kept, and another one is an error.
    """
    source = tmp_path / "Übung 1.jpg"
    source.write_bytes(data := save_image(noise(9, 8, 3), "JPEG"))
    source.chmod(0o600)
    os.utime(source, ns=(1, 1_234_567_890_123_456_789))
    report = encrypt_file(source, None, KEY)
    assert report.target == tmp_path / "Übung 1.jpg.encrypted.png"
    assert report.target.stat().st_mode & 0o777 == 0o600
    assert report.target.stat().st_mtime_ns == source.stat().st_mtime_ns
    assert b"bung" not in report.target.read_bytes()
    moved_path = tmp_path / "elsewhere" / "mail.png"
    moved_path.parent.mkdir()
    moved_path.write_bytes(report.target.read_bytes())  # a copy with another name and time
    restored = decrypt_file(moved_path, None, KEY)
    assert restored.target == moved_path.parent / "Übung 1.jpg"
    assert restored.target.read_bytes() == data
    assert restored.target.stat().st_mtime_ns == 1_234_567_890_123_456_789
    assert restored.file == EmbeddedFile(
        name="Übung 1.jpg", size=len(data), type="image/jpeg", time=1_234_567_890_123_456_789
    )
    with pytest.raises(OutputExistsError):
        decrypt_file(moved_path, None, KEY)
    assert decrypt_file(moved_path, None, KEY, resume=True).kept
    restored.target.write_bytes(b"mine")
    with pytest.raises(OutputExistsError, match="its bytes differ"):
        decrypt_file(moved_path, None, KEY, resume=True)


@pytest.mark.parametrize("time", [2**63 - 1, 2**63])
def test_a_time_that_does_not_fit_is_left_out(tmp_path: Path, time: int) -> None:
    """Of a file from after the year 2262, the time is not sealed."""
    source = tmp_path / "later.txt"
    source.write_bytes(b"text")
    os.utime(source, ns=(0, time))
    if source.stat().st_mtime_ns != time:
        pytest.skip("this file system has no such time")
    encrypt_file(source, tmp_path / "out.png", KEY)
    report = decrypt_file(tmp_path / "out.png", tmp_path / "back.txt", KEY)
    assert report.file is not None
    assert report.file.time == (time if time < 2**63 else None)


@pytest.mark.parametrize(
    ("name", "sealed"),
    [
        ("a:b\\c.jpg", "a_b_c.jpg"),
        ("new\nline", "new_line"),
        ("..", "_"),
        ("\udcff.jpg", "_.jpg"),
        ("ä" * 200, "ä" * 127),
        (".hidden", ".hidden"),
    ],
)
def test_names_that_cannot_be_sealed(name: str, sealed: str) -> None:
    """Characters that a sealed name may not have are replaced, and long names are shortened."""
    assert kept_name(name) == sealed
    assert read_sealed_file(encrypt_bytes(b"", KEY, name=name)).name == sealed


def test_a_target_of_the_caller_is_used(tmp_path: Path) -> None:
    """If the caller names the output, the sealed name is ignored, and `replace` replaces it."""
    source, target = tmp_path / "in.png", tmp_path / "chosen.txt"
    source.write_bytes(encrypt_bytes(b"other", KEY, name=".bashrc"))
    target.write_bytes(b"old")
    assert decrypt_file(source, target, KEY, replace=True).target == target
    assert target.read_bytes() == b"other"


def test_a_sealed_name_on_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sealed name with `?` is restored unchanged on Linux, and with `_` on Windows."""
    source = tmp_path / "in.png"
    source.write_bytes(encrypt_bytes(b"data", KEY, name="a?.txt"))
    assert decrypt_file(source, None, KEY).target == tmp_path / "a?.txt"
    monkeypatch.setattr("sudokucrypt.storage.IS_WINDOWS", True)
    report = decrypt_file(source, None, KEY)
    assert (report.target, report.renamed) == (tmp_path / "a_.txt", "a?.txt")
    assert decrypt_file(source, None, KEY, resume=True).kept
    assert decrypt_file(source, tmp_path / "chosen", KEY).renamed is None


def test_previews() -> None:
    """A large photograph gets a small preview by default, other pictures only with `preview=True`.

    The preview is at most 320 pixels wide or high, and makes the result at most 1 % larger.
    """

    def read_preview(result: bytes) -> bytes | None:
        return inspect_picture(io.BytesIO(result), KEY)[1].preview

    data = make_photo(1100, 1000)
    result = encrypt_bytes(data, KEY)
    preview = read_preview(result)
    assert preview is not None
    assert preview not in result
    with Image.open(io.BytesIO(preview)) as image:
        assert image.format == "WEBP"
        assert max(image.size) <= 320
        assert abs(image.size[0] / image.size[1] - 10 / 11) < 0.02
    assert len(result) <= max(len(data) * 1.01, len(data) + 3500)
    assert read_preview(encrypt_bytes(data, KEY, preview=False)) is None
    assert read_preview(encrypt_bytes(make_photo(1000, 1000), KEY)) is not None
    small_photo = make_photo(60, 50)
    assert read_preview(encrypt_bytes(small_photo, KEY)) is None
    for picture in (small_photo, encode_array(noise(30, 40, 3), "PNG")):
        assert read_preview(encrypt_bytes(picture, KEY, preview=True)) is not None
    assert read_preview(encrypt_bytes(b"text", KEY, preview=True)) is None
    # Previews may differ with the version of Pillow.
    assert read_preview(encrypt_bytes(data, KEY, deterministic=True)) is None
    assert read_preview(encrypt_bytes(data, KEY, deterministic=True, preview=True)) is not None


def test_a_preview_uses_the_percent_that_it_may() -> None:
    """The longest preview that a large file may get makes its result almost 1 % larger."""

    def make_longest(_: object, max_bytes: int) -> bytes:
        return b"RIFF0000WEBP".ljust(max_bytes, b"x")

    data = make_photo(1100, 1000).ljust(10_000_000, b"x")
    with patch("sudokucrypt.recipes.carriers.file.images.make_preview", make_longest):
        result = encrypt_bytes(data, KEY)
    assert 1.0095 < len(result) / len(data) <= 1.01


def test_only_files_that_fit_into_memory_are_read_for_a_preview() -> None:
    """A picture of more than 64 MiB gets no preview by default."""
    for size, calls in ((1 << 26, 1), ((1 << 26) + 1, 0)):
        decode_reduced = Mock(side_effect=UnsupportedError("no picture"))
        source = Mock(size=size, decode_reduced=decode_reduced, load=lambda: make_photo(1000, 1000))
        assert _make_preview(source, is_requested=False, max_pixels=None) == (None, ())
        assert decode_reduced.call_count == calls


def test_a_file_in_a_tiff(tmp_path: Path) -> None:
    """The suffix .tif makes the result a TIFF, from which the file is restored."""
    source, target = tmp_path / "in.txt", tmp_path / "out.tif"
    source.write_bytes(b"some text" * 100)
    encrypt_file(source, target, KEY)
    with Image.open(target) as image:
        assert image.format == "TIFF"
    decrypt_file(target, tmp_path / "back", KEY)
    assert (tmp_path / "back").read_bytes() == source.read_bytes()


def test_a_caption_is_removed_only_from_encrypted_pictures() -> None:
    """Rows in black and white above the samples are a caption of an encrypted picture alone."""
    for protect, restore in ((encrypt_bytes, decrypt_bytes), (scramble_bytes, unscramble_bytes)):
        options: dict[str, Any] = {"as_file": False} if protect is encrypt_bytes else {}
        protected = protect(
            encode_array(noise(20, 30, 1), "PNG"), KEY, header_rows=False, **options
        )
        picture = decode_picture(protected)
        captioned = np.vstack([np.full((9, 30), 255, np.uint8), picture.pixels])
        data = encode_array(captioned, "PNG", header=picture.header)
        if protect is encrypt_bytes:
            assert np.array_equal(decode_picture(restore(data, KEY)).pixels, noise(20, 30, 1))
        else:
            with pytest.raises(DecryptionError, match="resized, cropped or turned"):
                restore(data, KEY)


def test_resuming_encrypted_files(tmp_path: Path) -> None:
    """With `resume`, a result of the same file is kept, even if its preview differs.

    A result of pixels, of another name or of a changed file is an error.
    """
    source, target = tmp_path / "in.jpg", tmp_path / "out.png"
    source.write_bytes(make_photo(1100, 1000))
    encrypt_file(source, target, KEY)
    old_content = target.read_bytes()
    for preview in (None, True, False):
        assert encrypt_file(source, target, KEY, preview=preview, resume=True).kept
    assert target.read_bytes() == old_content
    with patch("sudokucrypt.recipes.carriers.file.images.make_preview", side_effect=AssertionError):
        assert encrypt_file(source, target, KEY, resume=True).kept  # makes no preview to compare
    for options in ({"as_file": False}, {"name": "other.jpg"}):
        with pytest.raises(OutputExistsError, match="is not what this run would write"):
            encrypt_file(source, target, KEY, resume=True, **options)
    source.write_bytes(source.read_bytes() + b"more")
    with pytest.raises(OutputExistsError):
        encrypt_file(source, target, KEY, resume=True)


def test_rekeying_encrypted_files(tmp_path: Path) -> None:
    """A rekeyed file keeps contents, name, time and preview, and its old key does not open it."""
    source, first, second = (tmp_path / name for name in ("in.jpg", "first.png", "second.png"))
    source.write_bytes(make_photo(1100, 1000))
    encrypt_file(source, first, KEY)
    rekey_file(first, second, KEY, OTHER_KEY)
    assert inspect_picture(second, OTHER_KEY)[1].file == inspect_picture(first, KEY)[1].file
    assert inspect_picture(second, OTHER_KEY)[1].preview == inspect_picture(first, KEY)[1].preview
    assert decrypt_bytes(second.read_bytes(), OTHER_KEY) == source.read_bytes()
    with pytest.raises(DecryptionError):
        decrypt_bytes(second.read_bytes(), KEY)


def test_pictures_in_memory() -> None:
    """`unscramble_bytes` restores the pixels of `scramble_bytes`; bytes take a passphrase too."""
    data = encode_array(noise(7, 5, 3), "PNG")
    plain = decode_picture(data).pixels
    scrambled = scramble_bytes(data, KEY, format="TIFF")
    assert decode_picture(scrambled).format == "TIFF"
    assert np.array_equal(decode_picture(unscramble_bytes(scrambled, KEY)).pixels, plain)
    secret = Passphrase("correct horse battery staple")
    assert decrypt_bytes(encrypt_bytes(b"x", secret), secret) == b"x"
    assert {"encrypt_bytes", "decrypt_bytes", "scramble_bytes", "unscramble_bytes"} <= set(
        dir(sudokucrypt)
    )


def test_the_default_limit_of_pixels_grows_with_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """By default a picture may have a pixel for each byte of its file, however large it is."""
    monkeypatch.setattr("sudokucrypt.images.MAX_PIXELS", 1000)
    data = os.urandom(5000)
    result = encrypt_bytes(data, KEY)
    assert decrypt_bytes(result, KEY) == data
    with pytest.raises(InvalidImageError, match="more than the 1000"):
        decrypt_bytes(result, KEY, max_pixels=1000)


@given(st.integers(min_value=0, max_value=2**36))
def test_padding_adds_at_most_12_percent(size: int) -> None:
    """A padded size is at most 12 % larger than the size, and padding it again adds nothing."""
    padded = padded_size(size)
    assert size <= padded <= size * 1.12
    assert padded_size(padded) == padded


@pytest.mark.parametrize("size", [0, 1, 9, 1000, 100_003])
def test_a_padded_file_is_restored(size: int) -> None:
    """Files of two sizes with one padded size give pictures of one shape.

    They are restored without the padding, which rekeying keeps.
    """
    data = (bytes(range(256)) * (size // 256 + 1))[:size]
    result = encrypt_bytes(data, KEY, pad=True)
    assert read_sealed_file(result).padded == padded_size(size)
    assert decrypt_bytes(result, KEY) == data
    longer = encrypt_bytes(data + b"x" * (padded_size(size) - size), KEY, pad=True)
    assert decode_picture(longer).pixels.shape == decode_picture(result).pixels.shape
    rekeyed = run_on_bytes(rekey_file, result, KEY, OTHER_KEY)
    assert read_sealed_file(rekeyed, OTHER_KEY).padded == padded_size(size)


def test_pixels_are_not_padded() -> None:
    """`pad=True` is refused for pixels."""
    with pytest.raises(InvalidParameterError, match="can be padded"):
        encrypt_bytes(encode_array(noise(9, 8, 3), "PNG"), KEY, as_file=False, pad=True)
