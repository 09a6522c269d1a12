# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, auto_pickle=False
"""The compiled 9x9 solver; `solver_plain` contains the same functions with their description.

Candidates are stored as 27 *band boards*. Board ``9 * band + digit`` has one bit for each of the 27
cells of that band: bit ``9 * row + column`` is set while the cell may still contain the digit::

      box 0      box 1      box 2
     0  1  2 |  3  4  5 |  6  7  8      row 0 of the band
     9 10 11 | 12 13 14 | 15 16 17      row 1
    18 19 20 | 21 22 23 | 24 25 26      row 2

The three cells that a row and a box share are a *mini-row*. A digit uses one mini-row in each row
and in each box of a band, so the nine bits that say which mini-rows contain candidates decide which
mini-rows remain possible: one look-up finds all locked candidates of rows, hidden singles of rows
and boxes, and contradictions. Two more look-ups do the same for columns, from the columns that the
other two boards of the digit use. The solver also removes the eight other digits from a cell that
one digit has taken, and finds cells with a single candidate.

The search releases the interpreter lock. Its stack has one place for each cell: each node above
the first has tried a digit in one more open cell. Lists of puzzles are searched side by side where
`solver.h` supports it.
"""

from libc.stdint cimport int8_t, int64_t, uint16_t, uint32_t

from sudokucrypt.sudoku._kernels import band_tables

cdef extern from "../../kernels/bits.h":
    int lowest_bit(unsigned long long bits) nogil
    int count_bits(unsigned long long bits) nogil

cdef extern from "solver.h":
    const int UNSOLVED
    int choose_cell(const uint16_t* cells) nogil
    void solve_side_by_side(
        const int8_t* puzzles, int8_t* first, int64_t* counts, Py_ssize_t start, Py_ssize_t stop,
        int64_t limit, int64_t budget,
    ) nogil

cdef uint32_t ALL_CELLS = 0x7FFFFFF  # all 27 cells of a band

cdef struct Node:
    uint32_t boards[3][12]  # nine in each band; the rest stays 0, for loops over whole registers
    uint16_t columns[3][9]  # the columns of each board when the other bands were last updated
    uint32_t open_cells[3]
    uint32_t pairs[3]  # open cells with two candidates
    uint32_t changed_digits[3]  # the digits of each band whose boards have changed, one bit each
    bint stale[3]  # whether cells may have lost candidates since they were counted

cdef uint32_t[512] POSSIBLE_CELLS = band_tables.POSSIBLE_CELLS
cdef uint32_t[512] CELLS_FOR_COLUMNS = band_tables.CELLS_FOR_COLUMNS
cdef uint32_t[512] LOST_CELLS = band_tables.LOST_CELLS
cdef uint32_t[512] MINI_ROWS = band_tables.MINI_ROWS
cdef uint32_t[512] SINGLES = band_tables.SINGLES
cdef uint32_t[27] CELLS_AFTER_PLACING = band_tables.CELLS_AFTER_PLACING
cdef uint32_t[12] BIT = [1, 2, 4, 8, 16, 32, 64, 128, 256, 0, 0, 0]


cdef class Search:
    cdef Node stack[82]
    cdef int depth

    def __init__(self, const int8_t[::1] cells):
        _load_puzzle(&self.stack[0], &cells[0])
        self.depth = 0

    @property
    def finished(self):
        return self.depth < 0

    def advance(self, int8_t[:, ::1] solutions, int64_t limit, int64_t budget):
        cdef int64_t count
        cdef int64_t row_count = solutions.shape[0]
        cdef int8_t* target = &solutions[0, 0] if row_count else NULL
        with nogil:
            count = _advance(self.stack, &self.depth, target, row_count, limit, budget)
        return count


def solve_many(
    const int8_t[:, ::1] puzzles, int8_t[:, ::1] first, int64_t[::1] counts,
    Py_ssize_t start, Py_ssize_t stop, int64_t limit, int64_t budget,
):
    cdef Node stack[82]
    cdef int depth
    cdef Py_ssize_t number
    if start >= stop:
        return
    with nogil:
        solve_side_by_side(&puzzles[0, 0], &first[0, 0], &counts[0], start, stop, limit, budget)
        for number in range(start, stop):
            if counts[number] != UNSOLVED:
                continue
            depth = 0
            _load_puzzle(stack, &puzzles[number, 0])
            counts[number] = _advance(stack, &depth, &first[number, 0], 1, limit, budget)
            if depth >= 0 and counts[number] < limit:
                counts[number] = -1


cdef void _load_puzzle(Node* root, const int8_t* cells) noexcept nogil:
    cdef int band, digit, cell
    for band in range(3):
        for digit in range(12):
            root.boards[band][digit] = ALL_CELLS if digit < 9 else 0
        for digit in range(9):
            root.columns[band][digit] = 511
        root.open_cells[band] = ALL_CELLS
        root.changed_digits[band] = 511
        root.stale[band] = True
    for cell in range(81):
        if cells[cell] >= 0:
            root.boards[cell // 27][cells[cell]] &= CELLS_AFTER_PLACING[cell % 27]


cdef int64_t _advance(
    Node* stack, int* depth, int8_t* solutions, int64_t row_count, int64_t limit, int64_t budget,
) noexcept nogil:
    cdef int64_t count = 0
    cdef int band, digit, cell
    cdef Node* node
    while depth[0] >= 0 and count < limit and budget > 0:
        budget -= 1
        node = &stack[depth[0]]
        # A contradiction ends the node; its parent has already struck out the digit that it tried.
        if not _propagate(node):
            depth[0] -= 1
        elif not (node.open_cells[0] | node.open_cells[1] | node.open_cells[2]):
            if count < row_count:
                _write_solution(node, solutions + 81 * count)
            count += 1
            depth[0] -= 1
        else:
            # Both branches at once: the copy tries the digit, and this node keeps all others.
            _choose_trial(node, &band, &digit, &cell)
            node[1] = node[0]
            node[0].boards[band][digit] &= ~(<uint32_t> 1 << cell)
            node[1].boards[band][digit] &= CELLS_AFTER_PLACING[cell]
            node[0].changed_digits[band] = node[1].changed_digits[band] = BIT[digit]
            node[0].stale[band] = True
            depth[0] += 1
    return count


cdef bint _propagate(Node* node) noexcept nogil:
    cdef int band, digit
    while True:
        # Digits first: updating one digit in one band costs few look-ups and settles most cells.
        for band in range(3):
            while node.changed_digits[band]:
                digit = lowest_bit(node.changed_digits[band])
                node.changed_digits[band] &= node.changed_digits[band] - 1
                if not _update_board(node, band, digit):
                    return False
        # A digit may have changed an earlier band again.
        if node.changed_digits[0] | node.changed_digits[1] | node.changed_digits[2]:
            continue
        # Cells with a single candidate come last: counting them reads all nine boards of a band.
        for band in range(3):
            if node.stale[band]:
                node.stale[band] = False
                if not _place_single_candidates(node, band):
                    return False
        if not (node.changed_digits[0] | node.changed_digits[1] | node.changed_digits[2]):
            return True


cdef inline uint32_t _find_columns(uint32_t bits) noexcept nogil:
    return (bits | bits >> 9 | bits >> 18) & 511


cdef inline void _update_other_band(
    Node* node, int digit, uint32_t columns, int band, int third_band,
) noexcept nogil:
    """Strike a digit from a band, given the columns that another band and the third band use."""
    cdef uint32_t bits = node.boards[band][digit]
    cdef uint32_t served = columns | _find_columns(node.boards[third_band][digit])
    cdef uint32_t remaining = bits & ~LOST_CELLS[columns] & CELLS_FOR_COLUMNS[511 & ~served]
    if remaining != bits:
        node.boards[band][digit] = remaining
        node.changed_digits[band] |= BIT[digit]
        node.stale[band] = True


cdef inline bint _update_board(Node* node, int band, int digit) noexcept nogil:
    cdef uint32_t* boards = node.boards[band]
    cdef uint32_t bits = boards[digit]
    cdef uint32_t taken, columns, touched
    cdef int second_band, third_band, index
    # Locked candidates and hidden singles of rows and boxes in one look-up.
    bits &= POSSIBLE_CELLS[MINI_ROWS[bits & 511] | MINI_ROWS[bits >> 9 & 511] << 3 | MINI_ROWS[bits >> 18] << 6]
    if not bits:
        return False
    if bits != boards[digit]:
        boards[digit] = bits
        node.stale[band] = True
    # The other bands are updated only when the columns change, which is rare.
    columns = _find_columns(bits)
    if columns != node.columns[band][digit]:
        node.columns[band][digit] = <uint16_t> columns
        second_band = 1 if band == 0 else 0
        third_band = 1 if band == 2 else 2
        _update_other_band(node, digit, columns, second_band, third_band)
        _update_other_band(node, digit, columns, third_band, second_band)
    # Where a row of the band has only one cell for the digit, the cell loses all other digits.
    taken = SINGLES[bits & 511] | SINGLES[bits >> 9 & 511] << 9 | SINGLES[bits >> 18] << 18
    taken &= node.open_cells[band]
    if taken:
        node.open_cells[band] ^= taken
        touched = 0
        # With twelve boards, three of them empty, the compiler needs no branch.
        for index in range(12):
            touched |= BIT[index] if boards[index] & taken else 0
            boards[index] &= ~taken
        boards[digit] = bits
        node.changed_digits[band] |= touched & ~BIT[digit]
        node.stale[band] = True
    return True


cdef inline bint _place_single_candidates(Node* node, int band) noexcept nogil:
    cdef uint32_t once = 0, twice = 0, thrice = 0, single, bits
    cdef int digit
    # Count to three in all cells of a band at once, one bit of the count in each word.
    for digit in range(9):
        bits = node.boards[band][digit]
        thrice |= twice & bits
        twice |= once & bits
        once |= bits
    if once != ALL_CELLS:
        return False
    node.pairs[band] = twice & ~thrice
    single = once & ~twice & node.open_cells[band]
    if single:
        for digit in range(9):
            bits = node.boards[band][digit] & single
            if bits:
                node.changed_digits[band] |= BIT[digit]
                while bits:
                    node.boards[band][digit] &= CELLS_AFTER_PLACING[lowest_bit(bits)]
                    bits &= bits - 1
        node.stale[band] = True
    return True


cdef void _choose_trial(const Node* node, int* band, int* digit, int* cell) noexcept nogil:
    cdef uint16_t cells[81]
    cdef uint32_t bits
    cdef int index, pairs, chosen, most_pairs = 0
    # A cell with two candidates splits the work best; the band with most such cells comes first.
    for index in range(3):
        pairs = count_bits(node.pairs[index])
        if pairs > most_pairs:
            most_pairs = pairs
            band[0] = index
            cell[0] = lowest_bit(node.pairs[index])
    if not most_pairs:
        for chosen in range(81):
            cells[chosen] = 0
        for index in range(27):
            bits = node.boards[index // 9][index % 9]
            while bits:
                cells[index // 9 * 27 + lowest_bit(bits)] |= BIT[index % 9]
                bits &= bits - 1
        chosen = choose_cell(cells)
        band[0] = chosen // 27
        cell[0] = chosen % 27
    digit[0] = 0
    while not node.boards[band[0]][digit[0]] >> cell[0] & 1:
        digit[0] += 1


cdef void _write_solution(const Node* node, int8_t* cells) noexcept nogil:
    cdef int band, digit
    cdef uint32_t bits
    for band in range(3):
        for digit in range(9):
            bits = node.boards[band][digit]
            while bits:
                cells[27 * band + lowest_bit(bits)] = <int8_t> digit
                bits &= bits - 1
