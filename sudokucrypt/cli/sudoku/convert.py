"""``sudokucrypt sudoku convert``: write puzzles in formats of other programs, or as pictures."""

import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import click

from sudokucrypt.cli.extensions import option
from sudokucrypt.cli.options import PATH_TYPE
from sudokucrypt.cli.sudoku.puzzle_texts import PuzzleText, grid_argument, read_puzzles
from sudokucrypt.cli.sudoku.sheet_options import VariantCommand, VariantOptions, add_variant_options
from sudokucrypt.storage import require_free, write_atomically
from sudokucrypt.sudoku import deductions
from sudokucrypt.sudoku.formats import PUZZLE_FORMATS, PuzzleFormat, StoredPuzzle, get_candidates

_PAGE_FORMAT = "html"  # a page to play on
_PICTURE_FORMATS = ("svg", "png", "pdf")
_OUTPUT_FORMATS = [
    *(name for name, form in PUZZLE_FORMATS.items() if form.write),
    _PAGE_FORMAT,
    *_PICTURE_FORMATS,
]
# The format for each suffix of the output.
_FORMATS_BY_SUFFIX = {
    f".{form}": form for form in (_PAGE_FORMAT, *_PICTURE_FORMATS, "csv", "sdk", "opensudoku")
}
_MAX_CAPTION_LENGTH = 60  # characters


@click.command("convert", cls=VariantCommand)
@grid_argument
@add_variant_options
@option(
    "--to FORMAT",
    "What is written; by default what the suffix of OUT says: .svg, .png, .pdf, .html, .csv, .sdk "
    "or .opensudoku.",
    type=click.Choice(_OUTPUT_FORMATS),
)
@option(
    "--steps N",
    "First take N steps of the solution by hand. Their digits are no givens where a format tells "
    "the two apart; formats with pencil marks show the rest.",
    type=click.IntRange(0),
    default=0,
)
@option("-o, --output OUT", "File that is written; by default it is printed.", type=PATH_TYPE)
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
        if suffix not in _FORMATS_BY_SUFFIX:
            raise click.UsageError(
                "the output format is missing: give --to FORMAT, or -o with a known suffix"
            )
        to = _FORMATS_BY_SUFFIX[suffix]
    if output and not force:
        require_free(output)
    puzzles = [_apply_steps(source, steps) for source in read_puzzles(text, rules)]
    parts = _iterate_file_parts(puzzles, to)
    if output:
        write_atomically({output: parts}, replace=force)
    elif to in ("png", "pdf") and sys.stdout.isatty():
        raise click.UsageError("a picture is not for the terminal; name a file with -o")
    else:
        for part in parts:
            click.echo(part, nl=False)


def _iterate_file_parts(puzzles: list[StoredPuzzle], format_name: str) -> Iterator[bytes]:
    """Yield the parts of a file with the puzzles in format `format_name`."""
    if format_name in _PICTURE_FORMATS:
        yield from _iterate_picture_parts(puzzles, format_name)
    elif format_name == _PAGE_FORMAT:
        yield _make_page(puzzles).encode()
    else:
        yield _format_puzzles(PUZZLE_FORMATS[format_name], puzzles).encode()


def _iterate_picture_parts(puzzles: list[StoredPuzzle], format_name: str) -> Iterator[bytes]:
    """Yield the parts of a picture of all puzzles, or of a PDF with some of them on each page."""
    from sudokucrypt.cli.printing import iterate_page_parts
    from sudokucrypt.cli.sudoku.output import iterate_drawing_parts
    from sudokucrypt.sudoku.drawing import Sheet, book

    sheets = [
        Sheet(shown=puzzle.position(), givens=puzzle.puzzle, caption=_make_caption(puzzle))
        for puzzle in puzzles
    ]
    if format_name == "pdf":
        title = sheets[0].caption if len(sheets) == 1 and sheets[0].caption else "Sudoku"
        per_page = 1 if len(sheets) == 1 else None
        yield from iterate_page_parts(book(sheets, title=title, per_page=per_page), "pdf", title)
    else:
        yield from iterate_drawing_parts(sheets, format_name)


def _format_puzzles(puzzle_format: PuzzleFormat, puzzles: list[StoredPuzzle]) -> str:
    if puzzle_format.single and len(puzzles) > 1:
        raise click.UsageError(f"{puzzle_format.title} holds one puzzle, not {len(puzzles)}")
    if not puzzle_format.typed:
        puzzles = [puzzle._replace(puzzle=puzzle.position(), typed_digits=()) for puzzle in puzzles]
    return puzzle_format.write(puzzles) if puzzle_format.write else ""


def _make_page(puzzles: list[StoredPuzzle]) -> str:
    """Return an HTML page to play on, with titles and authors as captions, and rules as text."""
    from sudokucrypt.page.playing import play_page

    captions = [
        _make_caption(puzzle) or f"Puzzle {number}" for number, puzzle in enumerate(puzzles, 1)
    ]
    return play_page(
        [puzzle.puzzle for puzzle in puzzles],
        captions=captions,
        words=[puzzle.rules for puzzle in puzzles],
    ).decode()


def _make_caption(puzzle: StoredPuzzle) -> str:
    title_and_author = " by ".join(filter(None, (puzzle.title, puzzle.author)))
    line = " ".join(
        "".join(
            character if character.isprintable() else " " for character in title_and_author
        ).split()
    )
    return line if len(line) <= _MAX_CAPTION_LENGTH else f"{line[: _MAX_CAPTION_LENGTH - 3]}..."


def _apply_steps(source: PuzzleText, steps: int) -> StoredPuzzle:
    """Return a puzzle after the first `steps` steps of its solution by hand."""
    puzzle = source.make_stored_puzzle()
    if not steps:
        return puzzle._replace(typed_digits=())
    puzzle_with_typed_givens = puzzle._replace(puzzle=puzzle.position(), typed_digits=())
    typed_digits = [*puzzle.typed_digits] or [0] * len(puzzle.puzzle.givens)
    candidate_masks = [*get_candidates(puzzle_with_typed_givens)]
    for step in islice(deductions(puzzle_with_typed_givens.puzzle, puzzle.candidates), steps):
        if step.placed:
            cell, digit = step.placed
            typed_digits[cell] = digit + 1
            candidate_masks[cell] = 1 << digit
        for struck_cell, struck_digit in step.struck:
            candidate_masks[struck_cell] &= ~(1 << struck_digit)
    return puzzle._replace(typed_digits=tuple(typed_digits), candidates=tuple(candidate_masks))
