"""Scheme ``scramble-jpeg-v1``: blocks of JPEG coefficients change places, and bits are masked.

The scheme gets a picture in parts. Each part holds the blocks of one component, as an array of
shape (1, N, 64) whose rows are in zigzag order.
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

# Eight times the smallest and the largest mean of 8-bit samples, from which JPEG subtracts 128.
_MIN_MEAN, _MAX_MEAN = -1024, 1016
# A word of the key stream masks one coefficient, whose mantissa has 15 bits at most.
_WORD_TYPE = np.dtype("<u2")
# A worker masks this many blocks at a time: 128 KiB, which fit into the cache of its core.
_BLOCKS_PER_STEP = 1 << 10


@dataclass(frozen=True)
class DcRange:
    """The quantized means (DC) that blocks of a component can have."""

    least: int  #: The lowest mean, 0 or less.
    count: int  #: The number of means.

    @classmethod
    def from_step(cls, step: int) -> DcRange:
        """Return the range of the means of samples of 8 bits, quantized with this step."""
        least_mean, largest_mean = (
            -((step // 2 - _MIN_MEAN) // step),
            (_MAX_MEAN + step // 2) // step,
        )
        return cls(least_mean, largest_mean - least_mean + 1)

    def split(self, means: NDArray[np.int16]) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
        """Return the means moved into the range, and by how many range lengths each was moved."""
        wrap_counts, reduced_means = np.divmod(means.astype(np.int64) - self.least, self.count)
        return (reduced_means + self.least).astype(np.int16), wrap_counts


@dataclass(frozen=True)
class CoefficientMask:
    """Mask the mean of every block, and the signs and mantissas of its other coefficients.

    A mean moves within its range, and from one end on to the other, by a number that is drawn
    below the length of the range. JPEG writes the size of a coefficient and then as many bits.
    These bits are combined with a key stream by exclusive or. The coefficient keeps its size, and
    so its length in the file.
    """

    ranges: tuple[DcRange, ...]  # one for each component

    def forward(self, source: AnyArray, target: AnyArray, context: StageContext) -> None:
        """Write the masked `source` to `target`."""
        self._mask_blocks(source, target, context, sign=1)

    def backward(self, source: AnyArray, target: AnyArray, context: StageContext) -> None:
        """Write the unmasked `source` to `target`."""
        self._mask_blocks(source, target, context, sign=-1)

    def _mask_blocks(
        self, source: AnyArray, target: AnyArray, context: StageContext, *, sign: int
    ) -> None:
        inputs, outputs = (blocks.reshape(-1, source.shape[-1]) for blocks in (source, target))
        dc_range = self.ranges[context.frame]
        bounds = np.full(len(inputs), dc_range.count)
        mean_shifts = StreamDraws(context.stream("dc")).below_each(bounds)
        # The means are computed before the kernel runs, since `target` may be `source`. They are
        # written after it.
        means = (
            inputs[:, 0] - dc_range.least + sign * mean_shifts
        ) % dc_range.count + dc_range.least
        coefficient_stream = context.stream("ac")

        def mask_step_range(first_step: int, end_step: int) -> None:
            first_block, end_block = first_step * _BLOCKS_PER_STEP, end_step * _BLOCKS_PER_STEP
            stream = coefficient_stream.skip(first_block * inputs[0].nbytes)
            for first in range(first_block, min(end_block, len(inputs)), _BLOCKS_PER_STEP):
                blocks = slice(first, first + _BLOCKS_PER_STEP)
                stream_bytes = np.frombuffer(stream.read(inputs[blocks].nbytes), dtype=_WORD_TYPE)
                words = stream_bytes.astype(np.uint16, copy=False).reshape(-1, inputs.shape[-1])
                _kernels.mask(inputs[blocks], outputs[blocks], words)

        context.workers.share(-(-len(inputs) // _BLOCKS_PER_STEP), mask_step_range)
        outputs[:, 0] = means


def coefficient_scheme(steps: Sequence[int]) -> TaggedScheme:
    """Return `SCRAMBLE_JPEG` for a file whose components are quantized with these steps.

    Parameters
    ----------
    steps : sequence of int
        The quantization step of the mean (DC) of each component.
    """
    mask = CoefficientMask(tuple(map(DcRange.from_step, steps)))
    return replace(
        SCRAMBLE_JPEG,
        pipeline=lambda header: Pipeline((Permutation("pixel", None, header.rounds), mask)),
    )
