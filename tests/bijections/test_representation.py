"""The eight representations: each names every cell once, and the published numbering holds."""

import numpy as np
import pytest

from sudokucrypt import (
    InvalidParameterError,
    Key,
    Numbering,
    ParametricGrid,
    Representation,
    StreamDraws,
    SudokuGrid,
    cells_at,
    names_of,
)

BOXES = [(2, 2), (2, 3), (3, 3), (3, 4), (4, 4), (16, 16)]


def drawn(box: tuple[int, int]) -> SudokuGrid:
    source = StreamDraws(Key(bytes(32)).stream("test", bytes(box)))
    return ParametricGrid.random(box, source).to_grid()


@pytest.mark.parametrize("numbering", Numbering)
@pytest.mark.parametrize("representation", Representation)
@pytest.mark.parametrize("box", BOXES)
def test_every_cell_has_one_name(
    box: tuple[int, int], representation: Representation, numbering: Numbering
) -> None:
    """names_of is one to one onto all pairs 0..n-1, and cells_at is its inverse."""
    grid = drawn(box)
    n = grid.order
    rows, columns = np.indices((n, n))
    first, second = names_of(grid, representation, rows, columns, numbering=numbering)
    assert len(np.unique(first * n + second)) == n * n
    assert first.min() == second.min() == 0
    assert first.max() == second.max() == n - 1
    back = cells_at(grid, representation, first, second, numbering=numbering)
    assert np.array_equal(back[0], rows)
    assert np.array_equal(back[1], columns)


@pytest.mark.parametrize("numbering", Numbering)
@pytest.mark.parametrize("box", BOXES)
def test_blocks_are_boxes(box: tuple[int, int], numbering: Numbering) -> None:
    """The cells of one block number are one box, in either numbering."""
    grid = drawn(box)
    p, q = box
    rows, columns = np.indices((grid.order, grid.order))
    block, _ = names_of(grid, Representation.BLOCK_GRID, rows, columns, numbering=numbering)
    for index in range(grid.order):
        inside = np.argwhere(block == index)
        assert len(inside) == p * q
        assert (np.ptp(inside, axis=0) == (p - 1, q - 1)).all()
        assert (inside.min(axis=0) % (p, q) == 0).all()


def test_published_numbering() -> None:
    """In the 9 x 9 walk-through, cell (2, 8) lies in block 7 and (8, 5) in block 6 (from 1)."""
    grid = drawn((3, 3))
    block, _ = names_of(grid, Representation.BLOCK_GRID, [1, 7], [7, 4])
    assert (block + 1).tolist() == [7, 6]
    by_rows, _ = names_of(
        grid, Representation.BLOCK_GRID, [1, 7], [7, 4], numbering=Numbering.ROW_MAJOR
    )
    assert (by_rows + 1).tolist() == [3, 8]


def test_published_facts_identify_their_cells() -> None:
    """A grid with the published digits gives the published names (arXiv:1207.5856, from 1).

    Digits 8, 7, 4 at (1, 1..3); block 5 digit 9 at (4, 5); column 3 digit 7 at (8, 3); row 6
    digit 2 at (6, 9). The grid is completed from these by search.
    """
    grid = _completed({(0, 0): 7, (0, 1): 6, (0, 2): 3, (3, 4): 8, (7, 2): 6, (5, 8): 1})
    facts = [
        (Representation.BLOCK_DIGIT, (5, 9), (4, 5)),
        (Representation.COLUMN_DIGIT, (3, 7), (8, 3)),
        (Representation.ROW_DIGIT, (6, 2), (6, 9)),
        (Representation.ROW_DIGIT, (1, 7), (1, 2)),
        (Representation.DIGIT_ROW, (4, 1), (1, 3)),
    ]
    for representation, name, cell in facts:
        row, column = cells_at(grid, representation, name[0] - 1, name[1] - 1)
        assert (int(row) + 1, int(column) + 1) == cell
        first, second = names_of(grid, representation, cell[0] - 1, cell[1] - 1)
        assert (int(first) + 1, int(second) + 1) == name


def _completed(givens: dict[tuple[int, int], int]) -> SudokuGrid:
    """Return the first 9 x 9 grid, by depth-first search, that has the given digits."""
    cells = np.full((9, 9), -1)
    for cell, digit in givens.items():
        cells[cell] = digit

    def options(row: int, column: int) -> list[int]:
        top, left = row // 3 * 3, column // 3 * 3
        box = cells[top : top + 3, left : left + 3].ravel()
        used = {*cells[row], *cells[:, column], *box}
        return [digit for digit in range(9) if digit not in used]

    def fill() -> bool:
        open_cells = np.argwhere(cells < 0)
        if len(open_cells) == 0:
            return True
        row, column = min(open_cells.tolist(), key=lambda cell: len(options(*cell)))
        for digit in options(row, column):
            cells[row, column] = digit
            if fill():
                return True
        cells[row, column] = -1
        return False

    assert fill()
    return SudokuGrid(cells, first=0)


@pytest.mark.parametrize(("row", "column"), [(-1, 0), (0, 9), (0.5, 0)])
def test_coordinates_are_checked(row: float, column: int) -> None:
    """A row or column outside the grid is refused."""
    with pytest.raises(InvalidParameterError):
        names_of(drawn((3, 3)), Representation.ROW_DIGIT, row, column)
