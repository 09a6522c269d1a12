"""Number the units of images, find them again in results, and judge maps of units."""

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
from sudokucrypt.analysis.inputs import check_image, draw_uniform_samples
from sudokucrypt.errors import InvalidImageError, InvalidParameterError
from sudokucrypt.options import check_integer
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray, IntArray

# Fixed, so that an attack sends the same images each time.
_DARK_SEED = 21
# Classes are renumbered before their count exceeds this bound, so that they fit 64 bits.
_MAX_CLASSES = 2**62
# The share of samples that an image and its result must have in common, in any order, before moved
# samples are assumed.
_MIN_OVERLAP = 0.5


@dataclass(frozen=True)
class ImageUnits:
    """The numbering of the K units of images of one shape and dtype, in reading order.

    Pixels have C samples each, and samples have L = 2, 256 or 65536 levels. Bits are units of two
    levels.
    """

    shape: tuple[int, ...]
    dtype: DTypeLike
    unit: AttackUnit = "pixel"

    def __post_init__(self) -> None:
        check_image(np.empty(self.shape, bool))
        check_image(np.zeros((1, 1), self.dtype))
        _require_unit(self.unit, get_args(AttackUnit))

    @classmethod
    def from_image(cls, image: AnyArray, unit: AttackUnit = "pixel") -> Self:
        """Return the units of images that have the shape and dtype of `image`."""
        return cls(image.shape, image.dtype, unit)

    @property
    def _bit_depth(self) -> int:
        """The number of bits of a sample: 1, 8 or 16."""
        return check_image(np.zeros((1, 1), self.dtype))[1].bit_length() - 1

    @property
    def levels(self) -> int:
        """L, the number of values of each sample of a unit."""
        return 2 if self.unit == "bit" else 1 << self._bit_depth

    @property
    def samples(self) -> int:
        """The number of samples of a unit."""
        return self.shape[2] if len(self.shape) == 3 and self.unit == "pixel" else 1

    @property
    def count(self) -> int:
        """K, the number of units."""
        parts = self._bit_depth if self.unit == "bit" else 1
        return int(np.prod(self.shape)) * parts // self.samples

    @property
    def images(self) -> int:
        """The number of images that encode every unit number: ceil(log_L(K) / samples)."""
        digit_count, number_count = 1, self.levels
        # Integers are exact: a rounded logarithm could give one image too few for all numbers.
        while number_count < self.count:
            digit_count, number_count = digit_count + 1, number_count * self.levels
        return -(-digit_count // self.samples)

    def encode(self, numbers: IntArray) -> tuple[AnyArray, ...]:
        """Return images in which unit i contains the digits of ``numbers[i]``, the lowest first.

        The lowest digit is added to all others: if every level is equally frequent in it, the same
        is true of the sums, and all images have one histogram.
        """
        shift, dtype = self.levels.bit_length() - 1, bool if self.levels == 2 else self.dtype
        # A map may depend on the histogram, and all chosen images must get the same map.
        lowest_digits = numbers & (self.levels - 1)
        digits = [lowest_digits.astype(dtype)]
        for _ in range(1, self.images * self.samples):
            numbers = numbers >> shift
            digits.append(((numbers + lowest_digits) & (self.levels - 1)).astype(dtype))
        return tuple(
            self.join(np.stack(digits[first : first + self.samples], axis=1))
            for first in range(0, len(digits), self.samples)
        )

    def decode(self, images: Sequence[AnyArray]) -> IntArray:
        """Return the number that each unit contains; a number of K or more belongs to no unit."""
        first_digits, *other_digits = np.concatenate(
            [self.split(image) for image in images], axis=1
        ).T
        lowest_digits = first_digits.astype(
            np.int32 if self.count * self.levels < 2**31 else np.int64
        )
        numbers = np.zeros_like(lowest_digits)
        for digit in reversed(other_digits):
            # Digits above the highest one that is needed are 0 in the images from `encode`.
            numbers = np.minimum(numbers, self.count) * self.levels
            numbers += (digit - lowest_digits) & (self.levels - 1)
        decoded_numbers: IntArray = np.minimum(numbers, self.count) * self.levels + lowest_digits
        return decoded_numbers

    def split(self, image: AnyArray) -> AnyArray:
        """Return the units of an image as rows of samples."""
        # Bits of a sample are ordered as its bytes in memory, as in schemes that move bits.
        if self.unit == "bit" and self._bit_depth > 1:
            image = np.unpackbits(np.ascontiguousarray(image).reshape(-1).view(np.uint8))
        return image.reshape(self.count, self.samples)

    def join(self, units: AnyArray) -> AnyArray:
        """Return the image with these units, given as rows of samples."""
        if self.unit == "bit" and self._bit_depth > 1:
            return np.packbits(units.astype(bool)).view(self.dtype).reshape(self.shape)
        return units.astype(self.dtype).reshape(self.shape)

    def format_share(self, share: float) -> str:
        """Return a share of the units as text, never rounded up to all of them."""
        units = f"{self.count} {self.unit}s"
        if share in {0, 1}:
            return f"all {units}" if share else f"none of the {units}"
        # Rounded down: 'all' and 1.0000 are reserved for complete maps.
        share_text = f"{np.floor(share * 1e4) / 1e4:.4f}" if share >= 1e-4 else "less than 0.0001"
        return f"{share_text} of the {units}"


def _require_unit(unit: str, allowed_units: tuple[str, ...]) -> None:
    if unit not in allowed_units:
        raise InvalidParameterError(
            f"unit must be {', '.join(allowed_units[:-1])} or {allowed_units[-1]}, not {unit!r}"
        )


def random_images(
    shape: tuple[int, ...], count: int, *, dtype: DTypeLike = np.uint8, seed: int = 0
) -> tuple[AnyArray, ...]:
    """Return images of independent uniform samples, which depend only on the seed.

    Parameters
    ----------
    shape : tuple of int
        The shape of the images to attack, (M, N) or (M, N, C).
    count : int
        The number of images, 1 or more.
    dtype : dtype, default uint8
        The type of their samples: bool, uint8 or uint16.
    seed : int, default 0
        The number that determines the samples, 0 or more.
    """
    check_integer("count", count)
    make_blank_image(shape, dtype)
    samples = draw_uniform_samples(seed, count * int(np.prod(shape)), dtype)
    return tuple(samples.reshape(count, *shape))


def draw_dark_images(
    shape: tuple[int, ...], count: int, *, dtype: DTypeLike = np.uint8
) -> tuple[AnyArray, ...]:
    """Return random images whose bits are 1 with a probability of a quarter."""
    images = random_images(shape, 2 * count, dtype=dtype, seed=_DARK_SEED)
    return tuple(map(np.bitwise_and, images[:count], images[count:]))


def make_blank_image(shape: tuple[int, ...], dtype: DTypeLike) -> AnyArray:
    """Return an image of zeros, or raise `InvalidImageError` for an unsupported shape or dtype."""
    image = np.zeros(shape, dtype)
    check_image(image)
    return image


def list_units(
    oracle: Oracle, image: AnyArray, unit: UnitChoice, *, may_be_masked: bool = False
) -> list[AttackUnit]:
    """Return the units to try on a scheme, first the unit that takes the fewest images.

    The image has the shape and dtype of the images to attack. Smaller units are left out if results
    consist of the larger units of their images, since then the larger units move. Bits are left out
    if they do more than move, and samples if hardly any can have moved, unless a mask may hide
    that (`may_be_masked`).
    """
    _require_unit(unit, get_args(UnitChoice))
    if unit != "auto":
        return [unit]
    # Dark images are used, since moved bits would not show in uniform images, where half of all
    # bits agree by chance.
    dark_images = draw_dark_images(image.shape, 2, dtype=image.dtype)
    results = [query(oracle, each) for each in dark_images]
    units: list[AttackUnit] = ["pixel"]
    if (
        image.ndim == 3
        and image.shape[2] > 1
        and not _moves_units_only(dark_images, results, "pixel")
    ):
        # If samples move, their bits do too, but bits take more images: the larger unit is first.
        units += (
            ["sample"]
            if may_be_masked or _measure_overlap(dark_images[0], results[0]) >= _MIN_OVERLAP
            else []
        )
    if image.dtype != np.bool_ and not _moves_units_only(dark_images, results, "sample"):
        units += ["bit"] if _moves_units_only(dark_images, results, "bit") else []
    return units


def keeps_units(oracle: Oracle, image: AnyArray, unit: AttackUnit) -> bool:
    """Return whether results contain the same units as images of this shape and dtype."""
    dark_images = draw_dark_images(image.shape, 2, dtype=image.dtype)
    return _moves_units_only(dark_images, [query(oracle, each) for each in dark_images], unit)


def _moves_units_only(
    images: Sequence[AnyArray], results: Sequence[AnyArray], unit: AttackUnit
) -> bool:
    units = ImageUnits.from_image(images[0], unit)
    return all(have_same_units(units, *pair) for pair in zip(images, results, strict=True))


def _measure_overlap(image: AnyArray, result: AnyArray) -> float:
    """Return the share of samples that two images have in common, at any positions."""
    image_counts, result_counts = (
        np.bincount(each.reshape(-1), minlength=2**16) for each in (image, result)
    )
    return float(np.minimum(image_counts, result_counts).sum() / image.size)


def have_same_units(units: ImageUnits, first: AnyArray, second: AnyArray) -> bool:
    """Return whether two images contain the same units, in any order."""
    units_of_both = units.split(first), units.split(second)
    if units.samples > 1:
        initial_classes = np.zeros(units.count, dtype=np.int64)
        units_of_both = refine_classes(
            (initial_classes, units_of_both[0]), (initial_classes, units_of_both[1])
        )
    first_counts, second_counts = (
        np.bincount(each.reshape(-1), minlength=2**16) for each in units_of_both
    )
    return np.array_equal(first_counts, second_counts)


def refine_classes(
    image_classes: tuple[IntArray, AnyArray], result_classes: tuple[IntArray, AnyArray]
) -> tuple[IntArray, IntArray]:
    """Split classes of indistinguishable units by the samples of a further image and its result.

    `image_classes` has the class of each unit of the images and the samples of the further image,
    of shape (K, C); `result_classes` has the same of the results. Returns the new classes of both,
    in which units have one number if and only if they are indistinguishable.
    """
    classes = np.concatenate([image_classes[0], result_classes[0]])
    class_bound = int(classes.max()) + 1
    for sample_column in np.concatenate([image_classes[1], result_classes[1]]).T:
        level_bound = int(sample_column.max()) + 1
        # Renumbering sorts all units, which is slow, so it waits until numbers get too large.
        if class_bound * level_bound > _MAX_CLASSES:
            _, classes = np.unique(classes, return_inverse=True)
            class_bound = int(classes.max()) + 1
        classes, class_bound = classes * level_bound + sample_column, class_bound * level_bound
    _, classes = np.unique(classes, return_inverse=True)
    unit_count = len(image_classes[0])
    return classes[:unit_count], classes[unit_count:]


def match_units(plain_classes: IntArray, result_classes: IntArray) -> IntArray:
    """Return for each position a unit of its class, in reading order, or -1 if no unit is left."""
    sources, positions = (
        np.argsort(plain_classes, kind="stable"),
        np.argsort(result_classes, kind="stable"),
    )
    source_classes, position_classes = plain_classes[sources], result_classes[positions]
    # Members of a class are paired in reading order, by their rank in the class.
    ranks_in_class = np.arange(len(positions)) - np.searchsorted(position_classes, position_classes)
    source_indices = np.searchsorted(source_classes, position_classes) + ranks_in_class
    is_matched = source_indices < np.searchsorted(source_classes, position_classes, side="right")
    matches = np.full(len(positions), -1, dtype=np.int64)
    matches[positions[is_matched]] = sources[source_indices[is_matched]]
    return matches


# Fixed, so that the images that check a map are the same in every run.
_CHECK_SEED = 20
# The minimum number of images to judge a map: a block may stay in place once or twice by chance.
MIN_CHECK_IMAGES = 3

# The maximum share of wrong positions that look right by chance.
MAX_CHANCE_SHARE = 1 / 256

# The probability that two bits, each 1 with a probability of a quarter, are equal.
_EQUAL_BITS_PROBABILITY = 5 / 8


Choice = TypeVar("Choice")


def choose_best_finding(
    run_attack: Callable[[Choice], Finding], choices: Sequence[Choice]
) -> Finding:
    """Try choices until one breaks the scheme, and return the finding that recovers most."""
    outcomes, results = list(Outcome), list[Finding]()
    for choice in choices:
        results.append(run_attack(choice))
        if results[-1].broken:
            break

    def rank_finding(result: Finding) -> tuple[int, float]:
        # If all attacks found nothing, their shares are chance, and the first finding is chosen.
        found_nothing = result.outcome is Outcome.NOTHING
        return outcomes.index(result.outcome), 0 if found_nothing else -result.recovered

    return min(results, key=rank_finding)


def make_map_finding(
    outcome: Outcome,
    text: str,
    *,
    unit: AttackUnit,
    sources: IntArray,
    recovered_share: float,
    **details: Any,
) -> Finding:
    """Return the finding of an attack that recovered a map of units.

    Position i contains unit ``sources[i]`` of the plain image; -1 means unknown. `recovered_share`
    is the share of positions that the map predicts right in images of another histogram, beyond
    chance.
    """
    return Finding(
        outcome=outcome,
        text=text,
        recovered=recovered_share,
        details={"unit": unit, "sources": sources, **details},
        undo=lambda scrambled: undo_map(sources, scrambled, unit),
    )


class MapCheck:
    """A check of recovered maps by further images.

    A position is right if the map predicts its unit in all `images`. These are random images with
    another histogram than the images of the attacker; three or more, so that a block that stays in
    place by chance does not count. Their queries are not part of the attack.
    """

    def __init__(self, units: ImageUnits) -> None:
        self._units = units
        # The logarithm of the probability that all bits of a unit agree in one image by chance.
        log_chance = units.samples * (units.levels.bit_length() - 1) * log(_EQUAL_BITS_PROBABILITY)
        count = max(MIN_CHECK_IMAGES, ceil(log(MAX_CHANCE_SHARE) / log_chance))
        self._chance_share = float(np.exp(count * log_chance))
        self.images = draw_dark_images(units.shape, count, dtype=units.dtype)

    def measure_map_share(
        self,
        sources: IntArray,
        results: Sequence[AnyArray],
        images: Sequence[AnyArray] | None = None,
    ) -> float:
        """Return the share of positions that the map predicts beyond chance, 0..1.

        `results` contains the results of the check's images, or of `images` if these are given.
        """
        predicted_share = measure_predicted_share(
            self._units, sources, images or self.images, results
        )
        return max(0.0, (predicted_share - self._chance_share) / (1 - self._chance_share))

    def judge_map_share(self, share: float) -> Outcome:
        """Return the outcome of an attack for a share from `measure_map_share`."""
        trials = self._units.count
        # The share is corrected for the mean of chance but not for its spread, which is allowed for
        # here.
        return judge_share(share, chance=self._chance_share + 1 / trials, trials=trials)


def measure_predicted_share(
    units: ImageUnits,
    sources: IntArray,
    images: Sequence[AnyArray],
    results: Sequence[AnyArray],
) -> float:
    """Return the share of positions, 0..1, at which a map predicts the unit in every image."""
    is_predicted = sources >= 0
    for plain, result in zip(images, results, strict=True):
        is_predicted &= (units.split(plain)[sources] == units.split(result)).all(axis=1)
    return float(is_predicted.mean())


class TracingPlan:
    """A plan of images whose results show the map of a scheme and check it.

    The first `images` are `chosen_images`: their units contain the digits of their own numbers.
    Then follow the images of a `MapCheck`, and images of shuffled numbers, which have the histogram
    of the chosen images.
    """

    def __init__(self, units: ImageUnits) -> None:
        self.units = units
        self.chosen_images = units.encode(np.arange(units.count))
        self._map_check = MapCheck(units)
        count = len(self._map_check.images)
        # Images of shuffled numbers differ from the chosen images but have their histogram.
        orders = seeded_draws(_CHECK_SEED).permutations([units.count] * -(-count // units.images))
        self._same_histogram_images = [
            image for order in orders.reshape(-1, units.count) for image in units.encode(order)
        ][:count]
        self.images = (*self.chosen_images, *self._map_check.images, *self._same_histogram_images)

    def recover_map(self, results: Sequence[AnyArray], text: str) -> Finding:
        """Return the finding with the map that the results show; `text` names the images in it.

        Its detail `same_histogram_share` is the share of positions that are right in images with
        the histogram of the chosen images: a map that depends on the histogram is right only there.
        """
        units, chosen_image_count = self.units, len(self.chosen_images)
        # A number that belongs to no unit was never sent: the scheme did more than move units.
        numbers = units.decode(results[:chosen_image_count])
        sources = np.where(numbers < units.count, numbers, -1)
        recovered_share = self._map_check.measure_map_share(
            sources, results[chosen_image_count : chosen_image_count + len(self._map_check.images)]
        )
        same_histogram_share = self._map_check.measure_map_share(
            sources, results[-len(self._same_histogram_images) :], self._same_histogram_images
        )
        outcome = self._map_check.judge_map_share(recovered_share)
        verdict = (
            f"the map from {text} is right for {units.format_share(recovered_share)} in later "
            "images (by "
            f"chance 1 in {units.count})"
        )
        if outcome is Outcome.BROKEN:
            verdict = (
                f"{text} gave the places of {units.format_share(recovered_share)}, in every "
                "later image "
                "under this key"
            )
        # A map keyed by the histogram is complete for the chosen images and worthless for others:
        # this is no break.
        elif self._exceeds_baseline(same_histogram_share, baseline=recovered_share):
            outcome = Outcome.LEAKS
            verdict = (
                f"one map for images of one histogram: that from {text} is right for "
                f"{units.format_share(same_histogram_share)} there, and for "
                f"{units.format_share(recovered_share)} in images of another histogram"
            )
        return make_map_finding(
            outcome,
            verdict,
            unit=units.unit,
            sources=sources,
            recovered_share=recovered_share,
            same_histogram_share=same_histogram_share,
        )

    def _exceeds_baseline(self, share: float, *, baseline: float) -> bool:
        trials = self.units.count
        outcome = judge_share(share, chance=min(1.0, baseline + 1 / trials), trials=trials)
        return outcome is not Outcome.NOTHING


def undo_map(sources: IntArray, scrambled: ArrayLike, unit: AttackUnit) -> AnyArray:
    """Move the units of a result back by a recovered map; unknown units are 0."""
    image = np.asarray(scrambled)
    units = ImageUnits.from_image(image, unit)
    if units.count != len(sources):
        raise InvalidImageError(
            f"the map has {len(sources)} {unit}s, but the image has {units.count}",
            hint="a map restores only images of the shape that was attacked",
        )
    is_known = sources >= 0
    rows = np.zeros((units.count, units.samples), image.dtype)
    rows[sources[is_known]] = units.split(image)[is_known]
    return units.join(rows)
