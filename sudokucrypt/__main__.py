"""``python -m sudokucrypt`` is the command ``sudokucrypt``."""

import sys
from pathlib import Path

# Python puts the current folder first here, which may hold a module that someone sent.
if sys.path and sys.path[0] in ("", str(Path.cwd())):
    del sys.path[0]

from sudokucrypt.cli.main import main

main()
