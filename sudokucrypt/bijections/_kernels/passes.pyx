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
        int is_wide, has_row_pass, is_banded
        void* memory_block

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


def grids(const long long[:, ::1] drawn_orders, box):
    cdef Py_ssize_t p, q, n, grid_index, line, index
    p, q = box
    n = p * q
    result = np.empty((drawn_orders.shape[0], 3, n), dtype=np.int64)
    cdef long long[:, :, ::1] tables = result
    cdef const long long* orders
    cdef const long long* stack_orders
    cdef long long* alpha
    cdef long long* beta
    cdef bint is_transposed
    for grid_index in range(drawn_orders.shape[0]):
        orders = &drawn_orders[grid_index, 0]
        stack_orders = orders + q + n
        is_transposed = p == q and stack_orders[p + 2 * n + 1]
        alpha, beta = &tables[grid_index, is_transposed, 0], &tables[grid_index, not is_transposed, 0]
        for line in range(q):
            for index in range(line * p, line * p + p):
                alpha[index] = q * orders[q + index] + orders[line]
        for line in range(p):
            for index in range(line * q, line * q + q):
                beta[index] = q * stack_orders[line] + stack_orders[p + index]
        for index in range(n):
            tables[grid_index, 2, index] = stack_orders[p + n + index]
    return result


def exchange(units, const long long[::1] partners, bint undo):
    cdef Py_ssize_t size = units.itemsize, last = len(units) - 1, count = partners.shape[0]
    if not count:
        return
    cdef byte[::1] data = units.view(BYTES)
    cdef byte* buffer = <byte*> malloc(size)
    if buffer == NULL:
        raise MemoryError
    with nogil:
        exchange_units(&data[0], size, last, <const int64_t*> &partners[0], count, undo, buffer)
    free(buffer)


def move_rows(
    source, target, Py_ssize_t start, Py_ssize_t stop, const long long[:, ::1] grid, box,
    bint undo, bint banded=False, bint wide=False,
):
    cdef const byte[::1] source_bytes = source.view(BYTES)
    cdef byte[::1] target_bytes = target.view(BYTES)
    cdef fused_pass fused
    _describe(&fused, box, target.itemsize, banded, wide)
    fused.width = fused.size  # rows are gathered as they are, without padding
    with nogil:
        if not prepare_rows(&fused, <const int64_t*> &grid[0, 0], undo):
            raise MemoryError
        move_bands(&fused, &source_bytes[0], &target_bytes[0], start, stop, undo)
        free(fused.memory_block)


def move_stacks(
    source, target, Py_ssize_t start, Py_ssize_t stop, const long long[:, :, ::1] grids, box,
    bint undo, bint banded=False, bint wide=False,
):
    cdef const byte[::1] source_bytes = source.view(BYTES)
    cdef byte[::1] target_bytes = target.view(BYTES)
    cdef Py_ssize_t stack
    cdef fused_pass fused
    cdef const int64_t* row = NULL
    _describe(&fused, box, target.itemsize, banded, wide)
    fused.has_row_pass = grids.shape[0] > 2
    if fused.has_row_pass:
        row = <const int64_t*> &grids[2, 0, 0]
    with nogil:
        if not prepare_stacks(
            &fused, <const int64_t*> &grids[0, 0, 0], <const int64_t*> &grids[1, 0, 0], row, undo
        ):
            raise MemoryError
        for stack in range(start, stop):
            if undo:
                undo_stack(&fused, &source_bytes[0], &target_bytes[0], stack)
            else:
                apply_stack(&fused, &source_bytes[0], &target_bytes[0], stack)
        free(fused.memory_block)


cdef void _describe(fused_pass* fused, box, Py_ssize_t size, bint banded, bint wide):
    fused.p, fused.q = box
    fused.n = fused.p * fused.q
    # In vectors a unit has 1, 2, 4 or 8 bytes; units of 3 and 6 bytes are padded.
    fused.size, fused.width = size, 4 if size == 3 else 8 if size == 6 else size
    # The largest entry of a table is 2 n - 1, which fits into 16 bits up to n = 32,768.
    fused.is_wide, fused.has_row_pass, fused.is_banded = wide or 2 * fused.n > 1 << 16, True, banded
