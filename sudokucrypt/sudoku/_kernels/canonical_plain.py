"""Find the smallest image of a grid under exchanges of rows, columns and digits.

A candidate consists of a *head*, the rows of the first band of the image in order, and an order of
the columns that keeps stacks together. These fix the rest of the image: its first row is relabeled
to 0, 1, 2, ..., and the other rows of a band, and the bands, are sorted by their first column.

The second row restricts the order of columns. Column b *follows* column a if the first row has in b
the digit that the second row has in a. If a has a place in the image, then the second row of the
image has there the place of b, so b should get the first free place of its stack.

This file is also compiled.
"""

import sudokucrypt.kernels.names as cython

if not cython.compiled:
    from sudokucrypt.kernels.names import *


@final
@cclass
class Trial:
    """A search through all candidates; -1 stands for a place, column or stack not yet assigned."""

    room: Room
    n: Long
    p: Long
    q: Long
    cells: Numbers  # the grid, row by row
    heads: Numbers  # the rows of all heads, head by head
    head_count: Long
    head_start: Long  # the index in `heads` where the current head begins
    head_number: Long  # the number of the current head
    first_row_start: Long  # the index in `cells` where the first row of the head begins
    following: Numbers  # by column: the column that follows it
    columns: Numbers  # by place in the image: the column
    places: Numbers  # by column: the place
    stacks: Numbers  # by column, or by place: the stack
    stack_places: Numbers  # by stack: its place among the stacks of the image
    place_stacks: Numbers  # by place among the stacks of the image: the stack
    filled_counts: Numbers  # by place among the stacks: how many of its columns have a place
    placed_stacks: Long
    best_second_row: Numbers  # the smallest second row so far; n for unknown digits

    image: Numbers
    digit_labels: Numbers  # by digit: its label in the image
    first_digits: Numbers  # by row of the image: its digit in the first column
    source_rows: Numbers  # by row of the image: the row of the grid
    best: Numbers  # the smallest image so far
    best_known: Long  # whether `best` contains an image
    best_is_new: Long  # whether this search found `best`
    best_rows: Numbers  # the rows of the first candidate that gives `best`
    best_columns: Numbers  # the columns of that candidate
    best_head: Long
    best_count: Long  # the number of candidates that give `best`

    has_givens: Long  # whether the grid is the solution of a puzzle
    givens: Numbers  # 1 in the given cells of the puzzle, otherwise 0
    image_givens: Numbers  # the given cells of the current image
    best_givens: Numbers  # the smallest given cells of all images equal to `best`

    def __init__(self, n: Long, box_rows: Long, heads: GivenBytes) -> None:
        i: Long
        self.n, self.p, self.q = n, box_rows, n // box_rows
        self.head_count = len(heads) // box_rows
        self.room = room = Room(6 * n * n + 13 * n + len(heads))
        self.heads = room.take(len(heads))
        for i in range(len(heads)):
            self.heads[i] = heads[i]
        self.cells, self.image, self.best = room.take(n * n), room.take(n * n), room.take(n * n)
        self.givens, self.image_givens, self.best_givens = (
            room.take(n * n),
            room.take(n * n),
            room.take(n * n),
        )
        self.columns, self.places, self.stacks = room.take(n), room.take(n), room.take(n)
        self.stack_places, self.place_stacks, self.filled_counts = (
            room.take(n),
            room.take(n),
            room.take(n),
        )
        self.following, self.best_second_row, self.digit_labels = (
            room.take(n),
            room.take(n),
            room.take(n),
        )
        self.first_digits, self.source_rows = room.take(n), room.take(n)
        self.best_rows, self.best_columns = room.take(n), room.take(n)
        for i in range(n):
            self.columns[i] = self.places[i] = self.stack_places[i] = -1
            self.stacks[i] = i // self.q
        self.best_known = self.has_givens = 0

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def search(self) -> Void:
        """Try all heads, with all orders of columns."""
        n: Long = self.n
        i: Long
        row: Long
        self.placed_stacks = self.best_count = self.best_head = self.best_is_new = 0
        for i in range(n):
            self.best_second_row[i] = self.best[1 % n * n + i] if self.best_known else n
        for i in range(self.head_count):
            self.head_start, self.head_number = i * self.p, i
            self.first_row_start = self.heads[self.head_start] * n
            if self.p > 1:
                self.try_second_row(self.heads[self.head_start + 1])
                continue
            for row in range(n):
                if row * n != self.first_row_start or n == 1:
                    self.try_second_row(row)

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def try_second_row(self, row: Long) -> Void:
        """Try all orders of the columns for which this second row may become smallest."""
        j: Long
        for j in range(self.n):
            self.digit_labels[self.cells[self.first_row_start + j]] = j
        for j in range(self.n):
            self.following[j] = self.digit_labels[self.cells[row * self.n + j]]
        self.extend_columns(0)

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def extend_columns(self, place: Long) -> Void:
        """Try all columns at a place of the image, and all orders of the rest."""
        column: Long
        if place == self.n:
            self.count_candidate()
        elif self.columns[place] >= 0:
            self.extend_by_follower(place)
        elif self.stacks[place] < self.placed_stacks:
            # Only the columns of a stack that has been begun can be placed here.
            start: Long = self.place_stacks[self.stacks[place]] * self.q
            for column in range(start, start + self.q):
                if self.places[column] < 0:
                    self.place_column(column)
                    self.extend_by_follower(place)
                    self.undo_put(column)
        else:
            for column in range(self.n):
                if self.stack_places[self.stacks[column]] < 0:
                    self.place_column(column)
                    self.extend_by_follower(place)
                    self.undo_put(column)

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def extend_by_follower(self, place: Long) -> Void:
        """Give the second row its smallest digit at a place, and continue if it may be smallest."""
        column: Long = self.following[self.columns[place]]
        fresh: Int = self.places[column] < 0
        i: Long
        if fresh:
            self.place_column(column)
        value: Int = self.places[column]
        # The second row is smaller than all before, so the best image so far is obsolete.
        if value < self.best_second_row[place]:
            self.best_second_row[place] = value
            for i in range(place + 1, self.n):
                self.best_second_row[i] = self.n
            self.best_known = 0
        if value == self.best_second_row[place]:
            self.extend_columns(place + 1)
        if fresh:
            self.undo_put(column)

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def place_column(self, column: Long) -> Void:
        """Give a column the first free place of its stack."""
        stack: Int = self.stacks[column]
        if self.stack_places[stack] < 0:
            self.stack_places[stack] = self.placed_stacks
            self.place_stacks[self.placed_stacks] = stack
            self.placed_stacks += 1
        slot: Int = self.stack_places[stack]
        place: Int = slot * self.q + self.filled_counts[slot]
        self.filled_counts[slot] += 1
        self.columns[place] = column
        self.places[column] = place

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def undo_put(self, column: Long) -> Void:
        """Undo the last `place_column`, which placed this column."""
        stack: Int = self.stacks[column]
        slot: Int = self.stack_places[stack]
        self.columns[self.places[column]] = -1
        self.places[column] = -1
        self.filled_counts[slot] -= 1
        if not self.filled_counts[slot]:
            self.stack_places[stack] = -1
            self.placed_stacks -= 1

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def count_candidate(self) -> Void:
        """Count the current candidate, whose columns are all placed, if no image is smaller."""
        n: Long = self.n
        i: Long
        compared: Int = self.compare_image()
        if compared > 0:
            return
        if compared < 0:
            for i in range(n * n):
                self.best[i] = self.image[i]
            self.best_known = self.best_is_new = 1
            self.best_count = 0
        if self.has_givens:
            self.store_givens(compared < 0)
        self.best_count += 1
        if self.best_count > 1:
            if self.best_head != self.head_number:
                return
            i = 0
            while i < n - 1 and self.columns[i] == self.best_columns[i]:
                i += 1
            if self.columns[i] > self.best_columns[i]:
                return
        for i in range(n):
            self.best_columns[i] = self.columns[i]
            self.best_rows[i] = (
                self.heads[self.head_start + i] if i < self.p else self.source_rows[i]
            )
        self.best_head = self.head_number

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def compare_image(self) -> Int:
        """Write the image, stopping where it is larger than the best image.

        Returns a number below, equal to or above 0 if the image is smaller, equal or larger.
        """
        n: Long = self.n
        p: Long = self.p
        k: Long = p
        i: Long
        j: Long
        band: Long
        compared: Int = 0 if self.best_known else -1
        for j in range(n):
            self.image[j] = j
            self.digit_labels[self.cells[self.first_row_start + self.columns[j]]] = j
        for i in range(1, p):
            compared = self.compare_row(i, self.heads[self.head_start + i], compared)
            if compared > 0:
                return compared
        # Sort the other rows by their first digits, which all differ: within bands, then the bands.
        for band in range(n // p):
            if band == self.heads[self.head_start] // p:
                continue
            for i in range(band * p, band * p + p):
                value: Int = self.digit_labels[self.cells[i * n + self.columns[0]]]
                j = k + i - band * p
                while j > k and self.first_digits[j - 1] > value:
                    self.first_digits[j] = self.first_digits[j - 1]
                    self.source_rows[j] = self.source_rows[j - 1]
                    j -= 1
                self.first_digits[j] = value
                self.source_rows[j] = i
            j = k
            while j > p and self.first_digits[j - p] > self.first_digits[j]:
                for i in range(j, j + p):
                    self.swap_rows(i - p, i)
                j -= p
            k += p
        for i in range(p, n):
            compared = self.compare_row(i, self.source_rows[i], compared)
            if compared > 0:
                break
        return compared

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def swap_rows(self, i: Long, j: Long) -> Void:
        value: Int = self.first_digits[i]
        self.first_digits[i] = self.first_digits[j]
        self.first_digits[j] = value
        value = self.source_rows[i]
        self.source_rows[i] = self.source_rows[j]
        self.source_rows[j] = value

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def compare_row(self, image_row: Long, row: Long, compared: Int) -> Int:
        """Write one row of the image, stopping where it is larger than the best image."""
        source: Long = row * self.n
        target: Long = image_row * self.n
        j: Long
        # Writing and comparing in one pass is fast, since most rows are larger within a few cells.
        for j in range(self.n):
            value: Int = self.digit_labels[self.cells[source + self.columns[j]]]
            self.image[target + j] = value
            if compared == 0 and value != self.best[target + j]:
                compared = value - self.best[target + j]
                if compared > 0:
                    break
        return compared

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def store_givens(self, fresh: Int) -> Void:
        """Store the given cells of the image if they are the smallest of this image so far."""
        n: Long = self.n
        i: Long
        j: Long
        compared: Int = -1 if fresh else 0
        for i in range(n):
            row: Long = self.heads[self.head_start + i] if i < self.p else self.source_rows[i]
            for j in range(n):
                shown: Int = self.givens[row * n + self.columns[j]]
                self.image_givens[i * n + j] = shown
                if compared == 0:
                    compared = shown - self.best_givens[i * n + j]
                    if compared > 0:
                        return
        if compared < 0:
            for i in range(n * n):
                self.best_givens[i] = self.image_givens[i]

    def smallest(
        self,
        cells: GivenBytes,
        before: GivenBytes,
        best: Bytes,
        rows: Bytes,
        columns: Bytes,
        known: Int,
    ) -> tuple[int, bool]:
        """Search one grid, as the function `smallest` describes."""
        n: Long = self.n
        i: Long
        self.best_known = known
        with cython.nogil:
            for i in range(n * n):
                self.cells[i], self.best[i] = cells[i], before[i]
            self.search()
            for i in range(n * n if self.best_is_new else 0):
                best[i] = self.best[i]
            for i in range(n if self.best_count else 0):
                rows[i], columns[i] = self.best_rows[i], self.best_columns[i]
        return self.best_count, bool(self.best_is_new)

    def smallest_puzzle(
        self, cells: GivenBytes, shown: GivenBytes, best: Bytes, given: Bytes
    ) -> None:
        """Write the smallest image of a grid and its transpose, with its smallest given cells."""
        n: Long = self.n
        i: Long
        j: Long
        transposed: Int
        self.has_givens = 1
        self.best_known = 0
        with cython.nogil:
            for transposed in range(2):
                for i in range(n):
                    for j in range(n):
                        source: Long = j * n + i if transposed else i * n + j
                        self.cells[i * n + j] = cells[source]
                        self.givens[i * n + j] = shown[source]
                self.search()
                self.best_known = 1
            for i in range(n * n):
                best[i], given[i] = self.best[i], self.best_givens[i]


def smallest(
    cells: Any, box_rows: int, heads: Any, best: Any, orders: Any, *, known: bool
) -> tuple[int, bool]:
    """Write the smallest image, in reading order, to `best`.

    If `known`, `best` already contains an image and is replaced only by a smaller one. Returns how
    many candidates give the image in `best`, and whether this call found it. The rows and the
    columns of the first of these candidates, by head and then by columns, are written to `orders`.

    Parameters
    ----------
    cells, best : ndarray of shape (n, n), dtype uint8
    box_rows : int
    heads : ndarray of shape (h, box_rows), dtype uint8
    orders : ndarray of shape (2, n), dtype uint8
    known : bool
    """
    trial = Trial(len(cells), box_rows, to_list(heads.ravel()))
    flat, before = to_list(cells.ravel()), to_list(best.ravel())
    return trial.smallest(flat, before, best.ravel(), orders[0], orders[1], known)


def smallest_puzzles(
    cells: Any, shown: Any, box_rows: int, heads: Any, best: Any, given: Any, start: int, stop: int
) -> None:
    """Write the smallest images of puzzles whose solutions are `cells`, all of shape (N, n, n).

    For each puzzle from `start` to `stop`, the smallest image of its solution and of the transpose
    is written to `best`. `shown` is 1 in given cells and 0 in open cells; the smallest image of
    `shown` among all orders that lead to `best` is written to `given`.
    """
    trial = Trial(cells.shape[1], box_rows, to_list(heads.ravel()))
    for index in range(start, stop):
        sources = to_list(cells[index].ravel()), to_list(shown[index].ravel())
        trial.smallest_puzzle(*sources, best[index].ravel(), given[index].ravel())
