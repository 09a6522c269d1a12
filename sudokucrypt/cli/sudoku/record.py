"""One result of a Sudoku command, in each form in which it can be written."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sudokucrypt.sudoku import SudokuGrid
from sudokucrypt.sudoku.drawing import Sheet

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sudokucrypt.cli.sudoku.rules import Kind
    from sudokucrypt.sudoku import Step, SudokuPuzzle


@dataclass(frozen=True, kw_only=True)
class Record:
    """A grid, a puzzle or a solution, and what is known about it.

    Parameters
    ----------
    shown : tuple of SudokuGrid or SudokuPuzzle
        What is written: a grid, a puzzle, a puzzle and its solution, or a solution.
    fields : mapping of str to JSON
        What JSON says.
    steps : tuple of Step or str
        How it was solved or made.
    givens : SudokuPuzzle, optional
        The puzzle that the last of `shown` solves.
    caption : str
        What stands below its drawing among others.
    """

    shown: tuple[SudokuGrid | SudokuPuzzle, ...]
    fields: Mapping[str, Any]
    steps: tuple[Step | str, ...] = ()
    givens: SudokuPuzzle | None = None
    caption: str = ""

    def text(self) -> str:
        """Return the steps, then the sheets with ruled boxes."""
        steps = ["\n".join(map(str, self.steps))] if self.steps else []
        return "\n\n".join(steps + [sheet.pretty() for sheet in self.shown])

    def line(self) -> str:
        """Return the steps, then the line forms with commas between."""
        return "\n".join([*map(str, self.steps), ",".join(sheet.to_text() for sheet in self.shown)])

    def json(self) -> str:
        """Return one line of JSON."""
        steps = {"steps": [str(step) for step in self.steps]} if self.steps else {}
        return json.dumps({**self.fields, **steps})

    def sheets(self, *, captions: bool) -> list[Sheet]:
        """Return what is drawn."""
        words = [self.caption, *["solution"] * (len(self.shown) - 1)]
        drawn = [
            Sheet(shown=sheet, caption=words[place] if captions else "")
            for place, sheet in enumerate(self.shown)
        ]
        return [*drawn[:-1], replace(drawn[-1], givens=self.givens)]


def sheet_fields(kind: Kind, sheet: SudokuGrid | SudokuPuzzle) -> dict[str, Any]:
    """Return what JSON says about the rules of a sheet."""
    if isinstance(sheet, SudokuGrid):
        return {"variant": kind, "box": list(sheet.box), "digits": sheet.order}
    return {"variant": kind, "box": list(sheet.variant.box), "digits": sheet.variant.digits}
