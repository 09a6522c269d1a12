"""Adaptive chosen-plaintext attack: recover the map of one result from images of its samples."""

from dataclasses import replace
from math import ceil, log

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.analysis.attacks import contract, unit_maps
from sudokucrypt.analysis.baselines import ContentKeyedShuffle
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray

# The maximum number of chosen images. Many are needed if the picture has few levels.
MAX_IMAGES = 64

# Fixed, so that the images are the same in every run.
_SEED = 23
# The accepted share of units that cannot be identified, since another unit has the same samples in
# every chosen image. The number of chosen images is derived from this share.
_AMBIGUOUS_UNIT_SHARE = 0.01


def adaptive_attack(
    oracle: contract.Oracle, seen: ArrayLike, *, unit: contract.UnitChoice = "auto"
) -> contract.Finding:
    """Recover where a scheme moved the units of one image, from its result `seen`.

    A scheme that only moves units keeps all samples, so the result reveals the sum and the
    histogram of the image. The attacker repeatedly shuffles the units of the result and has them
    scrambled, until hardly any two units are equal in all of these images: 4 to 6 images for gray
    photographs, and at most 64. If the map depends only on sum or histogram, it is the map of the
    target, which is then restored. Any later image takes the same number of queries again. The
    attack fails if the map depends on the order of the samples, or on a fresh salt. `recovered` is
    the share of positions that the map predicts right in another image of the same samples, beyond
    chance.

    Parameters
    ----------
    oracle : callable
        The scheme under one key: takes an image, and returns one of its shape and dtype.
    seen : array_like of shape (M, N) or (M, N, C), bool, uint8 or uint16
        The result for the image that the attacker is after.
    unit : {"auto", "pixel", "sample", "bit"}, default "auto"
        The unit that is traced; "auto" tries all of them.

    Examples
    --------
    >>> from sudokucrypt.analysis.baselines import ContentKeyedShuffle
    >>> scheme, secret = ContentKeyedShuffle(), np.arange(256, dtype=np.uint8).reshape(16, 16)
    >>> result = adaptive_attack(scheme.scramble, scheme.scramble(secret))
    >>> result.queries, bool((result.restore(scheme.scramble(secret)) == secret).all())
    (2, True)
    """
    target = np.asarray(seen)

    def trace_units(traced_unit: contract.AttackUnit) -> contract.Finding:
        return _trace_units(oracle, target, unit_maps.ImageUnits.from_image(target, traced_unit))

    return unit_maps.choose_best_finding(trace_units, unit_maps.list_units(oracle, target, unit))


def _trace_units(
    oracle: contract.Oracle, target_result: AnyArray, units: unit_maps.ImageUnits
) -> contract.Finding:
    target_units, initial_classes = (
        units.split(target_result),
        np.zeros(units.count, dtype=np.int64),
    )
    source = seeded_draws(_SEED)

    def query_shuffled_images(count: int) -> tuple[list[AnyArray], list[AnyArray]]:
        images = [
            units.join(target_units[source.permutations([units.count])]) for _ in range(count)
        ]
        return images, contract.query_all(oracle, images)

    if not unit_maps.have_same_units(units, target_result, query_shuffled_images(1)[1][0]):
        text = f"{units.unit}s do more than move, so the result does not show the histogram"
        return contract.Finding(outcome=contract.Outcome.NOTHING, text=text, queries=1)
    # The probability that two units agree in one shuffled image, from the histogram of the target.
    unit_classes, _ = unit_maps.refine_classes(
        (initial_classes, target_units), (initial_classes, target_units)
    )
    collision_probability = float(((np.bincount(unit_classes) / units.count) ** 2).sum())
    image_count = _compute_image_count(units.count / _AMBIGUOUS_UNIT_SHARE, collision_probability)
    images, results = query_shuffled_images(image_count)
    image_classes, result_classes = (
        (initial_classes, np.concatenate([units.split(image) for image in group], axis=1))
        for group in (images, results)
    )
    sources = unit_maps.match_units(*unit_maps.refine_classes(image_classes, result_classes))
    # The map is also checked by images that contain the same samples in another order, since the
    # scheme may use other maps for images with other samples.
    check_image_count = max(
        unit_maps.MIN_CHECK_IMAGES,
        _compute_image_count(1 / unit_maps.MAX_CHANCE_SHARE, collision_probability),
    )
    chance_share, predicted_share = (
        collision_probability**check_image_count,
        unit_maps.measure_predicted_share(
            units, sources, *query_shuffled_images(check_image_count)
        ),
    )
    recovered_share = (
        max(0.0, (predicted_share - chance_share) / (1 - chance_share)) if chance_share < 1 else 0.0
    )
    outcome = contract.judge_share(
        recovered_share, chance=chance_share + 1 / units.count, trials=units.count
    )
    text = _describe_outcome(outcome, units.format_share(recovered_share), image_count)
    finding = unit_maps.make_map_finding(
        outcome, text, unit=units.unit, sources=sources, recovered_share=recovered_share
    )
    return replace(finding, queries=image_count)


def _describe_outcome(outcome: contract.Outcome, share_text: str, image_count: int) -> str:
    """Return the reasons for an outcome as a text."""
    images_text = contract.format_count(image_count, "chosen image")
    if outcome is contract.Outcome.BROKEN:
        return (
            f"{images_text} of the samples of the target gave the places of {share_text} of it; "
            "another "
            "target takes other images"
        )
    return (
        f"the map from {images_text} of the samples of the target is right for {share_text} "
        "in others"
    )


def _compute_image_count(pair_count: float, agreement_probability: float) -> int:
    """Return the number of images after which `pair_count` pairs of units agree once by chance.

    `agreement_probability` is the probability that two units agree in one image.
    """
    # If all units are equal, no number of images distinguishes them.
    if agreement_probability == 1:
        return MAX_IMAGES
    return max(1, min(ceil(log(pair_count) / -log(agreement_probability)), MAX_IMAGES))


@contract.attack(
    name="adaptive",
    threat="adaptive",
    title="Adaptive chosen plaintext",
    control=lambda: contract.Target(name="content-keyed", oracle=ContentKeyedShuffle().scramble),
)
def _run_attack(target: contract.Target, picture: AnyArray) -> contract.Finding:
    """Recover the map of one picture from images of its samples.

    Needs: images of the attacker's choice after the result of the picture is known

    A scheme that only moves samples shows the sum and the histogram of the picture. The
    attacker has images scrambled that contain the same samples in other orders, and so recovers
    the map even if it depends on the histogram.
    """
    target_result = contract.query(target.oracle, picture)
    result = adaptive_attack(target.oracle, target_result, unit=target.unit)
    if result.undo is None:
        return replace(result, seen=target_result, picture=target_result)
    return result.apply_to(target_result)
