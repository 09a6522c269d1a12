"""A pipeline: an ordered list of stages that runs forwards and backwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sudokucrypt.ciphers.stages import Material, Stage
from sudokucrypt.typing import AnyArray

Step = Callable[[AnyArray, AnyArray, Material], None]


@dataclass(frozen=True)
class Pipeline:
    """Stages that are applied one after the other.

    Parameters
    ----------
    stages : tuple of Stage
        In the order of `forward`.
    """

    stages: tuple[Stage, ...]

    def forward(self, image: AnyArray, material: Material) -> AnyArray:
        """Return the image after all stages; `image` is not changed."""
        return _run([stage.forward for stage in self.stages], image, material)

    def backward(self, image: AnyArray, material: Material) -> AnyArray:
        """Return what `forward` made `image` from."""
        return _run([stage.backward for stage in reversed(self.stages)], image, material)


def _run(steps: list[Step], image: AnyArray, material: Material) -> AnyArray:
    """Run the steps: the first from the image to a new array, the others inside that array."""
    source = np.ascontiguousarray(image, dtype=image.dtype.newbyteorder("<"))
    target = np.empty_like(source) if steps else source.copy()
    for step in steps:
        step(source, target, material)
        source = target
    return target.astype(image.dtype, copy=False)
