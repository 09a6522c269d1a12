"""Shade the Cells: every cell has a number, and shading must make all numbers right.

A dark cell is right if the sum over the dark cells of its row and its column equals its number, a
light cell if the sum over the dark cells connected with it does. Two points are open in this rule,
and here they are settled so:

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
TRIES = 1000  # to make a board


class Board:
    """The numbers of a board, and which cells count for each of them."""

    def __init__(self, numbers: list[list[int]], *, add: bool, touching: bool = False) -> None:
        self.touching = touching
        self.rows, self.columns = len(numbers), len(numbers[0])
        self.numbers = [number for row in numbers for number in row]
        self.weights = self.numbers if add else [1] * len(self.numbers)
        cells = range(len(self.numbers))
        place = [divmod(cell, self.columns) for cell in cells]
        self.cross = [
            [o for o in cells if (place[o][0] == r or place[o][1] == c) and not (add and o == cell)]
            for cell, (r, c) in enumerate(place)
        ]
        self.near = [
            [o for o in cells if abs(place[o][0] - r) + abs(place[o][1] - c) == 1] for r, c in place
        ]

    def total(self, cell: int, shades: list[int], dark: set[int]) -> int:
        """Return the sum for a cell if the shades in `dark` count as dark."""
        if shades[cell] == DARK:
            return sum(self.weights[o] for o in self.cross[cell] if shades[o] in dark)
        if self.touching:
            return sum(self.weights[o] for o in self.near[cell] if shades[o] in dark)
        reached, new = {cell}, [cell]
        while new:
            for other in self.near[new.pop()]:
                if other not in reached and shades[other] in dark:
                    reached.add(other)
                    new.append(other)
        return sum(self.weights[other] for other in reached - {cell})

    def possible(self, shades: list[int]) -> bool:
        """Return whether every number of a settled cell lies between its bounds."""
        return all(
            shade == OPEN
            or self.total(cell, shades, {DARK})
            <= self.numbers[cell]
            <= self.total(cell, shades, {DARK, OPEN})
            for cell, shade in enumerate(shades)
        )

    def solutions(self, shades: list[int] | None = None) -> Iterator[list[int]]:
        """Yield every shading in which all numbers are right."""
        shades = shades or [OPEN] * len(self.numbers)
        # Settle what only one shade is possible for, until nothing changes.
        changed = True
        while changed:
            changed = False
            for cell in [cell for cell, shade in enumerate(shades) if shade == OPEN]:
                fitting = [s for s in (DARK, LIGHT) if self.possible(with_shade(shades, cell, s))]
                if not fitting:
                    return
                if len(fitting) == 1:
                    shades, changed = with_shade(shades, cell, fitting[0]), True
        if OPEN not in shades:
            if self.possible(shades):
                yield shades
            return
        cell = shades.index(OPEN)
        for shade in (DARK, LIGHT):
            yield from self.solutions(with_shade(shades, cell, shade))

    def text(self, shades: list[int]) -> str:
        """Return a shading: dark cells in brackets, or bare numbers where nothing is dark."""
        cells = [
            f"[{n}]" if s == DARK else f" {n} " for n, s in zip(self.numbers, shades, strict=True)
        ]
        width = max(map(len, cells))
        starts = range(0, len(cells), self.columns)
        rows = [cells[start : start + self.columns] for start in starts]
        return "\n".join(" ".join(cell.rjust(width) for cell in row).rstrip() for row in rows)


def with_shade(shades: list[int], cell: int, shade: int) -> list[int]:
    """Return the shades with one more settled."""
    return [*shades[:cell], shade, *shades[cell + 1 :]]


def make(size: int, seed: int, *, add: bool = False, touching: bool = False) -> Board:
    """Return a board with exactly one solution, that of random shades."""
    draws = random.Random(seed)  # noqa: S311 - a puzzle, not a key
    cells = range(size * size)
    for _ in range(TRIES):
        shades, numbers = [draws.choice((DARK, LIGHT)) for _ in cells], [0 for _ in cells]
        if add:
            numbers = pairs(size, draws)
            shades = [DARK if number else LIGHT for number in numbers]
        blank = Board(in_rows(numbers, size), add=add, touching=touching)
        numbers = [blank.total(cell, shades, {DARK}) for cell in cells]
        board = Board(in_rows(numbers, size), add=add, touching=touching)
        if len(list(islice(board.solutions(), 2))) == 1:
            return board
    sys.exit(f"no board of this size with one solution was found in {TRIES} tries")


def pairs(size: int, draws: random.Random) -> list[int]:
    """Return numbers of dark cells that add up, and 0 for light ones.

    Two dark cells of one row or column that see no other one have the same number, whatever it is;
    other numbers above 0 do not add up.
    """
    numbers = [0] * (size * size)
    lines = [set(range(size)), set(range(size))]  # rows and columns without a dark cell
    while True:
        across = draws.randrange(2)
        if not lines[across] or len(lines[1 - across]) < 2:
            return numbers
        line = draws.choice(sorted(lines[across]))
        ends = draws.sample(sorted(lines[1 - across]), 2)
        lines[across].discard(line)
        lines[1 - across].difference_update(ends)
        number = draws.randint(1, 9)
        for end in ends:
            numbers[line * size + end if across == 0 else end * size + line] = number


def in_rows(numbers: list[int], size: int) -> list[list[int]]:
    """Return numbers as rows."""
    return [numbers[start : start + size] for start in range(0, len(numbers), size)]


def main(arguments: list[str]) -> None:
    """Print the board where one is made, its first two solutions, and how many there are."""
    add, touching = "--add" in arguments, "--touching" in arguments
    words = [word for word in arguments if word not in ("--add", "--touching")]
    if len(words) == 2:
        board = make(int(words[0]), int(words[1]), add=add, touching=touching)
        print(board.text([LIGHT] * len(board.numbers)), end="\n\n")
    else:
        text = Path(words[0]).read_text(encoding="utf-8") if words else EXAMPLE
        rows = [[int(word) for word in line.split()] for line in text.splitlines() if line.strip()]
        if len({*map(len, rows)}) != 1 or min(map(min, rows)) < 0:
            sys.exit("a board has rows of equal length, and numbers from 0")
        board = Board(rows, add=add, touching=touching)
    found = list(islice(board.solutions(), 2))
    for shades in found:
        print(board.text(shades))
    print(("no solution", "one solution", "several solutions")[len(found)])


if __name__ == "__main__":
    main(sys.argv[1:])
