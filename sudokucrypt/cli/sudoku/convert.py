"""``sudokucrypt sudoku convert``: puzzles in the formats of other programs."""

from itertools import islice
from pathlib import Path

import click
import numpy as np

from sudokucrypt.cli.extensions import option
from sudokucrypt.cli.options import PATH
from sudokucrypt.cli.sudoku.sheet_options import SheetCommand, VariantOptions, variant_options
from sudokucrypt.cli.sudoku.texts import PuzzleSource, grid_argument, read_puzzles
from sudokucrypt.storage import require_free, write_atomically
from sudokucrypt.sudoku import SudokuPuzzle, deductions
from sudokucrypt.sudoku.formats import PUZZLE_FORMATS, StoredPuzzle, masks_of

_WRITTEN = [name for name, form in PUZZLE_FORMATS.items() if form.write]


@click.command("convert", cls=SheetCommand)
@grid_argument
@variant_options
@option("--to FORMAT", "What is written.", type=click.Choice(_WRITTEN), required=True)
@option(
    "--steps N",
    "First take N steps of the solution by hand; formats with pencil marks show the rest.",
    type=click.IntRange(0),
    default=0,
)
@option("-o, --output OUT", "File that is written; by default it is printed.", type=PATH)
@option("--force", "Replace existing output.")
def command(
    *, text: str, rules: VariantOptions, to: str, steps: int, output: Path | None, force: bool
) -> None:
    """Write puzzles in the format of another program.

    GRID is a puzzle in line form, a link, a file in any format that is read, or - for stdin.
    """
    form = PUZZLE_FORMATS[to]
    if output and not force:
        require_free(output)
    puzzles = [_state(source, steps) for source in read_puzzles(text, rules)]
    if form.single and len(puzzles) > 1:
        raise click.UsageError(f"{form.title} holds one puzzle, not {len(puzzles)}")
    written = form.write(puzzles) if form.write else ""
    if output:
        write_atomically({output: [written.encode()]}, replace=force)
    else:
        click.echo(written, nl=False)


def _state(source: PuzzleSource, steps: int) -> StoredPuzzle:
    """Return a puzzle after some steps."""
    stored = source.stored or StoredPuzzle(source.puzzle())
    if not steps:
        return stored
    digits, masks = stored.puzzle.givens.copy(), [*masks_of(stored)]
    for step in islice(deductions(stored.puzzle, stored.candidates), steps):
        if step.placed:
            cell, digit = step.placed
            digits[cell] = digit
            masks[cell] = 1 << digit
        for other, gone in step.struck:
            masks[other] &= ~(1 << gone)
    puzzle = SudokuPuzzle(np.array(digits), stored.puzzle.variant, first=0, empty=-1)
    return stored._replace(puzzle=puzzle, candidates=tuple(masks))
