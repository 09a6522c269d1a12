"""``sudokucrypt sudoku``: the Sudoku engine on the command line."""

import click

from sudokucrypt.cli.extensions import LazyGroup

_COMMAND_SUMMARIES = {
    "generating:generate_command": "Make full grids, by any method.",
    "generating:puzzle_command": "Make puzzles with one solution.",
    "book": "Make a book of puzzles for the printer.",
    "solving:solve_command": "Solve puzzles, or count their solutions.",
    "solving:check_command": "Check a grid or a puzzle.",
    "convert": "Write puzzles in the format of another program.",
    "hand_solving:rate_command": "Print how hard puzzles are.",
    "audit": "Check a collection of puzzles.",
    "dataset": "Make a collection of puzzles, rated and split.",
    "grid_numbers:canonical_command": "Print the canonical form of a grid or puzzle.",
    "grid_numbers:count_command": "Count all grids of a shape.",
    "grid_numbers:rank_command": "Print the number of a grid among all grids.",
    "grid_numbers:unrank_command": "Print the grid with a number.",
}


@click.group(
    "sudoku",
    cls=LazyGroup,
    package="sudokucrypt.cli.sudoku",
    sections={"Commands": _COMMAND_SUMMARIES},
)
def command() -> None:
    """Make, solve, count and number Sudoku grids and puzzles.

    Grids are written in line form: a symbol for each cell in reading order, 1 to 9, then A to Z
    for higher digits, and . or 0 for an empty cell; for orders above 35, numbers and spaces.
    """
