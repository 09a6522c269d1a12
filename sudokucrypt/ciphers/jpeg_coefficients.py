"""Scheme ``scramble-jpeg-v1``: blocks of JPEG coefficients change places, and bits are masked.

A picture is given to it in parts: for each component the blocks that cover it, of shape (1, N, 64),
each in zigzag order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.ciphers.pipeline import Permutation, Pipeline, StageContext
from sudokucrypt.ciphers.schemes import SCRAMBLE_JPEG
from sudokucrypt.draws import StreamDraws
from sudokucrypt.kernels import load_kernels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from sudokucrypt.ciphers._kernels import mantissas_plain as _kernels
    from sudokucrypt.ciphers.schemes import TaggedScheme
    from sudokucrypt.typing import AnyArray
else:
    _kernels = load_kernels("sudokucrypt.ciphers._kernels", "mantissas")

_LEAST, _MOST = -1024, 1016  # eight times the least and the largest mean of samples of 8 bits
_WORD = np.dtype("<u2")  # of the key stream, one a coefficient: mantissas have 15 bits at most
_SHARE = 1 << 10  # blocks that a worker masks at a time: 128 KiB, which stay in a near cache


@dataclass(frozen=True)
class DcRange:
    """The quantized means (DC) that blocks of a component can have."""

    least: int  #: The lowest, 0 or less.
    count: int  #: How many there are.

    @classmethod
    def of_step(cls, step: int) -> DcRange:
        """Return the range for samples of 8 bits whose means are quantized in this step."""
        least, most = -((step // 2 - _LEAST) // step), (_MOST + step // 2) // step
        return cls(least, most - least + 1)

    def split(self, means: NDArray[np.int16]) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
        """Return means moved into the range, and by how many times its length each was moved."""
        wraps, inside = np.divmod(means.astype(np.int64) - self.least, self.count)
        return (inside + self.least).astype(np.int16), wraps


@dataclass(frozen=True)
class CoefficientMask:
    """Mask the mean of every block, and signs and mantissas of its other coefficients.

    A mean moves by a number drawn below the length of its range, around the range. The bits by
    which JPEG tells a coefficient from others of its size are combined with a key stream by
    exclusive or, so that its size, hence its length in the file, stays.
    """

    ranges: tuple[DcRange, ...]  # one for each component

    def forward(self, source: AnyArray, target: AnyArray, context: StageContext) -> None:
        """Write the masked `source` to `target`."""
        self._mask(source, target, context, sign=1)

    def backward(self, source: AnyArray, target: AnyArray, context: StageContext) -> None:
        """Write to `target` what `forward` made `source` from."""
        self._mask(source, target, context, sign=-1)

    def _mask(
        self, source: AnyArray, target: AnyArray, context: StageContext, *, sign: int
    ) -> None:
        old, new = (blocks.reshape(-1, source.shape[-1]) for blocks in (source, target))
        dc_range = self.ranges[context.frame]
        bounds = np.full(len(old), dc_range.count)
        moves = StreamDraws(context.stream("dc")).below_each(bounds)
        # Taken before the kernel runs, as `target` may be `source`, and written after it.
        means = (old[:, 0] - dc_range.least + sign * moves) % dc_range.count + dc_range.least
        words = context.stream("ac")

        def share(start: int, stop: int) -> None:
            stream = words.skipping(start * _SHARE * old[0].nbytes)
            for first in range(start * _SHARE, min(stop * _SHARE, len(old)), _SHARE):
                inside = slice(first, first + _SHARE)
                drawn = np.frombuffer(stream.read(old[inside].nbytes), dtype=_WORD)
                native = drawn.astype(np.uint16, copy=False).reshape(-1, old.shape[-1])
                _kernels.mask(old[inside], new[inside], native)

        context.workers.share(-(-len(old) // _SHARE), share)
        new[:, 0] = means


def coefficient_scheme(steps: Sequence[int]) -> TaggedScheme:
    """Return `SCRAMBLE_JPEG` for the parts of a file whose components have these steps for DC.

    Parameters
    ----------
    steps : sequence of int
        The quantization step of the mean (DC) of each component.
    """
    mask = CoefficientMask(tuple(map(DcRange.of_step, steps)))
    return replace(
        SCRAMBLE_JPEG,
        pipeline=lambda header: Pipeline((Permutation("pixel", None, header.rounds), mask)),
    )
