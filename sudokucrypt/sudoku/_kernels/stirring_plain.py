"""Three kinds of moves that lead from one Sudoku grid to another. This text is compiled as well."""

import numpy as np

import sudokucrypt.kernels.names as cython

if not cython.compiled:
    from sudokucrypt.kernels.names import *


@final
@cclass
class Stirred:
    """A grid, row by row, with the tables by which moves go on."""

    n: Long
    p: Long
    q: Long
    grid: Ints
    by_row: Shorts  # the column of each digit in each row
    by_column: Shorts  # its row in each column
    by_box: Shorts  # its row in each box
    chain: Ints
    met: Bytes

    def __init__(self, cells: Any, p: Int, q: Int) -> None:
        self.n, self.p, self.q = p * q, p, q
        self.grid = cells
        self.by_row, self.by_column = shorts(self.n * self.n), shorts(self.n * self.n)
        self.by_box = shorts(self.n * self.n)
        self.chain, self.met = ints(2 * self.n), octets(2 * self.n)
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

    def make(self, moves: GivenLongs) -> None:
        """Make moves, each of four numbers."""
        count: Int = len(moves) // 4
        at: Int
        with cython.nogil:
            for at in range(count):
                first: Int = moves[4 * at + 1]
                second: Int = moves[4 * at + 2]
                start: Int = moves[4 * at + 3]
                kind: Int = moves[4 * at]
                if kind == 0:
                    self.rows(first, second, start)
                elif kind == 1:
                    self.columns(first, second, start)
                else:
                    self.exchange(first, second, start)

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def rows(self, first: Int, second: Int, start: Int) -> Void:
        column: Int = start
        while True:
            # Exchange two cells; the digit that came up twice says where the next exchange must be.
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
    def columns(self, first: Int, second: Int, start: Int) -> Void:
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
    def exchange(self, first: Int, second: Int, start: Int) -> Void:
        """Exchange two digits in their chain: rows of `first`, then + n those of `second`."""
        n: Long = self.n
        length: Int = 1
        done: Int = 0
        self.chain[0] = start
        self.met[start] = 1
        while done < length:
            row: Int = self.chain[done]
            digit: Int = first
            partner: Int = second
            there: Int = n
            done += 1
            if row >= n:
                row -= n
                digit, partner, there = second, first, 0
            # A cell carries the exchange to the other digit in its row, its column and its box.
            column: Int = self.by_row[row * n + digit]
            box: Int = row // self.p * self.p + column // self.q
            # Each row has one cell of either digit, so that rows stand for cells.
            length = self.meet(row + there, length)
            length = self.meet(self.by_column[column * n + partner] + there, length)
            length = self.meet(self.by_box[box * n + partner] + there, length)
        # Both cells of a row belong to the chain, or none does.
        for at in range(length):
            row = self.chain[at]
            if row < n:
                column = self.by_row[row * n + first]
                self.put(row, self.by_row[row * n + second], first)
                self.put(row, column, second)
                self.met[row] = self.met[row + n] = 0

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def meet(self, cell: Int, length: Int) -> Int:
        """Add a cell to the chain, unless it is there; return the new length."""
        if not self.met[cell]:
            self.met[cell] = 1
            self.chain[length] = cell
            return length + 1
        return length


def stir(cells: Any, p: Int, q: Int, moves: Any) -> None:
    """Make moves on a valid grid with boxes of p rows and q columns, int32, in place.

    Each move is its kind and three numbers, int64. ``0, r, s, c``: rows r and s of one band
    exchange digits, beginning in column c, until each holds every digit once again. ``1, c, d, r``:
    the same for two columns of one stack, beginning in row r. ``2, a, b, r``: digits a and b are
    exchanged, beginning with the a of row r, wherever rows, columns and boxes carry the exchange
    on.
    """
    flat = cells.ravel()
    stirred = Stirred(to_list(flat), p, q)
    stirred.make(to_list(moves.ravel()))
    if not cython.compiled:
        cells[:] = np.reshape(stirred.grid, cells.shape)
