# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, auto_pickle=False, infer_types=True
"""The compiled techniques of solving by hand; `deducing_plain` and its parts are the text.

Variables have the types of C that follow from what they are given, so that none is declared.
"""

from array import array

cimport cython
from cython cimport cclass, cfunc, exceptval, final, int as Int
from libc.stdint cimport int32_t, uint8_t, uint64_t

ctypedef object Any
ctypedef uint64_t Bits
ctypedef uint8_t[::1] Bytes
ctypedef int32_t[::1] Ints
ctypedef uint64_t[::1] Words

cdef extern from "bits.h":
    int lowest_bit(unsigned long long bits) nogil
    int count_bits(unsigned long long bits) nogil

cdef enum:
    NAKED, HIDDEN, FISH, FINNED, BENT, BESIDE
    MOST_WORDS = 12
    MOST_NEXT = 32
    MEASURED = 16
    MANY = 350
    WRONG = 0x100000
cdef Bits ONE = 1
cdef Bits EVERY = 0xFFFFFFFFFFFFFFFF

include "deduction/board.py"
include "deduction/houses.py"
include "deduction/fish.py"
include "deduction/wings.py"
include "deduction/unique.py"
include "deduction/strong.py"
include "deduction/graph.py"
include "deduction/chains.py"
include "deduction/nets.py"
include "deduction/patterns.py"
include "deduction/reasons.py"
include "deduction/forcing.py"
include "deducing_plain.py"
