"""A pipeline, an ordered list of stages that runs forwards and backwards, and what it runs on."""

from dataclasses import dataclass

import numpy as np

from sudokucrypt.ciphers.stages import Stage, StageContext
from sudokucrypt.typing import AnyArray


@dataclass(frozen=True, eq=False, kw_only=True)
class Part:
    """The samples of one frame, and which of them are to change.

    Parameters
    ----------
    pixels : ndarray of shape (M,), (M, N) or (M, N, C)
        The samples.
    bits : int, optional
        How many low bits of a sample mean something, if fewer than its type has.
    where : ndarray of shape (M, N), dtype bool, optional
        The pixels that change, in C order one row for the pipeline; all of them by default.
    overwrite : bool
        Whether the samples are needed no more, so that the result may take their memory.
    """

    pixels: AnyArray
    bits: int | None = None
    where: AnyArray | None = None
    overwrite: bool = False

    @property
    def extent(self) -> tuple[int, ...]:
        """The shape of the pixels that change: the whole array's, or that of one row of them."""
        if self.where is None:
            return self.pixels.shape
        return (1, int(np.count_nonzero(self.where)), *self.pixels.shape[2:])


@dataclass(frozen=True)
class Pipeline:
    """Stages that are applied one after the other.

    Parameters
    ----------
    stages : tuple of Stage
        In the order in which they run forward.
    """

    stages: tuple[Stage, ...]

    def run(self, part: Part, context: StageContext, *, backward: bool = False) -> AnyArray:
        """Return all pixels of a part, those that change after all stages, or before them."""
        steps = [stage.forward for stage in self.stages]
        if backward:
            steps = [stage.backward for stage in reversed(self.stages)]
        # Stages see the pixels of a selection as a picture of one row, whatever its outline.
        image = part.pixels if part.where is None else part.pixels[part.where][None]
        if not image.size or not steps:
            return part.pixels.copy()
        # Key streams are defined on little-endian samples: results are the same everywhere.
        source = np.ascontiguousarray(image, dtype=image.dtype.newbyteorder("<"))
        ours = part.overwrite or not np.may_share_memory(source, part.pixels)
        target = source if ours and source.flags.writeable else np.empty_like(source)
        for step in steps:
            step(source, target, context)
            source = target  # only the first step needs a second array
        changed = target.astype(image.dtype, copy=False)
        if part.where is None:
            return changed
        result = np.array(part.pixels)
        result[part.where] = changed[0]
        return result
