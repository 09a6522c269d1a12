"""What the names in the parts of `deducing` mean where they run as plain Python.

The kernel includes the very files of this package, so that there is one text of each technique.
"""

from sudokucrypt.kernels.names import *

# How many numbers say how to look for a technique: family, rating and four arguments.
LOOK_SIZE = 6
# Kinds of pattern that `grow` searches for.
NAKED, HIDDEN, DIRECT, FISH, FINNED, BENT, BESIDE = range(7)
# The nodes that are considered, in words of 64: chains go through all of them in turn.
MOST_WORDS = 12
# How many strong links that can follow one are considered.
MOST_NEXT = 32
# How many reasons that promise to be short are measured.
MEASURED = 16
# Among more candidates, which 9x9 hardly has, the first net that fails will do.
MANY = 350
# Stands beside the number of cells of a link that is supposed wrong.
WRONG = 1 << 20
