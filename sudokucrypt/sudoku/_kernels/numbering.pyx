# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""The compiled kernels; `numbering_plain` holds the same functions with their description."""

cdef extern from "bits.h":
    int lowest_bit(unsigned long long bits) nogil
    int count_bits(unsigned long long bits) nogil

ctypedef unsigned char byte
ctypedef unsigned short word
ctypedef unsigned long long bits

cdef byte[6][3] ORDERS = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
cdef int[3] SIXES = [36, 6, 1]
cdef enum:
    MATES = 56
    WORDS = 32


cdef class _Tables:
    """The arrays of `GridTables` for quick access."""

    cdef const byte[::1] subset, lowest, place, of
    cdef const byte[:, ::1] label, unlabel, digits, boxes
    cdef const word[:, ::1] parts, of_parts, relabel, number, pairs
    cdef const word[::1] rows, places
    cdef const word[:, :, ::1] mates
    cdef const word[:, :, :, ::1] masks
    cdef const bits[:, ::1] second, third
    cdef const int[::1] members
    cdef const long long[::1] first, start
    cdef const long long[:, ::1] below

    def __init__(self, tables):
        sets, fillings, classes, self.below, self.start = tables
        self.subset, self.lowest, self.of_parts = sets.subset, sets.lowest, sets.of_parts
        self.label, self.unlabel, self.relabel = sets.label, sets.unlabel, sets.relabel
        self.parts, self.masks, self.mates = sets.parts, sets.mate_masks, sets.mates
        self.rows, self.place, self.number = fillings.rows, fillings.place, fillings.number
        self.second, self.third = fillings.second, fillings.third
        self.of, self.places, self.members = classes.of, classes.place, classes.members
        self.digits, self.boxes, self.pairs = classes.digits, classes.boxes, classes.pairs
        self.first = classes.first


def unrank(tables, const long long[::1] outer, const long long[::1] inner, byte[:, :, ::1] cells):
    cdef _Tables t = _Tables(tables)
    cdef Py_ssize_t i
    with nogil:
        for i in range(outer.shape[0]):
            _unrank(t, outer[i], inner[i], &cells[i, 0, 0])


def rank(tables, const byte[:, :, ::1] cells, long long[::1] outer, long long[::1] inner):
    cdef _Tables t = _Tables(tables)
    cdef Py_ssize_t i
    with nogil:
        for i in range(cells.shape[0]):
            _rank(t, &cells[i, 0, 0], &outer[i], &inner[i])


cdef void _unrank(_Tables t, long long outer, long long rest, byte* cells) noexcept nogil:
    cdef int kind = 0, low, high, middle, pair, one, two, three = 0, box, k, stack, row, ahead
    cdef int band
    cdef long long ways, size, filling, count
    cdef int[3] boxes
    cdef int[2][3] under  # column sets of bands two and three
    cdef int[3] mate
    cdef word[9] masks
    cdef word[9] old
    cdef byte[81] normal
    cdef byte[9] digits
    cdef byte[9] homes
    # From the highest place of the number down: the class of the band, 44 of them.
    while t.start[kind + 1] <= rest:
        kind += 1
    rest -= t.start[kind]
    boxes[0], boxes[1], boxes[2] = 0, t.pairs[kind, 0], t.pairs[kind, 1]
    ways = t.below[kind, MATES * MATES]
    size = t.number[boxes[1], boxes[2]] * ways
    pair = t.members[t.first[kind] + rest // size]
    rest %= size
    filling = rest // ways
    rest %= ways
    # The mates of the first two boxes, by halving the sums of ways before them.
    low, high = 0, MATES * MATES
    while high - low > 1:
        middle = (low + high) // 2
        if t.below[kind, middle] <= rest:
            low = middle
        else:
            high = middle
    rest -= t.below[kind, low]
    one, two = low // MATES, low % MATES
    while True:
        count = _third_box(t, boxes, one, two, three)
        if rest < count:
            break
        rest -= count
        three += 1
    mate[0], mate[1], mate[2] = one, two, three
    for box in range(3):
        for band in range(2):
            under[band][box] = t.mates[boxes[box], mate[box], band]
        for k in range(3):
            masks[3 * box + k] = t.parts[boxes[box], k]
    count = _count(t, under[1])
    _fill(t, boxes, masks, filling, normal)
    # Where the digits and columns of the normal grid stand in the end.
    for k in range(9):
        digits[t.digits[pair, t.label[outer // 216, k]]] = k
    for k in range(9):
        old[k] = _moved(masks[k], digits)
    for box in range(3):
        stack = t.boxes[pair, box]
        for k in range(3):
            ahead = _ahead(t, &old[3 * box], k)
            homes[3 * box + k] = 3 * stack + ORDERS[outer // SIXES[stack] % 6][ahead]
    for band in range(2):
        for box in range(3):
            for k in range(3):
                masks[3 * box + k] = t.masks[boxes[box], mate[box], band, k]
        filling = rest % count if band else rest // count
        _fill(t, under[band], masks, filling, normal + 27 * (band + 1))
    for row in range(9):
        for k in range(9):
            cells[9 * row + homes[k]] = digits[normal[9 * row + k]]


cdef void _rank(_Tables t, const byte* cells, long long* outer, long long* inner) noexcept nogil:
    cdef int row, k, box, band, stack, pair, kind, digit, source
    cdef long long rest, ways
    cdef word[9] masks
    cdef int[3] orders
    cdef int[3] mate
    cdef int[3][3] columns
    cdef long long[3] fillings
    cdef byte[9] label
    cdef byte[9] homes
    cdef byte[81] normal
    _column_masks(cells, masks)
    for box in range(3):
        columns[0][box] = _find(t, &masks[3 * box])
        orders[box] = _order(t, &masks[3 * box])
    outer[0] = ((columns[0][0] * 6 + orders[0]) * 6 + orders[1]) * 6 + orders[2]
    pair = t.relabel[columns[0][0], columns[0][1]] * t.relabel.shape[0]
    pair += t.relabel[columns[0][0], columns[0][2]]
    kind = t.of[pair]
    for digit in range(9):
        label[digit] = t.digits[pair, t.label[columns[0][0], digit]]
    for k in range(9):
        masks[k] = _moved(masks[k], label)
    for box in range(3):
        stack = t.boxes[pair, box]
        for k in range(3):
            source = 3 * stack + k
            homes[3 * box + _ahead(t, &masks[3 * stack], k)] = source
    for row in range(9):
        for k in range(9):
            normal[9 * row + k] = label[cells[9 * row + homes[k]]]
    for band in range(3):
        _column_masks(&normal[27 * band], masks)
        for box in range(3):
            columns[band][box] = _find(t, &masks[3 * box])
            if band == 1:
                mate[box] = _mate(t, columns[0][box], &masks[3 * box])
        fillings[band] = _filling(t, columns[band], &normal[27 * band])
    ways = t.below[kind, MATES * MATES]
    rest = t.below[kind, mate[0] * MATES + mate[1]]
    for k in range(mate[2]):
        rest += _third_box(t, columns[0], mate[0], mate[1], k)
    rest += fillings[1] * _count(t, columns[2]) + fillings[2]
    rest += (t.places[pair] * _count(t, columns[0]) + fillings[0]) * ways
    inner[0] = t.start[kind] + rest


cdef void _fill(
    _Tables t, const int* columns, const word* masks, long long filling, byte* cells
) noexcept nogil:
    """Write the band of this number among those with these column sets."""
    cdef int number = <int> (filling // 6), order = <int> (filling % 6), here, at = 0
    cdef int two = t.relabel[columns[0], columns[1]], three = t.relabel[columns[0], columns[2]]
    cdef int rows, mate, k, box, j
    cdef bits fitting
    cdef word mask
    while True:
        fitting = t.second[two, at] & t.third[three, at]
        here = count_bits(fitting)
        if number < here:
            break
        number -= here
        at += 1
    for k in range(number):
        fitting &= fitting - 1
    at = 64 * at + lowest_bit(fitting)
    rows, mate = t.rows[at // MATES], at % MATES
    for k in range(3):
        for box in range(3):
            mask = t.parts[rows, k] if box == 0 else t.masks[rows, mate, box - 1, k]
            mask = _moved(mask, &t.unlabel[columns[0], 0])
            for j in range(3):
                cells[9 * ORDERS[order][k] + 3 * box + j] = t.lowest[mask & masks[3 * box + j]]


cdef long long _filling(_Tables t, const int* columns, const byte* cells) noexcept nogil:
    cdef int two = t.relabel[columns[0], columns[1]], three = t.relabel[columns[0], columns[2]]
    cdef int row, k, rows, at, number = 0
    cdef word[9] masks  # box by box
    cdef word[3] second
    for k in range(9):
        masks[k] = 0
    for row in range(3):
        for k in range(9):
            masks[3 * (k // 3) + row] |= 1 << t.label[columns[0], cells[9 * row + k]]
    rows = _find(t, masks)
    for row in range(3):
        second[_ahead(t, masks, row)] = masks[3 + row]
    at = t.place[rows] * MATES + _mate(t, rows, second)
    for k in range(at // 64):
        number += count_bits(t.second[two, k] & t.third[three, k])
    k = at // 64
    number += count_bits(t.second[two, k] & t.third[three, k] & ((<bits> 1 << (at % 64)) - 1))
    return 6 * number + _order(t, masks)


cdef inline long long _count(_Tables t, const int* columns) noexcept nogil:
    return t.number[t.relabel[columns[0], columns[1]], t.relabel[columns[0], columns[2]]]


cdef inline long long _third_box(
    _Tables t, const int* boxes, int one, int two, int three
) noexcept nogil:
    cdef int[3] columns
    cdef int band
    cdef long long ways = 1
    for band in range(2):
        columns[0] = t.mates[boxes[0], one, band]
        columns[1] = t.mates[boxes[1], two, band]
        columns[2] = t.mates[boxes[2], three, band]
        ways *= _count(t, columns)
    return ways


cdef inline int _mate(_Tables t, int partition, const word* masks) noexcept nogil:
    """Return the number of the mate pair that starts with these sets."""
    cdef int k = 0
    while t.masks[partition, k, 0, 0] != masks[0] or t.masks[partition, k, 0, 1] != masks[1]:
        k += 1
    return k


cdef inline void _column_masks(const byte* cells, word* masks) noexcept nogil:
    cdef int k
    for k in range(9):
        masks[k] = (1 << cells[k]) | (1 << cells[9 + k]) | (1 << cells[18 + k])


cdef inline int _find(_Tables t, const word* masks) noexcept nogil:
    """Return the partition with these three parts."""
    return t.of_parts[t.subset[masks[0]], t.subset[masks[1]]]


cdef inline int _ahead(_Tables t, const word* masks, int k) noexcept nogil:
    """Return how many of three parts have a smaller smallest digit than part k."""
    cdef int j, low = t.lowest[masks[k]], found = 0
    for j in range(3):
        if t.lowest[masks[j]] < low:
            found += 1
    return found


cdef inline int _order(_Tables t, const word* masks) noexcept nogil:
    cdef int[3] at
    cdef int k
    for k in range(3):
        at[_ahead(t, masks, k)] = k
    return 2 * at[0] + (at[1] > at[2])


cdef inline word _moved(int mask, const byte* digits) noexcept nogil:
    cdef int digit
    cdef word moved = 0
    for digit in range(9):
        moved |= (mask >> digit & 1) << digits[digit]
    return moved
