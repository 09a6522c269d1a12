"""Units of images and their maps: numbering units, finding them again, and judging maps."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, log
from typing import Any, Self, TypeVar, get_args

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from sudokucrypt.analysis.attacks.contract import (
    AttackUnit,
    Finding,
    Oracle,
    Outcome,
    UnitChoice,
    judge_share,
    query,
)
from sudokucrypt.analysis.inputs import checked_image, uniform_samples
from sudokucrypt.errors import InvalidImageError, InvalidParameterError
from sudokucrypt.options import checked_integer
from sudokucrypt.sudoku.seeded import seeded_draws
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
        _require_unit(self.unit, get_args(AttackUnit))

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


def _require_unit(unit: str, known: tuple[str, ...]) -> None:
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
    make_blank(shape, dtype)
    drawn = uniform_samples(seed, count * int(np.prod(shape)), dtype)
    return tuple(drawn.reshape(count, *shape))


def draw_dark_images(
    shape: tuple[int, ...], count: int, *, dtype: DTypeLike = np.uint8
) -> tuple[AnyArray, ...]:
    """Return random images whose bits are 1 with a chance of a quarter."""
    drawn = random_images(shape, 2 * count, dtype=dtype, seed=_DARK_SEED)
    return tuple(map(np.bitwise_and, drawn[:count], drawn[count:]))


def make_blank(shape: tuple[int, ...], dtype: DTypeLike) -> AnyArray:
    """Return an image of zeros, or raise `InvalidImageError` for what is not an image."""
    image = np.zeros(shape, dtype)
    checked_image(image)
    return image


def list_units(
    oracle: Oracle, image: AnyArray, unit: UnitChoice, *, masked: bool = False
) -> list[AttackUnit]:
    """Return which units to try on a scheme, those first that take the fewest images.

    The image is one like those to attack. Smaller units are left out where results have the larger
    ones of their images, which then are what moves, bits where they do more than move, and samples
    where hardly any can have moved, unless a mask may hide that.
    """
    _require_unit(unit, get_args(UnitChoice))
    if unit != "auto":
        return [unit]
    # Uniform images could not tell moved bits from any others: half of all bits would agree.
    dark = draw_dark_images(image.shape, 2, dtype=image.dtype)
    seen = [query(oracle, each) for each in dark]
    units: list[AttackUnit] = ["pixel"]
    if image.ndim == 3 and image.shape[2] > 1 and not _moves_units_only(dark, seen, "pixel"):
        # Bits move too where samples do, and take more images: the larger unit goes first.
        units += ["sample"] if masked or _measure_overlap(dark[0], seen[0]) >= _MOVED else []
    if image.dtype != np.bool_ and not _moves_units_only(dark, seen, "sample"):
        units += ["bit"] if _moves_units_only(dark, seen, "bit") else []
    return units


def has_units(oracle: Oracle, image: AnyArray, unit: AttackUnit) -> bool:
    """Return whether results have the units of their images, which are like this one."""
    dark = draw_dark_images(image.shape, 2, dtype=image.dtype)
    return _moves_units_only(dark, [query(oracle, each) for each in dark], unit)


def _moves_units_only(
    images: Sequence[AnyArray], seen: Sequence[AnyArray], unit: AttackUnit
) -> bool:
    units = ImageUnits.like(images[0], unit)
    return all(have_same_units(units, *pair) for pair in zip(images, seen, strict=True))


def _measure_overlap(image: AnyArray, seen: AnyArray) -> float:
    """Return the share of samples that two images have in common, wherever they are."""
    first, second = (np.bincount(each.reshape(-1), minlength=2**16) for each in (image, seen))
    return float(np.minimum(first, second).sum() / image.size)


def have_same_units(units: ImageUnits, first: AnyArray, second: AnyArray) -> bool:
    """Return whether two images hold the same units, in any order."""
    shown = units.split(first), units.split(second)
    if units.samples > 1:
        start = np.zeros(units.count, dtype=np.int64)
        shown = refine_classes((start, shown[0]), (start, shown[1]))
    before, after = (np.bincount(each.reshape(-1), minlength=2**16) for each in shown)
    return np.array_equal(before, after)


def refine_classes(
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


def match_units(before: IntArray, after: IntArray) -> IntArray:
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


# The images that check a map are the same ones in every run.
_CHECK_SEED = 20
# Fewest images that judge a map: a block may stay in its place once or twice by chance.
CHECK_IMAGES = 3

# Most of the wrong positions that may be right by chance.
CHANCE = 1 / 256

# How often two bits are equal that are 1 with a chance of a quarter.
_SAME_BITS = 5 / 8


C = TypeVar("C")


def choose_best(attempt: Callable[[C], Finding], choices: Sequence[C]) -> Finding:
    """Return the result of the choice that gets furthest; none is tried after a break."""
    gravest, results = list(Outcome), list[Finding]()
    for choice in choices:
        results.append(attempt(choice))
        if results[-1].broken:
            break

    def rank(result: Finding) -> tuple[int, float]:
        # Shares that are no more than chance do not count: then the first choice is as good.
        nothing = result.outcome is Outcome.NOTHING
        return gravest.index(result.outcome), 0 if nothing else -result.recovered

    return min(results, key=rank)


def map_finding(
    outcome: Outcome,
    text: str,
    *,
    unit: AttackUnit,
    sources: IntArray,
    recovered: float,
    **details: Any,
) -> Finding:
    """Return a map of units that an attack recovered, and what it is worth.

    Place i holds unit ``sources[i]`` of the plain image; -1 if unknown. `recovered` is the share of
    positions that the map predicts right in images of another histogram, beyond chance.
    """
    return Finding(
        outcome=outcome,
        text=text,
        recovered=recovered,
        details={"unit": unit, "sources": sources, **details},
        undo=lambda scrambled: undo_map(sources, scrambled, unit),
    )


class MapCheck:
    """The judge of recovered maps, who scrambles further images.

    A position is right if the map predicts its unit in all `images`: random ones of another
    histogram than those that attackers choose, three or more, so that a block that stays in place
    by chance does not count. These queries judge the attack and are no part of it.
    """

    def __init__(self, units: ImageUnits) -> None:
        self._labels = units
        # What one image leaves to chance, as a logarithm: all bits of a unit agree.
        equal = units.samples * (units.levels.bit_length() - 1) * log(_SAME_BITS)
        count = max(CHECK_IMAGES, ceil(log(CHANCE) / equal))
        self._chance = float(np.exp(count * equal))
        self.images = draw_dark_images(units.shape, count, dtype=units.dtype)

    def share(
        self,
        sources: IntArray,
        seen: Sequence[AnyArray],
        images: Sequence[AnyArray] | None = None,
    ) -> float:
        """Return the share of positions that the map predicts, 0..1, beyond what chance gives.

        `seen` is what the scheme made of the images, or of as many others.
        """
        right = measure_predicted(self._labels, sources, images or self.images, seen)
        return max(0.0, (right - self._chance) / (1 - self._chance))

    def outcome(self, share: float) -> Outcome:
        """Return the outcome for such a share."""
        trials = self._labels.count
        # What chance gives is off the share, but its spread is not: as much again is allowed for.
        return judge_share(share, chance=self._chance + 1 / trials, trials=trials)


def measure_predicted(
    units: ImageUnits,
    sources: IntArray,
    images: Sequence[AnyArray],
    seen: Sequence[AnyArray],
) -> float:
    """Return the share of positions whose unit a map predicts in each of some images, 0..1."""
    right = sources >= 0
    for plain, result in zip(images, seen, strict=True):
        right &= (units.split(plain)[sources] == units.split(result)).all(axis=1)
    return float(right.mean())


class Tracing:
    """The `images` that show the map of a scheme and judge it, and what follows from the results.

    The first ones are `chosen`: their units hold the digits of their numbers. Then come those of a
    `MapCheck`, and images of other numbers, which have the histograms of the chosen ones.
    """

    def __init__(self, units: ImageUnits) -> None:
        self.units = units
        self.chosen = units.encode(np.arange(units.count))
        self._check = MapCheck(units)
        count = len(self._check.images)
        # Shuffled numbers have the histogram of the chosen images, and are other images.
        orders = seeded_draws(_CHECK_SEED).permutations([units.count] * -(-count // units.images))
        self._alike = [
            image for order in orders.reshape(-1, units.count) for image in units.encode(order)
        ][:count]
        self.images = (*self.chosen, *self._check.images, *self._alike)

    def recover_map(self, seen: Sequence[AnyArray], text: str) -> Finding:
        """Return the map that the results of all images show; `text` says what gave it.

        `alike` among its details is the share that is right in images of the histogram of the
        chosen ones: a map that depends on the histogram is right there and nowhere else.
        """
        units, middle = self.units, len(self.chosen)
        # What stands for no unit is not a digit string that was sent: the scheme did more than
        # move.
        numbers = units.decode(seen[:middle])
        sources = np.where(numbers < units.count, numbers, -1)
        recovered = self._check.share(sources, seen[middle : middle + len(self._check.images)])
        alike = self._check.share(sources, seen[-len(self._alike) :], self._alike)
        outcome = self._check.outcome(recovered)
        words = (
            f"the map from {text} is right for {units.in_words(recovered)} in later images (by "
            f"chance 1 in {units.count})"
        )
        if outcome is Outcome.BROKEN:
            words = (
                f"{text} gave the places of {units.in_words(recovered)}, in every later image "
                "under this key"
            )
        # A map keyed by the histogram is whole for the chosen images and worthless for others; that
        # must not pass for a break.
        elif self._needs_more(alike, than=recovered):
            outcome = Outcome.LEAKS
            words = (
                f"one map for images of one histogram: that from {text} is right for "
                f"{units.in_words(alike)} there, and for {units.in_words(recovered)} in images "
                "of another histogram"
            )
        return map_finding(
            outcome, words, unit=units.unit, sources=sources, recovered=recovered, alike=alike
        )

    def _needs_more(self, share: float, *, than: float) -> bool:
        trials = self.units.count
        outcome = judge_share(share, chance=min(1.0, than + 1 / trials), trials=trials)
        return outcome is not Outcome.NOTHING


def undo_map(sources: IntArray, scrambled: ArrayLike, unit: AttackUnit) -> AnyArray:
    """Undo a map that an attack has recovered; unknown units are 0."""
    image = np.asarray(scrambled)
    units = ImageUnits.like(image, unit)
    if units.count != len(sources):
        raise InvalidImageError(
            f"the map is of {len(sources)} {unit}s, and the image has {units.count}",
            hint="a map serves images of the shape that was attacked",
        )
    known = sources >= 0
    rows = np.zeros((units.count, units.samples), image.dtype)
    rows[sources[known]] = units.split(image)[known]
    return units.join(rows)
