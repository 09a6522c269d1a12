"""Layouts and passes: every size has a layout, every pass does what its formula says."""

from math import isqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudokucrypt import (
    InvalidKeyError,
    InvalidParameterError,
    Key,
    Numbering,
    ParametricGrid,
    PictureKey,
    Representation,
    StreamDraws,
    bijection,
    permutation,
)
from sudokucrypt.bijections import RasterLayout, UnitPermutation, chosen_rounds, keyed
from sudokucrypt.typing import Box, IntArray
from sudokucrypt.workers import Workers

pytestmark = pytest.mark.kernels

COUNTS = st.integers(1, 3000) | st.integers(1, 60).map(lambda side: side * side)


WORKERS = Workers(2)


def source(seed: int = 0) -> StreamDraws:
    return StreamDraws(Key(bytes(32)).stream("test", seed.to_bytes(4, "big")))


def moved(units: IntArray, name: str, grid: ParametricGrid) -> IntArray:
    """Move the units of a window by the Sudoku bijection of a pass, cell by cell."""
    names = {
        "row": Representation.ROW_DIGIT,
        "column": Representation.DIGIT_COLUMN,
        "block": Representation.BLOCK_DIGIT,
    }
    forward = bijection(
        grid.to_grid(), names[name], Representation.ROW_COLUMN, numbering=Numbering.ROW_MAJOR
    )
    result = np.empty_like(units)
    result[forward] = units
    return result


@given(st.integers(36, 10**8))
def test_every_size_has_a_layout(count: int) -> None:
    """The order is the largest usable one, and the spares are what its square leaves."""
    layout = RasterLayout.of(count)
    p, q = layout.box
    n = layout.order
    assert n == p * q
    assert p <= q <= 2 * p
    assert n * n + layout.remainder == count
    assert 0 <= layout.remainder < n * n
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


BOXES = [(2, 3), (3, 3), (3, 4), (4, 4), (10, 15), (16, 16), (17, 19)]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("box", BOXES)
def test_passes_are_sudoku_bijections(box: tuple[int, int], seed: int) -> None:
    """The passes are row-digit, digit-column and block-digit of Wu et al."""
    drawn = source(seed)
    grids = keyed.sample_grids(box, 3, drawn)
    column, block, row = (ParametricGrid(box, *grid) for grid in grids)
    units = np.arange(row.order**2)
    for step, names in (
        (keyed.RowPass(box, grids[2]), {"row": row}),
        (keyed.StackPass(box, grids[:2]), {"column": column, "block": block}),
        (keyed.StackPass(box, grids), {"column": column, "block": block, "row": row}),
    ):
        wanted = units
        for name, grid in names.items():
            wanted = moved(wanted, name, grid)
        for banded in (False, True):
            # A row pass starts in raster order, a stack pass ends in the other layout.
            stacks = isinstance(step, keyed.StackPass)
            start = other_layout(units, box) if stacks and banded else units
            result = np.empty_like(units)
            step.move(start, result, WORKERS, banded=banded)
            if banded != stacks:
                result = other_layout(result, box)
            assert np.array_equal(result, wanted)


def other_layout(units: IntArray, box: Box) -> IntArray:
    """Return a window in the banded layout in raster order, or the other way round."""
    p, q = box
    return units.reshape(q, p, p, q).swapaxes(1, 2).ravel()


@given(st.integers(36, 5000), st.integers(0, 2**32 - 1))
def test_every_step_can_be_undone(count: int, seed: int) -> None:
    """Passes leave the spares and their source alone, and all steps reach each place once."""
    drawn = source(seed)
    layout = RasterLayout.of(count)
    window = layout.order**2
    box, grids = layout.box, keyed.sample_grids(layout.box, 3, drawn)
    first = np.arange(count)
    row = keyed.RowPass(box, grids[0])
    for step in (row, keyed.StackPass(box, grids[:2]), keyed.StackPass(box, grids)):
        result, back = np.empty_like(first), np.empty_like(first)
        step.move(first, result, WORKERS)
        assert np.array_equal(np.sort(result), np.arange(count))
        assert np.array_equal(result[window:], first[window:])
        step.move(result, back, WORKERS, undo=True)
        assert np.array_equal(back, first)
        assert np.array_equal(first, np.arange(count))
    here = first.copy()
    row.move(here, here, WORKERS)
    assert np.array_equal(here[row.move_positions(first)], first)
    row.move(here, here, WORKERS, undo=True)
    exchange = keyed.RemainderExchange(drawn.below_each(np.arange(count, window, -1)))
    exchange.apply(here)
    assert np.array_equal(np.sort(here), first)
    exchange.invert(here)
    assert np.array_equal(here, first)


@pytest.mark.parametrize("box", [(2, 2), (2, 3), (16, 16), (10, 15), (150, 150)])
def test_grids_are_those_drawn_one_by_one(box: Box) -> None:
    """They take the same draws, however many are drawn together."""
    one, many = source(4), source(4)
    for grid in keyed.sample_grids(box, 6, many):
        same = ParametricGrid.random(box, one)
        assert np.array_equal(grid, [same.alpha, same.beta, same.sigma])
    assert one.below(2**20) == many.below(2**20)


@pytest.mark.parametrize(
    ("count", "rounds"), [(1, 4), (4095, 4), (4096, 3), (2**20 - 1, 3), (2**20, 2), (2**40, 2)]
)
def test_rounds_are_those_of_the_specification(count: int, rounds: int) -> None:
    """Few units need more of them; a number that is given counts."""
    assert chosen_rounds(None, count) == rounds
    assert chosen_rounds(7, count) == 7


@given(st.integers(36, 3000), st.integers(1, 4))
def test_steps_are_the_specified_ones(count: int, rounds: int) -> None:
    """A map is what the specification says: exchanges, then rounds of three bijections."""
    drawn = source(count)
    box = RasterLayout.of(count).box
    window = (box[0] * box[1]) ** 2
    units = np.arange(count)
    for position in range(count - 1, window - 1, -1):
        other = drawn.below(position + 1)
        units[[position, other]] = units[[other, position]]
    for _ in range(rounds):
        for name in ("row", "column", "block"):
            grid = ParametricGrid.random(box, drawn)
            units[:window] = moved(units[:window], name, grid)
    result = np.empty(count, dtype=np.int64)
    UnitPermutation(count, rounds, source(count)).apply(np.arange(count), result, WORKERS)
    assert np.array_equal(result, units)


@given(COUNTS, st.integers(1, 4), st.sampled_from(["u1", "u2", "u4", "u8", "V3", "V6", "V48"]))
def test_invert_undoes_apply(count: int, rounds: int, dtype: str) -> None:
    """invert(apply(units)) is the units, for any count, rounds and size of a unit."""
    steps = UnitPermutation(count, rounds, source(count))
    size = np.dtype(dtype).itemsize
    data = np.random.default_rng(count).integers(0, 256, count * size, dtype=np.uint8)
    units = data.view(dtype).copy()
    there, back = np.zeros_like(units), np.zeros_like(units)
    steps.apply(units, there, WORKERS)
    assert units.tobytes() == data.tobytes()
    steps.invert(there, back, WORKERS)
    assert back.tobytes() == data.tobytes()
    steps.apply(units, units, WORKERS)
    assert units.tobytes() == there.tobytes()
    steps.invert(units, units.view(), WORKERS)
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


def test_maps_need_a_master_key() -> None:
    """The key of one picture draws no public map."""
    with pytest.raises(InvalidKeyError):
        permutation(50, PictureKey(bytes(32)), nonce=b"")  # type: ignore[arg-type]


def test_numpy_integers_are_integers() -> None:
    """Counts and rounds may come from NumPy."""
    key = Key(bytes(32))
    perm = permutation(np.int64(50), key, nonce=b"", rounds=np.int32(2))  # type: ignore[arg-type]
    assert np.array_equal(perm, permutation(50, key, nonce=b"", rounds=2))
