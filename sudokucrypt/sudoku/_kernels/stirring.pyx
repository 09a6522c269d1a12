# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""The compiled stirring moves; `stirring_plain` is their fallback and describes them."""

import numpy as np

ctypedef unsigned short digit_t


cdef class _Tables:
    """The grid; the column of each digit in each row, its row in each column and each box."""

    cdef Py_ssize_t n, p, q
    cdef int[:, ::1] grid
    cdef digit_t[:, ::1] by_row, by_column, by_box

    def __init__(self, cells, p, q):
        self.n, self.p, self.q = len(cells), p, q
        self.grid = cells
        self.by_row, self.by_column, self.by_box = np.empty((3, *cells.shape), dtype=np.uint16)

    cdef inline void put(self, Py_ssize_t row, Py_ssize_t column, int digit) noexcept nogil:
        self.grid[row, column] = digit
        self.by_row[row, digit] = <digit_t> column
        self.by_column[column, digit] = <digit_t> row
        self.by_box[row // self.p * self.p + column // self.q, digit] = <digit_t> row

    cdef void lines(
        self, bint columns, Py_ssize_t first, Py_ssize_t second, Py_ssize_t start
    ) noexcept nogil:
        # `place` runs along two rows, or with `columns` along two columns.
        cdef Py_ssize_t place = start, row = first, below = second, column = first, right = second
        cdef int one, other
        while True:
            if columns:
                row = below = place
            else:
                column = right = place
            # Exchange two cells; the digit that came up twice says where the next exchange must be.
            one, other = self.grid[row, column], self.grid[below, right]
            place = self.by_column[first, other] if columns else self.by_row[first, other]
            self.put(row, column, other)
            self.put(below, right, one)
            if place == start:
                break

    cdef void chain(
        self, int first, int second, Py_ssize_t start, int[::1] chain, unsigned char[:, ::1] met
    ) noexcept nogil:
        # `chain` holds rows of cells with `first`, then + n those with `second`: each row has one.
        cdef Py_ssize_t done = 0, length = 1, row, column, box, at, side
        cdef int digit, partner
        cdef Py_ssize_t near[3]
        chain[0] = <int> start
        met[0, start] = True
        while done < length:
            side = chain[done] >= self.n
            row = chain[done] - side * self.n
            done += 1
            # A cell carries the exchange to the other digit in its row, its column and its box.
            digit, partner = (second, first) if side else (first, second)
            column = self.by_row[row, digit]
            box = row // self.p * self.p + column // self.q
            near[0] = row
            near[1] = self.by_column[column, partner]
            near[2] = self.by_box[box, partner]
            # Each row has one cell of either digit, so that rows stand for cells.
            for at in range(3):
                if not met[1 - side, near[at]]:
                    met[1 - side, near[at]] = True
                    chain[length] = <int> (near[at] + (1 - side) * self.n)
                    length += 1
        # Both cells of a row belong to the chain, or none does.
        for at in range(length):
            row = chain[at]
            if row < self.n:
                column = self.by_row[row, first]
                self.put(row, self.by_row[row, second], first)
                self.put(row, column, second)
                met[0, row] = met[1, row] = False


def stir(cells, Py_ssize_t p, Py_ssize_t q, const long long[:, ::1] moves):
    cdef _Tables tables = _Tables(cells, p, q)
    cdef Py_ssize_t n = tables.n, row, column, at
    cdef int[::1] chain = np.empty(2 * n, dtype=np.int32)
    cdef unsigned char[:, ::1] met = np.zeros((2, n), dtype=np.uint8)
    with nogil:
        for row in range(n):
            for column in range(n):
                tables.put(row, column, tables.grid[row, column])
        for at in range(moves.shape[0]):
            if moves[at, 0] < 2:
                tables.lines(moves[at, 0] == 1, moves[at, 1], moves[at, 2], moves[at, 3])
            else:
                tables.chain(<int> moves[at, 1], <int> moves[at, 2], moves[at, 3], chain, met)
