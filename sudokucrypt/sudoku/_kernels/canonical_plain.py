"""The smallest image of a grid when rows, columns and digits are exchanged.

Each candidate is the rows of the first band in order, a *head*, and an order of the columns that
keeps stacks together. It fixes the rest: the first row is relabeled to 0, 1, 2, ..., other rows
of a band and bands rise in their first column.

The second row alone leaves few orders of columns. Let one follow another if there the first row
has the digit that the second row has here. Where a column has a place, the second row gets the
place of the one that follows it, which is best the first that is free in its stack.

This text is compiled as well.
"""

import sudokucrypt.kernels.names as cython

if not cython.compiled:
    from sudokucrypt.kernels.names import *


@final
@cclass
class Trial:
    """A search through all candidates; what has no place, no image or no stack yet is -1."""

    room: Room
    n: Long
    p: Long
    q: Long
    cells: Numbers  # row by row
    heads: Numbers  # one after the other
    head_count: Long
    head: Long  # where the one that is tried begins
    number: Long  # of that head
    first: Long  # where its first row begins
    follows: Numbers  # by column: the column in which the first row has the digit of the second
    columns: Numbers  # by place
    places: Numbers  # by column
    stacks: Numbers  # by column, and by place
    homes: Numbers  # by stack: its place among the stacks
    owners: Numbers  # by place among the stacks: the stack
    filled: Numbers  # by place of a stack: how many of its columns have a place
    placed: Long  # stacks
    line: Numbers  # the smallest second row; a digit that is not known is n

    image: Numbers
    label: Numbers  # by digit
    firsts: Numbers  # by row of the image: its digit in the first column
    sources: Numbers  # by row of the image: the row
    best: Numbers
    known: Long  # whether there is one
    smaller: Long  # whether it was found here
    rows: Numbers  # those of the first candidate that gives it
    chosen: Numbers  # its columns
    head_found: Long
    found: Long  # candidates that give it

    of_puzzle: Long  # whether a puzzle gives some cells
    shown: Numbers  # those, as 1
    moved: Numbers  # those of an image
    given: Numbers  # those of the smallest image, the smallest of these

    def __init__(self, n: Long, box_rows: Long, heads: GivenBytes) -> None:
        i: Long
        self.n, self.p, self.q = n, box_rows, n // box_rows
        self.head_count = len(heads) // box_rows
        self.room = room = Room(6 * n * n + 13 * n + len(heads))
        self.heads = room.take(len(heads))
        for i in range(len(heads)):
            self.heads[i] = heads[i]
        self.cells, self.image, self.best = room.take(n * n), room.take(n * n), room.take(n * n)
        self.shown, self.moved, self.given = room.take(n * n), room.take(n * n), room.take(n * n)
        self.columns, self.places, self.stacks = room.take(n), room.take(n), room.take(n)
        self.homes, self.owners, self.filled = room.take(n), room.take(n), room.take(n)
        self.follows, self.line, self.label = room.take(n), room.take(n), room.take(n)
        self.firsts, self.sources = room.take(n), room.take(n)
        self.rows, self.chosen = room.take(n), room.take(n)
        for i in range(n):
            self.columns[i] = self.places[i] = self.homes[i] = -1
            self.stacks[i] = i // self.q
        self.known = self.of_puzzle = 0

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def search(self) -> Void:
        """Try all heads, with all orders of columns."""
        n: Long = self.n
        i: Long
        row: Long
        self.placed = self.found = self.head_found = self.smaller = 0
        for i in range(n):
            self.line[i] = self.best[1 % n * n + i] if self.known else n
        for i in range(self.head_count):
            self.head, self.number = i * self.p, i
            self.first = self.heads[self.head] * n
            if self.p > 1:
                self.second(self.heads[self.head + 1])
                continue
            for row in range(n):
                if row * n != self.first or n == 1:
                    self.second(row)

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def second(self, row: Long) -> Void:
        """Try all orders of the columns that may make this second row smallest."""
        j: Long
        for j in range(self.n):
            self.label[self.cells[self.first + j]] = j
        for j in range(self.n):
            self.follows[j] = self.label[self.cells[row * self.n + j]]
        self.extend(0)

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def extend(self, place: Long) -> Void:
        column: Long
        if place == self.n:
            self.conclude()
        elif self.columns[place] >= 0:
            self.follow(place)
        elif self.stacks[place] < self.placed:
            # A stack that is begun is finished first.
            start: Long = self.owners[self.stacks[place]] * self.q
            for column in range(start, start + self.q):
                if self.places[column] < 0:
                    self.put(column)
                    self.follow(place)
                    self.take(column)
        else:
            for column in range(self.n):
                if self.homes[self.stacks[column]] < 0:
                    self.put(column)
                    self.follow(place)
                    self.take(column)

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def follow(self, place: Long) -> Void:
        """Give the second row its smallest digit here, and go on unless a smaller row is known."""
        column: Long = self.follows[self.columns[place]]
        fresh: Int = self.places[column] < 0
        i: Long
        if fresh:
            self.put(column)
        value: Int = self.places[column]
        # A smaller second row than all before: what was best is none any more.
        if value < self.line[place]:
            self.line[place] = value
            for i in range(place + 1, self.n):
                self.line[i] = self.n
            self.known = 0
        if value == self.line[place]:
            self.extend(place + 1)
        if fresh:
            self.take(column)

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def put(self, column: Long) -> Void:
        """Give a column the first place that is free for it."""
        stack: Int = self.stacks[column]
        if self.homes[stack] < 0:
            self.homes[stack] = self.placed
            self.owners[self.placed] = stack
            self.placed += 1
        slot: Int = self.homes[stack]
        place: Int = slot * self.q + self.filled[slot]
        self.filled[slot] += 1
        self.columns[place] = column
        self.places[column] = place

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def take(self, column: Long) -> Void:
        """Undo the last `put`."""
        stack: Int = self.stacks[column]
        slot: Int = self.homes[stack]
        self.columns[self.places[column]] = -1
        self.places[column] = -1
        self.filled[slot] -= 1
        if not self.filled[slot]:
            self.homes[stack] = -1
            self.placed -= 1

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def conclude(self) -> Void:
        """Count the candidate, in which all columns have a place, if no image is smaller."""
        n: Long = self.n
        i: Long
        compared: Int = self.compare()
        if compared > 0:
            return
        if compared < 0:
            for i in range(n * n):
                self.best[i] = self.image[i]
            self.known = self.smaller = 1
            self.found = 0
        if self.of_puzzle:
            self.move_given(compared < 0)
        self.found += 1
        if self.found > 1:
            if self.head_found != self.number:
                return
            i = 0
            while i < n - 1 and self.columns[i] == self.chosen[i]:
                i += 1
            if self.columns[i] > self.chosen[i]:
                return
        for i in range(n):
            self.chosen[i] = self.columns[i]
            self.rows[i] = self.heads[self.head + i] if i < self.p else self.sources[i]
        self.head_found = self.number

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def compare(self) -> Int:
        """Compare the image with the best, if that is known; write it unless it is larger."""
        n: Long = self.n
        p: Long = self.p
        k: Long = p
        i: Long
        j: Long
        band: Long
        compared: Int = 0 if self.known else -1
        for j in range(n):
            self.image[j] = j
            self.label[self.cells[self.first + self.columns[j]]] = j
        for i in range(1, p):
            compared = self.compare_row(i, self.heads[self.head + i], compared)
            if compared > 0:
                return compared
        # The other rows by their first digits, which all differ: inside bands, then the bands.
        for band in range(n // p):
            if band == self.heads[self.head] // p:
                continue
            for i in range(band * p, band * p + p):
                value: Int = self.label[self.cells[i * n + self.columns[0]]]
                j = k + i - band * p
                while j > k and self.firsts[j - 1] > value:
                    self.firsts[j] = self.firsts[j - 1]
                    self.sources[j] = self.sources[j - 1]
                    j -= 1
                self.firsts[j] = value
                self.sources[j] = i
            j = k
            while j > p and self.firsts[j - p] > self.firsts[j]:
                for i in range(j, j + p):
                    self.swap_rows(i - p, i)
                j -= p
            k += p
        for i in range(p, n):
            compared = self.compare_row(i, self.sources[i], compared)
            if compared > 0:
                break
        return compared

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def swap_rows(self, i: Long, j: Long) -> Void:
        value: Int = self.firsts[i]
        self.firsts[i] = self.firsts[j]
        self.firsts[j] = value
        value = self.sources[i]
        self.sources[i] = self.sources[j]
        self.sources[j] = value

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def compare_row(self, to: Long, row: Long, compared: Int) -> Int:
        """Write one row of the image, up to where it turns out larger than the best."""
        source: Long = row * self.n
        target: Long = to * self.n
        j: Long
        # Write and compare in one pass; most rows are larger within a few cells.
        for j in range(self.n):
            value: Int = self.label[self.cells[source + self.columns[j]]]
            self.image[target + j] = value
            if compared == 0 and value != self.best[target + j]:
                compared = value - self.best[target + j]
                if compared > 0:
                    break
        return compared

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def move_given(self, fresh: Int) -> Void:
        """Keep the given cells of the image, unless smaller ones of the same image are known."""
        n: Long = self.n
        i: Long
        j: Long
        compared: Int = -1 if fresh else 0
        for i in range(n):
            row: Long = self.heads[self.head + i] if i < self.p else self.sources[i]
            for j in range(n):
                shown: Int = self.shown[row * n + self.columns[j]]
                self.moved[i * n + j] = shown
                if compared == 0:
                    compared = shown - self.given[i * n + j]
                    if compared > 0:
                        return
        if compared < 0:
            for i in range(n * n):
                self.given[i] = self.moved[i]

    def smallest(
        self,
        cells: GivenBytes,
        before: GivenBytes,
        best: Bytes,
        rows: Bytes,
        columns: Bytes,
        known: Int,
    ) -> tuple[int, bool]:
        """Search one grid, as the function says."""
        n: Long = self.n
        i: Long
        self.known = known
        with cython.nogil:
            for i in range(n * n):
                self.cells[i], self.best[i] = cells[i], before[i]
            self.search()
            for i in range(n * n if self.smaller else 0):
                best[i] = self.best[i]
            for i in range(n if self.found else 0):
                rows[i], columns[i] = self.rows[i], self.chosen[i]
        return self.found, bool(self.smaller)

    def smallest_puzzle(
        self, cells: GivenBytes, shown: GivenBytes, best: Bytes, given: Bytes
    ) -> None:
        """Search a grid and its transpose for the smallest image, and that of given cells."""
        n: Long = self.n
        i: Long
        j: Long
        turned: Int
        self.of_puzzle = 1
        self.known = 0
        with cython.nogil:
            for turned in range(2):
                for i in range(n):
                    for j in range(n):
                        at: Long = j * n + i if turned else i * n + j
                        self.cells[i * n + j] = cells[at]
                        self.shown[i * n + j] = shown[at]
                self.search()
                self.known = 1
            for i in range(n * n):
                best[i], given[i] = self.best[i], self.given[i]


def smallest(
    cells: Any, box_rows: int, heads: Any, best: Any, orders: Any, *, known: bool
) -> tuple[int, bool]:
    """Write the smallest image, in reading order, to `best`, unless a smaller one is `known` there.

    Returned are how many candidates give what then is in `best`, and whether that is new. Rows and
    columns of the first of them, by head and then by columns, are written to the rows of `orders`.

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

    Of the grids and their transposes the smallest image is written to `best`, for the puzzles from
    `start` to `stop`. Of all orders that lead to it the smallest image of `shown`, 1 in cells that
    the puzzle gives and else 0, is written to `given`.
    """
    trial = Trial(cells.shape[1], box_rows, to_list(heads.ravel()))
    for index in range(start, stop):
        sources = to_list(cells[index].ravel()), to_list(shown[index].ravel())
        trial.smallest_puzzle(*sources, best[index].ravel(), given[index].ravel())
