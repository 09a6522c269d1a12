"""The parts of a picture that a scheme works on: one for each frame, whole or in regions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from sudokucrypt.ciphers.stages import Material
from sudokucrypt.typing import AnyArray

Run = Callable[[AnyArray, Material], AnyArray]


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
    """

    pixels: AnyArray
    bits: int | None = None
    where: AnyArray | None = None

    @property
    def extent(self) -> tuple[int, ...]:
        """The shape of the pixels that change: the whole array's, or that of one row of them."""
        if self.where is None:
            return self.pixels.shape
        return (1, int(np.count_nonzero(self.where)), *self.pixels.shape[2:])

    def through(self, run: Run, material: Material) -> AnyArray:
        """Return all pixels after the selected ones went through a pipeline, either way."""
        material = replace(material, bits=self.bits)
        if self.where is None:
            return run(self.pixels, material)
        result = np.array(self.pixels)
        if self.where.any():
            result[self.where] = run(self.pixels[self.where][None], material)[0]
        return result
