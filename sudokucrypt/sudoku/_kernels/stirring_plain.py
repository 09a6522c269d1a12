"""Three kinds of moves that change one Sudoku grid into another. This file is also compiled."""

import numpy as np

import sudokucrypt.kernels.names as cython

if not cython.compiled:
    from sudokucrypt.kernels.names import *


@final
@cclass
class StirredGrid:
    """A grid, row by row, with tables that find the cells of a digit."""

    order: Long
    box_rows: Long
    box_columns: Long
    grid: Ints
    column_in_row: Shorts  # for each row and digit: the column of the digit
    row_in_column: Shorts  # for each column and digit: the row
    row_in_box: Shorts  # for each box and digit: the row
    chain: Ints
    chain_flags: Bytes

    def __init__(self, cells: Any, box_rows: Int, box_columns: Int) -> None:
        self.order, self.box_rows, self.box_columns = box_rows * box_columns, box_rows, box_columns
        self.grid = cells
        self.column_in_row, self.row_in_column = (
            shorts(self.order * self.order),
            shorts(self.order * self.order),
        )
        self.row_in_box = shorts(self.order * self.order)
        self.chain, self.chain_flags = ints(2 * self.order), octets(2 * self.order)
        for row in range(self.order):
            for column in range(self.order):
                self.set_digit(row, column, self.grid[row * self.order + column])

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def set_digit(self, row: Int, column: Int, digit: Int) -> Void:
        self.grid[row * self.order + column] = digit
        self.column_in_row[row * self.order + digit] = column
        self.row_in_column[column * self.order + digit] = row
        self.row_in_box[
            (row // self.box_rows * self.box_rows + column // self.box_columns) * self.order + digit
        ] = row

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
            first_digit = self.grid[first * self.order + column]
            second_digit = self.grid[second * self.order + column]
            next_column = self.column_in_row[first * self.order + second_digit]
            self.set_digit(first, column, second_digit)
            self.set_digit(second, column, first_digit)
            column = next_column
            if column == start:
                break

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def exchange_columns(self, first: Int, second: Int, start: Int) -> Void:
        """Exchange digits of two columns, beginning in row `start`."""
        row: Int = start
        while True:
            first_digit = self.grid[row * self.order + first]
            second_digit = self.grid[row * self.order + second]
            next_row = self.row_in_column[first * self.order + second_digit]
            self.set_digit(row, first, second_digit)
            self.set_digit(row, second, first_digit)
            row = next_row
            if row == start:
                break

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def exchange_digits(self, first: Int, second: Int, start: Int) -> Void:
        """Exchange two digits in the chain of cells that begins with `first` in row `start`.

        A cell of the chain is the row of digit `first`, or n plus the row of digit `second`.
        """
        order: Long = self.order
        length: Int = 1
        done_count: Int = 0
        self.chain[0] = start
        self.chain_flags[start] = 1
        while done_count < length:
            row: Int = self.chain[done_count]
            digit: Int = first
            partner: Int = second
            partner_offset: Int = order
            done_count += 1
            if row >= order:
                row -= order
                digit, partner, partner_offset = second, first, 0
            # Exchanging a digit requires exchanging the other digit in its row, column and box.
            column: Int = self.column_in_row[row * order + digit]
            box: Int = row // self.box_rows * self.box_rows + column // self.box_columns
            # Each row contains each of the two digits once, so the row number identifies the cell.
            length = self.add_to_chain(row + partner_offset, length)
            length = self.add_to_chain(
                self.row_in_column[column * order + partner] + partner_offset, length
            )
            length = self.add_to_chain(
                self.row_in_box[box * order + partner] + partner_offset, length
            )
        # Either both cells of a row belong to the chain, or neither does.
        for index in range(length):
            row = self.chain[index]
            if row < order:
                column = self.column_in_row[row * order + first]
                self.set_digit(row, self.column_in_row[row * order + second], first)
                self.set_digit(row, column, second)
                self.chain_flags[row] = self.chain_flags[row + order] = 0

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def add_to_chain(self, cell: Int, length: Int) -> Int:
        """Add a cell to the chain unless it is there already; return the new length."""
        if not self.chain_flags[cell]:
            self.chain_flags[cell] = 1
            self.chain[length] = cell
            return length + 1
        return length


def stir(cells: Any, box_rows: Int, box_columns: Int, moves: Any) -> None:
    """Make moves in place on a valid grid (int32) with boxes of p rows and q columns.

    Each move is its kind and three numbers, int64. ``0, r, s, c``: rows r and s of one band
    exchange digits, beginning in column c, until each contains every digit once again.
    ``1, c, d, r``: the same for columns c and d of one stack, beginning in row r. ``2, a, b, r``:
    digits a and b are exchanged, beginning with the a of row r, in all cells that the rules then
    require to change.
    """
    flat_cells = cells.ravel()
    grid = StirredGrid(to_list(flat_cells), box_rows, box_columns)
    grid.make_moves(to_list(moves.ravel()))
    if not cython.compiled:
        cells[:] = np.reshape(grid.grid, cells.shape)
