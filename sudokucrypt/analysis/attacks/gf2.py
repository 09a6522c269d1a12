"""Systems of linear equations over the field of two elements, and modulo 256."""

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.typing import AnyArray

BitMatrix = NDArray[np.bool_]


def solved(matrix: BitMatrix, right: BitMatrix) -> BitMatrix:
    """Return a solution of ``matrix @ x = right`` over GF(2); unknowns that stay free are 0.

    `matrix` has shape (M, N), and `right` (M,) or (M, R) for R systems at once. Equations that
    contradict the others are left out.
    Cost: M N^2 / 128 operations on words of 64 bits.

    >>> solved(np.array([[1, 1], [0, 1]], bool), np.array([1, 1], bool)).tolist()
    [False, True]
    """
    unknowns = matrix.shape[1]
    packed = np.packbits(np.column_stack([matrix, right]), axis=1)
    # Rows of whole words: one exclusive-or takes 64 coefficients.
    rows = np.zeros((len(packed), -(-packed.shape[1] // 8) * 8), np.uint8)
    rows[:, : packed.shape[1]] = packed
    words = rows.view(np.uint64)

    def column(index: int) -> BitMatrix:
        return (rows[:, index >> 3] >> (7 - (index & 7)) & 1).astype(bool)

    pivots: list[int] = []
    for unknown in range(unknowns):
        holders = column(unknown)
        top = len(pivots)
        below = np.flatnonzero(holders[top:])
        if not below.size:
            continue
        words[[top, top + below[0]]] = words[[top + below[0], top]]
        holders = column(unknown)
        holders[top] = False
        words[holders] ^= words[top]
        pivots.append(unknown)
    bits = np.unpackbits(rows[: len(pivots)], axis=1).astype(bool)
    columns = bits[:, unknowns : unknowns + (right.size // len(right))]
    solution = np.zeros((unknowns, *right.shape[1:]), bool)
    solution[pivots] = columns.reshape(len(pivots), *right.shape[1:])
    return solution


def solved_modulo_256(matrix: AnyArray, right: AnyArray) -> AnyArray:
    """Return a solution of ``matrix @ x = right`` modulo 256, one bit after another, as uint8.

    `matrix` has shape (M, N), `right` (M,) or (M, R), and both dtype uint8. The lowest bits of the
    matrix must determine x; equations that contradict the others are left out.

    >>> matrix, right = np.array([[1, 2], [0, 3]], np.uint8), np.array([5, 6], np.uint8)
    >>> solved_modulo_256(matrix, right).tolist()
    [1, 2]
    """
    solution = np.zeros((matrix.shape[1], *right.shape[1:]), np.int64)
    for bit in range(8):
        # Sums of products stay below 2^53.
        product = (matrix.astype(float) @ solution).astype(np.int64)
        bits = solved((matrix & 1).astype(bool), ((right - product) >> bit & 1).astype(bool))
        solution += bits.astype(np.int64) << bit
    return solution.astype(np.uint8)
