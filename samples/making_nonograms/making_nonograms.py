"""Make a nonogram with one solution, from a picture or at random.

Usage: python making_nonograms.py [PICTURE | SEED] [ROWS COLUMNS]

The darker half of the picture becomes dark cells, by default 20 rows of 20. Where the runs of a
picture have several solutions, cells in which two of them differ are changed, those first whose
gray is least decided, until one solution is left. The script prints the runs in the form that
`nonogram.py` reads, and the solution below as comments.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PIL import Image

Runs = tuple[int, ...]
Cells = tuple[int, ...]

DARK, LIGHT, OPEN = 1, 0, -1
NODES = 100  # of a search, after which a picture counts as one of several solutions
SEARCHED = 60  # open cells, beyond which no search is begun
LARGEST = 60  # rows or columns


def runs_of(line: Cells) -> Runs:
    """Return the lengths of the runs of dark cells, or one 0."""
    text = "".join(map(str, line))
    return tuple(len(run) for run in text.split("0") if run) or (0,)


def settle(runs: Runs, line: Cells) -> Cells | None:
    """Return a line with all cells that its runs and its settled cells leave no choice for.

    None if nothing fits. `fits[i]` says for each number of runs whether they fit into the first i
    cells, and `after[i]` whether the others fit into the cells from i on.
    """
    runs = tuple(run for run in runs if run)
    fits = reach(runs, line)
    back = reach(runs[::-1], line[::-1])
    length, count = len(line), len(runs)
    after = [[back[length - i][count - k] for k in range(count + 1)] for i in range(length + 1)]
    if not fits[length][count]:
        return None
    light, dark = [False] * length, [False] * length
    for i in range(length):
        light[i] = line[i] != DARK and any(
            before and behind for before, behind in zip(fits[i], after[i + 1], strict=True)
        )
    for k, run in enumerate(runs):
        for start in range(length - run + 1):
            stop = start + run
            if LIGHT in line[start:stop]:
                continue
            # A light cell, or the end, is on both sides of a run.
            ahead = fits[0][k] if start == 0 else line[start - 1] != DARK and fits[start - 1][k]
            behind = (
                after[length][k + 1]
                if stop == length
                else line[stop] != DARK and after[stop + 1][k + 1]
            )
            if ahead and behind:
                dark[start:stop] = [True] * run
    return tuple(
        OPEN if both else DARK if dark[i] else LIGHT
        for i, both in enumerate(light[i] and dark[i] for i in range(length))
    )


def reach(runs: Runs, line: Cells) -> list[list[bool]]:
    """Return for each number of cells and of runs whether these runs fit into these cells."""
    fits = [[False] * (len(runs) + 1) for _ in range(len(line) + 1)]
    fits[0][0] = True
    for i in range(1, len(line) + 1):
        for k in range(len(runs) + 1):
            fits[i][k] = line[i - 1] != DARK and fits[i - 1][k]
            if k and not fits[i][k] and runs[k - 1] <= i:
                start = i - runs[k - 1]
                whole = LIGHT not in line[start:i]
                ahead = (
                    fits[0][k - 1]
                    if start == 0
                    else (line[start - 1] != DARK and fits[start - 1][k - 1])
                )
                fits[i][k] = whole and ahead
    return fits


class Nonogram:
    """The runs of all rows and columns."""

    def __init__(self, picture: np.ndarray) -> None:
        self.rows = [runs_of(tuple(row)) for row in picture.tolist()]
        self.columns = [runs_of(tuple(column)) for column in picture.T.tolist()]
        self.nodes = 0

    def propagate(self, cells: np.ndarray) -> bool:
        """Settle lines until nothing changes; False if something does not fit."""
        lines = {(0, i) for i in range(len(self.rows))} | {(1, i) for i in range(len(self.columns))}
        while lines:
            axis, index = lines.pop()
            runs = (self.columns if axis else self.rows)[index]
            line = cells[:, index] if axis else cells[index]
            settled = settle(runs, tuple(line.tolist()))
            if settled is None:
                return False
            for place in np.flatnonzero(line != settled).tolist():
                lines.add((1 - axis, place))
            line[:] = settled
        return True

    def solutions(self, cells: np.ndarray, most: int = 2) -> list[np.ndarray]:
        """Return up to so many solutions, or fewer where the search is given up."""
        self.nodes += 1
        cells = cells.copy()
        if self.nodes > NODES or not self.propagate(cells):
            return []
        open_cells = np.argwhere(cells == OPEN)
        if not len(open_cells):
            return [cells]
        found: list[np.ndarray] = []
        for shade in (DARK, LIGHT):
            tried = cells.copy()
            tried[tuple(open_cells[0])] = shade
            found += self.solutions(tried, most - len(found))
            if len(found) >= most:
                break
        return found


def undecided(picture: np.ndarray) -> np.ndarray:
    """Return the cells in which solutions of the runs of a picture differ, or may differ."""
    puzzle = Nonogram(picture)
    cells = np.full(picture.shape, OPEN)
    puzzle.propagate(cells)
    left: np.ndarray = cells == OPEN
    if not left.any() or left.sum() > SEARCHED:
        return left
    found = puzzle.solutions(cells)
    if len(found) == 2:
        left = found[0] != found[1]
    elif puzzle.nodes <= NODES:
        left = np.zeros(picture.shape, dtype=bool)
    return left


def make(gray: np.ndarray) -> np.ndarray:
    """Return a picture of dark cells with one solution, as near as can be to a gray one."""
    middle = float(np.median(gray))
    picture = (gray < middle).astype(int)
    if picture.min() == picture.max():
        picture = (gray < gray.mean()).astype(int)
    doubt = np.abs(gray - middle)
    changes = 0
    while (places := undecided(picture)).any():
        # In the long run cells only become dark, so that there is an end.
        changes += 1
        if changes > sum(picture.shape) and (places & (picture == LIGHT)).any():
            places &= picture == LIGHT
        cell = np.unravel_index(np.where(places, doubt, np.inf).argmin(), picture.shape)
        picture[cell] = 1 - picture[cell]
        doubt[cell] += 1 + doubt.max()  # it is the last to be changed again
    return picture


def read_gray(source: str, rows: int, columns: int) -> np.ndarray:
    """Return the gray of a picture, or random gray for a seed."""
    if source.isdecimal() and not Path(source).exists():
        gray: np.ndarray = np.random.default_rng(int(source)).random((rows, columns))
        return gray
    with Image.open(source) as image:
        white = Image.new("RGBA", image.size, "white")
        flat = Image.alpha_composite(white, image.convert("RGBA")).convert("L")
        return np.asarray(flat.resize((columns, rows), Image.Resampling.BOX), dtype=float)


def main(arguments: list[str]) -> None:
    """Print the runs, and the solution as comments."""
    source = arguments[0] if arguments else "1"
    rows, columns = map(int, arguments[1:3]) if len(arguments) > 2 else (20, 20)
    if not (1 <= rows <= LARGEST and 1 <= columns <= LARGEST):
        sys.exit(f"a nonogram has 1 to {LARGEST} rows and columns")
    picture = make(read_gray(source, rows, columns))
    puzzle = Nonogram(picture)
    for lines in (puzzle.rows, puzzle.columns):
        print("\n".join(" ".join(map(str, runs)) for runs in lines), end="\n\n")
    print("\n".join("# " + "".join("##" if dark else " ." for dark in row) for row in picture))


if __name__ == "__main__":
    main(sys.argv[1:])
