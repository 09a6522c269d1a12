"""Solving puzzles of any variant, and filling sheets at random.

One search serves both: depth-first over bit sets, with all naked and hidden singles at each node,
then a candidate of the cell, or the place of a digit, that leaves the least choice. Where nothing
is drawn it looks for locked candidates too and learns from failures where to go on. Ordinary 9x9
puzzles have a faster one on bit boards. Puzzles have at most 64 digits; all functions raise
`UnsupportedError` for more. They take the text of a puzzle or its array too, and raise
`InvalidGridError` where that is none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from sudokucrypt.errors import (
    BrokenRuleError,
    MultipleSolutionsError,
    NoSolutionError,
    UndecidedError,
    UnsupportedError,
)
from sudokucrypt.kernels import load_kernels
from sudokucrypt.options import checked_integer
from sudokucrypt.sudoku.model.puzzle import PuzzleLike, SudokuPuzzle, as_puzzle
from sudokucrypt.sudoku.model.variant import Variant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from sudokucrypt.sudoku.seeded import SeedLike
    from sudokucrypt.typing import RandomSource

if TYPE_CHECKING:
    from sudokucrypt.sudoku._kernels import search_plain as _general
    from sudokucrypt.sudoku._kernels import solver_plain as _bands
else:
    _bands = load_kernels("sudokucrypt.sudoku._kernels", "solver")
    _general = load_kernels("sudokucrypt.sudoku._kernels", "search")

NodeTrace = Callable[[int, int, int], object]

MOST_DIGITS = 64  # the candidates of a cell are the bits of one word
_ORDINARY = Variant.standard()
# Nodes of a 9x9 sheet in some seconds; a node takes longer the more cells there are.
_EFFORT = 1_000_000 * 81
ATTEMPTS = 40  # how often a random search begins again before its patience doubles each time


def check_digits(digits: int) -> None:
    """Refuse what does not fit one word; called before tables of such a size are built."""
    if digits > MOST_DIGITS:
        raise UnsupportedError(
            f"the search handles at most {MOST_DIGITS} digits, not {digits}",
            hint="stirring makes grids of any order",
        )


def sheet_patience(variant: Variant) -> int:
    """Return nodes after which a full sheet is given up: those of some seconds for any size."""
    return _EFFORT // len(variant.cells)


def is_ordinary(variant: Variant) -> bool:
    """Return whether the rules are those of ordinary 9x9 Sudoku, under any name."""
    if variant is _ORDINARY or variant.digits != 9 or variant.cells != _ORDINARY.cells:
        return variant is _ORDINARY
    return variant.demands == _ORDINARY.demands and not variant.constraints


def begin_search(
    puzzle: SudokuPuzzle, source: RandomSource | None, *, rows: int, strong: bool = False
) -> tuple[Any, NDArray[Any]]:
    """Return a search for all solutions at its start, and room for `rows` of them.

    What is made from a seed depends on the order and on the nodes in which it finds them. Where
    nothing does, and there is no source, `strong` asks for the strongest one.
    """
    variant, givens = puzzle.variant, puzzle.givens
    check_digits(variant.digits)
    cells, digits = len(variant.cells), variant.digits
    ranks: NDArray[np.int32] | None = None
    if source is not None:
        ranks = source.permutations([cells * digits]).astype(np.int32).reshape(cells, digits)
    elif variant == _ORDINARY or (strong and is_ordinary(variant)):
        # A faster kernel, used in the same way.
        return _bands.Search(givens.astype(np.int8)), np.empty((rows, cells), dtype=np.int8)
    elif not strong:  # candidates by digit and then by cell
        ranks = np.arange(digits * cells, dtype=np.int32).reshape(digits, cells).T.copy()
    order = np.arange(cells, dtype=np.int32)
    search = _general.Search(
        *variant.rules, givens, order, ranks, by_places=True, **_make_constraint_arguments(variant)
    )
    return search, np.empty((rows, cells), dtype=np.int32)


def _make_constraint_arguments(variant: Variant) -> dict[str, Any]:
    """Return the argument of a search that only constraints need."""
    return {} if variant.relations is None else {"relations": variant.relations}


def fill(
    variant: Variant,
    source: RandomSource,
    *,
    givens: NDArray[np.int32] | None = None,
    attempts: int | None = ATTEMPTS,
    patience: int | None = None,
    trace: NodeTrace | None = None,
) -> NDArray[np.int32] | None:
    """Fill all open cells at random; None if there is no way. `grid_by_search` says the rest.

    Attempt i gives up after cells * max(i, 2**(i - 40)) nodes. With `attempts` None the strongest
    search follows the 40th, which gives up after `patience` nodes (`UndecidedError`).
    """
    check_digits(variant.digits)
    if attempts is not None:
        attempts = checked_integer("the number of attempts", attempts)
    cells, digits = len(variant.cells), variant.digits
    start = np.full(cells, -1, dtype=np.int32) if givens is None else givens
    buffer = np.empty((1, cells), dtype=np.int32)
    for attempt in range(1, (attempts or ATTEMPTS) + 1):
        drawn = source.permutations([cells] + [digits] * cells).astype(np.int32)
        ranks = np.argsort(drawn[cells:].reshape(cells, digits), axis=1).astype(np.int32)
        search = _general.Search(
            *variant.rules,
            start,
            drawn[:cells],
            ranks,
            by_places=False,
            **_make_constraint_arguments(variant),
        )
        # Short attempts escape from what only looks hard, doubled ones end what is.
        limit = cells * max(attempt, 2 ** max(0, attempt - ATTEMPTS))
        if trace is None:
            solved = search.advance(buffer, 1, limit)
        else:
            solved = _advance_traced(search, start, buffer, limit, trace)
        if solved:
            filled: NDArray[np.int32] = buffer[0]
            return filled
        if search.finished:
            return None
    if attempts is None and not variant.constraints:
        return _fill_strongly(variant, source, start, buffer, patience, trace)
    raise UndecidedError(
        f"the search gave up in each of {attempts} attempts",
        hint="allow more attempts, or use stirring for large orders",
        hint_key="search",
    )


def _fill_strongly(
    variant: Variant,
    source: RandomSource,
    givens: NDArray[np.int32],
    buffer: NDArray[np.int32],
    patience: int | None,
    trace: NodeTrace | None,
) -> NDArray[np.int32] | None:
    """Fill all open cells by the strongest search, to which cells and digits come in any order."""
    moved, digits = np.split(
        source.permutations([len(givens), variant.digits]).astype(np.int32), [len(givens)]
    )
    houses = (
        replace(house, cells=tuple(moved[list(house.cells)].tolist())) for house in variant.houses
    )
    # The strongest search has an order of its own: shuffle the sheet, solve it, shuffle it back.
    start = np.empty_like(givens)
    start[moved] = np.where(givens < 0, -1, np.argsort(digits)[givens])
    rules = replace(variant, houses=tuple(houses)).rules
    order = np.arange(len(givens), dtype=np.int32)
    search = _general.Search(*rules, start, order, None, by_places=True)
    if trace is None:
        solved = next(filter(None, _advance_search(search, buffer, patience, 1)), 0)
    else:
        cells = np.argsort(moved).tolist()
        solved = _advance_traced(
            search, start, buffer, patience or _NO_LIMIT,
            lambda fetched, cell, digit: trace(fetched, cells[cell], int(digits[digit])),
        )  # fmt: skip
        if not solved and not search.finished:
            raise _make_undecided_error(patience)
    return digits[buffer[0][moved]] if solved else None


def _advance_traced(
    search: Any, givens: NDArray[np.int32], buffer: NDArray[np.int32], limit: int, trace: NodeTrace
) -> int:
    """Advance node by node, and report each open cell when it is filled."""
    log = np.empty((buffer.shape[1], 2), dtype=np.int32)
    fetched = solved = 0
    for _ in range(limit):
        solved = search.advance(buffer, 1, 1, log)
        for cell, value in log[: search.logged].tolist():
            if givens[cell] < 0:
                trace(fetched, cell, value)
                fetched += 1
        if solved or search.finished:
            break
    return solved


# More nodes than any search lives to see, in the type that the kernels count with.
_NO_LIMIT = 1 << 62
_SLICE = 2000  # nodes of the search between two looks at the keyboard
_ROWS = 64  # solutions fetched at a time, at most


def _get_draws(source: SeedLike) -> RandomSource:
    from sudokucrypt.sudoku.seeded import as_source  # most puzzles are solved without draws

    return as_source(source)


def solutions(
    puzzle: PuzzleLike, *, source: SeedLike = None, patience: int | None = None
) -> Iterator[SudokuPuzzle]:
    """Yield every solution once, while the search goes on.

    `source`, a stream of draws or a seed, draws the order in which candidates are tried: any
    solution may come first, but not all are equally likely to. Without it the order is always the
    same, and the search is stronger.

    After `patience` nodes of the search, 1 or more, without another solution it is given up:
    `UndecidedError`. By default it never is; Ctrl-C works.

    Parameters
    ----------
    puzzle : SudokuPuzzle, str or array_like
        The puzzle; an array has 0 in open cells.
    source : RandomSource or int, optional
        A stream of draws or a seed that decides in which order candidates are tried. By default the
        order is always the same.
    patience : int, optional
        The number of nodes of the search, 1 or more, without another solution, after which it gives
        up. By default it never does.

    Examples
    --------
    >>> puzzle = SudokuPuzzle.from_text("12.. .... .... ..34")
    >>> [solution.to_text() for solution in islice(solutions(puzzle), 2)]
    ['1243341243212134', '1243342143122134']
    """
    puzzle = as_puzzle(puzzle)
    drawn = None if source is None else _get_draws(source)
    search, buffer = begin_search(puzzle, drawn, rows=_ROWS, strong=True)
    for fetched in _advance_search(search, buffer, patience, _ROWS):
        for row in buffer[:fetched]:
            yield SudokuPuzzle.wrap_valid(row.astype(np.int32), puzzle.variant)


def _advance_search(
    search: Any,
    buffer: NDArray[Any],
    patience: int | None,
    at_once: int,
    budget: int | None = None,
) -> Iterator[int]:
    """Go on to the end, some solutions at once, and yield how many came up each time."""
    if patience is not None:
        patience = checked_integer("the patience", patience)
    left = _NO_LIMIT if budget is None else checked_integer("the budget", budget)
    waited = 0
    while not search.finished and left:
        nodes = min(_SLICE, left, _SLICE if patience is None else patience - waited)
        fetched = search.advance(buffer, at_once, nodes)
        yield fetched
        left -= nodes
        waited = 0 if fetched else waited + nodes
        if waited == patience and not search.finished:
            raise _make_undecided_error(patience)


def _make_undecided_error(patience: int | None) -> UndecidedError:
    return UndecidedError(
        f"the search was given up at node {patience} without another solution",
        hint="allow more patience",
    )


def solve(puzzle: PuzzleLike, *, patience: int | None = None) -> SudokuPuzzle:
    """Return the only solution, or raise `NoSolutionError` or `MultipleSolutionsError`.

    The puzzle may be text, or an array with 0 in open cells; `patience` is that of `solutions`.

    Parameters
    ----------
    puzzle : SudokuPuzzle, str or array_like
        The puzzle; an array has 0 in open cells.
    patience : int, optional
        The number of nodes of the search, 1 or more, after which `UndecidedError` is raised. By
        default the search never gives up.

    Examples
    --------
    >>> solve("1... ..2. .3.. ...4").to_text()
    '1243342143122134'
    >>> solve([[1, 0, 0, 0], [0, 0, 2, 0], [0, 3, 0, 0], [0, 0, 0, 4]])[0, 2]
    4
    """
    first = list(islice(solutions(puzzle, patience=patience), 2))
    if not first:
        raise NoSolutionError("the puzzle has no solution", hint="check the givens")
    if len(first) > 1:
        raise MultipleSolutionsError(
            "the puzzle has more than one solution",
            hint="ask for all of them, or for their number",
            hint_key="several",
        )
    return first[0]


def count_solutions(
    puzzle: PuzzleLike | Variant,
    limit: int | None = None,
    *,
    patience: int | None = None,
    budget: int | None = None,
) -> int:
    """Return how many solutions there are, or `limit` (1 or more) if there are at least as many.

    Of a variant, how many full sheets; givens that break a rule leave none. Each is visited: some
    millions a second for 9x9 with compiled kernels. Ctrl-C works, and `patience` is that of
    `solutions`.

    After `budget` nodes of the search in all, 1 or more, it is given up: `UndecidedError`, whose
    `found` says how many solutions it had come to.

    Parameters
    ----------
    puzzle : SudokuPuzzle, Variant, str or array_like
        The puzzle, or the rules of which all full sheets are counted.
    limit : int, optional
        The count at which the search stops, 1 or more. By default all solutions are counted.
    patience : int, optional
        The number of nodes of the search, 1 or more, without another solution, after which it gives
        up. By default it never does.
    budget : int, optional
        The number of nodes of the whole search, 1 or more, after which it gives up. By default it
        never does.

    Examples
    --------
    >>> count_solutions(SudokuPuzzle.empty(Variant.standard((2, 2))))
    288
    """
    if limit is not None:
        limit = checked_integer("the limit", limit, least=1)
    try:
        puzzle = SudokuPuzzle.empty(puzzle) if isinstance(puzzle, Variant) else as_puzzle(puzzle)
    except BrokenRuleError:
        return 0  # as in `solve_batch`
    search, nothing = begin_search(puzzle, None, rows=0, strong=True)
    count = 0
    try:
        for fetched in _advance_search(
            search, nothing, patience, min(limit or _SLICE, _SLICE), budget
        ):
            count += fetched
            if limit is not None and count >= limit:
                return limit
        if not search.finished:
            raise UndecidedError(
                f"the search was given up at node {budget} with {count} solutions so far",
                hint="allow a larger budget",
            )
    except UndecidedError as error:
        error.found = count
        raise
    return count


def is_unique(puzzle: PuzzleLike, *, patience: int | None = None) -> bool:
    """Return whether there is exactly one solution; the search stops at a second one.

    `patience` is that of `solutions`.

    Parameters
    ----------
    puzzle : SudokuPuzzle, str or array_like
        The puzzle; an array has 0 in open cells.
    patience : int, optional
        The number of nodes of the search, 1 or more, after which `UndecidedError` is raised. By
        default the search never gives up.
    """
    return count_solutions(puzzle, limit=2, patience=patience) == 1


def random_solution(
    puzzle: PuzzleLike | Variant,
    source: SeedLike = None,
    *,
    patience: int | None = None,
    trace: NodeTrace | None = None,
) -> SudokuPuzzle:
    """Return some solution, chosen at random; of a variant, some full sheet.

    By minimum-candidates search, with `source` and `trace` as in `grid_by_search`. Every solution
    can be found, but they are *not* equally likely. `NoSolutionError` if there is none. Up to 25
    digits a full sheet takes milliseconds, 49 digits a second or two and 64 up to a minute.

    If 40 attempts get lost, the search of `solutions` follows, over cells and digits in any order;
    after `patience` nodes of it `UndecidedError` is raised, by default never.

    Parameters
    ----------
    puzzle : SudokuPuzzle, Variant, str or array_like
        The puzzle, or the rules of the full sheet.
    source : RandomSource or int, optional
        A stream of draws, a seed, or by default the system.
    patience : int, optional
        The number of nodes of the second search, 1 or more, after which it gives up. By default it
        never does.
    trace : callable, optional
        Called with each step of the search, as in `grid_by_search`. By default nothing is called.

    Examples
    --------
    >>> random_solution(Variant.x((2, 2)), 1).number_of_givens
    16
    """
    puzzle = SudokuPuzzle.empty(puzzle) if isinstance(puzzle, Variant) else as_puzzle(puzzle)
    variant = puzzle.variant
    if patience is not None:
        patience = checked_integer("the patience", patience)
    try:
        filled = fill(
            variant, _get_draws(source), givens=puzzle.givens, attempts=None, patience=patience,
            trace=trace,
        )  # fmt: skip
    except UndecidedError:
        what = "solution" if puzzle.number_of_givens else f"full sheet of {variant.name}"
        raise UndecidedError(
            f"no {what} was found in {patience} nodes of the search",
            hint="there may be none; allow more patience to go on",
            hint_key="no_sheet",
        ) from None
    if filled is None:
        if puzzle.number_of_givens == 0:
            raise NoSolutionError(f"there is no full sheet of {variant.name}")
        raise NoSolutionError("the puzzle has no solution", hint="check the givens")
    return SudokuPuzzle.wrap_valid(filled, variant)
