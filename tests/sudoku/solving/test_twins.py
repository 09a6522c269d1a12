"""The searches: kernels and plain twins find the same solutions in the same order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.seeded import seeded_draws
from tests.sudoku.kernels import kernel_and_twin
from tests.sudoku.puzzles import HARD, sparse, spoilt, thinned

if TYPE_CHECKING:
    from types import ModuleType

    from sudokucrypt.typing import AnyArray

LIMIT = 25


def bands(module: ModuleType, puzzle: SudokuPuzzle) -> tuple[Any, type]:
    """Return a search on bit boards."""
    return module.Search(puzzle.givens.astype(np.int8)), np.int8


def general(
    module: ModuleType, puzzle: SudokuPuzzle, *, by_places: bool = True
) -> tuple[Any, type]:
    """Return a general search in a random order."""
    rules = puzzle.variant.rules
    tables = (rules.peer_ends, rules.peers, rules.unit_ends, rules.units_of, rules.units)
    shape = (len(puzzle.givens), rules.values)
    ranks = seeded_draws(1).permutations([shape[0] * shape[1]]).astype(np.int32).reshape(shape)
    order = seeded_draws(2).permutations([shape[0]]).astype(np.int32)
    return module.Search(rules.values, *tables, puzzle.givens, order, ranks, by_places), np.int32


def found(search: Any, dtype: type, cells: int, *, budget: int, limit: int) -> list[bytes]:
    """Collect solutions up to LIMIT, so many nodes and so many solutions at a time."""
    solutions: list[bytes] = []
    while not search.finished and len(solutions) < LIMIT:
        rows: AnyArray = np.empty((limit, cells), dtype=dtype)
        count = search.advance(rows, min(limit, LIMIT - len(solutions)), budget)
        solutions += [row.tobytes() for row in rows[:count]]
    return solutions


def kinds(variant: Variant, seed: int) -> list[SudokuPuzzle]:
    """Puzzles with one, many and no solutions."""
    puzzle = sparse(variant, seed)
    return [puzzle, thinned(puzzle, seed, 2), thinned(puzzle, seed, 4), spoilt(puzzle, seed)]


@pytest.mark.parametrize("seed", range(8))
def test_bit_boards_equal_their_twin(seed: int) -> None:
    """The 9x9 kernel finds what its twin finds, in the same order, however it is interrupted."""
    kernels, plain = kernel_and_twin("solver")
    for puzzle in kinds(Variant.standard(), seed):
        runs = [
            found(*bands(module, puzzle), 81, budget=budget, limit=limit)
            for module, budget, limit in (
                (plain, 10**6, LIMIT),
                (kernels, 10**6, LIMIT),
                (kernels, 1, 2),
            )
        ]
        assert runs[0] == runs[1] == runs[2]


@pytest.mark.parametrize(
    "variant",
    [
        Variant.standard(),
        Variant.x((2, 3)),
        Variant.samurai((2, 2)),
        Variant.array((2, 2, 2, 3)),
        Variant.latin(1),
    ],
    ids=lambda variant: variant.name,
)
def test_bit_sets_equal_their_twin(variant: Variant) -> None:
    """The general kernel finds what its twin finds, in the same order."""
    kernels, plain = kernel_and_twin("search")
    cells = len(variant.cells)
    for puzzle in kinds(variant, 1) if cells > 1 else [sparse(variant, 1)]:
        runs = [
            found(*general(module, puzzle), cells, budget=budget, limit=limit)
            for module, budget, limit in (
                (plain, 10**6, LIMIT),
                (kernels, 10**6, LIMIT),
                (kernels, 1, 2),
            )
        ]
        assert runs[0] == runs[1] == runs[2]


def test_64_digits_fit_a_word() -> None:
    """The largest order that bit sets hold is solved like by the twin."""
    kernels, plain = kernel_and_twin("search")
    variant = Variant.standard((8, 8))
    rows = np.arange(64)[:, None]
    grid = (8 * (rows % 8) + rows // 8 + np.arange(64)) % 64
    grid[:, ::7] = -1
    puzzle = SudokuPuzzle(grid, variant)
    runs = [
        found(*general(module, puzzle), 4096, budget=500, limit=1)[:2]
        for module in (plain, kernels)
    ]
    assert runs[0] == runs[1] != []


def test_batches_equal_their_twin() -> None:
    """Counts and first solutions are equal, in the rows that were asked for alone."""
    kernels, plain = kernel_and_twin("solver")
    puzzles = [puzzle for seed in range(3) for puzzle in kinds(Variant.standard(), seed)]
    givens = np.array([puzzle.givens for puzzle in puzzles], dtype=np.int8)
    hard = [[int(symbol) - 1 for symbol in text] for text in list(HARD.values())[:2]]
    givens = np.concatenate([givens, np.array(hard, dtype=np.int8)])
    results = []
    for module in (plain, kernels):
        first = np.full(givens.shape, -1, dtype=np.int8)
        counts = np.full(len(givens), 99, dtype=np.int64)
        module.solve_many(givens, first, counts, 1, len(givens) - 1, 3, 10**6)
        results.append((first.tobytes(), counts.tolist()))
        assert counts[[0, -1]].tolist() == [99, 99]
    assert results[0] == results[1]
