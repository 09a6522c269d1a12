"""``python -m sudokucrypt`` is the command ``sudokucrypt``."""

import os
import sys

# Python puts the current folder first in `sys.path`. It is removed, since a module in that folder
# may come from someone else.
if sys.path and sys.path[0] in ("", os.getcwd()):  # noqa: PTH109 - pathlib is slow to import
    del sys.path[0]

from sudokucrypt.cli.main import main

main()
