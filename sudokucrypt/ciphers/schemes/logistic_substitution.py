"""INSECURE: Sudoku substitution of intensities under a logistic-map key schedule.

After the Sudoku-matrix image ciphers of about 2010: a chaotic map orders the bands, rows, stacks,
columns and digits of a 256 x 256 Sudoku matrix, which then replaces intensities and, by a
permutation, moves pixels. Why it is here and not among the schemes: the schedule has at most 53
bits per start value and no security argument, and a substitution that depends on position alone
falls to a few chosen images.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sudokucrypt.ciphers.pipeline import Permutation, Pipeline, StageContext
from sudokucrypt.ciphers.registry import register_scheme
from sudokucrypt.ciphers.tagged import TaggedScheme
from sudokucrypt.errors import UnsupportedError
from sudokucrypt.header import Header
from sudokucrypt.sudoku.model import ParametricGrid
from sudokucrypt.typing import AnyArray, IntArray

_BOX = (16, 16)  # order 256, one digit for each value of 8 bits
_GROWTH = 3.99  # of the logistic map, in the chaotic range that the literature takes
_WARM_UP = 200  # steps after which the orbit no longer shows its start


@dataclass
class LogisticSource:
    """A `RandomSource` from the orbit x -> 3.99 x (1 - x): biased, and predictable from a part."""

    x: float

    def below_each(self, bounds: IntArray, /) -> IntArray:
        """Return one integer in 0..bound-1 for each bound, from one step of the orbit each."""
        return np.array([self.below(bound) for bound in bounds.tolist()], dtype=np.int64)

    def below(self, bound: int, /) -> int:
        """Return the position of the next value of the orbit on a scale of `bound` parts."""
        self.x = _GROWTH * self.x * (1.0 - self.x)
        return min(int(self.x * bound), bound - 1)

    def permutations(self, sizes: Sequence[int], /) -> IntArray:
        """Return for each size the order of that many values of the orbit."""
        orders = []
        for size in sizes:
            values = []
            for _ in range(size):
                self.x = _GROWTH * self.x * (1.0 - self.x)
                values.append(self.x)
            orders.append(np.argsort(values, kind="stable"))
        return np.concatenate(orders).astype(np.int64)


@dataclass(frozen=True)
class SudokuSubstitution:
    """Replace the 8-bit sample v at index i by S[i mod 256, v], S a grid of order 256."""

    def forward(self, source: AnyArray, target: AnyArray, context: StageContext) -> None:
        """Write the replaced samples of `source` to `target`."""
        self._replace(source, target, self._table(context))

    def backward(self, source: AnyArray, target: AnyArray, context: StageContext) -> None:
        """Write the samples that `source` was made from to `target`."""
        self._replace(source, target, np.argsort(self._table(context), axis=1))

    def _table(self, context: StageContext) -> AnyArray:
        seed = int.from_bytes(context.key.subkey("logistic", context.nonce, length=6), "big")
        source = LogisticSource((seed + 1) / (2**48 + 2))
        for _ in range(_WARM_UP):
            source.below(2)
        return ParametricGrid.random(_BOX, source).to_grid().cells

    def _replace(self, source: AnyArray, target: AnyArray, table: AnyArray) -> None:
        if source.dtype != np.uint8:
            raise UnsupportedError("Sudoku substitution replaces samples of 8 bits only")
        rows = np.arange(source.size, dtype=np.intp) % len(table)
        target[...] = table[rows, source.reshape(-1)].astype(np.uint8).reshape(source.shape)


def _pipeline(header: Header) -> Pipeline:
    stage = Permutation(header.unit, header.block_size, header.rounds)
    return Pipeline((stage, SudokuSubstitution()))


# The scheme that replaces samples by grids of the logistic map, after moving them.
LOGISTIC_SUBSTITUTION = register_scheme(
    TaggedScheme(
        "insecure-logistic-substitution-v1",
        _pipeline,
        encrypts=True,
        insecure=True,
        key_bits=53,
        limits="for study only: 53 bits of state, no argument for its strength; 8 bits only",
    )
)
