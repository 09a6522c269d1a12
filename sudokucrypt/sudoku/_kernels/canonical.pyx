# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, auto_pickle=False, infer_types=True
"""The compiled search for smallest images, from the source of `canonical_plain`."""

include "../../kernels/names.pxi"
include "../../kernels/room.pxi"
include "canonical_plain.py"
