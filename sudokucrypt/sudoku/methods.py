"""The methods that make full sheets, by name: which there are for a sheet, and what each does."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.sudoku.counting.ranking import grid_total, random_grid
from sudokucrypt.sudoku.historical.anagrams import LARGEST
from sudokucrypt.sudoku.historical.boxes import grid_by_boxes
from sudokucrypt.sudoku.historical.cells import grid_by_cells
from sudokucrypt.sudoku.historical.rows import grid_by_rows
from sudokucrypt.sudoku.making.searching import array_by_search, grid_by_search, shuffled_array
from sudokucrypt.sudoku.making.stirring import AMOUNT, shuffled_grid, stirred_grid
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.text import write_line
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.solving.search import MOST_DIGITS
from sudokucrypt.sudoku.solving.solver import random_solution

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sudokucrypt.sudoku.model.arrays import SudokuArray
    from sudokucrypt.sudoku.model.grid import SudokuGrid
    from sudokucrypt.typing import Box, RandomSource

    Report: TypeAlias = Callable[[str], object] | None
    Make: TypeAlias = Callable[[RandomSource, Report, int | None], SudokuGrid | SudokuPuzzle]

METHODS = ("uniform", "rows", "boxes", "cells", "search", "shuffle", "stir")
"""The names of all methods."""

_QUICK = 25
"""Up to this order a search never gets lost for long."""


class Method(NamedTuple):
    """One method for one kind of sheet.

    Parameters
    ----------
    make : callable
        Takes a random source, a function that receives each step as a line of text (or None),
        and the moves for each row (or None), which only ``stir`` looks at.
    traced : bool
        Whether there are steps to report.
    """

    make: Make
    traced: bool = False


def grid_methods(box: Box) -> Mapping[str, Method]:
    """Return the methods for ordinary grids, the one that suits them best first."""
    order = box[0] * box[1]
    stir = Method(
        lambda source, _, amount: stirred_grid(
            box, source, amount=AMOUNT if amount is None else amount
        )
    )
    search = Method(
        lambda source, report, _: grid_by_search(
            box, source, trace=report and _nodes(report, order, lambda cell: divmod(cell, order))
        ),
        traced=True,
    )
    rows = Method(
        lambda source, report, _: grid_by_rows(box, source, trace=report and _rows(report)),
        traced=True,
    )
    boxes = Method(
        lambda source, report, _: grid_by_boxes(source, trace=report and _boxes(report)),
        traced=True,
    )
    cells = Method(
        lambda source, report, _: grid_by_cells(
            box, source, trace=report and _cells(report, order)
        ),
        traced=True,
    )
    methods: dict[str, Method] = {}
    if _is_numbered(box):
        methods["uniform"] = Method(lambda source, *_: random_grid(source, box))
    methods |= {"search": search, "stir": stir} if order <= _QUICK else {"stir": stir}
    if order <= MOST_DIGITS:
        methods["search"] = search
    if order <= LARGEST:
        methods["rows"] = rows
    if box == (3, 3):
        methods["boxes"] = boxes
    if order <= MOST_DIGITS:
        methods["cells"] = cells
    return methods | {"shuffle": Method(lambda source, *_: shuffled_grid(box, source))}


def search_methods(variant: Variant) -> Mapping[str, Method]:
    """Return the one method for sheets of any other variant."""

    def search(source: RandomSource, report: Report, _: int | None) -> SudokuPuzzle:
        trace = report and _nodes(report, variant.digits, variant.cells.__getitem__)
        return random_solution(variant, source, trace=trace)

    return {"search": Method(search, traced=True)}


def array_methods(sides: tuple[int, ...]) -> Mapping[str, Method]:
    """Return the methods for arrays, the better first."""

    def search(source: RandomSource, report: Report, _: int | None) -> SudokuPuzzle:
        a, b, c, d = sides
        digits = max(c * d, a * c, b * d)
        trace = report and _nodes(report, digits, lambda cell: divmod(cell, b * d))
        return _flat(array_by_search(sides, source, trace=trace))

    shuffle = Method(lambda source, *_: _flat(shuffled_array(sides, source)))
    return {"search": Method(search, traced=True), "shuffle": shuffle}


def _flat(array: SudokuArray) -> SudokuPuzzle:
    """Return an array as a full sheet."""
    return SudokuPuzzle(array.sheet(), Variant.array(array.shape))


def _is_numbered(box: Box) -> bool:
    """Return whether grids with such boxes can be drawn each equally likely."""
    try:
        grid_total(box)
    except UnsupportedError:
        return False
    return True


def _nodes(
    report: Callable[[str], object], digits: int, place: Callable[[int], tuple[int, int]]
) -> Callable[[int, int, int], object]:
    """Return what reports each node of a search; `place` knows row and column of a cell."""
    return lambda number, cell, digit: report(
        f"node {number + 1}: {_written(digit, digits, place(cell))}"
    )


def _cells(report: Callable[[str], object], order: int) -> Callable[[int, int, bool], object]:
    """Return what reports each digit that is tried, and whether it stays."""
    return lambda cell, digit, stays: report(
        f"{_written(digit, order, divmod(cell, order))} "
        + ("stays" if stays else "cannot be completed")
    )


def _rows(report: Callable[[str], object]) -> Callable[[tuple[int, ...], int], object]:
    """Return what reports the last row of each partial grid."""
    return lambda indices, choices: report(
        f"row {len(indices)}: anagram {indices[-1]}, one of {choices}"
    )


def _boxes(report: Callable[[str], object]) -> Callable[[int, int, int, int], object]:
    """Return what reports each box that is placed."""
    return lambda band, stack, index, choices: report(
        f"box in band {band + 1} and stack {stack + 1}: anagram {index}, one of {choices}"
    )


def _written(digit: int, digits: int, place: tuple[int, int]) -> str:
    return f"{write_line([digit], digits)} in r{place[0] + 1}c{place[1] + 1}"
