# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, auto_pickle=False, infer_types=True
"""The compiled general search, from the source of `search_plain`."""

include "../../kernels/names.pxi"
include "../../kernels/room.pxi"
include "search_plain.py"
