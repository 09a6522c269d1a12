"""What every scrambler for comparison is: a map of pixel places that depends on the shape only."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import field, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.analysis.schemes import KEY_BYTES, Run, Scheme
from sudokucrypt.checks import checked_integer
from sudokucrypt.errors import InvalidImageError
from sudokucrypt.registry import Registry
from sudokucrypt.typing import AnyArray, IntArray


def whole(default: int, *, least: int = 1) -> Any:
    """Return the field of an integer of at least `least`, which `Baseline` checks."""
    return field(default=default, metadata={"least": least})


class Baseline(ABC):
    """A scrambler that moves whole pixels, the same way for every image of one shape.

    All of them keep the histogram and fall to a few chosen images, see
    `sudokucrypt.analysis.attacks.chosen_plaintext_attack`. Their parameters are the key, where
    there is one.
    """

    name: ClassVar[str]
    """What it is called everywhere."""

    def __post_init__(self) -> None:
        for each in fields(self):  # type: ignore[arg-type] # only dataclasses come here
            if "least" in each.metadata:
                number, least = getattr(self, each.name), each.metadata["least"]
                checked_integer(each.name.replace("_", " "), number, least=least)

    @abstractmethod
    def targets(self, rows: int, columns: int) -> IntArray:
        """Return where pixels go: number i in reading order lands at place ``targets[i]``.

        `InvalidImageError` is raised for sides that the scheme is not defined for.
        """

    def scramble(self, image: ArrayLike) -> AnyArray:
        """Return an image of any dtype and shape (M, N) or (M, N, C) with its pixels moved."""
        pixels, targets = self._prepared(image)
        moved = np.empty_like(pixels)
        moved[targets] = pixels
        return moved.reshape(np.shape(image))

    def unscramble(self, image: ArrayLike) -> AnyArray:
        """Return the image that `scramble` was given; arguments and errors as there."""
        pixels, targets = self._prepared(image)
        return pixels[targets].reshape(np.shape(image))

    def _prepared(self, image: ArrayLike) -> tuple[AnyArray, IntArray]:
        array = np.asarray(image)
        if array.ndim not in {2, 3} or array.size == 0:
            raise InvalidImageError(
                f"an image has the shape (M, N) or (M, N, C) and a sample, not {array.shape}"
            )
        rows, columns = array.shape[:2]
        return array.reshape(rows * columns, *array.shape[2:]), self.targets(rows, columns)


BASELINES = Registry(
    Scheme,
    called="a scheme for comparison",
    group="sudokucrypt.schemes",
    package="sudokucrypt.analysis.baselines",
    order=lambda scheme: scheme.name,
)
"""Every scheme for comparison, by name; "uniform" is the best that moving pixels can be."""


def register_baseline(
    keyed: Callable[[bytes], Baseline], *, key_bits: float = 0, limits: str
) -> Scheme:
    """Register a scrambler as a scheme for comparison.

    `keyed` takes a key of 32 bytes, of which so many bits count, and returns the scrambler. The
    limits are what is known against it beside its one map for all images.
    """
    usual = keyed(bytes(KEY_BYTES))

    def fixed(image: AnyArray, key: bytes) -> Run:
        pixels = keyed(key).scramble(image)
        return Run(pixels, lambda other: keyed(other).unscramble(pixels))

    return BASELINES.register(
        Scheme(
            name=usual.name,
            fixed=fixed,
            key_bits=key_bits,
            block_size=getattr(usual, "block_size", None),
            limits=f"one map for all images of a size, which falls to a few chosen ones; {limits}",
        )
    )


def repeated(targets: IntArray, times: int) -> IntArray:
    """Return the map that applies a map so many times, by repeated squaring."""
    result = np.arange(len(targets))
    while times:
        if times & 1:
            result = targets[result]
        targets = targets[targets]
        times >>= 1
    return result
