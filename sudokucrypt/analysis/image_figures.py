"""Measure one image, or a sequence of bits, by all metrics and tests."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.analysis.images import NamedImage
from sudokucrypt.analysis.inputs import check_image_pair, split_channels
from sudokucrypt.analysis.metrics.entropy import histogram
from sudokucrypt.analysis.metrics.metric import MetricInputs, list_metrics
from sudokucrypt.analysis.progress import StepCounter
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
from sudokucrypt.analysis.randomness.bit_sequences import check_bits
from sudokucrypt.analysis.results import SIGNIFICANCE_LEVEL, Measurement
from sudokucrypt.typing import AnyArray, ProgressCallback

DeferredMetric = Callable[[], tuple[Measurement, ...]]


@dataclass(frozen=True, eq=False, kw_only=True)
class ImageFigures:
    """All measurements of an image, at one level of significance.

    `own` are measurements of the image, and `plain` of the plain image `against` from which it was
    made. `compared` are measurements of both together: mse, psnr, ssim, the share of equal samples,
    and gray difference degree. `values_kept` is true if both have the same histogram, as after
    moving samples. `twin` is the result for a plain image that differs in one pixel, under the same
    key, and `differential` npcr and uaci of image and twin. `randomness` has its own level of 0.01.
    With two million bits or more, it is for the first million, and `sequences` for every complete
    million. `reference` selects the constants of these tests.
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
    level: float = SIGNIFICANCE_LEVEL,
    randomness: bool = False,
    reference: Reference = "corrected",
    progress: ProgressCallback | None = None,
) -> ImageFigures:
    """Measure an image by all metrics: the image only, and compared with a plain image and a twin.

    A value that needs a larger image is NaN, and its note says so.

    Parameters
    ----------
    image : NamedImage or array_like of shape (M, N) or (M, N, C)
        The image that is measured, of bool, uint8 or uint16. An array is called "image".
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
    for other_image in (against, twin):
        if other_image is not None:
            check_image_pair(image.pixels, other_image.pixels)
    single_image_needs: list[MetricInputs] = ["image", "channel"]
    groups = {
        "own": list(_iterate_metrics(level, single_image_needs, image)),
        "plain": []
        if against is None
        else list(_iterate_metrics(level, single_image_needs, against)),
        "compared": []
        if against is None
        else list(_iterate_metrics(level, ["pair"], against, image)),
        "differential": []
        if twin is None
        else list(_iterate_metrics(level, ["twins"], image, twin)),
    }
    tests = list(nist_tests(reference=reference).values())
    sequences = _cut_sequences(image) if randomness else []
    # All steps are collected before the first one runs, so that their number is known.
    steps = StepCounter(sum(map(len, groups.values())) + len(sequences) * len(tests), progress)
    measurements = {
        name: tuple(measurement for measure in group for measurement in steps.count_step(measure()))
        for name, group in groups.items()
    }
    results = [tuple(steps.count_step(test(part)) for test in tests) for part in sequences]
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
        **measurements,
    )


def _name_image(image: NamedImage | ArrayLike, name: str) -> NamedImage:
    if isinstance(image, NamedImage):
        return image
    return NamedImage(name=name, pixels=np.asarray(image))


def _cut_sequences(image: NamedImage) -> list[AnyArray]:
    """Return the bits of an image, cut into sequences of a million if there are two or more."""
    bits = bits_from_image(image.pixels, levels=image.levels)
    return list(split_bits(bits, SEQUENCE_BITS)) if len(bits) >= 2 * SEQUENCE_BITS else [bits]


def _iterate_metrics(
    level: float, needs: list[MetricInputs], *images: NamedImage
) -> Iterator[DeferredMetric]:
    """Yield the metrics of these images; metrics that take one channel are yielded per channel."""
    levels, pixel_arrays = max(each.levels for each in images), [each.pixels for each in images]
    for metric in list_metrics(*needs):
        channels = (
            split_channels(pixel_arrays[0])
            if metric.needs == "channel"
            else [("", pixel_arrays[0])]
        )
        for ending, pixels in channels:
            inputs = (pixels, *pixel_arrays[1:])
            yield partial(metric.measure_named, *inputs, ending=ending, levels=levels, level=level)


SEQUENCE_BITS = 1_000_000
"""The length of a sequence of bits, as SP 800-22 requires; remaining bits are not tested."""


@dataclass(frozen=True, eq=False, kw_only=True)
class BitsFigures:
    """Results of the fifteen tests on a number of bits.

    `randomness` has the results for the first sequence of a million bits, or for all bits if there
    are fewer than two million. `sequences` summarizes all complete sequences, with a row for each
    p-value.
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

    Raises `InvalidParameterError` if `bits` are neither bytes nor numbers 0 and 1.

    Parameters
    ----------
    bits : bytes or array_like of 0 and 1
        The bits that are tested; a byte gives eight, the highest first.
    name : str, default "bits"
        The name of the bits in reports.
    reference : {"corrected", "sts-2.1.2"}, default "corrected"
        The constants: exact ones, or those of the program that NIST publishes.
    progress : callable, optional
        Called with the number of tests done and the number of all tests.

    Examples
    --------
    >>> measure_bits(bytes(1000), name="zeros").sequences[0].proportion
    0.0
    """
    sequence = check_bits(bits)
    has_many_sequences = len(sequence) >= 2 * SEQUENCE_BITS
    sequences = list(split_bits(sequence, SEQUENCE_BITS)) if has_many_sequences else [sequence]
    tests = list(nist_tests(reference=reference).values())
    steps = StepCounter(len(sequences) * len(tests), progress)
    results = [tuple(steps.count_step(test(part)) for test in tests) for part in sequences]
    return BitsFigures(
        name=name,
        length=len(sequence),
        randomness=results[0],
        sequences=summarize_sequences(results),
        reference=reference,
    )
