"""Digests of puzzles and of their classes under the symmetries of the rules."""

from hashlib import blake2b
from itertools import islice
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.sudoku.counting.canonical import puzzle_forms
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.solving.solver import solutions

PuzzleDigits: TypeAlias = NDArray[np.int8]

DIGEST = 16
"""Bytes of a digest, of which two are not equal by chance."""

# Each is brought into canonical form; a puzzle with more is hardly meant as one.
_MOST_SOLUTIONS = 100


def digest(data: bytes) -> bytes:
    """Return the digest of some bytes."""
    return blake2b(data, digest_size=DIGEST).digest()


def class_digests(
    puzzles: PuzzleDigits, solved: PuzzleDigits, *, threads: int | None = None
) -> tuple[list[bytes], list[bytes]]:
    """Return the digests of the classes of puzzles, and of the classes of their solutions.

    Both are arrays of digits of shape (N, 81), as for `puzzle_forms`.
    """
    forms = puzzle_forms(puzzles, solved, threads=threads)
    pairs = [(grid.tobytes(), given.tobytes()) for grid, given in zip(*forms, strict=True)]
    return [digest(grid + given) for grid, given in pairs], [digest(grid) for grid, _ in pairs]


def class_of_several(puzzle: PuzzleDigits) -> bytes | None:
    """Return the digest of the class of a puzzle with up to 100 solutions, None if it has more.

    Equivalent puzzles have equivalent solutions, so that the least of these stands for all.
    """
    every = [*islice(solutions(SudokuPuzzle(puzzle)), _MOST_SOLUTIONS + 1)]
    if len(every) > _MOST_SOLUTIONS:
        return None
    solved = np.array([solution.givens + 1 for solution in every], dtype=np.int8)
    return min(class_digests(np.tile(puzzle, (len(every), 1)), solved)[0])
