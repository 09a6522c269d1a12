"""``sudokucrypt sudoku puzzle``: puzzles with exactly one solution."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sudokucrypt.cli.progress import progress_bar
from sudokucrypt.cli.sudoku.options import (
    SheetCommand,
    VariantOptions,
    count_option,
    seed_option,
    seeded,
    variant_options,
)
from sudokucrypt.cli.sudoku.output import OutputOptions, Record, output_options, sheet_fields
from sudokucrypt.cli.sudoku.texts import read_solution
from sudokucrypt.sudoku import PATTERNS, Level, Variant, level_of, make_puzzles

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

    from sudokucrypt.sudoku import Made, Pattern, SudokuPuzzle

_TOGETHER = 128
"""Ordinary puzzles of no given level are quicker to make many at a time."""


@click.command("puzzle", cls=SheetCommand)
@variant_options
@click.option(
    "--from", "grid", metavar="GRID", help="The solution: line form, file, or - for stdin."
)
@seed_option
@click.option(
    "--givens", metavar="N", type=click.IntRange(0), help="By default as few as come out."
)
@click.option(
    "--level",
    type=click.Choice([level.label for level in Level]),
    help="Naked singles alone for beginner; harder ones need more, and expert trial.",
)
@click.option("--symmetric", is_flag=True, help="Givens that a half turn leaves in their places.")
@click.option("--pattern", type=click.Choice(PATTERNS), help="Another symmetry of the givens.")
@click.option(
    "--method",
    type=click.Choice(["remove", "add"]),
    default="remove",
    show_default=True,
    help="Take givens from the solution, or first give digits where two solutions differ.",
)
@click.option("--with-solution", is_flag=True, help="Write the solution too.")
@count_option
@output_options
def command(
    *,
    rules: VariantOptions,
    grid: str | None,
    seed: int | None,
    givens: int | None,
    level: str | None,
    symmetric: bool,
    pattern: Pattern | None,
    method: Literal["remove", "add"],
    with_solution: bool,
    count: int,
    output: OutputOptions,
) -> None:
    """Make puzzles with exactly one solution.

    The number of givens says little about difficulty; --level goes by the techniques that are
    needed. As few givens are left as come out, unless --givens says how many.
    """
    form = output.form("text")
    if symmetric and pattern:
        raise click.UsageError("--symmetric is the pattern half-turn; leave out one of them")
    sheet: Variant | SudokuPuzzle
    if grid is None:
        sheet = rules.variant()
    else:
        written = read_solution(grid, rules)
        rules, sheet = written.rules, written.puzzle()
    output.check_free(count)
    seed, source = seeded(seed)
    together = _TOGETHER if sheet == Variant.standard() and level is None else 1
    graded = form in ("json", "png", "svg")

    def made() -> Iterator[Made]:
        with progress_bar("making puzzles") as advance:
            for start in range(0, count, together):
                stop = min(start + together, count)
                yield from make_puzzles(
                    source,
                    stop - start,
                    sheet,
                    givens=givens,
                    level=None if level is None else Level.from_text(level),
                    pattern="half-turn" if symmetric else pattern,
                    method=method,
                )
                advance(stop, count)

    def records() -> Iterator[Record]:
        for number, (puzzle, solution) in enumerate(made(), 1):
            label = level_of(puzzle).label if graded else ""
            fields = {
                **sheet_fields(rules, puzzle),
                "givens": puzzle.to_text(),
                **({"solution": solution.to_text()} if with_solution else {}),
                "number_of_givens": puzzle.number_of_givens,
                "level": label,
                "seed": seed,
                "number": number,
            }
            yield Record(
                shown=(puzzle, solution) if with_solution else (puzzle,),
                fields=fields,
                givens=puzzle,
                caption=f"{number}: {label}, {puzzle.number_of_givens} givens",
            )

    output.write(records(), form)
