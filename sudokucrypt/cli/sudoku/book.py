"""``sudokucrypt sudoku book``: write a book of puzzles as PDF, pictures or a page to play on."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias

import click

from sudokucrypt import sudoku
from sudokucrypt.cli.extensions import option
from sudokucrypt.cli.printing import PageFormat, choose_page_format, iterate_page_parts
from sudokucrypt.cli.sudoku.hand_solving import find_difficulty
from sudokucrypt.cli.sudoku.output import is_template, make_numbered_path
from sudokucrypt.cli.sudoku.puzzle_options import PuzzleOptions, puzzle_options
from sudokucrypt.cli.sudoku.sheet_options import (
    VariantCommand,
    VariantOptions,
    add_variant_options,
    make_random_source,
    seed_option,
)
from sudokucrypt.storage import require_free, write_atomically
from sudokucrypt.sudoku.drawing import PAPERS, Drawing, Sheet, book

_CaptionedPuzzle: TypeAlias = tuple[sudoku.SudokuPuzzle, sudoku.SudokuPuzzle, str]


@click.command("book", cls=VariantCommand)
@add_variant_options
@option("--count N", "How many to make.", type=click.IntRange(1), default=24)
@seed_option
@puzzle_options
@option("--rising", "Put the easiest first, by rating and then by level.")
@option("--title TEXT", "Title of the first page.", default="Sudoku")
@option(
    "--per-page N",
    "Puzzles on each page; by default 4, or fewer where their cells would be below 6 mm.",
    type=click.IntRange(1),
)
@option("--paper", "Size of the paper.", type=click.Choice(list(PAPERS)), default="a4")
@option("--no-solutions", "Leave out the solutions at the end.", name="without_solutions")
@option(
    "-o, --output OUT",
    "A PDF file; an HTML page to play on; or PNG or SVG files with {number} in their name, one for "
    "each page.",
    type=str,
    required=True,
)
@option("--force", "Replace existing output.")
def command(
    *,
    rules: VariantOptions,
    count: int,
    seed: int | None,
    puzzle_settings: PuzzleOptions,
    rising: bool,
    title: str,
    per_page: int | None,
    paper: str,
    without_solutions: bool,
    output: str,
    force: bool,
) -> None:
    """Make a book: puzzles with exactly one solution, their difficulty, and the solutions.

    A PDF needs the extra 'print'. On the HTML page puzzles are played, in any browser and without a
    network, and it prints as the same book.
    """
    form = _choose_format(output)
    if rising and not puzzle_settings.writes_ratings:
        raise click.UsageError("--rising sorts by ratings; leave out --no-rating")
    if not force:
        require_free(make_numbered_path(output, 1))
    draw_rules = rules.make_variant_source()
    layout: dict[str, Any] = {"title": title, "per_page": per_page, "paper": paper}
    # Draw one page first, so that unsuitable options fail before puzzles are made.
    empty_grid = Sheet(shown=sudoku.SudokuPuzzle.empty(draw_rules(sudoku.seeded_draws(0))))
    empty_pages = book([empty_grid], **layout)
    if form == "html":
        from sudokucrypt.page.playing import require_few_puzzles

        require_few_puzzles(count)
    for _ in empty_pages if form == "html" else iterate_page_parts(empty_pages, form, title):
        pass
    seed, source = make_random_source(seed)
    puzzles = _add_captions(
        puzzle_settings.make_puzzles(count, source, draw_rules, is_for_book=True),
        with_ratings=puzzle_settings.writes_ratings,
        rising=rising,
    )
    if form == "html":
        write_atomically(
            {
                Path(output): _iterate_playable_parts(
                    puzzles, layout, with_solutions=not without_solutions
                )
            },
            replace=force,
        )
        return
    pages = _iterate_pages(puzzles, layout, with_solutions=not without_solutions)
    pages_by_file: Iterable[Iterable[Drawing]] = (
        [pages] if form == "pdf" else ([page] for page in pages)
    )
    parts_by_file = {
        make_numbered_path(output, number): iterate_page_parts(file, form, title)
        for number, file in enumerate(pages_by_file, 1)
    }
    write_atomically(parts_by_file, replace=force)


def _choose_format(output: str) -> PageFormat | Literal["html"]:
    """Return the form of the output; raise an error if {number} is missing or not allowed."""
    is_playable = Path(output).suffix.lower() == ".html"
    form: PageFormat | Literal["html"] = (
        "html" if is_playable else choose_page_format(output, ".html")
    )
    has_all_pages = form in ("pdf", "html")
    if has_all_pages is is_template(output):
        raise click.UsageError(
            f"{'a PDF file' if form == 'pdf' else 'an HTML file'} holds all pages; "
            "leave out {number}"
            if has_all_pages
            else "a picture holds one page; put {number} in the name of the file"
        )
    return form


def _add_captions(
    puzzles: Iterable[sudoku.Made], *, with_ratings: bool, rising: bool
) -> Iterator[_CaptionedPuzzle]:
    """Yield each puzzle with its solution and caption; with `rising`, the easiest first."""
    puzzles_with_difficulty = (
        (pair, *find_difficulty(pair.puzzle, with_rating=with_ratings)) for pair in puzzles
    )
    ordered_puzzles = (
        sorted(puzzles_with_difficulty, key=lambda pair: _get_difficulty_sort_key(pair[1]))
        if rising
        else puzzles_with_difficulty
    )
    for number, ((puzzle, solution), _, difficulty_text) in enumerate(ordered_puzzles, 1):
        yield puzzle, solution, ": ".join(filter(None, (f"Puzzle {number}", difficulty_text)))


def _get_difficulty_sort_key(fields: Mapping[str, Any]) -> tuple[float, int]:
    """Return a sort key: the rating, or 0 for large grids, which have none, then the level."""
    return fields["rating"] or 0.0, sudoku.Level.from_text(fields["level"])


def _iterate_playable_parts(
    puzzles_with_captions: Iterable[_CaptionedPuzzle],
    layout: Mapping[str, Any],
    *,
    with_solutions: bool,
) -> Iterator[bytes]:
    """Yield the HTML page on which puzzles are played."""
    from sudokucrypt.page.playing import play_page

    puzzles, _, captions = zip(*puzzles_with_captions, strict=True)
    yield play_page(puzzles, captions=captions, solutions=with_solutions, **layout)


def _iterate_pages(
    puzzles_with_captions: Iterable[_CaptionedPuzzle],
    layout: Mapping[str, Any],
    *,
    with_solutions: bool,
) -> Iterator[Drawing]:
    """Yield the pages of a book: the puzzles, then their solutions if `with_solutions` is true."""
    puzzles, solutions = [], []
    for number, (puzzle, solution, caption) in enumerate(puzzles_with_captions, 1):
        puzzles.append(Sheet(shown=puzzle, caption=caption))
        if with_solutions:
            solutions.append(Sheet(shown=solution, givens=puzzle, caption=f"Solution {number}"))
    yield from book(puzzles, solutions, **layout)
