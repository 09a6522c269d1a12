"""``sudokucrypt sudoku book``: a book of puzzles for the printer."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

import click

from sudokucrypt import sudoku
from sudokucrypt.cli.extensions import option
from sudokucrypt.cli.printing import PageForm, page_form, page_parts
from sudokucrypt.cli.sudoku.hand_solving import difficulty
from sudokucrypt.cli.sudoku.output import is_template, numbered
from sudokucrypt.cli.sudoku.puzzle_options import PuzzleOptions, puzzle_options
from sudokucrypt.cli.sudoku.sheet_options import (
    SheetCommand,
    VariantOptions,
    seed_option,
    seeded,
    variant_options,
)
from sudokucrypt.storage import require_free, write_atomically
from sudokucrypt.sudoku.drawing import PAPERS, Drawing, Sheet, book


@click.command("book", cls=SheetCommand)
@variant_options
@option("--count N", "How many to make.", type=click.IntRange(1), default=24)
@seed_option
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
    rules: VariantOptions,
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
    """Make a book: puzzles with exactly one solution, their difficulty, and the solutions.

    A PDF needs the extra 'print'.
    """
    form = _checked_form(output)
    if not force:
        require_free(numbered(output, 1))
    sheets = rules.sheets()
    draw_book = partial(book, title=title, per_page=per_page, paper=paper)
    # What would fail when the puzzles are made fails now.
    blank = draw_book([Sheet(shown=sudoku.SudokuPuzzle.empty(sheets(sudoku.seeded_draws(0))))])
    for _ in page_parts(blank, form, title):
        pass
    seed, source = seeded(seed)
    made = wanted.made(count, source, sheets)
    pages = _pages(draw_book, made, solved=not unsolved, rated=wanted.rated)
    files: Iterable[Iterable[Drawing]] = [pages] if form == "pdf" else ([page] for page in pages)
    parts = {
        numbered(output, number): page_parts(file, form, title)
        for number, file in enumerate(files, 1)
    }
    write_atomically(parts, replace=force)


def _checked_form(output: str) -> PageForm:
    """Return the form of the output, which must have a file for each page where pages need one."""
    form = page_form(output)
    if (form == "pdf") is is_template(output):
        raise click.UsageError(
            "a PDF file holds all pages; leave out {number}"
            if form == "pdf"
            else "a picture holds one page; put {number} in the name of the file"
        )
    return form


def _pages(
    draw_book: Callable[[list[Sheet], list[Sheet]], Iterator[Drawing]],
    made: Iterable[sudoku.Made],
    *,
    solved: bool,
    rated: bool,
) -> Iterator[Drawing]:
    """Make the puzzles when the first page is asked for, and yield the pages."""
    puzzles, solutions = [], []
    for number, (puzzle, solution) in enumerate(made, 1):
        _, words = difficulty(puzzle, rated=rated)
        puzzles.append(Sheet(shown=puzzle, caption=f"{number}: {words}"))
        if solved:
            solutions.append(Sheet(shown=solution, givens=puzzle, caption=str(number)))
    yield from draw_book(puzzles, solutions)
