"""Chosen plaintext against schemes that only move units: the whole map from a few images."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike

from sudokucrypt.analysis.attacks.attack import (
    ATTACKS,
    BROKEN,
    Attack,
    AttackUnit,
    Finding,
    Oracle,
    Target,
    query,
)
from sudokucrypt.analysis.attacks.labels import Labels
from sudokucrypt.analysis.attacks.recovered import MapCheck, RecoveredMap, share_in_words
from sudokucrypt.analysis.baselines import UniformShuffle
from sudokucrypt.typing import AnyArray


@dataclass(frozen=True, kw_only=True, eq=False)
class ChosenPlaintextResult(RecoveredMap):
    """What the attack found: a map, and what it cost.

    Parameters
    ----------
    unit, sources, recovered, verdict
        As in `RecoveredMap`.
    queries : int
        How many images were chosen.
    """

    queries: int


def chosen_plaintext_attack(
    oracle: Oracle,
    shape: tuple[int, ...],
    *,
    dtype: DTypeLike = np.uint8,
    unit: AttackUnit = "pixel",
) -> ChosenPlaintextResult:
    """Recover where a scheme moves every unit, from images that hold the units' numbers.

    Parameters
    ----------
    oracle : callable
        The scheme under one key: takes an image, returns one of the same shape and dtype.
    shape : tuple of int
        (M, N) or (M, N, C), of the images to attack.
    dtype : dtype
        bool, uint8 or uint16.
    unit : {"pixel", "sample"}
        What the scheme moves; a block is moved pixel by pixel too.

    Returns
    -------
    ChosenPlaintextResult
        With the map and the share of it that holds for other images.

    Raises
    ------
    InvalidImageError
        If the shape or dtype is not taken, or the scheme changes it.

    Notes
    -----
    K units and L levels take ceil(log_L(K)) images, whose samples are the digits of the unit's
    number; the C channels of a pixel that moves as a whole hold C digits at once. As many further
    images are queried to judge the result. A map that changes with every image gives nothing.

    References
    ----------
    A. Jolfaei, X.-W. Wu, V. Muthukkumarasamy, On the security of permutation-only image encryption
    schemes, 2016, doi:10.1109/TIFS.2015.2489178.

    Examples
    --------
    >>> from sudokucrypt.analysis.baselines import ArnoldMap
    >>> result = chosen_plaintext_attack(ArnoldMap().scramble, (256, 256))
    >>> result.queries, result.recovered
    (2, 1.0)
    """
    labels = Labels(shape, dtype, unit)
    answers = [query(oracle, image) for image in chosen_images(shape, dtype=dtype, unit=unit)]
    numbers = labels.decode(answers)
    sources = np.where(numbers < labels.count, numbers, -1)
    recovered = MapCheck(oracle, labels).share(sources)
    return ChosenPlaintextResult(
        unit=unit,
        queries=labels.images,
        sources=sources,
        recovered=recovered,
        verdict=_verdict(recovered, labels),
    )


def chosen_images(
    shape: tuple[int, ...], *, dtype: DTypeLike = np.uint8, unit: AttackUnit = "pixel"
) -> tuple[AnyArray, ...]:
    """Return the images that `chosen_plaintext_attack` chooses, lowest digits first.

    With `known_plaintext_attack` they show how much each of them adds.

    Parameters
    ----------
    shape, dtype, unit
        As there.

    Returns
    -------
    tuple of ndarray of that shape and dtype
        ceil(log_L(K)) images, fewer if the channels of a pixel share the digits.

    Examples
    --------
    >>> [image.tolist() for image in chosen_images((3, 2), dtype=bool)][0]
    [[False, True], [False, True], [False, True]]
    """
    labels = Labels(shape, dtype, unit)
    return labels.encode(np.arange(labels.count))


def _verdict(recovered: float, labels: Labels) -> str:
    images = "1 chosen image" if labels.images == 1 else f"{labels.images} chosen images"
    share = share_in_words(recovered, f"{labels.count} {labels.unit}s")
    if recovered >= BROKEN:
        return (
            f"broken: {images} gave the places of {share}, and with them every later image under "
            "this key"
        )
    return (
        f"not broken by this attack: the map from {images} is right for {share} in later images "
        f"(by chance 1 in {labels.count}); the scheme has no one map for all images, or does more "
        "than move"
    )


def _run(target: Target, plain: AnyArray) -> Finding:
    result = chosen_plaintext_attack(
        target.oracle, plain.shape, dtype=plain.dtype, unit=target.unit
    )
    return result.finding(query(target.oracle, plain), queries=result.queries)


ATTACKS.register(
    Attack(
        name="chosen-plaintext",
        title="Chosen plaintext",
        summary="Recover the map from images of the attacker's choice.",
        needs="images of the attacker's choice, and their results",
        method="The attacker has a few images of his choice scrambled, whose samples hold the "
        "number of each place. Where one map moves all images, the results show the map.",
        run=_run,
        control=lambda: Target(name="uniform", oracle=UniformShuffle().scramble),
    )
)
