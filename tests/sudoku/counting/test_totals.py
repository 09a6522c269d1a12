"""Exact counts agree with the literature, with enumeration, and with each other."""

import random
from collections.abc import Callable
from itertools import permutations, product
from math import factorial

import numpy as np
import pytest

from sudokucrypt.errors import InvalidGridError, InvalidParameterError, UnsupportedError
from sudokucrypt.sudoku import Symmetry, canonical_form, random_grid, rank, seeded_draws, unrank
from sudokucrypt.sudoku.counting.class_numbers import (
    CanonicalListing,
    find_normal_bands,
    get_band_tables,
)
from sudokucrypt.sudoku.counting.classes import count_classes
from sudokucrypt.sudoku.counting.halves import list_factorizations, make_digit_graph
from sudokucrypt.sudoku.counting.ranking import grid_total
from sudokucrypt.sudoku.counting.totals import (
    PUBLISHED_COUNTS,
    PUBLISHED_X_COUNT,
    count_grids,
    count_samurai_grids,
    count_sheets,
)
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.solving.solver import count_solutions
from tests.sudoku.enumeration import list_reduced_grids
from tests.sudoku.kernels import COMPILED

REDUCED = {8: 535281401856, 9: 377597570964258816, 10: 7580721483160132811489280,
           11: 5363937773277371298119673540771840}  # fmt: skip
"""OEIS A000315, Latin squares whose first row and first column are in order."""
DIAGONAL = [1, 0, 0, 48, 960, 92160]
"""OEIS A274806, diagonal Latin squares."""


@pytest.mark.parametrize(
    ("box", "number"),
    [
        ((2, 2), 288),  # OEIS A107739
        ((2, 3), 28200960),  # E. Russell, in "Mathematics of Sudoku"
        ((3, 3), 6670903752021072936960),  # OEIS A107739, Felgenhauer and Jarvis 2006
    ],
)
def test_computed_counts(box: tuple[int, int], number: int) -> None:
    """count_grids returns the published numbers, with rows and columns of the box in either
    order."""
    assert count_grids(box) == count_grids(box[::-1]) == number


@pytest.mark.parametrize("order", range(1, 6))
def test_small_latin_squares(order: int) -> None:
    """The published numbers of Latin squares equal those that the solver counts."""
    assert (
        count_grids((1, order)) == count_grids((order, 1)) == count_solutions(Variant.latin(order))
    )


@pytest.mark.parametrize("order", REDUCED)
def test_large_latin_squares(order: int) -> None:
    """The number of Latin squares is that of reduced squares times permutations of rows and
    columns."""
    assert count_grids((1, order)) == REDUCED[order] * factorial(order) * factorial(order - 1)


def test_published_counts() -> None:
    """Each number of grids is divisible by the number of relabelings.

    The number for 2x4 also equals the number of grids that rank and unrank support.
    """
    assert grid_total((2, 4)) == count_grids((4, 2)) == PUBLISHED_COUNTS[2, 4].grids
    for (rows, columns), (grids, source) in PUBLISHED_COUNTS.items():
        assert rows <= columns
        assert grids % factorial(rows * columns) == 0
        assert source


def interrupt(*_: object) -> None:
    """End a count as Ctrl-C does."""
    raise KeyboardInterrupt


def test_unknown_shapes_are_named() -> None:
    """Other boxes are refused at once, and the hint lists the supported boxes."""
    for box in ((1, 12), (2, 7), (3, 5), (4, 4)):
        with pytest.raises(UnsupportedError, match="not known") as caught:
            count_grids(box)
        assert "2x2, 2x3, 2x4, 2x5, 2x6, 3x4 and 3x3" in (caught.value.hint or "")
    with pytest.raises(InvalidGridError):
        count_grids((0, 3))
    for variant in (Variant.x((2, 4)), Variant.windoku()):
        with pytest.raises(UnsupportedError, match="cannot be counted"):
            count_sheets(variant)
    # Seven digits are the most; counting them takes long, so it ends with the first step.
    with pytest.raises(KeyboardInterrupt):
        count_sheets(Variant.x((1, 7)), progress=interrupt)


@pytest.mark.parametrize(
    "count",
    [
        lambda progress: count_grids((2, 2), progress=progress),
        lambda progress: count_grids((1, 6), progress=progress),
        lambda progress: count_sheets(Variant.x((2, 2)), progress=progress),
        lambda progress: count_classes((2, 2), progress=progress),
    ],
)
def test_progress_runs_to_the_end(count: Callable[[Callable[[int, int], object]], int]) -> None:
    """The reported steps start at 0, increase by one, and end with the number of all steps."""
    reports: list[tuple[int, int]] = []
    count(lambda done, total: reports.append((done, total)))
    assert reports == [(done, len(reports) - 1) for done in range(len(reports))]
    assert len(reports) >= 2


@pytest.mark.parametrize("order", [1, 3, 5, 6])
def test_diagonal_latin_squares(order: int) -> None:
    """The counted Latin squares with both diagonals agree with OEIS A274806."""
    assert count_sheets(Variant.x((1, order))) == DIAGONAL[order - 1]


@pytest.mark.parametrize("box", [(2, 2), pytest.param((3, 2), marks=pytest.mark.slow)])
def test_x_grids_agree_with_enumeration(box: tuple[int, int]) -> None:
    """count_sheets of X-Sudoku equals the enumerated grids with all digits on both diagonals."""
    grids = list_reduced_grids(box)
    order = grids.shape[1]
    digits = np.arange(order)
    keeps_rules = np.ones(len(grids), dtype=bool)
    for columns in (digits, digits[::-1]):
        keeps_rules &= (np.sort(grids[:, digits, columns], axis=1) == digits).all(axis=1)
    assert count_sheets(Variant.x(box)) == keeps_rules.sum() * factorial(order)


def test_x_grids_of_order_nine_are_the_published_number() -> None:
    """The constant for 9x9 X-Sudoku is 9! times the number that its author published."""
    assert count_sheets(Variant.x()) == PUBLISHED_X_COUNT.grids == 153_255_603_504 * factorial(9)


def test_samurai_counts_follow_from_the_grids() -> None:
    """Each content of a box can be completed equally often, which gives the Samurai formula.

    For order 4 all boxes are enumerated; for order 9 only the formula is computed.
    """
    digits = np.array(list(permutations(range(4))))
    grids = digits[:, list_reduced_grids((2, 2))].reshape(-1, 4, 4)
    for row, column in product((0, 2), repeat=2):
        corner = grids[:, row : row + 2, column : column + 2].reshape(-1, 4)
        _, way_counts = np.unique(corner, axis=0, return_counts=True)
        assert way_counts.tolist() == [len(grids) // factorial(4)] * factorial(4)
    assert count_samurai_grids() * factorial(9) ** 4 == count_grids((3, 3)) ** 5
    with pytest.raises(InvalidGridError, match="sides of 2 or more"):
        count_samurai_grids((1, 4))


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="the fallback visits six million sheets in minutes")
def test_samurai_sheets_agree_with_the_solver() -> None:
    """The solver counts as many Samurai grids with 2x2 boxes as the formula."""
    empty_puzzle = SudokuPuzzle.empty(Variant.samurai((2, 2)))
    assert count_samurai_grids((2, 2)) == count_solutions(empty_puzzle)


@pytest.mark.parametrize("boxes", [2, 3, pytest.param(4, marks=pytest.mark.slow)])
def test_listed_fillings_are_different_and_valid(boxes: int) -> None:
    """Each listed filling of a band uses every edge of the graph once, and all fillings differ."""
    all_boxes = (1 << boxes) - 1
    graph = make_digit_graph((0,) * boxes + (all_boxes,) * boxes, boxes)
    tables = list_factorizations(graph)
    # Two Latin squares of order q side by side, up to the order of their common rows.
    assert len(tables) * factorial(boxes) == count_grids((1, boxes)) ** 2
    assert len({table.tobytes() for table in tables}) == len(tables)
    assert graph[np.arange(2 * boxes), tables].all()
    assert (np.sort(tables, axis=2) == np.arange(2 * boxes)).all()
    edges = tables * 2 * boxes + np.arange(2 * boxes)
    assert all(len(np.unique(table)) == 2 * boxes * boxes for table in edges)


# Numbers of classes of 9x9 grids, against canonical forms, symmetries and the published total.


PUBLISHED = 5_472_730_538
"""E. Russell and F. Jarvis, "Mathematics of Sudoku II", 2006."""

# The first grid of all, as listed in many places.
FIRST = "123456789456789123789123456214365897365897214897214365531642978642978531978531642"


def test_table_is_complete() -> None:
    """The table has 416 bands in order, counts for all starts, and the sum of all classes."""
    tables = get_band_tables()
    texts = [band.tobytes() for band in tables.bands]
    assert texts == sorted({*texts})
    assert sum(int(counts.sum()) for counts in tables.counts) == PUBLISHED
    # All normal bands are of a class, and each class is that of its own first band.
    assert np.bincount(tables.normal_band_classes).min() > 0
    assert (tables.normal_band_classes[find_normal_bands(tables.bands)[0]] == np.arange(416)).all()
    for band_class in (0, 7, 200, 415):
        assert len(CanonicalListing(band_class).list_starts()) == len(tables.counts[band_class])


def test_canonical_forms_begin_with_the_first_class() -> None:
    """The canonical form of a grid begins with the smallest class of all its bands and stacks."""
    tables = get_band_tables()
    for seed in range(30):
        cells = random_grid(seed).cells.astype(np.uint8)
        bands = np.concatenate([cells.reshape(3, 3, 9), cells.T.copy().reshape(3, 3, 9)])
        lowest_class = tables.normal_band_classes[find_normal_bands(bands)[0]].min()
        assert (
            canonical_form(random_grid(seed)).grid.cells[:3] == tables.bands[lowest_class]
        ).all()


@pytest.mark.parametrize(
    "number", [PUBLISHED - 1, pytest.param(5_472_000_000, marks=pytest.mark.slow)]
)
def test_class_numbers_round_trip(number: int) -> None:
    """unrank gives a canonical form, and rank gives the number again for every equivalent grid."""
    grid = unrank(number, classes=True)
    assert canonical_form(grid).grid == grid
    image = Symmetry.random((3, 3), seeded_draws(number)).apply(grid)
    assert image != grid
    assert rank(image, classes=True) == number
    assert number == PUBLISHED - 1 or unrank(number + 1, classes=True).to_text() > grid.to_text()


@pytest.mark.slow
def test_the_first_class_is_that_of_the_first_grid() -> None:
    """Class 0 is that of the first grid, whose band one has 108 symmetries."""
    assert unrank(0, classes=True).to_text() == FIRST
    assert rank(FIRST, classes=True) == 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_random_grids_are_listed_in_order(seed: int) -> None:
    """The classes before and after that of a random grid are canonical and in order."""
    number = rank(random_grid(seed), classes=True)
    neighbors = [unrank(index, classes=True) for index in (number - 1, number, number + 1)]
    assert neighbors[1] == canonical_form(random_grid(seed)).grid
    assert all(canonical_form(grid).grid == grid for grid in neighbors)
    texts = [grid.to_text() for grid in neighbors]
    assert texts == sorted({*texts})


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_table_equals_listing(seed: int) -> None:
    """For three random entries of the table, the listing contains as many different grids."""
    source, counts = random.Random(seed), get_band_tables().counts  # noqa: S311
    for band_class in source.choices(range(416), [len(own) for own in counts], k=3):
        listing = CanonicalListing(band_class)
        index = source.randrange(len(counts[band_class]))
        keys = listing.list_keys(listing.list_starts()[index])
        assert len(np.unique(keys)) == len(keys) == counts[band_class][index]


def test_unnumbered_grids_are_refused() -> None:
    """Classes of other boxes, and numbers beyond the last class, are refused."""
    with pytest.raises(UnsupportedError):
        rank("1234341221434321", classes=True)
    with pytest.raises(UnsupportedError):
        unrank(0, (2, 3), classes=True)
    for wrong in (-1, PUBLISHED):
        with pytest.raises(InvalidParameterError):
            unrank(wrong, classes=True)
