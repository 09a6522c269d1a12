"""``python -m sudokucrypt`` is the command ``sudokucrypt``."""

import os
import sys

# Python puts the current folder first here, which may hold a module that someone sent.
if sys.path and sys.path[0] in ("", os.getcwd()):  # noqa: PTH109 - pathlib is slow to import
    del sys.path[0]

from sudokucrypt.cli.main import main

main()
