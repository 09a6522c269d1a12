"""``sudokucrypt sudoku convert``: puzzles in the formats of other programs."""

import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import click

from sudokucrypt.cli.extensions import option
from sudokucrypt.cli.options import PATH
from sudokucrypt.cli.sudoku.puzzle_texts import PuzzleText, grid_argument, read_puzzles
from sudokucrypt.cli.sudoku.sheet_options import SheetCommand, VariantOptions, variant_options
from sudokucrypt.storage import require_free, write_atomically
from sudokucrypt.sudoku import deductions
from sudokucrypt.sudoku.formats import PUZZLE_FORMATS, PuzzleFormat, StoredPuzzle, get_candidates

_PAGE = "html"  # which people play on, and no program reads
_PICTURES = ("svg", "png", "pdf")
_WRITTEN = [*(name for name, form in PUZZLE_FORMATS.items() if form.write), _PAGE, *_PICTURES]
# The forms that the suffix of an output chooses.
_SUFFIXES = {f".{form}": form for form in (_PAGE, *_PICTURES, "csv", "sdk", "opensudoku")}
_LONGEST_CAPTION = 60  # characters


@click.command("convert", cls=SheetCommand)
@grid_argument
@variant_options
@option(
    "--to FORMAT",
    "What is written; by default what the suffix of OUT says: .svg, .png, .pdf, .html, .csv, .sdk "
    "or .opensudoku.",
    type=click.Choice(_WRITTEN),
)
@option(
    "--steps N",
    "First take N steps of the solution by hand. Their digits are no givens where a format tells "
    "the two apart; formats with pencil marks show the rest.",
    type=click.IntRange(0),
    default=0,
)
@option("-o, --output OUT", "File that is written; by default it is printed.", type=PATH)
@option("--force", "Replace existing output.")
def command(
    *,
    text: str,
    rules: VariantOptions,
    to: str | None,
    steps: int,
    output: Path | None,
    force: bool,
) -> None:
    """Write puzzles in the format of another program, as a picture, or as a page to play on.

    GRID is a puzzle in line form, a link, a file in any format that is read, or - for stdin. A
    picture shows any puzzle, with cages and lines, however many solutions it has.
    """
    if to is None:
        suffix = output.suffix.lower() if output else ""
        if suffix not in _SUFFIXES:
            raise click.UsageError("say what is written: --to FORMAT, or -o with a known suffix")
        to = _SUFFIXES[suffix]
    if output and not force:
        require_free(output)
    puzzles = [_state(source, steps) for source in read_puzzles(text, rules)]
    parts = _iterate_parts(puzzles, to)
    if output:
        write_atomically({output: parts}, replace=force)
    elif to in ("png", "pdf") and sys.stdout.isatty():
        raise click.UsageError("a picture is not for the terminal; name a file with -o")
    else:
        for part in parts:
            click.echo(part, nl=False)


def _iterate_parts(puzzles: list[StoredPuzzle], to: str) -> Iterator[bytes]:
    """Yield the bytes of a file of puzzles."""
    if to in _PICTURES:
        yield from _iterate_picture(puzzles, to)
    elif to == _PAGE:
        yield _make_page(puzzles).encode()
    else:
        yield _format_puzzles(PUZZLE_FORMATS[to], puzzles).encode()


def _iterate_picture(puzzles: list[StoredPuzzle], to: str) -> Iterator[bytes]:
    """Yield the bytes of a picture of all puzzles, or of a PDF with some on each page."""
    from sudokucrypt.cli.printing import iterate_page_parts
    from sudokucrypt.cli.sudoku.output import draw_sheets
    from sudokucrypt.sudoku.drawing import Sheet, book

    sheets = [
        Sheet(shown=stored.position(), givens=stored.puzzle, caption=_make_caption(stored))
        for stored in puzzles
    ]
    if to == "pdf":
        title = sheets[0].caption if len(sheets) == 1 and sheets[0].caption else "Sudoku"
        alone = 1 if len(sheets) == 1 else None
        yield from iterate_page_parts(book(sheets, title=title, per_page=alone), "pdf", title)
    else:
        yield from draw_sheets(sheets, to)


def _format_puzzles(form: PuzzleFormat, puzzles: list[StoredPuzzle]) -> str:
    if form.single and len(puzzles) > 1:
        raise click.UsageError(f"{form.title} holds one puzzle, not {len(puzzles)}")
    if not form.typed:
        puzzles = [each._replace(puzzle=each.position(), typed=()) for each in puzzles]
    return form.write(puzzles) if form.write else ""


def _make_page(puzzles: list[StoredPuzzle]) -> str:
    """Return a page to play on, with titles and authors as captions, and rules in words."""
    from sudokucrypt.page.playing import play_page

    captions = [
        _make_caption(stored) or f"Puzzle {number}" for number, stored in enumerate(puzzles, 1)
    ]
    return play_page(
        [stored.puzzle for stored in puzzles],
        captions=captions,
        words=[stored.rules for stored in puzzles],
    ).decode()


def _make_caption(stored: StoredPuzzle) -> str:
    words = " by ".join(filter(None, (stored.title, stored.author)))
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in words).split())
    return line if len(line) <= _LONGEST_CAPTION else f"{line[: _LONGEST_CAPTION - 3]}..."


def _state(source: PuzzleText, steps: int) -> StoredPuzzle:
    """Return a puzzle after some steps."""
    stored = source.whole()
    if not steps:
        return stored._replace(typed=())
    begun = stored._replace(puzzle=stored.position(), typed=())
    typed = [*stored.typed] or [0] * len(stored.puzzle.givens)
    masks = [*get_candidates(begun)]
    for step in islice(deductions(begun.puzzle, stored.candidates), steps):
        if step.placed:
            cell, digit = step.placed
            typed[cell] = digit + 1
            masks[cell] = 1 << digit
        for other, gone in step.struck:
            masks[other] &= ~(1 << gone)
    return stored._replace(typed=tuple(typed), candidates=tuple(masks))
