"""Make an HTML page to play puzzles, with hints from the steps of solutions, and to print them."""

import hashlib
import json
from collections.abc import Sequence
from html import escape
from typing import Any, Final

from sudokucrypt.errors import InvalidParameterError, UnsupportedError
from sudokucrypt.page.assembling import make_document, make_script, read_package_text
from sudokucrypt.sudoku.deducing.levels import Technique
from sudokucrypt.sudoku.deducing.steps import Step, explain
from sudokucrypt.sudoku.deducing.trace import deductions
from sudokucrypt.sudoku.drawing import DOTS, Sheet, book, to_svg
from sudokucrypt.sudoku.drawing.paper import PAPERS
from sudokucrypt.sudoku.model.boxes import get_cell_name
from sudokucrypt.sudoku.model.constraints.marks import Label, Mark, Point
from sudokucrypt.sudoku.model.puzzle import PuzzleLike, SudokuPuzzle, as_puzzle
from sudokucrypt.sudoku.model.sheet_picture import (
    CELL_SIDE,
    compute_margin,
    draw_sheet,
    get_font_size,
)
from sudokucrypt.sudoku.model.text import get_symbol
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.solving.solver import solve

MAX_PUZZLES: Final = 1000
"""Most puzzles on a page; with more, browsers become slow."""

_MARGIN = 3  # pixels around a board that has no marks outside of it
_MARKS_TOP_BELOW_SUMS = 12  # pixels from the top of a cell to pencil marks, below the sum of a cage
_MAX_CAGE_DIGITS = 16  # digits; with more, cages have too many sets of digits for a browser
_MAX_TRACED_CELLS = 400  # cells; computing the steps of a larger puzzle can take minutes
_SECURITY_POLICY = (
    "default-src 'none'; script-src {script}; style-src {style}; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)


def play_page(
    puzzles: Sequence[PuzzleLike],
    *,
    captions: Sequence[str] = (),
    words: Sequence[str] = (),
    title: str = "Sudoku",
    per_page: int | None = None,
    paper: str = "a4",
    solutions: bool = True,
) -> bytes:
    """Return an HTML page to play puzzles, and to print them as a book.

    It has pencil marks, colors, selection of several cells, checks, undo, redo and hints. It works
    by keyboard and by touch, and loads nothing. Hints are the steps of `deductions`. For puzzles of
    more than 400 cells, and constraints on more than 16 digits, hints only name a digit of the
    solution. The last board is empty, for a puzzle that the user types in.

    Raises `NoSolutionError` or `MultipleSolutionsError` if a puzzle has no solution, or several;
    and `InvalidParameterError` if there is no puzzle or more than 1000, or as in `drawing.book`.

    Parameters
    ----------
    puzzles : sequence of puzzles
        1 to 1000 puzzles, each with one solution.
    captions : sequence of str, optional
        The text above each puzzle; by default ``Puzzle 1`` and so on.
    words : sequence of str, optional
        The text of the rules of each puzzle; an empty text means the rules of its variant.
    title : str, default "Sudoku"
        One line of up to 80 characters.
    per_page : int, optional
        The number of puzzles on a printed page; by default as in `drawing.book`.
    paper : {"a4", "a5", "letter"}, default "a4"
        The size of printed pages.
    solutions : bool, default True
        Whether solutions are printed at the end.

    Examples
    --------
    >>> play_page(["1.....2..3.....4"], title="Tiny")[:15]
    b'<!doctype html>'
    """
    require_few_puzzles(len(puzzles))
    parsed_puzzles = [as_puzzle(puzzle) for puzzle in puzzles]
    names = list(captions) or [f"Puzzle {number}" for number in range(1, len(parsed_puzzles) + 1)]
    solved_puzzles = [solve(puzzle) for puzzle in parsed_puzzles]
    pages = book(
        [
            Sheet(shown=puzzle, caption=name)
            for puzzle, name in zip(parsed_puzzles, names, strict=True)
        ],
        [
            Sheet(shown=solution, givens=puzzle, caption=f"Solution {number}")
            for number, (puzzle, solution) in enumerate(
                zip(parsed_puzzles, solved_puzzles, strict=True), 1
            )
            if solutions
        ],
        title=title,
        per_page=per_page,
        paper=paper,
    )
    empty_puzzle = SudokuPuzzle.empty(Variant.standard())
    rules = list(dict.fromkeys(puzzle.variant for puzzle in (*parsed_puzzles, empty_puzzle)))
    board_descriptions = [
        _describe_puzzle(puzzle, solution, name)
        | {"rules": rules.index(puzzle.variant), "words": text}
        for puzzle, solution, name, text in zip(
            parsed_puzzles, solved_puzzles, names, words or [""] * len(parsed_puzzles), strict=True
        )
    ]
    # The last board is empty, for a puzzle that the user types in.
    board_descriptions.append(
        {
            "id": "own",
            "own": True,
            "caption": "Your own puzzle",
            "givens": empty_puzzle.givens.tolist(),
            "solution": None,
            "steps": [],
            "rules": rules.index(empty_puzzle.variant),
            "words": "",
        }
    )
    data = json.dumps(
        {"puzzles": board_descriptions, "rules": [_describe_rules(variant) for variant in rules]}
    )
    styles = [read_package_text(name) for name in ("base.css", "play/play.css")]
    height, width = PAPERS[paper]
    return make_document(
        "play/play.html",
        _SECURITY_POLICY,
        style="".join([*styles, f"@page {{ size: {width}mm {height}mm; margin: 0; }}\n"]),
        script=make_script("play/play.js"),
        title=escape(title),
        boards="".join(map(_draw_board, (*parsed_puzzles, empty_puzzle))),
        papers="".join(to_svg(page, dots=DOTS) for page in pages),
        data=data.replace("<", r"\u003c"),
    ).encode()


def require_few_puzzles(count: int) -> None:
    """Raise `InvalidParameterError` for more puzzles than a page may contain."""
    if count > MAX_PUZZLES:
        raise InvalidParameterError(
            f"{count} puzzles are too many for one page",
            hint=f"make several pages of up to {MAX_PUZZLES} each",
        )


def _describe_rules(variant: Variant) -> dict[str, Any]:
    """Return the data about a variant that the page needs: cells, houses and constraints."""
    return {
        "rule": variant.legend,
        "symbols": [get_symbol(digit, variant.digits) for digit in range(variant.digits)],
        "cells": variant.cells,
        "names": [get_cell_name(*position) for position in variant.cells],
        "peers": [variant.peers(cell).tolist() for cell in range(len(variant.cells))],
        "houses": [house.cells for house in variant.houses],
        "titles": [] if variant.constraints else [house.name for house in variant.houses],
        "cages": [
            {"cells": rule.cells, "sum": rule.value}
            for rule in variant.constraints
            if rule.kind == "killer" and rule.value and variant.digits <= _MAX_CAGE_DIGITS
        ],
        "lines": [rule.cells for rule in variant.constraints if rule.kind == "thermometer"],
        "side": CELL_SIDE,
        "margin": _measure_margin(variant),
        "top": _measure_marks_top(variant),
        "font": get_font_size(variant.digits, CELL_SIDE),
    }


def _describe_puzzle(puzzle: SudokuPuzzle, solution: SudokuPuzzle, caption: str) -> dict[str, Any]:
    """Return the data about a puzzle that the page needs; browsers store games under its `id`."""
    puzzle_text = f"{puzzle.to_text()} {solution.to_text()} {puzzle.variant.rule}"
    return {
        "id": hashlib.sha256(puzzle_text.encode()).hexdigest()[:16],
        "caption": caption,
        "givens": puzzle.givens.tolist(),
        "solution": solution.givens.tolist(),
        "steps": [_describe_step(step) for step in _list_steps(puzzle)],
    }


def _list_steps(puzzle: SudokuPuzzle) -> list[Step]:
    if len(puzzle.givens) > _MAX_TRACED_CELLS:
        return []
    try:
        return list(deductions(puzzle))
    except UnsupportedError:  # constraints on too many digits
        return []


def _describe_step(step: Step) -> dict[str, Any]:
    effect = {"placed": step.placed} if step.placed else {"struck": step.struck}
    label = step.technique.label
    return {
        "technique": label[0].upper() + label[1:],
        "rating": step.rating,
        "sentence": explain(step),
        "cells": step.cells,
        "single": step.technique <= Technique.HIDDEN_SINGLE,
        "house": step.houses[0] if step.houses else None,
        **effect,
    }


def _draw_board(puzzle: SudokuPuzzle) -> str:
    """Return the drawing of a puzzle without its rule; the page lays cells over the drawing."""
    drawing = draw_sheet(puzzle.panel(), _measure_margin(puzzle.variant))
    return f'<div class="board" hidden>{to_svg(drawing)}</div>\n'


def _measure_margin(variant: Variant) -> int:
    """Return the width of the margin of a board, larger if it has marks of constraints."""
    points = [point for mark in variant.marks for point in _list_points(mark)]
    are_points_inside = all(
        0 <= coordinate <= length
        for point in points
        for coordinate, length in zip(point, variant.shape, strict=True)
    )
    return _MARGIN if are_points_inside else compute_margin(CELL_SIDE)


def _measure_marks_top(variant: Variant) -> int:
    """Return the distance of pencil marks from the top of a cell, larger below sums of cages."""
    labels = [mark.point for mark in variant.marks if isinstance(mark, Label)]
    return (
        _MARKS_TOP_BELOW_SUMS
        if any(max(row % 1, column % 1) < 0.3 for row, column in labels)
        else 2
    )


def _list_points(mark: Mark) -> tuple[Point, ...]:
    return (mark.point,) if isinstance(mark, Label) else mark.points
