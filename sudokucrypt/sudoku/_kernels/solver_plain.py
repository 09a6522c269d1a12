"""The fallback of the 9x9 solver: what the kernels compute, in Python.

Candidates are kept as 27 *band boards*. Board ``9 * band + digit`` has one bit for each of the 27
cells of that band, bit ``9 * row + column``, set while the digit may still stand there::

      box 0      box 1      box 2
     0  1  2 |  3  4  5 |  6  7  8      row 0 of the band
     9 10 11 | 12 13 14 | 15 16 17      row 1
    18 19 20 | 21 22 23 | 24 25 26      row 2

The three cells that a row and a box share are a *mini-row*. A digit fills one mini-row in each row
and in each box of a band, so the mini-rows that remain possible follow from the nine bits that say
which of them hold candidates: one look-up finds all locked candidates of rows, hidden singles of
rows and boxes, and contradictions. Two more look-ups do the same for columns, from the columns
that the other two boards of the digit use. What is left to do is to clear a cell that one digit
has taken for the eight others, and to find cells with a single candidate.

Numbers 0..8 are digits and -1 is an open cell.
"""

from itertools import permutations
from typing import Self

import numpy as np
from numpy.typing import NDArray

BatchDigits = NDArray[np.int8]

# All 27 cells of a band; a 32-bit word holds them in the kernel.
FULL = (1 << 27) - 1
# Nine bits of columns times this are all cells of these columns in a band.
_DOWN = 1 | 1 << 9 | 1 << 18


def _keep(mini_rows: int) -> int:
    """Return the cells of the mini-rows that some choice of one in each row and box uses."""
    kept = 0
    for boxes in permutations(range(3)):
        chosen = [3 * row + box for row, box in enumerate(boxes)]
        if all(mini_rows >> position & 1 for position in chosen):
            kept |= sum(7 << 3 * position for position in chosen)
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


class _State:
    """A node of the search: the boards, the open cells of each band, the digits to look at."""

    def __init__(self) -> None:
        self.boards = [FULL] * 27
        self.open = [FULL] * 3
        self.touched = set(range(9))

    def copy(self) -> Self:
        """Return a node that changes on its own; nothing may be left to look at."""
        other = object.__new__(type(self))
        other.boards, other.open, other.touched = self.boards.copy(), self.open.copy(), set()
        return other

    def place(self, board: int, cell: int) -> None:
        """Let the digit of this board stand in this cell of its band."""
        self.boards[board] &= ALONE[cell]
        self.touched.add(board % 9)

    def propagate(self) -> bool:
        """Draw all conclusions; False if they contradict each other."""
        while True:
            while self.touched:
                if not self._update(self.touched.pop()):
                    return False
            for band in range(3):
                if not self._place_single_candidates(band):
                    return False
            if not self.touched:
                return True

    def _update(self, digit: int) -> bool:
        """Draw the conclusions for one digit, once in each band."""
        for band in range(3):
            board = 9 * band + digit
            others = [other for other in range(digit, 27, 9) if other != board]
            # Columns that no other band can serve must be served here, and the other way round.
            first, second = (_columns(self.boards[other]) for other in others)
            bits = self.boards[board] & CLAIM[511 & ~(first | second)]
            bits &= ~(POINT[first] | POINT[second])
            rows = _rows(bits)
            bits &= KEEP[SHRINK[rows[0]] | SHRINK[rows[1]] << 3 | SHRINK[rows[2]] << 6]
            if not bits:
                return False
            if bits != self.boards[board]:
                self.boards[board] = bits
                self.touched.add(digit)
            rows = _rows(bits)
            taken = (ONE[rows[0]] | ONE[rows[1]] << 9 | ONE[rows[2]] << 18) & self.open[band]
            if taken:
                self._settle(board, taken)
        return True

    def _settle(self, board: int, cells: int) -> None:
        """Give cells of a band to the digit of this board alone."""
        band = board // 9
        self.open[band] ^= cells
        for other in range(9 * band, 9 * band + 9):
            if other != board and self.boards[other] & cells:
                self.boards[other] &= ~cells
                self.touched.add(other % 9)

    def _place_single_candidates(self, band: int) -> bool:
        """Settle the cells of a band with one candidate; False if one has none."""
        once = twice = 0
        for bits in self.boards[9 * band : 9 * band + 9]:
            twice |= once & bits
            once |= bits
        if once != FULL:
            return False
        single = once & ~twice & self.open[band]
        while single:
            cell = (single & -single).bit_length() - 1
            single &= single - 1
            for board in range(9 * band, 9 * band + 9):
                if self.boards[board] >> cell & 1:
                    self.place(board, cell)
        return True

    def choice(self) -> tuple[int, int]:
        """Return the board and the cell of the next trial: a cell's lowest digit.

        It is the first cell with two candidates in the band with most of them; where there are
        none, the first cell with fewest candidates.
        """
        counts = [[0] * 27 for _ in range(3)]
        for board, bits in enumerate(self.boards):
            for cell in range(27):
                counts[board // 9][cell] += bits >> cell & 1
        # A cell with two candidates splits the work in two, in the band that has most of them.
        pairs = [counted.count(2) for counted in counts]
        if any(pairs):
            band = pairs.index(max(pairs))
            cell = counts[band].index(2)
        else:
            open_cells = ((b, c) for b in range(3) for c in range(27) if self.open[b] >> c & 1)
            band, cell = min(open_cells, key=lambda cell: counts[cell[0]][cell[1]])
        boards = range(9 * band, 9 * band + 9)
        return next(board for board in boards if self.boards[board] >> cell & 1), cell


class Search:
    """A search for all solutions of one puzzle that goes on in steps.

    At each node all conclusions are drawn from locked candidates and singles. Then a cell is
    chosen, and its lowest digit is tried, then struck out.
    """

    def __init__(self, cells: BatchDigits) -> None:
        root = _State()
        for position, digit in enumerate(cells.tolist()):
            if digit >= 0:
                root.place(position // 27 * 9 + digit, position % 27)
        self._stack = [root]

    @property
    def finished(self) -> bool:
        """Whether every solution was found."""
        return not self._stack

    def advance(self, found: BatchDigits, limit: int, budget: int) -> int:
        """Go on for at most `budget` nodes or `limit` solutions, and return how many came up.

        The first of them are written to the rows of `found`, as many as there are.
        """
        count = 0
        while self._stack and count < limit and budget:
            budget -= 1
            node = self._stack[-1]
            if not node.propagate():
                self._stack.pop()
            elif not any(node.open):
                if count < len(found):
                    _write(node, found[count])
                count += 1
                self._stack.pop()
            else:
                board, cell = node.choice()
                tried = node.copy()
                tried.place(board, cell)
                self._stack.append(tried)
                # The node itself becomes the other branch, so that each solution comes up once.
                node.boards[board] &= ~(1 << cell)
                node.touched.add(board % 9)
        return count


def solve_many(
    puzzles: BatchDigits, first: BatchDigits, counts: NDArray[np.int64], start: int, stop: int,
    limit: int, budget: int,
) -> None:  # fmt: skip
    """Count the solutions of the puzzles start..stop-1 up to `limit`, and write down the first.

    `puzzles` and `first` have the shape (N, 81). A puzzle that needs more than `budget` nodes gets
    the count -1; one without solutions leaves its row of `first` as it is.
    """
    for position in range(start, stop):
        search = Search(puzzles[position])
        count = search.advance(first[position : position + 1], limit, budget)
        counts[position] = count if search.finished or count == limit else -1


def _rows(bits: int) -> tuple[int, int, int]:
    return bits & 511, bits >> 9 & 511, bits >> 18


def _columns(bits: int) -> int:
    return (bits | bits >> 9 | bits >> 18) & 511


def _write(node: _State, target: BatchDigits) -> None:
    for board, bits in enumerate(node.boards):
        band, digit = divmod(board, 9)
        for cell in range(27):
            if bits >> cell & 1:
                target[27 * band + cell] = digit
