"""Positions made by hand, each with what the easiest technique concludes from it."""

from collections.abc import Iterable
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

    def board(self, variant: Variant | None = None) -> CandidateBoard:
        """Return the position."""
        board = CandidateBoard(variant or Variant.standard(), [-1] * 81)
        for cell, digit in dict.fromkeys(self.gone):
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
_BESIDE_PAIR = sorted({*range(18, 81, 9), *_at(1, 2, 11, 12, 21, 22)})  # cells see r1c1 and r2c1
_NEAR_CORNER = [(cell, digit) for cell in {*_BESIDE_PAIR, 1, 2, *range(4, 9)} for digit in (0, 1)]
_BESIDE_SECOND = sorted({*range(21, 81, 9), *_at(4, 5, 14, 15, 24, 25)})

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
    "turbot fish": Position(
        Technique.TURBOT_FISH,
        _row(0, (1, 7)) + _row(4, (1, 8)),
        _at(1, 7, 41, 48), (0,), [(cell, 0) for cell in _at(18, 28, 37, 57)],
    ),
    "finned X-wing": Position(
        Technique.FINNED_X_WING,
        _row(0, (1, 7)) + _row(4, (1, 7, 8)),
        _at(1, 7, 41, 47, 48), (0,), [(cell, 0) for cell in _at(37, 57)],
    ),
    "XYZ-wing": Position(
        Technique.XYZ_WING,
        _but(0, (0, 1, 2)) + _but(8, (1, 2)) + _but(10, (0, 2)),
        (0, 8, 10), (2,), [(1, 2), (2, 2)],
    ),
    "W-wing": Position(
        Technique.W_WING,
        _but(0, (0, 1)) + _but(80, (0, 1)) + _row(4, (0, 8)),
        (0, 80), (0, 1), [(8, 1), (72, 1)],
    ),
    "unique rectangle of one corner": Position(
        Technique.UNIQUE_RECTANGLE,
        _but(0, (0, 1)) + _but(3, (0, 1)) + _but(9, (0, 1)) + _NEAR_CORNER,
        _at(0, 3, 10, 13), (0, 1), [(12, 0), (12, 1)],
    ),
    "unique rectangle of one digit": Position(
        Technique.UNIQUE_RECTANGLE,
        _but(0, (0, 1)) + _but(9, (0, 1)) + _but(3, (0, 1, 2)) + _but(12, (0, 1, 2))
        + [(cell, digit) for cell in _BESIDE_PAIR for digit in (0, 1)],
        _at(0, 3, 10, 13), (0, 1), [(cell, 2) for cell in _BESIDE_SECOND],
    ),
    "jellyfish": Position(
        Technique.JELLYFISH,
        [gone for row in (0, 3, 6, 8) for gone in _row(row, (1, 4, 7, 8))],
        _at(*(10 * row + column for row in (0, 3, 6, 8) for column in (1, 4, 7, 8))), (0,),
        [(9 * row + column, 0) for row in (1, 2, 4, 5, 7) for column in (1, 4, 7, 8)],
    ),
    "coloring": Position(
        Technique.COLORING,
        _row(0, (1, 4)) + _row(4, (4, 7)) + _row(8, (0, 7))
        + _turned(_row(4, (0, 4)) + _row(7, (4, 8))),
        _at(1, 4, 44, 47, 80, 87), (0,), [(cell, 0) for cell in _at(10, 20, 61, 71)],
    ),
    "WXYZ-wing": Position(
        Technique.WXYZ_WING,
        _but(0, (0, 1, 2, 3)) + _but(10, (0, 3)) + _but(4, (1, 3)) + _but(8, (2, 3)),
        (0, 4, 8, 10), (3,), [(1, 3), (2, 3)],
    ),
    "X-chain": Position(
        Technique.X_CHAIN,
        _row(0, (1, 4)) + _row(4, (4, 7)) + _row(8, (1, 7, 8)),
        _at(1, 4, 44, 47, 81, 87, 88), (0,), [(cell, 0) for cell in _at(67, 77)],
    ),
    "VWXYZ-wing": Position(
        Technique.VWXYZ_WING,
        _but(0, range(5)) + _but(10, (0, 4)) + _but(3, (1, 4)) + _but(5, (2, 4)) + _but(8, (3, 4)),
        (0, 3, 5, 8, 10), (4,), [(1, 4), (2, 4)],
    ),
    "XY-chain": Position(
        Technique.XY_CHAIN,
        _but(0, (0, 1)) + _but(4, (1, 2)) + _but(40, (2, 3)) + _but(37, (0, 3)),
        (0, 4, 37, 40), (0, 1, 2, 3), [(cell, 0) for cell in _at(1, 11, 21, 30, 40, 50)],
    ),
    "chain": Position(
        Technique.CHAIN,
        _but(0, (0, 1)) + _turned(_row(4, (0, 5), 1)) + _but(46, (1, 2)) + _row(8, (1, 3), 2)
        + _but(68, (0, 2)),
        _at(0, 4, 54, 51, 81, 83, 75), (0, 1, 2), [(5, 0), (63, 0)],
    ),
    "finned swordfish": Position(
        Technique.FINNED_SWORDFISH,
        _row(0, (1, 4, 7)) + _row(4, (1, 4, 7)) + _row(8, (1, 4, 7, 8)),
        _at(1, 4, 7, 41, 44, 47, 81, 84, 87, 88), (0,), [(cell, 0) for cell in _at(67, 77)],
    ),
    "finned jellyfish": Position(
        Technique.FINNED_JELLYFISH,
        [gone for row in (0, 3, 5) for gone in _row(row, (1, 4, 7, 8))] + _row(8, (1, 3, 4, 7, 8)),
        (*_at(*(10 * row + column for row in (0, 3, 5, 8) for column in (1, 4, 7, 8))), 75), (0,),
        [(cell, 0) for cell in _at(64, 74)],
    ),
}  # fmt: skip
