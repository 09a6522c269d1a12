"""All figures of one image: what `analyze` measures, before anything is written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from math import nan
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sudokucrypt.analysis.correlation import correlations
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
    Step = tuple[str, Callable[[], Found]]

_INTERVALS: dict[str, Literal["exact", "published"]] = {
    "local_entropy": "exact",
    "local_entropy_published": "published",
}
_CONVENTIONS: tuple[Literal["skimage", "matlab"], ...] = ("skimage", "matlab")


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
            each for name, measure in members for each in steps.after(_attempt(name, measure))
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


def _attempt(name: str, step: Callable[[], Found]) -> Found:
    """Measure, or say why the image is too small for it."""
    try:
        return step()
    except InvalidImageError as error:
        return (Measurement(name=name, value=nan, note=f"not measured, {error}"),)


def _own_steps(image: NamedImage, level: float) -> Iterator[Step]:
    pixels = image.pixels
    both: dict[str, Any] = {"levels": image.levels, "level": level}
    yield "correlation", partial(correlations, pixels, level=level)
    yield "global_entropy", partial(_one, "global_entropy", global_entropy, pixels, **both)
    for name, interval in _INTERVALS.items():
        yield name, partial(_one, name, local_entropy, pixels, interval=interval, **both)
    name = "chi_square_uniformity"
    yield name, partial(_one, name, chi_square_uniformity, pixels, **both)
    yield "bit_plane", partial(bit_plane_balance, pixels, **both)
    yield "gray_difference", partial(_number, "gray_difference", gray_difference, pixels)
    for convention in _CONVENTIONS:
        yield f"cooccurrence_{convention}", partial(_cooccurrence, image, convention)


def _pair_steps(image: NamedImage, plain: NamedImage) -> Iterator[Step]:
    pair = image.pixels, plain.pixels
    yield "equal_samples", partial(_number, "equal_samples", _equal_share, *pair)
    yield "mse", partial(_number, "mse", mse, *pair)
    yield "psnr", partial(_number, "psnr", psnr, *pair, levels=image.levels)
    yield "ssim", partial(_number, "ssim", ssim, *pair, levels=image.levels)
    name = "gray_difference_degree"
    yield name, partial(_one, name, gray_difference_degree, *pair[::-1])


def _twin_steps(image: NamedImage, twin: NamedImage, level: float) -> Iterator[Step]:
    for name, metric in (("npcr", npcr), ("uaci", uaci)):
        yield (
            name,
            partial(
                _one, name, metric, image.pixels, twin.pixels, levels=image.levels, level=level
            ),
        )


def _one(name: str, metric: Callable[..., Measurement], *arguments: Any, **options: Any) -> Found:
    """Take one measurement, and give it a name of ours."""
    return (replace(metric(*arguments, **options), name=name),)


def _number(name: str, metric: Callable[..., float], *arguments: Any, **options: Any) -> Found:
    """Take a figure that is no test."""
    return (Measurement(name=name, value=metric(*arguments, **options)),)


def _equal_share(one: AnyArray, other: AnyArray) -> float:
    return int(np.count_nonzero(one == other)) / one.size


def _cooccurrence(image: NamedImage, convention: Literal["skimage", "matlab"]) -> Found:
    """Measure each channel, and name convention and channel."""
    found = []
    for number, channel in enumerate(image.channels):
        ending = "" if image.pixels.ndim == 2 else f"_{number}"
        for each in cooccurrence_features(channel, convention=convention, levels=image.levels):
            name = each.name.replace("cooccurrence", f"cooccurrence_{convention}")
            found.append(replace(each, name=name + ending))
    return tuple(found)
