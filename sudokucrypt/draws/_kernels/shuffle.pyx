# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, auto_pickle=False, infer_types=True
"""The compiled draws and shuffle, from the source of `shuffle_plain`."""

include "../../kernels/names.pxi"
include "shuffle_plain.py"
