"""``sudokucrypt sudoku canonical``, ``count``, ``rank`` and ``unrank``: grids as numbers."""

import json

import click

from sudokucrypt import sudoku
from sudokucrypt.cli.extensions import option
from sudokucrypt.cli.messages import show_progress_bar
from sudokucrypt.cli.sudoku.puzzle_texts import Failures, grid_argument, read_grid, read_puzzles
from sudokucrypt.cli.sudoku.sheet_options import (
    VariantCommand,
    VariantOptions,
    add_variant_options,
    box_option,
)
from sudokucrypt.typing import Box


@click.command("canonical")
@grid_argument
@box_option
@option("--json", "Print the number of automorphisms too.", name="as_json")
def canonical_command(*, text: str, box: Box | None, as_json: bool) -> None:
    """Print the canonical form of GRID: the first of all equivalent grids or puzzles.

    GRID is a full grid or a puzzle: its line form, a file, or - for stdin. Each grid of a file is
    printed in its canonical form.
    """
    puzzles = read_puzzles(text, VariantOptions(box=box))
    failures = Failures(puzzles)
    for source in puzzles:
        with failures.collect_errors(source):
            line, automorphism_count = _format_canonical_form(source.parse_puzzle())
            if as_json:
                line = json.dumps({"canonical": line, "automorphisms": automorphism_count})
            click.echo(line)
    failures.exit_if_any()


def _format_canonical_form(puzzle: sudoku.SudokuPuzzle) -> tuple[str, int]:
    """Return the canonical form as text, and the number of its automorphisms."""
    if puzzle.number_of_givens < len(puzzle.givens):
        canonical_puzzle = sudoku.canonical_puzzle(puzzle)
        return canonical_puzzle.puzzle.to_text(), canonical_puzzle.automorphisms
    canonical_grid = sudoku.canonical_form(puzzle)
    return canonical_grid.grid.to_text(), canonical_grid.automorphisms


@click.command("count", cls=VariantCommand)
@add_variant_options
@option("--classes", "Count essentially different grids: equivalent ones count once.")
@option("--json", "Print JSON.", name="as_json")
def count_command(*, rules: VariantOptions, classes: bool, as_json: bool) -> None:
    """Count all grids with boxes of a shape.

    The numbers for 2x2, 2x3 and 3x3 are computed. Others are as published: Latin squares of up to
    11 digits, boxes of 2x4, 2x5, 2x6 and 3x4, and 9x9 X-Sudoku. Of other kinds, all sheets of up to
    7 digits are visited.
    """
    count_grids = rules.kind.count_classes if classes else rules.kind.count_sheets
    with show_progress_bar("counting") as advance:
        grid_count = count_grids(rules.shape, progress=advance)
    if as_json:
        box = {} if rules.list_rule_fields() else {"box": list(rules.shape)}
        fields = {
            "variant": rules.kind.name,
            **box,
            **rules.list_rule_fields(),
            "classes" if classes else "count": grid_count,
        }
        click.echo(json.dumps(fields))
    else:
        click.echo(grid_count)


_classes_option = option(
    "--classes",
    "Count classes of equivalent 9x9 grids, in the order of canonical forms; takes seconds.",
)


@click.command("rank")
@grid_argument
@box_option
@_classes_option
def rank_command(*, text: str, box: Box | None, classes: bool) -> None:
    """Print the number of GRID among all grids, counting from 0; 'unrank' reverses this."""
    click.echo(sudoku.rank(read_grid(text, box), classes=classes))


@click.command("unrank", context_settings={"ignore_unknown_options": True})
@click.argument("number", metavar="K", type=int)
@box_option
@_classes_option
def unrank_command(*, number: int, box: Box | None, classes: bool) -> None:
    """Print the grid number K, counting from 0, in line form."""
    click.echo(sudoku.unrank(number, box or (3, 3), classes=classes).to_text())
