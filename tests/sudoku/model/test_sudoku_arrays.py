"""Sudoku arrays: the rules for any four sides, violations, and both displays."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudokucrypt import InvalidGridError, InvalidParameterError, ParametricGrid
from sudokucrypt.sudoku import SudokuArray, array_by_search, seeded_draws, shuffled_array

sides = st.integers(1, 7)
shapes = st.tuples(sides, sides, sides, sides)


def assert_valid(array: SudokuArray) -> None:
    """Assert that no rectangle, row or column contains a number twice."""
    a, b, c, d = array.shape
    cells = array.cells
    groups = [cells[i, j] for i in range(a) for j in range(b)]
    groups += [cells[i, :, k] for i in range(a) for k in range(c)]
    groups += [cells[:, j, :, l] for j in range(b) for l in range(d)]  # noqa: E741
    for group in groups:
        numbers = group.reshape(-1).tolist()
        assert len(set(numbers)) == len(numbers)
        assert 0 <= min(numbers) <= max(numbers) < max(c * d, a * c, b * d)


@given(shapes)
@settings(max_examples=25)
def test_the_base_exists_for_any_sides(shape: tuple[int, int, int, int]) -> None:
    """The base array is valid for any sides, also by the check of the class."""
    array = SudokuArray.base(shape)
    assert_valid(array)
    assert array.shape == shape
    assert SudokuArray(array) == array


@given(st.tuples(*[st.integers(1, 5)] * 4), st.integers(0, 2**32))
@settings(max_examples=20)
def test_random_arrays_never_fail(shape: tuple[int, int, int, int], seed: int) -> None:
    """array_by_search and shuffled_array give valid arrays for every shape and seed."""
    assert_valid(array_by_search(shape, seeded_draws(seed), attempts=1))
    assert_valid(shuffled_array(shape, seeded_draws(seed)))


def test_sides_beyond_any_search() -> None:
    """Shapes that are too large for a search are shuffled, differently for each seed."""
    first, second = (array_by_search((40, 3, 2, 50), seeded_draws(seed)) for seed in (1, 2))
    assert_valid(first)
    assert first != second


def test_a_search_that_is_lost_gives_a_shuffled_array() -> None:
    """With sides 5 5 4 4 and one attempt, the failed search is traced and a shuffled array
    returned."""
    nodes: list[tuple[int, int, int]] = []
    array = array_by_search(
        (5, 5, 4, 4), seeded_draws(1), attempts=1, trace=lambda *node: nodes.append(node)
    )
    assert len(nodes) > 400
    source = seeded_draws(1)
    source.permutations([400] + [20] * 400)
    assert array == shuffled_array((5, 5, 4, 4), source)


@given(shapes)
@settings(max_examples=15)
def test_text_round_trips(shape: tuple[int, int, int, int]) -> None:
    """from_text(to_text) is the array, and the text has a line for each flat row."""
    array = shuffled_array(shape, seeded_draws(1))
    text = array.to_text()
    assert SudokuArray.from_text(text, shape) == array
    assert SudokuArray.from_text(str(array), shape) == array
    assert len(text.split("\n")) == shape[0] * shape[2]


def test_displays() -> None:
    """pretty has frames around rectangles, to_text has none, and columns are aligned in both."""
    array = SudokuArray.base((2, 3, 2, 2))
    assert array.pretty().splitlines() == [
        "+---+---+---+",
        "|1 2|3 4|5 6|",
        "|3 4|5 6|1 2|",
        "+---+---+---+",
        "|2 3|4 5|6 1|",
        "|4 5|6 1|2 3|",
        "+---+---+---+",
    ]
    assert array.to_text().splitlines() == [
        "1 2 3 4 5 6",
        "3 4 5 6 1 2",
        "2 3 4 5 6 1",
        "4 5 6 1 2 3",
    ]
    wide = SudokuArray.base((2, 3, 4, 5))
    assert str(wide) == wide.pretty()
    for text in (wide.pretty(), wide.to_text()):
        assert len({len(line) for line in text.splitlines()}) == 1
    assert repr(wide) == "<SudokuArray of sides 2 3 4 5>"


@pytest.mark.parametrize("box", [(1, 4), (2, 3), (3, 2)])
def test_grids_are_arrays(box: tuple[int, int]) -> None:
    """to_grid(from_grid(grid)) is the grid."""
    grid = ParametricGrid.random(box, seeded_draws(3)).to_grid()
    array = SudokuArray.from_grid(grid)
    assert array.shape == (box[1], box[0], box[0], box[1])
    assert_valid(array)
    assert np.array_equal(array.sheet(), grid.cells)
    assert array.to_grid() == grid


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({(1, 1, 1, 1): 3}, "rectangle 5 holds 4 more than once"),
        ({(0, 0, 0, 0): 2, (0, 0, 1, 0): 0}, "row 1 holds 3 more than once"),
        ({(0, 0, 0, 0): 1, (0, 0, 0, 1): 0}, "column 1 holds 2 more than once"),
        ({(0, 0, 0, 0): 6}, "r1c1 holds 6, not a digit 0 to 5"),
        ({(1, 2, 0, 1): -1}, "r3c6 holds -1, not a digit 0 to 5"),
    ],
)
def test_the_first_broken_rule_is_named(
    change: dict[tuple[int, int, int, int], int], message: str
) -> None:
    """An array that breaks a rule is refused with the place and the number."""
    cells = SudokuArray.base((2, 3, 2, 2)).cells.copy()
    for position, number in change.items():
        cells[position] = number
    with pytest.raises(InvalidGridError, match=message):
        SudokuArray(cells, first=0)


def test_invalid_arrays_are_refused() -> None:
    """Cells of other types or dimensions, wrong sides and wrong texts are refused."""
    for cells in ([[1]], np.zeros((1, 1, 1, 0), int), np.zeros((1, 1, 1, 1))):
        with pytest.raises(InvalidGridError):
            SudokuArray(cells)
    for shape in (0, (1, 2, 3), (1, 2, 3, 0), (1, 2, 3, 4.0), (1,) * 5, True):
        with pytest.raises(InvalidParameterError, match="four sides of 1 or more"):
            SudokuArray.base(shape)  # type: ignore[arg-type]
    for text in ("", "1 2 3", "1 2 3 4 5", "1 2 3 x", "1 2 3 -4", "1 2 3 ²"):
        with pytest.raises(InvalidGridError):
            SudokuArray.from_text(text, (1, 1, 2, 2))
    with pytest.raises(InvalidParameterError, match="sides 2 3 4 5 is not a grid"):
        SudokuArray.base((2, 3, 4, 5)).to_grid()
