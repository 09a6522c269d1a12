"""Differences of results: what one pixel changes, and the map behind a mask that stays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.analysis.attacks.chosen_plaintext import chosen_plaintext_attack
from sudokucrypt.analysis.attacks.combining import REMOVERS, Combination, combinations_for
from sudokucrypt.analysis.attacks.labels import Labels, asked, random_images
from sudokucrypt.analysis.attacks.recovered import BROKEN, RecoveredMap, share_in_words
from sudokucrypt.analysis.differential import npcr, uaci
from sudokucrypt.analysis.inputs import checked_pair

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike

    from sudokucrypt.analysis.attacks.labels import AttackUnit, Oracle
    from sudokucrypt.analysis.results import Measurement
    from sudokucrypt.typing import AnyArray


@dataclass(frozen=True, kw_only=True, eq=False)
class DifferentialResult(RecoveredMap):
    """What the attack found: a mask, the map behind it, and how results differ.

    Parameters
    ----------
    unit, sources, recovered, verdict
        As in `RecoveredMap`, of what is left when the mask is taken off.
    queries : int
        How many images were chosen.
    changed : int
        How many samples of the result one changed sample of an image changes.
    npcr, uaci : Measurement
        The same two results in the usual figures.
    combination : {"exclusive-or", "sum"}
        How differences were taken; the way that explains more.
    mask : ndarray of shape (M, N) or (M, N, C)
        The result for an image of zeros, which is the mask if it is the same for all images.
    """

    queries: int
    changed: int
    npcr: Measurement
    uaci: Measurement
    combination: Combination
    mask: AnyArray

    def restore(self, scrambled: ArrayLike) -> AnyArray:
        """Return what mask and map make of the result of a later image."""
        checked_pair(scrambled, self.mask)
        return super().restore(REMOVERS[self.combination](np.asarray(scrambled), self.mask))


def differential_attack(
    oracle: Oracle,
    shape: tuple[int, ...],
    *,
    dtype: DTypeLike = np.uint8,
    unit: AttackUnit = "pixel",
) -> DifferentialResult:
    """Look at how results differ, and recover a map behind a mask that is the same each time.

    Parameters
    ----------
    oracle : callable
        The scheme under one key: takes an image, returns one of the same shape and dtype.
    shape : tuple of int
        (M, N) or (M, N, C), of the images to attack.
    dtype : dtype
        bool, uint8 or uint16.
    unit : {"pixel", "sample"}
        What the scheme moves; behind a mask of values.

    Returns
    -------
    DifferentialResult
        With the map and the share of it that holds for other images.

    Raises
    ------
    InvalidImageError
        If the shape or dtype is not taken, or the scheme changes it.

    Notes
    -----
    One sample in the middle is changed by 1 for npcr and uaci. Then the result for zeros is taken
    off all others, which removes a mask that does not depend on the image, and the rest is
    `chosen_plaintext_attack`: ceil(log_L(K)) + 1 images. A scheme in which one sample changes
    nearly all others gives nothing, whether by diffusion or by a fresh salt.

    References
    ----------
    E. Solak, C. Cokal, O. T. Yildiz, T. Biyikoglu, Cryptanalysis of Fridrich's chaotic image
    encryption, 2010, doi:10.1142/S0218127410026563.

    Examples
    --------
    >>> from sudokucrypt.analysis.baselines import ArnoldMap
    >>> masked = differential_attack(lambda image: ArnoldMap().scramble(image) ^ 90, (64, 64))
    >>> masked.recovered, masked.changed
    (1.0, 1)
    """
    labels = Labels(shape, dtype, unit)
    image = random_images(shape, 1, dtype=dtype)[0]
    changed = image.copy()
    changed.reshape(-1)[image.size // 2] ^= 1
    results = asked(oracle, image), asked(oracle, changed)
    zeros = np.zeros(shape, dtype=dtype)
    mask = asked(oracle, zeros)
    best, attack = max(
        (
            (
                combination,
                chosen_plaintext_attack(
                    _less(oracle, combination, mask), shape, dtype=dtype, unit=unit
                ),
            )
            for combination in combinations_for(zeros)
        ),
        key=lambda pair: pair[1].recovered,
    )
    count = int(np.count_nonzero(results[0] != results[1]))
    return DifferentialResult(
        unit=unit,
        queries=attack.queries + 3,
        changed=count,
        npcr=npcr(*results),
        uaci=uaci(*results),
        combination=best,
        mask=mask,
        sources=attack.sources,
        recovered=attack.recovered,
        verdict=_verdict(attack.recovered, count, labels),
    )


def _less(oracle: Oracle, combination: Combination, mask: AnyArray) -> Oracle:
    """Return a scheme without its mask."""
    return lambda image: REMOVERS[combination](asked(oracle, image), mask)


def _verdict(recovered: float, changed: int, labels: Labels) -> str:
    share = share_in_words(recovered, f"{labels.count} {labels.unit}s")
    one = f"one changed sample changes {changed} of {labels.count * labels.samples}"
    if recovered >= BROKEN:
        return f"broken: differences gave the places of {share}; {one}"
    return (
        f"not broken by this attack: differences are right for {share} in later images (by chance "
        f"1 in {labels.count}); {one}"
    )
