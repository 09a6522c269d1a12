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

    # Mate pairs of a way to part nine digits into three sets of three; see `band_classes`.
    MATES = 56
    # From this number of grids on, NumPy is faster than interpreting this file.
    MANY = 8


@cfunc
@inline
@cython.nogil
@exceptval(check=False)
def place_in_order(order: Int, place: Int) -> Int:
    """Return the item at a place of an arrangement of three items.

    `order` is the number of the arrangement, as `Numbering.number_order` returns it.
    """
    first: Int = order // 2
    lower: Int = 1 if first == 0 else 0
    if place == 0:
        return first
    return lower if place == 1 + (order & 1) else 3 - first - lower


@final
@cclass
class Numbering:
    """The arrays of `GridTables` for fast access, and memory for one grid."""

    tables: Any
    subset: GivenBytes
    lowest: GivenBytes
    partitions_by_parts: ShortTable
    to_label: ByteTable
    from_label: ByteTable
    relabeled_partition: ShortTable
    parts: ShortTable
    mate_masks: ShortTesseract
    mates: ShortCube
    row_partitions: GivenShorts
    row_partition_places: GivenBytes
    filling_counts: ShortTable
    second_box_fits: WordTable
    third_box_fits: WordTable
    pair_class: GivenBytes
    pair_places: GivenShorts
    class_members: GivenInts
    class_digits: ByteTable
    class_boxes: ByteTable
    class_pairs: ShortTable
    class_starts: GivenLongs
    ways_below: LongTable
    inner_starts: GivenLongs
    source: GivenBytes  # the cells of grids, grid by grid
    target: Bytes
    outer: Long
    inner: Long

    room: Room
    masks: Numbers  # the digits of the columns of a band as bits, box by box
    sets: Numbers  # the digits of the rows of a band, or of other columns, as bits
    digit_map: Numbers  # by digit: the digit that replaces it
    column_homes: Numbers  # by column of the normal grid: the column of the grid
    normal: Numbers  # the normal grid, row by row
    columns: Numbers  # for each band and box: its partition into columns
    mate_numbers: Numbers  # by box of band one
    fillings: Numbers  # by band
    first_partitions: Numbers  # by band two or three: the partition of the first box
    second_partitions: Numbers  # the partition of the second box, relabeled by the first box
    final_digits: Numbers  # by digit of the normal grid: the digit of the grid
    stacks: Numbers  # by box of the normal grid: the stack of the grid

    def __init__(self, tables: Any) -> None:
        self.tables = tables
        sets, fillings, classes, below, start = tables
        self.ways_below, self.inner_starts = view(below), view(start)
        self.subset, self.lowest = view(sets.subset), view(sets.lowest)
        self.partitions_by_parts, self.to_label = view(sets.of_parts), view(sets.label)
        self.from_label, self.relabeled_partition = view(sets.unlabel), view(sets.relabel)
        self.parts, self.mate_masks = view(sets.parts), view(sets.mate_masks)
        self.mates = view(sets.mates)
        self.row_partitions, self.row_partition_places = view(fillings.rows), view(fillings.place)
        self.filling_counts, self.second_box_fits = view(fillings.number), view(fillings.second)
        self.third_box_fits = view(fillings.third)
        self.pair_class, self.pair_places = view(classes.of), view(classes.place)
        self.class_members, self.class_starts = view(classes.members), view(classes.first)
        self.class_digits, self.class_boxes = view(classes.digits), view(classes.boxes)
        self.class_pairs = view(classes.pairs)
        self.room = room = Room(4 * 9 + 81 + 9 + 3 + 3 + 2 + 2 + 9 + 3)
        self.masks, self.sets = room.take(9), room.take(9)
        self.digit_map, self.column_homes = room.take(9), room.take(9)
        self.normal = room.take(81)
        self.columns, self.mate_numbers, self.fillings = room.take(9), room.take(3), room.take(3)
        self.first_partitions, self.second_partitions = room.take(2), room.take(2)
        self.final_digits, self.stacks = room.take(9), room.take(3)

    def unrank_all(self, outer: GivenLongs, inner: GivenLongs, cells: Bytes) -> None:
        """Write the grids with these numbers to `cells`."""
        self.target = cells
        i: Long
        with cython.nogil:
            for i in range(len(outer)):
                self.unrank(outer[i], inner[i], 81 * i)

    def rank_all(self, cells: GivenBytes, outer: Longs, inner: Longs) -> None:
        """Write the numbers of these grids to `outer` and `inner`."""
        self.source = cells
        i: Long
        with cython.nogil:
            for i in range(len(outer)):
                self.rank(81 * i)
                outer[i], inner[i] = self.outer, self.inner

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def unrank(self, outer: Long, rest: Long, at: Long) -> Void:
        """Write the grid with the parts `outer` and `rest` (inner) to `target` from `at` on."""
        kind: Int = 0
        low: Int = 0
        high: Int = MATES * MATES
        three: Int = 0
        box: Int
        band: Int
        k: Int
        row: Int
        columns: Numbers = self.columns
        # The most significant place of the inner part: the class of the first band, one of 44.
        while self.inner_starts[kind + 1] <= rest:
            kind += 1
        rest -= self.inner_starts[kind]
        columns[0], columns[1], columns[2] = 0, self.class_pairs[kind, 0], self.class_pairs[kind, 1]
        ways: Long = self.ways_below[kind, MATES * MATES]
        size: Long = self.filling_counts[columns[1], columns[2]] * ways
        pair: Int = self.class_members[self.class_starts[kind] + rest // size]
        # These reads come early since they take longest: both tables exceed the first-level cache.
        for k in range(9):
            self.final_digits[self.class_digits[pair, self.to_label[outer // 216, k]]] = k
        for box in range(3):
            self.stacks[box] = self.class_boxes[pair, box]
        rest %= size
        filling: Long = rest // ways
        rest %= ways
        # Find the mates of the first two boxes by bisection in the cumulative counts.
        while high - low > 1:
            middle: Int = (low + high) // 2
            if self.ways_below[kind, middle] <= rest:
                low = middle
            else:
                high = middle
        rest -= self.ways_below[kind, low]
        one: Int = low // MATES
        two: Int = low % MATES
        self.set_two_boxes(one, two)
        while True:
            count: Long = self.count_third_box(three)
            if rest < count:
                break
            rest -= count
            three += 1
        self.mate_numbers[0], self.mate_numbers[1], self.mate_numbers[2] = one, two, three
        for box in range(3):
            for k in range(3):
                self.masks[3 * box + k] = self.parts[columns[box], k]
            for band in range(2):
                columns[3 * band + 3 + box] = self.mates[columns[box], self.mate_numbers[box], band]
        self.write_band(0, filling)
        count = self.count_fillings(columns[6], columns[7], columns[8])
        self.fillings[1], self.fillings[2] = rest // count, rest % count
        for band in range(2):
            for box in range(3):
                for k in range(3):
                    self.masks[3 * box + k] = self.mate_masks[
                        columns[box], self.mate_numbers[box], band, k
                    ]
            self.write_band(band + 1, self.fillings[band + 1])
        # Map the digits and columns of the normal grid to those of the grid.
        for k in range(9):
            self.digit_map[k] = self.final_digits[k]
        for box in range(3):
            for k in range(3):
                self.sets[3 * box + k] = self.map_mask(self.parts[columns[box], k])
        orders: Int = outer % 216
        for box in range(3):
            stack: Int = self.stacks[box]
            order: Int = orders // 36 if stack == 0 else orders // 6 if stack == 1 else orders
            for k in range(3):
                ahead: Int = self.count_smaller(3 * box, k)
                self.column_homes[3 * box + k] = 3 * stack + place_in_order(order % 6, ahead)
        homes: Numbers = self.column_homes
        normal: Numbers = self.normal
        change: Numbers = self.digit_map
        for row in range(9):
            for k in range(9):
                self.target[at + 9 * row + homes[k]] = change[normal[9 * row + k]]

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def rank(self, at: Long) -> Void:
        """Set `outer` and `inner` to the number of the grid in `source` from `at` on."""
        box: Int
        band: Int
        k: Int
        row: Int
        columns: Numbers = self.columns
        for k in range(9):
            self.sets[k] = (
                1 << self.source[at + k]
                | 1 << self.source[at + 9 + k]
                | 1 << self.source[at + 18 + k]
            )
        outer: Long = 0
        for box in range(3):
            columns[box] = self.find_partition(3 * box)
            outer = 6 * outer + self.number_order(3 * box)
        self.outer = 216 * columns[0] + outer
        two: Int = self.relabeled_partition[columns[0], columns[1]]
        pair: Int = (
            two * len(self.relabeled_partition) + self.relabeled_partition[columns[0], columns[2]]
        )
        kind: Int = self.pair_class[pair]
        for k in range(9):
            self.digit_map[k] = self.class_digits[pair, self.to_label[columns[0], k]]
        for k in range(9):
            self.sets[k] = self.map_mask(self.sets[k])
        for box in range(3):
            stack: Int = self.class_boxes[pair, box]
            for k in range(3):
                self.column_homes[3 * box + self.count_smaller(3 * stack, k)] = 3 * stack + k
        for row in range(9):
            for k in range(9):
                self.normal[9 * row + k] = self.digit_map[
                    self.source[at + 9 * row + self.column_homes[k]]
                ]
        for band in range(3):
            self.set_columns(27 * band)
            for box in range(3):
                columns[3 * band + box] = self.find_partition(3 * box)
                if band == 1:
                    self.mate_numbers[box] = self.find_mate(
                        columns[box], self.sets[3 * box], self.sets[3 * box + 1]
                    )
            self.fillings[band] = self.number_filling(band)
        ways: Long = self.ways_below[kind, MATES * MATES]
        rest: Long = self.ways_below[kind, self.mate_numbers[0] * MATES + self.mate_numbers[1]]
        self.set_two_boxes(self.mate_numbers[0], self.mate_numbers[1])
        for k in range(self.mate_numbers[2]):
            rest += self.count_third_box(k)
        rest += self.fillings[1] * self.count_fillings(columns[6], columns[7], columns[8])
        upper: Long = self.pair_places[pair] * self.count_fillings(
            columns[0], columns[1], columns[2]
        )
        self.inner = (
            self.inner_starts[kind] + rest + self.fillings[2] + (upper + self.fillings[0]) * ways
        )

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def write_band(self, band: Int, filling: Long) -> Void:
        """Write band number `filling` among the bands whose column sets are `masks`."""
        remaining: Int = filling // 6
        order: Int = filling % 6
        candidate: Int = 0
        first: Int = self.columns[3 * band]
        two: Int = self.relabeled_partition[first, self.columns[3 * band + 1]]
        three: Int = self.relabeled_partition[first, self.columns[3 * band + 2]]
        box: Int
        k: Int
        j: Int
        mask: Int
        while True:
            fitting: Bits = (
                self.second_box_fits[two, candidate] & self.third_box_fits[three, candidate]
            )
            count: Int = count_bits(fitting)
            if remaining < count:
                break
            remaining -= count
            candidate += 1
        for _ in range(remaining):
            fitting &= fitting - 1
        candidate = 64 * candidate + lowest_bit(fitting)
        rows: Int = self.row_partitions[candidate // MATES]
        mate: Int = candidate % MATES
        for k in range(9):
            self.digit_map[k] = self.from_label[first, k]
        for k in range(3):
            row_start: Int = 27 * band + 9 * place_in_order(order, k)
            for box in range(3):
                if box == 0:
                    mask = self.parts[rows, k]
                else:
                    mask = self.mate_masks[rows, mate, box - 1, k]
                mask = self.map_mask(mask)
                for j in range(3):
                    self.normal[row_start + 3 * box + j] = self.lowest[
                        mask & self.masks[3 * box + j]
                    ]

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def number_filling(self, band: Int) -> Int:
        """Return the number of a band of the normal grid among those with its column sets."""
        first: Int = self.columns[3 * band]
        two: Int = self.relabeled_partition[first, self.columns[3 * band + 1]]
        three: Int = self.relabeled_partition[first, self.columns[3 * band + 2]]
        number: Int = 0
        row: Int
        k: Int
        for k in range(9):
            self.sets[k] = 0
        for row in range(3):
            for k in range(9):
                digit: Int = self.normal[27 * band + 9 * row + k]
                self.sets[3 * (k // 3) + row] |= 1 << self.to_label[first, digit]
        # Order the row sets of the second box like those of the first box.
        for row in range(3):
            self.masks[self.count_smaller(0, row)] = self.sets[3 + row]
        rows: Int = self.find_partition(0)
        candidate: Int = self.row_partition_places[rows] * MATES + self.find_mate(
            rows, self.masks[0], self.masks[1]
        )
        for k in range(candidate // 64):
            number += count_bits(self.second_box_fits[two, k] & self.third_box_fits[three, k])
        k = candidate // 64
        fitting: Bits = self.second_box_fits[two, k] & self.third_box_fits[three, k]
        number += count_bits(fitting & ((ONE << (candidate % 64)) - 1))
        return 6 * number + self.number_order(0)

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def count_fillings(self, one: Int, two: Int, three: Int) -> Long:
        """Return in how many ways a band with these column sets can be filled."""
        ways: Long = self.filling_counts[
            self.relabeled_partition[one, two], self.relabeled_partition[one, three]
        ]
        return ways

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def set_two_boxes(self, one: Int, two: Int) -> Void:
        """Set the mates of the first and second box of band one, before those of the third box."""
        band: Int
        for band in range(2):
            first: Int = self.mates[self.columns[0], one, band]
            self.first_partitions[band] = first
            self.second_partitions[band] = self.relabeled_partition[
                first, self.mates[self.columns[1], two, band]
            ]

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def count_third_box(self, three: Int) -> Long:
        """Return the number of fillings of bands two and three with mate `three` of box three."""
        box: Int = self.columns[2]
        upper: Int = self.relabeled_partition[self.first_partitions[0], self.mates[box, three, 0]]
        lower: Int = self.relabeled_partition[self.first_partitions[1], self.mates[box, three, 1]]
        ways: Long = self.filling_counts[self.second_partitions[0], upper]
        ways *= self.filling_counts[self.second_partitions[1], lower]
        return ways

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def find_mate(self, partition: Int, first: Int, second: Int) -> Int:
        """Return the number of the mate pair of a partition that begins with these two sets."""
        k: Int = 0
        while (
            self.mate_masks[partition, k, 0, 0] != first
            or self.mate_masks[partition, k, 0, 1] != second
        ):
            k += 1
        return k

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def set_columns(self, at: Int) -> Void:
        """Set `sets` to the columns of the band of the normal grid that begins at `at`."""
        k: Int
        cells: Numbers = self.normal
        for k in range(9):
            self.sets[k] = 1 << cells[at + k] | 1 << cells[at + 9 + k] | 1 << cells[at + 18 + k]

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def find_partition(self, at: Int) -> Int:
        """Return the partition into the three `sets` from index `at` on."""
        partition: Int = self.partitions_by_parts[
            self.subset[self.sets[at]], self.subset[self.sets[at + 1]]
        ]
        return partition

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def count_smaller(self, at: Int, k: Int) -> Int:
        """Return how many of the three `sets` from `at` on have a smaller minimum than set k."""
        low: Int = self.lowest[self.sets[at + k]]
        count: Int = self.lowest[self.sets[at]] < low
        if self.lowest[self.sets[at + 1]] < low:
            count += 1
        if self.lowest[self.sets[at + 2]] < low:
            count += 1
        return count

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def number_order(self, at: Int) -> Int:
        """Return the number 0..5 of the order of the three `sets` from `at` on, by their minima."""
        first: Int = self.lowest[self.sets[at]]
        second: Int = self.lowest[self.sets[at + 1]]
        third: Int = self.lowest[self.sets[at + 2]]
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
SPARE: list[Numbering] = []


@cfunc
def take_numbering(tables: Any) -> Numbering:
    """Return a numbering with these tables: an unused one if possible, otherwise a new one."""
    try:
        taken: Numbering = SPARE.pop()
    except IndexError:
        return Numbering(tables)
    return taken if taken.tables is tables else Numbering(tables)


def unrank(tables: Any, outer: Any, inner: Any, cells: Any) -> None:
    """Write the grids with these numbers to `cells`, an array of shape (count, 9, 9), uint8."""
    if not cython.compiled and len(outer) >= MANY:
        unrank_many(tables, outer, inner, cells)
        return
    numbering = take_numbering(tables)
    numbering.unrank_all(to_list(outer), to_list(inner), cells.reshape(-1))
    SPARE.append(numbering)


def rank(tables: Any, cells: Any, outer: Any, inner: Any) -> None:
    """Write the numbers of full grids, an array of shape (count, 9, 9), to `outer` and `inner`."""
    if not cython.compiled and len(outer) >= MANY:
        rank_many(tables, cells, outer, inner)
        return
    numbering = take_numbering(tables)
    numbering.rank_all(to_list(cells.reshape(-1)), outer, inner)
    SPARE.append(numbering)
