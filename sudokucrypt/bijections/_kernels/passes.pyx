# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""The compiled kernels; `passes_plain` contains the same functions with their description.

They release the interpreter lock, so several threads may work on segments of one array. The loops
are C files in the folder `loops`, with vectors for x86-64 and ARM, and without for other processors.
"""

import numpy as np

from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc

ctypedef unsigned char byte

cdef extern from "loops/fused_pass.h":
    ctypedef struct fused_pass:
        Py_ssize_t n, p, q, size, width
        int wide, joined, banded
        void* room

    void exchange_units(
        byte*, Py_ssize_t, Py_ssize_t, const int64_t*, Py_ssize_t, int, byte*
    ) nogil
    int prepare_rows(fused_pass*, const int64_t*, int) nogil
    int prepare_stacks(
        fused_pass*, const int64_t*, const int64_t*, const int64_t*, int
    ) nogil
    void apply_stack(const fused_pass*, const byte*, byte*, Py_ssize_t) nogil
    void undo_stack(const fused_pass*, const byte*, byte*, Py_ssize_t) nogil
    void move_bands(
        const fused_pass*, const byte*, byte*, Py_ssize_t, Py_ssize_t, int
    ) nogil

BYTES = np.dtype(np.uint8)


def grids(const long long[:, ::1] drawn, box):
    cdef Py_ssize_t p, q, n, some, line, at
    p, q = box
    n = p * q
    result = np.empty((drawn.shape[0], 3, n), dtype=np.int64)
    cdef long long[:, :, ::1] tables = result
    cdef const long long* bands
    cdef const long long* stacks_
    cdef long long* alpha
    cdef long long* beta
    cdef bint turned
    for some in range(drawn.shape[0]):
        bands = &drawn[some, 0]
        stacks_ = bands + q + n
        turned = p == q and stacks_[p + 2 * n + 1]
        alpha, beta = &tables[some, turned, 0], &tables[some, not turned, 0]
        for line in range(q):
            for at in range(line * p, line * p + p):
                alpha[at] = q * bands[q + at] + bands[line]
        for line in range(p):
            for at in range(line * q, line * q + q):
                beta[at] = q * stacks_[line] + stacks_[p + at]
        for at in range(n):
            tables[some, 2, at] = stacks_[p + n + at]
    return result


def exchange(units, const long long[::1] partners, bint undo):
    cdef Py_ssize_t size = units.itemsize, last = len(units) - 1, count = partners.shape[0]
    if not count:
        return
    cdef byte[::1] data = units.view(BYTES)
    cdef byte* held = <byte*> malloc(size)
    if held == NULL:
        raise MemoryError
    with nogil:
        exchange_units(&data[0], size, last, <const int64_t*> &partners[0], count, undo, held)
    free(held)


def move_rows(
    source, target, Py_ssize_t start, Py_ssize_t stop, const long long[:, ::1] grid, box,
    bint undo, bint banded=False, bint wide=False,
):
    cdef const byte[::1] old = source.view(BYTES)
    cdef byte[::1] new = target.view(BYTES)
    cdef fused_pass work
    _describe(&work, box, target.itemsize, banded, wide)
    work.width = work.size  # rows are gathered as they are, without padding
    with nogil:
        if not prepare_rows(&work, <const int64_t*> &grid[0, 0], undo):
            raise MemoryError
        move_bands(&work, &old[0], &new[0], start, stop, undo)
        free(work.room)


def move_stacks(
    source, target, Py_ssize_t start, Py_ssize_t stop, const long long[:, :, ::1] grids, box,
    bint undo, bint banded=False, bint wide=False,
):
    cdef const byte[::1] old = source.view(BYTES)
    cdef byte[::1] new = target.view(BYTES)
    cdef Py_ssize_t stack
    cdef fused_pass work
    cdef const int64_t* row = NULL
    _describe(&work, box, target.itemsize, banded, wide)
    work.joined = grids.shape[0] > 2
    if work.joined:
        row = <const int64_t*> &grids[2, 0, 0]
    with nogil:
        if not prepare_stacks(
            &work, <const int64_t*> &grids[0, 0, 0], <const int64_t*> &grids[1, 0, 0], row, undo
        ):
            raise MemoryError
        for stack in range(start, stop):
            if undo:
                undo_stack(&work, &old[0], &new[0], stack)
            else:
                apply_stack(&work, &old[0], &new[0], stack)
        free(work.room)


cdef void _describe(fused_pass* work, box, Py_ssize_t size, bint banded, bint wide):
    work.p, work.q = box
    work.n = work.p * work.q
    # In vectors a unit has 1, 2, 4 or 8 bytes; units of 3 and 6 bytes are padded.
    work.size, work.width = size, 4 if size == 3 else 8 if size == 6 else size
    # The largest entry of a table is 2 n - 1, which fits into 16 bits up to n = 32,768.
    work.wide, work.joined, work.banded = wide or 2 * work.n > 1 << 16, True, banded
