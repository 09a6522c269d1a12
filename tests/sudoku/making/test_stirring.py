"""Stirring: moves keep grids valid, undo themselves, and connect all grids of small orders."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudokucrypt import ParametricGrid, SudokuGrid
from sudokucrypt.errors import UnsupportedError
from sudokucrypt.kernels import load_kernels
from sudokucrypt.sudoku import enumerate_rows, seeded_draws, shuffled_grid, stir, stirred_grid
from sudokucrypt.sudoku._kernels import stirring_plain
from sudokucrypt.sudoku.making import sheets
from sudokucrypt.typing import AnyArray
from tests.sudoku.kernels import COMPILED, load_kernel_and_fallback

pytestmark = pytest.mark.kernels

_stir = load_kernels("sudokucrypt.sudoku._kernels", "stirring").stir

BOXES = [(1, 1), (1, 2), (1, 6), (6, 1), (2, 2), (2, 3), (3, 2), (3, 3), (2, 7), (4, 5), (6, 6)]


@given(st.sampled_from(BOXES), st.integers(0, 2**32), st.integers(0, 30))
@settings(max_examples=30)
def test_stirred_grids_are_valid(box: tuple[int, int], seed: int, amount: int) -> None:
    """Any number of moves gives a valid grid, and the original grid is unchanged."""
    grid = shuffled_grid(seeded_draws(seed), box=box)
    before = grid.cells.copy()
    stirred = stir(grid, seeded_draws(seed), amount=amount)
    assert SudokuGrid(stirred, box) == stirred
    assert np.array_equal(grid.cells, before)
    assert amount or stirred == grid


def test_ordinary_grids_are_usual() -> None:
    """By default, stirred grids have 3x3 boxes."""
    assert stirred_grid(seeded_draws(1), amount=1).box == (3, 3)


@pytest.mark.parametrize("box", [(10, 10), pytest.param((32, 32), marks=pytest.mark.slow)])
def test_large_grids_never_fail(box: tuple[int, int]) -> None:
    """Grids of orders 100 and 1024 are valid and well mixed."""
    for seed in range(2 if COMPILED and box == (10, 10) else 1):
        grid = stirred_grid(seeded_draws(seed), box=box, amount=10 if COMPILED else 2)
        assert SudokuGrid(grid, box) == grid
        assert (grid.cells != shuffled_grid(seeded_draws(seed), box=box).cells).mean() > 0.8


def test_batches_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    """Moves in several batches give the same grid as in one batch."""
    monkeypatch.setattr(sheets, "_BATCH_SIZE", 7)
    grid = stirred_grid(seeded_draws(5), box=(2, 3), amount=4)
    source = seeded_draws(5)
    expected = shuffled_grid(source, box=(2, 3)).cells.copy()
    for count in (7, 7, 7, 3):
        stirring_plain.stir(expected, 2, 3, sheets._draw_moves((2, 3), count, source))
    assert np.array_equal(grid.cells, expected)


@given(st.sampled_from(BOXES[1:]), st.integers(0, 2**32 - 1), st.integers(0, 60))
@settings(max_examples=30)
def test_kernel_equals_twin(box: tuple[int, int], seed: int, count: int) -> None:
    """Kernel and fallback make the same moves in place."""
    kernels, fallback = load_kernel_and_fallback("stirring")
    source = seeded_draws(seed)
    first = shuffled_grid(source, box=box).cells.copy()
    second = first.copy()
    moves = sheets._draw_moves(box, count, source)
    kernels.stir(first, *box, moves)
    fallback.stir(second, *box, moves)
    assert np.array_equal(first, second)


@given(st.sampled_from([(1, 2), (1, 6), (7, 1), (2, 2), (2, 3), (3, 2)]), st.integers(0, 2**32 - 1))
@settings(max_examples=15)
def test_each_move_undoes_itself_and_matches_its_definition(
    box: tuple[int, int], seed: int
) -> None:
    """A move agrees with an independent version, and making it again undoes it."""
    source = seeded_draws(seed)
    grid = stirred_grid(source, box=box, amount=2)
    for move in sheets._draw_moves(box, 12, source):
        cells = grid.cells.copy()
        _stir(cells, *box, move[None])
        expected = _make_move(_make_digit_masks(grid.cells[None]), box, *move.tolist())
        assert np.array_equal(_make_digit_masks(cells[None]), expected)
        _stir(cells, *box, move[None])
        assert np.array_equal(cells, grid.cells)


def test_moves_are_drawn_below_their_bounds() -> None:
    """Both lines of a move differ and belong to one group; all possible kinds are equally
    likely."""
    for box, kinds in [((3, 4), [0, 1, 2]), ((1, 5), [1, 2]), ((5, 1), [0, 2])]:
        moves = sheets._draw_moves(box, 30_000, seeded_draws(2))
        groups = np.array([*box, box[0] * box[1]])[moves[:, 0]]
        assert (moves[:, 1] // groups == moves[:, 2] // groups).all()
        assert (moves[:, 1] != moves[:, 2]).all()
        assert moves[:, 1:].min() == 0
        assert moves[:, 1:].max() == box[0] * box[1] - 1
        result, counts = np.unique(moves[:, 0], return_counts=True)
        assert result.tolist() == kinds
        assert (abs(counts - 30_000 / len(kinds)) < 5 * 30_000**0.5 / 2).all()


@pytest.mark.slow
def test_small_grids_become_uniform() -> None:
    """All 288 grids of order 4 are equally frequent (chi-square)."""
    from scipy.stats import chisquare

    counts: dict[str, int] = {}
    source = seeded_draws(11)
    for _ in range(288 * 20):
        text = stir(ParametricGrid.base((2, 2)).to_grid(), source, amount=10).to_text()
        counts[text] = counts.get(text, 0) + 1
    assert len(counts) == 288
    assert chisquare(list(counts.values())).pvalue > 0.001


@pytest.mark.slow
def test_all_moves_together_connect_6x6_grids() -> None:
    """All moves together connect all 6x6 grids up to relabeling; rows and columns leave two parts,
    chains nine."""
    grids = _make_digit_masks(
        np.array([result.grid.cells for result in enumerate_rows(box=(2, 3))])
    )
    assert len(grids) == 28200960 // 720
    keys = _make_keys(grids)
    assert len(set(keys.tolist())) == len(grids)
    order = np.argsort(keys)
    edges: list[list[AnyArray]] = [[], [], []]
    for kind, first, second, start in _iterate_moves((2, 3)):
        expected_keys = _make_keys(_make_move(grids, (2, 3), kind, first, second, start))
        reached = order[np.searchsorted(keys, expected_keys, sorter=order)]
        assert (keys[reached] == expected_keys).all()
        edges[kind].append(reached)
    assert _count_parts(edges[0] + edges[1]) == 2
    assert _count_parts(edges[2]) == 9
    assert _count_parts(edges[0] + edges[1] + edges[2]) == 1


def _iterate_moves(box: tuple[int, int]) -> Iterator[tuple[int, int, int, int]]:
    """Yield every move at least once; the order of its two lines is irrelevant."""
    order = box[0] * box[1]
    for kind, group in enumerate((*box, order)):
        for first, second in combinations(range(order), 2):
            if first // group == second // group:
                yield from ((kind, first, second, start) for start in range(order))


def _make_digit_masks(grids: AnyArray) -> AnyArray:
    """Return the cells of each digit in each grid, as bits in reading order."""
    order = grids.shape[1]
    bits = np.int64(1) << np.arange(order * order)
    return np.stack(
        [(grids.reshape(-1, order * order) == digit) @ bits for digit in range(order)], axis=1
    )


def _make_move(
    places: AnyArray, box: tuple[int, int], kind: int, first: int, second: int, start: int
) -> AnyArray:
    """Make one move on many grids, by adding cells that must change until none is added."""
    (box_rows, box_columns), order = box, box[0] * box[1]
    cells = np.arange(order * order).reshape(order, order)
    boxes = (
        cells.reshape(box_columns, box_rows, box_rows, box_columns)
        .swapaxes(1, 2)
        .reshape(order, order)
    )
    lines = cells if kind == 0 else cells.T
    result = places.copy()
    if kind == 2:
        either = places[:, first] | places[:, second]
        units = [either & _make_mask(unit) for unit in (*cells, *cells.T, *boxes)]
        chosen = _add_units(places[:, first] & _make_mask(cells[start]), units)
        result[:, [first, second]] ^= chosen[:, None]
        return result
    both = _make_mask(lines[[first, second]].reshape(-1))
    units = [places[:, digit] & both for digit in range(order)]
    units += [np.full(len(places), _make_mask(pair)) for pair in lines[[first, second]].T]
    chosen = _add_units(units[order + start], units)
    distance = abs(int(lines[first, 0] - lines[second, 0]))
    low = _make_mask(lines[min(first, second)])
    moving = places & chosen[:, None]
    result &= ~chosen[:, None]
    result_masks: AnyArray = result | (moving & low) << distance | (moving & ~low) >> distance
    return result_masks


def _make_mask(cells: AnyArray) -> np.int64:
    return np.int64(sum(1 << cell for cell in cells.tolist()))


def _add_units(chosen: AnyArray, units: list[AnyArray]) -> AnyArray:
    """Add every unit that shares a cell with the chosen cells, until none is added."""
    while True:
        grown = chosen.copy()
        for unit in units:
            grown |= np.where(grown & unit, unit, 0)
        if (grown == chosen).all():
            return chosen
        chosen = grown


def _make_keys(places: AnyArray) -> AnyArray:
    """Return a number for each grid that is equal exactly for relabeled grids."""
    first_row = (1 << places.shape[1]) - 1
    sorted_places = np.take_along_axis(places, np.argsort(places & first_row, axis=1), axis=1)
    factors = np.random.default_rng(1).integers(0, 2**63, places.shape[1]) | 1
    keys: AnyArray = (sorted_places * factors).sum(axis=1)
    return keys


def _count_parts(edges: list[AnyArray]) -> int:
    """Return the number of connected parts of a graph with these edges."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    count = len(edges[0])
    starts = np.tile(np.arange(count), len(edges))
    graph = coo_array((np.ones(len(starts)), (starts, np.concatenate(edges))), (count, count))
    return int(connected_components(graph, directed=False)[0])


def test_orders_beyond_16_bits_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Orders above 65535 are refused, since the kernel stores numbers in 16 bits."""
    monkeypatch.setattr(sheets, "MAX_ROWS", 8)
    with pytest.raises(UnsupportedError, match="orders up to 8, not 9"):
        stirred_grid(seeded_draws(1), box=(3, 3))
