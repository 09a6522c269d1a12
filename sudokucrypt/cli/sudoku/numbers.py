"""``sudokucrypt sudoku canonical``, ``count``, ``rank`` and ``unrank``: grids as numbers."""

import json

import click

from sudokucrypt import sudoku
from sudokucrypt.cli.extensions import option
from sudokucrypt.cli.messages import progress_bar
from sudokucrypt.cli.sudoku.failures import Failures
from sudokucrypt.cli.sudoku.options import SheetCommand, VariantOptions, box_option, variant_options
from sudokucrypt.cli.sudoku.texts import grid_argument, read_grid, read_puzzles
from sudokucrypt.typing import Box


@click.command()
@grid_argument
@box_option
@option("--json", "Print the number of automorphisms too.", name="as_json")
def canonical(*, text: str, box: Box | None, as_json: bool) -> None:
    """Print the canonical form of GRID: the first of all equivalent grids or puzzles.

    GRID is a full grid or a puzzle: its line form, a file, or - for stdin. Each grid of a file is
    printed in its canonical form.
    """
    puzzles = read_puzzles(text, VariantOptions(box=box))
    failures = Failures(puzzles)
    for written in puzzles:
        with failures.of(written):
            line, automorphisms = _canonical(written.puzzle())
            if as_json:
                line = json.dumps({"canonical": line, "automorphisms": automorphisms})
            click.echo(line)
    failures.end()


def _canonical(puzzle: sudoku.SudokuPuzzle) -> tuple[str, int]:
    """Return the canonical form as text, and how many automorphisms it has."""
    if puzzle.number_of_givens < len(puzzle.givens):
        found = sudoku.canonical_puzzle(puzzle)
        return found.puzzle.to_text(), found.automorphisms
    form = sudoku.canonical_form(puzzle)
    return form.grid.to_text(), form.automorphisms


@click.command(cls=SheetCommand)
@variant_options
@option("--classes", "Count essentially different grids: equivalent ones count once.")
@option("--json", "Print JSON.", name="as_json")
def count(*, rules: VariantOptions, classes: bool, as_json: bool) -> None:
    """Count all grids with boxes of a shape, by computation."""
    counted = rules.kind.count_classes if classes else rules.kind.count_sheets
    with progress_bar("counting") as advance:
        number = counted(rules.shape, progress=advance)
    if as_json:
        box = {} if rules.fields() else {"box": list(rules.shape)}
        fields = {
            "variant": rules.kind.name,
            **box,
            **rules.fields(),
            "classes" if classes else "count": number,
        }
        click.echo(json.dumps(fields))
    else:
        click.echo(number)


@click.command()
@grid_argument
@box_option
def rank(*, text: str, box: Box | None) -> None:
    """Print the number of GRID among all grids, counting from 0; 'unrank' reverses this."""
    click.echo(sudoku.rank(read_grid(text, box)))


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("number", metavar="K", type=int)
@box_option
def unrank(*, number: int, box: Box | None) -> None:
    """Print the grid number K, counting from 0, in line form."""
    click.echo(sudoku.unrank(number, box or (3, 3)).to_text())
