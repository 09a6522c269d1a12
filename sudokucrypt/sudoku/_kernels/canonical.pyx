# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, auto_pickle=False, infer_types=True
"""The compiled search for smallest images, of which `canonical_plain` is the text."""

include "../../kernels/names.pxi"
include "../../kernels/room.pxi"
include "canonical_plain.py"
