"""PNG samples are one zlib stream, equal for any number of threads, and no larger than libpng's."""

import io
import struct
import threading
import zlib
from collections.abc import Callable
from pathlib import Path

import imagecodecs
import numpy as np
import pytest
from PIL import Image

from sudokucrypt import workers
from sudokucrypt.images import Picture, decode_picture
from sudokucrypt.images.files import picture_parts
from sudokucrypt.images.png import samples
from sudokucrypt.images.png.file import SIGNATURE
from sudokucrypt.storage import write_atomically
from sudokucrypt.typing import AnyArray, Buffer

_NOISE = np.random.default_rng(1)


def make_photo(rows: int = 90, columns: int = 120) -> AnyArray:
    """Return smooth slopes with grain."""
    slopes = np.add.outer(np.arange(rows) // 2, np.arange(columns))[..., np.newaxis]
    grain = np.random.default_rng(5).integers(0, 6, (rows, columns, 3))
    return (slopes * (1, 2, 3) // 4 % 250 + grain).astype(np.uint8)


def make_drawing(rows: int = 90, columns: int = 120) -> AnyArray:
    """Return a pattern that repeats."""
    tile = np.random.default_rng(6).integers(0, 256, (9, 10, 3), dtype=np.uint8)
    return np.tile(tile, (-(-rows // 9), -(-columns // 10), 1))[:rows, :columns]


@pytest.fixture
def shrink_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Split even small pictures into pieces, so that threads share them."""
    monkeypatch.setattr(samples, "_PIECE_BYTES", 1000)
    monkeypatch.setattr(samples, "_TRIAL_BYTES", 700)
    monkeypatch.setattr(workers, "_MIN_BYTES_PER_THREAD", 1)
    monkeypatch.setattr("sudokucrypt.images.png.file._MAX_COPIED_BYTES", 100)


def encode_picture_in_parts(pixels: AnyArray, compress: int, threads: int) -> bytes:
    return b"".join(picture_parts(Picture.plain(pixels), "PNG", compress=compress, threads=threads))


def list_idat_bodies(data: bytes) -> list[bytes]:
    """Return the bodies of the IDAT chunks, after checking the structure of the file."""
    assert data.startswith(SIGNATURE)
    position, result = len(SIGNATURE), []
    while position < len(data):
        length, kind = struct.unpack_from(">I4s", data, position)
        body = data[position + 8 : position + 8 + length]
        (checksum,) = struct.unpack_from(">I", data, position + 8 + length)
        assert checksum == zlib.crc32(kind + body)
        result.append((kind, body))
        position += 12 + length
    kinds = [kind for kind, _ in result]
    assert kinds == [b"IHDR", *[b"IDAT"] * (len(kinds) - 2), b"IEND"]
    return [body for _, body in result[1:-1]]


@pytest.mark.usefixtures("shrink_pieces")
@pytest.mark.parametrize("draw", [make_photo, make_drawing, lambda: make_photo()[..., 0] > 99])
@pytest.mark.parametrize("compress", [0, 1, 9])
def test_any_number_of_threads(draw: Callable[[], AnyArray], compress: int) -> None:
    """Any number of threads gives the same bytes, which other libraries read."""
    pixels = draw()
    data = encode_picture_in_parts(pixels, compress, 1)
    assert (
        data
        == encode_picture_in_parts(pixels, compress, 2)
        == encode_picture_in_parts(pixels, compress, 5)
    )
    bodies = list_idat_bodies(data)
    length = 1 + (pixels[0].size if pixels.dtype == np.uint8 else pixels.shape[1] // 8)
    assert len(bodies) == -(-len(pixels) // max(1, 1000 // length))
    engine = zlib.decompressobj()
    lines = engine.decompress(b"".join(bodies))
    assert (engine.eof, engine.unused_data, len(lines)) == (True, b"", len(pixels) * length)
    assert np.array_equal(decode_picture(data).pixels, pixels)
    with Image.open(io.BytesIO(data)) as image:
        assert np.array_equal(np.asarray(image), pixels)
    assert np.array_equal(imagecodecs.png_decode(data).astype(pixels.dtype), pixels)


@pytest.mark.parametrize("kind", samples.FILTERS)
@pytest.mark.parametrize("size", [1, 2, 3, 4, 6, 8])
def test_filters(kind: int, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Filtered lines equal the definition in the PNG specification, for blocks of any size."""
    lines = _NOISE.integers(0, 256, (9, 5 * size), dtype=np.uint8)
    lines[3:6] = lines[2:5, ::-1] // 64
    expected = np.zeros((9, 1 + 5 * size), dtype=np.uint8)
    for row in range(9):
        expected[row, 0] = kind
        for position in range(5 * size):
            left_value = int(lines[row, position - size]) if position >= size else 0
            value_above = int(lines[row - 1, position]) if row else 0
            corner = int(lines[row - 1, position - size]) if row and position >= size else 0
            middle = left_value + value_above - corner
            nearest = min((left_value, value_above, corner), key=lambda value: abs(middle - value))
            guess = (0, left_value, value_above, (left_value + value_above) // 2, nearest)[kind]
            expected[row, 1 + position] = (int(lines[row, position]) - guess) % 256
    for block in (1, 7, 2**16):
        monkeypatch.setattr(samples, "_FILTER_BLOCK_BYTES", block)
        top = samples.filter_lines(samples.pad_lines(lines[:4], size, is_first=True), size, kind)
        later_lines = samples.filter_lines(
            samples.pad_lines(lines[3:], size, is_first=False), size, kind
        )
        assert np.array_equal(np.concatenate([top, later_lines]), expected)


def test_checksums_of_parts() -> None:
    """Joining the Adler-32 checksums of parts in order gives the checksum of the whole."""
    data = _NOISE.integers(0, 256, 10**5, dtype=np.uint8).tobytes() + b"\xff" * 10**5
    for split_at in (0, 1, 99_999, 150_000, len(data)):
        first_checksum, second_checksum = map(zlib.adler32, (data[:split_at], data[split_at:]))
        joined = samples.join_checksums(first_checksum, second_checksum, len(data) - split_at)
        assert joined == zlib.adler32(data)


@pytest.mark.parametrize("draw", [make_photo, make_drawing])
def test_sizes(draw: Callable[[int, int], AnyArray]) -> None:
    """The file of a photograph or drawing is not larger than the file of libpng."""
    for rows in (700, 1700):
        pixels = draw(rows, 900)
        libpng_file = imagecodecs.png_encode(pixels, level=1)
        assert len(encode_picture_in_parts(pixels, 1, 2)) < 1.01 * len(libpng_file)


@pytest.mark.usefixtures("shrink_pieces")
@pytest.mark.parametrize("compress", [0, 1])
@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt])
def test_failing_threads(
    error: type[BaseException], compress: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error in a thread reaches the caller, and leaves neither files nor threads."""
    thread_count, name = (
        threading.active_count(),
        "_deflate_whole_bytes" if compress else "pack_row_samples",
    )
    pack_lines, calls = getattr(samples, name), []

    def fail(*arguments: object, **options: object) -> object:
        calls.append(name)
        if len(calls) == 9:
            raise error
        return pack_lines(*arguments, **options)

    monkeypatch.setattr(samples, name, fail)
    file_parts = picture_parts(Picture.plain(make_photo()), "PNG", compress=compress, threads=3)
    with pytest.raises(error):
        write_atomically({tmp_path / "a.png": file_parts}, replace=False)
    assert list(tmp_path.iterdir()) == []
    assert threading.active_count() == thread_count
    assert len(calls) < 40


@pytest.mark.usefixtures("shrink_pieces")
def test_closing_early_ends_threads() -> None:
    """Closing the iterator of parts early ends all threads."""
    thread_count = threading.active_count()
    file_parts = iter(picture_parts(Picture.plain(make_photo()), "PNG", compress=1, threads=3))
    first_parts: list[Buffer] = [next(file_parts) for _ in range(8)]
    assert threading.active_count() > thread_count
    file_parts.close()  # type: ignore[attr-defined]
    assert threading.active_count() == thread_count
    assert b"".join(first_parts).startswith(SIGNATURE)
