# The definitions of the names of `names.py` for compiled kernels.

from array import array

cimport cython
from cython cimport cast, cclass, cfunc, exceptval, final, inline, int as Int, void as Void
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

ctypedef object Any
ctypedef int64_t Long
ctypedef uint32_t Mask
ctypedef uint64_t Bits

ctypedef uint8_t[::1] Bytes
ctypedef uint16_t[::1] Shorts
ctypedef int32_t[::1] Ints
ctypedef uint64_t[::1] Words
ctypedef uint32_t[::1] Masks
ctypedef int64_t[::1] Longs
ctypedef const uint8_t[::1] GivenBytes
ctypedef const uint16_t[::1] GivenShorts
ctypedef const int32_t[::1] GivenInts
ctypedef const uint32_t[::1] GivenMasks
ctypedef const uint64_t[::1] GivenWords
ctypedef const int64_t[::1] GivenLongs
ctypedef const uint8_t[:, ::1] ByteTable
ctypedef const uint16_t[:, ::1] ShortTable
ctypedef const uint16_t[:, :, ::1] ShortCube
ctypedef const uint16_t[:, :, :, ::1] ShortTesseract
ctypedef const uint64_t[:, ::1] WordTable
ctypedef const int64_t[:, ::1] LongTable

cdef extern from "bits.h":
    int lowest_bit(unsigned long long bits) nogil
    int highest_bit(unsigned long long bits) nogil
    int count_bits(unsigned long long bits) nogil

cdef Bits ONE = 1
cdef Bits EVERY = 0xFFFFFFFFFFFFFFFF

cdef inline object to_list(object values):
    return values

cdef inline object view(object values):
    return values

cdef inline object octets(Py_ssize_t count):
    return bytearray(count)

cdef inline object shorts(Py_ssize_t count):
    return array("H", [0]) * count

cdef inline object ints(Py_ssize_t count, int value=0):
    return array("i", [value]) * count

cdef inline object words(Py_ssize_t count, uint64_t value=0):
    return array("Q", [value]) * count
