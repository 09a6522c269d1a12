"""Units of images: numbering them, telling them apart, and finding them again."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self, get_args

import numpy as np
from numpy.typing import DTypeLike

from sudokucrypt.analysis.attacks.contract import AttackUnit, Oracle, UnitChoice, query
from sudokucrypt.analysis.inputs import checked_image
from sudokucrypt.analysis.random_samples import uniform_samples
from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.options import checked_integer
from sudokucrypt.typing import AnyArray, IntArray

# Fixed, so that an attack sends the same images each time.
_DARK_SEED = 21
# Beyond it products of classes and levels no longer fit 64 bits, and are numbered anew.
_MOST_CLASSES = 2**62
# How alike the samples of an image and its result must be for some of them to have moved.
_MOVED = 0.5


@dataclass(frozen=True)
class ImageUnits:
    """How the K units of images of one shape and dtype are numbered, in reading order.

    Pixels have C samples each, and samples have L = 2, 256 or 65536 levels. Bits are units of two
    levels.
    """

    shape: tuple[int, ...]
    dtype: DTypeLike
    unit: AttackUnit = "pixel"

    def __post_init__(self) -> None:
        checked_image(np.empty(self.shape, bool))
        checked_image(np.zeros((1, 1), self.dtype))
        _checked_unit(self.unit, get_args(AttackUnit))

    @classmethod
    def like(cls, image: AnyArray, unit: AttackUnit = "pixel") -> Self:
        """Return the units of images that are like one."""
        return cls(image.shape, image.dtype, unit)

    @property
    def _depth(self) -> int:
        """How many bits a sample has: 1, 8 or 16."""
        return checked_image(np.zeros((1, 1), self.dtype))[1].bit_length() - 1

    @property
    def levels(self) -> int:
        """L, how many values a unit shows for each of its samples."""
        return 2 if self.unit == "bit" else 1 << self._depth

    @property
    def samples(self) -> int:
        """How many samples a unit has."""
        return self.shape[2] if len(self.shape) == 3 and self.unit == "pixel" else 1

    @property
    def count(self) -> int:
        """K, the number of units."""
        parts = self._depth if self.unit == "bit" else 1
        return int(np.prod(self.shape)) * parts // self.samples

    @property
    def images(self) -> int:
        """How many images hold every number: ceil(log_L(K)), over the samples of a unit."""
        digits, reach = 1, self.levels
        # In integers: logarithms round, and one image too few would leave units without a number.
        while reach < self.count:
            digits, reach = digits + 1, reach * self.levels
        return -(-digits // self.samples)

    def encode(self, numbers: IntArray) -> tuple[AnyArray, ...]:
        """Return the images whose unit i shows the digits of ``numbers[i]``, lowest first.

        The lowest digit is added to all others: where it takes every level equally often, so does
        their sum, and all images have one histogram.
        """
        shift, kind = self.levels.bit_length() - 1, bool if self.levels == 2 else self.dtype
        # Equal histograms matter for maps that depend on them: all chosen images must get one map.
        lowest = numbers & (self.levels - 1)
        digits = [lowest.astype(kind)]
        for _ in range(1, self.images * self.samples):
            numbers = numbers >> shift
            digits.append(((numbers + lowest) & (self.levels - 1)).astype(kind))
        return tuple(
            self.join(np.stack(digits[first : first + self.samples], axis=1))
            for first in range(0, len(digits), self.samples)
        )

    def decode(self, images: Sequence[AnyArray]) -> IntArray:
        """Return the number that each unit shows; numbers of K or more mean no unit."""
        first, *others = np.concatenate([self.split(image) for image in images], axis=1).T
        lowest = first.astype(np.int32 if self.count * self.levels < 2**31 else np.int64)
        numbers = np.zeros_like(lowest)
        for digit in reversed(others):
            # Surplus digits of many channels are 0 in what `encode` returns.
            numbers = np.minimum(numbers, self.count) * self.levels
            numbers += (digit - lowest) & (self.levels - 1)
        shown: IntArray = np.minimum(numbers, self.count) * self.levels + lowest
        return shown

    def split(self, image: AnyArray) -> AnyArray:
        """Return the units of an image as rows of samples."""
        # Bits of a sample are units in the order of its bytes, as schemes for bits see them.
        if self.unit == "bit" and self._depth > 1:
            image = np.unpackbits(np.ascontiguousarray(image).reshape(-1).view(np.uint8))
        return image.reshape(self.count, self.samples)

    def join(self, units: AnyArray) -> AnyArray:
        """Return the image of such rows."""
        if self.unit == "bit" and self._depth > 1:
            return np.packbits(units.astype(bool)).view(self.dtype).reshape(self.shape)
        return units.astype(self.dtype).reshape(self.shape)

    def in_words(self, share: float) -> str:
        """Return a share of the units in words, never rounded up to all of them."""
        units = f"{self.count} {self.unit}s"
        if share in {0, 1}:
            return f"all {units}" if share else f"none of the {units}"
        # Rounded down: 'all' and 1.0000 are for maps that are whole.
        figure = f"{np.floor(share * 1e4) / 1e4:.4f}" if share >= 1e-4 else "less than 0.0001"
        return f"{figure} of the {units}"


def _checked_unit(unit: str, known: tuple[str, ...]) -> None:
    if unit not in known:
        raise InvalidParameterError(
            f"a unit that is traced is {', '.join(known[:-1])} or {known[-1]}, not {unit!r}"
        )


def random_images(
    shape: tuple[int, ...], count: int, *, dtype: DTypeLike = np.uint8, seed: int = 0
) -> tuple[AnyArray, ...]:
    """Return images of independent uniform samples, the same ones for a seed of 0 or more.

    Parameters
    ----------
    shape : tuple of int
        The shape of the images to attack, (M, N) or (M, N, C).
    count : int
        The number of images, 1 or more.
    dtype : dtype, default uint8
        The type of their samples: bool, uint8 or uint16.
    seed : int, default 0
        The number that decides the samples, 0 or more.
    """
    checked_integer("count", count)
    blank(shape, dtype)
    drawn = uniform_samples(seed, count * int(np.prod(shape)), dtype)
    return tuple(drawn.reshape(count, *shape))


def dark_images(
    shape: tuple[int, ...], count: int, *, dtype: DTypeLike = np.uint8
) -> tuple[AnyArray, ...]:
    """Return random images whose bits are 1 with a chance of a quarter."""
    drawn = random_images(shape, 2 * count, dtype=dtype, seed=_DARK_SEED)
    return tuple(map(np.bitwise_and, drawn[:count], drawn[count:]))


def blank(shape: tuple[int, ...], dtype: DTypeLike) -> AnyArray:
    """Return an image of zeros, or raise `InvalidImageError` for what is no image."""
    image = np.zeros(shape, dtype)
    checked_image(image)
    return image


def units_for(
    oracle: Oracle, image: AnyArray, unit: UnitChoice, *, masked: bool = False
) -> list[AttackUnit]:
    """Return which units to try on a scheme, those first that take the fewest images.

    The image is one like those to attack. Smaller units are left out where results have the larger
    ones of their images, which then are what moves, bits where they do more than move, and samples
    where hardly any can have moved, unless a mask may hide that.
    """
    _checked_unit(unit, get_args(UnitChoice))
    if unit != "auto":
        return [unit]
    # Uniform images could not tell moved bits from any others: half of all bits would agree.
    dark = dark_images(image.shape, 2, dtype=image.dtype)
    seen = [query(oracle, each) for each in dark]
    units: list[AttackUnit] = ["pixel"]
    if image.ndim == 3 and image.shape[2] > 1 and not _only_moves(dark, seen, "pixel"):
        # Bits move too where samples do, and take more images: the larger unit goes first.
        units += ["sample"] if masked or _alike(dark[0], seen[0]) >= _MOVED else []
    if image.dtype != np.bool_ and not _only_moves(dark, seen, "sample"):
        units += ["bit"] if _only_moves(dark, seen, "bit") else []
    return units


def keeps(oracle: Oracle, image: AnyArray, unit: AttackUnit) -> bool:
    """Return whether results have the units of their images, which are like this one."""
    dark = dark_images(image.shape, 2, dtype=image.dtype)
    return _only_moves(dark, [query(oracle, each) for each in dark], unit)


def _only_moves(images: Sequence[AnyArray], seen: Sequence[AnyArray], unit: AttackUnit) -> bool:
    units = ImageUnits.like(images[0], unit)
    return all(same_units(units, *pair) for pair in zip(images, seen, strict=True))


def _alike(image: AnyArray, seen: AnyArray) -> float:
    """Return the share of samples that two images have in common, wherever they are."""
    first, second = (np.bincount(each.reshape(-1), minlength=2**16) for each in (image, seen))
    return float(np.minimum(first, second).sum() / image.size)


def same_units(units: ImageUnits, first: AnyArray, second: AnyArray) -> bool:
    """Return whether two images hold the same units, in whatever order."""
    shown = units.split(first), units.split(second)
    if units.samples > 1:
        start = np.zeros(units.count, dtype=np.int64)
        shown = refined((start, shown[0]), (start, shown[1]))
    before, after = (np.bincount(each.reshape(-1), minlength=2**16) for each in shown)
    return np.array_equal(before, after)


def refined(
    before: tuple[IntArray, AnyArray], after: tuple[IntArray, AnyArray]
) -> tuple[IntArray, IntArray]:
    """Split the classes of units, given before and after, by what each unit shows.

    What units show are arrays of shape (K, C) of integers of 0 or more; equal numbers of the new
    classes stand for equal units.
    """
    classes = np.concatenate([before[0], after[0]])
    span = int(classes.max()) + 1
    for sample in np.concatenate([before[1], after[1]]).T:
        size = int(sample.max()) + 1
        # Numbering anew sorts all units, which is slow: only when numbers would grow too large.
        if span * size > _MOST_CLASSES:
            _, classes = np.unique(classes, return_inverse=True)
            span = int(classes.max()) + 1
        classes, span = classes * size + sample, span * size
    _, classes = np.unique(classes, return_inverse=True)
    middle = len(before[0])
    return classes[:middle], classes[middle:]


def matched(before: IntArray, after: IntArray) -> IntArray:
    """Return for each position a unit of its class, in reading order; -1 where none is left."""
    sources, positions = np.argsort(before, kind="stable"), np.argsort(after, kind="stable")
    held, wanted = before[sources], after[positions]
    # Members of a class are paired by their rank in it, which is reading order.
    rank = np.arange(len(positions)) - np.searchsorted(wanted, wanted)
    index = np.searchsorted(held, wanted) + rank
    fits = index < np.searchsorted(held, wanted, side="right")
    matches = np.full(len(positions), -1, dtype=np.int64)
    matches[positions[fits]] = sources[index[fits]]
    return matches
