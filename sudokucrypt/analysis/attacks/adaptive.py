"""Adaptive chosen plaintext: images that are made for one target, of the samples of its result."""

from dataclasses import replace
from math import ceil, log

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.analysis.attacks import contract, unit_maps
from sudokucrypt.analysis.baselines import ContentKeyedShuffle
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray

# Most images that are made; pictures of few levels need many.
MAX_IMAGES = 64

# The same draws in every run.
_SEED = 23
# Images are made until only this share of units is expected to show what another one shows.
_UNSURE = 0.01


def adaptive_attack(
    oracle: contract.Oracle, seen: ArrayLike, *, unit: contract.UnitChoice = "auto"
) -> contract.Finding:
    """Recover where a scheme moved the units of one image, from its result `seen`.

    A scheme that only moves units keeps all samples, so the result tells the sum and the histogram
    of the image. The attacker shuffles the units of the result, has that scrambled, and again,
    until hardly any two units show the same in all of these images: 4 to 6 for gray photographs, 64
    at most. If the map is that of the target, since it depends on sum or histogram only, the target
    is restored, and any later image by as many queries again. A map that depends on the order of
    the samples, or on a fresh salt, gives nothing. `recovered` is the share of positions that the
    map predicts right in another image of the same samples, beyond chance.

    Parameters
    ----------
    oracle : callable
        The scheme under one key: takes an image, and returns one of its shape and dtype.
    seen : array_like of shape (M, N) or (M, N, C), bool, uint8 or uint16
        The result for the image that the attacker is after.
    unit : {"auto", "pixel", "sample", "bit"}, default "auto"
        What is traced as a whole; "auto" tries all of them.

    Examples
    --------
    >>> from sudokucrypt.analysis.baselines import ContentKeyedShuffle
    >>> scheme, secret = ContentKeyedShuffle(), np.arange(256, dtype=np.uint8).reshape(16, 16)
    >>> result = adaptive_attack(scheme.scramble, scheme.scramble(secret))
    >>> result.queries, bool((result.restore(scheme.scramble(secret)) == secret).all())
    (2, True)
    """
    target = np.asarray(seen)

    def attempt(traced: contract.AttackUnit) -> contract.Finding:
        return _attempt(oracle, target, unit_maps.ImageUnits.like(target, traced))

    return unit_maps.choose_best(attempt, unit_maps.list_units(oracle, target, unit))


def _attempt(
    oracle: contract.Oracle, target: AnyArray, units: unit_maps.ImageUnits
) -> contract.Finding:
    shown_units, one_class = units.split(target), np.zeros(units.count, dtype=np.int64)
    source = seeded_draws(_SEED)

    def query(count: int) -> tuple[list[AnyArray], list[AnyArray]]:
        images = [units.join(shown_units[source.permutations([units.count])]) for _ in range(count)]
        return images, contract.query_all(oracle, images)

    if not unit_maps.have_same_units(units, target, query(1)[1][0]):
        text = f"{units.unit}s do more than move, so the result does not show the histogram"
        return contract.Finding(outcome=contract.Outcome.NOTHING, text=text, queries=1)
    # How often two units agree in one shuffled image, by the histogram of the target.
    kinds, _ = unit_maps.refine_classes((one_class, shown_units), (one_class, shown_units))
    equal = float(((np.bincount(kinds) / units.count) ** 2).sum())
    needed = _count_images(units.count / _UNSURE, equal)
    images, results = query(needed)
    shown, held = (
        (one_class, np.concatenate([units.split(image) for image in group], axis=1))
        for group in (images, results)
    )
    sources = unit_maps.match_units(*unit_maps.refine_classes(shown, held))
    # The judge needs images of the same samples too, since others have another map.
    further = max(unit_maps.CHECK_IMAGES, _count_images(1 / unit_maps.CHANCE, equal))
    chance, right = equal**further, unit_maps.measure_predicted(units, sources, *query(further))
    recovered = max(0.0, (right - chance) / (1 - chance)) if chance < 1 else 0.0
    outcome = contract.judge_share(recovered, chance=chance + 1 / units.count, trials=units.count)
    text = _list_reasons(outcome, units.in_words(recovered), needed)
    found = unit_maps.map_finding(
        outcome, text, unit=units.unit, sources=sources, recovered=recovered
    )
    return replace(found, queries=needed)


def _list_reasons(outcome: contract.Outcome, share: str, images: int) -> str:
    """Return the reasons for an outcome."""
    chosen = contract.count_text(images, "chosen image")
    if outcome is contract.Outcome.BROKEN:
        return (
            f"{chosen} of the samples of the target gave the places of {share} of it; another "
            "target takes others"
        )
    return f"the map from {chosen} of the samples of the target is right for {share} in others"


def _count_images(rarity: float, equal: float) -> int:
    """Return how many images agree by chance `equal` in one of `rarity` pairs of units."""
    # All units show the same: no number of images tells them apart.
    if equal == 1:
        return MAX_IMAGES
    return max(1, min(ceil(log(rarity) / -log(equal)), MAX_IMAGES))


@contract.attack(
    name="adaptive",
    threat="adaptive",
    title="Adaptive chosen plaintext",
    control=lambda: contract.Target(name="content-keyed", oracle=ContentKeyedShuffle().scramble),
)
def _run(target: contract.Target, plain: AnyArray) -> contract.Finding:
    """Recover the map of one picture from images of its samples.

    Needs: images of the attacker's choice after the result of the picture is known

    A scheme that only moves samples shows the sum and the histogram of the picture. The
    attacker has images scrambled that hold the same samples in other orders, and so recovers a
    map even if it depends on the histogram.
    """
    seen = contract.query(target.oracle, plain)
    result = adaptive_attack(target.oracle, seen, unit=target.unit)
    if result.undo is None:
        return replace(result, seen=seen, picture=seen)
    return result.apply_to(seen)
