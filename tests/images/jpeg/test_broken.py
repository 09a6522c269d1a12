"""Damaged JPEG files quickly raise our errors, or give exact coefficients."""

import struct
import time
import tracemalloc

import numpy as np
import pytest

from sudokucrypt.errors import InvalidImageError, UnsupportedError
from sudokucrypt.kernels import is_compiled
from tests.images.jpeg.corpus import make_smooth, save_image
from tests.images.jpeg.made import are_equal_coefficients, make_file, make_scan_segment, read

_PIXELS = make_smooth(90, 75)
_FILES = (
    save_image(_PIXELS, quality=90),
    save_image(_PIXELS, progressive=True, quality=90),
    save_image(_PIXELS, restart_marker_blocks=2, subsampling=0),
    save_image(make_smooth(50, 60, 4), progressive=True, restart_marker_rows=1),
)
_MOST_SECONDS = 5.0 if is_compiled() else 120.0  # seconds


def _is_read(data: bytes) -> bool:
    """Return whether data are read; if so, check that they can be written and read again."""
    try:
        file = read(data)
    except (InvalidImageError, UnsupportedError):
        return False
    if not file.is_same_file(data):
        # The file is coded unusually, so only its coefficients are compared after writing it again.
        assert are_equal_coefficients(file, read(file.optimize().to_bytes()))
    return True


@pytest.mark.parametrize("data", _FILES, ids=["sequential", "progressive", "restarts", "cmyk"])
def test_cut_files_are_refused(data: bytes) -> None:
    """A file that is cut at any 97th byte is refused, with and without an end marker."""
    for length in range(0, len(data), 97):
        assert not _is_read(data[:length])
        # A file that lacks only refining scans is valid.
        is_read = _is_read(data[:length] + b"\xff\xd9")
        assert not is_read or data.count(b"\xff\xda", 0, length) > 1


@pytest.mark.parametrize("turns", [300, pytest.param(5000, marks=pytest.mark.slow)])
def test_flipped_bits_raise_errors_or_do_no_harm(turns: int) -> None:
    """A file with one flipped bit raises our error or is read, within seconds."""
    generator = np.random.default_rng(2)
    turns = turns if is_compiled() else 200
    readable_count = 0
    for index in range(turns):
        changed_file = bytearray(_FILES[index % len(_FILES)])
        changed_file[generator.integers(0, len(changed_file))] ^= 1 << generator.integers(0, 8)
        start_time = time.perf_counter()
        readable_count += _is_read(bytes(changed_file))
        assert time.perf_counter() - start_time < _MOST_SECONDS
    assert turns // 10 < readable_count < turns * 9 // 10


@pytest.mark.parametrize("length", [0, 1, 2, 3, 20])
def test_random_bytes_are_refused(length: int) -> None:
    """Random bytes, also after the start of a JPEG, are refused."""
    for data in (bytes(length), b"\xff" * length, b"\xff\xd8\xff"[:length], b"\xff\xd8\xff\xd9"):
        with pytest.raises(InvalidImageError):
            read(data)


def _build_head(rows: int, columns: int) -> bytes:
    """Return a progressive file of a claimed size without scans."""
    file = make_file(8, 8, script=[((0,), 0, 0, 0, 0)])
    file_start = file.to_bytes()
    frame = file_start.index(b"\xff\xc2") + 5
    file_start = file_start[:frame] + struct.pack(">HH", rows, columns) + file_start[frame + 4 :]
    return file_start[: file_start.index(b"\xff\xda")]


def _make_scan(*step: int, coded: bytes) -> bytes:
    return make_scan_segment((0,), *step).to_bytes() + coded


def test_many_scans_of_few_bytes_are_refused() -> None:
    """A large picture of a hundred short scans is refused before any of them is decoded."""
    table = b"\xff\xc4\x00\x14\x10\x01" + bytes(15) + b"\xe0"
    scans = [_make_scan(at, at, 0, 0, coded=bytes(40)) for at in range(1, 64)]
    scans += [_make_scan(1, 63, 1, 0, coded=bytes(40))] * 37
    start_time = time.perf_counter()
    with pytest.raises(UnsupportedError, match="a JPEG of 100 scans"):
        read(_build_head(8000, 8000) + table + b"".join(scans) + b"\xff\xd9", max_pixels=2**27)
    assert time.perf_counter() - start_time < _MOST_SECONDS


def test_scans_of_zeros_are_fast() -> None:
    """Scans that refine only zeros of a large picture are decoded within seconds."""
    side = 8 * 640
    blocks = (side // 8) ** 2
    run_count, single_blocks = divmod(blocks, 0x7FFF)
    ones = "0" + "1" * 14  # the code of the longest runs, then 14 bits for 16383 more blocks
    size = single_blocks.bit_length() - 1
    counts = bytes([1, 1, *[0] * 14])
    table = b"\xff\xc4\x00\x15\x10" + counts + bytes([0xE0, size << 4])
    bits = ones * run_count + "10" + f"{single_blocks - (1 << size):0{size}b}"
    bits += "1" * (-len(bits) % 8)
    runs_of_zeros = int(bits, 2).to_bytes(len(bits) // 8, "big").replace(b"\xff", b"\xff\0")
    scans = [_make_scan(1, 63, 0, 13, coded=runs_of_zeros)]
    scans += [_make_scan(1, 63, low + 1, low, coded=runs_of_zeros) for low in range(12, -1, -1)]
    direct = b"\xff\xc4\x00\x14\x00" + bytes([1]) + bytes(15) + b"\0"
    dc_scans = direct + _make_scan(0, 0, 0, 0, coded=bytes(blocks // 8))
    data = _build_head(side, side) + dc_scans + table + b"".join(scans) + b"\xff\xd9"
    start_time = time.perf_counter()
    file = read(data, max_pixels=2**27)
    assert time.perf_counter() - start_time < _MOST_SECONDS
    assert len(file.scans) == 15
    assert not file.coefficients[0].any()


def test_claims_take_no_memory() -> None:
    """A file that claims more blocks than it has bits for is refused without reserving memory."""
    data = save_image(_PIXELS)
    frame = data.index(b"\xff\xc0") + 5
    lying_file = data[:frame] + struct.pack(">HH", 11000, 11000) + data[frame + 4 :]
    tracemalloc.start()
    try:
        with pytest.raises(InvalidImageError, match="ends in the middle"):
            read(lying_file, max_pixels=2**27)
        assert tracemalloc.get_traced_memory()[1] < 10**6
    finally:
        tracemalloc.stop()


def test_wide_quantization_tables_are_read() -> None:
    """A quantization table of 16-bit values is read."""
    file = make_file(8, 8)
    table = b"\xff\xdb\x00\x83\x10" + np.arange(1, 65).astype(">u2").tobytes()
    data = file.to_bytes().replace(b"\xff\xc1", table + b"\xff\xc1")
    assert read(data).quantizers[0].tolist() == list(range(1, 65))
    assert read(data).is_same_file(data)
