"""Layouts and passes: every size has a layout, every pass does what its formula says."""

from __future__ import annotations

from math import isqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudokucrypt import (
    InvalidParameterError,
    Key,
    Numbering,
    ParametricGrid,
    Representation,
    StreamDraws,
    bijection,
    permutation,
)
from sudokucrypt.bijections import RasterLayout, UnitPermutation
from sudokucrypt.bijections import passes as room
from sudokucrypt.workers import Workers

COUNTS = st.integers(1, 3000) | st.integers(1, 60).map(lambda side: side * side)


WORKERS = Workers(2)


def source(seed: int = 0) -> StreamDraws:
    return StreamDraws(Key(bytes(32)).stream("test", seed.to_bytes(4, "big")))


@given(st.integers(36, 10**8))
def test_every_size_has_a_layout(count: int) -> None:
    """The order is the largest usable one, its windows cover and overlap, the tail is short."""
    layout = RasterLayout.of(count)
    p, q = layout.box
    n = layout.order
    assert n == p * q
    assert p <= q <= 2 * p
    assert layout.rows * n + layout.tail == count
    assert 0 <= layout.tail < n <= layout.rows < 2 * n
    usable = (
        {a * b for a in range(2, isqrt(count) + 1) for b in range(a, min(2 * a, count) + 1)}
        if (count < 10**5)
        else set()
    )
    assert not any(n < m <= isqrt(count) for m in usable)


def test_too_few_units_have_none() -> None:
    """Below 36 units there is no layout."""
    with pytest.raises(InvalidParameterError):
        RasterLayout.of(35)


@pytest.mark.parametrize("box", [(2, 3), (3, 3), (3, 4), (10, 15)])
def test_passes_are_sudoku_bijections(box: tuple[int, int]) -> None:
    """On a square, the passes are row-digit, digit-column and block-digit of Wu et al."""
    grid = ParametricGrid.random(box, source())
    n = grid.order
    for made, name in (
        (room.RowPass(grid, n), Representation.ROW_DIGIT),
        (room.ColumnPass(grid, 0), Representation.DIGIT_COLUMN),
        (room.BlockPass(grid, 0), Representation.BLOCK_DIGIT),
    ):
        units = np.arange(n * n)
        made.apply(units, units, WORKERS)
        expected = np.empty_like(units)
        forward = bijection(
            grid.to_grid(), name, Representation.ROW_COLUMN, numbering=Numbering.ROW_MAJOR
        )
        expected[forward] = np.arange(n * n)
        assert np.array_equal(units, expected)


@given(st.integers(36, 5000), st.integers(0, 2**32 - 1))
def test_every_pass_moves_within_its_window(count: int, seed: int) -> None:
    """Passes touch only their rows, tail swaps only tail and partners, and all can be undone."""
    layout = RasterLayout.of(count)
    n = layout.order
    drawn = source(seed)
    grid = ParametricGrid.random(layout.box, drawn)
    top = layout.windows[-1]
    partners = drawn.below_each(np.full(layout.tail, layout.rows))
    touched: dict[room.Pass, tuple[int, int]] = {
        room.RowPass(grid, layout.rows): (0, layout.rows * n),
        room.ColumnPass(grid, top): (top * n, (top + n) * n),
        room.BlockPass(grid, top): (top * n, (top + n) * n),
        room.TailSwap(partners, n): (0, count),
    }
    for step, (start, stop) in touched.items():
        units = np.arange(count)
        step.apply(units, units, WORKERS)
        assert np.array_equal(np.sort(units), np.arange(count))
        outside = np.r_[units[:start], units[stop:]]
        assert np.array_equal(outside, np.r_[0:start, stop:count])
        step.invert(units, units, WORKERS)
        assert np.array_equal(units, np.arange(count))


@given(COUNTS, st.integers(1, 4), st.sampled_from(["u1", "u2", "u4", "u8", "V3", "V6", "V48"]))
def test_invert_undoes_apply(count: int, rounds: int, dtype: str) -> None:
    """invert(apply(units)) is the units, for any count, rounds and size of a unit."""
    steps = UnitPermutation(count, rounds, source(count))
    size = np.dtype(dtype).itemsize
    data = np.random.default_rng(count).integers(0, 256, count * size, dtype=np.uint8)
    units = data.view(dtype).copy()
    steps.apply(units, units, WORKERS)
    steps.invert(units, units, WORKERS)
    assert units.tobytes() == data.tobytes()


@given(COUNTS, st.binary(max_size=20))
def test_permutation_is_a_map(count: int, nonce: bytes) -> None:
    """permutation() reaches every place once, depends on nothing but its arguments."""
    key = Key(bytes(range(32)))
    perm = permutation(count, key, nonce=nonce)
    assert perm.dtype == np.int64
    assert np.array_equal(np.sort(perm), np.arange(count))
    assert np.array_equal(perm, permutation(count, key, nonce=nonce))
    if count > 60:
        assert not np.array_equal(perm, permutation(count, key, nonce=nonce + b"\0"))
        assert not np.array_equal(perm, permutation(count, Key(bytes(32)), nonce=nonce))


@pytest.mark.parametrize(
    ("count", "nonce", "rounds"),
    [(0, b"", None), (-1, b"", None), (1.5, b"", None), (True, b"", None), (9, "text", None)]
    + [(100, b"", rounds) for rounds in (0, 256, True, 2.0, "2")],
)
def test_bad_arguments_are_refused(count: int, nonce: bytes, rounds: int | None) -> None:
    """Counts, rounds and nonces outside their range are refused."""
    with pytest.raises(InvalidParameterError):
        permutation(count, Key(bytes(32)), nonce=nonce, rounds=rounds)


def test_numpy_integers_are_integers() -> None:
    """Counts and rounds may come from NumPy."""
    key = Key(bytes(32))
    perm = permutation(np.int64(50), key, nonce=b"", rounds=np.int32(2))  # type: ignore[arg-type]
    assert np.array_equal(perm, permutation(50, key, nonce=b"", rounds=2))
