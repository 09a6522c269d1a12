"""What counts grids, and numbers those of order 9. This text is compiled as well.

A number has two parts. *Outer*: partition of the first box into columns (280), and the orders of
the columns in the three boxes of band one (6 each). What is left is a *normal* grid: its band one
has the column sets of a class representative, columns in the order of their smallest digits.
*Inner*, from the highest place down: class, member of the class, filling of band one, mates in the
first and second box, mate in the third box, filling of band two, filling of band three.

`tables` is a `sudokucrypt.sudoku.counting.band_classes.GridTables`.
"""

import sudokucrypt.kernels.names as cython

if not cython.compiled:
    from sudokucrypt.kernels.names import *
    from sudokucrypt.sudoku._kernels.numbering_batches import rank_many, unrank_many

    # Mate pairs of a way to part nine digits into three sets of three; see `band_classes`.
    MATES = 56
    # From this number of grids on NumPy is quicker than this text, interpreted.
    MANY = 8


@cfunc
@inline
@cython.nogil
@exceptval(check=False)
def place_in_order(order: Int, place: Int) -> Int:
    """Return the item at a place of an arrangement of three, as `Numbering.order` numbers them."""
    first: Int = order // 2
    lower: Int = 1 if first == 0 else 0
    if place == 0:
        return first
    return lower if place == 1 + (order & 1) else 3 - first - lower


@final
@cclass
class Numbering:
    """The arrays of `GridTables` for quick access, and room for one grid."""

    tables: Any
    subset: GivenBytes
    lowest: GivenBytes
    of_parts: ShortTable
    label: ByteTable
    unlabel: ByteTable
    relabel: ShortTable
    parts: ShortTable
    mate_masks: ShortTesseract
    mates: ShortCube
    rows: GivenShorts
    place: GivenBytes
    number: ShortTable
    second: WordTable
    third: WordTable
    of: GivenBytes
    places: GivenShorts
    members: GivenInts
    digits: ByteTable
    boxes: ByteTable
    pairs: ShortTable
    first: GivenLongs
    below: LongTable
    start: GivenLongs
    source: GivenBytes  # cells of grids, one grid after the other
    target: Bytes
    outer: Long
    inner: Long

    room: Room
    masks: Numbers  # sets of digits, box by box: of the columns of a band
    sets: Numbers  # of its rows, or of other columns
    change: Numbers  # by digit: another digit
    homes: Numbers  # by column of the normal grid: the column
    normal: Numbers  # the normal grid, row by row
    columns: Numbers  # partitions into columns, of the three boxes of each band
    mate: Numbers  # by box
    fillings: Numbers  # by band
    firsts: Numbers  # by band below: the partition of the first box
    seconds: Numbers  # that of the second box, as the first one labels it
    ends: Numbers  # by digit of the normal grid: the digit
    stacks: Numbers  # by box of the normal grid: the stack

    def __init__(self, tables: Any) -> None:
        self.tables = tables
        sets, fillings, classes, below, start = tables
        self.below, self.start = view(below), view(start)
        self.subset, self.lowest = view(sets.subset), view(sets.lowest)
        self.of_parts, self.label = view(sets.of_parts), view(sets.label)
        self.unlabel, self.relabel = view(sets.unlabel), view(sets.relabel)
        self.parts, self.mate_masks = view(sets.parts), view(sets.mate_masks)
        self.mates = view(sets.mates)
        self.rows, self.place = view(fillings.rows), view(fillings.place)
        self.number, self.second = view(fillings.number), view(fillings.second)
        self.third = view(fillings.third)
        self.of, self.places = view(classes.of), view(classes.place)
        self.members, self.first = view(classes.members), view(classes.first)
        self.digits, self.boxes = view(classes.digits), view(classes.boxes)
        self.pairs = view(classes.pairs)
        self.room = room = Room(4 * 9 + 81 + 9 + 3 + 3 + 2 + 2 + 9 + 3)
        self.masks, self.sets = room.take(9), room.take(9)
        self.change, self.homes = room.take(9), room.take(9)
        self.normal = room.take(81)
        self.columns, self.mate, self.fillings = room.take(9), room.take(3), room.take(3)
        self.firsts, self.seconds = room.take(2), room.take(2)
        self.ends, self.stacks = room.take(9), room.take(3)

    def unrank_all(self, outer: GivenLongs, inner: GivenLongs, cells: Bytes) -> None:
        """Write the grids with these numbers."""
        self.target = cells
        i: Long
        with cython.nogil:
            for i in range(len(outer)):
                self.unrank(outer[i], inner[i], 81 * i)

    def rank_all(self, cells: GivenBytes, outer: Longs, inner: Longs) -> None:
        """Write the numbers of these grids."""
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
        kind: Int = 0
        low: Int = 0
        high: Int = MATES * MATES
        three: Int = 0
        box: Int
        band: Int
        k: Int
        row: Int
        columns: Numbers = self.columns
        # From the highest place of the number down: the class of the band, 44 of them.
        while self.start[kind + 1] <= rest:
            kind += 1
        rest -= self.start[kind]
        columns[0], columns[1], columns[2] = 0, self.pairs[kind, 0], self.pairs[kind, 1]
        ways: Long = self.below[kind, MATES * MATES]
        size: Long = self.number[columns[1], columns[2]] * ways
        pair: Int = self.members[self.first[kind] + rest // size]
        # Read early, since that takes longest: both tables are larger than the nearest cache.
        for k in range(9):
            self.ends[self.digits[pair, self.label[outer // 216, k]]] = k
        for box in range(3):
            self.stacks[box] = self.boxes[pair, box]
        rest %= size
        filling: Long = rest // ways
        rest %= ways
        # The mates of the first two boxes, by halving the sums of ways before them.
        while high - low > 1:
            middle: Int = (low + high) // 2
            if self.below[kind, middle] <= rest:
                low = middle
            else:
                high = middle
        rest -= self.below[kind, low]
        one: Int = low // MATES
        two: Int = low % MATES
        self.take_two_boxes(one, two)
        while True:
            count: Long = self.third_box(three)
            if rest < count:
                break
            rest -= count
            three += 1
        self.mate[0], self.mate[1], self.mate[2] = one, two, three
        for box in range(3):
            for k in range(3):
                self.masks[3 * box + k] = self.parts[columns[box], k]
            for band in range(2):
                columns[3 * band + 3 + box] = self.mates[columns[box], self.mate[box], band]
        self.fill(0, filling)
        count = self.count(columns[6], columns[7], columns[8])
        self.fillings[1], self.fillings[2] = rest // count, rest % count
        for band in range(2):
            for box in range(3):
                for k in range(3):
                    self.masks[3 * box + k] = self.mate_masks[columns[box], self.mate[box], band, k]
            self.fill(band + 1, self.fillings[band + 1])
        # Where the digits and columns of the normal grid stand in the end.
        for k in range(9):
            self.change[k] = self.ends[k]
        for box in range(3):
            for k in range(3):
                self.sets[3 * box + k] = self.map_mask(self.parts[columns[box], k])
        orders: Int = outer % 216
        for box in range(3):
            stack: Int = self.stacks[box]
            order: Int = orders // 36 if stack == 0 else orders // 6 if stack == 1 else orders
            for k in range(3):
                ahead: Int = self.ahead(3 * box, k)
                self.homes[3 * box + k] = 3 * stack + place_in_order(order % 6, ahead)
        homes: Numbers = self.homes
        normal: Numbers = self.normal
        change: Numbers = self.change
        for row in range(9):
            for k in range(9):
                self.target[at + 9 * row + homes[k]] = change[normal[9 * row + k]]

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def rank(self, at: Long) -> Void:
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
            columns[box] = self.find(3 * box)
            outer = 6 * outer + self.order(3 * box)
        self.outer = 216 * columns[0] + outer
        two: Int = self.relabel[columns[0], columns[1]]
        pair: Int = two * len(self.relabel) + self.relabel[columns[0], columns[2]]
        kind: Int = self.of[pair]
        for k in range(9):
            self.change[k] = self.digits[pair, self.label[columns[0], k]]
        for k in range(9):
            self.sets[k] = self.map_mask(self.sets[k])
        for box in range(3):
            stack: Int = self.boxes[pair, box]
            for k in range(3):
                self.homes[3 * box + self.ahead(3 * stack, k)] = 3 * stack + k
        for row in range(9):
            for k in range(9):
                self.normal[9 * row + k] = self.change[self.source[at + 9 * row + self.homes[k]]]
        for band in range(3):
            self.take_columns(27 * band)
            for box in range(3):
                columns[3 * band + box] = self.find(3 * box)
                if band == 1:
                    self.mate[box] = self.mate_of(
                        columns[box], self.sets[3 * box], self.sets[3 * box + 1]
                    )
            self.fillings[band] = self.filling(band)
        ways: Long = self.below[kind, MATES * MATES]
        rest: Long = self.below[kind, self.mate[0] * MATES + self.mate[1]]
        self.take_two_boxes(self.mate[0], self.mate[1])
        for k in range(self.mate[2]):
            rest += self.third_box(k)
        rest += self.fillings[1] * self.count(columns[6], columns[7], columns[8])
        upper: Long = self.places[pair] * self.count(columns[0], columns[1], columns[2])
        self.inner = self.start[kind] + rest + self.fillings[2] + (upper + self.fillings[0]) * ways

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def fill(self, band: Int, filling: Long) -> Void:
        """Write the band of this number among those with its column sets, which are `masks`."""
        left: Int = filling // 6
        order: Int = filling % 6
        at: Int = 0
        own: Int = self.columns[3 * band]
        two: Int = self.relabel[own, self.columns[3 * band + 1]]
        three: Int = self.relabel[own, self.columns[3 * band + 2]]
        box: Int
        k: Int
        j: Int
        mask: Int
        while True:
            fitting: Bits = self.second[two, at] & self.third[three, at]
            here: Int = count_bits(fitting)
            if left < here:
                break
            left -= here
            at += 1
        for _ in range(left):
            fitting &= fitting - 1
        at = 64 * at + lowest_bit(fitting)
        rows: Int = self.rows[at // MATES]
        mate: Int = at % MATES
        for k in range(9):
            self.change[k] = self.unlabel[own, k]
        for k in range(3):
            to: Int = 27 * band + 9 * place_in_order(order, k)
            for box in range(3):
                if box == 0:
                    mask = self.parts[rows, k]
                else:
                    mask = self.mate_masks[rows, mate, box - 1, k]
                mask = self.map_mask(mask)
                for j in range(3):
                    self.normal[to + 3 * box + j] = self.lowest[mask & self.masks[3 * box + j]]

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def filling(self, band: Int) -> Int:
        """Return the number of a band of the normal grid among those with its column sets."""
        own: Int = self.columns[3 * band]
        two: Int = self.relabel[own, self.columns[3 * band + 1]]
        three: Int = self.relabel[own, self.columns[3 * band + 2]]
        number: Int = 0
        row: Int
        k: Int
        for k in range(9):
            self.sets[k] = 0
        for row in range(3):
            for k in range(9):
                digit: Int = self.normal[27 * band + 9 * row + k]
                self.sets[3 * (k // 3) + row] |= 1 << self.label[own, digit]
        # The sets of the second box by the order of those of the first.
        for row in range(3):
            self.masks[self.ahead(0, row)] = self.sets[3 + row]
        rows: Int = self.find(0)
        at: Int = self.place[rows] * MATES + self.mate_of(rows, self.masks[0], self.masks[1])
        for k in range(at // 64):
            number += count_bits(self.second[two, k] & self.third[three, k])
        k = at // 64
        fitting: Bits = self.second[two, k] & self.third[three, k]
        number += count_bits(fitting & ((ONE << (at % 64)) - 1))
        return 6 * number + self.order(0)

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def count(self, one: Int, two: Int, three: Int) -> Long:
        """Return in how many ways a band with these column sets is filled."""
        ways: Long = self.number[self.relabel[one, two], self.relabel[one, three]]
        return ways

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def take_two_boxes(self, one: Int, two: Int) -> Void:
        """Take the mates of the first and second box of band one, for those of the third."""
        band: Int
        for band in range(2):
            first: Int = self.mates[self.columns[0], one, band]
            self.firsts[band] = first
            self.seconds[band] = self.relabel[first, self.mates[self.columns[1], two, band]]

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def third_box(self, three: Int) -> Long:
        """Return how many ways go with these mates of the boxes of band one."""
        box: Int = self.columns[2]
        upper: Int = self.relabel[self.firsts[0], self.mates[box, three, 0]]
        lower: Int = self.relabel[self.firsts[1], self.mates[box, three, 1]]
        ways: Long = self.number[self.seconds[0], upper]
        ways *= self.number[self.seconds[1], lower]
        return ways

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def mate_of(self, partition: Int, first: Int, second: Int) -> Int:
        """Return the number of the mate pair that starts with these sets."""
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
    def take_columns(self, at: Int) -> Void:
        """Take the columns of a band of the normal grid as the sets."""
        k: Int
        cells: Numbers = self.normal
        for k in range(9):
            self.sets[k] = 1 << cells[at + k] | 1 << cells[at + 9 + k] | 1 << cells[at + 18 + k]

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def find(self, at: Int) -> Int:
        """Return the partition whose three parts are the sets from here on."""
        found: Int = self.of_parts[self.subset[self.sets[at]], self.subset[self.sets[at + 1]]]
        return found

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def ahead(self, at: Int, k: Int) -> Int:
        """Return how many of three sets have a smaller smallest digit than set k of them."""
        low: Int = self.lowest[self.sets[at + k]]
        found: Int = self.lowest[self.sets[at]] < low
        if self.lowest[self.sets[at + 1]] < low:
            found += 1
        if self.lowest[self.sets[at + 2]] < low:
            found += 1
        return found

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def order(self, at: Int) -> Int:
        """Return the number of the order of three sets by their smallest digits."""
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
        """Map each digit of a set, and return the set of the results."""
        result: Int = 0
        while mask:
            result |= 1 << self.change[lowest_bit(mask)]
            mask &= mask - 1
        return result


# Those that no thread uses now: to make one takes a third of the time of ranking a grid.
SPARE: list[Numbering] = []


@cfunc
def spare(tables: Any) -> Numbering:
    """Return a numbering with these tables."""
    try:
        taken: Numbering = SPARE.pop()
    except IndexError:
        return Numbering(tables)
    return taken if taken.tables is tables else Numbering(tables)


def unrank(tables: Any, outer: Any, inner: Any, cells: Any) -> None:
    """Write the grids with these numbers to `cells`, an array of shape (count, 9, 9) and bytes."""
    if not cython.compiled and len(outer) >= MANY:
        unrank_many(tables, outer, inner, cells)
        return
    numbering = spare(tables)
    numbering.unrank_all(to_list(outer), to_list(inner), cells.reshape(-1))
    SPARE.append(numbering)


def rank(tables: Any, cells: Any, outer: Any, inner: Any) -> None:
    """Write the numbers of full grids, an array of shape (count, 9, 9), to `outer` and `inner`."""
    if not cython.compiled and len(outer) >= MANY:
        rank_many(tables, cells, outer, inner)
        return
    numbering = spare(tables)
    numbering.rank_all(to_list(cells.reshape(-1)), outer, inner)
    SPARE.append(numbering)
