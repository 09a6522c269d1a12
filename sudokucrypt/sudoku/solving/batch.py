"""Solve many ordinary 9x9 puzzles at once, given as the rows of an array."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudokucrypt.errors import InvalidGridError, InvalidParameterError
from sudokucrypt.kernels import load_kernels
from sudokucrypt.options import check_integer
from sudokucrypt.sudoku.model.array_interface import OPEN, convert_digits, convert_to_integers
from sudokucrypt.sudoku.model.boxes import get_cell_name
from sudokucrypt.sudoku.model.text import OPEN_SYMBOLS, SYMBOLS
from sudokucrypt.typing import IntArray
from sudokucrypt.workers import Workers

if TYPE_CHECKING:
    from sudokucrypt.sudoku._kernels import solver_plain as _kernels
else:
    _kernels = load_kernels("sudokucrypt.sudoku._kernels", "solver")

_CELL_COUNT = 81
_CHUNK_SIZE = 4096  # puzzles solved between two checks for Ctrl-C
_NODE_BUDGET = (
    20_000  # nodes after which to postpone a puzzle; the hardest puzzles need a few thousand
)
# Nodes searched between two checks for Ctrl-C, a fraction of a second.
_NODES_PER_SLICE = 100_000
# For each character code: the digit, 0 for an open cell, or -1.
_DIGITS_BY_CODE = np.full(256, -1, dtype=np.int8)
_DIGITS_BY_CODE[[*OPEN_SYMBOLS.encode()]] = 0
_DIGITS_BY_CODE[[*SYMBOLS[:9].encode()]] = range(1, 10)


class BatchResult(NamedTuple):
    """The number of solutions and the first solution of each puzzle.

    `counts`, of shape (N,), are the numbers of solutions, at most the limit. `first`, of the shape
    of the puzzles, contains the first solutions: digits as in the puzzles, or `empty` in all cells
    if there is no solution.
    """

    counts: IntArray
    first: NDArray[np.int8]


def solve_batch(
    puzzles: ArrayLike,
    *,
    limit: int = 2,
    first: int = 1,
    empty: int = 0,
    threads: int | None = None,
) -> BatchResult:
    """Solve many 9x9 puzzles; the result does not depend on the number of threads.

    Raises `InvalidGridError` for other arrays and `InvalidParameterError` for numbers out of range.

    Parameters
    ----------
    puzzles : array_like of shape (N, 81) or (N, 9, 9)
        Digits 1..9 in reading order and 0 in open cells. Puzzles whose givens break a rule are
        allowed; they have no solution. A list of `SudokuPuzzle` is allowed too.
    limit : int, optional
        The number of solutions at which counting stops, 1 or more. The default of 2 is enough to
        know which puzzles have one solution.
    first : {1, 0}, optional
        The lowest digit.
    empty : int, optional
        The value of open cells: -1..127, and none of the digits.
    threads : int, optional
        The number of threads, 1..1024; by default SUDOKUCRYPT_THREADS, otherwise the number of
        cores that this process may use.

    Examples
    --------
    >>> line = "4.....8.5.3..........7......2.....6.....8.4......1.......6.3.7.5..2.....1.4......"
    >>> counts, solved = solve_batch([*read_batch(line), [0] * 81])
    >>> counts.tolist(), solved[0, :9].tolist()
    ([1, 2], [4, 1, 7, 3, 6, 9, 8, 2, 5])
    """
    array = convert_to_integers(puzzles)
    if array.shape[1:] not in ((_CELL_COUNT,), (9, 9)):
        raise InvalidGridError(
            f"a batch has the shape (N, {_CELL_COUNT}) or (N, 9, 9), not {array.shape}"
        )
    limit = check_integer("the limit", limit, least=1)
    if limit >= 1 << 62:
        raise InvalidParameterError(f"the limit must be below 2**62, not {limit}")
    empty = check_integer("empty", empty, least=-1, most=127)
    givens = convert_digits(
        np.ascontiguousarray(array.reshape(-1, _CELL_COUNT)),
        9,
        lambda cell: (
            f"puzzle {cell // _CELL_COUNT + 1}, {get_cell_name(*divmod(cell % _CELL_COUNT, 9))}"
        ),
        first=first,
        empty=empty,
        dtype=np.int8,
    )
    counts = np.zeros(len(givens), dtype=np.int64)
    solved_digits = np.full(givens.shape, OPEN, dtype=np.int8)
    # Ctrl-C is noticed between chunks; within a chunk, threads work without the interpreter lock.
    with Workers(threads) as workers:
        for start in range(0, len(givens), _CHUNK_SIZE):
            stop = min(start + _CHUNK_SIZE, len(givens))

            def solve_rows(first_row: int, end_row: int, start: int = start) -> None:
                _kernels.solve_many(
                    givens,
                    solved_digits,
                    counts,
                    start + first_row,
                    start + end_row,
                    limit,
                    _NODE_BUDGET,
                )

            workers.share(stop - start, solve_rows)
    # The few puzzles beyond the budget would delay all others of their chunk, so they come last.
    for index in np.flatnonzero(counts < 0).tolist():
        counts[index] = _solve_in_slices(givens[index], solved_digits[index : index + 1], limit)
    solved_digits += first
    if empty != first + OPEN:
        solved_digits[counts == 0] = empty
    return BatchResult(counts, solved_digits.reshape(array.shape))


def read_batch(text: str) -> NDArray[np.int8]:
    """Read puzzles in line form, one on each line, for `solve_batch`.

    A line is 81 symbols: 1..9, and ``.`` or ``0`` in open cells, which become 0. Text after a
    blank or a comma is ignored, and so are empty lines and lines that begin with ``#``. Raises
    `InvalidGridError`, which names the first line, from 1, with another length or unknown symbol.

    Parameters
    ----------
    text : str
        The lines of puzzles.
    """
    rows = []
    for line, content in enumerate(text.splitlines(), 1):
        symbols = content.replace(",", " ").split(maxsplit=1)
        if not symbols or symbols[0].startswith("#"):
            continue
        if len(symbols[0]) != _CELL_COUNT or symbols[0].strip(".0123456789"):
            raise InvalidGridError(
                f"line {line} is not a 9x9 puzzle",
                hint="a puzzle is 81 symbols: 1 to 9, and a dot or 0 for an open cell",
            )
        rows.append(symbols[0])
    return read_lines(rows)


def read_lines(lines: Sequence[str]) -> NDArray[np.int8]:
    """Read lines of 81 symbols each, shape (N, 81): 0 in open cells, -1 for an unknown symbol.

    For ordinary puzzles the result is the same as with `read_line`, but for thousands at once.
    """
    symbols = "".join(lines).encode("latin-1", "replace")  # one byte for each symbol
    return _DIGITS_BY_CODE[np.frombuffer(symbols, dtype=np.uint8)].reshape(-1, _CELL_COUNT)


def format_lines(rows: NDArray[np.int8]) -> str:
    """Return N lines of text for full grids, digits 1..9 of shape (N, 81)."""
    symbols = np.full((len(rows), _CELL_COUNT + 1), ord("\n"), dtype=np.uint8)
    symbols[:, :_CELL_COUNT] = rows + ord("0")
    return symbols.tobytes()[:-1].decode()


def _solve_in_slices(givens: NDArray[np.int8], first_solution: NDArray[np.int8], limit: int) -> int:
    """Count the solutions of a puzzle, with checks for Ctrl-C, and store the first solution."""
    search = _kernels.Search(givens)
    count = 0
    while not search.finished and count < limit:
        count += search.advance(
            first_solution if count == 0 else first_solution[:0], limit - count, _NODES_PER_SLICE
        )
    return count
