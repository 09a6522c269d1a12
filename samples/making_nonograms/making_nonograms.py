"""Make a nonogram with one solution, from a picture or at random.

Usage: python making_nonograms.py [PICTURE | SEED] [ROWS COLUMNS]

The darker half of the picture becomes dark cells, by default 20 rows of 20. If the runs have
several solutions, cells in which solutions differ are changed, medium gray ones first, until one
solution is left. The script prints the runs in the form that `nonogram.py` reads, and the solution
as comments.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PIL import Image

Runs = tuple[int, ...]
Cells = tuple[int, ...]

DARK, LIGHT, OPEN = 1, 0, -1
MAX_NODES = 100  # nodes of a search, after which the runs count as having several solutions
MAX_OPEN_CELLS = 60  # open cells; with more of them, no search is begun
MAX_LINES = 60  # rows or columns


def list_runs(line: Cells) -> Runs:
    """Return the lengths of the runs of dark cells, or one 0."""
    text = "".join(map(str, line))
    return tuple(len(run) for run in text.split("0") if run) or (0,)


def settle_line(runs: Runs, line: Cells) -> Cells | None:
    """Return a line with all cells that follow from its runs and its settled cells, or None.

    None means that the runs do not fit. `fits[i]` tells for each number of runs whether they fit
    into the first i cells, and `fits_after[i]` whether the other runs fit into the cells from i on.
    """
    runs = tuple(run for run in runs if run)
    fits = find_fitting_runs(runs, line)
    reversed_fits = find_fitting_runs(runs[::-1], line[::-1])
    length, count = len(line), len(runs)
    fits_after = [
        [reversed_fits[length - end][count - number] for number in range(count + 1)]
        for end in range(length + 1)
    ]
    if not fits[length][count]:
        return None
    can_be_light, can_be_dark = [False] * length, [False] * length
    for end in range(length):
        can_be_light[end] = line[end] != DARK and any(
            fit_before and fits_behind
            for fit_before, fits_behind in zip(fits[end], fits_after[end + 1], strict=True)
        )
    for number, run in enumerate(runs):
        for start in range(length - run + 1):
            stop = start + run
            if LIGHT in line[start:stop]:
                continue
            # A run is between light cells or ends of the line.
            fits_before = (
                fits[0][number]
                if start == 0
                else line[start - 1] != DARK and fits[start - 1][number]
            )
            fits_behind = (
                fits_after[length][number + 1]
                if stop == length
                else line[stop] != DARK and fits_after[stop + 1][number + 1]
            )
            if fits_before and fits_behind:
                can_be_dark[start:stop] = [True] * run
    return tuple(
        OPEN if is_both else DARK if can_be_dark[end] else LIGHT
        for end, is_both in enumerate(
            can_be_light[end] and can_be_dark[end] for end in range(length)
        )
    )


def find_fitting_runs(runs: Runs, line: Cells) -> list[list[bool]]:
    """Return for each number of cells and runs whether the first runs fit into the first cells."""
    fits = [[False] * (len(runs) + 1) for _ in range(len(line) + 1)]
    fits[0][0] = True
    for end in range(1, len(line) + 1):
        for number in range(len(runs) + 1):
            fits[end][number] = line[end - 1] != DARK and fits[end - 1][number]
            if number and not fits[end][number] and runs[number - 1] <= end:
                start = end - runs[number - 1]
                can_be_dark = LIGHT not in line[start:end]
                fits_before = (
                    fits[0][number - 1]
                    if start == 0
                    else (line[start - 1] != DARK and fits[start - 1][number - 1])
                )
                fits[end][number] = can_be_dark and fits_before
    return fits


class Nonogram:
    """A nonogram: the runs of all rows and columns."""

    def __init__(self, picture: np.ndarray) -> None:
        self.rows = [list_runs(tuple(row)) for row in picture.tolist()]
        self.columns = [list_runs(tuple(column)) for column in picture.T.tolist()]
        self.nodes = 0

    def propagate(self, cells: np.ndarray) -> bool:
        """Settle lines until nothing changes; return False if a line does not fit."""
        lines = {(0, index) for index in range(len(self.rows))} | {
            (1, index) for index in range(len(self.columns))
        }
        while lines:
            axis, index = lines.pop()
            runs = (self.columns if axis else self.rows)[index]
            line = cells[:, index] if axis else cells[index]
            settled = settle_line(runs, tuple(line.tolist()))
            if settled is None:
                return False
            for position in np.flatnonzero(line != settled).tolist():
                lines.add((1 - axis, position))
            line[:] = settled
        return True

    def find_solutions(self, cells: np.ndarray, limit: int = 2) -> list[np.ndarray]:
        """Return at most `limit` solutions, or fewer if the search is given up."""
        self.nodes += 1
        cells = cells.copy()
        if self.nodes > MAX_NODES or not self.propagate(cells):
            return []
        open_cells = np.argwhere(cells == OPEN)
        if not len(open_cells):
            return [cells]
        grids: list[np.ndarray] = []
        for shade in (DARK, LIGHT):
            next_cells = cells.copy()
            next_cells[tuple(open_cells[0])] = shade
            grids += self.find_solutions(next_cells, limit - len(grids))
            if len(grids) >= limit:
                break
        return grids


def find_undecided_cells(picture: np.ndarray) -> np.ndarray:
    """Return the cells in which the solutions for the runs of a picture differ or may differ."""
    puzzle = Nonogram(picture)
    cells = np.full(picture.shape, OPEN)
    puzzle.propagate(cells)
    open_cells: np.ndarray = cells == OPEN
    if not open_cells.any() or open_cells.sum() > MAX_OPEN_CELLS:
        return open_cells
    grids = puzzle.find_solutions(cells)
    if len(grids) == 2:
        open_cells = grids[0] != grids[1]
    elif puzzle.nodes <= MAX_NODES:
        open_cells = np.zeros(picture.shape, dtype=bool)
    return open_cells


def make_picture(gray: np.ndarray) -> np.ndarray:
    """Return a picture of dark cells that is similar to a gray one, and the only solution."""
    median = float(np.median(gray))
    picture = (gray < median).astype(int)
    if picture.min() == picture.max():
        picture = (gray < gray.mean()).astype(int)
    uncertainty = np.abs(gray - median)
    changes = 0
    while (undecided := find_undecided_cells(picture)).any():
        # After some changes, cells only become dark, so that the loop ends.
        changes += 1
        if changes > sum(picture.shape) and (undecided & (picture == LIGHT)).any():
            undecided &= picture == LIGHT
        cell = np.unravel_index(np.where(undecided, uncertainty, np.inf).argmin(), picture.shape)
        picture[cell] = 1 - picture[cell]
        uncertainty[cell] += (
            1 + uncertainty.max()
        )  # this cell will be changed last if it is undecided again
    return picture


def read_gray(source: str, rows: int, columns: int) -> np.ndarray:
    """Return the gray values of a picture, or random ones for a seed."""
    if source.isdecimal() and not Path(source).exists():
        gray: np.ndarray = np.random.default_rng(int(source)).random((rows, columns))
        return gray
    with Image.open(source) as image:
        white = Image.new("RGBA", image.size, "white")
        opaque_image = Image.alpha_composite(white, image.convert("RGBA")).convert("L")
        return np.asarray(opaque_image.resize((columns, rows), Image.Resampling.BOX), dtype=float)


def main(arguments: list[str]) -> None:
    """Print the runs, and the solution as comments."""
    source = arguments[0] if arguments else "1"
    rows, columns = map(int, arguments[1:3]) if len(arguments) > 2 else (20, 20)
    if not (1 <= rows <= MAX_LINES and 1 <= columns <= MAX_LINES):
        sys.exit(f"a nonogram has 1 to {MAX_LINES} rows and columns")
    picture = make_picture(read_gray(source, rows, columns))
    puzzle = Nonogram(picture)
    for lines in (puzzle.rows, puzzle.columns):
        print("\n".join(" ".join(map(str, runs)) for runs in lines), end="\n\n")
    print("\n".join("# " + "".join("##" if dark else " ." for dark in row) for row in picture))


if __name__ == "__main__":
    main(sys.argv[1:])
