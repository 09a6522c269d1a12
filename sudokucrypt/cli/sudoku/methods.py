"""The methods that make grids, and for which sheets there are which."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, get_args

import click

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
    shuffled_array,
    shuffled_grid,
    stirred_grid,
)
from sudokucrypt.sudoku.fewest import fill

if TYPE_CHECKING:
    from collections.abc import Callable

    from sudokucrypt.cli.sudoku.forms import Kind, VariantOptions
    from sudokucrypt.sudoku import SudokuArray, SudokuGrid
    from sudokucrypt.typing import Box, RandomSource

    Make = Callable[[RandomSource], SudokuGrid | SudokuPuzzle]

Method: TypeAlias = Literal["uniform", "rows", "boxes", "cells", "search", "shuffle", "stir"]
METHODS: tuple[Method, ...] = get_args(Method)

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
    return Maker(kind, chosen, makers[chosen])


def _grid_makers(box: Box, amount: int | None) -> dict[Method, Make]:
    """Return the methods for ordinary grids, the best first."""
    order = box[0] * box[1]
    how = {} if amount is None else {"amount": amount}
    stir: dict[Method, Make] = {"stir": lambda source: stirred_grid(box, source, **how)}
    search: dict[Method, Make] = {}
    if order <= _MOST_SEARCHED:
        search["search"] = partial(grid_by_search, box)
    makers: dict[Method, Make] = {}
    if _is_numbered(box):
        makers["uniform"] = lambda source: random_grid(source, box)
    makers |= search | stir if order <= _QUICK else stir | search
    if order <= _MOST_LISTED:
        makers["rows"] = partial(grid_by_rows, box)
    if box == (3, 3):
        makers["boxes"] = grid_by_boxes
    if order <= _MOST_SEARCHED:
        makers["cells"] = partial(grid_by_cells, box)
    return makers | {"shuffle": partial(shuffled_grid, box)}


def _variant_makers(variant: Variant) -> dict[Method, Make]:
    """Return the one method for sheets with other rules."""

    def search(source: RandomSource) -> SudokuPuzzle:
        filled = fill(variant.rules, source)
        if filled is None:
            raise UnsupportedError(f"there is no full sheet of {variant.name}")
        return SudokuPuzzle(filled, variant)

    return {"search": search}


def _array_makers(sides: tuple[int, ...]) -> dict[Method, Make]:
    """Return the methods for arrays, the better first."""
    return {
        "search": lambda source: _flat(array_by_search(sides, source)),
        "shuffle": lambda source: _flat(shuffled_array(sides, source)),
    }


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
