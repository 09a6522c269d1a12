# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, auto_pickle=False, infer_types=True
"""The compiled count of symmetric grids, of which `orbits_plain` is the text."""

include "../../kernels/names.pxi"
include "orbits_plain.py"
