# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""The compiled draws and shuffle; `shuffle_plain` holds the same functions with descriptions."""

import numpy as np


def below_each(const long long[::1] bounds, const unsigned int[::1] words):
    cdef unsigned long long span = 1 << 32, bound
    cdef unsigned int word
    cdef Py_ssize_t used = 0, done = 0
    values = np.empty(bounds.shape[0], dtype=np.int64)
    cdef long long[::1] drawn = values
    while done < bounds.shape[0] and used < words.shape[0]:
        bound, word = bounds[done], words[used]
        used += 1
        if word < span - bound or word < span - span % bound:
            drawn[done] = word if bound == span else word % <unsigned int> bound
            done += 1
    return values[:done], used


def shuffle(sizes, const long long[::1] draws):
    cdef Py_ssize_t start = 0, drawn = 0, size, place, other
    cdef long long held
    result = np.empty(sum(sizes), dtype=np.int64)
    cdef long long[::1] places = result
    for size in sizes:
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
