"""Differences of results: what one pixel changes, and the map behind a mask that stays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

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
from sudokucrypt.analysis.attacks.chosen_plaintext import chosen_plaintext_attack
from sudokucrypt.analysis.attacks.labels import Labels, random_images
from sudokucrypt.analysis.attacks.recovered import RecoveredMap, share_in_words
from sudokucrypt.analysis.attacks.reuse import (
    REMOVERS,
    Combination,
    combinations_for,
    masked_shuffle,
)
from sudokucrypt.analysis.inputs import checked_pair
from sudokucrypt.analysis.metrics.differential import npcr, uaci
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
    oracle, shape, dtype
        As in `chosen_plaintext_attack`.
    unit : {"pixel", "sample"}
        What the scheme moves; behind a mask of values.

    Returns
    -------
    DifferentialResult
        With the map and the share of it that holds for other images.

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
    results = query(oracle, image), query(oracle, changed)
    zeros = np.zeros(shape, dtype=dtype)
    mask = query(oracle, zeros)
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
    return lambda image: REMOVERS[combination](query(oracle, image), mask)


def _verdict(recovered: float, changed: int, labels: Labels) -> str:
    share = share_in_words(recovered, f"{labels.count} {labels.unit}s")
    one = f"one changed sample changes {changed} of {labels.count * labels.samples}"
    if recovered >= BROKEN:
        return f"broken: differences gave the places of {share}; {one}"
    return (
        f"not broken by this attack: differences are right for {share} in later images (by chance "
        f"1 in {labels.count}); {one}"
    )


def _run(target: Target, plain: AnyArray) -> Finding:
    result = differential_attack(target.oracle, plain.shape, dtype=plain.dtype, unit=target.unit)
    return result.finding(
        query(target.oracle, plain),
        queries=result.queries,
        details={"changed_samples": result.changed, "combination": result.combination},
    )


ATTACKS.register(
    Attack(
        name="differential",
        title="Differences",
        summary="Take off a fixed mask, then recover the map.",
        needs="images of the attacker's choice; takes off a mask that is always the same",
        method="The attacker has the result for zeros taken off all others, so that a mask that "
        "is the same for all images falls away, and then goes on as with chosen plaintext.",
        run=_run,
        control=lambda: Target(name="one map and one mask", oracle=masked_shuffle),
        details={
            "changed_samples": "how many samples of the result one changed sample changes",
            "combination": 'how the mask was taken off, `"exclusive-or"` or `"sum"`',
        },
    )
)
