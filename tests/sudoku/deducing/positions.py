"""Hand-made positions of positions.json, each with the expected easiest step."""

import json
import re
from pathlib import Path
from typing import NamedTuple

from sudokucrypt.sudoku import Technique, Variant
from sudokucrypt.sudoku.deducing.board import CandidateBoard


class Position(NamedTuple):
    """Candidates struck from an empty 9x9 grid, and the expected step."""

    technique: Technique
    gone: list[tuple[int, int]]
    cells: tuple[int, ...]
    digits: tuple[int, ...]
    struck: list[tuple[int, int]]

    def board(self) -> CandidateBoard:
        """Return the board of the position."""
        board = CandidateBoard(Variant.standard(), [-1] * 81)
        for cell, digit in self.gone:
            board.strike(cell, digit)
        return board


def _read_cells(names: str) -> tuple[int, ...]:
    """Read names of cells such as r1c9."""
    return tuple(9 * int(row) + int(column) - 10 for row, column in re.findall("r(.)c(.)", names))


def _read_candidates(struck: dict[str, str]) -> list[tuple[int, int]]:
    """Read the cells of each digit as pairs of cell and digit."""
    return [
        (cell, int(digit) - 1) for digit, names in struck.items() for cell in _read_cells(names)
    ]


POSITIONS = {
    name: Position(
        next(technique for technique in Technique if technique.label == fields["technique"]),
        _read_candidates(fields["struck before"]),
        _read_cells(fields["cells"]),
        tuple(int(digit) - 1 for digit in fields["digits"].split()),
        _read_candidates(fields["struck"]),
    )
    for name, fields in json.loads(Path(__file__).with_suffix(".json").read_text("utf-8")).items()
}
