"""Numbers and grids correspond exactly, in both directions, for every supported box."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudokucrypt.errors import InvalidGridError, InvalidParameterError, UnsupportedError
from sudokucrypt.sudoku import ParametricGrid, SudokuGrid, Symmetry, grid_by_search, seeded_draws
from sudokucrypt.sudoku.counting.band_classes import OUTER_COUNT, get_grid_tables
from sudokucrypt.sudoku.counting.ranking import (
    grid_total,
    rank,
    rank_batch,
    rank_cells,
    unrank,
    unrank_batch,
    unrank_cells,
)
from sudokucrypt.typing import Box
from tests.sudoku.enumeration import list_reduced_grids
from tests.sudoku.kernels import load_kernel_and_fallback

pytestmark = pytest.mark.kernels

NINE = (3, 3)
SLOW_BOXES = [pytest.param(box, marks=pytest.mark.slow) for box in ((2, 3), (3, 2))]
BOXES: list[Box] = [(2, 2), (2, 3), (3, 2), (2, 4), (4, 2), NINE]


@settings(max_examples=25)
@given(st.sampled_from(BOXES), st.data())
def test_numbers_round_trip(box: Box, data: st.DataObject) -> None:
    """rank(unrank(k)) is k for random numbers, 0 and the last, and the grid is valid."""
    total = grid_total(box)
    number = data.draw(st.one_of(st.sampled_from([0, total - 1]), st.integers(0, total - 1)))
    grid = unrank(number, box)
    assert SudokuGrid(grid, box) == grid
    assert rank(grid) == number


def test_a_thousand_numbers_round_trip() -> None:
    """rank(unrank(k)) is k for 1,000 random numbers of order 9, 0 and the last."""
    source = seeded_draws(11)
    total = grid_total()
    numbers = [0, total - 1, *(source.below(total) for _ in range(1_000))]
    cells = unrank_cells(numbers)
    assert rank_cells(cells) == numbers
    bits = np.left_shift(1, cells.astype(np.int64)).reshape(-1, 3, 3, 3, 3)
    for unit in ((1, 2), (3, 4), (2, 4)):
        assert (bits.sum(axis=unit) == 511).all()


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("box", BOXES)
def test_batches_are_what_single_calls_give(box: Box, first: int) -> None:
    """Batch functions return the same grids and numbers as calls for single grids."""
    last = grid_total(box) - 1
    numbers = [0, last, last // 3, last // 7]
    grids = unrank_batch(numbers, box=box, first=first)
    assert [SudokuGrid(cells, box, first=first) for cells in grids] == [
        unrank(number, box) for number in numbers
    ]
    assert rank_batch(grids, box=box, first=first) == numbers
    flat = grids.reshape(4, -1)
    assert rank_batch(flat.tolist(), box=box, first=first) == numbers
    assert rank_batch(unrank_batch([], box=box), box=box) == []


def test_batches_name_what_is_wrong() -> None:
    """rank_batch refuses grids with a wrong row, column or box, and names the grid."""
    grids = unrank_batch(range(4))
    row, column, box = grids.copy(), grids.copy(), grids.copy()
    row[2] = np.arange(1, 10)[:, None]  # columns are whole, rows and boxes are not
    column[2, :, [0, 1]] = grids[2, :, [0, 2]]
    box[2] = (np.arange(9)[:, None] + np.arange(9)) % 9 + 1  # rows and columns are whole
    for broken in (row, column, box):
        with pytest.raises(InvalidGridError, match="grid 3 "):
            rank_batch(broken)
    grids[1, 8, 8] = 0
    with pytest.raises(InvalidGridError, match="grid 2, r9c9 holds 0"):
        rank_batch(grids)
    for shape in [(9, 9), (2, 80), (2, 3, 27), (0,)]:
        with pytest.raises(InvalidGridError, match="shape"):
            rank_batch(np.ones(shape, dtype=int))
    for number in (-1, grid_total(), True, 1.5):
        with pytest.raises(InvalidParameterError, match="a number must be"):
            unrank_batch([0, number])  # type: ignore[list-item]
    with pytest.raises(UnsupportedError, match=r"numbering grids .* is not supported"):
        rank_batch(np.ones((1, 4, 4), dtype=int), box=(1, 4))


@pytest.mark.parametrize("box", [(2, 2), *SLOW_BOXES])
def test_every_reduced_grid_has_its_own_number(box: Box) -> None:
    """All enumerated grids have different numbers, and unrank returns the grids; all 288 of order
    4."""
    grids = [SudokuGrid(cells, box, first=0) for cells in list_reduced_grids(box)[::12]]
    numbers = {rank(grid) for grid in grids}
    assert len(numbers) == len(grids)
    assert all(unrank(rank(grid), box) == grid for grid in grids[::10])
    if box == (2, 2):
        assert len({unrank(index, box) for index in range(288)}) == 288


@pytest.mark.parametrize("box", BOXES)
def test_grids_made_otherwise_round_trip(box: Box) -> None:
    """unrank(rank(grid)) is the grid for symmetric, transformed and searched grids."""
    source = seeded_draws(12)
    grids = [ParametricGrid.random(box, source).to_grid() for _ in range(5)]
    grids += [
        Symmetry.random(box, source).apply(unrank(source.below(grid_total(box)), box))
        for _ in range(5)
    ]
    grids.append(grid_by_search(source, box=box))
    assert all(unrank(rank(grid), box) == grid for grid in grids)


def test_kernel_text_and_batches_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiled kernel, the interpreted kernel and NumPy give the same grids and numbers."""
    kernel, plain_module = load_kernel_and_fallback("numbering")
    tables = get_grid_tables()
    rng = np.random.default_rng(14)
    starts = np.concatenate([tables.class_starts[:-1], tables.class_starts[1:] - 1])
    inner = np.concatenate([starts, rng.integers(0, tables.class_starts[-1], 1000)])  # over a chunk
    outer = rng.integers(0, OUTER_COUNT, len(inner))
    grids = np.zeros((3, len(inner), 9, 9), dtype=np.uint8)
    for module, min_batch, cells in zip(
        (kernel, plain_module, plain_module), (0, 1 << 40, 1), grids, strict=True
    ):
        monkeypatch.setattr(plain_module, "MIN_BATCH", min_batch)
        module.unrank(tables, outer, inner, cells)
        numbers = np.zeros((2, len(inner)), dtype=np.int64)
        module.rank(tables, cells, *numbers)
        assert (numbers == [outer, inner]).all()
    assert (grids == grids[0]).all()


def test_numbers_out_of_range_are_refused() -> None:
    """Numbers out of range, other types and other boxes are refused; the message contains the
    range."""
    for box in BOXES:
        for number in (-1, grid_total(box), True, 1.0, "1"):
            with pytest.raises(InvalidParameterError, match=rf"0\.\.{grid_total(box) - 1}"):
                unrank(number, box)  # type: ignore[arg-type]
    for box in [(1, 4), (2, 5), (3, 4)]:
        with pytest.raises(UnsupportedError, match=r"numbering grids .* is not supported"):
            unrank(0, box)
        with pytest.raises(UnsupportedError, match=r"numbering grids .* is not supported"):
            rank(ParametricGrid.base(box).to_grid())


def test_numbers_are_fixed_for_ever() -> None:
    """Recorded numbers and grids stay the same, since seeds depend on them."""
    expected_texts = {
        (2, 2): (100, "3412123421434321"),
        (2, 3): (10_000_000, "612543543612251436436251325164164325"),
        (2, 4): (10**16, "1672458384537612721463586835274151278436438612752541386737685124"),
        (3, 3): (
            10**21,
            "932561784841739265567824139674293851183675492259418673318947526796152348425386917",
        ),
    }
    for box, (number, text) in expected_texts.items():
        assert unrank(number, box).to_text() == text


@pytest.mark.slow
def test_threads_share_the_tables() -> None:
    """In a new process, several threads that request the tables at once get the same object."""
    code = (
        "from concurrent.futures import ThreadPoolExecutor as P\n"
        "from sudokucrypt.sudoku.counting.band_classes import get_grid_tables\n"
        "with P(4) as pool:\n"
        "    print(len({id(t) for t in pool.map(lambda _: get_grid_tables(), range(8))}))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1"
    with ThreadPoolExecutor(4) as pool:
        grids = list(pool.map(unrank, range(20)))
    assert [rank(grid) for grid in grids] == list(range(20))
