"""Broken JPEG files: a clear error or exact coefficients, soon, and nothing else."""

import struct
import time
import tracemalloc

import numpy as np
import pytest

from sudokucrypt.errors import InvalidImageError, SudokucryptError, UnsupportedError
from sudokucrypt.images.jpeg import Scan
from sudokucrypt.kernels import compiled
from tests.images.jpeg.corpus import saved, smooth
from tests.images.jpeg.made import made, read, same_coefficients, scan_segment

_PIXELS = smooth(90, 75)
_FILES = (
    saved(_PIXELS, quality=90),
    saved(_PIXELS, progressive=True, quality=90),
    saved(_PIXELS, restart_marker_blocks=2, subsampling=0),
    saved(smooth(50, 60, 4), progressive=True, restart_marker_rows=1),
)
_SOON = 5.0 if compiled() else 120.0  # seconds


def _check(data: bytes) -> bool:
    """Read what may be broken; tell whether it is a JPEG all the same."""
    try:
        file = read(data)
    except (InvalidImageError, UnsupportedError):
        return False
    if not file.same_file(data):
        # Coded in another way, so it holds the same all the same if it can be written at all.
        assert same_coefficients(file, read(file.optimised().to_bytes()))
    return True


@pytest.mark.parametrize("data", _FILES, ids=["sequential", "progressive", "restarts", "cmyk"])
def test_cut_files_are_refused(data: bytes) -> None:
    """A file that ends at any 97th byte, with or without an end put there, is an error."""
    for end in range(0, len(data), 97):
        assert not _check(data[:end])
        # Nothing tells that scans which only refine others are missing.
        whole = _check(data[:end] + b"\xff\xd9")
        assert not whole or data.count(b"\xff\xda", 0, end) > 1


@pytest.mark.parametrize("turns", [300, pytest.param(5000, marks=pytest.mark.slow)])
def test_flipped_bits_raise_errors_or_do_no_harm(turns: int) -> None:
    """One flipped bit anywhere: an error of ours, or what the file holds now; soon."""
    generator = np.random.default_rng(2)
    turns = turns if compiled() else 200
    fine = 0
    for index in range(turns):
        broken = bytearray(_FILES[index % len(_FILES)])
        broken[generator.integers(0, len(broken))] ^= 1 << generator.integers(0, 8)
        before = time.perf_counter()
        fine += _check(bytes(broken))
        assert time.perf_counter() - before < _SOON
    assert turns // 10 < fine < turns * 9 // 10


@pytest.mark.parametrize("length", [0, 1, 2, 3, 20])
def test_what_is_no_jpeg_is_refused(length: int) -> None:
    """Bytes that are no JPEG, or only begin like one, raise an error."""
    for data in (bytes(length), b"\xff" * length, b"\xff\xd8\xff"[:length], b"\xff\xd8\xff\xd9"):
        with pytest.raises(InvalidImageError):
            read(data)


def _moved(rows: int, columns: int) -> bytes:
    """A progressive file that claims a size, without scans."""
    file = made(8, 8, script=[((0,), 0, 0, 0, 0)])
    start = file.to_bytes()
    frame = start.index(b"\xff\xc2") + 5
    start = start[:frame] + struct.pack(">HH", rows, columns) + start[frame + 4 :]
    return start[: start.index(b"\xff\xda")]


def _scan(*step: int, coded: bytes) -> bytes:
    return scan_segment((0,), *step).to_bytes() + coded


def test_many_scans_of_few_bytes_are_refused() -> None:
    """A hundred scans of a large picture are an error, before any of them is decoded."""
    table = b"\xff\xc4\x00\x14\x10\x01" + bytes(15) + b"\xe0"
    scans = [_scan(at, at, 0, 0, coded=bytes(40)) for at in range(1, 64)]
    scans += [_scan(1, 63, 1, 0, coded=bytes(40))] * 37
    start = time.perf_counter()
    with pytest.raises(UnsupportedError, match="a JPEG of 100 scans"):
        read(_moved(8000, 8000) + table + b"".join(scans) + b"\xff\xd9", max_pixels=2**27)
    assert time.perf_counter() - start < _SOON


def test_as_many_scans_as_are_read_take_no_time() -> None:
    """Scans that refine nothing but zeros are done soon, even of a large picture."""
    side = 8 * 640
    blocks = (side // 8) ** 2
    runs, rest = divmod(blocks, 0x7FFF)
    ones = "0" + "1" * 14  # the code of the longest runs, and 16383 blocks more than 16384
    size = rest.bit_length() - 1
    counts = bytes([1, 1, *[0] * 14])
    table = b"\xff\xc4\x00\x15\x10" + counts + bytes([0xE0, size << 4])
    bits = ones * runs + "10" + f"{rest - (1 << size):0{size}b}"
    bits += "1" * (-len(bits) % 8)
    runs_of_zeros = int(bits, 2).to_bytes(len(bits) // 8, "big").replace(b"\xff", b"\xff\0")
    scans = [_scan(1, 63, 0, 13, coded=runs_of_zeros)]
    scans += [_scan(1, 63, low + 1, low, coded=runs_of_zeros) for low in range(12, -1, -1)]
    direct = b"\xff\xc4\x00\x14\x00" + bytes([1]) + bytes(15) + b"\0"
    dc = direct + _scan(0, 0, 0, 0, coded=bytes(blocks // 8))
    data = _moved(side, side) + dc + table + b"".join(scans) + b"\xff\xd9"
    start = time.perf_counter()
    file = read(data, max_pixels=2**27)
    assert time.perf_counter() - start < _SOON
    assert len(file.scans) == 15
    assert not file.coefficients[0].any()


def test_memory_keeps_to_the_pixels() -> None:
    """What a file may claim takes no memory before the bits for it are there."""
    data = saved(_PIXELS)
    frame = data.index(b"\xff\xc0") + 5
    lying = data[:frame] + struct.pack(">HH", 11000, 11000) + data[frame + 4 :]
    tracemalloc.start()
    try:
        with pytest.raises(InvalidImageError, match="ends in the middle"):
            read(lying, max_pixels=2**27)
        assert tracemalloc.get_traced_memory()[1] < 10**6
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "steps",
    [
        [(0, 0, 0, 0)] * 2,
        [(1, 63, 1, 0), (0, 0, 0, 0)],
        [(0, 0, 0, 2), (0, 0, 1, 0)],
        [(0, 5, 0, 0)],
        [(5, 1, 0, 0)],
        [(0, 0, 0, 14)],
        [(0, 0, 0, 0), (1, 64, 0, 0)],
        [(0, 0, 0, 0), (1, 9, 0, 0), (9, 63, 0, 0)],
        [(1, 63, 0, 0)],
    ],
)
def test_scripts_against_the_rules_are_refused(steps: list[tuple[int, int, int, int]]) -> None:
    """Scans that send what was sent, refine what was not, or bands that there are not."""
    table = b"\xff\xc4\x00\x26" + b"".join(bytes([kind, 1]) + bytes(16) for kind in (0, 16))
    scans = [_scan(*step, coded=b"\x7f") for step in steps]
    with pytest.raises(InvalidImageError, match="scan"):
        read(_moved(8, 8) + table + b"".join(scans) + b"\xff\xd9")


def test_damage_around_scans_is_named() -> None:
    """Missing tables, two frames, lost components and lost restart markers are told apart."""
    data = _FILES[2]
    file = read(data)
    segments = [part for part in file.parts if not isinstance(part, Scan)]
    tables = [part.to_bytes() for part in segments if part.marker == 0xC4]
    steps = [part.to_bytes() for part in segments if part.marker == 0xDB]
    frame = next(part.to_bytes() for part in segments if part.marker == 0xC0)
    scan = data[data.index(b"\xff\xda") :]
    restart = data.index(b"\xff\xd1")
    for broken, reason in (
        (data.replace(tables[0], b""), "a Huffman table that is not there"),
        (data.replace(steps[1], b""), "a quantisation table that is not there"),
        (data.replace(frame, frame * 2), "two frames"),
        (data.replace(frame, b""), "before the frame"),
        (data.replace(scan, b"\xff\xd9"), "lacks a scan"),
        (data[:restart] + data[restart + 2 :], "lacks restart markers"),
        (data[:restart] + b"\xff\xd2" + data[restart + 2 :], "restart markers .* out of order"),
        (data[:-2] + bytes(100) + data[-2:], "behind the last block"),
        (data[:restart] + b"\xff\xd1" + data[restart:], "out of order"),
        (data[: restart - 9] + data[restart:], "break off or do not decode"),
        (data[: restart - 9] + b"\xff\x01" + data[restart - 9 :], "no segment"),
        (data[: restart - 9] + b"\xff\xff\x00" + data[restart - 9 :], "stray marker"),
        (data.replace(steps[0], steps[0][:-1] + b"\0"), "invalid quantisation table"),
    ):
        with pytest.raises(SudokucryptError, match=reason):
            read(broken)


@pytest.mark.parametrize(
    "body",
    [
        b"\0",
        b"\x10\0",
        bytes(64),
        b"\x20" + bytes([1] * 128),
        b"\4" + bytes([1] * 64),
        bytes([0] + [1] * 64) * 8,
    ],
)
def test_invalid_quantisation_tables_are_refused(body: bytes) -> None:
    """Tables that are cut short, hold a zero, or have an unknown number or width."""
    table = b"\xff\xdb" + struct.pack(">H", 2 + len(body)) + body
    with pytest.raises(InvalidImageError, match="invalid quantisation table"):
        read(_FILES[0][:2] + table + _FILES[0][2:])


def test_wide_quantisation_tables_are_read() -> None:
    """A table may have steps of 16 bits."""
    file = made(8, 8)
    table = b"\xff\xdb\x00\x83\x10" + np.arange(1, 65).astype(">u2").tobytes()
    data = file.to_bytes().replace(b"\xff\xc1", table + b"\xff\xc1")
    assert read(data).quantisers[0].tolist() == list(range(1, 65))
    assert read(data).same_file(data)


def test_an_invalid_restart_interval_is_refused() -> None:
    """A restart interval has two bytes."""
    for body in (b"\xff\xdd\x00\x03\x01", b"\xff\xdd\x00\x05\0\0\0"):
        with pytest.raises(InvalidImageError, match="invalid restart interval"):
            read(_FILES[0][:2] + body + _FILES[0][2:])
