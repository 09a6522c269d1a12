"""Known plaintext against schemes that only move units: how many images give how much."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import expm1

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.analysis.attacks.attack import (
    ATTACKS,
    BROKEN,
    Attack,
    AttackOption,
    AttackUnit,
    Finding,
    Oracle,
    Outcome,
    Target,
    query,
)
from sudokucrypt.analysis.attacks.labels import Labels, matched, random_images, refined
from sudokucrypt.analysis.attacks.recovered import MapCheck, restored, share_in_words
from sudokucrypt.analysis.baselines import UniformShuffle
from sudokucrypt.errors import InvalidImageError, InvalidParameterError
from sudokucrypt.typing import AnyArray, IntArray


@dataclass(frozen=True, kw_only=True, eq=False)
class KnownPlaintextResult:
    """What the attack found with the first image, the first two, and so on.

    Parameters
    ----------
    unit : {"pixel", "sample"}
        What was traced.
    maps : tuple of ndarray of shape (K,), dtype int64
        The best guess after each image: place i holds unit ``map[i]``; -1 if nothing fits.
    recovered : tuple of float
        The share of places that each guess foretells right in other images, 0..1.
    certain : tuple of float
        The share of places for which one unit only is possible.
    expected : tuple of float
        What `recovered` is on average for a fixed map and images of independent uniform samples.
    verdict : str
        The result in words.
    """

    unit: AttackUnit
    maps: tuple[IntArray, ...]
    recovered: tuple[float, ...]
    certain: tuple[float, ...]
    expected: tuple[float, ...]
    verdict: str

    @property
    def broken(self) -> bool:
        """Whether later images are plain to see after the last image."""
        return self.recovered[-1] >= BROKEN

    def restore(self, scrambled: ArrayLike, *, images: int | None = None) -> AnyArray:
        """Return what the map after so many images, or all, makes of a later scrambled image."""
        count = len(self.maps) if images is None else images
        if not 1 <= count <= len(self.maps):
            raise InvalidParameterError(f"images are counted 1..{len(self.maps)}, not {count}")
        return restored(self.maps[count - 1], scrambled, self.unit)


def known_plaintext_attack(
    oracle: Oracle, images: Sequence[ArrayLike], *, unit: AttackUnit = "pixel"
) -> KnownPlaintextResult:
    """Find where a scheme moves units from images that an attacker knows but has not chosen.

    Parameters
    ----------
    oracle
        As in `chosen_plaintext_attack`.
    images : sequence of array_like of shape (M, N) or (M, N, C), dtype bool, uint8 or uint16
        What is known, of one shape and dtype; `random_images` gives what theory is about.
    unit : {"pixel", "sample"}
        What the scheme moves.

    Returns
    -------
    KnownPlaintextResult
        A map and its worth after each image.

    Raises
    ------
    InvalidImageError
        If there is no image, or they differ in shape or dtype.

    Notes
    -----
    Units with equal samples in all n images form a class, before as after; inside a class the
    guess is in reading order. One guess of each class is right on average, so that the recovered
    share is that of `known_plaintext_share`. Photographs have fewer classes than random images.

    References
    ----------
    S. Li, C. Li, G. Chen, N. G. Bourbakis, K.-T. Lo, A general quantitative cryptanalysis of
    permutation-only multimedia ciphers against plaintext attacks, 2008,
    doi:10.1016/j.image.2008.01.003.

    Examples
    --------
    >>> from sudokucrypt.analysis.attacks import random_images
    >>> from sudokucrypt.analysis.baselines import UniformShuffle
    >>> result = known_plaintext_attack(UniformShuffle().scramble, random_images((64, 64), 3))
    >>> [round(share, 2) for share in result.expected]
    [0.06, 0.97, 1.0]
    """
    known = [np.asarray(image) for image in images]
    if not known or any((i.shape, i.dtype) != (known[0].shape, known[0].dtype) for i in known):
        raise InvalidImageError("this attack takes one image or more, all of one shape and dtype")
    labels = Labels.like(known[0], unit)
    check = MapCheck(oracle, labels)
    before = after = np.zeros(labels.count, dtype=np.int64)
    maps, recovered, certain = [], [], []
    for plain in known:
        seen = query(oracle, plain)
        before, after = refined((before, labels.split(plain)), (after, labels.split(seen)))
        maps.append(matched(before, after))
        recovered.append(check.share(maps[-1]))
        alone = np.bincount(before, minlength=int(after.max()) + 1)[after] == 1
        certain.append(float(alone.mean()))
    return KnownPlaintextResult(
        unit=unit,
        maps=tuple(maps),
        recovered=tuple(recovered),
        certain=tuple(certain),
        expected=tuple(
            known_plaintext_share(labels.count, n, levels=labels.levels**labels.samples)
            for n in range(1, len(known) + 1)
        ),
        verdict=_verdict(recovered, labels),
    )


def known_plaintext_share(units: int, images: int, *, levels: int = 256) -> float:
    """Return the share of units that known uniform images give away, on average.

    Parameters
    ----------
    units : int
        K, how many units an image has.
    images : int
        n, how many images are known.
    levels : int
        L, how many values a unit can have.

    Notes
    -----
    (1 - exp(-t)) / t with t = K / L^n: the expected number of classes, L^n (1 - exp(-t)), in K.

    Examples
    --------
    >>> [round(known_plaintext_share(256 * 256, n), 3) for n in (1, 2, 3)]
    [0.004, 0.632, 0.998]
    """
    if min(units, images) < 1 or levels < 2:
        raise InvalidParameterError("a share needs a unit, an image and two levels at least")
    load = units / levels**images
    return -expm1(-load) / load if load else 1.0


def _verdict(recovered: list[float], labels: Labels) -> str:
    images = "1 known image" if len(recovered) == 1 else f"{len(recovered)} known images"
    share = share_in_words(recovered[-1], f"{labels.count} {labels.unit}s")
    if recovered[-1] >= BROKEN:
        enough = next(n for n, reached in enumerate(recovered, 1) if reached >= BROKEN)
        return (
            f"broken: {images} gave the places of {share}; more than half were there after {enough}"
        )
    return (
        f"not broken by this attack: the map from {images} is right for {share} in other images "
        f"(by chance 1 in {labels.count})"
    )


def _run(target: Target, plain: AnyArray, *, images: int) -> Finding:
    known = random_images(plain.shape, images, dtype=plain.dtype)
    result = known_plaintext_attack(target.oracle, known, unit=target.unit)
    seen = query(target.oracle, plain)
    stages = tuple(result.restore(seen, images=count) for count in range(1, images + 1))
    return Finding(
        outcome=Outcome.BROKEN if result.broken else Outcome.NOTHING,
        verdict=result.verdict,
        queries=images,
        recovered=result.recovered[-1],
        seen=seen,
        picture=stages[-1],
        stages=stages,
        details={
            "recovered_after": list(result.recovered),
            "certain_after": list(result.certain),
            "expected_after": list(result.expected),
        },
    )


ATTACKS.register(
    Attack(
        name="known-plaintext",
        title="Known plaintext",
        summary="Recover the map from known random images.",
        needs="random images and their results",
        method="The attacker has some images and their results, and has not chosen them. Places "
        "whose samples agree in all of them cannot be told apart; each further image splits them.",
        run=_run,
        control=lambda **_: Target(name="uniform", oracle=UniformShuffle().scramble),
        options=(
            AttackOption(
                name="images",
                metavar="N",
                default=4,
                least=1,
                most=64,
                text="How many known images, of random samples.",
            ),
        ),
        details={
            "recovered_after": "the share after each image",
            "expected_after": "the same in theory for one map",
            "certain_after": "the share of places for which one pixel only is possible",
        },
    )
)
