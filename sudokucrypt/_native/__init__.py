"""The inner loops: compiled kernels where they could be built, else their plain twins.

Both give the same bytes; tests run them against each other. The environment variable
SUDOKUCRYPT_PLAIN chooses the twins even where the kernels are there.
"""

import os

try:
    if os.environ.get("SUDOKUCRYPT_PLAIN"):
        raise ImportError
    from sudokucrypt._native import kernels as active

    COMPILED = True
except ImportError:
    from sudokucrypt._native import plain as active  # type: ignore[no-redef]

    COMPILED = False

shuffle = active.shuffle
move_rows = active.move_rows
move_columns = active.move_columns
spread_bands = active.spread_bands
collect_bands = active.collect_bands

__all__ = [
    "COMPILED",
    "collect_bands",
    "move_columns",
    "move_rows",
    "shuffle",
    "spread_bands",
]
