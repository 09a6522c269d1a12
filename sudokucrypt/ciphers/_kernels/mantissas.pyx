# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""The compiled mask of coefficients; `mantissas_plain` holds the same function with description."""

from libc.string cimport memcpy

cdef enum:
    SIDE = 64  # coefficients of a block


def mask(const short[:, ::1] source, short[:, ::1] target, const unsigned short[:, ::1] words):
    cdef Py_ssize_t row, column
    cdef short value, negative, ones, bits
    # A copy of the block: compilers turn the loop into vectors of 8 only where its length is known
    # and nothing that it writes is what it reads, as is so where `target` is `source`.
    cdef short block[SIDE]
    cdef unsigned short stream[SIDE]
    if not (source.shape[1] == target.shape[1] == words.shape[1] == SIDE):
        raise ValueError("blocks have 64 coefficients")
    with nogil:
        for row in range(source.shape[0]):
            memcpy(block, &source[row, 0], sizeof(block))
            memcpy(stream, &words[row, 0], sizeof(stream))
            for column in range(SIDE):
                value = block[column]
                negative = value >> 15  # all ones, or none
                ones = (value ^ negative) - negative
                ones |= ones >> 1
                ones |= ones >> 2
                ones |= ones >> 4
                ones |= ones >> 8
                bits = <short> (value + (negative & ones)) ^ <short> (stream[column] & ones)
                block[column] = bits - (ones if bits <= ones >> 1 else 0)
            memcpy(&target[row, 1], &block[1], sizeof(block) - sizeof(block[0]))
