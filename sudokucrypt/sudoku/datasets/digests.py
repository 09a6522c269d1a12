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

DIGEST_SIZE = 16
"""The number of bytes of a digest, enough that different data never have equal digests."""

# The largest number of solutions of a puzzle whose class is computed.
_MAX_SOLUTIONS = 100


def hash_bytes(content: bytes) -> bytes:
    """Return the digest of data."""
    return blake2b(content, digest_size=DIGEST_SIZE).digest()


def hash_classes(
    puzzles: PuzzleDigits, solution_digits: PuzzleDigits, *, threads: int | None = None
) -> tuple[list[bytes], list[bytes]]:
    """Return the digests of the classes of puzzles, and of the classes of their solutions.

    `puzzles` and `solution_digits` are arrays of digits of shape (N, 81), as for `puzzle_forms`.
    """
    canonical_forms = puzzle_forms(puzzles, solution_digits, threads=threads)
    pairs = [
        (grid.tobytes(), givens.tobytes()) for grid, givens in zip(*canonical_forms, strict=True)
    ]
    return [hash_bytes(grid + givens) for grid, givens in pairs], [
        hash_bytes(grid) for grid, _ in pairs
    ]


def hash_ambiguous_class(puzzle: PuzzleDigits) -> bytes | None:
    """Return the digest of the class of a puzzle, or None if it has more than 100 solutions.

    Equivalent puzzles have equivalent solutions, so the smallest digest of these is the result.
    """
    all_solutions = [*islice(solutions(SudokuPuzzle(puzzle)), _MAX_SOLUTIONS + 1)]
    if len(all_solutions) > _MAX_SOLUTIONS:
        return None
    solution_digits = np.array([solution.givens + 1 for solution in all_solutions], dtype=np.int8)
    return min(hash_classes(np.tile(puzzle, (len(all_solutions), 1)), solution_digits)[0])
