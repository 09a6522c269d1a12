"""Scramblers that step through places by Fibonacci numbers, or by those of order p."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sudokucrypt.analysis.baselines.baseline import Baseline, checked_count, repeated
from sudokucrypt.errors import InvalidParameterError

if TYPE_CHECKING:
    from sudokucrypt.typing import IntArray


@dataclass(frozen=True)
class Fibonacci(Baseline):
    """The Fibonacci transform of the pixels in reading order.

    Parameters
    ----------
    iterations : int
        How often the map is applied, 1 or more.

    Raises
    ------
    InvalidParameterError
        If it is below 1.

    Notes
    -----
    Place k gets pixel k F(n) mod F(n + 1), with F(n + 1) the first Fibonacci number that is no
    less than the number of pixels; numbers beyond the last pixel are left out. Limits: there is no
    key but the iterations, the first pixel never moves, and pixels at equal distances stay so.

    References
    ----------
    J. Zou, R. K. Ward, D. Qi, A new digital image scrambling method based on Fibonacci numbers,
    IEEE International Symposium on Circuits and Systems, 2004, volume 3, pages 965-968.

    Examples
    --------
    >>> Fibonacci().scramble(np.arange(8).reshape(2, 4)).tolist()
    [[0, 5, 2, 7], [4, 1, 6, 3]]
    """

    name: ClassVar[str] = "fibonacci"
    iterations: int = 1

    def __post_init__(self) -> None:
        checked_count("iterations", self.iterations, least=1)

    def targets(self, rows: int, columns: int) -> IntArray:
        """Return where pixels go, as in `Baseline.targets`."""
        count = rows * columns
        step, modulus = 1, 1
        while modulus < count:
            step, modulus = modulus, step + modulus
        steps = np.arange(modulus) * step % modulus
        return repeated(np.argsort(steps[steps < count]), self.iterations)


@dataclass(frozen=True)
class FibonacciPCode(Baseline):
    """The transform by Fibonacci p-codes, of rows and of columns.

    Parameters
    ----------
    p : int
        The distance of the two numbers that are added, the key; 1 or more. 1 gives Fibonacci's.
    offset : int, optional
        Added to the step, the second part of the key; by default the smallest that works.

    Raises
    ------
    InvalidParameterError
        If p is below 1 or the offset negative.

    Notes
    -----
    F(n) = F(n - 1) + F(n - p - 1), from F(1) = 1 and 0 before. With F(n + 1) the first that is
    greater than a side, row k of 1, 2, ... comes from row k (F(n) + offset) mod F(n + 1), and
    likewise columns; numbers beyond the side are left out. Step and modulus must be coprime.
    Limits: a handful of keys, and lines stay together, so that one known image gives the map away.

    References
    ----------
    Y. Zhou, S. Agaian, V. M. Joyner, K. Panetta, Two Fibonacci p-code based image scrambling
    algorithms, Proceedings of SPIE 6812, 2008.

    Examples
    --------
    >>> FibonacciPCode().scramble(np.arange(1, 8).reshape(1, 7)).tolist()
    [[5, 2, 7, 4, 1, 6, 3]]
    """

    name: ClassVar[str] = "fibonacci-p-code"
    p: int = 1
    offset: int | None = None

    def __post_init__(self) -> None:
        checked_count("p", self.p, least=1)
        if self.offset is not None:
            checked_count("offset", self.offset, least=0)

    def targets(self, rows: int, columns: int) -> IntArray:
        """Return where pixels go, as in `Baseline.targets`.

        Raises
        ------
        InvalidParameterError
            If the offset makes no permutation of rows or columns.
        """
        row, column = self._line(rows), self._line(columns)
        return np.add.outer(row * columns, column).reshape(-1)

    def _line(self, side: int) -> IntArray:
        """Return where the lines of one side go."""
        numbers = [0] * self.p + [1]
        while numbers[-1] <= side:
            numbers.append(numbers[-1] + numbers[-1 - self.p])
        before, modulus = numbers[-2], numbers[-1]
        if self.offset is None:
            step = next(step for step in range(before, modulus) if gcd(step, modulus) == 1)
        else:
            step = before + self.offset
            if step >= modulus or gcd(step, modulus) != 1:
                raise InvalidParameterError(
                    f"the offset {self.offset} makes no permutation of {side} lines",
                    hint="leave the offset out",
                )
        sources = np.arange(1, modulus) * step % modulus
        return np.argsort(sources[sources <= side])
