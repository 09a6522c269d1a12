"""``sudokucrypt sudoku rate``: how hard puzzles are."""

import json
from collections.abc import Mapping
from typing import Any

import click

from sudokucrypt import sudoku
from sudokucrypt.cli.extensions import option
from sudokucrypt.cli.sudoku.puzzle_texts import Failures, grid_argument, read_puzzles
from sudokucrypt.cli.sudoku.sheet_options import SheetCommand, VariantOptions, variant_options


@click.command("rate", cls=SheetCommand)
@grid_argument
@variant_options
@option("--json", "Print an object for each puzzle, with all its techniques.", name="as_json")
def rate_command(*, text: str, rules: VariantOptions, as_json: bool) -> None:
    """Print the level, the rating and the hardest technique of puzzles.

    GRID is the line form of a puzzle, a file of them, or - for stdin. Three ratings are printed:
    that of the hardest step, of the hardest one up to the first digit, and of the first step.
    """
    puzzles = read_puzzles(text, rules)
    failures = Failures(puzzles)
    for source in puzzles:
        with failures.of(source):
            fields = _fields(sudoku.grade(source.puzzle()))
            line = "{level} {rating:.1f}/{pearl:.1f}/{diamond:.1f} {technique}"
            click.echo(json.dumps(fields) if as_json else line.format_map(fields).strip())
    failures.end()


def _fields(grade: sudoku.Grade) -> Mapping[str, Any]:
    """Return what JSON says of a grade."""
    return {
        "level": grade.level.label,
        "rating": grade.rating,
        "pearl": grade.pearl,
        "diamond": grade.diamond,
        "technique": grade.hardest.label if grade.hardest is not None else "",
        "steps": {technique.label: count for technique, count in grade.steps.items()},
    }
