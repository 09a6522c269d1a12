"""The types, decorators and constants of this package where it runs as plain Python.

The compiled kernel includes the files of this package, so each technique is written only once.
"""

from sudokucrypt.kernels.names import *

# The length of a row of `Deduction.technique_table`: family, rating and four arguments.
TECHNIQUE_ROW_SIZE = 6
# Kinds of patterns that `choose_sets` searches for.
NAKED, HIDDEN, DIRECT, FISH, FINNED, WING, WITH_EXTRA_CELLS = range(7)
# The largest number of nodes, in words of 64, since chains start from each node in turn.
MAX_NODE_WORDS = 12
# The largest number of strong links that are stored as followers of one link.
MAX_NEXT_LINKS = 32
# The number of conclusions, those with the smallest estimates, that are measured exactly.
MAX_PROPOSALS = 16
# With more candidates than this, which 9x9 hardly has, the first refuted start is concluded.
MANY_NODES = 350
# The flag, added to the number of cells of a link, of a candidate that is supposed wrong.
SUPPOSED_WRONG = 1 << 20
