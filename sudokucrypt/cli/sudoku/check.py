"""``sudokucrypt sudoku check``: tell whether something is a grid, or a puzzle with one solution."""

from __future__ import annotations

import click

from sudokucrypt.cli.sudoku.options import SheetCommand, VariantOptions, variant_options
from sudokucrypt.cli.sudoku.texts import grid_argument, read_puzzles
from sudokucrypt.errors import MultipleSolutionsError, NoSolutionError
from sudokucrypt.sudoku import count_solutions


@click.command("check", cls=SheetCommand)
@grid_argument
@variant_options
def command(*, text: str, rules: VariantOptions) -> None:
    """Check GRID, its line form, a file, or - for stdin.

    A full grid must obey every rule, and a puzzle must have exactly one solution.
    """
    for written in read_puzzles(text, rules):
        puzzle = written.puzzle()
        open_cells = len(puzzle.givens) - puzzle.number_of_givens
        if not open_cells:
            click.echo(f"valid: a full grid of {puzzle.variant.name}")
            continue
        count = count_solutions(puzzle, limit=2)
        if count == 0:
            raise NoSolutionError("no rule is broken yet, but the puzzle has no solution")
        if count > 1:
            raise MultipleSolutionsError("no rule is broken, but there are several solutions")
        click.echo(f"valid: a puzzle of {puzzle.variant.name} with one solution")
