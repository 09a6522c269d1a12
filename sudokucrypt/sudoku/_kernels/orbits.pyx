# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, auto_pickle=False, infer_types=True
"""The compiled count of symmetric grids, from the source of `orbits_plain`."""

include "../../kernels/names.pxi"
include "orbits_plain.py"
