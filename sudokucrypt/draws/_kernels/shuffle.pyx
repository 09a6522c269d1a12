# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, auto_pickle=False, infer_types=True
"""The compiled draws and shuffle, of which `shuffle_plain` is the text."""

include "../../kernels/names.pxi"
include "shuffle_plain.py"
