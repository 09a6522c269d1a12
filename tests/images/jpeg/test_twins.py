"""The kernel of the entropy coder and its fallback do the same."""

from collections.abc import Iterator
from itertools import islice
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from sudokucrypt.errors import InvalidImageError, SudokucryptError
from sudokucrypt.images.jpeg import JpegFile, coded
from sudokucrypt.images.jpeg._kernels import entropy_plain as plain
from tests.images.jpeg.corpus import corpus, saved, smooth
from tests.images.jpeg.made import PROGRESSION, joining, made, read, with_scan

kernels: ModuleType = pytest.importorskip(
    "sudokucrypt.images.jpeg._kernels.entropy", reason="built where a C compiler is there"
)


def _results(data: bytes) -> tuple[object, ...]:
    """All that comes out of a file, or what is wrong with it."""
    try:
        file = read(data)
    except SudokucryptError as error:
        return type(error), str(error)
    planes = tuple(plane.tobytes() for plane in file.coefficients)
    return planes, file.scans, _written(file), _written(file.optimised())


def _written(file: JpegFile) -> object:
    try:
        return file.to_bytes()
    except SudokucryptError as error:
        return str(error)


def _files() -> Iterator[bytes]:
    yield from [data for data in corpus().values() if len(data) < 4000][::7]
    for share in (0.0, 0.02, 0.4):
        yield made(50, 70, ((2, 2), (1, 1), (3, 1)), restart=3, share=share).to_bytes()
        yield made(90, 90, script=PROGRESSION, restart=40, share=share).to_bytes()
    file = read(saved(smooth(90, 90), progressive=True, quality=97, restart_marker_blocks=7))
    for index in range(len(file.scans)):
        breaks = joining(file, index, (3, 4, 5, 20))
        yield with_scan(file, index, breaks=breaks, padding=b"").to_bytes()


@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.slow)])
def test_both_do_the_same_with_files(every: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Coefficients, what is kept of scans, and both ways of writing are equal."""
    for data in islice(_files(), None, None, every):
        monkeypatch.setattr(coded, "_kernels", kernels)
        expected = _results(data)
        monkeypatch.setattr(coded, "_kernels", plain)
        assert _results(data) == expected
        assert isinstance(expected[0], tuple)


@pytest.mark.parametrize("rounds", [12, pytest.param(80, marks=pytest.mark.slow)])
def test_both_do_the_same_with_damage(rounds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Flipped bits lead to the same error, or to the same coefficients."""
    generator = np.random.default_rng(4)
    files = [
        saved(smooth(24, 24), progressive=True, quality=95),
        saved(smooth(24, 24), restart_marker_blocks=1),
        made(30, 30, script=PROGRESSION, share=0.1).to_bytes(),
    ]
    wrong = 0
    for _ in range(rounds):
        for data in files:
            broken = bytearray(data)
            start = data.index(b"\xff\xc4")
            broken[generator.integers(start, len(data))] ^= 1 << generator.integers(0, 8)
            monkeypatch.setattr(coded, "_kernels", kernels)
            expected = _results(bytes(broken))
            monkeypatch.setattr(coded, "_kernels", plain)
            assert _results(bytes(broken)) == expected
            wrong += expected[0] is InvalidImageError
    assert 0.2 < wrong / (3 * rounds) < 0.96


def test_padding_and_missing_codes() -> None:
    """Both put any padding behind an interval, and both find a symbol without a code."""
    plane = np.zeros((1, 3, 64), dtype=np.int16)
    plane[..., 0] = 1
    none, codes = np.zeros(0, dtype=np.int64), np.zeros(4096, dtype=np.uint32)
    # DC alone, in intervals of two blocks and of one: differences 1 and 0, and 1.
    blocks: list[Any] = [[plane], [(1, 1)], (1, 3), 2, (1, 0, 0, 0), [(0, 0)], 1, none]
    codes[:2] = 0b0 << 5 | 1, 0
    for padding in (b"\xff\xff", b"\xfa\xc5"):
        codes[1] = 0
        assert kernels.code(codes, padding, *blocks) is plain.code(codes, padding, *blocks) is None
        codes[1] = 0b110 << 5 | 3
        bits, ends = kernels.code(codes, padding, *blocks)
        both = plain.code(codes, padding, *blocks)
        assert both is not None
        assert (bits, ends.tolist()) == (both[0], both[1].tolist())
    assert bits == bytes([0b11010010, 0b11010101])
    assert np.array_equal(kernels.count(*blocks), plain.count(*blocks))


def test_the_kernel_refuses_blocks_that_there_are_not() -> None:
    """Scans beyond the planes raise an error, and touch no memory behind them."""
    plane = np.zeros((2, 3, 64), dtype=np.int16)
    none = np.zeros(0, dtype=np.int64)
    whole = [[plane], [(1, 1)], (2, 3), 6, (0, 0, 63, 0), [(0, 0)], 1, none]
    assert kernels.count(*whole).sum() == 13
    for at, value in (
        (2, (3, 3)),
        (2, (2, 4)),
        (1, [(1, 2)]),
        (4, (0, 0, 64, 0)),
        (0, [plane] * 5),
    ):
        with pytest.raises(IndexError):
            kernels.count(*[value if place == at else item for place, item in enumerate(whole)])
