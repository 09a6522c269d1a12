"""``sudokucrypt sudoku``: the Sudoku engine on the command line."""

import click

from sudokucrypt.cli.extensions import LazyGroup

_COMMANDS = {
    "making:generate": "Make full grids, by any method.",
    "making:puzzle": "Make puzzles with one solution.",
    "book": "Make a book of puzzles for the printer.",
    "solving:solve": "Solve puzzles, or count their solutions.",
    "solving:check": "Check a grid or a puzzle.",
    "numbers:canonical": "Print the canonical form of a grid or puzzle.",
    "numbers:count": "Count all grids of a shape.",
    "numbers:rank": "Print the number of a grid among all grids.",
    "numbers:unrank": "Print the grid with a number.",
}


@click.group("sudoku", cls=LazyGroup, package="sudokucrypt.cli.sudoku", help_lines=_COMMANDS)
def command() -> None:
    """Make, solve, count and number Sudoku grids and puzzles.

    Grids are written in line form: a symbol for each cell in reading order, 1 to 9, then A to Z
    for higher digits, and . or 0 for an empty cell; for orders above 35, numbers and spaces.
    """
