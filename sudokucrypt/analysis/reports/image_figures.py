"""All figures of one image: what `analyze` measures, before anything is written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from math import nan
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from sudokucrypt.analysis.correlation import Direction, adjacent_correlation
from sudokucrypt.analysis.differential import npcr, uaci
from sudokucrypt.analysis.entropy import global_entropy, local_entropy
from sudokucrypt.analysis.inputs import checked_pair
from sudokucrypt.analysis.quality import mse, psnr, ssim
from sudokucrypt.analysis.randomness import RandomnessResult, bits_from_image, nist_tests
from sudokucrypt.analysis.reports.steps import Steps
from sudokucrypt.analysis.results import DEFAULT_LEVEL, Measurement
from sudokucrypt.analysis.texture import (
    cooccurrence_features,
    gray_difference,
    gray_difference_degree,
)
from sudokucrypt.analysis.uniformity import bit_plane_balance, chi_square_uniformity, histogram
from sudokucrypt.errors import InvalidImageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sudokucrypt.analysis.reports.named_image import NamedImage
    from sudokucrypt.analysis.reports.steps import Progress
    from sudokucrypt.typing import AnyArray

    Found = tuple[Measurement, ...]
    Step = tuple[tuple[str, ...], Callable[[], Found]]

_INTERVALS: dict[str, Literal["exact", "published"]] = {
    "local_entropy": "exact",
    "local_entropy_published": "published",
}
_CONVENTIONS: tuple[Literal["skimage", "matlab"], ...] = ("skimage", "matlab")
_FEATURES = ("contrast", "homogeneity", "energy", "correlation")


@dataclass(frozen=True, eq=False, kw_only=True)
class ImageFigures:
    """What was measured of an image.

    Parameters
    ----------
    image : NamedImage
        What was measured.
    level : float
        The level of significance of each test.
    own : tuple of Measurement
        Of the image alone.
    against : NamedImage, optional
        The plain image that it was made from.
    compared : tuple of Measurement
        Of both together: mse, psnr, ssim, the share of equal samples, gray difference degree.
    values_kept : bool, optional
        Whether both have the same histogram, as after moving samples.
    plain : tuple of Measurement
        Of the plain image alone.
    twin : NamedImage, optional
        The result for a plain image that differs in one pixel, under the same key.
    differential : tuple of Measurement
        npcr and uaci of image and twin.
    randomness : tuple of RandomnessResult
        The tests of NIST SP 800-22 on the bits of the image, at their own level 0.01.
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


def measure_image(
    image: NamedImage,
    *,
    against: NamedImage | None = None,
    twin: NamedImage | None = None,
    level: float = DEFAULT_LEVEL,
    randomness: bool = False,
    progress: Progress | None = None,
) -> ImageFigures:
    """Measure everything that one image, and what belongs to it, can show.

    Parameters
    ----------
    image : NamedImage
        What is to be measured, such as a scrambled image.
    against : NamedImage, optional
        The plain image that it was made from, of the same shape and dtype.
    twin : NamedImage, optional
        The result for a plain image that differs in one pixel, under the same key.
    level : float
        The level of significance of each test.
    randomness : bool
        Whether to run the tests of NIST SP 800-22 too; a million bits take some seconds.
    progress : callable, optional
        Is told how many steps are done, and of how many.

    Raises
    ------
    InvalidImageError
        If an image cannot be measured at all, or shapes or dtypes differ. A figure that needs a
        larger image is NaN, and its note says so.

    Examples
    --------
    >>> from sudokucrypt.analysis.reports import NamedImage
    >>> found = measure_image(NamedImage(name="dark", pixels=np.zeros((32, 32), dtype=np.uint8)))
    >>> found.own[3].name, found.own[3].value, found.own[3].passed
    ('global_entropy', 0.0, False)
    """
    if against is not None:
        checked_pair(image.pixels, against.pixels)
    if twin is not None:
        checked_pair(image.pixels, twin.pixels)
    groups = {
        "own": list(_own_steps(image, level)),
        "compared": [] if against is None else list(_pair_steps(image, against)),
        "plain": [] if against is None else list(_own_steps(against, level)),
        "differential": [] if twin is None else list(_twin_steps(image, twin, level)),
    }
    suite = nist_tests() if randomness else {}
    steps = Steps(sum(map(len, groups.values())) + len(suite), progress)
    found = {
        group: tuple(
            each for names, measure in members for each in steps.after(_attempt(names, measure))
        )
        for group, members in groups.items()
    }
    bits = bits_from_image(image.pixels, levels=image.levels) if suite else b""
    results = tuple(steps.after(test(bits)) for test in suite.values())
    kept = None if against is None else same_values(image, against)
    return ImageFigures(
        image=image,
        level=level,
        against=against,
        values_kept=kept,
        twin=twin,
        randomness=results,
        **found,
    )


def same_values(one: NamedImage, other: NamedImage) -> bool:
    """Tell whether two images have the same histogram, channels together."""
    return bool(np.array_equal(histogram(one.pixels), histogram(other.pixels)))


def _attempt(names: tuple[str, ...], measure: Callable[[], Found]) -> Found:
    """Measure, or say under each name why the image is too small for it."""
    try:
        return measure()
    except InvalidImageError as error:
        note = f"not measured, {error}"
        return tuple(Measurement(name=name, value=nan, note=note) for name in names)


def _own_steps(image: NamedImage, level: float) -> Iterator[Step]:
    pixels = image.pixels
    both: dict[str, Any] = {"levels": image.levels, "level": level}
    for ending, channel in _channels(image):
        for direction in get_args(Direction):
            name = f"correlation_{direction}{ending}"
            yield _step(name, adjacent_correlation, channel, direction, level=level)
    yield _step("global_entropy", global_entropy, pixels, **both)
    for name, interval in _INTERVALS.items():
        yield _step(name, local_entropy, pixels, interval=interval, **both)
    yield _step("chi_square_uniformity", chi_square_uniformity, pixels, **both)
    yield ("bit_plane",), partial(bit_plane_balance, pixels, **both)
    yield _step("gray_difference", gray_difference, pixels)
    for convention in _CONVENTIONS:
        for ending, channel in _channels(image):
            names = tuple(f"cooccurrence_{convention}_{name}{ending}" for name in _FEATURES)
            yield names, partial(_cooccurrence, names, channel, convention, image.levels)


def _channels(image: NamedImage) -> list[tuple[str, AnyArray]]:
    """Return each channel with the ending of its names; a single one has none."""
    if image.pixels.ndim == 2:
        return [("", image.pixels)]
    return [(f"_{number}", channel) for number, channel in enumerate(image.channels)]


def _pair_steps(image: NamedImage, plain: NamedImage) -> Iterator[Step]:
    pair = image.pixels, plain.pixels
    yield _step("equal_samples", _equal_share, *pair)
    yield _step("mse", mse, *pair)
    yield _step("psnr", psnr, *pair, levels=image.levels)
    yield _step("ssim", ssim, *pair, levels=image.levels)
    yield _step("gray_difference_degree", gray_difference_degree, *pair[::-1])


def _twin_steps(image: NamedImage, twin: NamedImage, level: float) -> Iterator[Step]:
    pair = image.pixels, twin.pixels
    yield _step("npcr", npcr, *pair, levels=image.levels, level=level)
    yield _step("uaci", uaci, *pair, levels=image.levels, level=level)


def _step(
    name: str, metric: Callable[..., Measurement | float], *arguments: Any, **options: Any
) -> Step:
    """Return a step of one figure under a name of ours; a bare number is no test."""

    def measure() -> Found:
        found = metric(*arguments, **options)
        if isinstance(found, Measurement):
            return (replace(found, name=name),)
        return (Measurement(name=name, value=found),)

    return (name,), measure


def _equal_share(one: AnyArray, other: AnyArray) -> float:
    return int(np.count_nonzero(one == other)) / one.size


def _cooccurrence(
    names: tuple[str, ...],
    channel: AnyArray,
    convention: Literal["skimage", "matlab"],
    levels: int,
) -> Found:
    """Measure one channel, under names that tell convention and channel."""
    found = cooccurrence_features(channel, convention=convention, levels=levels)
    return tuple(replace(each, name=name) for name, each in zip(names, found, strict=True))
