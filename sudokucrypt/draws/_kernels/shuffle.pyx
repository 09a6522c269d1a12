# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""The compiled shuffle; `shuffle_plain` holds the same function with its description."""

import numpy as np


def shuffle(sizes, const long long[::1] draws):
    cdef Py_ssize_t start = 0, drawn = 0, size, place, other
    cdef long long held
    lengths = np.array(sizes, dtype=np.int64)
    result = np.empty(lengths.sum(), dtype=np.int64)
    cdef long long[::1] places = result
    for size in lengths.tolist():
        for place in range(size):
            places[start + place] = place
        for place in range(size - 1, 0, -1):
            other = draws[drawn]
            drawn += 1
            held = places[start + place]
            places[start + place] = places[start + other]
            places[start + other] = held
        start += size
    return result
