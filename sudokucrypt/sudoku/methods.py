"""The methods that make full grids, by name, for each kind of grid."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple, TypeAlias

from sudokucrypt.sudoku.counting.ranking import is_numbered, random_grid
from sudokucrypt.sudoku.historical import LARGEST_ORDER, grid_by_boxes, grid_by_cells, grid_by_rows
from sudokucrypt.sudoku.making import sheets
from sudokucrypt.sudoku.model.boxes import get_cell_name
from sudokucrypt.sudoku.model.grid import SudokuGrid
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.text import get_symbol
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.solving.solver import MAX_DIGITS, get_grid_patience, random_solution
from sudokucrypt.typing import Box, RandomSource

StepReporter: TypeAlias = Callable[[str], object] | None
SheetMaker: TypeAlias = Callable[
    [RandomSource, StepReporter, int | None], SudokuGrid | SudokuPuzzle
]

# The names of all methods.
METHOD_NAMES = ("uniform", "rows", "boxes", "cells", "search", "shuffle", "stir")

_MAX_SEARCH_ORDER = 25  # up to this order a random search always ends soon


class SheetMethod(NamedTuple):
    """A method that makes full grids of one kind, and whether it can report each step.

    `make` takes a random source, a function that receives each step as a line of text (or None),
    and the number of moves per row (or None), which only ``stir`` uses.
    """

    make: SheetMaker
    reports_steps: bool = False


def get_grid_methods(box: Box) -> Mapping[str, SheetMethod]:
    """Return the methods for ordinary grids with these boxes, the best first."""
    order = box[0] * box[1]
    methods: dict[str, SheetMethod] = {}
    if is_numbered(box):
        methods["uniform"] = SheetMethod(lambda source, *_: random_grid(source, box=box))
    if order <= MAX_DIGITS:
        make_by_search = partial(sheets.grid_by_search, box=box)
        methods["search"] = _make_reporting_method(
            make_by_search, format_node, Variant.standard(box)
        )
    methods["stir"] = SheetMethod(
        lambda source, _, amount: sheets.stirred_grid(
            source, box=box, amount=sheets.DEFAULT_STIR_AMOUNT if amount is None else amount
        )
    )
    if order <= LARGEST_ORDER:
        methods["rows"] = _make_reporting_method(partial(grid_by_rows, box=box), _format_row)
    if box == (3, 3):
        methods["boxes"] = _make_reporting_method(grid_by_boxes, _format_box)
    if order <= MAX_DIGITS:
        make_by_cells = partial(grid_by_cells, box=box)
        methods["cells"] = _make_reporting_method(
            make_by_cells, _format_trial, Variant.standard(box)
        )
    methods["shuffle"] = SheetMethod(lambda source, *_: sheets.shuffled_grid(source, box=box))
    names = sorted(methods, key=lambda name: order > _MAX_SEARCH_ORDER and name != "stir")
    return {name: methods[name] for name in names}


def get_search_methods(rules: Callable[[RandomSource], Variant]) -> Mapping[str, SheetMethod]:
    """Return the only method for other variants: search; `rules` returns or draws the variant."""

    def search(source: RandomSource, report: StepReporter, _: int | None) -> SudokuPuzzle:
        variant = rules(source)
        patience = get_grid_patience(variant)
        if report is None:
            return random_solution(variant, source, patience=patience)
        return random_solution(
            variant,
            source,
            patience=patience,
            trace=lambda *node: report(format_node(variant, *node)),
        )

    return {"search": SheetMethod(search, reports_steps=True)}


def get_array_methods(sides: tuple[int, ...]) -> Mapping[str, SheetMethod]:
    """Return the methods for arrays, the best first."""
    variant = Variant.array(sides)

    def search(source: RandomSource, *, trace: Callable[..., object] | None) -> SudokuPuzzle:
        array = sheets.array_by_search(sides, source, trace=trace)
        return array.to_puzzle()

    def shuffle(source: RandomSource, *_: StepReporter | int) -> SudokuPuzzle:
        return sheets.shuffled_array(sides, source).to_puzzle()

    return {
        "search": _make_reporting_method(search, format_node, variant),
        "shuffle": SheetMethod(shuffle),
    }


def _make_reporting_method(
    make_sheet: Callable[..., SudokuGrid | SudokuPuzzle],
    format_step: Callable[..., str],
    *rules: Variant,
) -> SheetMethod:
    """Return a method that reports the text that `format_step` returns for each step."""

    def make_with_report(
        source: RandomSource, report: StepReporter, _: int | None
    ) -> SudokuGrid | SudokuPuzzle:
        return make_sheet(
            source, trace=report and (lambda *step: report(format_step(*rules, *step)))
        )

    return SheetMethod(make_with_report, reports_steps=True)


def format_node(variant: Variant, index: int, cell: int, digit: int) -> str:
    """Return the text of a search step: its number, the cell and the digit."""
    return f"node {index + 1}: {_format_placement(variant, cell, digit)}"


def _format_trial(variant: Variant, cell: int, digit: int, is_kept: int) -> str:
    return (
        f"{_format_placement(variant, cell, digit)} {'stays' if is_kept else 'cannot be completed'}"
    )


def _format_row(indices: tuple[int, ...], choice_count: int) -> str:
    return f"row {len(indices)}: anagram {indices[-1]}, one of {choice_count}"


def _format_box(band: int, stack: int, index: int, choice_count: int) -> str:
    return f"box in band {band + 1} and stack {stack + 1}: anagram {index}, one of {choice_count}"


def _format_placement(variant: Variant, cell: int, digit: int) -> str:
    return f"{get_symbol(digit, variant.digits)} in {get_cell_name(*variant.cells[cell])}"
