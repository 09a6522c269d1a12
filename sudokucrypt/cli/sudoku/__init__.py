"""``sudokucrypt sudoku``: the Sudoku engine on the command line, one small module per command."""

from sudokucrypt.cli.sudoku.group import command

__all__ = ["command"]
