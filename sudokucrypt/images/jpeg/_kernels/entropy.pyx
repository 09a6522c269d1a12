# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""The entropy coder: the blocks of a scan, their tokens, and the bits of those.

A *token* is a symbol of a Huffman table with the bits that follow it, in 32 bits::

    table (4) | symbol (8) | 0 | how many bits follow (4) | these bits (15)

Tables 0 to 3 are for DC and 4 to 7 for AC. Table `RAW` is for bits without a symbol, and `END`
ends a restart interval. The loops are C code in `loops`, and run without the interpreter lock.
There is no fallback, since Python would take minutes for a photograph.
"""

import numpy as np

from libc.stdint cimport int16_t, int64_t, uint8_t, uint16_t, uint32_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

cdef extern from *:
    """
    #include <string.h>

    /* Bytes up to the next one of 255, and with it; all of them if there is none. */
    static ptrdiff_t find_run_end(const unsigned char *bytes, ptrdiff_t count) {
        const void *last = memchr(bytes, 0xFF, (size_t) count);
        return last ? (const unsigned char *) last - bytes + 1 : count;
    }
    """
    Py_ssize_t find_run_end(const uint8_t*, Py_ssize_t)

cdef extern from "loops/scan.h":
    ctypedef struct part:
        int16_t* blocks
        Py_ssize_t columns
        int down, across
        const uint16_t* lookups[2]
        uint32_t numbers[2]

    ctypedef struct scan:
        part parts[4]
        int count, kind, first, last, low
        Py_ssize_t rows, columns, interval
        int64_t longest
        int64_t* breaks
        Py_ssize_t listed
        uint32_t* tokens
        Py_ssize_t used, capacity

    ctypedef struct bit_writer:
        const uint32_t* codes
        const uint8_t* padding
        int64_t* ends
        uint8_t* target
        Py_ssize_t capacity, used
        bint lacking

    bint decode_scan(scan*, const uint8_t*, const int64_t*, Py_ssize_t, int64_t*) nogil
    bint write_scan(scan*, int64_t*, bit_writer*) nogil

# The number of bytes after the bits, which is more than the largest block takes.
MARGIN = 512


def unstuff(pieces):
    """Return the bits of restart intervals for `decode`, and the position where each ends in them.

    The zero after each byte of 255 is left out. None is returned if such a zero is missing.
    """
    bits = bytearray(sum(map(len, pieces)) + MARGIN)
    ends = np.empty(len(pieces), dtype=np.int64)
    cdef uint8_t[::1] bits_view = bits
    cdef uint8_t* target = &bits_view[0]
    cdef const uint8_t* coded
    cdef Py_ssize_t used = 0, taken, length, run
    for index, piece in enumerate(pieces):
        coded, length, taken = piece, len(piece), 0
        while taken < length:
            run = find_run_end(&coded[taken], length - taken)
            memcpy(&target[used], &coded[taken], run)
            used, taken = used + run, taken + run
            if target[used - 1] == 0xFF:
                if taken == length or coded[taken]:
                    return None
                taken += 1
        ends[index] = used
    return bits, ends


def decode(
    const uint8_t[::1] bits, const int64_t[::1] ends, planes, samplings, units,
    Py_ssize_t interval, band, lookups, int64_t longest,
):
    """Decode the blocks of a scan into the planes of its components.

    Return whether all bits were decoded, the bit after the last block of each interval, and the
    blocks at which the encoder unusually ended or continued a run.

    Parameters
    ----------
    bits, ends
        As `unstuff` returns them.
    planes : sequence of ndarray of shape (rows, columns, 64), dtype int16
        The blocks of each component in zigzag order, as previous scans left them.
    samplings : sequence of tuple
        For each component, the rows and columns of its blocks in a unit.
    units : tuple
        Rows and columns of units.
    interval : int
        The number of units of a restart interval.
    band : tuple
        Kind of the scan, first and last coefficient, and the number of missing bits.
    lookups : sequence of tuple
        For each component, the lookups of its tables for DC and AC.
    longest : int
        The number of blocks of the longest run of ends of block.
    """
    cdef scan* work = _prepare(planes, samplings, units, interval, band, longest)
    cdef Py_ssize_t intervals = ends.shape[0]
    cdef const uint16_t[::1] table
    cdef bint whole
    positions = np.zeros(intervals, dtype=np.int64)
    # Only blocks of runs are listed, and those that go on in one at most once.
    listed = np.empty(work.rows * work.columns if work.kind > 2 else 0, dtype=np.int64)
    cdef int64_t[::1] end_positions = positions, breaks = listed
    if breaks.shape[0]:
        work.breaks = &breaks[0]
    for index in range(work.count):
        for kind in range(2):
            table = lookups[index][kind]
            if table.shape[0]:
                work.parts[index].lookups[kind] = &table[0]
    with nogil:
        whole = decode_scan(work, &bits[0], &ends[0], intervals, &end_positions[0])
    listed = listed[: work.listed].copy()
    free(work)
    return whole, positions, listed


def count(
    planes, samplings, units, Py_ssize_t interval, band, numbers, int64_t longest, breaks
):
    """Return the number of occurrences of each symbol of each table in a scan, of shape (4096,).

    Parameters
    ----------
    planes, samplings, units, interval, band, longest
        As in `decode`; coefficients are in -16384..16383 for DC, -32767..32767 for AC.
    numbers : sequence of tuple
        For each component, the numbers of its tables for DC and AC.
    breaks : ndarray of shape (b,), dtype int64
        The blocks at which a run unusually ends or continues.
    """
    cdef int64_t[::1] counts = np.zeros(4096, dtype=np.int64)
    _write(planes, samplings, units, interval, band, numbers, longest, breaks, &counts[0], NULL)
    return np.asarray(counts)


def code(
    const uint32_t[::1] codes, const uint8_t[::1] padding,
    planes, samplings, units, Py_ssize_t interval, band, numbers, int64_t longest, breaks,
):
    """Return the coded bytes of a scan and the positions where its restart intervals end, or None.

    Parameters
    ----------
    codes : ndarray of shape (4096,), dtype uint32
        For each table and symbol, 32 times the code plus the number of its bits; 0 without a code.
        None is returned if the scan needs a symbol without a code.
    padding : bytes
        For each interval, its last byte with all data bits set to one.
    planes, samplings, units, interval, band, numbers, longest, breaks
        As in `count`.
    """
    cdef int64_t[::1] ends = np.empty(padding.shape[0], dtype=np.int64)
    cdef bit_writer out
    memset(&out, 0, sizeof(bit_writer))
    out.codes, out.padding, out.ends = &codes[0], &padding[0], &ends[0]
    try:
        _write(planes, samplings, units, interval, band, numbers, longest, breaks, NULL, &out)
        return None if out.lacking else ((<char*> out.target)[: out.used], np.asarray(ends))
    finally:
        free(out.target)


cdef _write(
    planes, samplings, units, Py_ssize_t interval, band, numbers, int64_t longest, breaks,
    int64_t* counts, bit_writer* out,
):
    cdef scan* work = _prepare(planes, samplings, units, interval, band, longest)
    cdef bint whole
    # The list ends with a block that does not exist.
    cdef int64_t[::1] listed = np.append(breaks, -1)
    work.breaks = &listed[0]
    for index, (dc, ac) in enumerate(numbers):
        work.parts[index].numbers[0] = <uint32_t> dc << 28
        work.parts[index].numbers[1] = <uint32_t> (4 + ac) << 28
    with nogil:
        whole = write_scan(work, counts, out)
        free(work.tokens)
        free(work)
    if not whole:
        raise MemoryError


cdef scan* _prepare(planes, samplings, units, Py_ssize_t interval, band, longest) except NULL:
    cdef scan* work
    cdef const int16_t[:, :, ::1] blocks
    cdef Py_ssize_t rows, columns
    kind, first, last, low = band
    rows, columns = units
    if not (0 <= kind <= 4 and 0 <= first <= last < 64 and 0 <= low < 16 and len(planes) <= 4):
        raise IndexError("the scan has components or coefficients that do not exist")
    for blocks, (down, across) in zip(planes, samplings):
        if rows * down > blocks.shape[0] or columns * across > blocks.shape[1]:
            raise IndexError("the scan has blocks that do not exist")
    work = <scan*> calloc(1, sizeof(scan))
    if work == NULL:
        raise MemoryError
    work.count = len(planes)
    work.rows, work.columns = rows, columns
    work.interval, work.longest = interval, longest
    work.kind, work.first, work.last, work.low = kind, first, last, low
    for index, plane in enumerate(planes):
        blocks = plane
        work.parts[index].blocks = <int16_t*> &blocks[0, 0, 0]
        work.parts[index].columns = blocks.shape[1]
        work.parts[index].down, work.parts[index].across = samplings[index]
    return work
