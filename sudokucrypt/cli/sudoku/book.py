"""``sudokucrypt sudoku book``: a book of puzzles for the printer."""

from collections.abc import Iterable, Iterator
from functools import partial

import click

from sudokucrypt import sudoku
from sudokucrypt.cli.extensions import option
from sudokucrypt.cli.printing import page_form, page_parts
from sudokucrypt.cli.sudoku import options
from sudokucrypt.cli.sudoku.output import is_template, numbered
from sudokucrypt.cli.sudoku.puzzles import PuzzleOptions, puzzle_options
from sudokucrypt.storage import require_free, write_atomically
from sudokucrypt.sudoku.drawing import PAPERS, Drawing, Sheet, book


@click.command("book", cls=options.SheetCommand)
@options.variant_options
@option("--count N", "How many to make.", type=click.IntRange(1), default=24)
@options.seed_option
@puzzle_options
@option("--title TEXT", "Title of the first page.", default="Sudoku")
@option("--per-page N", "Puzzles on each page.", type=click.IntRange(1), default=4)
@option("--paper", "Size of the paper.", type=click.Choice(list(PAPERS)), default="a4")
@option("--no-solutions", "Leave out the solutions at the end.", name="unsolved")
@option(
    "-o, --output OUT",
    "A PDF file; or PNG or SVG files with {number} in their name, one for each page.",
    type=str,
    required=True,
)
@option("--force", "Replace existing output.")
def command(
    *,
    rules: options.VariantOptions,
    count: int,
    seed: int | None,
    wanted: PuzzleOptions,
    title: str,
    per_page: int,
    paper: str,
    unsolved: bool,
    output: str,
    force: bool,
) -> None:
    """Make a book: puzzles with exactly one solution, their levels, and the solutions at the end.

    A PDF needs the extra 'print'.
    """
    form = page_form(output)
    if (form == "pdf") is is_template(output):
        raise click.UsageError(
            "a PDF file holds all pages; leave out {number}"
            if form == "pdf"
            else "a picture holds one page; put {number} in the name of the file"
        )
    if not force:
        require_free(numbered(output, 1))
    sheets = rules.sheets()
    how = partial(book, title=title, per_page=per_page, paper=paper)
    # What would fail when the puzzles are made fails now.
    blank = how([Sheet(shown=sudoku.SudokuPuzzle.empty(sheets(sudoku.seeded_draws(0))))])
    for _ in page_parts(blank, form, title):
        pass
    seed, source = options.seeded(seed)

    def pages() -> Iterator[Drawing]:
        made = list(wanted.made(count, source, sheets))
        puzzles = [
            Sheet(shown=puzzle, caption=f"{number}: {sudoku.level_of(puzzle).label}")
            for number, (puzzle, _) in enumerate(made, 1)
        ]
        solutions = [
            Sheet(shown=solution, givens=puzzle, caption=str(number))
            for number, (puzzle, solution) in enumerate(made, 1)
        ]
        yield from how(puzzles, () if unsolved else solutions)

    files: Iterable[Iterable[Drawing]] = [pages()]
    if form != "pdf":
        files = ([page] for page in pages())
    write_atomically(
        {
            numbered(output, number): page_parts(part, form, title)
            for number, part in enumerate(files, 1)
        },
        replace=force,
    )
