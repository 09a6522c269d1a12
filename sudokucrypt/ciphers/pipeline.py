"""A pipeline, an ordered list of stages that runs forwards and backwards, and what it runs on."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sudokucrypt.ciphers.stages import Stage, StageContext
from sudokucrypt.typing import AnyArray

Run = Callable[..., AnyArray]


@dataclass(frozen=True)
class Pipeline:
    """Stages that are applied one after the other.

    Parameters
    ----------
    stages : tuple of Stage
        In the order of `forward`.
    """

    stages: tuple[Stage, ...]

    def forward(
        self, image: AnyArray, context: StageContext, *, overwrite: bool = False
    ) -> AnyArray:
        """Return the image after all stages; with `overwrite`, perhaps in the memory of `image`."""
        source, target = self._memory(image, overwrite=overwrite)
        for stage in self.stages:
            stage.forward(source, target, context)
            source = target
        return target.astype(image.dtype, copy=False)

    def backward(
        self, image: AnyArray, context: StageContext, *, overwrite: bool = False
    ) -> AnyArray:
        """Return what `forward` made `image` from."""
        source, target = self._memory(image, overwrite=overwrite)
        for stage in reversed(self.stages):
            stage.backward(source, target, context)
            source = target
        return target.astype(image.dtype, copy=False)

    def _memory(self, image: AnyArray, *, overwrite: bool) -> tuple[AnyArray, AnyArray]:
        """Return the image in little endian, and an array to which the first stage writes."""
        source = np.ascontiguousarray(image, dtype=image.dtype.newbyteorder("<"))
        if not self.stages:
            return source, source.copy()
        ours = overwrite or not np.may_share_memory(source, image)
        return source, source if ours and source.flags.writeable else np.empty_like(source)


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
        Whether nobody needs the samples any more, so that the result may take their memory.
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

    def through(self, run: Run, context: StageContext, frame: int = 0) -> AnyArray:
        """Return all pixels after the selected ones went through a pipeline, either way."""
        if not self.pixels.size:
            return self.pixels
        context = StageContext(context.key, context.nonce, context.workers, frame, self.bits)
        if self.where is None:
            return run(self.pixels, context, overwrite=self.overwrite)
        result = np.array(self.pixels)
        if self.where.any():
            result[self.where] = run(self.pixels[self.where][None], context)[0]
        return result
