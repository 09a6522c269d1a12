"""The methods that make full sheets, by name: which there are for a sheet, and what each does."""

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from sudokucrypt.sudoku.counting.ranking import is_numbered, random_grid
from sudokucrypt.sudoku.historical.anagrams import LARGEST
from sudokucrypt.sudoku.historical.boxes import grid_by_boxes
from sudokucrypt.sudoku.historical.lines import grid_by_cells, grid_by_rows
from sudokucrypt.sudoku.making import sheets
from sudokucrypt.sudoku.model.arrays import SudokuArray
from sudokucrypt.sudoku.model.grid import SudokuGrid
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.text import symbol
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.solving.solver import MOST_DIGITS, random_solution
from sudokucrypt.typing import Box, RandomSource

Report: TypeAlias = Callable[[str], object] | None
Make: TypeAlias = Callable[[RandomSource, Report, int | None], SudokuGrid | SudokuPuzzle]

METHODS = ("uniform", "rows", "boxes", "cells", "search", "shuffle", "stir")
"""The names of all methods."""

_QUICK = 25
"""Up to this order a search never gets lost for long."""


class Method(NamedTuple):
    """One method for one kind of sheet; `traced` says whether it has steps to report.

    `make` takes a random source, a function that receives each step as a line of text (or None),
    and the moves for each row (or None), which only ``stir`` looks at.
    """

    make: Make
    traced: bool = False


def grid_methods(box: Box) -> Mapping[str, Method]:
    """Return the methods for ordinary grids, the one that suits them best first."""
    order = box[0] * box[1]
    methods = {
        "uniform": Method(lambda source, *_: random_grid(source, box)),
        "search": Method(
            lambda source, report, _: sheets.grid_by_search(
                box, source, trace=_told(report, _node, Variant.standard(box))
            ),
            traced=True,
        ),
        "stir": Method(
            lambda source, _, amount: sheets.stirred_grid(
                box, source, amount=sheets.AMOUNT if amount is None else amount
            )
        ),
        "rows": Method(
            lambda source, report, _: grid_by_rows(box, source, trace=_told(report, _row)),
            traced=True,
        ),
        "boxes": Method(
            lambda source, report, _: grid_by_boxes(source, trace=_told(report, _box)), traced=True
        ),
        "cells": Method(
            lambda source, report, _: grid_by_cells(
                box, source, trace=_told(report, _trial, Variant.standard(box))
            ),
            traced=True,
        ),
        "shuffle": Method(lambda source, *_: sheets.shuffled_grid(box, source)),
    }
    possible = {
        "uniform": is_numbered(box),
        "search": order <= MOST_DIGITS,
        "rows": order <= LARGEST,
        "boxes": box == (3, 3),
        "cells": order <= MOST_DIGITS,
    }
    names = [name for name in methods if possible.get(name, True)]
    if order > _QUICK:
        names.sort(key=lambda name: name != "stir")
    return {name: methods[name] for name in names}


def search_methods(variant: Variant) -> Mapping[str, Method]:
    """Return the one method for sheets of any other variant."""

    def search(source: RandomSource, report: Report, _: int | None) -> SudokuPuzzle:
        return random_solution(variant, source, trace=_told(report, _node, variant))

    return {"search": Method(search, traced=True)}


def array_methods(sides: tuple[int, ...]) -> Mapping[str, Method]:
    """Return the methods for arrays, the better first."""

    def flat(array: SudokuArray) -> SudokuPuzzle:
        return SudokuPuzzle(array.sheet(), Variant.array(sides))

    def search(source: RandomSource, report: Report, _: int | None) -> SudokuPuzzle:
        trace = _told(report, _node, Variant.array(sides))
        return flat(sheets.array_by_search(sides, source, trace=trace))

    shuffle = Method(lambda source, *_: flat(sheets.shuffled_array(sides, source)))
    return {"search": Method(search, traced=True), "shuffle": shuffle}


def _told(report: Report, say: Callable[..., str], *rules: Variant) -> Callable[..., object] | None:
    """Return what reports the text that `say` makes of each step, under these rules if any."""
    return report and (lambda *step: report(say(*rules, *step)))


def _node(variant: Variant, number: int, cell: int, digit: int) -> str:
    return f"node {number + 1}: {_placed(variant, cell, digit)}"


def _trial(variant: Variant, cell: int, digit: int, stays: bool) -> str:
    return f"{_placed(variant, cell, digit)} {'stays' if stays else 'cannot be completed'}"


def _row(indices: tuple[int, ...], choices: int) -> str:
    return f"row {len(indices)}: anagram {indices[-1]}, one of {choices}"


def _box(band: int, stack: int, index: int, choices: int) -> str:
    return f"box in band {band + 1} and stack {stack + 1}: anagram {index}, one of {choices}"


def _placed(variant: Variant, cell: int, digit: int) -> str:
    row, column = variant.cells[cell]
    return f"{symbol(digit, variant.digits)} in r{row + 1}c{column + 1}"
