# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""The compiled kernel; `factorizations_plain` holds the same function with its description."""

from libc.stdlib cimport free, malloc

ctypedef unsigned long long mask


def count_triples(const mask[::1] first, const mask[::1] second, const mask[::1] third):
    cdef Py_ssize_t i, j, k, seconds, thirds
    cdef long long found = 0
    cdef int here
    cdef mask* left = <mask*> malloc((second.shape[0] + third.shape[0] + 1) * sizeof(mask))
    cdef mask* right = left + second.shape[0]
    if left == NULL:
        raise MemoryError
    with nogil:
        for i in range(first.shape[0]):
            seconds = _keep(second, first[i], left)
            thirds = _keep(third, first[i], right)
            for j in range(seconds):
                here = 0
                for k in range(thirds):
                    here += (left[j] & right[k]) == 0
                found += here
    free(left)
    return found


cdef inline Py_ssize_t _keep(const mask[::1] masks, mask taken, mask* kept) noexcept nogil:
    """Copy the masks without a bit of `taken`, and return their number."""
    cdef Py_ssize_t i, count = 0
    for i in range(masks.shape[0]):
        kept[count] = masks[i]
        count += (masks[i] & taken) == 0
    return count
