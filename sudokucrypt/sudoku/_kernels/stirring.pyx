# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, auto_pickle=False, infer_types=True
"""The compiled stirring moves, of which `stirring_plain` is the text."""

include "../../kernels/names.pxi"
include "stirring_plain.py"
