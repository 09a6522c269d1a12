"""Minimum-candidates search: valid grids from every seed, honest answers, nodes on request."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudokucrypt import InvalidParameterError, SudokuGrid
from sudokucrypt.errors import UnsupportedError
from sudokucrypt.sudoku.making.searching import grid_by_search
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.sudoku.solving.search import fill
from tests.sudoku.kernels import COMPILED, kernel_and_twin

BOXES = [(1, 1), (1, 7), (7, 1), (2, 2), (2, 3), (3, 2), (2, 4), (3, 3), (2, 5), (3, 4)]


@pytest.mark.parametrize("box", BOXES)
@pytest.mark.parametrize("diagonals", [False, True])
def test_every_box_shape(box: tuple[int, int], diagonals: bool) -> None:
    """Grids obey the rules, diagonals included; other seeds give other grids."""
    n = box[0] * box[1]
    seen = set()
    for seed in range(5):
        grid = grid_by_search(box, seeded_draws(seed), diagonals=diagonals)
        assert SudokuGrid(grid.cells, box) == grid
        if diagonals:
            assert len(set(grid.cells.diagonal().tolist())) == n
            assert len(set(grid.cells[:, ::-1].diagonal().tolist())) == n
        seen.add(grid)
    assert len(seen) > 1 or n == 1


@pytest.mark.parametrize(("box", "seeds"), [((4, 4), 20), ((5, 5), 20 if COMPILED else 2)])
def test_large_grids_never_fail(box: tuple[int, int], seeds: int) -> None:
    """The orders of the historical script, which often got lost there, succeed for every seed."""
    for seed in range(seeds):
        grid = grid_by_search(box, seeded_draws(seed))
        assert SudokuGrid(grid.cells, box) == grid


def test_grids_of_a_seed_never_change() -> None:
    """Two grids as recorded when the search was introduced."""
    plain = grid_by_search((3, 3), seeded_draws(1))
    crossed = grid_by_search((2, 3), seeded_draws(1), diagonals=True)
    assert plain.to_text() == (
        "651723849874159263923846751145698327796432518382517694467985132539271486218364975"
    )
    assert crossed.to_text() == "532416461352253164614235125643346521"


def test_nodes_lead_to_the_grid() -> None:
    """Nodes are counted from 0, and the last one for each cell is its digit in the grid."""
    nodes: list[tuple[int, int, int]] = []
    grid = grid_by_search((4, 4), seeded_draws(4), trace=lambda *node: nodes.append(node))
    assert [node[0] for node in nodes] == list(range(len(nodes)))
    assert len(nodes) > 256  # this seed goes back somewhere
    last = {cell: value for _, cell, value in nodes}
    assert [last[cell] for cell in range(256)] == grid.cells.reshape(-1).tolist()


def test_attempts_are_traced_one_after_the_other() -> None:
    """A search that gets lost shows what it filled too, and each attempt counts from 0."""
    numbers: list[int] = []

    def trace(number: int, _cell: int, _value: int) -> None:
        numbers.append(number)

    with pytest.raises(UnsupportedError, match="got lost 2 times"):
        grid_by_search((2, 3), seeded_draws(391), diagonals=True, attempts=2, trace=trace)
    second = numbers.index(0, 1)
    assert numbers == [*range(second), *range(len(numbers) - second)]


def test_without_a_number_of_attempts_there_is_an_answer() -> None:
    """A seed that gets lost twice comes through in the end, and what cannot be is told."""
    rules = Variant.x((2, 3)).rules
    with pytest.raises(UnsupportedError, match="got lost 2 times"):
        fill(rules, seeded_draws(391), attempts=2)
    assert fill(rules, seeded_draws(391), attempts=None) is not None
    assert fill(Variant.x((1, 3)).rules, seeded_draws(1), attempts=None) is None


@given(st.integers(0, 2**32 - 1), st.integers(0, 36))
def test_givens_stay_and_are_completed(seed: int, count: int) -> None:
    """Any part of a grid is completed around the givens."""
    rng = np.random.default_rng(seed)
    grid = grid_by_search((2, 3), seeded_draws(seed))
    givens = np.full(36, -1, dtype=np.int32)
    kept = rng.permutation(36)[:count]
    givens[kept] = grid.cells.reshape(-1)[kept]
    filled = fill(Variant.standard((2, 3)).rules, seeded_draws(seed + 1), givens=givens)
    assert filled is not None
    assert np.array_equal(filled[kept], givens[kept])
    assert SudokuGrid(filled.reshape(6, 6)).order == 6


@pytest.mark.parametrize("givens", [{0: 1, 3: 1}, {0: 0, 1: 1, 6: 2}])
def test_what_cannot_be_completed_gives_nothing(givens: dict[int, int]) -> None:
    """Two equal digits in a row, or a box without a place for digit 2: None, no broken grid."""
    cells = np.full(16, -1, dtype=np.int32)
    cells[list(givens)] = list(givens.values())
    assert fill(Variant.standard((2, 2)).rules, seeded_draws(1), givens=cells) is None


def test_answers_agree_with_trying_everything() -> None:
    """On random 4x4 givens, a completion is found exactly where one exists."""
    rules = Variant.standard((2, 2)).rules
    rng = np.random.default_rng(3)
    answers = set()
    for seed in range(150):
        cells = np.full(16, -1, dtype=np.int32)
        cells[rng.permutation(16)[:4]] = rng.integers(0, 4, 4)
        possible = _completions(cells, rules) > 0
        assert (fill(rules, seeded_draws(seed), givens=cells) is not None) == possible
        answers.add(possible)
    assert answers == {True, False}


def _completions(cells: Any, rules: Any) -> int:
    """Count completions by trying every digit in every open cell."""
    for cell in range(len(cells)):
        near = cells[rules.peers[rules.peer_ends[cell] : rules.peer_ends[cell + 1]]]
        if cells[cell] >= 0 and cells[cell] in near:
            return 0
    open_cells = np.flatnonzero(cells < 0)
    if not len(open_cells):
        return 1
    total = 0
    for digit in range(rules.values):
        tried = cells.copy()
        tried[open_cells[0]] = digit
        total += _completions(tried, rules)
    return total


@pytest.mark.parametrize("box", [(1, 2), (1, 3)])
def test_grids_that_do_not_exist_are_refused(box: tuple[int, int]) -> None:
    """No Latin square of order 2 or 3 has every digit on both diagonals."""
    assert grid_by_search(box, seeded_draws(1)).box == box
    with pytest.raises(UnsupportedError, match="both diagonals"):
        grid_by_search(box, seeded_draws(1), diagonals=True)


def test_bad_options_are_refused() -> None:
    """Orders above 64 do not fit a word, and without attempts there is nothing to return."""
    with pytest.raises(UnsupportedError, match="at most 64 digits, not 72"):
        grid_by_search((8, 9), seeded_draws(1))
    with pytest.raises(InvalidParameterError, match="number of attempts must be an integer of 1"):
        grid_by_search((2, 2), seeded_draws(1), attempts=0)


@given(
    st.sampled_from([(1, 1), (1, 5), (2, 2), (2, 3), (3, 3), (2, 5)]),
    st.booleans(),
    st.integers(0, 2**32 - 1),
    st.integers(0, 8),
    st.integers(0, 40),
)
def test_kernel_equals_twin(
    box: tuple[int, int], diagonals: bool, seed: int, given_cells: int, budget: int
) -> None:
    """Both fill the same cells in the same order, with givens and budgets of any kind."""
    rules = (Variant.x if diagonals else Variant.standard)(box).rules
    rng = np.random.default_rng(seed)
    givens = np.full(rules.cells, -1, dtype=np.int32)
    chosen = rng.permutation(rules.cells)[:given_cells]
    givens[chosen] = rng.integers(0, rules.values, len(chosen))
    order = rng.permutation(rules.cells).astype(np.int32)
    ranks = rng.permuted(np.tile(np.arange(rules.values, dtype=np.int32), (rules.cells, 1)), axis=1)
    results = []
    for module in kernel_and_twin("search"):
        tables = (rules.peer_ends, rules.peers, rules.unit_ends, rules.units_of, rules.units)
        search = module.Search(rules.values, *tables, givens, order, ranks, False)
        found = np.full((1, rules.cells), -1, dtype=np.int32)
        log = np.full((rules.cells, 2), -1, dtype=np.int32)
        nodes = []
        for _ in range(budget):
            count = search.advance(found, 1, 1, log)
            nodes += [count, search.logged, *log[: search.logged].tolist()]
        results.append((search.finished, found.tolist(), nodes))
    assert results[0] == results[1]
