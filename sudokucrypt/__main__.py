"""``python -m sudokucrypt`` is the command ``sudokucrypt``."""

from sudokucrypt.cli.main import main

main()
