"""SudokuGrid, symmetries, cubes, and properties of all value classes."""

from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sudokucrypt import (
    InvalidGridError,
    InvalidParameterError,
    ParametricGrid,
    SudokuGrid,
    Symmetry,
)
from sudokucrypt.errors import BrokenRuleError
from sudokucrypt.sudoku import SudokuArray, SudokuPuzzle, is_unique, make_puzzle
from sudokucrypt.sudoku.model.boxes import default_box
from sudokucrypt.sudoku.model.cubes import make_cube_faces, make_dion_cube, make_half_cube
from sudokucrypt.sudoku.model.text import get_digit_name
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.seeded import seeded_draws

BOXES = [(2, 2), (2, 3), (3, 2), (3, 4), (5, 7), (6, 6)]


@pytest.mark.parametrize("box", BOXES)
def test_each_rule_holds(box: tuple[int, int]) -> None:
    """Every row, column and box of a valid grid contains every digit once."""
    grid = ParametricGrid.base(box).to_grid()
    box_rows, box_columns = box
    order = box_rows * box_columns
    cells = SudokuGrid(grid, box).cells
    boxes = (
        cells.reshape(box_columns, box_rows, box_rows, box_columns)
        .swapaxes(1, 2)
        .reshape(order, order)
    )
    for unit in (cells, cells.T, boxes):
        assert np.array_equal(np.sort(unit, axis=1), np.tile(np.arange(order), (order, 1)))


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([[0, 1, 2, 3], [2, 3, 0, 0], [1, 0, 3, 2], [3, 2, 1, 0]], "row 2 lacks 2"),
        ([[0, 1, 2, 3], [2, 3, 0, 1], [1, 0, 3, 2], [1, 0, 3, 2]], "column 1 lacks 4"),
        ([[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]], "box 1 lacks 3"),
        (
            [[0, 1, 2, 3], [2, 3, 0, 1], [1, 0, 3, 2], [3, 2, 1, 4]],
            "r4c4 holds 4, not a digit 0 to 3",
        ),
        ([[0, 1], [1]], "cells must be integers, in rows of one length"),
        ([[0.0]], "cells must be integers"),
        ([], "cells must form a square"),
    ],
)
def test_the_first_broken_rule_is_named(cells: list[list[int]], message: str) -> None:
    """An invalid grid is refused; the message names the first wrong row, column, box or cell."""
    with pytest.raises(InvalidGridError, match=message):
        SudokuGrid(cells, first=0)


def test_box_must_fit() -> None:
    """A box whose sides do not multiply to the order is refused."""
    cells = ParametricGrid.base((2, 3)).to_grid().cells
    for box in [(2, 2), (0, 6), (-2, -3)]:
        with pytest.raises(InvalidGridError):
            SudokuGrid(cells, box)


def test_a_box_of_one_row_is_a_latin_square() -> None:
    """With 1 x n boxes only rows and columns are rules."""
    cells = (np.arange(5)[:, None] + np.arange(5)) % 5 + 1
    assert SudokuGrid(cells, (1, 5)).order == 5


@pytest.mark.parametrize("box", BOXES)
def test_text_form_round_trips(box: tuple[int, int]) -> None:
    """from_text(to_text) is the grid, with letters up to order 35 and numbers beyond."""
    grid = ParametricGrid.base(box).to_grid()
    text = grid.to_text()
    assert SudokuGrid.from_text(text, box) == grid
    assert (" " in text) == (grid.order > 35)
    assert SudokuGrid.from_text(text.lower().replace("5", "5\n", 1), box) == grid


def test_bad_text_is_refused() -> None:
    """Text that is not a square of digits raises InvalidGridError."""
    for text in ("", "123", "1234341221434320", "12343412214343.1", "1 2 x" * 1000):
        with pytest.raises(InvalidGridError):
            SudokuGrid.from_text(text)


def test_open_cells_are_named() -> None:
    """A text with an open cell is refused as an unsolved puzzle."""
    with pytest.raises(InvalidGridError, match=r"^r4c4 is open, but") as caught:
        SudokuGrid.from_text("1234341221434320")
    assert caught.value.hint == "solve the puzzle first"
    with pytest.raises(
        InvalidGridError, match=r"^r1c1 holds 0, not a digit 1 to 2\nhint: "
    ) as caught:
        SudokuGrid([[0, 1], [1, 0]], (1, 2))
    assert "first=0" in (caught.value.hint or "")


def test_large_digits_have_two_names() -> None:
    """The message of an array names a digit above 9 by its letter and its number."""
    cells = np.array(ParametricGrid.base((3, 4)).to_grid())
    cells[0, 9] = 1
    with pytest.raises(InvalidGridError, match=r"^row 1 lacks A \(10\)\nhint: "):
        SudokuGrid(cells)


def test_the_usual_box_is_nearly_square() -> None:
    """The default box multiplies to the order, with no more rows than columns; orders below 1 are
    refused."""
    assert [default_box(order) for order in (1, 7, 12, 16, 18)] == [
        (1, 1),
        (1, 7),
        (3, 4),
        (4, 4),
        (3, 6),
    ]
    with pytest.raises(InvalidGridError, match="at least one row"):
        default_box(0)


def test_pretty_print_rules_boxes_off() -> None:
    """Boxes are separated by bars and lines of equal width."""
    assert str(ParametricGrid.base((2, 3)).to_grid()).splitlines() == [
        "1 2 3 | 4 5 6",
        "4 5 6 | 1 2 3",
        "------+------",
        "2 3 4 | 5 6 1",
        "5 6 1 | 2 3 4",
        "------+------",
        "3 4 5 | 6 1 2",
        "6 1 2 | 3 4 5",
    ]
    assert str(ParametricGrid.base((1, 3)).to_grid()) == "1 2 3\n2 3 1\n3 1 2"
    assert str(ParametricGrid.base((3, 1)).to_grid()) == "1 2 3\n2 3 1\n3 1 2"
    wide = str(ParametricGrid.base((6, 6)).to_grid()).splitlines()
    assert len({len(line) for line in wide}) == 1


def test_messages_name_letters_by_their_numbers_too() -> None:
    """get_digit_name adds the number only if it differs from the symbol."""
    assert [get_digit_name(digit, 12) for digit in (0, 8, 9)] == ["1", "9", "A (10)"]
    with pytest.raises(BrokenRuleError, match=r"holds A \(10\) twice"):
        SudokuPuzzle.from_text("A......A" + "." * 248)


# Symmetries and parametric grids: images are grids, can be undone, and are all that is drawn.


SLOW_BOX = pytest.param((32, 32), marks=pytest.mark.slow)


@pytest.mark.parametrize("box", [(2, 2), (2, 3), (3, 2), (3, 3), (2, 7), (7, 2), (5, 8), SLOW_BOX])
def test_drawn_grids_are_valid(box: tuple[int, int]) -> None:
    """A random parametric grid is valid, and its single cells agree with the whole grid."""
    for seed in range(3):
        table = ParametricGrid.random(box, seeded_draws(seed))
        grid = table.to_grid()
        assert SudokuGrid(grid, box) == grid
        for row, column in np.random.default_rng(seed).integers(0, table.order, (20, 2)):
            assert table.cell(row, column) + 1 == grid[row, column]


@pytest.mark.parametrize("box", [(2, 2), (2, 3), (3, 3), (4, 3), (2, 5)])
def test_inverse_undoes(box: tuple[int, int]) -> None:
    """inverse().apply(apply(grid)) is the grid, and images are valid."""
    source = seeded_draws(1)
    base = ParametricGrid.base(box).to_grid()
    transposed = set()
    for _ in range(20):
        symmetry = Symmetry.random(box, source)
        grid = ParametricGrid.random(box, source).to_grid()
        image = symmetry.apply(grid)
        assert SudokuGrid(image, box) == image
        assert symmetry.inverse().apply(image) == grid
        assert ParametricGrid.from_symmetry(symmetry).to_grid() == symmetry.apply(base)
        transposed.add(symmetry.transposed)
    assert transposed == ({True, False} if box[0] == box[1] else {False})


def test_draws_reach_every_image_of_the_base_grid() -> None:
    """With 2 x 2 boxes, random parametric grids are exactly the images under the generators."""
    identity = np.arange(4)
    generators = [
        Symmetry(box=(2, 2), rows=np.array(rows), columns=identity, digits=np.array(digits))
        for rows, digits in (
            ([1, 0, 2, 3], identity),
            ([2, 3, 0, 1], identity),
            (identity, [1, 0, 2, 3]),
            (identity, [1, 2, 3, 0]),
        )
    ]
    generators.append(
        Symmetry(box=(2, 2), rows=identity, columns=identity, digits=identity, transposed=True)
    )
    result = {ParametricGrid.base((2, 2)).to_grid()}
    unvisited = list(result)
    while unvisited:
        grid = unvisited.pop()
        images = {generator.apply(grid) for generator in generators} - result
        result |= images
        unvisited += images
    source = seeded_draws(7)
    assert {ParametricGrid.random((2, 2), source).to_grid() for _ in range(1500)} == result


def test_bad_symmetries_are_refused() -> None:
    """Symmetries that split bands, are no permutations, or transpose other boxes are refused."""
    identity = np.arange(6)
    valid_fields = {"box": (2, 3), "rows": identity, "columns": identity, "digits": identity}
    for changed_fields in (
        {"rows": np.array([1, 2, 0, 3, 4, 5])},
        {"columns": np.array([0, 1, 3, 2, 4, 5])},
        {"digits": np.array([0, 0, 2, 3, 4, 5])},
        {"digits": identity[:5]},
        {"transposed": True},
    ):
        with pytest.raises(InvalidParameterError):
            Symmetry(**{**valid_fields, **changed_fields})  # type: ignore[arg-type]
    with pytest.raises(InvalidParameterError):
        Symmetry(**valid_fields).apply(ParametricGrid.base((3, 2)).to_grid())  # type: ignore[arg-type]


# Sudoku on cubes: rings and planes are those of the folded sheet.


def fold(row: int, column: int) -> dict[str, int]:
    """Return the two coordinates on the cube, by axis, of a cell of the Latin cross."""
    down, right = row % 4, column % 4
    return {
        (0, 1): {"z": 3 - down, "x": right},  # top
        (1, 0): {"y": down, "z": 3 - right},  # left
        (1, 1): {"y": down, "x": right},  # front
        (1, 2): {"y": down, "z": right},  # right
        (2, 1): {"z": down, "x": right},  # bottom
        (3, 1): {"y": 3 - down, "x": right},  # back
    }[row // 4, column // 4]


def test_rings_go_around_the_cube() -> None:
    """A ring contains the cells with one common coordinate on four faces."""
    variant = make_cube_faces()
    rings = defaultdict(set)
    for number, (row, column) in enumerate(variant.cells):
        for axis, place in fold(row, column).items():
            rings[axis, place].add(number)
    faces = [house.cells for house in variant.houses if house.drawn == "border"]
    assert len(faces) == 6
    assert variant.house_sets == {frozenset(cells) for cells in (*rings.values(), *faces)}
    assert {len(house.cells) for house in variant.houses} == {16}


def test_half_a_cube_is_part_of_one() -> None:
    """The lines of the half cube are rings of the whole cube on its faces, and each cell is in
    three houses."""
    variant = make_half_cube()
    places = {(0, 0): (0, 1), (1, 0): (1, 1), (1, 1): (1, 2)}
    lines = defaultdict(set)
    for number, (row, column) in enumerate(variant.cells):
        face = places[row // 4, column // 4]
        for axis, place in fold(4 * face[0] + row % 4, 4 * face[1] + column % 4).items():
            lines[axis, place].add(number)
    assert {frozenset(cells) for cells in lines.values()} <= variant.house_sets
    assert set(Counter(c for house in variant.houses for c in house.cells).values()) == {3}
    assert {len(house.cells) for house in variant.houses} == {8}


def test_planes_of_a_dion_cube() -> None:
    """Each plane of a Dion cube in each direction is a Sudoku."""
    variant = make_dion_cube(2)
    solution = make_puzzle(1, sheet=variant).solution.givens.reshape(4, 4, 4)
    for axis in range(3):
        for plane in np.moveaxis(solution, axis, 0):
            boxes = plane.reshape(2, 2, 2, 2).transpose(0, 2, 1, 3).reshape(4, 4)
            assert all(sorted(line) == [0, 1, 2, 3] for line in (*plane, *plane.T, *boxes))
    assert len(make_dion_cube(3).cells) == 729
    with pytest.raises(InvalidParameterError):
        make_dion_cube(4)


@pytest.mark.parametrize(
    "variant", [make_cube_faces(), make_half_cube(), make_dion_cube(2)], ids=str
)
def test_puzzles_on_cubes(variant: Variant) -> None:
    """Puzzles on cubes are made and solved."""
    puzzle, solution = make_puzzle(2, sheet=variant)
    assert is_unique(puzzle)
    assert (solution.givens >= 0).all()


# Grids, puzzles and arrays are immutable, and equal if their cells are.


GRID = np.array(ParametricGrid.base((2, 3)).to_grid())
ARRAY = np.array(SudokuArray.base((1, 2, 2, 2)))

# For each class: a constructor, its cells, unequal objects, and the names of two attributes.
VALUES: list[tuple[Callable[[Any], Any], Any, list[object], str, str]] = [
    (SudokuGrid, GRID, [SudokuGrid(GRID, (1, 6))], "cells", "box"),
    (
        SudokuPuzzle,
        np.zeros((4, 4), int),
        [SudokuPuzzle.empty(Variant.x((2, 2)))],
        "givens",
        "variant",
    ),
    (SudokuArray, ARRAY, [SudokuArray.base((2, 1, 2, 2))], "cells", "cells"),
]


@pytest.mark.parametrize(("make", "cells", "other_cells", "attribute", "name"), VALUES)
def test_values_cannot_change(
    make: Callable[[Any], Any], cells: Any, other_cells: list[object], attribute: str, name: str
) -> None:
    """Cells are read-only and independent of the source array; equal values have equal hashes."""
    given = cells.copy()
    value, copy = make(given), make(cells.copy())
    given.reshape(-1)[0] = 3
    assert value == copy
    assert hash(value) == hash(copy)
    assert all(value != other for other in [*other_cells, "value", cells.tolist()])
    with pytest.raises(ValueError, match="read-only"):
        getattr(value, attribute).reshape(-1)[0] = 3
    with pytest.raises(AttributeError):
        setattr(value, name, None)


@pytest.mark.parametrize(("make", "cells"), [value[:2] for value in VALUES])
def test_to_numpy_they_are_arrays_from_one(make: Callable[[Any], Any], cells: Any) -> None:
    """NumPy gets a copy with digits from 1, and indexing agrees with it."""
    value = make(cells)
    assert np.array_equal(np.asarray(value), cells)
    assert np.asarray(value).dtype == np.int32
    assert np.asarray(value, dtype=np.uint8).dtype == np.uint8
    corner = (0,) * cells.ndim
    assert value[corner] == cells[corner]
    assert type(value[corner]) is int
    assert np.array_equal(value[-1], cells[-1])
    assert np.array_equal(np.array([*value]), cells)
    assert len(value) == len(cells)
    np.asarray(value)[corner] = 3
    assert value == make(cells)
    with pytest.raises(ValueError, match="copy"):
        value.__array__(copy=False)
