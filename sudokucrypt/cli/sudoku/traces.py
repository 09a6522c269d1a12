"""What the methods that make grids tell about their way, as lines for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudokucrypt.sudoku.text import write_line

if TYPE_CHECKING:
    from collections.abc import Callable

    Tell = Callable[[str], object]
    Place = Callable[[int], tuple[int, int]]


def of_nodes(tell: Tell, digits: int, place: Place) -> Callable[[int, int, int], None]:
    """Return what tells each node of a search; `place` knows row and column of a cell."""

    def trace(number: int, cell: int, digit: int) -> None:
        tell(f"node {number + 1}: {_written(digit, digits, place(cell))}")

    return trace


def of_cells(tell: Tell, digits: int, place: Place) -> Callable[[int, int, bool], None]:
    """Return what tells each digit that is tried, and whether it stays."""

    def trace(cell: int, digit: int, stays: bool) -> None:
        verdict = "stays" if stays else "cannot be completed"
        tell(f"{_written(digit, digits, place(cell))} {verdict}")

    return trace


def of_rows(tell: Tell) -> Callable[[tuple[int, ...], int], None]:
    """Return what tells the last row of each partial grid."""

    def trace(indices: tuple[int, ...], choices: int) -> None:
        tell(f"row {len(indices)}: anagram {indices[-1]}, one of {choices}")

    return trace


def of_boxes(tell: Tell) -> Callable[[int, int, int, int], None]:
    """Return what tells each box that is placed."""

    def trace(band: int, stack: int, index: int, choices: int) -> None:
        place = f"box in band {band + 1} and stack {stack + 1}"
        tell(f"{place}: anagram {index}, one of {choices}")

    return trace


def _written(digit: int, digits: int, place: tuple[int, int]) -> str:
    return f"{write_line([digit], digits)} in r{place[0] + 1}c{place[1] + 1}"
