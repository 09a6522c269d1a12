"""Schemes that each attack must break, so that a failure elsewhere means something."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from sudokucrypt.analysis.attacks.combining import ADDERS, Combination
from sudokucrypt.analysis.attacks.labels import random_images
from sudokucrypt.analysis.baselines import BlockShuffle, RowColumnShuffle, UniformShuffle

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sudokucrypt.analysis.attacks.labels import Oracle
    from sudokucrypt.typing import AnyArray


def fixed_mask(*, seed: int = 0, combination: Combination = "exclusive-or") -> Oracle:
    """Return a scheme that puts one key stream on every image.

    Parameters
    ----------
    seed : int
        0 or more; it stands for the key.
    combination : {"exclusive-or", "sum"}
        How the stream is put on samples of dtype uint8 or uint16.

    Examples
    --------
    >>> import numpy as np
    >>> scheme = fixed_mask(seed=1)
    >>> scheme(scheme(np.arange(6, dtype=np.uint8).reshape(2, 3))).tolist()
    [[0, 1, 2], [3, 4, 5]]
    """

    def scheme(image: AnyArray) -> AnyArray:
        stream = random_images(image.shape, 1, dtype=image.dtype, seed=seed)[0]
        return ADDERS[combination](image, stream)

    return scheme


def masked_shuffle(image: AnyArray) -> AnyArray:
    """Move all pixels by one map, then put one key stream on them: what many schemes come to."""
    return fixed_mask()(UniformShuffle().scramble(image))


CONTROLS: Mapping[str, Oracle] = MappingProxyType(
    {
        "chosen-plaintext": UniformShuffle().scramble,
        "known-plaintext": UniformShuffle().scramble,
        "row-column": RowColumnShuffle().scramble,
        "jigsaw": BlockShuffle(32).scramble,
        "reuse": fixed_mask(),
        "differential": masked_shuffle,
    }
)
"""For each attack the scheme that it must break; the blocks of the jigsaw have 32 pixels a side."""
