"""Look-up tables of the 9x9 solver: sets of cells of a band, one bit for each cell."""

from itertools import permutations

# All 27 cells of a band.
ALL_CELLS = (1 << 27) - 1
# The product of a set of columns (nine bits) and this number is the set of their cells in a band.
_COLUMN_COPIES = 1 | 1 << 9 | 1 << 18


# Each choice of three mini-rows, one in each row and in each box: the mini-rows, and their cells.
_MINI_ROW_CHOICES = [
    (
        sum(1 << 3 * row + box for row, box in enumerate(boxes)),
        sum(7 << 3 * (3 * row + box) for row, box in enumerate(boxes)),
    )
    for boxes in permutations(range(3))
]


def _find_possible_cells(mini_rows: int) -> int:
    """Return the cells that a digit may use if it has candidates in these mini-rows only."""
    cells = 0
    for chosen_mini_rows, chosen_cells in _MINI_ROW_CHOICES:
        if mini_rows & chosen_mini_rows == chosen_mini_rows:
            cells |= chosen_cells
    return cells


def _find_cells_for_columns(columns: int) -> int:
    """Return the cells for a digit that must be in these columns of a band; 0 if impossible."""
    allowed_columns = 0
    for box in (7, 7 << 3, 7 << 6):
        if (columns & box).bit_count() > 1:
            return 0
        allowed_columns |= columns & box or box
    return allowed_columns * _COLUMN_COPIES


def _find_lost_cells(columns: int) -> int:
    """Return the cells that a digit loses in other bands if it is in these columns of a band."""
    boxes = (columns & box for box in (7, 7 << 3, 7 << 6))
    return sum(bits for bits in boxes if bits.bit_count() == 1) * _COLUMN_COPIES


def _find_cells_after_placing(cell: int) -> int:
    """Return the cells of a band that may contain a digit if `cell` contains it."""
    row, column = divmod(cell, 9)
    seen_cells = 511 << 9 * row | (7 << column // 3 * 3) * _COLUMN_COPIES
    return ALL_CELLS & ~seen_cells | 1 << cell


POSSIBLE_CELLS = [_find_possible_cells(mini_rows) for mini_rows in range(512)]
CELLS_FOR_COLUMNS = [_find_cells_for_columns(columns) for columns in range(512)]
LOST_CELLS = [_find_lost_cells(columns) for columns in range(512)]
CELLS_AFTER_PLACING = [_find_cells_after_placing(cell) for cell in range(27)]
# The mini-rows of a row that contain candidates, one bit each.
MINI_ROWS = [sum((row >> 3 * box & 7 != 0) << box for box in range(3)) for row in range(512)]
# For each set of candidates in a row: the set itself if it is one candidate, otherwise 0.
SINGLES = [row if row.bit_count() == 1 else 0 for row in range(512)]
