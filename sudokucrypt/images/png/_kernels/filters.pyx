# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""The compiled filters of PNG; `filters_plain` has the same function with its description."""

import numpy as np

from libc.stdlib cimport abs

ctypedef unsigned char byte


def undo_filters(const byte[:, ::1] band, const byte[::1] line_above, Py_ssize_t size):
    cdef Py_ssize_t row, length = band.shape[1] - 1
    if line_above.shape[0] != length or size > length:
        raise ValueError("lines have other lengths")
    result = np.empty((band.shape[0], length), dtype=np.uint8)
    cdef byte[:, ::1] lines = result
    cdef const byte* upper
    if band.shape[0] == 0:
        return result
    with nogil:
        upper = &line_above[0]
        for row in range(band.shape[0]):
            undo_line(&band[row, 1], upper, &lines[row, 0], length, size, band[row, 0])
            upper = &lines[row, 0]
    return result


cdef void undo_line(
    const byte* stored, const byte* above, byte* line, Py_ssize_t length, Py_ssize_t size, int kind
) noexcept nogil:
    cdef Py_ssize_t index
    cdef int left, up, corner, to_left, to_up, to_corner, nearest, left_mask
    # To the left of a line there are zeros.
    for index in range(size):
        up = above[index]
        line[index] = stored[index] + (up if kind == 2 or kind == 4 else up >> 1 if kind == 3 else 0)
    if kind == 0:
        for index in range(size, length):
            line[index] = stored[index]
    elif kind == 1:
        for index in range(size, length):
            line[index] = stored[index] + line[index - size]
    elif kind == 2:
        for index in range(size, length):
            line[index] = stored[index] + above[index]
    elif kind == 3:
        for index in range(size, length):
            line[index] = stored[index] + ((line[index - size] + above[index]) >> 1)
    else:
        for index in range(size, length):
            left, up, corner = line[index - size], above[index], above[index - size]
            # The distances of the three neighbors from left + up - corner.
            to_left, to_up = up - corner, left - corner
            to_corner = to_left + to_up
            to_left, to_up, to_corner = abs(to_left), abs(to_up), abs(to_corner)
            # By masks, since unpredictable branches take five times as long.
            nearest = corner ^ ((corner ^ up) & -<int> (to_up <= to_corner))
            left_mask = -<int> ((to_left <= to_up) & (to_left <= to_corner))
            line[index] = stored[index] + (nearest ^ ((nearest ^ left) & left_mask))
