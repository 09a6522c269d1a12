# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""The compiled kernels; `passes_plain` holds the same functions with their description.

All of them gather or scatter units along a lane by two short tables that stay in the first-level
cache. They release the interpreter lock, so several threads may work on lanes of one array.
"""

from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

import numpy as np

ctypedef unsigned char byte
ctypedef fused Index:
    unsigned short
    unsigned int

cdef Py_ssize_t STRIP_BYTES = 192  # three cache lines of each row at a time


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


def move_rows(source, target, Py_ssize_t start, Py_ssize_t stop, tables):
    _move_rows(source, target, start, stop, *tables)


def _move_rows(
    source, target, Py_ssize_t start, Py_ssize_t stop,
    const Index[::1] outer, const Index[::1] inner, const Index[::1] shifts,
):
    cdef const byte[::1] old = source.view("u1")
    cdef byte[::1] new = target.view("u1")
    cdef Py_ssize_t n = inner.shape[0], size = target.itemsize, row
    cdef byte* lane = _reserve(n * size)
    with nogil:
        for row in range(start, stop):
            memcpy(lane, &old[row * n * size], n * size)
            _gather(&new[row * n * size], lane, &outer[shifts[row]], &inner[0], n, size)
    free(lane)


def move_columns(source, target, Py_ssize_t start, Py_ssize_t stop, tables):
    _move_columns(source, target, start, stop, *tables)


def _move_columns(
    source, target, Py_ssize_t start, Py_ssize_t stop,
    const Index[::1] outer, const Index[::1] inner, const Index[::1] shifts,
):
    cdef const byte[::1] old = source.view("u1")
    cdef byte[::1] new = target.view("u1")
    cdef Py_ssize_t n = inner.shape[0], size = target.itemsize, row, count
    cdef Py_ssize_t first = start, strip = max(1, STRIP_BYTES // size)
    cdef byte* lane = _reserve(n * strip * size)
    with nogil:
        while first < stop:
            count = min(strip, stop - first)
            for row in range(n):
                memcpy(lane + row * strip * size, &old[(row * n + first) * size], count * size)
            for row in range(n):
                _gather_strip(
                    &new[(row * n + first) * size],
                    lane, &outer[inner[row]], &shifts[first], count, size, strip,
                )
            first += strip
    free(lane)


def spread_bands(source, target, Py_ssize_t start, Py_ssize_t stop, tables, Py_ssize_t box_rows):
    _move_bands(source, target, start, stop, *tables, box_rows, True)


def collect_bands(source, target, Py_ssize_t start, Py_ssize_t stop, tables, Py_ssize_t box_rows):
    _move_bands(source, target, start, stop, *tables, box_rows, False)


def _move_bands(
    source, target, Py_ssize_t start, Py_ssize_t stop,
    const Index[::1] outer, const Index[::1] inner, const Index[::1] shifts,
    Py_ssize_t p, bint spread,
):
    cdef const byte[::1] old = source.view("u1")
    cdef byte[::1] new = target.view("u1")
    cdef Py_ssize_t n = inner.shape[0], size = target.itemsize, q = n // p, band, stack, row
    cdef byte* lane = _reserve(n * p * size)
    cdef byte* top
    cdef const Index* table
    with nogil:
        for band in range(start, stop):
            top = &new[band * p * n * size]
            memcpy(lane, &old[band * p * n * size], p * n * size)
            # One stack after the other: the row that it fills, or comes from, stays in the cache.
            for stack in range(p):
                for row in range(p):
                    table = &outer[shifts[band * p + row]]
                    if spread:
                        _scatter(
                            top + stack * n * size, lane + (row * n + stack * q) * size,
                            table, &inner[stack * q], q, size,
                        )
                    else:
                        _gather(
                            top + (row * n + stack * q) * size, lane + stack * n * size,
                            table, &inner[stack * q], q, size,
                        )
    free(lane)


cdef byte* _reserve(Py_ssize_t size) except NULL:
    # Some bytes more, since a unit of 3 or 6 bytes is read as 4 or 8.
    cdef byte* lane = <byte*> malloc(size + 8)
    if lane == NULL:
        raise MemoryError
    return lane


# The three inner loops. The size of a unit is a constant in each call of `..._sized`, so that the
# compiler turns memcpy into single moves; `width` is how many bytes are copied for a unit of
# `size`: more than it has is quicker where an odd size would take two moves, and the surplus is
# overwritten by the next unit. The last unit of a lane is copied to size.

cdef inline void _gather_sized(
    byte* target, const byte* source, const Index* outer, const Index* inner,
    Py_ssize_t count, Py_ssize_t size, Py_ssize_t width, Py_ssize_t stride, Py_ssize_t step,
) noexcept nogil:
    """Let place x take the unit at outer[inner[x]] * stride + x * step."""
    cdef Py_ssize_t x
    for x in range(count - 1):
        memcpy(target + x * size, source + (outer[inner[x]] * stride + x * step) * size, width)
    x = count - 1
    memcpy(target + x * size, source + (outer[inner[x]] * stride + x * step) * size, size)


cdef inline void _gather(
    byte* target, const byte* source, const Index* outer, const Index* inner,
    Py_ssize_t count, Py_ssize_t size,
) noexcept nogil:
    if size == 1:
        _gather_sized(target, source, outer, inner, count, 1, 1, 1, 0)
    elif size == 2:
        _gather_sized(target, source, outer, inner, count, 2, 2, 1, 0)
    elif size == 3:
        _gather_sized(target, source, outer, inner, count, 3, 4, 1, 0)
    elif size == 4:
        _gather_sized(target, source, outer, inner, count, 4, 4, 1, 0)
    elif size == 6:
        _gather_sized(target, source, outer, inner, count, 6, 8, 1, 0)
    elif size == 8:
        _gather_sized(target, source, outer, inner, count, 8, 8, 1, 0)
    else:
        _gather_sized(target, source, outer, inner, count, size, size, 1, 0)


cdef inline void _gather_strip(
    byte* target, const byte* source, const Index* outer, const Index* inner,
    Py_ssize_t count, Py_ssize_t size, Py_ssize_t strip,
) noexcept nogil:
    if size == 1:
        _gather_sized(target, source, outer, inner, count, 1, 1, strip, 1)
    elif size == 2:
        _gather_sized(target, source, outer, inner, count, 2, 2, strip, 1)
    elif size == 3:
        _gather_sized(target, source, outer, inner, count, 3, 4, strip, 1)
    elif size == 4:
        _gather_sized(target, source, outer, inner, count, 4, 4, strip, 1)
    elif size == 6:
        _gather_sized(target, source, outer, inner, count, 6, 8, strip, 1)
    elif size == 8:
        _gather_sized(target, source, outer, inner, count, 8, 8, strip, 1)
    else:
        _gather_sized(target, source, outer, inner, count, size, size, strip, 1)


cdef inline void _scatter_sized(
    byte* target, const byte* source, const Index* outer, const Index* inner,
    Py_ssize_t count, Py_ssize_t size,
) noexcept nogil:
    """Send the unit at place x to outer[inner[x]]."""
    cdef Py_ssize_t x
    for x in range(count):
        memcpy(target + outer[inner[x]] * size, source + x * size, size)


cdef inline void _scatter(
    byte* target, const byte* source, const Index* outer, const Index* inner,
    Py_ssize_t count, Py_ssize_t size,
) noexcept nogil:
    if size == 1:
        _scatter_sized(target, source, outer, inner, count, 1)
    elif size == 2:
        _scatter_sized(target, source, outer, inner, count, 2)
    elif size == 3:
        _scatter_sized(target, source, outer, inner, count, 3)
    elif size == 4:
        _scatter_sized(target, source, outer, inner, count, 4)
    elif size == 6:
        _scatter_sized(target, source, outer, inner, count, 6)
    elif size == 8:
        _scatter_sized(target, source, outer, inner, count, 8)
    else:
        _scatter_sized(target, source, outer, inner, count, size)
