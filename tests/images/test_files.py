"""Files: content decides, every sample comes back, and nothing hangs or is half there."""

import os
import stat
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sudokucrypt import images
from sudokucrypt.errors import FormatError, InvalidImageError, UnsupportedError
from sudokucrypt.images.driver import Source
from sudokucrypt.recipes.sources import open_content
from tests.images.builders import (
    HEADER,
    encode_array,
    gif,
    noise,
    open_picture,
    png,
    save_image,
)

WRITTEN = images.writable_formats()
"""Every writer stands in the laws below."""


def test_compressed_bomb() -> None:
    """Samples that deflate a thousand times do not get more memory than the header claims."""
    with pytest.raises(InvalidImageError, match="more samples"):
        images.decode_picture(png(1, 1, b"\0" * 10_000_000))
    with pytest.raises(InvalidImageError, match="fewer samples"):
        images.decode_picture(png(8192, 8192, b"\0"))


@pytest.mark.parametrize("data", [b"", b"x", b"hello, world", b"\0" * 100, b"%PDF-1.7", b"RIFF"])
def test_foreign_files(data: bytes, tmp_path: Path) -> None:
    """What is not a picture is said to be none, by name."""
    path = tmp_path / "a file"
    path.write_bytes(data)
    with pytest.raises(InvalidImageError, match=r"'.*a file' is (empty|not a picture)") as raised:
        images.read_picture(path)
    assert "PNG" in str(raised.value.hint)


def test_missing_files_and_folders(tmp_path: Path) -> None:
    """Paths that lead to no file raise one clear line."""
    with pytest.raises(InvalidImageError, match="no such file"):
        images.read_picture(tmp_path / "missing.png")
    with pytest.raises(InvalidImageError, match="folder"):
        images.read_picture(tmp_path)
    with pytest.raises(InvalidImageError, match="name of a file"):
        images.read_picture(tmp_path / "a\0b")
    with pytest.raises(InvalidImageError, match="cannot read"):
        images.read_picture(tmp_path / ("x" * 5000))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_pipes_do_not_hang(tmp_path: Path) -> None:
    """A named pipe that nobody writes to is refused at once."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InvalidImageError, match="regular file"):
        images.read_picture(tmp_path / "pipe")


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser reads everything"
)
def test_unreadable_files(tmp_path: Path) -> None:
    """A file without permission raises one clear line."""
    path = tmp_path / "secret.png"
    path.write_bytes(save_image(noise(9, 11, 3), "PNG"))
    path.chmod(0)
    with pytest.raises(InvalidImageError, match="permission"):
        images.read_picture(path)


def test_huge_files(tmp_path: Path) -> None:
    """More than 4 GiB are not read; the file here is a hole."""
    path = tmp_path / "huge.png"
    with path.open("wb") as file:
        file.truncate(4 * 2**30 + 1)
    with pytest.raises(InvalidImageError, match="4294967296"):
        images.read_picture(path)


_TOO_LONG = HEADER + b"x" * (32 * 2**20 + 1 - len(HEADER))


@pytest.mark.parametrize("file_format", WRITTEN)
def test_any_memory_layout(file_format: str) -> None:
    """Strides and byte order of the array make no difference to the file."""
    pixels = noise(6, 8, 3, "uint16")
    expected = encode_array(np.ascontiguousarray(pixels[::2, ::-1]), file_format)
    for array in (
        pixels[::2, ::-1],
        np.broadcast_to(pixels, (2, *pixels.shape))[1, ::2, ::-1],
        np.asfortranarray(pixels[::2, ::-1]),
        pixels[::2, ::-1].astype(">u2"),
        pixels[::2, ::-1].astype("<u2"),
    ):
        assert encode_array(array, file_format) == expected
    for thin in (pixels[::6], pixels[:, ::8], pixels[::6, ::8, 0], pixels[::6, ::8, ::2]):
        assert np.array_equal(images.decode_picture(encode_array(thin, file_format)).pixels, thin)


@pytest.mark.parametrize("dtype", ["uint8", "<u2", ">u2"])
@pytest.mark.parametrize("file_format", WRITTEN)
def test_the_array_is_left_alone(file_format: str, dtype: str) -> None:
    """Writing changes no sample of the array, and needs no permission to."""
    pixels = noise(6, 8, 3, "uint8" if dtype == "uint8" else "uint16").astype(dtype)
    pixels.flags.writeable = False
    before = pixels.tobytes()
    encode_array(pixels, file_format)
    assert pixels.tobytes() == before


@pytest.mark.parametrize("file_format", WRITTEN)
def test_the_same_bytes_each_time(file_format: str) -> None:
    """No time stamp or other chance gets into a file."""
    pixels = noise(5, 3, 3)
    first, second = (encode_array(pixels, file_format, header=HEADER) for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    ("pixels", "reason"),
    [
        (np.zeros((2, 2), complex), "complex128"),
        (np.array([["a"]]), "U1"),
        ([[1, 2]], "list"),
        (np.zeros(5, np.uint8), r"\(5,\)"),
        (np.zeros((2, 2, 1), np.uint8), r"\(2, 2, 1\)"),
        (np.zeros((2, 2, 5), np.uint8), r"\(2, 2, 5\)"),
        (np.zeros((2, 2, 3, 1), np.uint8), r"\(2, 2, 3, 1\)"),
        (np.zeros((0, 2), np.uint8), "no pixels"),
    ],
)
def test_refuses_arrays_that_are_no_pictures(pixels: np.ndarray, reason: str) -> None:
    """The message names the dtype or shape that does not fit."""
    with pytest.raises(InvalidImageError, match=reason):
        encode_array(pixels, "PNG")
    for file_format in WRITTEN:
        with pytest.raises(InvalidImageError, match=reason):
            images.encode_picture(
                images.Picture(pixels=pixels, mode="gray", format="TIFF"), file_format
            )


@pytest.mark.parametrize("file_format", ["JPEG", "png", "BMP", "WebP", "GIF", ""])
def test_refuses_other_formats(file_format: str) -> None:
    """Only what keeps every sample is written."""
    with pytest.raises(UnsupportedError) as raised:
        encode_array(noise(2, 2, 1), file_format)
    assert str(raised.value.hint) == "use PNG, TIFF"


@pytest.mark.parametrize("header", [b"", b"{}", HEADER + b"\0", HEADER + b"\xff", _TOO_LONG])
def test_refuses_headers_that_would_not_come_back(header: bytes) -> None:
    """What one format could not give back, no format takes."""
    for file_format in WRITTEN:
        with pytest.raises(FormatError):
            encode_array(noise(2, 2, 3), file_format, header=header)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.png", "PNG"),
        ("a.PNG", "PNG"),
        ("a.b/c.tif", "TIFF"),
        ("a.jpg.tiff", "TIFF"),
    ],
)
def test_output_format(name: str, expected: str) -> None:
    """The last suffix decides, in any case."""
    assert images.output_format(Path(name)) == expected


@pytest.mark.parametrize("suffix", [".jpg", ".JPEG", ".jpe", ".jp2", ".avif", ".jxl", ".heic"])
def test_lossy_suffixes(suffix: str) -> None:
    """Lossy formats are refused with the reason."""
    with pytest.raises(UnsupportedError, match="lossy") as raised:
        images.output_format(Path("a" + suffix))
    assert ".png" in str(raised.value.hint)


@pytest.mark.parametrize("name", ["a", "a.", ".png", "a.bmp", "a.ppm", "a.txt", "a.webp", "a.gif"])
def test_unknown_suffixes(name: str) -> None:
    """Any other name is refused, and the suffixes that work are named."""
    with pytest.raises(UnsupportedError) as raised:
        images.output_format(Path(name))
    assert str(raised.value.hint).endswith(".png, .apng, .tiff, .tif")


_NARROW = ((1, 7), (7, 1), (1, 1))


@pytest.mark.parametrize("name", ["closed", "closed.png", "closed.txt"])
def test_what_cannot_be_opened_may_be_a_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """In a folder it is not passed over in silence, so that nobody thinks it was protected."""
    (tmp_path / name).write_bytes(b"no picture")
    assert images.may_be_picture(tmp_path / name) == name.endswith(".png")

    def refusing(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refusing)
    assert images.may_be_picture(tmp_path / name)


@pytest.mark.parametrize("file_format", WRITTEN)
def test_too_little_memory(monkeypatch: pytest.MonkeyPatch, file_format: str) -> None:
    """Where the memory does not suffice, that is what the error says, and of which file."""
    data = encode_array(noise(9, 8, 1), file_format)

    def exhausted(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(Source, "shape", exhausted)  # asked before samples take memory
    with pytest.raises(InvalidImageError, match="not enough memory to decode 'some file'"):
        images.decode_picture(data, "some file")


@pytest.mark.parametrize(
    "data",
    [
        png(9999, 9999, bytes(9)),
        gif(b"," + bytes(4) + b"\x0f\x27\x0f\x27\0\2\1\0\0", columns=9999, rows=9999),
    ],
    ids=["PNG", "GIF"],
)
def test_a_short_stream_takes_no_memory(data: bytes) -> None:
    """What cannot hold the samples that it promises is refused before there is room for them."""
    tracemalloc.start()
    try:
        with pytest.raises(InvalidImageError, match="fewer samples than it promises"):
            images.decode_picture(data)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 2**21


@pytest.mark.parametrize(
    ("shape", "file_format"),
    [
        *(((rows, columns), kind) for kind in WRITTEN for rows, columns in _NARROW),
        *(((*sides, 3), kind) for kind in WRITTEN for sides in _NARROW),
    ],
)
def test_a_side_of_one_pixel_may_have_any_stride(shape: tuple[int, ...], file_format: str) -> None:
    """What NumPy calls contiguous whatever its strides is written like its copy."""
    plain = np.arange(np.prod(shape), dtype=np.uint8).reshape(shape)
    strides = [9999 if side == 1 else step for side, step in zip(shape, plain.strides, strict=True)]
    odd = np.lib.stride_tricks.as_strided(plain.copy(), shape, strides)
    assert encode_array(odd, file_format) == encode_array(plain.copy(), file_format)


_PROFILE = bytes(2**20 + 1)


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ({}, "PNG"),
        ({"exif": b"II*\0\x08\0\0\0\0\0\0\0\0\0"}, "PNG"),
        ({"exif": b"Exif"}, "PNG"),
        ({"icc": _PROFILE[:-1]}, "PNG"),
        ({"icc": _PROFILE}, "TIFF"),
    ],
)
def test_the_format_that_loses_least(metadata: dict[str, Any], expected: str) -> None:
    """A picture is restored as a PNG unless only its own format holds all, or Pillow reads it."""
    picture = replace(images.Picture.plain(noise(3, 4, 1)), format="TIFF")
    picture = replace(picture, metadata=images.Metadata(**metadata))
    assert images.default_format(picture) == expected
    again = images.decode_picture(images.encode_picture(picture, expected))
    lost = images.lost_metadata(picture, expected)
    assert again.metadata == (images.Metadata() if lost else picture.metadata)
    assert np.array_equal(open_picture(images.encode_picture(picture, expected)), picture.pixels)


def test_long_profiles() -> None:
    """A profile that Pillow takes from no PNG makes a TIFF, unless it was in a PNG."""
    plain = images.Picture.plain(noise(3, 4, 1))
    for before, after in (("PNG", "PNG"), ("JPEG", "TIFF"), ("WebP", "TIFF")):
        picture = replace(plain, format=before, metadata=images.Metadata(icc=_PROFILE))
        assert images.default_format(picture) == after


@pytest.mark.parametrize("call", [images.read_file, images.stored_header, open_content])
def test_a_pipe_that_takes_the_place_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Callable[[Path], object]
) -> None:
    """Nobody waits for a pipe that is there after the first look at a file."""
    path = tmp_path / "a.bin"
    path.write_bytes(b"x")
    looked = Path.stat

    def look(self: Path, **options: bool) -> os.stat_result:
        status = looked(self, **options)
        if stat.S_ISREG(status.st_mode):
            path.unlink()
            os.mkfifo(path)
        return status

    with monkeypatch.context() as patch:
        patch.setattr(Path, "stat", look)
        with pytest.raises(InvalidImageError, match="is not a regular file"):
            call(path)
