"""What the 9x9 solver looks up about the cells of a band, one bit each."""

from itertools import permutations

# All 27 cells of a band.
FULL = (1 << 27) - 1
# Nine bits of columns times this are all cells of these columns in a band.
_DOWN = 1 | 1 << 9 | 1 << 18


# Each choice of one mini-row in each row and box, and the cells of these.
_CHOICES = [
    (
        sum(1 << 3 * row + box for row, box in enumerate(boxes)),
        sum(7 << 3 * (3 * row + box) for row, box in enumerate(boxes)),
    )
    for boxes in permutations(range(3))
]


def _keep(mini_rows: int) -> int:
    """Return the cells of the mini-rows that some choice of one in each row and box uses."""
    kept = 0
    for chosen, cells in _CHOICES:
        if mini_rows & chosen == chosen:
            kept |= cells
    return kept


def _claim(columns: int) -> int:
    """Return the cells left if these columns must be served by this band; 0 if they cannot be."""
    left = 0
    for box in (7, 7 << 3, 7 << 6):
        if (columns & box).bit_count() > 1:
            return 0
        left |= columns & box or box
    return left * _DOWN


def _point(columns: int) -> int:
    """Return the cells that other bands lose if this band uses these columns alone."""
    boxes = (columns & box for box in (7, 7 << 3, 7 << 6))
    return sum(bits for bits in boxes if bits.bit_count() == 1) * _DOWN


def _alone(cell: int) -> int:
    """Return the cells of a band where a digit may stand if it stands in `cell`."""
    row, column = divmod(cell, 9)
    seen = 511 << 9 * row | (7 << column // 3 * 3) * _DOWN
    return FULL & ~seen | 1 << cell


KEEP = [_keep(mini_rows) for mini_rows in range(512)]
CLAIM = [_claim(columns) for columns in range(512)]
POINT = [_point(columns) for columns in range(512)]
ALONE = [_alone(cell) for cell in range(27)]
SHRINK = [sum((row >> 3 * box & 7 != 0) << box for box in range(3)) for row in range(512)]
ONE = [row if row.bit_count() == 1 else 0 for row in range(512)]
