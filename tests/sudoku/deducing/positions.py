"""Positions made by hand, in positions.json, each with what the easiest technique concludes."""

import json
import re
from pathlib import Path
from typing import NamedTuple

from sudokucrypt.sudoku import Technique, Variant
from sudokucrypt.sudoku.deducing.board import CandidateBoard


class Position(NamedTuple):
    """What is struck from an empty 9x9 sheet, and the step that follows."""

    technique: Technique
    gone: list[tuple[int, int]]
    cells: tuple[int, ...]
    digits: tuple[int, ...]
    struck: list[tuple[int, int]]

    def board(self) -> CandidateBoard:
        """Return the position."""
        board = CandidateBoard(Variant.standard(), [-1] * 81)
        for cell, digit in self.gone:
            board.strike(cell, digit)
        return board


def _cells(names: str) -> tuple[int, ...]:
    """Read cells such as r1c9."""
    return tuple(9 * int(row) + int(column) - 10 for row, column in re.findall("r(.)c(.)", names))


def _candidates(struck: dict[str, str]) -> list[tuple[int, int]]:
    """Read the cells of each digit."""
    return [(cell, int(digit) - 1) for digit, names in struck.items() for cell in _cells(names)]


POSITIONS = {
    name: Position(
        next(technique for technique in Technique if technique.label == fields["technique"]),
        _candidates(fields["struck before"]),
        _cells(fields["cells"]),
        tuple(int(digit) - 1 for digit in fields["digits"].split()),
        _candidates(fields["struck"]),
    )
    for name, fields in json.loads(Path(__file__).with_suffix(".json").read_text("utf-8")).items()
}
