# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, auto_pickle=False, infer_types=True
"""The compiled techniques of solving by hand, from the source of `deducing_plain` and its parts.

Cython infers the C types of local variables, so none is declared.
"""

include "../../kernels/names.pxi"

cdef enum:
    NAKED_SUBSET, HIDDEN_SUBSET, DIRECT_SUBSET, FISH, FINNED_FISH, WING, EXTRA_SUBSET

cdef enum:
    TECHNIQUE_ROW_SIZE = 6
    MAX_NODE_WORDS = 12
    MAX_NEXT_LINKS = 32
    MAX_PROPOSALS = 16
    MAX_FULL_SEARCH_NODES = 350
    SUPPOSED_WRONG = 0x100000

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
