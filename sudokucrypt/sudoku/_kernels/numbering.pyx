# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, auto_pickle=False, infer_types=True
"""The compiled numbering of grids, from the source of `numbering_plain`."""

include "../../kernels/names.pxi"
include "../../kernels/room.pxi"

cdef enum:
    MATE_COUNT = 56

include "numbering_plain.py"
