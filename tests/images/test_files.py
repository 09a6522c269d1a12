"""Reading and writing files: content decides the format, samples are exact, nothing blocks."""

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
    build_gif,
    build_png,
    encode_array,
    noise,
    read_by_pillow,
    save_image,
)

WRITABLE_FORMATS = images.writable_formats()
"""Every writer stands in the laws below."""


def test_compressed_bomb() -> None:
    """A PNG whose samples inflate to far more than its size claims is refused."""
    with pytest.raises(InvalidImageError, match="more samples"):
        images.decode_picture(build_png(1, 1, b"\0" * 10_000_000))
    with pytest.raises(InvalidImageError, match="fewer samples"):
        images.decode_picture(build_png(8192, 8192, b"\0"))


@pytest.mark.parametrize("data", [b"", b"x", b"hello, world", b"\0" * 100, b"%PDF-1.7", b"RIFF"])
def test_foreign_files(data: bytes, tmp_path: Path) -> None:
    """A file that is no picture raises an error with its name."""
    path = tmp_path / "a file"
    path.write_bytes(data)
    with pytest.raises(
        InvalidImageError, match=r"'.*a file' is (empty|not a picture)"
    ) as error_info:
        images.read_picture(path)
    assert "PNG" in str(error_info.value.hint)


def test_missing_files_and_folders(tmp_path: Path) -> None:
    """A missing file or a folder raises an error of one line."""
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
    """Reading a named pipe without a writer raises an error at once."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InvalidImageError, match="regular file"):
        images.read_picture(tmp_path / "pipe")


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser reads everything"
)
def test_unreadable_files(tmp_path: Path) -> None:
    """Reading a file without permission raises an error of one line."""
    path = tmp_path / "secret.png"
    path.write_bytes(save_image(noise(9, 11, 3), "PNG"))
    path.chmod(0)
    with pytest.raises(InvalidImageError, match="permission"):
        images.read_picture(path)


def test_huge_files(tmp_path: Path) -> None:
    """A sparse file of more than 4 GiB raises an error."""
    path = tmp_path / "huge.png"
    with path.open("wb") as file:
        file.truncate(4 * 2**30 + 1)
    with pytest.raises(InvalidImageError, match="4294967296"):
        images.read_picture(path)


_TOO_LONG = HEADER + b"x" * (32 * 2**20 + 1 - len(HEADER))


@pytest.mark.parametrize("file_format", WRITABLE_FORMATS)
def test_any_memory_layout(file_format: str) -> None:
    """An array with any strides and byte order gives the same file."""
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
@pytest.mark.parametrize("file_format", WRITABLE_FORMATS)
def test_writing_does_not_change_the_array(file_format: str, dtype: str) -> None:
    """Writing a read-only array works, and changes no sample."""
    pixels = noise(6, 8, 3, "uint8" if dtype == "uint8" else "uint16").astype(dtype)
    pixels.flags.writeable = False
    bytes_before = pixels.tobytes()
    encode_array(pixels, file_format)
    assert pixels.tobytes() == bytes_before


@pytest.mark.parametrize("file_format", WRITABLE_FORMATS)
def test_files_are_reproducible(file_format: str) -> None:
    """Writing a picture twice gives the same bytes."""
    pixels = noise(5, 3, 3)
    first_file, second_file = (encode_array(pixels, file_format, header=HEADER) for _ in range(2))
    assert first_file == second_file


@pytest.mark.parametrize(
    ("pixels", "message"),
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
def test_refuses_arrays_that_are_no_pictures(pixels: np.ndarray, message: str) -> None:
    """An array of an unsupported type or shape raises an error that names it."""
    with pytest.raises(InvalidImageError, match=message):
        encode_array(pixels, "PNG")
    for file_format in WRITABLE_FORMATS:
        with pytest.raises(InvalidImageError, match=message):
            images.encode_picture(
                images.Picture(pixels=pixels, mode="gray", format="TIFF"), file_format
            )


@pytest.mark.parametrize("file_format", ["JPEG", "png", "BMP", "WebP", "GIF", ""])
def test_refuses_other_formats(file_format: str) -> None:
    """Writing in a lossy or unknown format raises UnsupportedError."""
    with pytest.raises(UnsupportedError) as error_info:
        encode_array(noise(2, 2, 1), file_format)
    assert str(error_info.value.hint) == "use PNG, TIFF"


@pytest.mark.parametrize("header", [b"", b"{}", HEADER + b"\0", HEADER + b"\xff", _TOO_LONG])
def test_refuses_invalid_headers(header: bytes) -> None:
    """A header that any format could not return is refused by every format."""
    for file_format in WRITABLE_FORMATS:
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
    """The last suffix in any case decides the format of an output file."""
    assert images.output_format(Path(name)) == expected


@pytest.mark.parametrize("suffix", [".jpg", ".JPEG", ".jpe", ".jp2", ".avif", ".jxl", ".heic"])
def test_lossy_suffixes(suffix: str) -> None:
    """The suffix of a lossy format raises an error that names the loss."""
    with pytest.raises(UnsupportedError, match="lossy") as error_info:
        images.output_format(Path("a" + suffix))
    assert ".png" in str(error_info.value.hint)


@pytest.mark.parametrize("name", ["a", "a.", ".png", "a.bmp", "a.ppm", "a.txt", "a.webp", "a.gif"])
def test_unknown_suffixes(name: str) -> None:
    """An unknown suffix raises an error that lists the supported suffixes."""
    with pytest.raises(UnsupportedError) as error_info:
        images.output_format(Path(name))
    assert str(error_info.value.hint).endswith(".png, .apng, .tiff, .tif")


_NARROW_SHAPES = ((1, 7), (7, 1), (1, 1))


@pytest.mark.parametrize("name", ["closed", "closed.png", "closed.txt"])
def test_unreadable_files_may_be_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A file that cannot be opened counts as a possible picture, and is not skipped."""
    (tmp_path / name).write_bytes(b"no picture")
    assert images.may_be_picture(tmp_path / name) == name.endswith(".png")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert images.may_be_picture(tmp_path / name)


@pytest.mark.parametrize("file_format", WRITABLE_FORMATS)
def test_too_little_memory(monkeypatch: pytest.MonkeyPatch, file_format: str) -> None:
    """If memory for samples is lacking, the error says so and names the file."""
    data = encode_array(noise(9, 8, 1), file_format)

    def run_out_of_memory(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(
        Source, "shape", run_out_of_memory
    )  # called before memory is reserved for samples
    with pytest.raises(InvalidImageError, match="not enough memory to decode 'some file'"):
        images.decode_picture(data, "some file")


@pytest.mark.parametrize(
    "data",
    [
        build_png(9999, 9999, bytes(9)),
        build_gif(b"," + bytes(4) + b"\x0f\x27\x0f\x27\0\2\1\0\0", columns=9999, rows=9999),
    ],
    ids=["PNG", "GIF"],
)
def test_a_short_stream_takes_no_memory(data: bytes) -> None:
    """A file too short for its claimed samples is refused before memory is reserved for them."""
    tracemalloc.start()
    try:
        with pytest.raises(
            InvalidImageError, match="it contains fewer samples than its size requires"
        ):
            images.decode_picture(data)
        _, peak_memory = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak_memory < 2**21


@pytest.mark.parametrize(
    ("shape", "file_format"),
    [
        *(((rows, columns), kind) for kind in WRITABLE_FORMATS for rows, columns in _NARROW_SHAPES),
        *(((*sides, 3), kind) for kind in WRITABLE_FORMATS for sides in _NARROW_SHAPES),
    ],
)
def test_a_side_of_one_pixel_may_have_any_stride(shape: tuple[int, ...], file_format: str) -> None:
    """An array with unusual strides along a side of one pixel gives the same file as its copy."""
    plain = np.arange(np.prod(shape), dtype=np.uint8).reshape(shape)
    strides = [9999 if side == 1 else step for side, step in zip(shape, plain.strides, strict=True)]
    odd_strides = np.lib.stride_tricks.as_strided(plain.copy(), shape, strides)
    assert encode_array(odd_strides, file_format) == encode_array(plain.copy(), file_format)


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
def test_default_format_loses_least(metadata: dict[str, Any], expected: str) -> None:
    """The default format is PNG, except for metadata that only TIFF can store or Pillow reads."""
    picture = replace(images.Picture.plain(noise(3, 4, 1)), format="TIFF")
    picture = replace(picture, metadata=images.Metadata(**metadata))
    assert images.default_format(picture) == expected
    decoded_picture = images.decode_picture(images.encode_picture(picture, expected))
    lost = images.lost_metadata(picture, expected)
    assert decoded_picture.metadata == (images.Metadata() if lost else picture.metadata)
    assert np.array_equal(read_by_pillow(images.encode_picture(picture, expected)), picture.pixels)


def test_long_profiles() -> None:
    """A color profile too long for Pillow makes TIFF the default, unless it was in a PNG."""
    plain = images.Picture.plain(noise(3, 4, 1))
    for source_format, target_format in (("PNG", "PNG"), ("JPEG", "TIFF"), ("WebP", "TIFF")):
        picture = replace(plain, format=source_format, metadata=images.Metadata(icc=_PROFILE))
        assert images.default_format(picture) == target_format


@pytest.mark.parametrize("call", [images.read_file, images.stored_header, open_content])
def test_a_file_replaced_by_a_pipe_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Callable[[Path], object]
) -> None:
    """If a pipe replaces a file after its status was read, an error is raised without waiting."""
    path = tmp_path / "a.bin"
    path.write_bytes(b"x")
    original_stat = Path.stat

    def replace_after_stat(self: Path, **options: bool) -> os.stat_result:
        status = original_stat(self, **options)
        if stat.S_ISREG(status.st_mode):
            path.unlink()
            os.mkfifo(path)
        return status

    with monkeypatch.context() as patch:
        patch.setattr(Path, "stat", replace_after_stat)
        with pytest.raises(InvalidImageError, match="is not a regular file"):
            call(path)
