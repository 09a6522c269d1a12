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
class ImageSearch:
    """A search through all candidates; -1 stands for a place, column or stack not yet assigned."""

    memory: Room
    order: Long
    box_rows: Long
    box_columns: Long
    cells: Numbers  # the grid, row by row
    head_rows: Numbers  # the rows of all heads, head by head
    head_count: Long
    head_start: Long  # the index in `head_rows` where the current head begins
    head_number: Long  # the number of the current head
    first_row_start: Long  # the index in `cells` where the first row of the head begins
    followers: Numbers  # by column: the column that follows it
    columns: Numbers  # by place in the image: the column
    places: Numbers  # by column: the place
    stacks: Numbers  # by column, or by place: the stack
    places_by_stack: Numbers  # by stack: its place among the stacks of the image
    stacks_by_place: Numbers  # by place among the stacks of the image: the stack
    filled_counts: Numbers  # by place among the stacks: how many of its columns have a place
    placed_stack_count: Long
    best_second_row: Numbers  # the smallest second row so far; n for unknown digits

    image: Numbers
    digit_labels: Numbers  # by digit: its label in the image
    first_digits: Numbers  # by row of the image: its digit in the first column
    source_rows: Numbers  # by row of the image: the row of the grid
    best_image: Numbers  # the smallest image so far
    has_best_image: Long  # whether `best_image` contains an image
    is_best_image_new: Long  # whether this search found `best_image`
    best_rows: Numbers  # the rows of the first candidate that gives `best_image`
    best_columns: Numbers  # the columns of that candidate
    best_head_number: Long
    best_candidate_count: Long  # the number of candidates that give `best_image`

    has_givens: Long  # whether the grid is the solution of a puzzle
    givens: Numbers  # 1 in the given cells of the puzzle, otherwise 0
    image_givens: Numbers  # the given cells of the current image
    best_givens: Numbers  # the smallest given cells of all images equal to `best_image`

    def __init__(self, order: Long, box_rows: Long, heads: GivenBytes) -> None:
        index: Long
        self.order, self.box_rows, self.box_columns = order, box_rows, order // box_rows
        self.head_count = len(heads) // box_rows
        self.memory = memory = Room(6 * order * order + 13 * order + len(heads))
        self.head_rows = memory.take(len(heads))
        for index in range(len(heads)):
            self.head_rows[index] = heads[index]
        self.cells, self.image, self.best_image = (
            memory.take(order * order),
            memory.take(order * order),
            memory.take(order * order),
        )
        self.givens, self.image_givens, self.best_givens = (
            memory.take(order * order),
            memory.take(order * order),
            memory.take(order * order),
        )
        self.columns, self.places, self.stacks = (
            memory.take(order),
            memory.take(order),
            memory.take(order),
        )
        self.places_by_stack, self.stacks_by_place, self.filled_counts = (
            memory.take(order),
            memory.take(order),
            memory.take(order),
        )
        self.followers, self.best_second_row, self.digit_labels = (
            memory.take(order),
            memory.take(order),
            memory.take(order),
        )
        self.first_digits, self.source_rows = memory.take(order), memory.take(order)
        self.best_rows, self.best_columns = memory.take(order), memory.take(order)
        for index in range(order):
            self.columns[index] = self.places[index] = self.places_by_stack[index] = -1
            self.stacks[index] = index // self.box_columns
        self.has_best_image = self.has_givens = 0

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def search(self) -> Void:
        """Try all heads, with all orders of columns."""
        order: Long = self.order
        index: Long
        row: Long
        self.placed_stack_count = self.best_candidate_count = self.best_head_number = (
            self.is_best_image_new
        ) = 0
        for index in range(order):
            self.best_second_row[index] = (
                self.best_image[1 % order * order + index] if self.has_best_image else order
            )
        for index in range(self.head_count):
            self.head_start, self.head_number = index * self.box_rows, index
            self.first_row_start = self.head_rows[self.head_start] * order
            if self.box_rows > 1:
                self.try_second_row(self.head_rows[self.head_start + 1])
                continue
            for row in range(order):
                if row * order != self.first_row_start or order == 1:
                    self.try_second_row(row)

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def try_second_row(self, row: Long) -> Void:
        """Try all orders of the columns for which this second row may become smallest."""
        column: Long
        for column in range(self.order):
            self.digit_labels[self.cells[self.first_row_start + column]] = column
        for column in range(self.order):
            self.followers[column] = self.digit_labels[self.cells[row * self.order + column]]
        self.extend_columns(0)

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def extend_columns(self, place: Long) -> Void:
        """Try all columns at a place of the image, and all orders of the rest."""
        column: Long
        if place == self.order:
            self.count_candidate()
        elif self.columns[place] >= 0:
            self.extend_by_follower(place)
        elif self.stacks[place] < self.placed_stack_count:
            # Only the columns of a stack that has been begun can be placed here.
            start: Long = self.stacks_by_place[self.stacks[place]] * self.box_columns
            for column in range(start, start + self.box_columns):
                if self.places[column] < 0:
                    self.place_column(column)
                    self.extend_by_follower(place)
                    self.unplace_column(column)
        else:
            for column in range(self.order):
                if self.places_by_stack[self.stacks[column]] < 0:
                    self.place_column(column)
                    self.extend_by_follower(place)
                    self.unplace_column(column)

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def extend_by_follower(self, place: Long) -> Void:
        """Give the second row its least digit at a place; continue if the row may be smallest."""
        column: Long = self.followers[self.columns[place]]
        is_unplaced: Int = self.places[column] < 0
        later_place: Long
        if is_unplaced:
            self.place_column(column)
        new_place: Int = self.places[column]
        # If this second row is smaller than all earlier ones, the best image so far is discarded.
        if new_place < self.best_second_row[place]:
            self.best_second_row[place] = new_place
            for later_place in range(place + 1, self.order):
                self.best_second_row[later_place] = self.order
            self.has_best_image = 0
        if new_place == self.best_second_row[place]:
            self.extend_columns(place + 1)
        if is_unplaced:
            self.unplace_column(column)

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def place_column(self, column: Long) -> Void:
        """Give a column the first free place of its stack."""
        stack: Int = self.stacks[column]
        if self.places_by_stack[stack] < 0:
            self.places_by_stack[stack] = self.placed_stack_count
            self.stacks_by_place[self.placed_stack_count] = stack
            self.placed_stack_count += 1
        stack_place: Int = self.places_by_stack[stack]
        place: Int = stack_place * self.box_columns + self.filled_counts[stack_place]
        self.filled_counts[stack_place] += 1
        self.columns[place] = column
        self.places[column] = place

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def unplace_column(self, column: Long) -> Void:
        """Undo the last `place_column`, which placed this column."""
        stack: Int = self.stacks[column]
        stack_place: Int = self.places_by_stack[stack]
        self.columns[self.places[column]] = -1
        self.places[column] = -1
        self.filled_counts[stack_place] -= 1
        if not self.filled_counts[stack_place]:
            self.places_by_stack[stack] = -1
            self.placed_stack_count -= 1

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def count_candidate(self) -> Void:
        """Count the current candidate, whose columns are all placed, if no image is smaller."""
        order: Long = self.order
        index: Long
        comparison: Int = self.compare_image()
        if comparison > 0:
            return
        if comparison < 0:
            for index in range(order * order):
                self.best_image[index] = self.image[index]
            self.has_best_image = self.is_best_image_new = 1
            self.best_candidate_count = 0
        if self.has_givens:
            self.store_givens(comparison < 0)
        self.best_candidate_count += 1
        if self.best_candidate_count > 1:
            if self.best_head_number != self.head_number:
                return
            index = 0
            while index < order - 1 and self.columns[index] == self.best_columns[index]:
                index += 1
            if self.columns[index] > self.best_columns[index]:
                return
        for index in range(order):
            self.best_columns[index] = self.columns[index]
            self.best_rows[index] = (
                self.head_rows[self.head_start + index]
                if index < self.box_rows
                else self.source_rows[index]
            )
        self.best_head_number = self.head_number

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def compare_image(self) -> Int:
        """Write the image, stopping where it is larger than the best image.

        Returns a number below, equal to or above 0 if the image is smaller, equal or larger.
        """
        order: Long = self.order
        box_rows: Long = self.box_rows
        band_start: Long = box_rows
        row: Long
        place: Long
        band: Long
        comparison: Int = 0 if self.has_best_image else -1
        for place in range(order):
            self.image[place] = place
            self.digit_labels[self.cells[self.first_row_start + self.columns[place]]] = place
        for row in range(1, box_rows):
            comparison = self.compare_row(row, self.head_rows[self.head_start + row], comparison)
            if comparison > 0:
                return comparison
        # Sort the other rows by their first digits, which all differ: within bands, then the bands.
        for band in range(order // box_rows):
            if band == self.head_rows[self.head_start] // box_rows:
                continue
            for row in range(band * box_rows, band * box_rows + box_rows):
                first_digit: Int = self.digit_labels[self.cells[row * order + self.columns[0]]]
                place = band_start + row - band * box_rows
                while place > band_start and self.first_digits[place - 1] > first_digit:
                    self.first_digits[place] = self.first_digits[place - 1]
                    self.source_rows[place] = self.source_rows[place - 1]
                    place -= 1
                self.first_digits[place] = first_digit
                self.source_rows[place] = row
            place = band_start
            while (
                place > box_rows and self.first_digits[place - box_rows] > self.first_digits[place]
            ):
                for row in range(place, place + box_rows):
                    self.swap_rows(row - box_rows, row)
                place -= box_rows
            band_start += box_rows
        for row in range(box_rows, order):
            comparison = self.compare_row(row, self.source_rows[row], comparison)
            if comparison > 0:
                break
        return comparison

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def swap_rows(self, row: Long, other_row: Long) -> Void:
        saved_value: Int = self.first_digits[row]
        self.first_digits[row] = self.first_digits[other_row]
        self.first_digits[other_row] = saved_value
        saved_value = self.source_rows[row]
        self.source_rows[row] = self.source_rows[other_row]
        self.source_rows[other_row] = saved_value

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def compare_row(self, image_row: Long, row: Long, comparison: Int) -> Int:
        """Write one row of the image, stopping where it is larger than the best image."""
        source: Long = row * self.order
        target: Long = image_row * self.order
        place: Long
        # Writing and comparing in one pass is fast, since most rows are larger within a few cells.
        for place in range(self.order):
            label: Int = self.digit_labels[self.cells[source + self.columns[place]]]
            self.image[target + place] = label
            if comparison == 0 and label != self.best_image[target + place]:
                comparison = label - self.best_image[target + place]
                if comparison > 0:
                    break
        return comparison

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def store_givens(self, is_new_best: Int) -> Void:
        """Store the given cells of the image if they are the smallest of this image so far."""
        order: Long = self.order
        image_row: Long
        place: Long
        comparison: Int = -1 if is_new_best else 0
        for image_row in range(order):
            row: Long = (
                self.head_rows[self.head_start + image_row]
                if image_row < self.box_rows
                else self.source_rows[image_row]
            )
            for place in range(order):
                is_given: Int = self.givens[row * order + self.columns[place]]
                self.image_givens[image_row * order + place] = is_given
                if comparison == 0:
                    comparison = is_given - self.best_givens[image_row * order + place]
                    if comparison > 0:
                        return
        if comparison < 0:
            for image_row in range(order * order):
                self.best_givens[image_row] = self.image_givens[image_row]

    def search_one_grid(
        self,
        cells: GivenBytes,
        earlier_smallest_image: GivenBytes,
        best: Bytes,
        rows: Bytes,
        columns: Bytes,
        has_best_image: Int,
    ) -> tuple[int, bool]:
        """Search one grid, as the function `search_one_grid` describes."""
        order: Long = self.order
        index: Long
        self.has_best_image = has_best_image
        with cython.nogil:
            for index in range(order * order):
                self.cells[index], self.best_image[index] = (
                    cells[index],
                    earlier_smallest_image[index],
                )
            self.search()
            for index in range(order * order if self.is_best_image_new else 0):
                best[index] = self.best_image[index]
            for index in range(order if self.best_candidate_count else 0):
                rows[index], columns[index] = self.best_rows[index], self.best_columns[index]
        return self.best_candidate_count, bool(self.is_best_image_new)

    def find_smallest_puzzle(
        self, cells: GivenBytes, givens: GivenBytes, best: Bytes, best_givens: Bytes
    ) -> None:
        """Write the smallest image of a grid or its transpose, and the smallest given cells."""
        order: Long = self.order
        row: Long
        column: Long
        transposed: Int
        self.has_givens = 1
        self.has_best_image = 0
        with cython.nogil:
            for transposed in range(2):
                for row in range(order):
                    for column in range(order):
                        source: Long = column * order + row if transposed else row * order + column
                        self.cells[row * order + column] = cells[source]
                        self.givens[row * order + column] = givens[source]
                self.search()
                self.has_best_image = 1
            for row in range(order * order):
                best[row], best_givens[row] = self.best_image[row], self.best_givens[row]


def find_smallest_image(
    cells: Any, box_rows: int, heads: Any, best: Any, orders: Any, *, has_best: bool
) -> tuple[int, bool]:
    """Write the smallest image, in reading order, to `best`.

    If `has_best`, `best` already contains an image and is replaced only by a smaller one. Returns
    how many candidates give the image in `best`, and whether this call found it. The rows and the
    columns of the first of these candidates, by head and then by columns, are written to `orders`.

    Parameters
    ----------
    cells, best : ndarray of shape (n, n), dtype uint8
    box_rows : int
    heads : ndarray of shape (h, box_rows), dtype uint8
    orders : ndarray of shape (2, n), dtype uint8
    has_best_image : bool
    """
    search = ImageSearch(len(cells), box_rows, to_list(heads.ravel()))
    flat_cells, earlier_image = to_list(cells.ravel()), to_list(best.ravel())
    return search.search_one_grid(
        flat_cells, earlier_image, best.ravel(), orders[0], orders[1], has_best
    )


def find_smallest_puzzles(
    cells: Any,
    givens: Any,
    box_rows: int,
    heads: Any,
    best: Any,
    best_givens: Any,
    start: int,
    stop: int,
) -> None:
    """Write the smallest images of puzzles whose solutions are `cells`, all of shape (N, n, n).

    For each puzzle from `start` to `stop`, the smallest image of its solution and of the transpose
    is written to `best`. `givens` is 1 in given cells and 0 in open cells; the smallest image of
    `givens` among all orders that lead to `best` is written to `best_givens`.
    """
    search = ImageSearch(cells.shape[1], box_rows, to_list(heads.ravel()))
    for index in range(start, stop):
        sources = to_list(cells[index].ravel()), to_list(givens[index].ravel())
        search.find_smallest_puzzle(*sources, best[index].ravel(), best_givens[index].ravel())
