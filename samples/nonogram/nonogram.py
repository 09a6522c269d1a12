"""Solve a nonogram by exact cover.

Usage: python nonogram.py [FILE]

The file has a line with the runs of dark cells for each row, then an empty line, then a line for
each column. Without runs a line is 0; lines that begin with # are ignored. Without a file, a
nonogram of a key is solved.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sudokucrypt.sudoku import ExactCover

if TYPE_CHECKING:
    from collections.abc import Iterator

KEY = """
4
2 2
1 7
1 7
2 2 1 2
4 1 1

4
2 2
1 1
1 1
2 2
4
2
2
4
2
3
4
"""

Runs = tuple[int, ...]
Line = tuple[bool, ...]


def list_lines(runs: Runs, length: int) -> Iterator[Line]:
    """Yield all lines of cells (True for dark) with these runs of dark cells."""
    if not any(runs):
        yield (False,) * length
        return
    first_run, *other_runs = runs
    for start in range(length - sum(runs) - len(other_runs) + 1):
        beginning = (False,) * start + (True,) * first_run + (False,) * bool(other_runs)
        for ending in list_lines(tuple(other_runs), length - len(beginning)):
            yield beginning + ending


def make_cover_problem(
    rows: list[Runs], columns: list[Runs]
) -> ExactCover[object, tuple[str, int, Line]]:
    """Return the exact cover problem whose options are all possible rows and columns.

    Each cell is two items. A row covers the first item if the cell is dark, otherwise the second; a
    column does the opposite. So both items are covered once if and only if row and column agree.
    """
    options: dict[tuple[str, int, Line], list[object]] = {}
    for row, runs in enumerate(rows):
        for line in list_lines(runs, len(columns)):
            cells = [(row, column, is_dark) for column, is_dark in enumerate(line)]
            options["row", row, line] = [("row", row), *cells]
    for column, runs in enumerate(columns):
        for line in list_lines(runs, len(rows)):
            cells = [(row, column, not is_dark) for row, is_dark in enumerate(line)]
            options["column", column, line] = [("column", column), *cells]
    items = [("row", row) for row in range(len(rows))]
    items += [("column", column) for column in range(len(columns))]
    cells = [
        (row, column, is_dark)
        for row in range(len(rows))
        for column in range(len(columns))
        for is_dark in (False, True)
    ]
    return ExactCover([*items, *cells], options)


def main(text: str) -> None:
    """Print at most two solutions."""
    text = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    blocks = [block.splitlines() for block in text.strip().split("\n\n")]
    rows, columns = ([tuple(map(int, line.split())) for line in block] for block in blocks)
    solutions = make_cover_problem(rows, columns).solutions()
    solution_count = 0
    for solution_count, solution in enumerate(solutions, 1):
        rows_of_picture = sorted((number, line) for axis, number, line in solution if axis == "row")
        print(
            "\n".join(
                "".join("##" if dark else " ." for dark in line) for _, line in rows_of_picture
            )
        )
        if solution_count == 2:
            break
    print(("no solution", "one solution", "several solutions")[solution_count])


if __name__ == "__main__":
    main(Path(sys.argv[1]).read_text(encoding="utf-8") if len(sys.argv) > 1 else KEY)
