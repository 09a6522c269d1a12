# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, auto_pickle=False, infer_types=True
"""The compiled techniques of solving by hand; `deducing_plain` and its parts are the text.

Variables have the types of C that follow from what they are given, so that none is declared.
"""

include "../../kernels/names.pxi"

cdef enum:
    NAKED, HIDDEN, DIRECT, FISH, FINNED, BENT, BESIDE

cdef enum:
    LOOK_SIZE = 6
    MOST_WORDS = 12
    MOST_NEXT = 32
    MEASURED = 16
    MANY = 350
    WRONG = 0x100000

include "deduction/board.py"
include "deduction/houses.py"
include "deduction/fish.py"
include "deduction/wings.py"
include "deduction/unique.py"
include "deduction/strong.py"
include "deduction/graph.py"
include "deduction/chains.py"
include "deduction/nets.py"
include "deduction/patterns.py"
include "deduction/reasons.py"
include "deduction/forcing.py"
include "deducing_plain.py"
