"""Searches: kernels and fallbacks find the same solutions in the same order."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudokucrypt.sudoku import House, ParametricGrid, SudokuPuzzle, Variant
from tests.sudoku.kernels import load_kernel_and_fallback
from tests.sudoku.puzzles import (
    HARD,
    make_sparse_puzzle,
    make_unsolvable_puzzle,
    remove_random_givens,
)

if TYPE_CHECKING:
    from sudokucrypt.typing import AnyArray

LIMIT = 25
GENERAL = [
    Variant.latin(1),
    Variant.latin(5),
    Variant.standard(),
    Variant.x((2, 3)),
    Variant.samurai((2, 2)),
    Variant.array((2, 2, 2, 3)),
]


def list_solutions(search: Any, *, budget: int, limit: int) -> list[bytes]:
    """Return solutions up to LIMIT, with limits of nodes and solutions per call."""
    solutions: list[bytes] = []
    while not search.finished and len(solutions) < LIMIT:
        rows: AnyArray = np.empty((limit, 81), dtype=np.int8)
        count = search.advance(rows, min(limit, LIMIT - len(solutions)), budget)
        solutions += [row.tobytes() for row in rows[:count]]
    return solutions


def make_puzzles_of_all_kinds(variant: Variant, seed: int) -> list[SudokuPuzzle]:
    """Return puzzles with one, many and no solutions."""
    puzzle = make_sparse_puzzle(variant, seed)
    return [
        puzzle,
        remove_random_givens(puzzle, seed, 2),
        remove_random_givens(puzzle, seed, 4),
        make_unsolvable_puzzle(puzzle, seed),
    ]


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(s, marks=pytest.mark.slow) for s in (2, 3))])
def test_bit_boards_equal_their_twin(seed: int) -> None:
    """The 9x9 kernel and its fallback find the same solutions in order, with any interruptions."""
    kernels, fallback = load_kernel_and_fallback("solver")
    for puzzle in make_puzzles_of_all_kinds(Variant.standard(), seed):
        runs = [
            list_solutions(module.Search(puzzle.givens.astype(np.int8)), budget=budget, limit=limit)
            for module, budget, limit in (
                (fallback, 10**6, LIMIT),
                (kernels, 10**6, LIMIT),
                (kernels, 1, 2),
            )
        ]
        assert runs[0] == runs[1] == runs[2]


@given(
    st.sampled_from(GENERAL),
    st.integers(0, 2**32 - 1),
    st.integers(0, 8),
    st.integers(1, 12),
    st.sampled_from([True, False, None]),
)
@settings(max_examples=25)
def test_bit_sets_equal_their_twin(
    variant: Variant, seed: int, given_cells: int, budget: int, by_places: bool | None
) -> None:
    """The general kernel and its fallback agree node by node, with any givens."""
    cells, digits = len(variant.cells), variant.digits
    rng = np.random.default_rng(seed)
    givens = np.full(cells, -1, dtype=np.int32)
    chosen = rng.permutation(cells)[:given_cells]
    givens[chosen] = rng.integers(0, digits, len(chosen))
    order = rng.permutation(cells).astype(np.int32)
    ranks = rng.permutation(cells * digits).astype(np.int32).reshape(cells, digits)
    results = []
    for module in load_kernel_and_fallback("search"):
        tried = (None, None) if by_places is None else (order, ranks)
        search = module.Search(*variant.rules, givens, *tried, branches_on_places=bool(by_places))
        nodes = []
        for _ in range(12):
            rows = np.full((2, cells), -1, dtype=np.int32)
            log = np.full((cells, 2), -1, dtype=np.int32)
            count = search.advance(rows, 3, budget, log)
            nodes += [
                count,
                search.finished,
                rows.tolist(),
                log[: search.logged_row_count].tolist(),
            ]
        results.append(nodes)
    assert results[0] == results[1]


def test_restarts_equal_their_twin() -> None:
    """Kernel and fallback restart at the same nodes."""
    latin = Variant.latin(7)
    groups = np.random.default_rng(5).permutation(49).reshape(7, 7).tolist()
    regions = tuple(House(f"region {n}", tuple(group)) for n, group in enumerate(groups))
    rules = replace(latin, houses=latin.houses + regions).rules
    results = []
    for module in load_kernel_and_fallback("search"):
        search = module.Search(
            *rules, np.full(49, -1, dtype=np.int32), None, None, branches_on_places=False
        )
        log, rows = np.full((49, 2), -1, dtype=np.int32), np.empty((1, 49), dtype=np.int32)
        nodes = []
        for _ in range(500):
            assert search.advance(rows, 1, 1, log) == 0
            nodes.append(log[: search.logged_row_count].tolist())
        results.append(nodes)
    assert results[0] == results[1]


@pytest.mark.slow
def test_64_digits_fit_a_word() -> None:
    """Kernel and fallback agree for 64 digits, the largest number."""
    variant = Variant.standard((8, 8))
    grid = ParametricGrid.base((8, 8)).to_grid().cells.copy()
    grid[:, ::21] = -1
    ranks = np.arange(64**3, dtype=np.int32).reshape(64**2, 64)
    results = []
    for module in load_kernel_and_fallback("search"):
        rows = np.empty((1, 4096), dtype=np.int32)
        order = np.arange(4096, dtype=np.int32)
        search = module.Search(*variant.rules, grid.ravel(), order, ranks, branches_on_places=True)
        assert search.advance(rows, 1, 500) == 1
        results.append(rows.tobytes())
    assert results[0] == results[1]


@pytest.mark.parametrize(("copies", "limit", "budget"), [(1, 3, 10**6), (7, 2, 40), (7, 1, 5)])
def test_batches_equal_their_twin(copies: int, limit: int, budget: int) -> None:
    """Counts and first solutions of kernel and fallback are equal, also for a part of the rows."""
    kernels, fallback = load_kernel_and_fallback("solver")
    puzzles = [
        puzzle
        for seed in range(2)
        for puzzle in make_puzzles_of_all_kinds(Variant.standard(), seed)
    ]
    givens = np.array([puzzle.givens for puzzle in puzzles], dtype=np.int8)
    hard = [[int(symbol) - 1 for symbol in text] for text in list(HARD.values())[:2]]
    givens = np.concatenate([givens, np.array(hard, dtype=np.int8)])
    results = []
    for module, repeats, edge in ((fallback, 1, 0), (kernels, copies, 1)):
        rows = np.tile(givens, (repeats, 1))
        first = np.full(rows.shape, -1, dtype=np.int8)
        counts = np.full(len(rows), 99, dtype=np.int64)
        module.solve_many(rows, first, counts, edge, len(rows) - edge, limit, budget)
        results.append((first, counts))
    (first, counts), (firsts, numbers) = results
    assert numbers[[0, -1]].tolist() == [99, 99]
    assert (firsts[[0, -1]] == -1).all()
    assert np.array_equal(firsts[1:-1], np.tile(first, (copies, 1))[1:-1])
    assert np.array_equal(numbers[1:-1], np.tile(counts, copies)[1:-1])
