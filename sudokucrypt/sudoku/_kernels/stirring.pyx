# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, auto_pickle=False, infer_types=True
"""The compiled stirring moves, from the source of `stirring_plain`."""

include "../../kernels/names.pxi"
include "stirring_plain.py"
