"""Differences of results: they remove a mask that stays, undo a chain, and show the map behind."""

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from sudokucrypt.analysis.attacks import contract, unit_maps
from sudokucrypt.analysis.attacks.masks import (
    REMOVERS,
    Combination,
    combinations_for,
    masked_shuffle,
)
from sudokucrypt.analysis.inputs import checked_pair
from sudokucrypt.analysis.metrics.quality import npcr, uaci
from sudokucrypt.typing import AnyArray

# How alike histograms must be for a map behind a chain to be looked for.
_ALIKE = 0.5


@dataclass(frozen=True)
class Chain:
    """A way in which each sample of a result also holds the one before it, `step` samples away.

    `combination` is how the other one was put on, and `backward` says that it is the one after.
    """

    combination: Combination
    step: int = 1
    backward: bool = False

    def undo(self, image: AnyArray) -> AnyArray:
        """Return a result without the chain; its first samples hold no others."""
        samples = image.reshape(-1)[:: -1 if self.backward else 1]
        links = samples.copy()
        links[self.step :] = REMOVERS[self.combination](samples[self.step :], samples[: -self.step])
        return links[:: -1 if self.backward else 1].reshape(image.shape)

    def __str__(self) -> str:
        direction = "backward" if self.backward else "forward"
        return f"{direction}, by {self.combination}, {self.step} apart"


@dataclass(frozen=True)
class _Removal:
    """A way to take differences of results."""

    combination: Combination
    chain: Chain | None = None

    def difference(self, seen: AnyArray, mask: AnyArray) -> AnyArray:
        """Return what is left of a result without the mask, or of both without their chain."""
        if self.chain is not None:
            seen, mask = self.chain.undo(seen), self.chain.undo(mask)
        return REMOVERS[self.combination](seen, mask)

    def measure_explained(self, plain: AnyArray, seen: AnyArray, mask: AnyArray) -> float:
        """Return the share of samples of an image, which is not uniform, that may have moved."""
        first, second = (
            np.bincount(image.reshape(-1), minlength=1 << 8 * image.itemsize)
            for image in (plain, self.difference(seen, mask))
        )
        return float(np.minimum(first, second).sum() / plain.size)


def differential_attack(
    oracle: contract.Oracle,
    shape: tuple[int, ...],
    *,
    dtype: DTypeLike = np.uint8,
    unit: contract.UnitChoice = "auto",
) -> contract.Finding:
    """Look at how results differ, and recover a map behind a mask that is the same each time.

    Arguments are as in `chosen_plaintext_attack`; the map and the share of it that holds for other
    images come back. One sample in the middle is changed by 1 for npcr and uaci. Then the result
    for zeros is taken off all others, which removes a mask that does not depend on the image, and
    the rest is `chosen_plaintext_attack`: ceil(log_L(K)) + 1 images. If that fails, differences of
    each sample and the one before it or after it undo a chain, where there is one. Other diffusion
    gives nothing, nor does a fresh salt.

    Details are those of `chosen_plaintext_attack`; `changed`, how many samples of the result one
    changed sample of an image changes, with `npcr` and `uaci` of the same two results;
    `combination`, the way to take differences that explains most; `chain`, one that was undone
    before, or None; and `mask`, the result for an image of zeros.
    Source: E. Solak, C. Cokal, O. T. Yildiz, T. Biyikoglu, 2010, doi:10.1142/S0218127410026563.

    Parameters
    ----------
    oracle : callable
        The scheme under one key: takes an image, and returns one of its shape and dtype.
    shape : tuple of int
        The shape of the images to attack, (M, N) or (M, N, C).
    dtype : dtype, default uint8
        The type of their samples: bool, uint8 or uint16.
    unit : {"auto", "pixel", "sample", "bit"}, default "auto"
        What is traced as a whole; "auto" tries all of them.

    Examples
    --------
    >>> from sudokucrypt.analysis.baselines import ArnoldMap
    >>> masked = differential_attack(lambda image: ArnoldMap().scramble(image) ^ 90, (64, 64))
    >>> masked.recovered, masked.changed
    (1.0, 1)
    """
    zeros = unit_maps.make_blank(shape, dtype)
    image = unit_maps.random_images(shape, 1, dtype=dtype)[0]
    changed = image.copy()
    # In the middle, so that chains in either direction reach about half of the samples.
    changed.reshape(-1)[image.size // 2] ^= 1
    first, second, mask = contract.query_all(oracle, (image, changed, zeros))
    count = int(np.count_nonzero(first != second))
    shared = {
        "changed": count,
        "npcr": npcr(first, second),
        "uaci": uaci(first, second),
        "mask": mask,
    }

    def unmask(plain: AnyArray) -> AnyArray:
        return contract.query(oracle, plain) ^ mask

    def attempt(traced: contract.AttackUnit) -> contract.Finding:
        plan = unit_maps.Tracing(unit_maps.ImageUnits(shape, dtype, traced))
        seen = contract.query_all(oracle, plan.images)

        def attack_behind(removal: _Removal) -> contract.Finding:
            left = [removal.difference(result, mask) for result in seen]
            text = "differences" if removal.chain is None else "differences, with a chain undone,"
            found = plan.recover_map(left, text)

            def undo(scrambled: ArrayLike) -> AnyArray:
                checked_pair(scrambled, mask)
                return found.restore(removal.difference(np.asarray(scrambled), mask))

            own = {"combination": removal.combination, "chain": removal.chain}
            return replace(
                found,
                text=f"{found.text}; one changed sample changes {count} of {image.size}",
                queries=len(plan.chosen) + 3,
                details={**found.details, **shared, **own},
                undo=undo,
            )

        return unit_maps.best_result(attack_behind, _removals(plan, seen, mask))

    return unit_maps.best_result(attempt, unit_maps.units_for(unmask, zeros, unit, masked=True))


def _removals(plan: unit_maps.Tracing, seen: list[AnyArray], mask: AnyArray) -> list[_Removal]:
    """Return the ways to try: all without a chain, then those with one that look promising."""
    # Sums carry from bit to bit: only exclusive-or works on bits alone.
    if plan.units.unit == "bit":
        return [_Removal("exclusive-or")]
    combinations = combinations_for(mask)
    steps = {1, mask.shape[2] if mask.ndim == 3 else 1}
    # Neighboring samples may be one apart, or one pixel apart where channels are chained singly.
    chains = [
        Chain(combination, step, backward)
        for combination, step, backward in product(combinations[:2], sorted(steps), (False, True))
        if step < mask.size
    ]
    behind = [_Removal(*both) for both in product(combinations, chains) if mask.dtype != np.bool_]
    dark = len(plan.chosen)
    explained = {
        removal: removal.measure_explained(plan.images[dark], seen[dark], mask)
        for removal in behind
    }
    # Each way costs a map of all units; histograms rule most of them out for nothing.
    promising = [removal for removal in behind if explained[removal] >= _ALIKE]
    return [
        *map(_Removal, combinations),
        *sorted(promising, key=explained.__getitem__, reverse=True),
    ]


@contract.attack(
    name="differential",
    title="Differences",
    control=lambda: contract.Target(name="one map and one mask", oracle=masked_shuffle),
    details={
        "changed_samples": "how many samples of the result one changed sample changes",
        "combination": 'how the mask was removed, `"exclusive-or"`, `"sum"` or `"difference"`',
        "chain": "which chain was undone, in words, or null",
    },
)
def _run_differential(target: contract.Target, plain: AnyArray) -> contract.Finding:
    """Remove a fixed mask, then recover the map.

    Needs: images of the attacker's choice; removes a mask that never changes, and a chain

    The attacker subtracts the result for zeros from all others, which removes a mask that is
    the same for all images, and then goes on as with chosen plaintext. Differences of
    neighbors undo a chain, in which each sample also holds the one before it.
    """
    result = differential_attack(target.oracle, plain.shape, dtype=plain.dtype, unit=target.unit)
    chain = None if result.chain is None else str(result.chain)
    details = {**result.details, "changed_samples": result.changed, "chain": chain}
    return replace(result.apply_to(contract.query(target.oracle, plain)), details=details)
