# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""The compiled kernels; `passes_plain` holds the same functions with their description.

They release the interpreter lock, so several threads may work on lanes of one array. The loops
are in `stacks.h`, in C, for the vectors of x86-64 and ARM and for any other processor.
"""

import numpy as np

from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc

ctypedef unsigned char byte
ctypedef unsigned int number

cdef extern from "stacks.h":
    ctypedef struct stacks:
        Py_ssize_t n, p, q, size, lane
        int transposed, wide, joined, source_stacked, target_stacked
        const number* rows
        const number* turns
        const number* bands
        const number* places
        const number* starts
        const number* columns
        const void* outer
        const void* inner
        const number* shifts

    void exchange_units(
        byte*, Py_ssize_t, Py_ssize_t, const int64_t*, Py_ssize_t, int, byte*
    ) nogil
    byte* reserve_scratch(const stacks*) nogil
    void move_stack(const stacks*, const byte*, byte*, Py_ssize_t, byte*, int) nogil
    void move_rows_of(
        const stacks*, const byte*, byte*, Py_ssize_t, Py_ssize_t, byte*
    ) nogil

STACKED = True


ctypedef unsigned short half
ctypedef fused entry:
    half
    number


def row_tables(grid, bint undo):
    return _tables(np.arange(grid.order), grid, 1, False, undo)


def stack_tables(column, block, row, bint undo, bint stacked):
    cdef Py_ssize_t p, q, n, c, at, within
    p, q = block.box
    n = p * q
    rows, turns, bands, places, columns = np.empty((5, n), dtype=np.uint32)
    starts = np.empty(p, dtype=np.uint32)
    cdef const long long[:] alpha = column.alpha, beta = column.beta, sigma = column.sigma
    cdef const long long[:] downs = block.alpha, across = block.beta
    cdef number[::1] row_at = rows, turn = turns, band = bands, place = places
    cdef number[::1] start = starts, order = columns
    cdef bint transposed = False
    for c in range(1, q):
        transposed = transposed or across[c] // q != across[0] // q
    for at in range(n):
        row_at[alpha[at]] = at % p * q + at // p if stacked else at
        turn[at], band[at], place[at] = beta[at], sigma[at] // p, downs[sigma[at]]
        within = across[at] // q if transposed else across[at] % q
        order[at // q * q + within] = at % q
    for at in range(p):
        start[at] = across[at * q] % q if transposed else across[at * q] // q * q
    tables = _tables(block.sigma, row, q, transposed, undo)
    return ((p, q), transposed, rows, turns, bands, places, starts, columns, *tables)


cdef _tables(const long long[:] sigma, row, Py_ssize_t q, bint transposed, bint undo):
    cdef Py_ssize_t n = sigma.shape[0]
    kind, shifts = np.uint16 if 2 * n <= 1 << 16 else np.uint32, np.zeros(n, dtype=np.uint32)
    outer, inner = np.empty(0 if row is None else 2 * n, dtype=kind), np.empty(n, dtype=kind)
    if kind is np.uint16:
        _fill[half](outer, inner, shifts, sigma, row, q, transposed, undo)
    else:
        _fill[number](outer, inner, shifts, sigma, row, q, transposed, undo)
    return outer, inner, shifts


cdef _fill(
    entry[::1] outer, entry[::1] inner, number[::1] shifts, const long long[:] sigma, row,
    Py_ssize_t q, bint transposed, bint undo,
):
    cdef Py_ssize_t n = inner.shape[0], at, place
    cdef const long long[:] alpha, beta, digits
    if row is not None:
        alpha, beta, digits = row.alpha, row.beta, row.sigma
    for at in range(n):
        if undo:
            place = sigma[at % q * q + at // q if transposed else at]
            if row is None:
                inner[at] = place
            else:
                outer[at] = outer[n + at] = digits[at]
                inner[at], shifts[at] = beta[place], alpha[at]
        else:
            place = at % q * 2 * q + at // q if transposed else at
            if row is None:
                inner[sigma[at]] = place
            else:
                shifts[at] = (n - alpha[at]) % n
                outer[beta[sigma[at]]] = outer[n + beta[sigma[at]]] = place
                inner[digits[at]] = at


def exchange(units, const long long[::1] places, bint undo):
    cdef byte[::1] data = units.view("u1")
    cdef Py_ssize_t size = units.itemsize, last = len(units) - 1, count = places.shape[0]
    if not count:
        return
    cdef byte* held = _reserve(size)
    with nogil:
        exchange_units(&data[0], size, last, <const int64_t*> &places[0], count, undo, held)
    free(held)


def move_rows(
    source, target, Py_ssize_t start, Py_ssize_t stop, tables, box,
    bint source_stacked=False, bint target_stacked=False,
):
    outer, inner, shifts = tables
    cdef const byte[::1] old = source.view("u1"), first = outer.view("u1"), then = inner.view("u1")
    cdef byte[::1] new = target.view("u1")
    cdef const number[::1] shift = shifts
    cdef stacks work
    work.p, work.q = box
    work.n = work.p * work.q
    work.size = work.lane = target.itemsize
    work.wide, work.joined = inner.itemsize == 4, True
    work.source_stacked, work.target_stacked = source_stacked, target_stacked
    work.outer, work.inner, work.shifts = &first[0], &then[0], &shift[0]
    cdef byte* lane = _reserve(work.n * work.size)
    with nogil:
        move_rows_of(&work, &old[0], &new[0], start, stop, lane)
    free(lane)


def move_stacks(
    source, target, Py_ssize_t start, Py_ssize_t stop, tables, bint undo,
    bint source_stacked=False, bint target_stacked=False,
):
    cdef const byte[::1] old = source.view("u1")
    cdef byte[::1] new = target.view("u1")
    cdef const number[::1] rows = tables.rows, turns = tables.turns, bands = tables.bands
    cdef const number[::1] places = tables.places, starts = tables.starts
    cdef const number[::1] columns = tables.columns, shifts = tables.shifts
    cdef const byte[::1] outer = tables.outer.view("u1"), inner = tables.inner.view("u1")
    cdef Py_ssize_t size = target.itemsize, stack
    cdef stacks work
    work.p, work.q = tables.box
    work.n = work.p * work.q
    work.size, work.lane = size, {3: 4, 6: 8}.get(size, size)
    work.transposed, work.wide = tables.transposed, tables.inner.itemsize == 4
    work.joined = len(outer) > 0
    work.source_stacked, work.target_stacked = source_stacked, target_stacked
    work.rows, work.turns, work.bands = &rows[0], &turns[0], &bands[0]
    work.places, work.starts, work.columns = &places[0], &starts[0], &columns[0]
    work.inner = &inner[0]
    work.outer = &outer[0] if work.joined else NULL
    work.shifts = &shifts[0]
    cdef byte* scratch = reserve_scratch(&work)
    if scratch == NULL:
        raise MemoryError
    with nogil:
        for stack in range(start, stop):
            move_stack(&work, &old[0], &new[0], stack, scratch, undo)
    free(scratch)


cdef byte* _reserve(Py_ssize_t size) except NULL:
    # Some bytes more, since a unit of 3 or 6 bytes is read as 4 or 8.
    cdef byte* lane = <byte*> malloc(size + 8)
    if lane == NULL:
        raise MemoryError
    return lane
