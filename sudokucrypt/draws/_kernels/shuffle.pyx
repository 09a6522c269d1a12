# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""The compiled draws and shuffle; `shuffle_plain` holds the same functions with descriptions."""

import numpy as np


def below_each(const long long[::1] bounds, const unsigned int[::1] words):
    cdef Py_ssize_t used = 0, done = 0
    values = np.empty(bounds.shape[0], dtype=np.int64)
    cdef long long[::1] drawn = values
    while done < bounds.shape[0]:
        drawn[done] = _below(bounds[done], words, &used)
        if drawn[done] < 0:
            break
        done += 1
    return values[:done], used


def permutations(sizes, const unsigned int[::1] words):
    cdef Py_ssize_t start = 0, used = 0, size, index
    cdef long long held, other
    result = np.empty(sum(sizes), dtype=np.int64)
    cdef long long[::1] shuffled = result
    for size in sizes:
        for index in range(size):
            shuffled[start + index] = index
        for index in range(size - 1, 0, -1):
            other = _below(index + 1, words, &used)
            if other < 0:
                return None, used
            held = shuffled[start + index]
            shuffled[start + index] = shuffled[start + other]
            shuffled[start + other] = held
        start += size
    return result, used


cdef inline long long _below(
    unsigned long long bound, const unsigned int[::1] words, Py_ssize_t* used
) noexcept:
    """Return the next draw below a bound of at most 2**32, or -1 where the words end."""
    cdef unsigned long long span = 1 << 32
    cdef unsigned int word
    while used[0] < words.shape[0]:
        word = words[used[0]]
        used[0] += 1
        # A division takes most of the time; the first comparison spares it for nearly every word.
        if word < span - bound or word < span - span % bound:
            return word if bound == span else word % <unsigned int> bound
    return -1
