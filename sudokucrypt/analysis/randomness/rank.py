"""Whether rows of bits depend on each other: the ranks of binary matrices."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.analysis.randomness.bits import checked_bits
from sudokucrypt.analysis.randomness.chi_square import chi_square
from sudokucrypt.analysis.randomness.outcome import DEFAULT_LEVEL, Setting

if TYPE_CHECKING:
    from sudokucrypt.analysis.randomness.bits import BitsLike
    from sudokucrypt.analysis.randomness.outcome import RandomnessResult
    from sudokucrypt.typing import AnyArray, IntArray

_SIDE = 32
_FEWEST = 38
"""Matrices that section 2.5.7 asks for."""


def matrix_rank(
    bits: BitsLike, *, level: float = DEFAULT_LEVEL, enforce_length: bool = True
) -> RandomnessResult:
    r"""Test the ranks of matrices of 32 x 32 bits over the field of two elements.

    Parameters
    ----------
    bits, level, enforce_length
        As in `frequency`.

    Returns
    -------
    RandomnessResult
        Pearson's statistic of the classes full rank, one less, and all others.

    Notes
    -----
    The sequence fills matrices row by row; the rest is dropped. Needs n >= 38,912.

    References
    ----------
    NIST SP 800-22 rev. 1a, sections 2.5 and 3.5, doi:10.6028/NIST.SP.800-22r1a.

    Examples
    --------
    >>> matrix_rank(b"\x01\x02\x04\x08" * 2000).passed
    False
    """
    sequence = checked_bits(bits)
    length, size = len(sequence), _SIDE**2
    setting = Setting("matrix_rank", "2.5", length, level)
    needed = size * (_FEWEST if enforce_length else 1)
    if length < needed:
        return setting.too_short(needed)
    blocks = length // size
    rows = np.packbits(sequence[: blocks * size]).view(">u4").reshape(blocks, _SIDE)
    lost = np.minimum(_SIDE - binary_ranks(rows.astype(np.uint32), _SIDE), 2)
    shares = [rank_share(_SIDE, _SIDE - missing) for missing in range(2)]
    statistic, p_value = chi_square(np.bincount(lost, minlength=3), [*shares, 1 - sum(shares)])
    return setting.tested([statistic], [p_value], details={"matrices": blocks})


def rank_share(side: int, rank: int) -> float:
    """Return the probability that a random square matrix of bits has this rank.

    Examples
    --------
    >>> round(rank_share(32, 32), 4), round(rank_share(32, 31), 4)
    (0.2888, 0.5776)
    """
    factors = ((1 - 2.0 ** (i - side)) ** 2 / (1 - 2.0 ** (i - rank)) for i in range(rank))
    return 2.0 ** -((side - rank) ** 2) * prod(factors)


def binary_ranks(rows: AnyArray, columns: int) -> IntArray:
    """Return the rank of each matrix.

    Parameters
    ----------
    rows : ndarray of shape (count, M), an unsigned dtype
        Each row is a number whose low bits are the elements.
    columns : int
        How many of these bits there are.

    Notes
    -----
    Gauss elimination, all matrices at the same time, without moving rows: a row that has been used
    for a column is cleared everywhere, itself included.

    Examples
    --------
    >>> binary_ranks(np.array([[1, 2, 3], [1, 2, 4]], dtype=np.uint8), 3).tolist()
    [2, 3]
    """
    rows = rows.copy()
    every = np.arange(len(rows))
    ranks = np.zeros(len(rows), dtype=np.int64)
    for column in range(columns):
        has = (rows >> rows.dtype.type(column) & rows.dtype.type(1)).astype(bool)
        pivot = rows[every, has.argmax(axis=1)]  # arbitrary where no row has the bit
        rows ^= np.where(has, pivot[:, None], rows.dtype.type(0))
        ranks += has.any(axis=1)
    return ranks
