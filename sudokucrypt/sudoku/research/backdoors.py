"""Backdoors: cells whose digits, once known, leave a puzzle to the techniques of a level."""

from itertools import combinations

from sudokucrypt.checks import checked_integer
from sudokucrypt.sudoku.deducing.levels import Level
from sudokucrypt.sudoku.deducing.trace import fills, require_houses
from sudokucrypt.sudoku.model.puzzle import PuzzleLike, as_puzzle
from sudokucrypt.sudoku.solving.solver import solve

# Five cells would take the better part of an hour for 9x9.
_LARGEST = 4


def backdoors(
    puzzle: PuzzleLike, *, level: Level = Level.EASY, most: int = 3
) -> list[tuple[int, ...]]:
    """Return the smallest backdoors of a puzzle, all of one size.

    Raises `NoSolutionError` or `MultipleSolutionsError` if the puzzle has not one solution, and
    `UnsupportedError` if it has constraints. Backdoors are numbers of cells that are open, in
    order; one empty tuple where the techniques need no help, and nothing if there are no backdoors
    of up to `most` cells. Source: R. Williams, C. P. Gomes and B. Selman, Backdoors To Typical Case
    Complexity, IJCAI 2003; here the digits are those of the solution.

    The techniques of `level`, by default naked and hidden singles, solve the rest. `most` is 0..4:
    each more takes about twenty times as long: 9x9 takes under a second for 2 and some seconds for
    3.

    >>> backdoors("1... ..2. .3.. ...4")
    [()]
    """
    puzzle = as_puzzle(puzzle)
    most = checked_integer("the largest size", most, least=0, most=_LARGEST)
    require_houses(puzzle.variant)
    solution, givens = solve(puzzle).givens.tolist(), puzzle.givens.tolist()
    everything = range(len(givens))
    cells = [cell for cell in everything if givens[cell] < 0]
    # Only the smallest size is searched to its end: larger ones contain these.
    for size in range(most + 1):
        backdoors = []
        for chosen in combinations(cells, size):
            tried = [solution[c] if c in chosen else given for c, given in enumerate(givens)]
            if fills(puzzle.variant, tried, level, everything):
                backdoors.append(chosen)
        if backdoors:
            return backdoors
    return []
