"""Canonical forms: equal for equivalent grids, different for others, and reached by a symmetry."""

from functools import cache
from math import factorial

import numpy as np
import pytest

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.sudoku.counting.canonical import (
    _list_first_band_orders,
    canonical_form,
    puzzle_forms,
)
from sudokucrypt.sudoku.counting.ranking import random_grid
from sudokucrypt.sudoku.counting.totals import count_grids
from sudokucrypt.sudoku.making.sheets import grid_by_search
from sudokucrypt.sudoku.model.grid import SudokuGrid
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.symmetry import ParametricGrid, Symmetry
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import Box, IntArray
from tests.sudoku.enumeration import find_indexes, list_reduced_grids, relabel_digits
from tests.sudoku.kernels import COMPILED, load_kernel_and_fallback

pytestmark = pytest.mark.kernels

BOXES: list[Box] = [(2, 2), (2, 3), (3, 2), (2, 4), (4, 2), (3, 3)]
MOST_SYMMETRIC = "123456789456789123789123456231564897564897231897231564312645978645978312978312645"
"""The grid with 648 geometric automorphisms (E. Russell and F. Jarvis 2006)."""


def count_symmetries(box: Box) -> int:
    """Return the number of symmetries, including relabelings."""
    box_rows, box_columns = box
    rows: int = factorial(box_columns) * factorial(box_rows) ** box_columns
    columns: int = factorial(box_rows) * factorial(box_columns) ** box_rows
    return (
        rows * columns * (2 if box_rows == box_columns else 1) * factorial(box_rows * box_columns)
    )


@cache
def find_smallest_images(box: Box) -> IntArray:
    """Map each reduced grid to the smallest grid reachable by exchanging rows, columns and
    digits."""
    grids = list_reduced_grids(box)
    box_rows, box_columns = box
    order = box_rows * box_columns
    images = [grids.transpose(0, 2, 1)] if box_rows == box_columns else []
    for axis, size in ((1, box_rows), (2, box_columns)):
        for start in range(0, order, size):
            for line in range(start, start + size - 1):
                line_order = np.arange(order)
                line_order[[line, line + 1]] = line + 1, line
                images.append(np.take(grids, line_order, axis=axis))
        for start in range(0, order - size, size):
            line_order = np.arange(order)
            line_order[start : start + 2 * size] = np.roll(
                line_order[start : start + 2 * size], size
            )
            images.append(np.take(grids, line_order, axis=axis))
    targets = [find_indexes(relabel_digits(image), grids) for image in images]
    leaders = np.arange(len(grids))
    while True:
        before = leaders.copy()
        for target in targets:
            np.minimum(leaders, leaders[target], out=leaders)
            np.minimum.at(leaders, target, leaders.copy())
        if (leaders == before).all():
            return leaders


@pytest.mark.parametrize("box", BOXES)
def test_images_have_the_same_form(box: Box) -> None:
    """A grid and its image under a random symmetry have the same form and number of automorphisms,
    and the returned symmetry maps the grid to the form."""
    source = seeded_draws(31)
    for grid in [random_grid(source, box=box) for _ in range(2)] + [
        ParametricGrid.base(box).to_grid()
    ]:
        form = canonical_form(grid)
        assert SudokuGrid(form.grid, box) == form.grid
        assert form.symmetry.apply(grid) == form.grid
        for _ in range(3):
            image = Symmetry.random(box, source).apply(grid)
            image_form = canonical_form(image)
            assert image_form.grid == form.grid
            assert image_form.automorphisms == form.automorphisms
            assert image_form.symmetry.apply(image) == form.grid


@pytest.mark.parametrize(
    ("box", "number"),
    [((2, 2), 2), *(pytest.param(b, 49, marks=pytest.mark.slow) for b in ((2, 3), (3, 2)))],
)
def test_classes_agree_with_enumeration(box: Box, number: int) -> None:
    """Forms and automorphisms equal those of the orbits that applying every exchange gives.

    There are 2 classes of order 4 and 49 of order 6 (E. Russell and F. Jarvis).
    """
    grids, leaders = list_reduced_grids(box), find_smallest_images(box)
    order = grids.shape[1]
    firsts, sizes = np.unique(leaders, return_counts=True)
    assert len(firsts) == number
    forms = {}
    for first, size in zip(firsts.tolist(), sizes.tolist(), strict=True):
        form = canonical_form(SudokuGrid(grids[first], box, first=0))
        # The grids are in lexicographic order, so that the first of an orbit is the smallest.
        assert (form.grid.cells == grids[first]).all()
        assert form.automorphisms * size * factorial(order) == count_symmetries(box)
        forms[first] = form
    assert sum(
        count_symmetries(box) // form.automorphisms for form in forms.values()
    ) == count_grids(box)
    for position in np.random.default_rng(32).integers(0, len(grids), 100).tolist():
        form = canonical_form(SudokuGrid(grids[position], box, first=0))
        assert (form.grid.cells == grids[leaders[position]]).all()


@pytest.mark.parametrize(
    ("order", "number", "squares"),
    [(3, 1, 12), (4, 2, 576), (5, 2, 161280)] + [(6, 17, 812851200)] * COMPILED,
)
def test_types_of_latin_squares(order: int, number: int, squares: int) -> None:
    """The classes of Latin squares, which may be transposed, together contain all squares.

    There are 17 classes of order 6 (G. Tarry 1900), and the sum of their sizes proves that none is
    missing.
    """
    source = seeded_draws(1)
    box = 1, order
    automorphisms = {}
    for _ in range(60 * number):
        grid = grid_by_search(source, box=box)
        form = canonical_form(grid)
        assert form.symmetry.apply(grid) == form.grid
        if form.grid not in automorphisms:
            automorphisms[form.grid] = form.automorphisms
            assert canonical_form(SudokuGrid(np.asarray(grid).T, box)).grid == form.grid
    assert len(automorphisms) == number
    group = 2 * factorial(order) ** 3
    assert sum(group // count for count in automorphisms.values()) == squares


@pytest.mark.parametrize("order", [2, 4, 7])
def test_boxes_of_one_column_are_latin_squares_too(order: int) -> None:
    """The form of a Latin square is the same for boxes of one row, of one column, and
    transposed."""
    grid = grid_by_search(seeded_draws(2), box=(1, order))
    form = canonical_form(grid)
    tall = SudokuGrid(grid, (order, 1))
    for cells in (tall, SudokuGrid(np.asarray(grid).T, (order, 1))):
        tall_form = canonical_form(cells)
        assert (tall_form.grid.cells == form.grid.cells).all()
        assert tall_form.automorphisms == form.automorphisms
        assert tall_form.symmetry.apply(cells) == tall_form.grid


def test_the_form_is_smallest_among_images() -> None:
    """No random image of a grid is before its form, whose first row is 1, 2, ..., 9."""
    source = seeded_draws(33)
    grid = random_grid(source)
    smallest = canonical_form(grid).grid.to_text()
    assert smallest.startswith(("123456789456", "123456789457"))
    assert all(Symmetry.random((3, 3), source).apply(grid).to_text() >= smallest for _ in range(60))


def test_known_automorphisms() -> None:
    """The most symmetric 9x9 grid has 648 automorphisms; random grids have one and different
    forms."""
    source = seeded_draws(34)
    assert canonical_form(MOST_SYMMETRIC).automorphisms == 648
    first_form, second_form = (canonical_form(random_grid(source)) for _ in range(2))
    assert first_form.automorphisms == second_form.automorphisms == 1
    assert first_form.grid != second_form.grid


@pytest.mark.parametrize("box", [(1, 1), (2, 2), (3, 2), (3, 3)])
def test_kernel_and_fallback_agree(box: Box) -> None:
    """Kernel and fallback return the same image, orders and counts, also if a smaller image is
    known."""
    source = seeded_draws(37)
    for grid in (ParametricGrid.base(box).to_grid(), ParametricGrid.random(box, source).to_grid()):
        other_grids = [grid_by_search(source, box=box).cells for _ in range(3)]
        results = []
        for module in load_kernel_and_fallback("canonical"):
            best = np.empty(grid.cells.shape, dtype=np.uint8)
            orders = np.empty((2, len(best)), dtype=np.uint8)
            for known, cells in enumerate([grid.cells, *other_grids]):
                given = np.ascontiguousarray(cells, dtype=np.uint8)
                choice = module.find_smallest_image(
                    given, box[0], _list_first_band_orders(box), best, orders, has_best=known > 0
                )
                results.append((choice, best.tobytes(), orders.tobytes() if choice[0] else b""))
        assert results[:4] == results[4:]


def test_forms_of_puzzles() -> None:
    """Equivalent puzzles have equal forms, other puzzles of the same solution do not; as the
    fallback."""
    source = seeded_draws(41)
    puzzles, solutions = [], []
    for grid in (random_grid(source), SudokuGrid.from_text(MOST_SYMMETRIC)):
        cells = grid.cells.ravel() + 1
        for givens in range(20, 24):
            puzzle = np.where(source.permutations([81]) < givens, cells, 0)
            for _ in range(3):
                symmetry = Symmetry.random((3, 3), source)
                puzzles.append(symmetry.apply(SudokuPuzzle(puzzle)).givens + 1)
                solutions.append(symmetry.apply(grid).cells.ravel() + 1)
    forms = puzzle_forms(puzzles, solutions)
    keys = [grid.tobytes() + given.tobytes() for grid, given in zip(*forms, strict=True)]
    assert [keys.index(key) for key in keys] == [index // 3 * 3 for index in range(24)]
    assert (forms.given.sum(axis=1) == np.tile(np.repeat(range(20, 24), 3), 2)).all()
    for index in (0, 23):
        assert (
            forms.grids[index] == canonical_form(solutions[index].reshape(9, 9)).grid.cells.ravel()
        ).all()
    full = np.array(solutions[9:14], dtype=np.uint8).reshape(-1, 9, 9) - 1
    is_given = (np.array(puzzles[9:14]) > 0).astype(np.uint8).reshape(-1, 9, 9)
    for module in load_kernel_and_fallback("canonical"):
        results = np.zeros((2, 5, 9, 9), dtype=np.uint8)
        module.find_smallest_puzzles(
            full, is_given, 3, _list_first_band_orders((3, 3)), *results, 1, 4
        )
        assert (results[:, 1:4].reshape(2, 3, 81) == [part[10:13] for part in forms]).all()
        assert not results[:, [0, 4]].any()


def test_shapes_with_too_many_orders_are_refused() -> None:
    """For boxes with too many orders, the error message contains their number."""
    with pytest.raises(UnsupportedError, match="orders to try"):
        canonical_form(ParametricGrid.base((4, 4)).to_grid())
