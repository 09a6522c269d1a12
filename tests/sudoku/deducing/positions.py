"""Positions made by hand, each with what the easiest technique concludes from it."""

from collections.abc import Iterable
from typing import NamedTuple

from sudokucrypt.sudoku import Technique, Variant
from sudokucrypt.sudoku.deducing.board import Board


class Position(NamedTuple):
    """What is struck from an empty 9x9 sheet, and the step that follows."""

    technique: Technique
    gone: list[tuple[int, int]]
    cells: tuple[int, ...]
    digits: tuple[int, ...]
    struck: list[tuple[int, int]]

    def board(self, variant: Variant | None = None) -> Board:
        """Return the position."""
        board = Board(variant or Variant.standard(), [-1] * 81)
        for cell, digit in self.gone:
            board.strike(cell, digit)
        return board


def _at(*places: int) -> tuple[int, ...]:
    """Return the cells at these places, written as row and column: 48 is row 4, column 8."""
    return tuple(place // 10 * 9 + place % 10 for place in places)


def _but(cell: int, digits: Iterable[int]) -> list[tuple[int, int]]:
    """Return all candidates of an empty cell except these."""
    return [(cell, digit) for digit in range(9) if digit not in digits]


def _row(row: int, columns: Iterable[int], digit: int = 0) -> list[tuple[int, int]]:
    """Return a digit in all cells of a row except those in some columns."""
    return [(9 * row + column, digit) for column in range(9) if column not in columns]


def _turned(pairs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the candidates mirrored at the falling diagonal."""
    return [(cell % 9 * 9 + cell // 9, digit) for cell, digit in pairs]


_X_WING = _row(0, (1, 7)) + _row(4, (1, 7))
_X_WING_STRUCK = [(9 * row + c, 0) for row in (1, 2, 3, 5, 6, 7, 8) for c in (1, 7)]
_PEERS_OF_00 = sorted({*range(1, 9), *range(9, 81, 9), *_at(11, 12, 21, 22)})

POSITIONS = {
    "naked single": Position(
        Technique.NAKED_SINGLE, _but(0, [5]), (0,), (5,), [(peer, 5) for peer in _PEERS_OF_00]
    ),
    "hidden single": Position(
        Technique.HIDDEN_SINGLE,
        _row(0, [0]), (0,), (0,), [(peer, 0) for peer in _PEERS_OF_00 if peer > 8],
    ),
    "pointing": Position(
        Technique.LOCKED_CANDIDATES,
        [(cell, 0) for cell in _at(10, 11, 12, 20, 21, 22)],
        _at(0, 1, 2), (0,), [(column, 0) for column in range(3, 9)],
    ),
    "claiming": Position(
        Technique.LOCKED_CANDIDATES,
        _row(0, (0, 1, 2)),
        _at(0, 1, 2), (0,), [(cell, 0) for cell in _at(10, 11, 12, 20, 21, 22)],
    ),
    "naked pair": Position(
        Technique.NAKED_PAIR,
        _but(0, (0, 1)) + _but(8, (0, 1)),
        _at(0, 8), (0, 1), [(cell, digit) for cell in range(1, 8) for digit in (0, 1)],
    ),
    "hidden pair": Position(
        Technique.HIDDEN_PAIR,
        _row(0, (0, 8), 0) + _row(0, (0, 8), 1),
        _at(0, 8), (0, 1), [(cell, digit) for cell in (0, 8) for digit in range(2, 9)],
    ),
    "naked triple": Position(
        Technique.NAKED_TRIPLE,
        _but(0, (0, 1)) + _but(4, (1, 2)) + _but(8, (0, 2)),
        _at(0, 4, 8), (0, 1, 2),
        [(cell, digit) for cell in (1, 2, 3, 5, 6, 7) for digit in (0, 1, 2)],
    ),
    "hidden triple": Position(
        Technique.HIDDEN_TRIPLE,
        _row(0, (0, 4), 0) + _row(0, (4, 8), 1) + _row(0, (0, 8), 2),
        _at(0, 4, 8), (0, 1, 2),
        [(cell, digit) for cell in (0, 4, 8) for digit in range(3, 9)]
        + [(0, 1), (4, 2), (8, 0)],
    ),
    "X-wing in rows": Position(
        Technique.X_WING, _X_WING, _at(1, 7, 41, 47), (0,), _X_WING_STRUCK
    ),
    "X-wing in columns": Position(
        Technique.X_WING, _turned(_X_WING), _at(10, 70, 14, 74), (0,), _turned(_X_WING_STRUCK)
    ),
    "XY-wing": Position(
        Technique.XY_WING,
        _but(0, (0, 1)) + _but(8, (0, 2)) + _but(72, (1, 2)),
        (0, 8, 72), (2,), [(80, 2)],
    ),
    "swordfish": Position(
        Technique.SWORDFISH,
        _row(0, (1, 4)) + _row(4, (4, 7)) + _row(8, (1, 7)),
        _at(1, 4, 44, 47, 81, 87), (0,),
        [(9 * row + column, 0) for row in (1, 2, 3, 5, 6, 7) for column in (1, 4, 7)],
    ),
    "naked quad": Position(
        Technique.NAKED_QUAD,
        _but(0, (0, 1)) + _but(3, (1, 2)) + _but(5, (2, 3)) + _but(8, (0, 3)),
        _at(0, 3, 5, 8), (0, 1, 2, 3),
        [(cell, digit) for cell in (1, 2, 4, 6, 7) for digit in range(4)],
    ),
    "hidden quad": Position(
        Technique.HIDDEN_QUAD,
        _row(0, (0, 3, 5), 0) + _row(0, (3, 5, 8), 1) + _row(0, (0, 5, 8), 2)
        + _row(0, (0, 3, 8), 3),
        _at(0, 3, 5, 8), (0, 1, 2, 3),
        [(cell, digit) for cell in (0, 3, 5, 8) for digit in range(4, 9)],
    ),
}  # fmt: skip
