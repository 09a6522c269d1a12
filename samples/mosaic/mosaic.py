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


def list_neighbors(rows: list[str], row: int, column: int) -> list[Cell]:
    """Return the positions of a cell and its neighbors."""
    return [
        (neighbor_row, neighbor_column)
        for neighbor_row in range(max(row - 1, 0), min(row + 2, len(rows)))
        for neighbor_column in range(max(column - 1, 0), min(column + 2, len(rows[neighbor_row])))
    ]


def make_cover_problem(rows: list[str]) -> ExactCover[object, Shading]:
    """Return the exact cover problem whose options are the possible shadings around each number.

    Numbers that see the same cell must agree on it. For each two consecutive ones, the cell is two
    items: if it is dark, the first number covers the first item and the second number the second
    item; if it is light, they cover the opposite items.
    """
    neighbors = {
        (row, column): list_neighbors(rows, row, column)
        for row, line in enumerate(rows)
        for column, symbol in enumerate(line)
        if symbol != "."
    }
    seeing_cells: dict[Cell, list[Cell]] = {}
    for number, cells in neighbors.items():
        for cell in cells:
            seeing_cells.setdefault(cell, []).append(number)
    items: list[object] = list(neighbors)
    options: dict[Shading, list[object]] = {}
    for cell, numbers in seeing_cells.items():
        items += [(cell, link, dark) for link in range(1, len(numbers)) for dark in (False, True)]
    for number, cells in neighbors.items():
        for dark_cells in combinations(cells, int(rows[number[0]][number[1]])):
            covered_items: list[object] = [number]
            for cell in cells:
                place, dark = seeing_cells[cell].index(number), cell in dark_cells
                if place > 0:
                    covered_items.append((cell, place, dark))
                if place + 1 < len(seeing_cells[cell]):
                    covered_items.append((cell, place + 1, not dark))
            options[number, frozenset(dark_cells)] = covered_items
    return ExactCover(items, options)


def main(text: str) -> None:
    """Print at most two solutions; cells that no number sees stay open."""
    rows = text.split()
    solution_count = 0
    for solution_count, solution in enumerate(make_cover_problem(rows).solutions(), 1):
        dark = frozenset[Cell]().union(*(cells for _, cells in solution))
        for row, line in enumerate(rows):
            print("".join("##" if (row, column) in dark else " ." for column in range(len(line))))
        if solution_count == 2:
            break
    print(("no solution", "one solution", "several solutions")[solution_count])


if __name__ == "__main__":
    main(Path(sys.argv[1]).read_text(encoding="utf-8") if len(sys.argv) > 1 else CAT)
