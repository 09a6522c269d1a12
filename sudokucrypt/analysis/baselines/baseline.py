"""What every scheme for comparison is, and what most are: a map that depends on the shape only."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import field, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.analysis.schemes import KEY_BYTES, MeasuredScheme, SchemeResult
from sudokucrypt.checks import checked_integer
from sudokucrypt.errors import InvalidImageError
from sudokucrypt.registry import Registry
from sudokucrypt.typing import AnyArray, IntArray


def integer_field(default: int, *, least: int = 1) -> Any:
    """Return the field of an integer of at least `least`, which `Baseline` checks."""
    return field(default=default, metadata={"least": least})


class Scrambler(ABC):
    """A scheme for comparison: a dataclass whose parameters are the key, where there is one."""

    name: ClassVar[str]
    """What it is called everywhere."""

    def __post_init__(self) -> None:
        for each in fields(self):  # type: ignore[arg-type] # only dataclasses come here
            if "least" in each.metadata:
                value, least = getattr(self, each.name), each.metadata["least"]
                checked_integer(each.name.replace("_", " "), value, least=least)

    def scramble(self, image: ArrayLike) -> AnyArray:
        """Return what becomes of an image of shape (M, N) or (M, N, C), of its shape and dtype.

        `InvalidImageError` is raised for dtypes and sides that the scheme is not defined for.
        """
        return self._applied(image, undo=False)

    def unscramble(self, image: ArrayLike) -> AnyArray:
        """Return the image that `scramble` was given; arguments and errors as there."""
        return self._applied(image, undo=True)

    @abstractmethod
    def _applied(self, image: ArrayLike, *, undo: bool) -> AnyArray:
        """Return an image scrambled, or a scrambled one as it was."""


class Baseline(Scrambler):
    """A scrambler that moves whole pixels of any dtype by one map for every image of one shape.

    All of them keep the histogram and fall to a few chosen images, see
    `sudokucrypt.analysis.attacks.chosen_plaintext_attack`.
    """

    @abstractmethod
    def targets(self, rows: int, columns: int) -> IntArray:
        """Return where pixels go: pixel i in reading order lands at position ``targets[i]``.

        `InvalidImageError` is raised for sides that the scheme is not defined for.
        """

    def _applied(self, image: ArrayLike, *, undo: bool) -> AnyArray:
        array = as_image(image)
        rows, columns = array.shape[:2]
        pixels, targets = (
            array.reshape(rows * columns, *array.shape[2:]),
            self.targets(rows, columns),
        )
        if undo:
            return pixels[targets].reshape(array.shape)
        moved = np.empty_like(pixels)
        moved[targets] = pixels
        return moved.reshape(array.shape)


def as_image(image: ArrayLike) -> AnyArray:
    """Return an array of any dtype, or raise `InvalidImageError` for what has no image's shape."""
    array = np.asarray(image)
    if array.ndim not in {2, 3} or array.size == 0:
        raise InvalidImageError(
            f"an image has the shape (M, N) or (M, N, C) and a sample, not {array.shape}"
        )
    return array


BASELINES = Registry(
    MeasuredScheme,
    called="a scheme for comparison",
    group="sudokucrypt.schemes",
    package="sudokucrypt.analysis.baselines",
    order=lambda scheme: scheme.name,
)
"""Every scheme for comparison, by name; "uniform" is the best that moving pixels can be."""


def register_baseline(
    keyed: Callable[[bytes], Scrambler],
    *,
    key_bits: float = 0,
    limits: str,
    moves_only: bool = True,
) -> MeasuredScheme:
    """Register a scrambler as a scheme for comparison.

    `keyed` takes a key of 32 bytes, of which `key_bits` count, and returns the scrambler. The
    limits are what is known against it, besides its one map for all images if it is a `Baseline`;
    `moves_only` says whether samples keep their values.
    """
    usual = keyed(bytes(KEY_BYTES))
    # A fixed map moves whole pixels; attacks need not try smaller units then.
    one_map = isinstance(usual, Baseline)

    def fixed(image: AnyArray, key: bytes) -> SchemeResult:
        pixels = keyed(key).scramble(image)
        return SchemeResult(pixels, lambda other, seen=pixels: keyed(other).unscramble(seen))

    return BASELINES.register(
        MeasuredScheme(
            name=usual.name,
            fixed=fixed,
            key_bits=key_bits,
            moves_only=moves_only,
            unit="pixel" if one_map else "auto",
            block_size=getattr(usual, "block_size", None) if one_map else None,
            limits=f"{_ONE_MAP}; {limits}" if one_map else limits,
        )
    )


_ONE_MAP = "one map for all images of a size, which falls to a few chosen ones"


def register_seeded(
    kind: Callable[..., Scrambler], *, limits: str, moves_only: bool = True
) -> MeasuredScheme:
    """Register a scrambler whose `seed` is the whole key."""

    def keyed(key: bytes) -> Scrambler:
        return kind(seed=int.from_bytes(key, "big"))

    return register_baseline(keyed, key_bits=8 * KEY_BYTES, limits=limits, moves_only=moves_only)


def iterated(targets: IntArray, times: int) -> IntArray:
    """Return the map that applies a map a number of times, by repeated squaring."""
    result = np.arange(len(targets))
    # Repeated squaring: Arnold's map is applied hundreds of times.
    while times:
        if times & 1:
            result = targets[result]
        targets = targets[targets]
        times >>= 1
    return result
