"""``sudokucrypt sudoku solve`` and ``check``: what puzzles have, and whether they are ones."""

from collections.abc import Iterator
from itertools import islice

import click

from sudokucrypt import sudoku
from sudokucrypt.cli.sudoku.options import SheetCommand, VariantOptions, variant_options
from sudokucrypt.cli.sudoku.output import OutputOptions, Record, output_options, sheet_fields
from sudokucrypt.cli.sudoku.texts import grid_argument, read_puzzles
from sudokucrypt.errors import MultipleSolutionsError, NoSolutionError
from sudokucrypt.sudoku import SudokuPuzzle


@click.command(cls=SheetCommand)
@click.argument("text", metavar="PUZZLE")
@variant_options
@click.option("--all", "every", is_flag=True, help="Print all solutions, not just the only one.")
@click.option("--count", is_flag=True, help="Print how many solutions there are.")
@click.option("--limit", metavar="N", type=click.IntRange(1), help="Stop after N solutions.")
@click.option(
    "--trace", is_flag=True, help="Before the solution, print each step that leads to it."
)
@output_options
def solve(
    *,
    text: str,
    rules: VariantOptions,
    every: bool,
    count: bool,
    limit: int | None,
    trace: bool,
    output: OutputOptions,
) -> None:
    """Solve PUZZLE: its line form, a file of lines or JSON, or - for stdin.

    Prints the solution in line form. A puzzle without or with several solutions is an error,
    unless --all, --limit or --count asks for what there is.
    """
    if count and (every or trace or output.given):
        raise click.UsageError("--count prints a number alone")
    if trace and (every or limit):
        raise click.UsageError("--trace is for the only solution; leave out --all and --limit")
    form = "line" if count else output.form("line")
    if trace and form in ("png", "svg"):
        raise click.UsageError("a picture has no room for --trace")
    puzzles = read_puzzles(text, rules)
    if count:
        for written in puzzles:
            click.echo(sudoku.count_solutions(written.puzzle(), limit))
        return
    output.check_free(1)

    def records() -> Iterator[Record]:
        for number, written in enumerate(puzzles, 1):
            puzzle = written.puzzle()
            steps = tuple(sudoku.deductions(puzzle)) if trace else ()
            for solution in _solutions(puzzle, limit) if every or limit else [sudoku.solve(puzzle)]:
                fields = {
                    **sheet_fields(written.rules, puzzle),
                    "givens": puzzle.to_text(),
                    "solution": solution.to_text(),
                    "number": number,
                }
                yield Record(
                    shown=(solution,),
                    fields=fields,
                    steps=steps,
                    givens=puzzle,
                    caption=str(number),
                )

    output.write(records(), form)


def _solutions(puzzle: SudokuPuzzle, limit: int | None) -> Iterator[SudokuPuzzle]:
    """Yield what there is, and complain if that is nothing."""
    found = False
    for solution in islice(sudoku.solutions(puzzle), limit):
        yield solution
        found = True
    if not found:
        raise NoSolutionError("the puzzle has no solution")


@click.command(cls=SheetCommand)
@grid_argument
@variant_options
def check(*, text: str, rules: VariantOptions) -> None:
    """Check GRID, its line form, a file, or - for stdin.

    A full grid must obey every rule, and a puzzle must have exactly one solution.
    """
    for written in read_puzzles(text, rules):
        puzzle = written.puzzle()
        open_cells = len(puzzle.givens) - puzzle.number_of_givens
        if not open_cells:
            click.echo(f"valid: a full grid of {puzzle.variant.name}")
            continue
        count = sudoku.count_solutions(puzzle, limit=2)
        if count == 0:
            raise NoSolutionError("no rule is broken yet, but the puzzle has no solution")
        if count > 1:
            raise MultipleSolutionsError("no rule is broken, but there are several solutions")
        click.echo(f"valid: a puzzle of {puzzle.variant.name} with one solution")
