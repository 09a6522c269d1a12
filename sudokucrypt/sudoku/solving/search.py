"""The search behind every room: depth-first over bit sets, with naked and hidden singles.

It solves and counts puzzles of every variant in a fixed order, and fills sheets at random.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.checks import checked_integer
from sudokucrypt.errors import UnsupportedError
from sudokucrypt.kernels import load_kernels
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.rules import Rules
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.typing import RandomSource

NodeTrace = Callable[[int, int, int], object]

_bands = load_kernels("sudokucrypt.sudoku._kernels", "solver")
_general = load_kernels("sudokucrypt.sudoku._kernels", "search")

MOST_DIGITS = 64
"""The candidates of a cell are the bits of one word."""

ATTEMPTS = 40
"""How often a random search begins again before its patience doubles each time."""


def check_digits(digits: int) -> None:
    """Refuse what does not fit one word; called before tables of such a size are built."""
    if digits > MOST_DIGITS:
        raise UnsupportedError(
            f"the search handles at most {MOST_DIGITS} digits, not {digits}",
            hint="stirring makes grids of any order",
        )


def begin_search(
    puzzle: SudokuPuzzle, source: RandomSource | None, *, rows: int
) -> tuple[Any, NDArray[Any]]:
    """Return a search for all solutions at its start, and room for so many of them.

    Ordinary 9x9 puzzles in the fixed order have a faster kernel with the same interface.
    """
    variant = puzzle.variant
    check_digits(variant.digits)
    if source is None and variant == Variant.standard():
        search = _bands.Search(puzzle.givens.astype(np.int8))
        return search, np.empty((rows, len(puzzle.givens)), dtype=np.int8)
    cells, digits = len(variant.cells), variant.digits
    if source is None:  # candidates by digit and then by cell
        ranks = np.arange(digits * cells, dtype=np.int32).reshape(digits, cells).T
    else:
        ranks = source.permutations([cells * digits]).astype(np.int32).reshape(cells, digits)
    search = _search(variant.rules, puzzle.givens, np.arange(cells), ranks, by_places=True)
    return search, np.empty((rows, cells), dtype=np.int32)


def fill(
    rules: Rules,
    source: RandomSource,
    *,
    givens: NDArray[np.int32] | None = None,
    attempts: int | None = ATTEMPTS,
    trace: NodeTrace | None = None,
) -> NDArray[np.int32] | None:
    """Fill all open cells at random so that the rules hold.

    Parameters
    ----------
    rules : Rules
        With at most 64 values.
    source : RandomSource
        Each attempt draws one random order of the cells, which breaks ties between cells with
        equally few candidates, then for each cell the order in which its values are tried.
    givens : ndarray of shape (cells,), dtype int32, optional
        The value of each cell, -1 where it is open; all cells are open by default.
    attempts : int or None, optional
        How often to begin, with other random orders; with None until there is an answer. Attempt i
        gives up after cells * max(i, 2**(i - 40)) nodes.
    trace : callable, optional
        Called with number, cell and value of each cell that is filled, tried or followed, all
        from 0; the numbers of each attempt begin anew.

    Returns
    -------
    ndarray of shape (cells,), dtype int32, or None
        The values, or None if there is no way to fill the cells.

    Raises
    ------
    UnsupportedError
        If there are more than 64 values, or no attempt came to an end.

    Notes
    -----
    Depth-first: branch where the least choice is, go back when a cell or a value has no place.
    To this old method two things are added: all naked and hidden singles are drawn at each node,
    and a search that gets lost begins again. What is found at random is not uniform: some fillings
    are reached by more paths than others.
    """
    check_digits(rules.values)
    if attempts is not None:
        attempts = checked_integer("the number of attempts", attempts)
    cells, values = rules.cells, rules.values
    start = np.full(cells, -1, dtype=np.int32) if givens is None else givens
    found = np.empty((1, cells), dtype=np.int32)
    for attempt in count(1) if attempts is None else range(1, attempts + 1):
        drawn = source.permutations([cells] + [values] * cells)
        wishes = drawn[cells:].reshape(cells, values)
        search = _search(rules, start, drawn[:cells], np.argsort(wishes, axis=1), by_places=False)
        # Short attempts escape from what only looks hard, doubled ones end what is.
        limit = cells * max(attempt, 2 ** max(0, attempt - ATTEMPTS))
        if trace is None:
            solved = search.advance(found, 1, limit)
        else:
            solved = _traced(search, start, found, limit, trace)
        if solved:
            filled: NDArray[np.int32] = found[0]
            return filled
        if search.finished:
            return None
    raise UnsupportedError(
        f"the search got lost {attempts} times",
        hint="allow more attempts, or choose stirring for large orders",
    )


def _search(
    rules: Rules, givens: NDArray[np.int32], order: Any, ranks: Any, *, by_places: bool
) -> Any:
    """Return a general search; of `order` and `ranks` its twin says what they mean."""
    tables = (rules.peer_ends, rules.peers, rules.unit_ends, rules.units_of, rules.units)
    first = (np.ascontiguousarray(table, dtype=np.int32) for table in (order, ranks))
    return _general.Search(rules.values, *tables, givens, *first, by_places)


def _traced(
    search: Any, givens: NDArray[np.int32], found: NDArray[np.int32], limit: int, trace: NodeTrace
) -> int:
    """Advance node by node, and report each open cell that is filled."""
    log = np.empty((found.shape[1], 2), dtype=np.int32)
    number = solved = 0
    for _ in range(limit):
        solved = search.advance(found, 1, 1, log)
        for cell, value in log[: search.logged].tolist():
            if givens[cell] < 0:
                trace(number, cell, value)
                number += 1
        if solved or search.finished:
            break
    return solved
