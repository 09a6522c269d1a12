"""``sudokucrypt sudoku solve``: the solutions of puzzles, or how many there are."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import click

from sudokucrypt.cli.sudoku.forms import VariantOptions, read_puzzle, read_texts, variant_options
from sudokucrypt.errors import NoSolutionError
from sudokucrypt.sudoku import count_solutions, solutions, solve

if TYPE_CHECKING:
    from sudokucrypt.sudoku import SudokuPuzzle


@click.command("solve")
@click.argument("text", metavar="PUZZLE")
@variant_options
@click.option("--all", "every", is_flag=True, help="Print all solutions, not just the only one.")
@click.option("--count", is_flag=True, help="Print how many solutions there are.")
@click.option("--limit", metavar="N", type=click.IntRange(1), help="Stop after N solutions.")
def command(
    *,
    text: str,
    rules: VariantOptions,
    every: bool,
    count: bool,
    limit: int | None,
) -> None:
    """Solve PUZZLE, its line form, a file with one on each line, or - for stdin.

    Prints the solution in line form. A puzzle without or with several solutions is an error,
    unless --all, --limit or --count asks for what there is.
    """
    if count and every:
        raise click.UsageError("--count prints a number alone")
    for line in read_texts(text):
        puzzle = read_puzzle(line, rules)
        if count:
            click.echo(count_solutions(puzzle, limit))
            continue
        if every or limit:
            _print_solutions(puzzle, limit)
        else:
            click.echo(solve(puzzle).to_text())


def _print_solutions(puzzle: SudokuPuzzle, limit: int | None) -> None:
    found = False
    for solution in islice(solutions(puzzle), limit):
        click.echo(solution.to_text())
        found = True
    if not found:
        raise NoSolutionError("the puzzle has no solution")
