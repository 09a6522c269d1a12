"""The methods that make grids, and for which sheets there are which."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, get_args

import click

from sudokucrypt.cli.sudoku.traces import of_boxes, of_cells, of_nodes, of_rows
from sudokucrypt.errors import UnsupportedError
from sudokucrypt.sudoku import (
    SudokuPuzzle,
    Variant,
    array_by_search,
    grid_by_boxes,
    grid_by_cells,
    grid_by_rows,
    grid_by_search,
    grid_total,
    random_grid,
    random_solution,
    shuffled_array,
    shuffled_grid,
    stirred_grid,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from sudokucrypt.cli.sudoku.rules import Kind, VariantOptions
    from sudokucrypt.cli.sudoku.traces import Tell
    from sudokucrypt.sudoku import SudokuArray, SudokuGrid
    from sudokucrypt.typing import Box, RandomSource

    Make = Callable[[RandomSource, Tell | None], SudokuGrid | SudokuPuzzle]

Method: TypeAlias = Literal["uniform", "rows", "boxes", "cells", "search", "shuffle", "stir"]
METHODS: tuple[Method, ...] = get_args(Method)

_TRACED = ("search", "rows", "boxes", "cells")
_MOST_LISTED = 9
_MOST_SEARCHED = 64
_QUICK = 25
"""Up to this order a search never gets lost for long."""


class Maker(NamedTuple):
    """A way to make sheets."""

    kind: Kind
    method: Method
    make: Make


def maker(
    rules: VariantOptions,
    sides: tuple[int, ...] | None,
    method: Method | None,
    amount: int | None,
    *,
    trace: bool,
) -> Maker:
    """Return how sheets are made, by default by the method that suits them best.

    Raises
    ------
    click.UsageError
        If the options do not go together.
    """
    if amount is not None and method not in (None, "stir"):
        raise click.UsageError(f"--amount is for stirring, not for '{method}'")
    if sides is not None:
        if rules.box or rules.kind != "standard":
            raise click.UsageError("--array says all about the sheet; leave out --box and the rest")
        makers = _array_makers(sides)
        kind: Kind = "array"
        name = "arrays"
    else:
        box = rules.box or (3, 3)
        kind = rules.kind
        names = {"standard": "grids", "x": "X-Sudoku", "samurai": "Samurai sheets"}
        name = f"{names[kind]} with {box[0]}x{box[1]} boxes"
        makers = (
            _grid_makers(box, amount) if kind == "standard" else _variant_makers(rules.variant())
        )
    chosen = "stir" if amount is not None else method or next(iter(makers))
    if chosen not in makers:
        raise click.UsageError(f"'{chosen}' does not make {name}; these do: {', '.join(makers)}")
    if trace and chosen not in _TRACED:
        traced = ", ".join(name for name in makers if name in _TRACED)
        others = f"; these have: {traced}" if traced else f", nor has another method for {name}"
        raise click.UsageError(f"'{chosen}' has no steps for --trace{others}")
    return Maker(kind, chosen, makers[chosen])


def _grid_makers(box: Box, amount: int | None) -> dict[Method, Make]:
    """Return the methods for ordinary grids, the best first."""
    order = box[0] * box[1]
    how = {} if amount is None else {"amount": amount}

    def place(cell: int) -> tuple[int, int]:
        return divmod(cell, order)

    def search(source: RandomSource, tell: Tell | None) -> SudokuGrid:
        return grid_by_search(box, source, trace=tell and of_nodes(tell, order, place))

    def cells(source: RandomSource, tell: Tell | None) -> SudokuGrid:
        return grid_by_cells(box, source, trace=tell and of_cells(tell, order, place))

    def rows(source: RandomSource, tell: Tell | None) -> SudokuGrid:
        return grid_by_rows(box, source, trace=tell and of_rows(tell))

    def boxes(source: RandomSource, tell: Tell | None) -> SudokuGrid:
        return grid_by_boxes(source, trace=tell and of_boxes(tell))

    stirred: dict[Method, Make] = {"stir": lambda source, _: stirred_grid(box, source, **how)}
    searched: dict[Method, Make] = {"search": search} if order <= _MOST_SEARCHED else {}
    makers: dict[Method, Make] = {}
    if _is_numbered(box):
        makers["uniform"] = lambda source, _: random_grid(source, box)
    makers |= searched | stirred if order <= _QUICK else stirred | searched
    if order <= _MOST_LISTED:
        makers["rows"] = rows
    if box == (3, 3):
        makers["boxes"] = boxes
    if order <= _MOST_SEARCHED:
        makers["cells"] = cells
    return makers | {"shuffle": lambda source, _: shuffled_grid(box, source)}


def _variant_makers(variant: Variant) -> dict[Method, Make]:
    """Return the one method for sheets with other rules."""

    def search(source: RandomSource, tell: Tell | None) -> SudokuPuzzle:
        trace = tell and of_nodes(tell, variant.digits, variant.cells.__getitem__)
        return random_solution(variant, source, trace=trace)

    return {"search": search}


def _array_makers(sides: tuple[int, ...]) -> dict[Method, Make]:
    """Return the methods for arrays, the better first."""
    _, b, c, d = sides

    def place(cell: int) -> tuple[int, int]:
        rectangle, inside = divmod(cell, c * d)
        return rectangle // b * c + inside // d, rectangle % b * d + inside % d

    def search(source: RandomSource, tell: Tell | None) -> SudokuPuzzle:
        digits = max(c * d, sides[0] * c, b * d)
        return _flat(array_by_search(sides, source, trace=tell and of_nodes(tell, digits, place)))

    return {"search": search, "shuffle": lambda source, _: _flat(shuffled_array(sides, source))}


def _flat(array: SudokuArray) -> SudokuPuzzle:
    """Return an array as a full sheet."""
    return SudokuPuzzle(array.sheet(), Variant.array(array.shape))


def _is_numbered(box: Box) -> bool:
    """Tell whether grids with such boxes can be drawn each equally likely."""
    try:
        grid_total(box)
    except UnsupportedError:
        return False
    return True
