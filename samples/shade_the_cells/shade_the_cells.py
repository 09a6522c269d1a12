"""Solve Shade the Cells: every cell has a number; shade cells so that all numbers are right.

The number of a dark cell must be the sum over the dark cells of its row and its column; the number
of a light cell must be the sum over the dark cells that are connected with it. The rule leaves two
points open, which are decided as follows:

- "sum" counts the dark cells; with --add it adds up their numbers, those of the cell itself left
  out, as a dark cell would otherwise allow no other in its row and column but zeros;
- "connected" is through edges: a light cell is connected with the dark cells that can be reached
  from it without stepping on another light cell. With --touching, the plainest reading, it is
  connected only with the dark cells that share an edge with it.

Usage: python shade_the_cells.py [--add] [--touching] [FILE | SIZE SEED]

FILE has a line of numbers for each row. SIZE and SEED make a puzzle with one solution in its place.
"""

from __future__ import annotations

import random
import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

EXAMPLE = """
 6  3  3  9  6
 6  3  9  5  6
 5  0  9  4  5
 7 11  5  6  7
 5 11  3  9  9
"""

DARK, LIGHT, OPEN = 1, 0, -1
MAX_TRIES = 1000  # to make a board


class Board:
    """The numbers of a board, and the cells that count for each number."""

    def __init__(self, numbers: list[list[int]], *, add: bool, touching: bool = False) -> None:
        self.touching = touching
        self.rows, self.columns = len(numbers), len(numbers[0])
        self.numbers = [number for row in numbers for number in row]
        self.weights = self.numbers if add else [1] * len(self.numbers)
        cells = range(len(self.numbers))
        positions = [divmod(cell, self.columns) for cell in cells]
        self.cross = [
            [
                other
                for other in cells
                if (positions[other][0] == row or positions[other][1] == column)
                and not (add and other == cell)
            ]
            for cell, (row, column) in enumerate(positions)
        ]
        self.near = [
            [
                other
                for other in cells
                if abs(positions[other][0] - row) + abs(positions[other][1] - column) == 1
            ]
            for row, column in positions
        ]

    def total(self, cell: int, shades: list[int], dark: set[int]) -> int:
        """Return the sum for a cell if the shades in `dark` count as dark."""
        if shades[cell] == DARK:
            return sum(self.weights[other] for other in self.cross[cell] if shades[other] in dark)
        if self.touching:
            return sum(self.weights[other] for other in self.near[cell] if shades[other] in dark)
        reached, new = {cell}, [cell]
        while new:
            for neighbor in self.near[new.pop()]:
                if neighbor not in reached and shades[neighbor] in dark:
                    reached.add(neighbor)
                    new.append(neighbor)
        return sum(self.weights[neighbor] for neighbor in reached - {cell})

    def is_possible(self, shades: list[int]) -> bool:
        """Return whether the number of each settled cell is between its bounds."""
        return all(
            shade == OPEN
            or self.total(cell, shades, {DARK})
            <= self.numbers[cell]
            <= self.total(cell, shades, {DARK, OPEN})
            for cell, shade in enumerate(shades)
        )

    def find_solutions(self, shades: list[int] | None = None) -> Iterator[list[int]]:
        """Yield all shadings in which all numbers are right."""
        shades = shades or [OPEN] * len(self.numbers)
        # Settle cells for which only one shade is possible, until nothing changes.
        has_changed = True
        while has_changed:
            has_changed = False
            for cell in [cell for cell, shade in enumerate(shades) if shade == OPEN]:
                possible_shades = [
                    shade
                    for shade in (DARK, LIGHT)
                    if self.is_possible(with_shade(shades, cell, shade))
                ]
                if not possible_shades:
                    return
                if len(possible_shades) == 1:
                    shades, has_changed = with_shade(shades, cell, possible_shades[0]), True
        if OPEN not in shades:
            if self.is_possible(shades):
                yield shades
            return
        cell = shades.index(OPEN)
        for shade in (DARK, LIGHT):
            yield from self.find_solutions(with_shade(shades, cell, shade))

    def format_shading(self, shades: list[int]) -> str:
        """Format a shading, with dark cells in brackets."""
        cells = [
            f"[{number}]" if shade == DARK else f" {number} "
            for number, shade in zip(self.numbers, shades, strict=True)
        ]
        width = max(map(len, cells))
        starts = range(0, len(cells), self.columns)
        rows = [cells[start : start + self.columns] for start in starts]
        return "\n".join(" ".join(cell.rjust(width) for cell in row).rstrip() for row in rows)


def with_shade(shades: list[int], cell: int, shade: int) -> list[int]:
    """Return a copy of the shades with one more settled cell."""
    return [*shades[:cell], shade, *shades[cell + 1 :]]


def make(size: int, seed: int, *, add: bool = False, touching: bool = False) -> Board:
    """Return a board whose only solution is a random shading."""
    source = random.Random(seed)  # noqa: S311 - a puzzle, not a key
    cells = range(size * size)
    for _ in range(MAX_TRIES):
        shades, numbers = [source.choice((DARK, LIGHT)) for _ in cells], [0 for _ in cells]
        if add:
            numbers = draw_pair_numbers(size, source)
            shades = [DARK if number else LIGHT for number in numbers]
        start_board = Board(split_into_rows(numbers, size), add=add, touching=touching)
        numbers = [start_board.total(cell, shades, {DARK}) for cell in cells]
        board = Board(split_into_rows(numbers, size), add=add, touching=touching)
        if len(list(islice(board.find_solutions(), 2))) == 1:
            return board
    sys.exit(f"no board of this size with one solution was found in {MAX_TRIES} tries")


def draw_pair_numbers(size: int, source: random.Random) -> list[int]:
    """Return numbers of dark cells whose sums are right, and 0 for light cells.

    Only pairs of dark cells that share a row or column, and see no other dark cell, can have
    numbers above 0, which must be equal.
    """
    numbers = [0] * (size * size)
    lines = [set(range(size)), set(range(size))]  # rows and columns without a dark cell
    while True:
        is_horizontal = source.randrange(2)
        if not lines[is_horizontal] or len(lines[1 - is_horizontal]) < 2:
            return numbers
        line = source.choice(sorted(lines[is_horizontal]))
        ends = source.sample(sorted(lines[1 - is_horizontal]), 2)
        lines[is_horizontal].discard(line)
        lines[1 - is_horizontal].difference_update(ends)
        number = source.randint(1, 9)
        for end in ends:
            numbers[line * size + end if is_horizontal == 0 else end * size + line] = number


def split_into_rows(numbers: list[int], size: int) -> list[list[int]]:
    """Split numbers into rows of `size` numbers."""
    return [numbers[start : start + size] for start in range(0, len(numbers), size)]


def main(arguments: list[str]) -> None:
    """Print a made board, its first two solutions, and the number of solutions."""
    add, touching = "--add" in arguments, "--touching" in arguments
    words = [word for word in arguments if word not in ("--add", "--touching")]
    if len(words) == 2:
        board = make(int(words[0]), int(words[1]), add=add, touching=touching)
        print(board.format_shading([LIGHT] * len(board.numbers)), end="\n\n")
    else:
        text = Path(words[0]).read_text(encoding="utf-8") if words else EXAMPLE
        rows = [[int(word) for word in line.split()] for line in text.splitlines() if line.strip()]
        if len({*map(len, rows)}) != 1 or min(map(min, rows)) < 0:
            sys.exit("a board has rows of equal length, and numbers from 0")
        board = Board(rows, add=add, touching=touching)
    solutions = list(islice(board.find_solutions(), 2))
    for shades in solutions:
        print(board.format_shading(shades))
    print(("no solution", "one solution", "several solutions")[len(solutions)])


if __name__ == "__main__":
    main(sys.argv[1:])
