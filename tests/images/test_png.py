"""PNG: every mode is read exactly, and unsupported files are refused."""

import gc
import io
import sys
import tracemalloc
import zlib
from pathlib import Path
from typing import Any

import imagecodecs
import numpy as np
import pytest
from PIL import Image

from sudokucrypt.errors import FormatError, InvalidImageError, SudokucryptError
from sudokucrypt.images import (
    Picture,
    decode_picture,
    encode_picture,
    read_picture,
    stored_header,
)
from sudokucrypt.images.driver import STORED_HEADER_LIMIT
from sudokucrypt.images.files import picture_parts
from sudokucrypt.images.png import samples, scanlines
from sudokucrypt.images.png._kernels import filters_plain
from sudokucrypt.kernels import load_kernels
from tests.images import builders as b
from tests.images.builders import make_png_lines as line_bytes

_HEADER_CHUNK_START = b"sudokucrypt\0\0\0\0\0"


@pytest.mark.parametrize("dtype", b.DTYPES)
@pytest.mark.parametrize("channels", b.CHANNELS)
def test_written_files_are_read_by_other_libraries(channels: int, dtype: str) -> None:
    """imagecodecs reads our files exactly, and Pillow finds the header."""
    pixels = b.noise(5, 3, channels, dtype)
    data = b.encode_array(pixels, "PNG", header=b.HEADER)
    assert np.array_equal(imagecodecs.png_decode(data), pixels)
    with Image.open(io.BytesIO(data)) as image:
        assert image.info["sudokucrypt"] == b.HEADER.decode()


def test_failing_does_not_leak_references() -> None:
    """Failing to decode many files does not change the number of references to None."""
    damaged_files = [
        b.build_png(2, 1, b"\0\0"),
        b.build_png(2, 1, b"\5\0\0"),
        b.build_png(2, 1, b"\1\0\0").replace(b"x\x9c", b"yy"),
    ]
    gc.collect()  # so that objects of other tests do not change the count later
    count_before = sys.getrefcount(None)
    for data in damaged_files * 100:
        with pytest.raises(InvalidImageError):
            decode_picture(data)
    assert sys.getrefcount(None) > count_before - 100


def test_changed_bytes_are_detected() -> None:
    """One changed byte anywhere raises our error or changes no sample."""
    pixels = b.noise(5, 3, 3)
    original = b.encode_array(pixels, "PNG", header=b.HEADER)
    for position in range(len(original)):
        for flipped_bit in (0x01, 0x20, 0xFF):
            data = bytearray(original)
            data[position] ^= flipped_bit
            with pytest.raises(SudokucryptError):
                decode_picture(bytes(data))


def test_dropped_chunks_are_named() -> None:
    """Data after the picture, and chunks that cannot be copied, are named once as dropped."""
    chunks = [
        b.make_png_chunk(b"prVT", b"x"),
        b.make_png_chunk(b"dSIG"),
        b.make_png_chunk(b"tRNS", bytes(99)),
    ]
    data = b.make_png(b.noise(5, 3, 3), chunks_after=chunks) + b"more"
    assert decode_picture(data).dropped == ("other data", "transparency", "data after the picture")


def test_header_position_does_not_matter() -> None:
    """The header is found before and after the samples."""
    chunk = b.make_png_chunk(b"iTXt", _HEADER_CHUNK_START + b.HEADER)
    for data in (
        b.make_png(b.noise(2, 2, 1), chunks_before=[chunk]),
        b.make_png(b.noise(2, 2, 1), chunks_after=[chunk]),
    ):
        picture = decode_picture(data)
        assert (picture.header, picture.dropped) == (b.HEADER, ())


def test_headers_of_any_length(tmp_path: Path) -> None:
    """A header up to the limit is read; of a longer one, no more is read, and it is refused."""
    path = tmp_path / "the picture"
    chunk = b.make_png_chunk(b"iTXt", _HEADER_CHUNK_START + b.HEADER + b" " * STORED_HEADER_LIMIT)
    path.write_bytes(b.make_png(b.noise(2, 2, 1), chunks_before=[chunk]))
    for find in (read_picture, stored_header):
        with pytest.raises(FormatError, match="longer than"):
            find(path)


def test_lines_of_over_a_million_pixels() -> None:
    """Lines of over a million pixels, which libpng refuses, are written and read."""
    pixels = b.noise(1, 1_000_003, 1)
    assert np.array_equal(decode_picture(b.encode_array(pixels, "PNG")).pixels, pixels)
    assert np.array_equal(decode_picture(b.encode_array(pixels, "PNG", compress=1)).pixels, pixels)
    assert np.array_equal(
        decode_picture(b.encode_array(pixels.T, "PNG", compress=1)).pixels, pixels.T
    )


@pytest.fixture
def shrink_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shrink bands and pieces to one line, so that any picture is handled like a huge one."""
    for module, name, value in (
        (scanlines, "_SLICE_BYTES", 7),
        (scanlines, "_BAND_BYTES", 1),
        (samples, "_MAX_BLOCK_BYTES", 100),
        (samples, "_PIECE_BYTES", 1),
        (samples, "_TRIAL_BYTES", 60),
    ):
        monkeypatch.setattr(module, name, value)


@pytest.mark.kernels
@pytest.mark.usefixtures("shrink_limits")
@pytest.mark.parametrize("interlace", [0, 1])
@pytest.mark.parametrize(("color", "bits"), b.PNG_MODES[1::2])
def test_bands_give_equal_samples(color: int, bits: int, interlace: int) -> None:
    """For all filters, reading in bands and slices gives the same samples as in one piece."""
    pixels = b.make_png_noise(23, 18, color, bits)
    grays = np.repeat(np.arange(256, dtype=np.uint8), 3).tobytes()
    palette = [b.make_png_chunk(b"PLTE", grays)] if color == 3 else []
    expected = pixels * np.uint8(255 // (2**bits - 1)) if color == 0 and bits in (2, 4) else pixels
    for kinds in ((0,), (3,), (4, 3, 0, 1, 2, 3)):
        lines = b.make_png_stream(pixels, color, bits, interlace=interlace, kinds=kinds)
        data = b.build_png(
            18, 23, lines, bits=bits, color=color, interlace=interlace, chunks_before=palette
        )
        read_pixels = decode_picture(data).pixels
        assert np.array_equal(read_pixels[..., 0] if color == 3 else read_pixels, expected)


@pytest.mark.usefixtures("shrink_limits")
@pytest.mark.parametrize(
    ("color", "bits"),
    [mode for mode in b.PNG_MODES if mode[1] in (1, 8, 16) and mode[0] != 3],
)
def test_many_chunks_are_one_stream(color: int, bits: int) -> None:
    """Samples written in many IDAT chunks are one zlib stream, which other libraries read."""
    for header, compress in ((None, 0), (b.HEADER, 0), (None, 1), (b.HEADER, 9)):
        pixels = b.make_png_noise(23, 90, color, bits)
        data = encode_picture(Picture.plain(pixels, header=header), "PNG", compress=compress)
        assert data.count(b"IDAT") == 23
        assert np.array_equal(decode_picture(data).pixels, pixels)
        if bits >= 8:
            assert np.array_equal(imagecodecs.png_decode(data), pixels)


@pytest.mark.usefixtures("shrink_limits")
@pytest.mark.parametrize("compress", [0, 1])
def test_damaged_streams_are_refused(compress: int) -> None:
    """A zlib stream that is too short, too long or changed is refused in small steps too."""
    pixels = b.noise(9, 8, 1)
    original, idat = (
        b.make_png(pixels),
        b.make_png_chunk(b"IDAT", zlib.compress(line_bytes(pixels))),
    )
    stream = zlib.compress(line_bytes(pixels), compress)
    for damaged_stream in (
        *(stream[:length] for length in range(len(stream))),
        *(stream[:i] + bytes([stream[i] ^ 255]) + stream[i + 1 :] for i in range(len(stream))),
        zlib.compress(line_bytes(pixels)[:-1]),
        zlib.compress(line_bytes(pixels) + b"\0"),
        zlib.compress(line_bytes(pixels) + bytes(10**6)),
    ):
        data = original.replace(idat, b.make_png_chunk(b"IDAT", damaged_stream))
        with pytest.raises(InvalidImageError, match="damaged"):
            decode_picture(data)
    with_trailing_bytes = original.replace(idat, b.make_png_chunk(b"IDAT", stream + b"behind"))
    assert np.array_equal(decode_picture(with_trailing_bytes).pixels, pixels)


@pytest.mark.parametrize("compress", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_memory_for_a_huge_picture(compress: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading and writing a picture of 16 million samples takes only a few MiB more than its
    samples.

    Writing a stored picture takes one thread, and pieces of constant size.
    """
    if compress:
        monkeypatch.setattr(samples, "_PIECE_BYTES", 2**16)
    options: dict[str, Any] = {"compress": 1} if compress else {"threads": 8}
    picture = Picture.plain(b.noise(4000, 4000, 1))
    data = encode_picture(picture, "PNG", compress=compress)
    tracemalloc.start()
    try:
        written_bytes = sum(len(part) for part in picture_parts(picture, "PNG", **options))
        _, writing = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        decoded_pixels = decode_picture(data).pixels
        _, reading = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert written_bytes == len(data)
    assert np.array_equal(decoded_pixels, picture.pixels)
    assert writing < (2 if compress else 12) * 2**20
    assert reading < decoded_pixels.nbytes + 4 * 2**20


@pytest.mark.parametrize("size", [1, 2, 3, 4, 6, 8])
def test_kernel_equals_fallback(size: int) -> None:
    """The compiled kernel and its fallback give the same lines."""
    kernel = load_kernels("sudokucrypt.images.png._kernels", "filters")
    rng = np.random.default_rng(size)
    for columns in (1, 2, 7):
        band = rng.integers(0, 256, (20, 1 + columns * size), dtype=np.uint8)
        band[:, 0] = np.arange(20) % 5
        line_above = rng.integers(0, 256, columns * size, dtype=np.uint8)
        lines = kernel.undo_filters(band, line_above, size)
        assert np.array_equal(lines, filters_plain.undo_filters(band, line_above, size))
