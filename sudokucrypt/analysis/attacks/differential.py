"""Take differences of results to remove a fixed mask, undo a chain, and recover the map."""

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from sudokucrypt.analysis.attacks import contract, unit_maps
from sudokucrypt.analysis.attacks.masks import (
    STREAM_REMOVERS,
    Combination,
    list_combinations,
    masked_shuffle,
)
from sudokucrypt.analysis.inputs import check_image_pair
from sudokucrypt.analysis.metrics.quality import npcr, uaci
from sudokucrypt.typing import AnyArray

# A map before a chain is searched for only if histograms overlap by at least this share.
_MIN_OVERLAP = 0.5


@dataclass(frozen=True)
class Chain:
    """Chaining: each sample of a result is combined with the sample `step` places before it.

    `combination` is the operation, and with `backward` the added sample is `step` places after.
    """

    combination: Combination
    step: int = 1
    backward: bool = False

    def undo(self, image: AnyArray) -> AnyArray:
        """Return a result without the chain; the first `step` samples do not change."""
        samples = image.reshape(-1)[:: -1 if self.backward else 1]
        unchained_samples = samples.copy()
        unchained_samples[self.step :] = STREAM_REMOVERS[self.combination](
            samples[self.step :], samples[: -self.step]
        )
        return unchained_samples[:: -1 if self.backward else 1].reshape(image.shape)

    def __str__(self) -> str:
        direction = "backward" if self.backward else "forward"
        return f"{direction}, by {self.combination}, {self.step} apart"


@dataclass(frozen=True)
class _Removal:
    """A way to take differences of results: an operation, after undoing a chain if one is given."""

    combination: Combination
    chain: Chain | None = None

    def subtract(self, result: AnyArray, mask: AnyArray) -> AnyArray:
        """Return the difference of a result and the mask, after undoing the chain in both."""
        if self.chain is not None:
            result, mask = self.chain.undo(result), self.chain.undo(mask)
        return STREAM_REMOVERS[self.combination](result, mask)

    def measure_overlap(self, plain: AnyArray, result: AnyArray, mask: AnyArray) -> float:
        """Return the share of samples that an image and the difference have in common."""
        plain_counts, result_counts = (
            np.bincount(image.reshape(-1), minlength=1 << 8 * image.itemsize)
            for image in (plain, self.subtract(result, mask))
        )
        return float(np.minimum(plain_counts, result_counts).sum() / plain.size)


def differential_attack(
    oracle: contract.Oracle,
    shape: tuple[int, ...],
    *,
    dtype: DTypeLike = np.uint8,
    unit: contract.UnitChoice = "auto",
) -> contract.Finding:
    """Recover a map from differences of results, which remove a mask that is always the same.

    First, one sample in the middle is changed by 1 to compute npcr and uaci. Then the result
    for zeros is subtracted from all other results, which removes a mask that does not depend on
    the image, and `chosen_plaintext_attack` follows with ceil(log_L(K)) + 1 images. If this fails,
    differences of each sample and its predecessor or successor undo a chain. The attack fails with
    other diffusion, and with fresh salt.

    Details are the details of `chosen_plaintext_attack`; `changed`, the number of samples of the
    result that one changed sample of an image changes, with `npcr` and `uaci` of the same two
    results; `combination`, the operation of the differences that recovers most; `chain`, the chain
    that was undone first, or None; and `mask`, the result for an image of zeros.

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
        The unit that is traced; "auto" tries all of them.

    Examples
    --------
    >>> from sudokucrypt.analysis.baselines import ArnoldMap
    >>> masked = differential_attack(lambda image: ArnoldMap().scramble(image) ^ 90, (64, 64))
    >>> masked.recovered, masked.changed
    (1.0, 1)
    """
    zero_image = unit_maps.make_blank_image(shape, dtype)
    image = unit_maps.random_images(shape, 1, dtype=dtype)[0]
    changed_image = image.copy()
    # The middle sample is changed, so that chains in either direction reach about half of the
    # samples.
    changed_image.reshape(-1)[image.size // 2] ^= 1
    base_result, changed_result, mask = contract.query_all(
        oracle, (image, changed_image, zero_image)
    )
    changed_sample_count = int(np.count_nonzero(base_result != changed_result))
    shared_details = {
        "changed": changed_sample_count,
        "npcr": npcr(base_result, changed_result),
        "uaci": uaci(base_result, changed_result),
        "mask": mask,
    }

    def query_unmasked(plain: AnyArray) -> AnyArray:
        return contract.query(oracle, plain) ^ mask

    def trace_units(traced_unit: contract.AttackUnit) -> contract.Finding:
        tracing_plan = unit_maps.TracingPlan(unit_maps.ImageUnits(shape, dtype, traced_unit))
        results = contract.query_all(oracle, tracing_plan.images)

        def recover_after_removal(removal: _Removal) -> contract.Finding:
            differences = [removal.subtract(result, mask) for result in results]
            text = "differences" if removal.chain is None else "differences, with a chain undone,"
            finding = tracing_plan.recover_map(differences, text)

            def undo(scrambled: ArrayLike) -> AnyArray:
                check_image_pair(scrambled, mask)
                return finding.restore(removal.subtract(np.asarray(scrambled), mask))

            removal_details = {"combination": removal.combination, "chain": removal.chain}
            return replace(
                finding,
                text=f"{finding.text}; one changed sample changes {changed_sample_count} of "
                f"{image.size}",
                queries=len(tracing_plan.chosen_images) + 3,
                details={**finding.details, **shared_details, **removal_details},
                undo=undo,
            )

        return unit_maps.choose_best_finding(
            recover_after_removal, _list_removals(tracing_plan, results, mask)
        )

    return unit_maps.choose_best_finding(
        trace_units, unit_maps.list_units(query_unmasked, zero_image, unit, may_be_masked=True)
    )


def _list_removals(
    tracing_plan: unit_maps.TracingPlan, results: list[AnyArray], mask: AnyArray
) -> list[_Removal]:
    """Return the removals to try: each operation without a chain, then some with a chain."""
    # Sums carry from bit to bit, so only exclusive-or is tried on bits.
    if tracing_plan.units.unit == "bit":
        return [_Removal("exclusive-or")]
    combinations = list_combinations(mask)
    chain_steps = {1, mask.shape[2] if mask.ndim == 3 else 1}
    # A chain may link neighboring samples, or samples of the same channel in neighboring pixels.
    chains = [
        Chain(combination, step, backward)
        for combination, step, backward in product(
            combinations[:2], sorted(chain_steps), (False, True)
        )
        if step < mask.size
    ]
    chained_removals = [
        _Removal(*pair) for pair in product(combinations, chains) if mask.dtype != np.bool_
    ]
    check_image_index = len(tracing_plan.chosen_images)
    overlap_by_removal = {
        removal: removal.measure_overlap(
            tracing_plan.images[check_image_index], results[check_image_index], mask
        )
        for removal in chained_removals
    }
    # Trying a removal requires a map of all units. Comparing histograms is cheap and excludes most
    # removals first.
    promising_removals = [
        removal for removal in chained_removals if overlap_by_removal[removal] >= _MIN_OVERLAP
    ]
    return [
        *map(_Removal, combinations),
        *sorted(promising_removals, key=overlap_by_removal.__getitem__, reverse=True),
    ]


@contract.attack(
    name="differential",
    title="Differences",
    control=lambda: contract.Target(name="one map and one mask", oracle=masked_shuffle),
    details={
        "changed_samples": "the number of samples of the result that one changed sample changes",
        "combination": 'how the mask was removed, `"exclusive-or"`, `"sum"` or `"difference"`',
        "chain": "a description of the chain that was undone, or null",
    },
)
def _run_attack(target: contract.Target, picture: AnyArray) -> contract.Finding:
    """Remove a fixed mask, then recover the map.

    Needs: images of the attacker's choice; removes a mask that never changes, and a chain

    The attacker subtracts the result for zeros from all others, which removes a mask that is
    the same for all images, and then proceeds as with chosen plaintext. Differences of
    neighbors undo a chain, in which the previous sample is added to each sample.
    """
    result = differential_attack(
        target.oracle, picture.shape, dtype=picture.dtype, unit=target.unit
    )
    chain = None if result.chain is None else str(result.chain)
    details = {**result.details, "changed_samples": result.changed, "chain": chain}
    return replace(result.apply_to(contract.query(target.oracle, picture)), details=details)
