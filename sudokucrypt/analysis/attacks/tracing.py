"""Maps that attacks recover: what they are worth in other images, and what they restore."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, log
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.analysis.attacks.attack import (
    AttackResult,
    AttackUnit,
    Finding,
    Outcome,
    finding_of,
    outcome_of,
    verdict_of,
)
from sudokucrypt.analysis.attacks.maps import Labels, dark_images
from sudokucrypt.errors import InvalidImageError
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray, IntArray

_CHECK_SEED = 20
CHECK_IMAGES = 3
"""Fewest images that judge a map: a block may stay in its place once or twice by chance."""

CHANCE = 1 / 256
"""Most of the wrong places that may be right by chance."""

_SAME_BITS = 5 / 8
"""How often two bits are equal that are 1 with a chance of a quarter."""


R = TypeVar("R", bound=AttackResult)
W = TypeVar("W")


def furthest(attempt: Callable[[W], R], ways: Sequence[W]) -> R:
    """Return what an attempt gives in the way that gets furthest; none is tried after a break."""
    grave, found = list(Outcome), []
    for way in ways:
        found.append(attempt(way))
        if found[-1].broken:
            break
    return min(
        found,
        key=lambda one: (
            grave.index(one.outcome),
            0 if one.outcome is Outcome.NOTHING else -one.recovered,
        ),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class RecoveredMap(AttackResult):
    """A map of units that an attack recovered, and what it is worth.

    Place i holds unit ``sources[i]`` of the plain image; -1 if unknown. `recovered` is the share of
    places that the map foretells right in images of another histogram, beyond chance. `alike` is
    that share in images of the histogram that the attacker's images have, 0 if not tried: a map
    that depends on the histogram is right there and nowhere else.
    """

    unit: AttackUnit
    sources: IntArray
    alike: float = 0.0

    def finding(self, seen: AnyArray, *names: str, **fields: Any) -> Finding:
        """Return what was found on a picture of which the attacker has only the result."""
        views = {"seen": seen, "picture": self.restore(seen)}
        return finding_of(self, *names, recovered=self.recovered, **views, **fields)

    def restore(self, scrambled: ArrayLike) -> AnyArray:
        """Return what the map makes of a later scrambled image; unknown units are 0.

        `InvalidImageError` is raised unless the image has as many units as the map.
        """
        return restored(self.sources, scrambled, self.unit)


class MapCheck:
    """The judge of recovered maps, who scrambles further images.

    A place is right if the map foretells its unit in all `images`: random ones of another
    histogram than those that attackers choose, three or more, so that a block that stays in place
    by chance does not count. These queries judge the attack and are no part of it.
    """

    def __init__(self, labels: Labels) -> None:
        self._labels = labels
        equal = labels.samples * (labels.levels.bit_length() - 1) * log(_SAME_BITS)
        number = max(CHECK_IMAGES, ceil(log(CHANCE) / equal))
        self._chance = float(np.exp(number * equal))
        self.images = dark_images(labels.shape, number, dtype=labels.dtype)

    def share(
        self,
        sources: IntArray,
        seen: Sequence[AnyArray],
        images: Sequence[AnyArray] | None = None,
    ) -> float:
        """Return the share of places that the map foretells, 0..1, beyond what chance gives.

        `seen` is what the scheme made of the images, or of as many others.
        """
        right = foretold(self._labels, sources, images or self.images, seen)
        return max(0.0, (right - self._chance) / (1 - self._chance))

    def outcome(self, share: float) -> Outcome:
        """Return what such a share amounts to."""
        trials = self._labels.count
        # What chance gives is off the share, but its spread is not: as much again is allowed for.
        return outcome_of(share, chance=self._chance + 1 / trials, trials=trials)


def foretold(
    labels: Labels, sources: IntArray, images: Sequence[AnyArray], seen: Sequence[AnyArray]
) -> float:
    """Return the share of places whose unit a map foretells in each of some images, 0..1."""
    right = sources >= 0
    for plain, result in zip(images, seen, strict=True):
        right &= (labels.split(plain)[sources] == labels.split(result)).all(axis=1)
    return float(right.mean())


class Tracing:
    """The `images` that show the map of a scheme and judge it, and what follows from the results.

    The first ones are `chosen`: their units hold the digits of their numbers. Then come those of a
    `MapCheck`, and images of other numbers, which have the histograms of the chosen ones.
    """

    def __init__(self, labels: Labels) -> None:
        self.labels = labels
        self.chosen = labels.encode(np.arange(labels.count))
        self._check = MapCheck(labels)
        number = len(self._check.images)
        orders = seeded_draws(_CHECK_SEED).permutations(
            [labels.count] * -(-number // labels.images)
        )
        self._alike = [
            image for order in orders.reshape(-1, labels.count) for image in labels.encode(order)
        ][:number]
        self.images = (*self.chosen, *self._check.images, *self._alike)

    def found(self, seen: Sequence[AnyArray], text: str) -> RecoveredMap:
        """Return the map that the results of all images show; `text` says what gave it."""
        labels, middle = self.labels, len(self.chosen)
        numbers = labels.decode(seen[:middle])
        sources = np.where(numbers < labels.count, numbers, -1)
        recovered = self._check.share(sources, seen[middle : middle + len(self._check.images)])
        alike = self._check.share(sources, seen[-len(self._alike) :], self._alike)
        outcome = self._check.outcome(recovered)
        words = (
            f"the map from {text} is right for {labels.in_words(recovered)} in later images (by "
            f"chance 1 in {labels.count})"
        )
        if outcome is Outcome.BROKEN:
            words = (
                f"{text} gave the places of {labels.in_words(recovered)}, in every later image "
                "under this key"
            )
        elif self._more(alike, than=recovered):
            outcome = Outcome.LEAKS
            words = (
                f"one map for images of one histogram: that from {text} is right for "
                f"{labels.in_words(alike)} there, and for {labels.in_words(recovered)} in images "
                "of another histogram"
            )
        return RecoveredMap(
            unit=labels.unit,
            sources=sources,
            recovered=recovered,
            alike=alike,
            outcome=outcome,
            verdict=verdict_of(outcome, words),
        )

    def _more(self, share: float, *, than: float) -> bool:
        trials = self.labels.count
        found = outcome_of(share, chance=min(1.0, than + 1 / trials), trials=trials)
        return found is not Outcome.NOTHING


def restored(sources: IntArray, scrambled: ArrayLike, unit: AttackUnit) -> AnyArray:
    """Undo a map that an attack has recovered, as `RecoveredMap.restore` does."""
    image = np.asarray(scrambled)
    labels = Labels.like(image, unit)
    if labels.count != len(sources):
        raise InvalidImageError(
            f"the map is of {len(sources)} {unit}s, and the image has {labels.count}",
            hint="a map serves images of the shape that was attacked",
        )
    known = sources >= 0
    units = np.zeros((labels.count, labels.samples), image.dtype)
    units[sources[known]] = labels.split(image)[known]
    return labels.join(units)
