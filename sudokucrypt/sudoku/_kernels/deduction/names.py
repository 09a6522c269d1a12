"""The types, decorators and constants of this package where it runs as plain Python.

The compiled kernel includes the files of this package, so each technique is written only once.
"""

from sudokucrypt.kernels.names import *

# The length of a row of `Deduction.technique_table`: family, rating and four arguments.
TECHNIQUE_ROW_SIZE = 6
# Kinds of patterns that `choose_sets` searches for.
NAKED_SUBSET, HIDDEN_SUBSET, DIRECT_SUBSET, FISH, FINNED_FISH, WING, EXTRA_SUBSET = range(7)
# The maximum size of a set of nodes in 64-bit words, with one bit for each node. It is limited,
# since the search starts chains at every node.
MAX_NODE_WORDS = 12
# The largest number of strong links that are stored as followers of one link.
MAX_NEXT_LINKS = 32
# The number of conclusions, the smallest by estimate, whose exact size is computed.
MAX_PROPOSALS = 16
# Above this number of candidates, rare in 9x9, the search stops at the first refuted start.
MAX_FULL_SEARCH_NODES = 350
# A flag, added to a link's number of cells if its candidate is supposed to be wrong.
SUPPOSED_WRONG = 1 << 20
