"""Format solutions by hand for the commands: difficulty, steps, the next step, candidates."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from sudokucrypt import sudoku
from sudokucrypt.cli.extensions import option
from sudokucrypt.cli.sudoku.output import ResultRecord
from sudokucrypt.cli.sudoku.puzzle_texts import Failures, grid_argument, read_puzzles
from sudokucrypt.cli.sudoku.sheet_options import VariantCommand, VariantOptions, add_variant_options
from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.model.boxes import get_cell_name
from sudokucrypt.sudoku.model.text import SYMBOLS, get_symbol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sudokucrypt.cli.sudoku.output import OutputFormat
    from sudokucrypt.sudoku import Step, SudokuPuzzle
    from sudokucrypt.sudoku.formats import StoredPuzzle


_MAX_RATED_CELLS = 81  # rating a larger grid can take many seconds


def find_difficulty(
    puzzle: SudokuPuzzle, *, with_rating: bool = True
) -> tuple[dict[str, Any], str]:
    """Return level and rating as JSON fields and as text; large grids have no rating."""
    if not with_rating or len(puzzle.givens) > _MAX_RATED_CELLS:
        level = sudoku.find_level(puzzle).label
        return {"level": level, "rating": None}, level
    grade = sudoku.grade(puzzle)
    return _format_difficulty(grade.level, grade.rating)


def trace_steps(
    puzzle: StoredPuzzle, form: OutputFormat
) -> tuple[tuple[Step | str, ...], dict[str, Any]]:
    """Return the steps, then the difficulty unless `form` is JSON, and its JSON fields."""
    position = _require_correct_position(puzzle)
    steps = tuple(sudoku.deductions(position, puzzle.candidates))
    rating = max((step.rating for step in steps), default=0.0)
    fields, difficulty_text = _format_difficulty(sudoku.find_level(position), rating)
    return (steps if form == "json" else (*steps, f"difficulty: {difficulty_text}")), fields


def _format_difficulty(level: sudoku.Level, rating: float) -> tuple[dict[str, Any], str]:
    return {"level": level.label, "rating": rating}, f"{level.label}, rating {rating:.1f}"


def _require_correct_position(puzzle: StoredPuzzle) -> SudokuPuzzle:
    """Return the puzzle with the digits that a player typed; raise an error for a wrong digit."""
    if puzzle.typed_digits:
        solution = sudoku.solve(puzzle.puzzle)
        for cell, digit in enumerate(puzzle.typed_digits):
            if digit and digit != solution.givens[cell] + 1:
                raise InvalidGridError(
                    f"the digit {digit} that was typed into "
                    f"{get_cell_name(*solution.variant.cells[cell])} is wrong",
                    hint="clear it, and all digits that followed from it",
                )
    return puzzle.position()


def make_hint_record(
    puzzle: StoredPuzzle, fields: Mapping[str, Any], form: OutputFormat
) -> ResultRecord:
    """Return the next step and its reason as a result."""
    step = next(sudoku.deductions(_require_correct_position(puzzle), puzzle.candidates), None)
    if form == "json":
        return ResultRecord(
            shown_grids=(), fields={**fields, "hint": step and list_step_fields(step)}
        )
    lines = (step, sudoku.explain(step)) if step else ("nothing is left to do",)
    return ResultRecord(shown_grids=(), fields={}, steps=lines)


def list_step_fields(step: Step) -> dict[str, Any]:
    """Return the JSON fields of a step; rows, columns and digits count from 1, as in texts."""
    variant = step.variant

    def locate_cell(cell: int) -> list[int]:
        row, column = variant.cells[cell]
        return [row + 1, column + 1]

    def describe_candidate(cell: int, digit: int) -> dict[str, Any]:
        return {"cell": locate_cell(cell), "digit": get_symbol(digit, variant.digits)}

    return {
        "technique": step.technique.label,
        "rating": step.rating,
        "text": str(step),
        "sentence": sudoku.explain(step),
        "cells": [locate_cell(cell) for cell in step.cells],
        "digits": [get_symbol(digit, variant.digits) for digit in step.digits],
        "houses": [variant.houses[house].name for house in step.houses],
        "placed": step.placed and describe_candidate(*step.placed),
        "struck": [describe_candidate(*cell_and_digit) for cell_and_digit in step.struck],
    }


def make_candidates_record(
    puzzle: SudokuPuzzle, fields: Mapping[str, Any], *, with_counts: bool, patience: int | None
) -> ResultRecord:
    """Return a result that lists, for each cell, its digits in all solutions.

    `with_counts`: each digit has the number of solutions that contain it.
    """
    digits = puzzle.variant.digits
    if with_counts:
        counts = sudoku.count_candidates(puzzle, patience=patience)
    else:
        counts = sudoku.true_candidates(puzzle, patience=patience).astype(int)
    cells = [
        {get_symbol(digit, digits): row[digit] for digit in range(digits) if row[digit]}
        for row in counts.tolist()
    ]
    candidate_fields = {"candidates": cells if with_counts else [[*cell] for cell in cells]}
    separator = "" if digits <= len(SYMBOLS) else ","
    cell_texts = [
        ",".join(f"{name}:{count}" for name, count in cell.items())
        if with_counts
        else separator.join(cell)
        for cell in cells
    ]
    width = max(map(len, cell_texts))
    rows: dict[int, list[str]] = {}
    for (row, column), cell_text in zip(puzzle.variant.cells, cell_texts, strict=True):
        line = rows.setdefault(row, [])
        line += [" " * width] * (column - len(line)) + [cell_text.ljust(width)]
    table = "\n".join(" ".join(rows.get(row, [])).rstrip() for row in range(max(rows) + 1))
    return ResultRecord(
        shown_grids=(),
        fields={**fields, **candidate_fields},
        steps=(table,),
        lines=" ".join(cell_texts),
    )


@click.command("rate", cls=VariantCommand)
@grid_argument
@add_variant_options
@option("--json", "Print an object for each puzzle, with all its techniques.", name="as_json")
def rate_command(*, text: str, rules: VariantOptions, as_json: bool) -> None:
    """Print the level, the rating and the hardest technique of puzzles.

    GRID is the line form of a puzzle, a file of them, or - for stdin. Three ratings are printed:
    that of the hardest step, of the hardest one up to the first digit, and of the first step.
    """
    puzzles = read_puzzles(text, rules)
    failures = Failures(puzzles)
    for source in puzzles:
        with failures.collect_errors(source):
            fields = _list_grade_fields(sudoku.grade(source.parse_puzzle()))
            line = "{level} {rating:.1f}/{pearl:.1f}/{diamond:.1f} {technique}"
            click.echo(json.dumps(fields) if as_json else line.format_map(fields).strip())
    failures.exit_if_any()


def _list_grade_fields(grade: sudoku.Grade) -> Mapping[str, Any]:
    """Return the JSON fields of a grade."""
    return {
        "level": grade.level.label,
        "rating": grade.rating,
        "pearl": grade.pearl,
        "diamond": grade.diamond,
        "technique": grade.hardest.label if grade.hardest is not None else "",
        "steps": {technique.label: count for technique, count in grade.steps.items()},
    }
