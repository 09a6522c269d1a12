# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""The compiled kernels; `passes_plain` holds the same functions with their description.

They release the interpreter lock, so several threads may work on lanes of one array. The loops
are in `stacks.h`, in C, for the vectors of x86-64 and ARM and for any other processor.
"""

from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

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

    byte* reserve_scratch(const stacks*) nogil
    void move_stack(const stacks*, const byte*, byte*, Py_ssize_t, byte*, int) nogil
    void move_rows_of(
        const stacks*, const byte*, byte*, Py_ssize_t, Py_ssize_t, byte*
    ) nogil

STACKED = True


def exchange(units, const long long[::1] places, bint undo):
    cdef byte[::1] data = units.view("u1")
    cdef Py_ssize_t size = units.itemsize, last = len(units) - 1, count = places.shape[0]
    cdef Py_ssize_t step, number
    cdef byte* held = _reserve(size)
    cdef byte* one
    cdef byte* other
    with nogil:
        for step in range(count):
            number = count - 1 - step if undo else step
            one, other = &data[(last - number) * size], &data[places[number] * size]
            if one != other:
                memcpy(held, one, size)
                memcpy(one, other, size)
                memcpy(other, held, size)
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
    cdef const number[::1] columns = tables.columns.reshape(-1), shifts = tables.shifts
    cdef const byte[::1] outer = tables.outer.view("u1"), inner = tables.inner.view("u1")
    cdef Py_ssize_t size = target.itemsize, stack
    cdef stacks work
    work.p, work.q = tables.box
    work.n = work.p * work.q
    work.size, work.lane = size, {3: 4, 6: 8}.get(size, size)
    work.transposed, work.wide = tables.transposed, tables.inner.itemsize == 4
    work.joined = len(outer) > 0
    work.source_stacked, work.target_stacked = source_stacked, target_stacked
    if target_stacked if undo else source_stacked:
        rows = (tables.rows % work.p * work.q + tables.rows // work.p).astype("u4")
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
