"""``sudokucrypt sudoku convert``: puzzles in the formats of other programs."""

from itertools import islice
from pathlib import Path

import click
import numpy as np

from sudokucrypt.cli.extensions import option
from sudokucrypt.cli.options import PATH
from sudokucrypt.cli.sudoku.puzzle_texts import PuzzleText, grid_argument, read_puzzles
from sudokucrypt.cli.sudoku.sheet_options import SheetCommand, VariantOptions, variant_options
from sudokucrypt.storage import require_free, write_atomically
from sudokucrypt.sudoku import SudokuPuzzle, deductions
from sudokucrypt.sudoku.formats import PUZZLE_FORMATS, PuzzleFormat, StoredPuzzle, masks_of

_PAGE = "html"  # which people play on, and no program reads
_WRITTEN = [*(name for name, form in PUZZLE_FORMATS.items() if form.write), _PAGE]
_LONGEST_CAPTION = 60  # characters


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
    """Write puzzles in the format of another program, or as an HTML page to play on.

    GRID is a puzzle in line form, a link, a file in any format that is read, or - for stdin.
    """
    if output and not force:
        require_free(output)
    puzzles = [_state(source, steps) for source in read_puzzles(text, rules)]
    written = _page(puzzles) if to == _PAGE else _written(PUZZLE_FORMATS[to], puzzles)
    if output:
        write_atomically({output: [written.encode()]}, replace=force)
    else:
        click.echo(written, nl=False)


def _written(form: PuzzleFormat, puzzles: list[StoredPuzzle]) -> str:
    if form.single and len(puzzles) > 1:
        raise click.UsageError(f"{form.title} holds one puzzle, not {len(puzzles)}")
    return form.write(puzzles) if form.write else ""


def _page(puzzles: list[StoredPuzzle]) -> str:
    """Return a page to play on, with titles and authors as captions, and rules in words."""
    from sudokucrypt.page.playing import play_page

    captions = [_caption(stored) or f"Puzzle {number}" for number, stored in enumerate(puzzles, 1)]
    return play_page(
        [stored.puzzle for stored in puzzles],
        captions=captions,
        words=[stored.rules for stored in puzzles],
    ).decode()


def _caption(stored: StoredPuzzle) -> str:
    words = " by ".join(filter(None, (stored.title, stored.author)))
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in words).split())
    return line if len(line) <= _LONGEST_CAPTION else f"{line[: _LONGEST_CAPTION - 3]}..."


def _state(source: PuzzleText, steps: int) -> StoredPuzzle:
    """Return a puzzle after some steps."""
    stored = source.whole()
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
