# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""The compiled entropy coder; `entropy_plain` holds the same functions with their description.

The loops are under `loops`, in C, and run without the interpreter lock.
"""

import numpy as np

from libc.stdint cimport int16_t, int64_t, uint8_t, uint16_t, uint32_t
from cython cimport view
from libc.stdlib cimport calloc, free

cdef extern from "loops/scan.h":
    ctypedef struct part:
        int16_t* blocks
        Py_ssize_t columns
        int down, across
        const uint16_t* lookups[2]
        uint32_t numbers[2]

    ctypedef struct scan:
        part parts[4]
        int count, kind, first, last, low
        Py_ssize_t rows, columns, interval
        int64_t longest
        int64_t* breaks
        Py_ssize_t listed
        uint32_t* tokens
        Py_ssize_t used, room

    bint decode_scan(scan*, const uint8_t*, const int64_t*, Py_ssize_t, int64_t*) nogil
    bint tokenize_scan(scan*) nogil
    bint emit_tokens(
        const uint32_t*, Py_ssize_t, const uint32_t*, const uint8_t*, uint8_t*, int64_t*
    ) nogil

END, MARGIN = 9, 512


def decode(
    const uint8_t[::1] bits, const int64_t[::1] ends, planes, samplings, units,
    Py_ssize_t interval, band, lookups, int64_t longest,
):
    cdef scan* work = _prepare(planes, samplings, units, interval, band, longest)
    cdef Py_ssize_t intervals = ends.shape[0]
    cdef const uint16_t[::1] table
    cdef bint whole
    positions = np.zeros(intervals, dtype=np.int64)
    # Only blocks of runs are listed, and those that go on in one at most once.
    listed = np.empty(work.rows * work.columns if work.kind > 2 else 0, dtype=np.int64)
    cdef int64_t[::1] reached = positions, breaks = listed
    if breaks.shape[0]:
        work.breaks = &breaks[0]
    for index in range(work.count):
        for kind in range(2):
            table = lookups[index][kind]
            if table.shape[0]:
                work.parts[index].lookups[kind] = &table[0]
    with nogil:
        whole = decode_scan(work, &bits[0], &ends[0], intervals, &reached[0])
    listed = listed[: work.listed].copy()
    free(work)
    return whole, positions, listed


def tokenize(
    planes, samplings, units, Py_ssize_t interval, band, numbers, int64_t longest,
    const int64_t[::1] breaks,
):
    cdef scan* work = _prepare(planes, samplings, units, interval, band, longest)
    cdef bint whole
    # Behind the last block that is listed stands one that there is not.
    ended = np.append(breaks, -1)
    cdef int64_t[::1] listed = ended
    work.breaks = &listed[0]
    for index, (dc, ac) in enumerate(numbers):
        work.parts[index].numbers[0] = <uint32_t> dc << 28
        work.parts[index].numbers[1] = <uint32_t> (4 + ac) << 28
    with nogil:
        whole = tokenize_scan(work)
    cdef uint32_t* tokens = work.tokens
    cdef Py_ssize_t used = work.used
    free(work)
    if not whole:
        free(tokens)
        raise MemoryError
    # Not copied: they may take twice the memory of the coefficients.
    cdef view.array held = <uint32_t[:used]> tokens
    held.free_data = True
    held.callback_free_data = free
    return np.asarray(held)


def emit(
    const uint32_t[::1] tokens, const uint32_t[::1] codes, bytes padding, Py_ssize_t intervals
):
    cdef Py_ssize_t count = tokens.shape[0]
    bits = np.empty(4 * count + 8, dtype=np.uint8)
    ends = np.empty(intervals, dtype=np.int64)
    filling = padding or b"\xff" * intervals
    cdef uint8_t[::1] target = bits
    cdef int64_t[::1] behind = ends
    cdef const uint8_t[::1] last_bits = filling
    cdef bint whole
    with nogil:
        whole = emit_tokens(&tokens[0], count, &codes[0], &last_bits[0], &target[0], &behind[0])
    return (bits[: behind[intervals - 1]].tobytes(), ends) if whole else None


cdef scan* _prepare(planes, samplings, units, Py_ssize_t interval, band, longest) except NULL:
    cdef scan* work
    cdef const int16_t[:, :, ::1] blocks
    cdef Py_ssize_t rows, columns
    kind, first, last, low = band
    rows, columns = units
    if not (0 <= kind <= 4 and 0 <= first <= last < 64 and 0 <= low < 16 and len(planes) <= 4):
        raise IndexError("a scan of components or coefficients that there are not")
    for blocks, (down, across) in zip(planes, samplings):
        if rows * down > blocks.shape[0] or columns * across > blocks.shape[1]:
            raise IndexError("a scan of blocks that there are not")
    work = <scan*> calloc(1, sizeof(scan))
    if work == NULL:
        raise MemoryError
    work.count = len(planes)
    work.rows, work.columns = rows, columns
    work.interval, work.longest = interval, longest
    work.kind, work.first, work.last, work.low = kind, first, last, low
    for index, plane in enumerate(planes):
        blocks = plane
        work.parts[index].blocks = <int16_t*> &blocks[0, 0, 0]
        work.parts[index].columns = blocks.shape[1]
        work.parts[index].down, work.parts[index].across = samplings[index]
    return work
