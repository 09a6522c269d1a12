"""A fast path of ``sudoku solve`` for one puzzle of 81 characters, which loads no NumPy.

Their import takes many times as long as such a puzzle takes to solve.
All other arguments are left to the command, which also says what is wrong with a puzzle.
"""

from __future__ import annotations

import os
import re
import sys
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PUZZLE_PATTERN = re.compile(r"[0-9.*_]{81}")
_DIGITS_BY_SYMBOL = {symbol: (digit - 1) & 0xFF for digit, symbol in enumerate("0123456789")}
_OPEN_CELL = 0xFF  # -1 as a byte
_NODE_LIMIT = 20_000  # several times the number of nodes that the hardest puzzle needs


def find_solution(arguments: list[str]) -> str | None:
    """Return the line that ``sudoku solve PUZZLE`` prints, or None for any other arguments."""
    if len(arguments) != 3 or arguments[:2] != ["sudoku", "solve"] or sys.stdout is None:
        return None
    puzzle_text = arguments[2]
    if (
        not _PUZZLE_PATTERN.fullmatch(puzzle_text)
        or sys.stdout.isatty()
        or os.path.lexists(puzzle_text)
    ):
        return None
    if os.environ.get("SUDOKUCRYPT_PLAIN"):
        return None
    try:
        solver: Any = import_module("sudokucrypt.sudoku._kernels.solver")
    except ImportError:  # there is no compiled kernel
        return None
    givens = bytes(_DIGITS_BY_SYMBOL.get(symbol, _OPEN_CELL) for symbol in puzzle_text)
    solution_cells: Any = memoryview(bytearray(81)).cast("b", [1, 81])
    search = solver.Search(memoryview(givens).cast("b"))
    if search.advance(solution_cells, 2, _NODE_LIMIT) != 1 or not search.finished:
        return None
    return "".join(str(digit + 1) for digit in solution_cells.tolist()[0])
