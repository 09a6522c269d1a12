"""Maps of units: numbering units, telling them apart, and what a recovered map is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from sudokucrypt.analysis.attacks.attack import (
    BROKEN,
    AttackUnit,
    Finding,
    Oracle,
    finding_of,
    query,
)
from sudokucrypt.analysis.inputs import checked_image
from sudokucrypt.checks import checked_integer
from sudokucrypt.errors import InvalidImageError, InvalidParameterError
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray, IntArray

_CHECK_SEED = 20


@dataclass(frozen=True)
class Labels:
    """How the K units of images of one shape and dtype are numbered, in reading order.

    Pixels have C samples each, and samples have L = 2, 256 or 65536 levels.
    """

    shape: tuple[int, ...]
    dtype: DTypeLike
    unit: AttackUnit = "pixel"

    def __post_init__(self) -> None:
        checked_image(np.empty(self.shape, bool))
        checked_image(np.zeros((1, 1), self.dtype))
        if self.unit not in get_args(AttackUnit):
            known = " or ".join(get_args(AttackUnit))
            raise InvalidParameterError(f"a unit that is traced is {known}, not {self.unit!r}")

    @classmethod
    def like(cls, image: AnyArray, unit: AttackUnit = "pixel") -> Labels:
        """Return the labels of images that are like one."""
        return cls(image.shape, image.dtype, unit)

    @property
    def levels(self) -> int:
        """L, how many values a sample can have."""
        return checked_image(np.zeros((1, 1), self.dtype))[1]

    @property
    def samples(self) -> int:
        """How many samples a unit has."""
        return self.shape[2] if len(self.shape) == 3 and self.unit == "pixel" else 1

    @property
    def count(self) -> int:
        """K, the number of units."""
        return int(np.prod(self.shape)) // self.samples

    @property
    def images(self) -> int:
        """How many images hold every number: ceil(log_L(K)), over the samples of a unit."""
        digits, reach = 1, self.levels
        while reach < self.count:
            digits, reach = digits + 1, reach * self.levels
        return -(-digits // self.samples)

    def encode(self, numbers: IntArray) -> tuple[AnyArray, ...]:
        """Return the images whose unit i shows the digits of ``numbers[i]``, lowest first."""
        digits = []
        for _ in range(self.images * self.samples):
            numbers, digit = np.divmod(numbers, self.levels)
            digits.append(digit.astype(self.dtype))
        return tuple(
            np.stack(digits[first : first + self.samples], axis=1).reshape(self.shape)
            for first in range(0, len(digits), self.samples)
        )

    def decode(self, images: Sequence[AnyArray]) -> IntArray:
        """Return the number that each unit shows; numbers of K or more stand for no unit."""
        numbers = np.zeros(self.count, dtype=np.int64)
        for digit in reversed(np.concatenate([self.split(image) for image in images], axis=1).T):
            # Surplus digits of many channels are 0 in what `encode` returns.
            numbers = np.minimum(numbers, self.count) * self.levels + digit
        return numbers

    def split(self, image: AnyArray) -> AnyArray:
        """Return the units of an image as rows of samples."""
        return image.reshape(self.count, self.samples)

    def in_words(self, share: float) -> str:
        """Return a share of the units in words, never rounded up to all of them."""
        units = f"{self.count} {self.unit}s"
        if share in {0, 1}:
            return f"all {units}" if share else f"none of the {units}"
        figure = f"{np.floor(share * 1e4) / 1e4:.4f}" if share >= 1e-4 else "less than 0.0001"
        return f"{figure} of the {units}"


def random_images(
    shape: tuple[int, ...], count: int, *, dtype: DTypeLike = np.uint8, seed: int = 0
) -> tuple[AnyArray, ...]:
    """Return images of independent uniform samples, the same ones for a seed of 0 or more."""
    levels = Labels(shape, dtype).levels
    checked_integer("count", count)
    size = int(np.prod(shape))
    drawn = seeded_draws(seed).below_each(np.full(count * size, levels))
    return tuple(drawn.astype(dtype).reshape(count, *shape))


def refined(
    before: tuple[IntArray, AnyArray], after: tuple[IntArray, AnyArray]
) -> tuple[IntArray, IntArray]:
    """Split the classes of units, given before and after, by what each unit shows.

    What units show are arrays of shape (K, C) of integers of 0 or more; equal numbers of the new
    classes stand for equal units.
    """
    classes = np.concatenate([before[0], after[0]])
    for sample in np.concatenate([before[1], after[1]]).T:
        _, classes = np.unique(classes * (int(sample.max()) + 1) + sample, return_inverse=True)
    middle = len(before[0])
    return classes[:middle], classes[middle:]


def matched(before: IntArray, after: IntArray) -> IntArray:
    """Return for each place a unit of its class, in reading order; -1 where there is none left."""
    units, places = np.argsort(before, kind="stable"), np.argsort(after, kind="stable")
    held, wanted = before[units], after[places]
    rank = np.arange(len(places)) - np.searchsorted(wanted, wanted)
    index = np.searchsorted(held, wanted) + rank
    fits = index < np.searchsorted(held, wanted, side="right")
    sources = np.full(len(places), -1, dtype=np.int64)
    sources[places[fits]] = units[index[fits]]
    return sources


@dataclass(frozen=True, kw_only=True, eq=False)
class RecoveredMap:
    """A map of pixels or samples that an attack recovered, and what it is worth.

    Place i holds unit ``sources[i]`` of the plain image; -1 if unknown. `recovered` is the share of
    places that the map foretells right in later images, 0..1; 1/K by chance.
    """

    unit: AttackUnit
    sources: IntArray
    recovered: float
    verdict: str

    @property
    def broken(self) -> bool:
        """Whether later images are plain to see."""
        return self.recovered >= BROKEN

    def finding(self, seen: AnyArray, *names: str, **fields: Any) -> Finding:
        """Return what was found on a picture of which the attacker has only the result."""
        views = {"seen": seen, "picture": self.restore(seen)}
        return finding_of(self, *names, recovered=self.recovered, **views, **fields)

    def restore(self, scrambled: ArrayLike) -> AnyArray:
        """Return what the map makes of a later scrambled image; unknown units are 0."""
        return restored(self.sources, scrambled, self.unit)


class MapCheck:
    """Later images of a scheme, to see what share of units a recovered map places right.

    The scheme scrambles images of random labels that no attack has seen. A unit is right if the
    map foretells its whole label, which by chance happens to one unit in K. These queries judge
    the attack and are no part of it.
    """

    def __init__(self, oracle: Oracle, labels: Labels) -> None:
        self._labels = seeded_draws(_CHECK_SEED).permutations([labels.count])
        self._seen = labels.decode([query(oracle, image) for image in labels.encode(self._labels)])

    def share(self, sources: IntArray) -> float:
        """Return the share of places whose unit the map foretells, 0..1."""
        right = (sources >= 0) & (self._labels[sources] == self._seen)
        return float(right.mean())


def restored(sources: IntArray, scrambled: ArrayLike, unit: AttackUnit) -> AnyArray:
    """Undo a map that an attack has recovered, as `RecoveredMap.restore` does."""
    image = np.asarray(scrambled)
    labels = Labels.like(image, unit)
    if labels.count != len(sources):
        raise InvalidImageError(
            f"the map is of {len(sources)} {unit}s, and the image has {labels.count}",
            hint="a map serves images of the shape that was attacked",
        )
    plain = np.zeros(image.shape, image.dtype)  # in C order, whatever the order given
    known = sources >= 0
    labels.split(plain)[sources[known]] = labels.split(image)[known]
    return plain
