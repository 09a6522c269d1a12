"""Three kinds of moves that change one Sudoku grid into another. This file is also compiled."""

import numpy as np

import sudokucrypt.kernels.names as cython

if not cython.compiled:
    from sudokucrypt.kernels.names import *


@final
@cclass
class StirredGrid:
    """A grid, row by row, with tables that find the cells of a digit."""

    n: Long
    p: Long
    q: Long
    grid: Ints
    by_row: Shorts  # for each row and digit: the column of the digit
    by_column: Shorts  # for each column and digit: the row
    by_box: Shorts  # for each box and digit: the row
    chain: Ints
    in_chain: Bytes

    def __init__(self, cells: Any, p: Int, q: Int) -> None:
        self.n, self.p, self.q = p * q, p, q
        self.grid = cells
        self.by_row, self.by_column = shorts(self.n * self.n), shorts(self.n * self.n)
        self.by_box = shorts(self.n * self.n)
        self.chain, self.in_chain = ints(2 * self.n), octets(2 * self.n)
        for row in range(self.n):
            for column in range(self.n):
                self.put(row, column, self.grid[row * self.n + column])

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def put(self, row: Int, column: Int, digit: Int) -> Void:
        self.grid[row * self.n + column] = digit
        self.by_row[row * self.n + digit] = column
        self.by_column[column * self.n + digit] = row
        self.by_box[(row // self.p * self.p + column // self.q) * self.n + digit] = row

    def make_moves(self, moves: GivenLongs) -> None:
        """Make moves; `moves` contains four numbers for each, as `stir` describes."""
        count: Int = len(moves) // 4
        index: Int
        with cython.nogil:
            for index in range(count):
                first: Int = moves[4 * index + 1]
                second: Int = moves[4 * index + 2]
                start: Int = moves[4 * index + 3]
                kind: Int = moves[4 * index]
                if kind == 0:
                    self.exchange_rows(first, second, start)
                elif kind == 1:
                    self.exchange_columns(first, second, start)
                else:
                    self.exchange_digits(first, second, start)

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def exchange_rows(self, first: Int, second: Int, start: Int) -> Void:
        """Exchange digits of two rows, beginning in column `start`."""
        column: Int = start
        while True:
            # Exchange two cells; the next exchange must be where row `first` now repeats a digit.
            one = self.grid[first * self.n + column]
            other = self.grid[second * self.n + column]
            following = self.by_row[first * self.n + other]
            self.put(first, column, other)
            self.put(second, column, one)
            column = following
            if column == start:
                break

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def exchange_columns(self, first: Int, second: Int, start: Int) -> Void:
        """Exchange digits of two columns, beginning in row `start`."""
        row: Int = start
        while True:
            one = self.grid[row * self.n + first]
            other = self.grid[row * self.n + second]
            following = self.by_column[first * self.n + other]
            self.put(row, first, other)
            self.put(row, second, one)
            row = following
            if row == start:
                break

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def exchange_digits(self, first: Int, second: Int, start: Int) -> Void:
        """Exchange two digits in the chain of cells that begins with `first` in row `start`.

        A cell of the chain is the row of digit `first`, or n plus the row of digit `second`.
        """
        n: Long = self.n
        length: Int = 1
        done: Int = 0
        self.chain[0] = start
        self.in_chain[start] = 1
        while done < length:
            row: Int = self.chain[done]
            digit: Int = first
            partner: Int = second
            partner_offset: Int = n
            done += 1
            if row >= n:
                row -= n
                digit, partner, partner_offset = second, first, 0
            # Exchanging a cell requires exchanging the partner in its row, column and box.
            column: Int = self.by_row[row * n + digit]
            box: Int = row // self.p * self.p + column // self.q
            # Each row contains each of the two digits once, so its number identifies the cell.
            length = self.add_to_chain(row + partner_offset, length)
            length = self.add_to_chain(
                self.by_column[column * n + partner] + partner_offset, length
            )
            length = self.add_to_chain(self.by_box[box * n + partner] + partner_offset, length)
        # Either both cells of a row belong to the chain, or neither does.
        for index in range(length):
            row = self.chain[index]
            if row < n:
                column = self.by_row[row * n + first]
                self.put(row, self.by_row[row * n + second], first)
                self.put(row, column, second)
                self.in_chain[row] = self.in_chain[row + n] = 0

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def add_to_chain(self, cell: Int, length: Int) -> Int:
        """Add a cell to the chain unless it is there already; return the new length."""
        if not self.in_chain[cell]:
            self.in_chain[cell] = 1
            self.chain[length] = cell
            return length + 1
        return length


def stir(cells: Any, p: Int, q: Int, moves: Any) -> None:
    """Make moves in place on a valid grid (int32) with boxes of p rows and q columns.

    Each move is its kind and three numbers, int64. ``0, r, s, c``: rows r and s of one band
    exchange digits, beginning in column c, until each contains every digit once again.
    ``1, c, d, r``: the same for columns c and d of one stack, beginning in row r. ``2, a, b, r``:
    digits a and b are exchanged, beginning with the a of row r, in all cells that the rules then
    require to change.
    """
    flat = cells.ravel()
    grid = StirredGrid(to_list(flat), p, q)
    grid.make_moves(to_list(moves.ravel()))
    if not cython.compiled:
        cells[:] = np.reshape(grid.grid, cells.shape)
