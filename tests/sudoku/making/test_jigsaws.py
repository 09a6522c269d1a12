"""Random jigsaws: connected regions, at least one full grid, and the same map for a seed."""

from collections.abc import Iterator
from itertools import islice

import pytest

from sudokucrypt.errors import InvalidParameterError, UndecidedError, UnsupportedError
from sudokucrypt.sudoku.making import jigsaws
from sudokucrypt.sudoku.making.jigsaws import random_jigsaw
from sudokucrypt.sudoku.making.puzzles import make_puzzle
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.sudoku.solving.exact_cover import cover_solutions
from sudokucrypt.sudoku.solving.solver import count_solutions

RECORDED = """
    AAABBBBBC AAADBBBBC AAADDDDDC EEEFDDDCC EEEFFCCCC EEEFFFFGG HIIIIIFFG HHHHIIIIG HHHHGGGGG
"""
"""The map of seed 1, as recorded when these were introduced."""


def count_parts(rows: tuple[str, ...]) -> int:
    """Return the total number of connected parts of all regions of a map."""
    order = len(rows)
    unvisited = {(row, column) for row in range(order) for column in range(order)}
    number = 0
    while unvisited:
        number += 1
        queue = [unvisited.pop()]
        for row, column in queue:
            for neighbor in (
                (row - 1, column),
                (row + 1, column),
                (row, column - 1),
                (row, column + 1),
            ):
                if neighbor in unvisited and rows[neighbor[0]][neighbor[1]] == rows[row][column]:
                    unvisited.remove(neighbor)
                    queue.append(neighbor)
    return number


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5, 7, 9, 16])
def test_regions_hang_together_and_can_be_filled(order: int) -> None:
    """Each region is connected and has as many cells as rows, and a full grid exists."""
    maps = set()
    for seed in range(5):
        variant = random_jigsaw(seed, order=order)
        assert count_parts(variant.regions) == order
        assert count_solutions(SudokuPuzzle.empty(variant), 1) == 1
        maps.add(variant.regions)
    assert len(maps) == 5 or order < 5


def test_a_seed_decides() -> None:
    """A seed, or its stream, always gives the same map; a stream continues with other maps."""
    source = seeded_draws(1)
    first = random_jigsaw(source)
    assert first == random_jigsaw(1)
    assert random_jigsaw(source) != first
    assert first.regions == tuple(RECORDED.split())


@pytest.mark.parametrize("seed", range(8))
def test_puzzles_have_one_solution(seed: int) -> None:
    """Dancing links and plain trial and error find only the returned solution."""
    source = seeded_draws(seed)
    variant = random_jigsaw(source, order=6)
    puzzle, solution = make_puzzle(source, sheet=variant)
    assert list(islice(cover_solutions(puzzle), 2)) == [solution]
    assert list(islice(solve_by_trial(puzzle.to_text(), variant.regions), 2)) == [
        solution.to_text()
    ]


def solve_by_trial(text: str, rows: tuple[str, ...]) -> Iterator[str]:
    """Yield all solutions by trial and error, from rows, columns and letters of regions only."""
    if "." not in text:
        yield text
        return
    order, position = len(rows), text.index(".")
    row, column = divmod(position, order)
    peer_digits = {
        digit
        for cell, digit in enumerate(text)
        if cell // order == row
        or cell % order == column
        or rows[cell // order][cell % order] == rows[row][column]
    }
    for digit in "123456"[:order]:
        if digit not in peer_digits:
            yield from solve_by_trial(text[:position] + digit + text[position + 1 :], rows)


def test_impossible_maps_are_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Maps without a full grid, or undecided ones, are replaced, up to a number of maps."""
    impossible = Variant.jigsaw(["AAAB", "BBBA", "CCDD", "CCDD"])
    assert count_solutions(SudokuPuzzle.empty(impossible), 1) == 0
    monkeypatch.setattr(jigsaws, "_MAX_MAPS", 3)
    monkeypatch.setattr(Variant, "jigsaw", lambda _: impossible)
    with pytest.raises(UndecidedError, match="any of 3 maps of 4 regions"):
        random_jigsaw(1, order=4)

    def raise_undecided(*_: object, patience: int) -> int:
        raise UndecidedError(f"given up at node {patience}")

    monkeypatch.setattr(jigsaws, "count_solutions", raise_undecided)
    with pytest.raises(UndecidedError, match="any of 3 maps of 4 regions"):
        random_jigsaw(1, order=4)


def test_bad_orders_are_refused() -> None:
    """Orders that are not whole numbers from 1 to 20 are refused."""
    for order in (0, -1, 2.5):
        with pytest.raises(InvalidParameterError, match="the order"):
            random_jigsaw(1, order=order)  # type: ignore[arg-type]
    with pytest.raises(UnsupportedError, match="at most 20 rows, not 21"):
        random_jigsaw(1, order=21)
