# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""The compiled kernel; `canonical_plain` holds the same functions with their descriptions."""

from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy, memset

ctypedef unsigned char byte

cdef enum:
    NONE = 255

cdef struct Trial:
    Py_ssize_t n, p, q
    const byte* cells
    const byte* head
    byte* follows  # by column: the column in which the first row has the digit of the second
    byte* columns  # by place
    byte* places  # by column
    byte* stacks  # by column, and by place
    byte* homes  # by stack: its place among the stacks
    byte* owners  # by place among the stacks: the stack
    byte* filled  # by place of a stack: how many of its columns have a place
    byte* line  # the smallest second row
    byte* image
    byte* best
    byte* rows
    byte* chosen
    const byte* shown  # which cells a puzzle gives, or NULL
    byte* given  # those of the smallest image, the smallest of these
    byte* moved  # those of an image
    Py_ssize_t number, placed, head_found
    long long found
    bint known, smaller


def smallest(
    const byte[:, ::1] cells, Py_ssize_t box_rows,
    const byte[:, ::1] heads, byte[:, ::1] best, byte[:, ::1] orders, bint known,
):
    cdef Trial trial
    cdef byte* block = _prepare(&trial, cells.shape[0], box_rows)
    trial.best, trial.rows, trial.chosen = &best[0, 0], &orders[0, 0], &orders[1, 0]
    trial.shown, trial.known = NULL, known
    with nogil:
        _search(&trial, &cells[0, 0], &heads[0, 0], heads.shape[0])
    free(block)
    return trial.found, trial.smaller


def smallest_puzzles(
    const byte[:, :, ::1] cells, const byte[:, :, ::1] shown, Py_ssize_t box_rows,
    const byte[:, ::1] heads, byte[:, :, ::1] best, byte[:, :, ::1] given,
    Py_ssize_t start, Py_ssize_t stop,
):
    cdef Trial trial
    cdef Py_ssize_t n = best.shape[1], i, row, column
    cdef byte* block = _prepare(&trial, n, box_rows)
    cdef byte* grid = block + 2 * n * n + 11 * n
    trial.rows, trial.chosen = grid + 2 * n * n, grid + 2 * n * n + n
    with nogil:
        for i in range(start, stop):
            trial.best, trial.given = &best[i, 0, 0], &given[i, 0, 0]
            trial.shown, trial.known = &shown[i, 0, 0], False
            _search(&trial, &cells[i, 0, 0], &heads[0, 0], heads.shape[0])
            for row in range(n):
                for column in range(n):
                    grid[row * n + column] = cells[i, column, row]
                    grid[n * n + row * n + column] = shown[i, column, row]
            trial.shown, trial.known = grid + n * n, True
            _search(&trial, grid, &heads[0, 0], heads.shape[0])
    free(block)


cdef byte* _prepare(Trial* trial, Py_ssize_t n, Py_ssize_t box_rows) except NULL:
    """Give a trial room, which the caller frees; behind it there is some for a turned puzzle."""
    cdef Py_ssize_t i
    cdef byte* block = <byte*> malloc(4 * n * n + 13 * n)
    if block == NULL:
        raise MemoryError
    memset(block, NONE, n * n + 11 * n)
    trial.n, trial.p, trial.q = n, box_rows, n // box_rows
    trial.image = block
    trial.follows = block + n * n + 3 * n
    trial.columns, trial.places = trial.follows + n, trial.follows + 2 * n
    trial.homes, trial.filled = trial.follows + 3 * n, trial.follows + 4 * n
    trial.line, trial.stacks = trial.follows + 5 * n, trial.follows + 6 * n
    trial.owners = trial.follows + 7 * n
    trial.moved = block + n * n + 11 * n
    memset(trial.filled, 0, n)
    for i in range(n):
        trial.stacks[i] = <byte> (i // trial.q)
    return block


cdef void _search(
    Trial* trial, const byte* cells, const byte* heads, Py_ssize_t count
) noexcept nogil:
    """Try all heads, with all orders of columns."""
    cdef Py_ssize_t n = trial.n, i, row
    trial.cells = cells
    trial.placed = trial.found = trial.head_found = 0
    trial.smaller = False
    if trial.known:
        memcpy(trial.line, trial.best + 1 % n * n, n)
    else:
        memset(trial.line, NONE, n)
    for i in range(count):
        trial.head, trial.number = heads + i * trial.p, i
        if trial.p > 1:
            _second(trial, trial.head[1])
            continue
        for row in range(n):
            if row != trial.head[0] or n == 1:
                _second(trial, row)


cdef void _second(Trial* trial, Py_ssize_t row) noexcept nogil:
    """Try all orders of the columns that may make this second row smallest."""
    cdef const byte* first = trial.cells + trial.head[0] * trial.n
    cdef const byte* second = trial.cells + row * trial.n
    cdef byte* where = trial.image  # nothing else is there yet
    cdef Py_ssize_t j
    for j in range(trial.n):
        where[first[j]] = <byte> j
    for j in range(trial.n):
        trial.follows[j] = where[second[j]]
    _extend(trial, 0)


cdef void _extend(Trial* trial, Py_ssize_t place) noexcept nogil:
    cdef Py_ssize_t column, n = trial.n, slot = trial.stacks[place % n]
    cdef Py_ssize_t first = 0, stop = n
    cdef bint begun = slot < trial.placed
    cdef int compared
    # All columns have a place: the candidate is whole, and counts if no image is smaller.
    if place == n:
        compared = _compare(trial)
        if compared < 0:
            memcpy(trial.best, trial.image, n * n)
            trial.known = trial.smaller = True
            trial.found = 0
        if compared <= 0:
            if trial.shown != NULL:
                _move_given(trial, compared < 0)
            trial.found += 1
            # Of equal images the first choice of rows and columns is kept, as the fallback has it.
            if trial.found == 1 or (trial.head_found == trial.number
                                    and memcmp(trial.columns, trial.chosen, n) < 0):
                memcpy(trial.chosen, trial.columns, n)
                memcpy(trial.rows, trial.head, trial.p)
                memcpy(trial.rows + trial.p, trial.image + n * n + 2 * n + trial.p, n - trial.p)
                trial.head_found = trial.number
    elif trial.columns[place] != NONE:
        _follow(trial, place)
    else:
        # A stack that is begun is finished first; else any stack without a place may come.
        if begun:
            first = trial.owners[slot] * trial.q
            stop = first + trial.q
        for column in range(first, stop):
            if trial.places[column] == NONE and (
                begun or trial.homes[trial.stacks[column]] == NONE
            ):
                _put(trial, column)
                _follow(trial, place)
                _take(trial, column)


cdef void _move_given(Trial* trial, bint fresh) noexcept nogil:
    """Keep the given cells of the image, unless smaller ones of the same image are known."""
    cdef Py_ssize_t n = trial.n, i, j
    cdef const byte* line
    for i in range(n):
        line = trial.shown + n * (
            trial.head[i] if i < trial.p else trial.image[n * n + 2 * n + i]
        )
        for j in range(n):
            trial.moved[i * n + j] = line[trial.columns[j]]
    if fresh or memcmp(trial.moved, trial.given, n * n) < 0:
        memcpy(trial.given, trial.moved, n * n)


cdef void _follow(Trial* trial, Py_ssize_t place) noexcept nogil:
    """Give the second row its smallest digit here, and go on unless a smaller row is known."""
    cdef Py_ssize_t column = trial.follows[trial.columns[place]]
    cdef bint fresh = trial.places[column] == NONE
    cdef byte value
    if fresh:
        _put(trial, column)
    value = trial.places[column]
    # A smaller second row than all before: what was best is none any more.
    if value < trial.line[place]:
        trial.line[place] = value
        memset(trial.line + place + 1, NONE, trial.n - place - 1)
        trial.known = False
    if value == trial.line[place]:
        _extend(trial, place + 1)
    if fresh:
        _take(trial, column)


cdef inline void _put(Trial* trial, Py_ssize_t column) noexcept nogil:
    """Give a column the first place that is free for it."""
    cdef Py_ssize_t stack = trial.stacks[column], place
    if trial.homes[stack] == NONE:
        trial.homes[stack], trial.owners[trial.placed] = <byte> trial.placed, <byte> stack
        trial.placed += 1
    place = trial.homes[stack] * trial.q + trial.filled[trial.homes[stack]]
    trial.filled[trial.homes[stack]] += 1
    trial.columns[place], trial.places[column] = <byte> column, <byte> place


cdef inline void _take(Trial* trial, Py_ssize_t column) noexcept nogil:
    """Undo the last `_put`."""
    cdef Py_ssize_t stack = trial.stacks[column], slot = trial.homes[stack]
    trial.columns[trial.places[column]] = trial.places[column] = NONE
    trial.filled[slot] -= 1
    if not trial.filled[slot]:
        trial.homes[stack] = NONE
        trial.placed -= 1


cdef int _compare(Trial* trial) noexcept nogil:
    """Compare the image with the best, known to exist or not; write it unless it is larger."""
    cdef Py_ssize_t n = trial.n, p = trial.p, i, j, k, band
    cdef byte* label = trial.image + n * n
    cdef byte* firsts = label + n
    cdef byte* rows = firsts + n
    cdef const byte* row = trial.cells + trial.head[0] * n
    cdef int compared = 0 if trial.known else -1
    cdef byte value
    for j in range(n):
        label[row[trial.columns[j]]] = trial.image[j] = <byte> j
    for i in range(1, p):
        if compared <= 0:
            compared = _line(trial, i, trial.head[i], label, compared)
    if compared > 0:
        return compared
    # The other rows by their first digits, which all differ: inside bands, then the bands.
    k = p
    for band in range(n // p):
        if band == trial.head[0] // p:
            continue
        for i in range(p):
            value = label[trial.cells[(band * p + i) * n + trial.columns[0]]]
            j = k + i
            while j > k and firsts[j - 1] > value:
                firsts[j], rows[j] = firsts[j - 1], rows[j - 1]
                j -= 1
            firsts[j], rows[j] = value, <byte> (band * p + i)
        j = k
        while j > p and firsts[j - p] > firsts[j]:
            for i in range(j, j + p):
                firsts[i - p], firsts[i] = firsts[i], firsts[i - p]
                rows[i - p], rows[i] = rows[i], rows[i - p]
            j -= p
        k += p
    for i in range(p, n):
        if compared <= 0:
            compared = _line(trial, i, rows[i], label, compared)
    return compared


cdef inline int _line(
    Trial* trial, Py_ssize_t to, Py_ssize_t row, const byte* label, int compared
) noexcept nogil:
    """Write one row of the image, up to where it turns out larger than the best."""
    cdef const byte* given = trial.cells + row * trial.n
    cdef const byte* best = trial.best + to * trial.n
    cdef const byte* columns = trial.columns
    cdef byte* line = trial.image + to * trial.n
    cdef Py_ssize_t j
    # Write and compare in one pass; most rows are larger within a few cells.
    for j in range(trial.n):
        line[j] = label[given[columns[j]]]
        if compared == 0 and line[j] != best[j]:
            compared = line[j] - best[j]
            if compared > 0:
                break
    return compared
