# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""The compiled mask of coefficients; `mantissas_plain` holds the same function with description."""


def mask(const short[:, ::1] source, short[:, ::1] target, const unsigned short[:, ::1] words):
    cdef Py_ssize_t row, column
    cdef int value, ones, bits
    with nogil:
        for row in range(source.shape[0]):
            for column in range(1, source.shape[1]):
                value = source[row, column]
                if value:
                    ones = value if value > 0 else -value
                    ones |= ones >> 1
                    ones |= ones >> 2
                    ones |= ones >> 4
                    ones |= ones >> 8
                    bits = (value if value > 0 else value + ones) ^ (words[row, column] & ones)
                    value = bits if bits > ones >> 1 else bits - ones
                target[row, column] = <short> value
