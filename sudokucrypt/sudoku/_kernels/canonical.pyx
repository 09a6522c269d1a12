# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""The compiled kernel; `canonical_plain` holds the same function with its description."""

from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

ctypedef unsigned char byte


def smallest(
    const byte[:, ::1] cells, Py_ssize_t box_rows,
    const byte[:, ::1] heads, const byte[:, ::1] columns, byte[:, ::1] best,
):
    cdef Py_ssize_t n = cells.shape[0], i, j, head = 0, order = 0
    cdef long long found = 0
    cdef int compared
    cdef byte* image = <byte*> malloc(n * n + 3 * n)
    if image == NULL:
        raise MemoryError
    with nogil:
        for i in range(heads.shape[0]):
            for j in range(columns.shape[0]):
                compared = _compare(
                    &cells[0, 0], n, box_rows, &heads[i, 0], &columns[j, 0], found > 0,
                    &best[0, 0], image,
                )
                if compared < 0:
                    memcpy(&best[0, 0], image, n * n)
                    head, order, found = i, j, 1
                elif compared == 0:
                    found += 1
    free(image)
    return head, order, found


cdef int _compare(
    const byte* cells, Py_ssize_t n, Py_ssize_t p, const byte* head, const byte* columns,
    bint known, const byte* best, byte* image,
) noexcept nogil:
    """Compare the image with the best, known to exist or not; write it unless it is larger."""
    cdef byte* label = image + n * n
    cdef byte* firsts = label + n
    cdef byte* rows = firsts + n
    cdef const byte* row
    cdef Py_ssize_t i, j, k, band
    cdef int compared = 0 if known else -1
    cdef byte value
    row = cells + head[0] * n
    for j in range(n):
        label[row[columns[j]]] = <byte> j
        image[j] = <byte> j
    for i in range(1, p):
        compared = _line(cells + head[i] * n, n, label, columns, best + i * n, image + i * n,
                         compared)
        if compared > 0:
            return compared
    # The other rows by their first digits, which all differ: inside bands, then the bands.
    k = p
    for band in range(n // p):
        if band == head[0] // p:
            continue
        for i in range(p):
            value = label[cells[(band * p + i) * n + columns[0]]]
            j = k + i
            while j > k and firsts[j - 1] > value:
                firsts[j], rows[j] = firsts[j - 1], rows[j - 1]
                j -= 1
            firsts[j], rows[j] = value, <byte> (band * p + i)
        j = k
        while j > p and firsts[j - p] > firsts[j]:
            for i in range(j, j + p):
                firsts[i - p], firsts[i] = firsts[i], firsts[i - p]
                rows[i - p], rows[i] = rows[i], rows[i - p]
            j -= p
        k += p
    for i in range(p, n):
        compared = _line(cells + rows[i] * n, n, label, columns, best + i * n, image + i * n,
                         compared)
        if compared > 0:
            return compared
    return compared


cdef inline int _line(
    const byte* row, Py_ssize_t n, const byte* label, const byte* columns,
    const byte* best, byte* line, int compared,
) noexcept nogil:
    """Write one line of the image, up to where it turns out larger than the best."""
    cdef Py_ssize_t j
    for j in range(n):
        line[j] = label[row[columns[j]]]
        if compared == 0 and line[j] != best[j]:
            compared = -1 if line[j] < best[j] else 1
            if compared > 0:
                break
    return compared
