"""The fallback of stirring: three kinds of moves that lead from one Sudoku grid to another."""

import numpy as np
from numpy.typing import NDArray

ROWS, COLUMNS, CHAIN = 0, 1, 2


def stir(cells: NDArray[np.int32], p: int, q: int, moves: NDArray[np.int64]) -> None:
    """Make moves on a valid grid with boxes of p rows and q columns, in place.

    Each move is its kind and three numbers. ``ROWS, r, s, c``: rows r and s of one band exchange
    digits, beginning in column c, until each holds every digit once again. ``COLUMNS, c, d, r``:
    the same for two columns of one stack, beginning in row r. ``CHAIN, a, b, r``: digits a and b
    are exchanged, beginning with the a of row r, wherever rows, columns and boxes carry the
    exchange on.
    """
    # By digit: the column where each row holds it, the row where each column or box does.
    column_of, row_of, box_row_of = (np.empty_like(cells) for _ in range(3))
    rows, columns = np.indices(cells.shape)
    column_of[rows, cells] = columns
    row_of[columns, cells] = rows
    box_row_of[rows // p * p + columns // q, cells] = rows
    grid, by_row, by_column, by_box = (
        table.tolist() for table in (cells, column_of, row_of, box_row_of)
    )

    def put(row: int, column: int, digit: int) -> None:
        grid[row][column] = digit
        by_row[row][digit] = column
        by_column[column][digit] = row
        by_box[row // p * p + column // q][digit] = row

    for kind, first, second, start in moves.tolist():
        if kind != CHAIN:
            across, position = kind == ROWS, start
            while True:
                here, there = (
                    (line, position) if across else (position, line) for line in (first, second)
                )
                one, other = grid[here[0]][here[1]], grid[there[0]][there[1]]
                position = (by_row if across else by_column)[first][other]
                put(*here, other)
                put(*there, one)
                if position == start:
                    break
        else:
            waiting = [(start, by_row[start][first])]
            chain = set(waiting)
            while waiting:
                row, column = waiting.pop()
                partner = second if grid[row][column] == first else first
                box = row // p * p + column // q
                below = by_box[box][partner]
                for cell in (
                    (row, by_row[row][partner]),
                    (by_column[column][partner], column),
                    (below, by_row[below][partner]),
                ):
                    if cell not in chain:
                        chain.add(cell)
                        waiting.append(cell)
            for row, column in chain:
                put(row, column, second if grid[row][column] == first else first)
    cells[:] = grid
