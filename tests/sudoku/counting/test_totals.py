"""Exact counts agree with the literature, with enumeration, and with each other."""

from collections.abc import Callable
from itertools import permutations, product
from math import comb, factorial

import numpy as np
import pytest

from sudokucrypt.errors import InvalidGridError, UnsupportedError
from sudokucrypt.sudoku.counting.classes import count_classes
from sudokucrypt.sudoku.counting.diagonals import DiagonalTables, _images, diagonal_classes
from sudokucrypt.sudoku.counting.factorizations import list_factorizations
from sudokucrypt.sudoku.counting.halves import count_fillings, halves_graph, word_classes
from sudokucrypt.sudoku.counting.totals import count_grids, count_samurai_grids, count_x_grids
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.solving.solver import count_solutions
from tests.sudoku.enumeration import reduced_grids
from tests.sudoku.kernels import COMPILED, kernel_and_twin

LATIN = [1, 2, 12, 576, 161280, 812851200, 61479419904000, 108776032459082956800]
"""OEIS A002860."""
DIAGONAL = [1, 0, 0, 48, 960, 92160]
"""OEIS A274806, diagonal Latin squares."""


@pytest.mark.parametrize("n", [1, 2, 3, 5, 7, pytest.param(8, marks=pytest.mark.slow)])
def test_latin_squares(n: int) -> None:
    """Boxes of one row give Latin squares, counted as in OEIS A002860; order 9 takes minutes."""
    assert count_grids((1, n)) == count_grids((n, 1)) == LATIN[n - 1]


@pytest.mark.parametrize(
    ("box", "number"),
    [
        ((2, 2), 288),  # OEIS A107739
        ((2, 3), 28200960),  # this and the next: E. Russell, in "Mathematics of Sudoku"
        ((2, 4), 29136487207403520),
        ((3, 3), 6670903752021072936960),  # OEIS A107739, Felgenhauer and Jarvis 2006
    ],
)
def test_published_counts(box: tuple[int, int], number: int) -> None:
    """The counts are the published ones, for either order of rows and columns."""
    assert count_grids(box) == count_grids(box[::-1]) == number


@pytest.mark.nightly
@pytest.mark.skipif(
    not COMPILED, reason="takes minutes with the twin, which other tests compare with the kernel"
)
def test_two_by_five() -> None:
    """The largest shape in reach gives the number published by K. Pettersen."""
    assert count_grids((5, 2)) == 1903816047972624930994913280000


def test_shapes_out_of_reach_are_named() -> None:
    """Other shapes are refused at once, with a published number or what can be counted."""
    hints = {
        (1, 10): "3x3",
        (2, 6): "38296278920738107863746324732",
        (3, 4): "there are",
        (4, 4): "3x3",
    }
    for box, hint in hints.items():
        with pytest.raises(UnsupportedError) as caught:
            count_grids(box)
        assert hint in (caught.value.hint or "")
        with pytest.raises(UnsupportedError, match="with diagonals"):
            count_x_grids(box)
    with pytest.raises(InvalidGridError):
        count_grids((0, 3))


@pytest.mark.parametrize("count", [count_grids, count_x_grids, count_classes])
@pytest.mark.parametrize("box", [(1, 6), (2, 2)])
def test_progress_runs_to_the_end(count: Callable[..., int], box: tuple[int, int]) -> None:
    """Progress starts at 0, rises by one, and ends with all steps done."""
    seen: list[tuple[int, int]] = []
    count(box, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(done, len(seen) - 1) for done in range(len(seen))]
    assert len(seen) >= 2


@pytest.mark.parametrize("n", [1, 3, 5, 6])
def test_diagonal_latin_squares(n: int) -> None:
    """With boxes of one row the diagonals are those of OEIS A274806."""
    assert count_x_grids((1, n)) == DIAGONAL[n - 1]


@pytest.mark.parametrize("box", [(2, 2), pytest.param((3, 2), marks=pytest.mark.slow)])
def test_x_grids_agree_with_enumeration(box: tuple[int, int]) -> None:
    """As many enumerated grids have every digit on both diagonals."""
    grids = reduced_grids(box)
    n = grids.shape[1]
    every = np.arange(n)
    whole = np.ones(len(grids), dtype=bool)
    for columns in (every, every[::-1]):
        whole &= (np.sort(grids[:, every, columns], axis=1) == every).all(axis=1)
    assert count_x_grids(box) == whole.sum() * factorial(n)


def test_diagonals_of_a_class_are_completed_equally_often() -> None:
    """A diagonal and an image leave as many grids as the solver finds, which takes half a minute.

    All 4752 choices of the rising diagonal are in a class; together they make the number of X grids
    of order 9, 55613393399531520, which takes half a minute as well.
    """
    classes = diagonal_classes()
    assert (len(classes), sum(classes.values())) == (74, 4752)
    first = next(iter(classes))
    image = next(image for image in _images(first) if image != first)
    tables = DiagonalTables()
    assert tables.count(first) == tables.count(image) == 31851792


def test_classes_of_diagonals_count_with_their_members(monkeypatch: pytest.MonkeyPatch) -> None:
    """If every diagonal could be completed in 5 ways, so could each of its 4752 images."""
    monkeypatch.setattr(DiagonalTables, "count", lambda *_: 5)
    assert count_x_grids((3, 3)) == factorial(9) * 4752 * 5


def test_samurai_counts_follow_from_the_grids() -> None:
    """Whatever a box holds is completed equally often, which gives five grids with shared boxes.

    In order 4 this is enumerated for every box; the count of order 9 is the same formula.
    """
    digits = np.array(list(permutations(range(4))))
    grids = digits[:, reduced_grids((2, 2))].reshape(-1, 4, 4)
    for row, column in product((0, 2), repeat=2):
        corner = grids[:, row : row + 2, column : column + 2].reshape(-1, 4)
        _, ways = np.unique(corner, axis=0, return_counts=True)
        assert ways.tolist() == [len(grids) // factorial(4)] * factorial(4)
    assert count_samurai_grids() * factorial(9) ** 4 == count_grids((3, 3)) ** 5
    with pytest.raises(InvalidGridError, match="sides of 2 or more"):
        count_samurai_grids((1, 4))


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="the twin visits six million sheets in minutes")
def test_samurai_sheets_agree_with_the_solver() -> None:
    """The solver finds as many sheets of five 4x4 grids as the formula says."""
    empty = SudokuPuzzle.empty(Variant.samurai((2, 2)))
    assert count_samurai_grids((2, 2)) == count_solutions(empty)


@pytest.mark.parametrize("q", [1, 2, 3, 4])
def test_word_classes_hold_all_halves(q: int) -> None:
    """The classes together hold every choice of one half of the digits in each box."""
    assert sum(word_classes(q).values()) == comb(2 * q, q) ** q


@pytest.mark.parametrize("q", [2, 3, pytest.param(4, marks=pytest.mark.slow)])
def test_lists_are_as_long_as_counted(q: int) -> None:
    """Listing the tables of a band gives as many as counting, each a different valid one."""
    for words in word_classes(q):
        graph = halves_graph(words, q)
        tables = list_factorizations(graph)
        assert len(tables) * factorial(q) == count_fillings(words, q)
        assert len({table.tobytes() for table in tables}) == len(tables)
        assert graph[np.arange(2 * q), tables].all()
        assert (np.sort(tables, axis=2) == np.arange(2 * q)).all()
        edges = tables * 2 * q + np.arange(2 * q)
        assert all(len(np.unique(table)) == 2 * q * q for table in edges)


@pytest.mark.parametrize("sizes", [(0, 3, 3), (3, 3, 0), (20, 25, 30)])
def test_kernel_and_twin_count_the_same_triples(sizes: tuple[int, int, int]) -> None:
    """Both count the triples of masks without a common bit, as trying all of them does."""
    rng = np.random.default_rng(41)
    one, two, three = (rng.integers(0, 2**64, (4, size), dtype=np.uint64) for size in sizes)
    groups = [np.bitwise_and.reduce(masks, axis=0) for masks in (one, two, three)]
    expected = sum(
        int(a & b == 0 and a & c == 0 and b & c == 0) for a, b, c in product(*map(list, groups))
    )
    for module in kernel_and_twin("numbering"):
        assert module.count_triples(*groups) == expected
