"""Recover the map of schemes that only move units, from chosen or known images."""

from collections.abc import Sequence
from dataclasses import replace
from math import expm1

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from sudokucrypt.analysis.attacks import contract, unit_maps
from sudokucrypt.analysis.baselines import UniformShuffle
from sudokucrypt.errors import InvalidImageError, InvalidParameterError
from sudokucrypt.typing import AnyArray


def chosen_plaintext_attack(
    oracle: contract.Oracle,
    shape: tuple[int, ...],
    *,
    dtype: DTypeLike = np.uint8,
    unit: contract.UnitChoice = "auto",
) -> contract.Finding:
    """Recover where a scheme moves every unit, from images that contain the units' numbers.

    Blocks that move as a whole are traced pixel by pixel.

    K units and L levels take ceil(log_L(K)) images, whose samples are the digits of the unit's
    number; the C channels of a pixel that moves as a whole contain C digits at once. Further images
    are queried to judge the result, some of the same histogram and some of another. A
    map that changes with every image is not found, and a map that changes with the histogram leaks;
    see `adaptive_attack`.
    Source: A. Jolfaei, X.-W. Wu, V. Muthukkumarasamy, 2016, doi:10.1109/TIFS.2015.2489178.

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
    >>> result = chosen_plaintext_attack(ArnoldMap().scramble, (256, 256))
    >>> result.queries, result.recovered
    (2, 1.0)
    """

    def trace_units(traced_unit: contract.AttackUnit) -> contract.Finding:
        tracing_plan = unit_maps.TracingPlan(unit_maps.ImageUnits(shape, dtype, traced_unit))
        query_count = len(tracing_plan.chosen_images)
        text = contract.format_count(query_count, "chosen image")
        finding = tracing_plan.recover_map(contract.query_all(oracle, tracing_plan.images), text)
        return replace(finding, queries=query_count)

    return unit_maps.choose_best_finding(
        trace_units, unit_maps.list_units(oracle, unit_maps.make_blank_image(shape, dtype), unit)
    )


def chosen_images(
    shape: tuple[int, ...], *, dtype: DTypeLike = np.uint8, unit: contract.AttackUnit = "pixel"
) -> tuple[AnyArray, ...]:
    """Return the images that `chosen_plaintext_attack` chooses, lowest digits first.

    There are ceil(log_L(K)) images, fewer if the channels of a pixel share the digits. Passed to
    `known_plaintext_attack`, they show how much each further image adds.

    Parameters
    ----------
    shape : tuple of int
        The shape of the images to attack, (M, N) or (M, N, C).
    dtype : dtype, default uint8
        The type of their samples: bool, uint8 or uint16.
    unit : {"pixel", "sample", "bit"}, default "pixel"
        The unit that is traced.
    """
    units = unit_maps.ImageUnits(shape, dtype, unit)
    return units.encode(np.arange(units.count))


@contract.attack(
    name="chosen-plaintext",
    title="Chosen plaintext",
    control=lambda: contract.Target(name="uniform", oracle=UniformShuffle().scramble),
)
def _attack_chosen_plaintexts(target: contract.Target, picture: AnyArray) -> contract.Finding:
    """Recover the map from images of the attacker's choice.

    Needs: images of the attacker's choice, and their results

    The attacker has a few chosen images scrambled, whose samples encode the number of each
    position. If one map moves all images, the results show the map.
    """
    result = chosen_plaintext_attack(
        target.oracle, picture.shape, dtype=picture.dtype, unit=target.unit
    )
    return result.apply_to(contract.query(target.oracle, picture))


def known_plaintext_attack(
    oracle: contract.Oracle, images: Sequence[ArrayLike], *, unit: contract.UnitChoice = "auto"
) -> contract.Finding:
    """Find where a scheme moves units from images that an attacker knows but has not chosen.

    `random_images` makes images as theory assumes them.

    Units with equal samples in all n images form a class, and so do positions of the results.
    Inside a class, units are assigned to positions in reading order. On average one of these
    guesses is right, so the recovered share is `known_plaintext_share`. Photographs have fewer
    classes than random images.

    Details are the `unit` and four tuples with a value for each number of images: `maps`, the best
    guess of the map (position i contains unit ``map[i]``; -1 if no unit fits); `recovered_after`,
    the share of positions that this map predicts right in other images; `expected_after`, the mean
    of this share in theory, for images of independent uniform samples; and `certain_after`, the
    share of positions for which only one unit is possible. ``restore(scrambled, images=n)`` uses
    the first n images.

    Source: S. Li, C. Li, G. Chen, N. G. Bourbakis, K.-T. Lo, 2008, doi:10.1016/j.image.2008.01.003.

    Parameters
    ----------
    oracle : callable
        The scheme under one key: takes an image, and returns one of its shape and dtype.
    images : sequence of array_like
        The known images, one or more, of one shape and dtype.
    unit : {"auto", "pixel", "sample", "bit"}, default "auto"
        The unit that is traced; "auto" tries all of them.

    Examples
    --------
    >>> from sudokucrypt.analysis.attacks import random_images
    >>> from sudokucrypt.analysis.baselines import UniformShuffle
    >>> result = known_plaintext_attack(UniformShuffle().scramble, random_images((64, 64), 3))
    >>> [round(share, 2) for share in result.expected_after]
    [0.06, 0.97, 1.0]
    """
    known_images = [np.asarray(image) for image in images]
    if not known_images or any(
        (image.shape, image.dtype) != (known_images[0].shape, known_images[0].dtype)
        for image in known_images
    ):
        raise InvalidImageError("the attack needs at least one image, all of one shape and dtype")
    results = contract.query_all(oracle, known_images)
    return unit_maps.choose_best_finding(
        lambda traced_unit: _trace_known_units(oracle, known_images, results, traced_unit),
        unit_maps.list_units(oracle, known_images[0], unit),
    )


def _trace_known_units(
    oracle: contract.Oracle,
    known_images: list[AnyArray],
    results: list[AnyArray],
    unit: contract.AttackUnit,
) -> contract.Finding:
    """Return the finding of a known-plaintext attack for one unit."""
    units = unit_maps.ImageUnits.from_image(known_images[0], unit)
    map_check = unit_maps.MapCheck(units)
    check_results = contract.query_all(oracle, map_check.images)
    plain_classes = result_classes = np.zeros(units.count, dtype=np.int64)
    maps, recovered_shares, certain_shares = [], [], []
    for plain, result in zip(known_images, results, strict=True):
        plain_classes, result_classes = unit_maps.refine_classes(
            (plain_classes, units.split(plain)), (result_classes, units.split(result))
        )
        maps.append(unit_maps.match_units(plain_classes, result_classes))
        recovered_shares.append(map_check.measure_map_share(maps[-1], check_results))
        # A unit is certain if no other unit has the same samples in all images so far.
        is_certain = (
            np.bincount(plain_classes, minlength=int(result_classes.max()) + 1)[result_classes] == 1
        )
        certain_shares.append(float(is_certain.mean()))
    images_text, share_text = (
        contract.format_count(len(known_images), "known image"),
        units.format_share(recovered_shares[-1]),
    )
    outcome = map_check.judge_map_share(recovered_shares[-1])
    text = (
        f"the map from {images_text} is right for {share_text} in other images (by chance 1 in "
        f"{units.count})"
    )
    if outcome is contract.Outcome.BROKEN:
        needed_image_count = next(
            n
            for n, share_reached in enumerate(recovered_shares, 1)
            if share_reached >= contract.MIN_BROKEN_SHARE
        )
        text = (
            f"{images_text} gave the places of {share_text}; pictures can be seen after "
            f"{needed_image_count}"
        )
    image_counts = range(1, len(known_images) + 1)
    levels = units.levels**units.samples

    def undo(scrambled: ArrayLike, *, images: int = len(known_images)) -> AnyArray:
        if images not in image_counts:
            raise InvalidParameterError(
                f"the number of images must be 1..{len(known_images)}, not {images}"
            )
        return unit_maps.undo_map(maps[images - 1], scrambled, unit)

    return contract.Finding(
        outcome=outcome,
        text=text,
        queries=len(known_images),
        recovered=recovered_shares[-1],
        details={
            "unit": unit,
            "maps": tuple(maps),
            "recovered_after": tuple(recovered_shares),
            "certain_after": tuple(certain_shares),
            "expected_after": tuple(
                known_plaintext_share(units.count, count, levels=levels) for count in image_counts
            ),
        },
        undo=undo,
    )


def known_plaintext_share(units: int, images: int, *, levels: int = 256) -> float:
    """Return the mean share of units whose positions known uniform images reveal.

    For K units, n images and L levels, the share is (1 - exp(-t)) / t with t = K / L^n: the
    expected number of classes, L^n (1 - exp(-t)), divided by K.

    Parameters
    ----------
    units : int
        The number K of units, 1 or more.
    images : int
        The number n of known images, 1 or more.
    levels : int, default 256
        The number L of levels of a unit, 2 or more.

    Examples
    --------
    >>> [round(known_plaintext_share(256 * 256, n), 3) for n in (1, 2, 3)]
    [0.004, 0.632, 0.998]
    """
    if min(units, images) < 1 or levels < 2:
        raise InvalidParameterError("the share needs at least one unit, one image and two levels")
    units_per_class = units / levels**images
    return -expm1(-units_per_class) / units_per_class if units_per_class else 1.0


@contract.attack(
    name="known-plaintext",
    threat="known",
    title="Known plaintext",
    control=lambda **_: contract.Target(name="uniform", oracle=UniformShuffle().scramble),
    options=(
        contract.AttackOption(
            name="images",
            metavar="N",
            default=4,
            least=1,
            most=64,
            text="Number of known images, of random samples.",
        ),
    ),
    details={
        "recovered_after": "the recovered share after each image",
        "expected_after": "the expected share after each image, for one fixed map",
        "certain_after": "the share of positions with only one possible pixel",
    },
)
def _run_known_plaintext(
    target: contract.Target, picture: AnyArray, *, images: int
) -> contract.Finding:
    """Recover the map from known random images.

    Needs: random images and their results

    The attacker has some images and their results, but did not choose them. Positions whose
    samples agree in all of them cannot be distinguished; each further image splits them.
    """
    known_images = unit_maps.random_images(picture.shape, images, dtype=picture.dtype)
    result = known_plaintext_attack(target.oracle, known_images, unit=target.unit)
    target_result = contract.query(target.oracle, picture)
    stages = tuple(result.restore(target_result, images=count) for count in range(1, images + 1))
    return replace(result, seen=target_result, picture=stages[-1], stages=stages)
