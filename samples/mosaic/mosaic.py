"""Mosaic by exact cover: each number says how many of the 3x3 cells around it are dark.

Usage: python mosaic.py [FILE]

The file has a line for each row: a digit for a number, and a point for a cell without one. Without
a file, a puzzle of a cat is solved.
"""

from __future__ import annotations

import sys
from itertools import combinations
from pathlib import Path

from sudokucrypt.sudoku import ExactCover

CAT = """
...00..320
564..4....
576....5.0
5.8.98...1
4.....744.
3...986..4
..8.98.4.4
2...9..6..
.68..865..
2..5554.2.
"""

Cell = tuple[int, int]
Shading = tuple[Cell, frozenset[Cell]]


def around(rows: list[str], row: int, column: int) -> list[Cell]:
    """Return a cell and its neighbors."""
    return [
        (r, c)
        for r in range(max(row - 1, 0), min(row + 2, len(rows)))
        for c in range(max(column - 1, 0), min(column + 2, len(rows[r])))
    ]


def shading(rows: list[str]) -> ExactCover[object, Shading]:
    """Return the exact cover problem whose options are what the cells around a number look like.

    Where two numbers see a cell they must agree on it. So the cell is two items for each number
    and the next one that sees it: if it is dark the first number takes the one and the second the
    other, and else the other way round.
    """
    near = {
        (row, column): around(rows, row, column)
        for row, line in enumerate(rows)
        for column, symbol in enumerate(line)
        if symbol != "."
    }
    seen: dict[Cell, list[Cell]] = {}
    for number, cells in near.items():
        for cell in cells:
            seen.setdefault(cell, []).append(number)
    items: list[object] = list(near)
    options: dict[Shading, list[object]] = {}
    for cell, numbers in seen.items():
        items += [(cell, link, dark) for link in range(1, len(numbers)) for dark in (False, True)]
    for number, cells in near.items():
        for chosen in combinations(cells, int(rows[number[0]][number[1]])):
            taken: list[object] = [number]
            for cell in cells:
                place, dark = seen[cell].index(number), cell in chosen
                if place > 0:
                    taken.append((cell, place, dark))
                if place + 1 < len(seen[cell]):
                    taken.append((cell, place + 1, not dark))
            options[number, frozenset(chosen)] = taken
    return ExactCover(items, options)


def main(text: str) -> None:
    """Print the first two solutions, or that there is none; cells that no number sees stay open."""
    rows = text.split()
    found = 0
    for found, solution in enumerate(shading(rows).solutions(), 1):
        dark = frozenset[Cell]().union(*(chosen for _, chosen in solution))
        for row, line in enumerate(rows):
            print("".join("##" if (row, c) in dark else " ." for c in range(len(line))))
        if found == 2:
            break
    print(("no solution", "one solution", "several solutions")[found])


if __name__ == "__main__":
    main(Path(sys.argv[1]).read_text(encoding="utf-8") if len(sys.argv) > 1 else CAT)
