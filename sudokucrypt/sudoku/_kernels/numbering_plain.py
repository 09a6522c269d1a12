"""Number 9x9 grids: convert grids to numbers and back. This file is also compiled.

A number has two parts. The *outer* part combines the partition of the first box into columns (280)
and the orders of the columns in the three boxes of band one (6 each). The remaining freedom is a
*normal* grid, whose band one has the column sets of a class representative, with columns in the
order of their smallest digits. The *inner* part numbers normal grids, from the most significant
place: class, member of the class, filling of band one, mates in the first and second box, mate in
the third box, filling of band two, filling of band three.

`tables` is a `sudokucrypt.sudoku.counting.band_classes.GridTables`.
"""

import sudokucrypt.kernels.names as cython

if not cython.compiled:
    from sudokucrypt.kernels.names import *
    from sudokucrypt.sudoku._kernels.numbering_batches import rank_many, unrank_many

    # The number of mate pairs of a partition of nine digits into three sets; see
    # `band_classes`.
    MATE_COUNT = 56
    # From this number of grids on, NumPy is faster than interpreting this file.
    MIN_BATCH = 8


@cfunc
@inline
@cython.nogil
@exceptval(check=False)
def get_ordered_item(order: Int, place: Int) -> Int:
    """Return the item at a place of an arrangement of three items.

    `order` is the number of the arrangement, as `Numbering.find_order_number` returns it.
    """
    first: Int = order // 2
    smaller_other_item: Int = 1 if first == 0 else 0
    if place == 0:
        return first
    return smaller_other_item if place == 1 + (order & 1) else 3 - first - smaller_other_item


@final
@cclass
class GridNumberer:
    """The arrays of `GridTables` for fast access, and memory for one grid."""

    tables: Any
    subset_numbers: GivenBytes
    lowest_digits: GivenBytes
    partitions_by_parts: ShortTable
    labels_by_digit: ByteTable
    digits_by_label: ByteTable
    relabeled_partitions: ShortTable
    parts: ShortTable
    mate_masks: ShortTesseract
    mates: ShortCube
    row_partitions: GivenShorts
    row_partition_places: GivenBytes
    filling_counts: ShortTable
    second_box_fits: WordTable
    third_box_fits: WordTable
    pair_classes: GivenBytes
    pair_places: GivenShorts
    class_members: GivenInts
    class_relabelings: ByteTable
    class_box_orders: ByteTable
    class_pairs: ShortTable
    member_starts: GivenLongs
    ways_below: LongTable
    class_starts: GivenLongs
    source: GivenBytes  # the cells of grids, grid by grid
    target: Bytes
    outer_number: Long
    inner_number: Long

    memory: Room
    box_masks: Numbers  # the digits of the columns of a band as bits, box by box
    digit_sets: Numbers  # sets of digits as bits, for rows or columns of a band
    digit_map: Numbers  # by digit: the digit that replaces it
    final_columns: Numbers  # by column of the normal grid: the column of the grid
    normal_cells: Numbers  # the normal grid, row by row
    columns: Numbers  # for each band and box: its partition into columns
    mate_numbers: Numbers  # for each box of band one: the number of its mate pair
    fillings: Numbers  # by band
    first_partitions: Numbers  # for each of bands two and three: the partition of the first box
    second_partitions: Numbers  # the partition of the second box, relabeled by the first box
    final_digits: Numbers  # by digit of the normal grid: the digit of the grid
    stacks: Numbers  # by box of the normal grid: the stack of the grid

    def __init__(self, tables: Any) -> None:
        self.tables = tables
        column_sets, fillings, classes, ways_below, class_starts = tables
        self.ways_below, self.class_starts = view(ways_below), view(class_starts)
        self.subset_numbers = view(column_sets.subset_numbers)
        self.partitions_by_parts = view(column_sets.partitions_by_parts)
        self.labels_by_digit, self.digits_by_label = (
            view(column_sets.labels),
            view(column_sets.digits_by_label),
        )
        self.lowest_digits = view(column_sets.lowest_digits)
        self.relabeled_partitions = view(column_sets.relabeled_partitions)
        self.parts, self.mate_masks = view(column_sets.parts), view(column_sets.mate_masks)
        self.mates = view(column_sets.mates)
        self.row_partitions = view(fillings.row_partitions)
        self.row_partition_places = view(fillings.row_indexes)
        self.filling_counts = view(fillings.counts)
        self.second_box_fits = view(fillings.second_box_fits)
        self.third_box_fits = view(fillings.third_box_fits)
        self.pair_classes, self.pair_places = (
            view(classes.pair_classes),
            view(classes.places),
        )
        self.class_members, self.member_starts = view(classes.members), view(classes.member_starts)
        self.class_relabelings, self.class_box_orders = (
            view(classes.relabelings),
            view(classes.box_orders),
        )
        self.class_pairs = view(classes.representatives)
        self.memory = memory = Room(4 * 9 + 81 + 9 + 3 + 3 + 2 + 2 + 9 + 3)
        self.box_masks, self.digit_sets = memory.take(9), memory.take(9)
        self.digit_map, self.final_columns = memory.take(9), memory.take(9)
        self.normal_cells, self.columns = memory.take(81), memory.take(9)
        self.mate_numbers, self.fillings = memory.take(3), memory.take(3)
        self.first_partitions, self.second_partitions = memory.take(2), memory.take(2)
        self.final_digits, self.stacks = memory.take(9), memory.take(3)

    def unrank_all(
        self, outer_numbers: GivenLongs, inner_numbers: GivenLongs, cells: Bytes
    ) -> None:
        """Write the grids with these numbers to `cells`."""
        self.target = cells
        index: Long
        with cython.nogil:
            for index in range(len(outer_numbers)):
                self.unrank(outer_numbers[index], inner_numbers[index], 81 * index)

    def rank_all(self, cells: GivenBytes, outer_numbers: Longs, inner_numbers: Longs) -> None:
        """Write the numbers of these grids to `outer_numbers` and `inner_numbers`."""
        self.source = cells
        index: Long
        with cython.nogil:
            for index in range(len(outer_numbers)):
                self.rank(81 * index)
                outer_numbers[index], inner_numbers[index] = self.outer_number, self.inner_number

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def unrank(self, outer_number: Long, inner_number: Long, offset: Long) -> Void:
        """Write the grid of an outer and an inner number to `target` from `offset` on."""
        class_number: Int = 0
        lowest_mate_pair: Int = 0
        high: Int = MATE_COUNT * MATE_COUNT
        third_mate: Int = 0
        box: Int
        band: Int
        index: Int
        row: Int
        columns: Numbers = self.columns
        # The most significant place of the inner part: the class of the first band, one of 44.
        while self.class_starts[class_number + 1] <= inner_number:
            class_number += 1
        inner_number -= self.class_starts[class_number]
        columns[0], columns[1] = 0, self.class_pairs[class_number, 0]
        columns[2] = self.class_pairs[class_number, 1]
        way_count: Long = self.ways_below[class_number, MATE_COUNT * MATE_COUNT]
        ways_per_pair: Long = self.filling_counts[columns[1], columns[2]] * way_count
        pair: Int = self.class_members[
            self.member_starts[class_number] + inner_number // ways_per_pair
        ]
        # These reads come early since they take longest: both tables exceed the first-level cache.
        for index in range(9):
            self.final_digits[
                self.class_relabelings[pair, self.labels_by_digit[outer_number // 216, index]]
            ] = index
        for box in range(3):
            self.stacks[box] = self.class_box_orders[pair, box]
        inner_number %= ways_per_pair
        filling_number: Long = inner_number // way_count
        inner_number %= way_count
        # Find the mates of the first two boxes by bisection in the cumulative counts.
        while high - lowest_mate_pair > 1:
            middle: Int = (lowest_mate_pair + high) // 2
            if self.ways_below[class_number, middle] <= inner_number:
                lowest_mate_pair = middle
            else:
                high = middle
        inner_number -= self.ways_below[class_number, lowest_mate_pair]
        first_mate: Int = lowest_mate_pair // MATE_COUNT
        second_mate: Int = lowest_mate_pair % MATE_COUNT
        self.set_first_two_mates(first_mate, second_mate)
        while True:
            count: Long = self.count_with_third_mate(third_mate)
            if inner_number < count:
                break
            inner_number -= count
            third_mate += 1
        self.mate_numbers[0], self.mate_numbers[1] = first_mate, second_mate
        self.mate_numbers[2] = third_mate
        for box in range(3):
            for index in range(3):
                self.box_masks[3 * box + index] = self.parts[columns[box], index]
            for band in range(2):
                columns[3 * band + 3 + box] = self.mates[columns[box], self.mate_numbers[box], band]
        self.write_band(0, filling_number)
        count = self.count_fillings(columns[6], columns[7], columns[8])
        self.fillings[1], self.fillings[2] = inner_number // count, inner_number % count
        for band in range(2):
            for box in range(3):
                for index in range(3):
                    self.box_masks[3 * box + index] = self.mate_masks[
                        columns[box], self.mate_numbers[box], band, index
                    ]
            self.write_band(band + 1, self.fillings[band + 1])
        # Map the digits and columns of the normal grid to those of the grid.
        for index in range(9):
            self.digit_map[index] = self.final_digits[index]
        for box in range(3):
            for index in range(3):
                self.digit_sets[3 * box + index] = self.map_mask(self.parts[columns[box], index])
        packed_orders: Int = outer_number % 216
        for box in range(3):
            stack: Int = self.stacks[box]
            order: Int = (
                packed_orders // 36
                if stack == 0
                else packed_orders // 6
                if stack == 1
                else packed_orders
            )
            for index in range(3):
                smaller_count: Int = self.count_smaller(3 * box, index)
                self.final_columns[3 * box + index] = 3 * stack + get_ordered_item(
                    order % 6, smaller_count
                )
        final_columns: Numbers = self.final_columns
        normal_cells: Numbers = self.normal_cells
        digit_map: Numbers = self.digit_map
        for row in range(9):
            for index in range(9):
                self.target[offset + 9 * row + final_columns[index]] = digit_map[
                    normal_cells[9 * row + index]
                ]

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def rank(self, offset: Long) -> Void:
        """Set both parts of the number to that of the grid in `source` from `offset` on."""
        box: Int
        band: Int
        index: Int
        row: Int
        columns: Numbers = self.columns
        for index in range(9):
            self.digit_sets[index] = (
                1 << self.source[offset + index]
                | 1 << self.source[offset + 9 + index]
                | 1 << self.source[offset + 18 + index]
            )
        outer_number: Long = 0
        for box in range(3):
            columns[box] = self.find_partition(3 * box)
            outer_number = 6 * outer_number + self.find_order_number(3 * box)
        self.outer_number = 216 * columns[0] + outer_number
        second_partition: Int = self.relabeled_partitions[columns[0], columns[1]]
        pair: Int = (
            second_partition * len(self.relabeled_partitions)
            + self.relabeled_partitions[columns[0], columns[2]]
        )
        class_number: Int = self.pair_classes[pair]
        for index in range(9):
            self.digit_map[index] = self.class_relabelings[
                pair, self.labels_by_digit[columns[0], index]
            ]
        for index in range(9):
            self.digit_sets[index] = self.map_mask(self.digit_sets[index])
        for box in range(3):
            stack: Int = self.class_box_orders[pair, box]
            for index in range(3):
                self.final_columns[3 * box + self.count_smaller(3 * stack, index)] = (
                    3 * stack + index
                )
        for row in range(9):
            for index in range(9):
                self.normal_cells[9 * row + index] = self.digit_map[
                    self.source[offset + 9 * row + self.final_columns[index]]
                ]
        for band in range(3):
            self.set_column_sets(27 * band)
            for box in range(3):
                columns[3 * band + box] = self.find_partition(3 * box)
                if band == 1:
                    self.mate_numbers[box] = self.find_mate(
                        columns[box], self.digit_sets[3 * box], self.digit_sets[3 * box + 1]
                    )
            self.fillings[band] = self.find_filling_number(band)
        way_count: Long = self.ways_below[class_number, MATE_COUNT * MATE_COUNT]
        earlier_way_count: Long = self.ways_below[
            class_number, self.mate_numbers[0] * MATE_COUNT + self.mate_numbers[1]
        ]
        self.set_first_two_mates(self.mate_numbers[0], self.mate_numbers[1])
        for index in range(self.mate_numbers[2]):
            earlier_way_count += self.count_with_third_mate(index)
        earlier_way_count += self.fillings[1] * self.count_fillings(
            columns[6], columns[7], columns[8]
        )
        upper_filling_number: Long = self.pair_places[pair] * self.count_fillings(
            columns[0], columns[1], columns[2]
        )
        self.inner_number = (
            self.class_starts[class_number]
            + earlier_way_count
            + self.fillings[2]
            + (upper_filling_number + self.fillings[0]) * way_count
        )

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def write_band(self, band: Int, filling_number: Long) -> Void:
        """Write band number `filling_number` among the bands whose column sets are `box_masks`."""
        fits_to_skip: Int = filling_number // 6
        order: Int = filling_number % 6
        candidate: Int = 0
        first: Int = self.columns[3 * band]
        second_partition: Int = self.relabeled_partitions[first, self.columns[3 * band + 1]]
        third_partition: Int = self.relabeled_partitions[first, self.columns[3 * band + 2]]
        box: Int
        index: Int
        column: Int
        mask: Int
        while True:
            fitting_bits: Bits = (
                self.second_box_fits[second_partition, candidate]
                & self.third_box_fits[third_partition, candidate]
            )
            count: Int = count_bits(fitting_bits)
            if fits_to_skip < count:
                break
            fits_to_skip -= count
            candidate += 1
        for _ in range(fits_to_skip):
            fitting_bits &= fitting_bits - 1
        candidate = 64 * candidate + lowest_bit(fitting_bits)
        rows: Int = self.row_partitions[candidate // MATE_COUNT]
        mate: Int = candidate % MATE_COUNT
        for index in range(9):
            self.digit_map[index] = self.digits_by_label[first, index]
        for index in range(3):
            row_start: Int = 27 * band + 9 * get_ordered_item(order, index)
            for box in range(3):
                if box == 0:
                    mask = self.parts[rows, index]
                else:
                    mask = self.mate_masks[rows, mate, box - 1, index]
                mask = self.map_mask(mask)
                for column in range(3):
                    self.normal_cells[row_start + 3 * box + column] = self.lowest_digits[
                        mask & self.box_masks[3 * box + column]
                    ]

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def find_filling_number(self, band: Int) -> Int:
        """Return the number of a band of the normal grid among bands with equal column sets."""
        first: Int = self.columns[3 * band]
        second_partition: Int = self.relabeled_partitions[first, self.columns[3 * band + 1]]
        third_partition: Int = self.relabeled_partitions[first, self.columns[3 * band + 2]]
        number: Int = 0
        row: Int
        index: Int
        for index in range(9):
            self.digit_sets[index] = 0
        for row in range(3):
            for index in range(9):
                digit: Int = self.normal_cells[27 * band + 9 * row + index]
                self.digit_sets[3 * (index // 3) + row] |= 1 << self.labels_by_digit[first, digit]
        # Order the row sets of the second box like those of the first box.
        for row in range(3):
            self.box_masks[self.count_smaller(0, row)] = self.digit_sets[3 + row]
        rows: Int = self.find_partition(0)
        candidate: Int = self.row_partition_places[rows] * MATE_COUNT + self.find_mate(
            rows, self.box_masks[0], self.box_masks[1]
        )
        for index in range(candidate // 64):
            number += count_bits(
                self.second_box_fits[second_partition, index]
                & self.third_box_fits[third_partition, index]
            )
        index = candidate // 64
        fitting_bits: Bits = (
            self.second_box_fits[second_partition, index]
            & self.third_box_fits[third_partition, index]
        )
        number += count_bits(fitting_bits & ((ONE << (candidate % 64)) - 1))
        return 6 * number + self.find_order_number(0)

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def count_fillings(self, first: Int, second: Int, third: Int) -> Long:
        """Return in how many ways a band with these column sets can be filled."""
        way_count: Long = self.filling_counts[
            self.relabeled_partitions[first, second], self.relabeled_partitions[first, third]
        ]
        return way_count

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def set_first_two_mates(self, first_mate: Int, second_mate: Int) -> Void:
        """Set the mates of boxes one and two of band one, as `count_with_third_mate` requires."""
        band: Int
        for band in range(2):
            partition: Int = self.mates[self.columns[0], first_mate, band]
            self.first_partitions[band] = partition
            self.second_partitions[band] = self.relabeled_partitions[
                partition, self.mates[self.columns[1], second_mate, band]
            ]

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def count_with_third_mate(self, mate: Int) -> Long:
        """Return the number of fillings of bands two and three with mate `mate` of box three."""
        box: Int = self.columns[2]
        upper_partition: Int = self.relabeled_partitions[
            self.first_partitions[0], self.mates[box, mate, 0]
        ]
        lower_partition: Int = self.relabeled_partitions[
            self.first_partitions[1], self.mates[box, mate, 1]
        ]
        way_count: Long = self.filling_counts[self.second_partitions[0], upper_partition]
        way_count *= self.filling_counts[self.second_partitions[1], lower_partition]
        return way_count

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def find_mate(self, partition: Int, first_set: Int, second_set: Int) -> Int:
        """Return the number of the mate pair of a partition that begins with these two sets."""
        number: Int = 0
        while (
            self.mate_masks[partition, number, 0, 0] != first_set
            or self.mate_masks[partition, number, 0, 1] != second_set
        ):
            number += 1
        return number

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def set_column_sets(self, offset: Int) -> Void:
        """Set `digit_sets` to the columns of the normal grid's band that begins at `offset`."""
        column: Int
        cells: Numbers = self.normal_cells
        for column in range(9):
            self.digit_sets[column] = (
                1 << cells[offset + column]
                | 1 << cells[offset + 9 + column]
                | 1 << cells[offset + 18 + column]
            )

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def find_partition(self, offset: Int) -> Int:
        """Return the partition into the three `digit_sets` from index `offset` on."""
        partition: Int = self.partitions_by_parts[
            self.subset_numbers[self.digit_sets[offset]],
            self.subset_numbers[self.digit_sets[offset + 1]],
        ]
        return partition

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def count_smaller(self, offset: Int, index: Int) -> Int:
        """Return how many of three `digit_sets` have a smaller minimum than set number `index`."""
        minimum: Int = self.lowest_digits[self.digit_sets[offset + index]]
        count: Int = self.lowest_digits[self.digit_sets[offset]] < minimum
        if self.lowest_digits[self.digit_sets[offset + 1]] < minimum:
            count += 1
        if self.lowest_digits[self.digit_sets[offset + 2]] < minimum:
            count += 1
        return count

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def find_order_number(self, offset: Int) -> Int:
        """Return the order, 0..5, of three `digit_sets` from `offset` on by their minima."""
        first: Int = self.lowest_digits[self.digit_sets[offset]]
        second: Int = self.lowest_digits[self.digit_sets[offset + 1]]
        third: Int = self.lowest_digits[self.digit_sets[offset + 2]]
        if first < second and first < third:
            return third < second
        if second < third:
            return 2 + (third < first)
        return 4 + (second < first)

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def map_mask(self, mask: Int) -> Int:
        """Return the set of the digits that `digit_map` assigns to the digits of a set."""
        result: Int = 0
        while mask:
            result |= 1 << self.digit_map[lowest_bit(mask)]
            mask &= mask - 1
        return result


# Objects that no thread uses now; making one takes a third of the time of ranking a grid.
UNUSED_NUMBERINGS: list[GridNumberer] = []


@cfunc
def take_numbering(tables: Any) -> GridNumberer:
    """Return a numbering with these tables: an unused one if possible, otherwise a new one."""
    try:
        numbering: GridNumberer = UNUSED_NUMBERINGS.pop()
    except IndexError:
        return GridNumberer(tables)
    return numbering if numbering.tables is tables else GridNumberer(tables)


def unrank(tables: Any, outer_numbers: Any, inner_numbers: Any, cells: Any) -> None:
    """Write the grids with these numbers to `cells`, an array of shape (count, 9, 9), uint8."""
    if not cython.compiled and len(outer_numbers) >= MIN_BATCH:
        unrank_many(tables, outer_numbers, inner_numbers, cells)
        return
    numbering = take_numbering(tables)
    numbering.unrank_all(to_list(outer_numbers), to_list(inner_numbers), cells.reshape(-1))
    UNUSED_NUMBERINGS.append(numbering)


def rank(tables: Any, cells: Any, outer_numbers: Any, inner_numbers: Any) -> None:
    """Write both parts of the numbers of the grids `cells`, which have shape (count, 9, 9)."""
    if not cython.compiled and len(outer_numbers) >= MIN_BATCH:
        rank_many(tables, cells, outer_numbers, inner_numbers)
        return
    numbering = take_numbering(tables)
    numbering.rank_all(to_list(cells.reshape(-1)), outer_numbers, inner_numbers)
    UNUSED_NUMBERINGS.append(numbering)
