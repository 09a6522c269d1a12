"""All figures of one image, or of bits: what `analyze` measures, before anything is written."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.analysis.images import NamedImage
from sudokucrypt.analysis.inputs import channels_of, checked_pair
from sudokucrypt.analysis.metrics.entropy import histogram
from sudokucrypt.analysis.metrics.metric import Needs, metrics_for
from sudokucrypt.analysis.progress import Steps
from sudokucrypt.analysis.randomness import (
    BitsLike,
    RandomnessResult,
    Reference,
    SequencesSummary,
    bits_from_image,
    nist_tests,
    split_bits,
    summarize_sequences,
)
from sudokucrypt.analysis.randomness.bit_sequences import checked_bits
from sudokucrypt.analysis.results import LEVEL, Measurement
from sudokucrypt.typing import AnyArray, ProgressCallback

DeferredMetric = Callable[[], tuple[Measurement, ...]]


@dataclass(frozen=True, eq=False, kw_only=True)
class ImageFigures:
    """What was measured of an image, at one level of significance.

    `own` and `plain` are of the image alone, and of the plain image alone that it was made from,
    `against`. `compared` are of both together: mse, psnr, ssim, the share of equal samples, gray
    difference degree; `values_kept` says whether they have the same histogram, as after moving
    samples. `twin` is the result for a plain image that differs in one pixel, under the same key,
    and `differential` npcr and uaci of image and twin. `randomness` has its own level 0.01; of two
    million bits or more it is of the first million, and `sequences` is of all whole millions;
    `reference` says which constants these tests have.
    """

    image: NamedImage
    level: float
    own: tuple[Measurement, ...]
    against: NamedImage | None = None
    compared: tuple[Measurement, ...] = ()
    values_kept: bool | None = None
    plain: tuple[Measurement, ...] = ()
    twin: NamedImage | None = None
    differential: tuple[Measurement, ...] = ()
    randomness: tuple[RandomnessResult, ...] = ()
    sequences: tuple[SequencesSummary, ...] = ()
    reference: Reference = "corrected"


def measure_image(
    image: NamedImage | ArrayLike,
    *,
    against: NamedImage | ArrayLike | None = None,
    twin: NamedImage | ArrayLike | None = None,
    level: float = LEVEL,
    randomness: bool = False,
    reference: Reference = "corrected",
    progress: ProgressCallback | None = None,
) -> ImageFigures:
    """Measure everything that one image, and what belongs to it, can show.

    `against` and `twin` are as in `ImageFigures`, of the same shape and dtype; arrays have no names
    of their own. `randomness` runs the tests of NIST SP 800-22 too, on each million bits for
    itself, which takes about a second, with the constants of `reference`. A figure that needs a
    larger image is NaN, and its note says so.

    Parameters
    ----------
    image : NamedImage or array_like of shape (M, N) or (M, N, C)
        The image that is measured, of bool, uint8 or uint16. Arrays have no names of their own.
    against : NamedImage or array_like, optional
        The plain image that `image` was made from, of the same shape and dtype: adds the distances
        between both.
    twin : NamedImage or array_like, optional
        The result, under the same key, for a plain image that differs in one sample: adds npcr,
        uaci and nbcr.
    level : float, default 0.05
        The level of significance, between 0 and 1: the share of random images that the test
        rejects.
    randomness : bool, default False
        Whether to run the tests of NIST SP 800-22 too, on each million bits, which takes about a
        second.
    reference : {"corrected", "sts-2.1.2"}, default "corrected"
        The constants: exact ones, or those of the program that NIST publishes.
    progress : callable, optional
        Called with the number of steps done and the number of all steps. By default nothing is
        called.

    Examples
    --------
    >>> result = measure_image(np.zeros((32, 32), dtype=np.uint8))
    >>> result.own[4].name, result.own[4].value, result.own[4].passed
    ('global_entropy', 0.0, False)
    """
    image = _name_image(image, "image")
    against = None if against is None else _name_image(against, "plain image")
    twin = None if twin is None else _name_image(twin, "twin")
    for other in (against, twin):
        if other is not None:
            checked_pair(image.pixels, other.pixels)
    alone: list[Needs] = ["image", "channel"]
    groups = {
        "own": list(_steps(level, alone, image)),
        "plain": [] if against is None else list(_steps(level, alone, against)),
        "compared": [] if against is None else list(_steps(level, ["pair"], against, image)),
        "differential": [] if twin is None else list(_steps(level, ["twins"], image, twin)),
    }
    tests = list(nist_tests(reference=reference).values())
    parts = _sequences(image) if randomness else []
    # All steps are collected before the first is done, so that progress knows their number.
    steps = Steps(sum(map(len, groups.values())) + len(parts) * len(tests), progress)
    measured = {
        name: tuple(each for measure in group for each in steps.after(measure()))
        for name, group in groups.items()
    }
    results = [tuple(steps.after(test(part)) for test in tests) for part in parts]
    values_kept = None
    if against is not None:
        values_kept = np.array_equal(histogram(image.pixels), histogram(against.pixels))
    return ImageFigures(
        image=image,
        level=level,
        against=against,
        values_kept=values_kept,
        twin=twin,
        randomness=results[0] if results else (),
        sequences=summarize_sequences(results) if len(results) > 1 else (),
        reference=reference,
        **measured,
    )


def _name_image(image: NamedImage | ArrayLike, name: str) -> NamedImage:
    if isinstance(image, NamedImage):
        return image
    return NamedImage(name=name, pixels=np.asarray(image))


def _sequences(image: NamedImage) -> list[AnyArray]:
    """Return the bits of an image, in sequences of a million if there are two or more."""
    bits = bits_from_image(image.pixels, levels=image.levels)
    return list(split_bits(bits, SEQUENCE)) if len(bits) >= 2 * SEQUENCE else [bits]


def _steps(level: float, needs: list[Needs], *images: NamedImage) -> Iterator[DeferredMetric]:
    """Yield the metrics of these images, and those of a channel once for each."""
    levels, whole = max(each.levels for each in images), [each.pixels for each in images]
    for metric in metrics_for(*needs):
        parts = channels_of(whole[0]) if metric.needs == "channel" else [("", whole[0])]
        for ending, pixels in parts:
            views = (pixels, *whole[1:])
            yield partial(metric.take, *views, ending=ending, levels=levels, level=level)


SEQUENCE = 1_000_000
"""Bits of a sequence, as SP 800-22 asks for; what is left after whole ones is not tested."""


@dataclass(frozen=True, eq=False, kw_only=True)
class BitsFigures:
    """What the fifteen tests gave on a number of bits.

    `randomness` is of the first sequence of a million bits, or of all if there are fewer than two
    million, and `sequences` of all whole sequences, with a row for each p-value.
    """

    name: str
    length: int
    randomness: tuple[RandomnessResult, ...]
    sequences: tuple[SequencesSummary, ...]
    reference: Reference


def measure_bits(
    bits: BitsLike,
    *,
    name: str = "bits",
    reference: Reference = "corrected",
    progress: ProgressCallback | None = None,
) -> BitsFigures:
    """Run the tests of NIST SP 800-22 on bytes, or on an array of the numbers 0 and 1.

    `name` is what reports call the bits, and `reference` the set of constants, as in
    `sudokucrypt.analysis.randomness`. `progress` is called with the tests that are done and their
    number. Raises `InvalidParameterError` for what are no bits.

    Parameters
    ----------
    bits : bytes or array_like of 0 and 1
        The bits that are tested; a byte gives eight, the highest first.
    name : str, default "bits"
        What reports call them.
    reference : {"corrected", "sts-2.1.2"}, default "corrected"
        The constants: exact ones, or those of the program that NIST publishes.
    progress : callable, optional
        Called with the number of tests done and the number of all tests.

    Examples
    --------
    >>> measure_bits(bytes(1000), name="zeros").sequences[0].proportion
    0.0
    """
    sequence = checked_bits(bits)
    several = len(sequence) >= 2 * SEQUENCE
    parts = list(split_bits(sequence, SEQUENCE)) if several else [sequence]
    tests = list(nist_tests(reference=reference).values())
    steps = Steps(len(parts) * len(tests), progress)
    results = [tuple(steps.after(test(part)) for test in tests) for part in parts]
    return BitsFigures(
        name=name,
        length=len(sequence),
        randomness=results[0],
        sequences=summarize_sequences(results),
        reference=reference,
    )
