"""Solve puzzles of any variant, and fill grids at random.

Both use a depth-first search on sets of bits. At each node it places all naked and hidden singles,
and then tries a candidate of the cell, or a place of the digit, with the fewest choices. Without
random draws it also finds locked candidates and learns from failures. Ordinary 9x9 puzzles have a
faster search on bit boards. Puzzles have at most 64 digits; all functions raise `UnsupportedError`
for more. They also accept the text or the array of a puzzle, and raise `InvalidGridError` if it is
invalid.
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
from sudokucrypt.options import check_integer
from sudokucrypt.sudoku.model.puzzle import PuzzleLike, SudokuPuzzle, as_puzzle
from sudokucrypt.sudoku.model.variant import Variant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from sudokucrypt.sudoku.seeded import SeedLike
    from sudokucrypt.typing import RandomSource

if TYPE_CHECKING:
    from sudokucrypt.sudoku._kernels import search_plain as _general_kernel
    from sudokucrypt.sudoku._kernels import solver_plain as _band_kernel
else:
    _band_kernel = load_kernels("sudokucrypt.sudoku._kernels", "solver")
    _general_kernel = load_kernels("sudokucrypt.sudoku._kernels", "search")

NodeTrace = Callable[[int, int, int], object]

MAX_DIGITS = 64  # the candidates of a cell are the bits of one word
_ORDINARY_VARIANT = Variant.standard()
# The limit of nodes times cells, for a search of a few seconds; more cells make nodes slower.
_NODES_TIMES_CELLS = 1_000_000 * 81

DEFAULT_ATTEMPTS = (
    40  # after this number of attempts, the limit of a random search doubles each time
)


def check_digit_count(digits: int) -> None:
    """Raise `UnsupportedError` if the digits do not fit in one word, before tables are built."""
    if digits > MAX_DIGITS:
        raise UnsupportedError(
            f"the search handles at most {MAX_DIGITS} digits, not {digits}",
            hint="stirring makes grids of any order",
        )


def get_grid_patience(variant: Variant) -> int:
    """Return the limit of nodes of a search for a full grid, which takes some seconds."""
    return _NODES_TIMES_CELLS // len(variant.cells)


def is_ordinary(variant: Variant) -> bool:
    """Return whether a variant of any name has the rules of ordinary 9x9 Sudoku."""
    if (
        variant is _ORDINARY_VARIANT
        or variant.digits != 9
        or variant.cells != _ORDINARY_VARIANT.cells
    ):
        return variant is _ORDINARY_VARIANT
    return variant.house_sets == _ORDINARY_VARIANT.house_sets and not variant.constraints


def begin_search(
    puzzle: SudokuPuzzle, source: RandomSource | None, *, rows: int, is_strong: bool = False
) -> tuple[Any, NDArray[Any]]:
    """Return a new search for all solutions, and an array for `rows` solutions.

    Without `source`, `is_strong` selects the strongest search. Do not set it where results of a
    seed depend on the order of solutions or on numbers of nodes.
    """
    variant, givens = puzzle.variant, puzzle.givens
    check_digit_count(variant.digits)
    cells, digits = len(variant.cells), variant.digits
    ranks: NDArray[np.int32] | None = None
    if source is not None:
        ranks = source.permutations([cells * digits]).astype(np.int32).reshape(cells, digits)
    elif variant == _ORDINARY_VARIANT or (is_strong and is_ordinary(variant)):
        # A faster kernel, used in the same way.
        return _band_kernel.Search(givens.astype(np.int8)), np.empty((rows, cells), dtype=np.int8)
    elif not is_strong:  # rank candidates by digit, then by cell
        ranks = np.arange(digits * cells, dtype=np.int32).reshape(digits, cells).T.copy()
    order = np.arange(cells, dtype=np.int32)
    search = _general_kernel.Search(
        *variant.rules,
        givens,
        order,
        ranks,
        branches_on_places=True,
        **_make_constraint_arguments(variant),
    )
    return search, np.empty((rows, cells), dtype=np.int32)


def _make_constraint_arguments(variant: Variant) -> dict[str, Any]:
    """Return the keyword arguments that pass the constraints of a variant to a search."""
    return {} if variant.relations is None else {"relations": variant.relations}


def fill_open_cells(
    variant: Variant,
    source: RandomSource,
    *,
    givens: NDArray[np.int32] | None = None,
    attempts: int | None = DEFAULT_ATTEMPTS,
    patience: int | None = None,
    trace: NodeTrace | None = None,
) -> NDArray[np.int32] | None:
    """Fill all open cells at random; return None if it is impossible.

    Attempt i stops after cells * max(i, 2**(i - 40)) nodes. If all attempts fail, it raises
    `UndecidedError`. With `attempts` None, the strongest search follows after 40 attempts, and
    raises `UndecidedError` after `patience` nodes. `grid_by_search` describes `trace`.
    """
    check_digit_count(variant.digits)
    if attempts is not None:
        attempts = check_integer("the number of attempts", attempts)
    cells, digits = len(variant.cells), variant.digits
    start_digits = np.full(cells, -1, dtype=np.int32) if givens is None else givens
    buffer = np.empty((1, cells), dtype=np.int32)
    for attempt in range(1, (attempts or DEFAULT_ATTEMPTS) + 1):
        permutations = source.permutations([cells] + [digits] * cells).astype(np.int32)
        ranks = np.argsort(permutations[cells:].reshape(cells, digits), axis=1).astype(np.int32)
        search = _general_kernel.Search(
            *variant.rules,
            start_digits,
            permutations[:cells],
            ranks,
            branches_on_places=False,
            **_make_constraint_arguments(variant),
        )
        # Short attempts avoid bad early choices; doubled limits let hard searches end.
        limit = cells * max(attempt, 2 ** max(0, attempt - DEFAULT_ATTEMPTS))
        if trace is None:
            solution_count = search.advance(buffer, 1, limit)
        else:
            solution_count = _advance_with_trace(search, start_digits, buffer, limit, trace)
        if solution_count:
            filled_cells: NDArray[np.int32] = buffer[0]
            return filled_cells
        if search.finished:
            return None
    if attempts is None and not variant.constraints:
        return _fill_by_strong_search(variant, source, start_digits, buffer, patience, trace)
    raise UndecidedError(
        f"the search gave up in each of {attempts} attempts",
        hint="allow more attempts, or use stirring for large orders",
        hint_key="search",
    )


def _fill_by_strong_search(
    variant: Variant,
    source: RandomSource,
    givens: NDArray[np.int32],
    buffer: NDArray[np.int32],
    patience: int | None,
    trace: NodeTrace | None,
) -> NDArray[np.int32] | None:
    """Fill all open cells by the strongest search, on randomly renumbered cells and digits."""
    new_cell_numbers, digits = np.split(
        source.permutations([len(givens), variant.digits]).astype(np.int32), [len(givens)]
    )
    houses = (
        replace(house, cells=tuple(new_cell_numbers[list(house.cells)].tolist()))
        for house in variant.houses
    )
    # The strongest search has a fixed order, so shuffle the grid, solve it, and shuffle it back.
    shuffled_givens = np.empty_like(givens)
    shuffled_givens[new_cell_numbers] = np.where(givens < 0, -1, np.argsort(digits)[givens])
    rules = replace(variant, houses=tuple(houses)).rules
    order = np.arange(len(givens), dtype=np.int32)
    search = _general_kernel.Search(*rules, shuffled_givens, order, None, branches_on_places=True)
    if trace is None:
        solution_count = next(filter(None, _advance_search(search, buffer, patience, 1)), 0)
    else:
        cells = np.argsort(new_cell_numbers).tolist()
        solution_count = _advance_with_trace(
            search, shuffled_givens, buffer, patience or _NO_LIMIT,
            lambda number, cell, digit: trace(number, cells[cell], int(digits[digit])),
        )  # fmt: skip
        if not solution_count and not search.finished:
            raise _make_undecided_error(patience)
    return digits[buffer[0][new_cell_numbers]] if solution_count else None


def _advance_with_trace(
    search: Any, givens: NDArray[np.int32], buffer: NDArray[np.int32], limit: int, trace: NodeTrace
) -> int:
    """Advance a search node by node, and call `trace` for each open cell that it fills."""
    log = np.empty((buffer.shape[1], 2), dtype=np.int32)
    trace_call_count = solution_count = 0
    for _ in range(limit):
        solution_count = search.advance(buffer, 1, 1, log)
        for cell, digit in log[: search.logged_row_count].tolist():
            if givens[cell] < 0:
                trace(trace_call_count, cell, digit)
                trace_call_count += 1
        if solution_count or search.finished:
            break
    return solution_count


# More nodes than any search visits, within the integer type of the kernels.
_NO_LIMIT = 1 << 62
_NODES_PER_SLICE = 2000  # nodes of the search between two checks for Ctrl-C
_MAX_FETCHED_SOLUTIONS = 64  # the largest number of solutions fetched at a time


def _get_random_source(source: SeedLike) -> RandomSource:
    # Imported only here, since most puzzles are solved without draws.
    from sudokucrypt.sudoku.seeded import as_source

    return as_source(source)


def solutions(
    puzzle: PuzzleLike, *, source: SeedLike = None, patience: int | None = None
) -> Iterator[SudokuPuzzle]:
    """Yield every solution once, as soon as the search finds it.

    With `source`, candidates are tried in random order: any solution may be first, but not all are
    equally likely. Without it the order is always the same, and the search is stronger. Raises
    `UndecidedError` after `patience` nodes of the search without another solution. Ctrl-C works.

    Parameters
    ----------
    puzzle : SudokuPuzzle, str or array_like
        The puzzle; an array has 0 in open cells.
    source : RandomSource or int, optional
        A stream of draws or a seed that decides in which order candidates are tried. By default the
        order is always the same.
    patience : int, optional
        The number of nodes of the search, 1 or more, without another solution, after which it gives
        up. By default it never gives up.

    Examples
    --------
    >>> puzzle = SudokuPuzzle.from_text("12.. .... .... ..34")
    >>> [solution.to_text() for solution in islice(solutions(puzzle), 2)]
    ['1243341243212134', '1243342143122134']
    """
    puzzle = as_puzzle(puzzle)
    draws = None if source is None else _get_random_source(source)
    search, buffer = begin_search(puzzle, draws, rows=_MAX_FETCHED_SOLUTIONS, is_strong=True)
    for count in _advance_search(search, buffer, patience, _MAX_FETCHED_SOLUTIONS):
        for row in buffer[:count]:
            yield SudokuPuzzle.wrap_valid(row.astype(np.int32), puzzle.variant)


def _advance_search(
    search: Any,
    buffer: NDArray[Any],
    patience: int | None,
    max_solutions: int,
    budget: int | None = None,
) -> Iterator[int]:
    """Advance a search to its end in slices of nodes; yield the number of solutions of each.

    A slice ends after `max_solutions` solutions. `patience` is the limit of nodes without a
    solution, and `budget` the limit of all nodes.
    """
    if patience is not None:
        patience = check_integer("the patience", patience)
    nodes_left = _NO_LIMIT if budget is None else check_integer("the budget", budget)
    nodes_without_solution = 0
    while not search.finished and nodes_left:
        node_count = min(
            _NODES_PER_SLICE,
            nodes_left,
            _NODES_PER_SLICE if patience is None else patience - nodes_without_solution,
        )
        count = search.advance(buffer, max_solutions, node_count)
        yield count
        nodes_left -= node_count
        nodes_without_solution = 0 if count else nodes_without_solution + node_count
        if nodes_without_solution == patience and not search.finished:
            raise _make_undecided_error(patience)


def _make_undecided_error(patience: int | None) -> UndecidedError:
    return UndecidedError(
        f"the search stopped at node {patience} without another solution",
        hint="allow more patience",
    )


def solve(puzzle: PuzzleLike, *, patience: int | None = None) -> SudokuPuzzle:
    """Return the only solution, or raise `NoSolutionError` or `MultipleSolutionsError`.

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
    """Return the number of solutions, or `limit` if there are at least that many.

    For a variant, count full grids; for givens that break a rule, return 0. Each solution is
    visited: some millions a second for 9x9 with compiled kernels. Ctrl-C works. After `patience` or
    `budget` nodes it raises `UndecidedError`, whose attribute `found_count` is the number of
    solutions found so far.

    Parameters
    ----------
    puzzle : SudokuPuzzle, Variant, str or array_like
        The puzzle, or the variant whose full grids are counted.
    limit : int, optional
        The count at which the search stops, 1 or more. By default all solutions are counted.
    patience : int, optional
        The number of nodes of the search, 1 or more, without another solution, after which it gives
        up. By default it never gives up.
    budget : int, optional
        The number of nodes of the whole search, 1 or more, after which it gives up. By default it
        never gives up.

    Examples
    --------
    >>> count_solutions(SudokuPuzzle.empty(Variant.standard((2, 2))))
    288
    """
    if limit is not None:
        limit = check_integer("the limit", limit, least=1)
    try:
        puzzle = SudokuPuzzle.empty(puzzle) if isinstance(puzzle, Variant) else as_puzzle(puzzle)
    except BrokenRuleError:
        return 0  # as in `solve_batch`
    search, empty_buffer = begin_search(puzzle, None, rows=0, is_strong=True)
    count = 0
    try:
        for found_count in _advance_search(
            search, empty_buffer, patience, min(limit or _NODES_PER_SLICE, _NODES_PER_SLICE), budget
        ):
            count += found_count
            if limit is not None and count >= limit:
                return limit
        if not search.finished:
            raise UndecidedError(
                f"the search stopped at node {budget} with {count} solutions so far",
                hint="allow a larger budget",
            )
    except UndecidedError as error:
        error.found = count
        raise
    return count


def is_unique(puzzle: PuzzleLike, *, patience: int | None = None) -> bool:
    """Return whether there is exactly one solution; the search stops at a second solution.

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
    """Return a random solution of a puzzle, or a random full grid of a variant.

    It uses the random search of `grid_by_search`. Every solution can be found, but they are *not*
    equally likely. Raises `NoSolutionError` if there is none. A full grid with up to 25 digits
    takes milliseconds, with 49 digits a second or two, and with 64 up to a minute.

    If 40 attempts fail, the search of `solutions` follows, on randomly renumbered cells and digits;
    it raises `UndecidedError` after `patience` nodes.

    Parameters
    ----------
    puzzle : SudokuPuzzle, Variant, str or array_like
        The puzzle, or the variant of the full grid.
    source : RandomSource or int, optional
        A stream of draws, a seed, or by default the system.
    patience : int, optional
        The number of nodes of the second search, 1 or more, after which it gives up. By default it
        never gives up.
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
        patience = check_integer("the patience", patience)
    try:
        filled_cells = fill_open_cells(
            variant, _get_random_source(source), givens=puzzle.givens, attempts=None,
            patience=patience, trace=trace,
        )  # fmt: skip
    except UndecidedError:
        kind = "solution" if puzzle.number_of_givens else f"full grid of {variant.name}"
        raise UndecidedError(
            f"no {kind} was found in {patience} nodes of the search",
            hint="there may be none; allow more patience to go on",
            hint_key="no_sheet",
        ) from None
    if filled_cells is None:
        if puzzle.number_of_givens == 0:
            raise NoSolutionError(f"there is no full grid of {variant.name}")
        raise NoSolutionError("the puzzle has no solution", hint="check the givens")
    return SudokuPuzzle.wrap_valid(filled_cells, variant)
