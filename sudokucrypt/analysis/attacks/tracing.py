"""Maps that attacks recover: what they are worth in other images, and what they restore."""

from collections.abc import Callable, Sequence
from math import ceil, log
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.analysis.attacks.contract import AttackUnit, Finding, Outcome, outcome_of
from sudokucrypt.analysis.attacks.unit_maps import ImageUnits, dark_images
from sudokucrypt.errors import InvalidImageError
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray, IntArray

# The images that check a map are the same ones in every run.
_CHECK_SEED = 20
# Fewest images that judge a map: a block may stay in its place once or twice by chance.
CHECK_IMAGES = 3

# Most of the wrong positions that may be right by chance.
CHANCE = 1 / 256

# How often two bits are equal that are 1 with a chance of a quarter.
_SAME_BITS = 5 / 8


C = TypeVar("C")


def furthest(attempt: Callable[[C], Finding], choices: Sequence[C]) -> Finding:
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
        self.images = dark_images(units.shape, count, dtype=units.dtype)

    def share(
        self,
        sources: IntArray,
        seen: Sequence[AnyArray],
        images: Sequence[AnyArray] | None = None,
    ) -> float:
        """Return the share of positions that the map predicts, 0..1, beyond what chance gives.

        `seen` is what the scheme made of the images, or of as many others.
        """
        right = predicted(self._labels, sources, images or self.images, seen)
        return max(0.0, (right - self._chance) / (1 - self._chance))

    def outcome(self, share: float) -> Outcome:
        """Return what such a share amounts to."""
        trials = self._labels.count
        # What chance gives is off the share, but its spread is not: as much again is allowed for.
        return outcome_of(share, chance=self._chance + 1 / trials, trials=trials)


def predicted(
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

    def recovered_map(self, seen: Sequence[AnyArray], text: str) -> Finding:
        """Return the map that the results of all images show; `text` says what gave it.

        `alike` among its details is the share that is right in images of the histogram of the
        chosen ones: a map that depends on the histogram is right there and nowhere else.
        """
        units, middle = self.units, len(self.chosen)
        # What stands for no unit is no digit string that was sent: the scheme did more than move.
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
        elif self._more(alike, than=recovered):
            outcome = Outcome.LEAKS
            words = (
                f"one map for images of one histogram: that from {text} is right for "
                f"{units.in_words(alike)} there, and for {units.in_words(recovered)} in images "
                "of another histogram"
            )
        return map_finding(
            outcome, words, unit=units.unit, sources=sources, recovered=recovered, alike=alike
        )

    def _more(self, share: float, *, than: float) -> bool:
        trials = self.units.count
        outcome = outcome_of(share, chance=min(1.0, than + 1 / trials), trials=trials)
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
