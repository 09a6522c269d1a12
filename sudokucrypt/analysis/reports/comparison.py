"""All figures of several schemes on several pictures: what `compare` measures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from math import isnan, nan
from time import perf_counter
from typing import TYPE_CHECKING, get_args

import numpy as np

from sudokucrypt.analysis.correlation import Direction, adjacent_correlation
from sudokucrypt.analysis.differential import npcr, uaci
from sudokucrypt.analysis.entropy import global_entropy, local_entropy
from sudokucrypt.analysis.quality import psnr
from sudokucrypt.analysis.reports.steps import Steps
from sudokucrypt.analysis.results import DEFAULT_LEVEL, Measurement
from sudokucrypt.analysis.texture import gray_difference_degree
from sudokucrypt.analysis.uniformity import chi_square_uniformity
from sudokucrypt.errors import InvalidImageError, SudokucryptError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sudokucrypt.analysis.reports.named_image import NamedImage
    from sudokucrypt.analysis.reports.steps import Progress
    from sudokucrypt.analysis.reports.subject import Keyed, Subject
    from sudokucrypt.typing import AnyArray


@dataclass(frozen=True, eq=False, kw_only=True)
class ComparedRun:
    """One scheme on one picture.

    Parameters
    ----------
    picture : NamedImage
        The plain image.
    subject : Subject
        The scheme.
    result : NamedImage, optional
        What the scheme made of it, or None if it does not take such pictures.
    refusal : str
        Why it does not.
    measurements : tuple of Measurement
        "..._same_salt" and "..._fresh_salt" name the two ways to measure npcr and uaci.
    seconds : float
        The least of several runs, without measuring.
    exact : bool
        Whether undoing gave the plain image, sample by sample.
    """

    picture: NamedImage
    subject: Subject
    result: NamedImage | None = None
    refusal: str = ""
    measurements: tuple[Measurement, ...] = ()
    seconds: float = nan
    exact: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class ComparisonFigures:
    """What was measured of each scheme on each picture.

    Parameters
    ----------
    pictures : tuple of NamedImage
        The plain images.
    subjects : tuple of Subject
        The schemes.
    runs : tuple of ComparedRun
        All schemes on the first picture, then on the next.
    level : float
        The level of significance of each test.
    """

    pictures: tuple[NamedImage, ...]
    subjects: tuple[Subject, ...]
    runs: tuple[ComparedRun, ...]
    level: float


def report_key(number: int) -> bytes:
    """Return one of the keys that reports use: 32 bytes, the same for a number each time.

    Examples
    --------
    >>> len(report_key(0)), report_key(0) == report_key(1)
    (32, False)
    """
    return sha256(f"sudokucrypt report, key {number}".encode()).digest()


def compare_schemes(
    pictures: Sequence[NamedImage],
    subjects: Sequence[Subject],
    *,
    level: float = DEFAULT_LEVEL,
    repeats: int = 3,
    progress: Progress | None = None,
) -> ComparisonFigures:
    """Measure schemes on pictures under one key.

    Parameters
    ----------
    pictures : sequence of NamedImage
        The plain images.
    subjects : sequence of Subject
        The schemes.
    level : float
        The level of significance of each test.
    repeats : int
        How often a scheme runs to be timed, 1 or more; the least time counts.
    progress : callable, optional
        Is told how many runs are done, and of how many.

    Notes
    -----
    The key is the same for all. For npcr and uaci the sample in the middle of the picture is
    changed by one level. Of several channels the correlation that is farthest from 0 is kept;
    interval and p-value allow for the choice as if channels were independent.

    Examples
    --------
    >>> from sudokucrypt.analysis.reports import baseline_subjects, specimens
    >>> found = compare_schemes(specimens(64), [baseline_subjects()["uniform"]], repeats=1)
    >>> [run.exact for run in found.runs]
    [True, True, True, True, True]
    """
    steps = Steps(len(pictures) * len(subjects), progress)
    runs = tuple(
        steps.after(_run(picture, subject, level, repeats))
        for picture in pictures
        for subject in subjects
    )
    return ComparisonFigures(
        pictures=tuple(pictures), subjects=tuple(subjects), runs=runs, level=level
    )


def _run(picture: NamedImage, subject: Subject, level: float, repeats: int) -> ComparedRun:
    key = report_key(0)
    try:
        made = subject.usual(picture.pixels, key)
    except SudokucryptError as error:
        return ComparedRun(picture=picture, subject=subject, refusal=str(error))
    result = replace(picture, name=subject.name, pixels=made.pixels)
    measurements = list(measured(picture, made.pixels, level))
    ways = [("same_salt", subject.fixed)]
    if subject.fresh is not None:
        ways.append(("fresh_salt", subject.fresh))
    for ending, way in ways:
        measurements += differential(way, picture, key, level=level, ending=ending)
    return ComparedRun(
        picture=picture,
        subject=subject,
        result=result,
        measurements=tuple(measurements),
        seconds=min(_timed(subject.usual, picture.pixels, key) for _ in range(repeats)),
        exact=np.array_equal(made.undo(key), picture.pixels),
    )


def _timed(scheme: Keyed, pixels: AnyArray, key: bytes) -> float:
    start = perf_counter()
    scheme(pixels, key)
    return perf_counter() - start


def measured(plain: NamedImage, pixels: AnyArray, level: float) -> Iterator[Measurement]:
    """Yield the figures of a result, alone and beside the plain image."""
    levels = plain.levels
    for direction in get_args(Direction):
        yield _or_nothing(f"correlation_{direction}", partial(_strongest, pixels, direction, level))
    for name, entropy in (("global_entropy", global_entropy), ("local_entropy", local_entropy)):
        yield _or_nothing(name, partial(entropy, pixels, levels=levels, level=level))
    yield chi_square_uniformity(pixels, levels=levels, level=level)
    yield _or_nothing(
        "gray_difference_degree", partial(gray_difference_degree, plain.pixels, pixels)
    )
    yield Measurement(name="psnr", value=psnr(plain.pixels, pixels, levels=levels))


def _or_nothing(name: str, measure: Callable[[], Measurement]) -> Measurement:
    """Measure, or return NaN if the picture is too small."""
    try:
        return measure()
    except InvalidImageError as error:
        return Measurement(name=name, value=nan, note=f"not measured, {error}")


def _strongest(pixels: AnyArray, direction: Direction, level: float) -> Measurement:
    """Return the correlation of the channel where it is strongest."""
    channels = [pixels] if pixels.ndim == 2 else list(np.moveaxis(pixels, 2, 0))
    count = len(channels)
    each_level = 1 - (1 - level) ** (1 / count)
    found = [adjacent_correlation(channel, direction, level=each_level) for channel in channels]
    strongest = max(found, key=_magnitude)
    p_value = strongest.p_value
    if p_value is not None:  # the least of several is small more often
        p_value = 1 - (1 - p_value) ** count
    return replace(strongest, p_value=p_value, level=level)


def _magnitude(measurement: Measurement) -> float:
    """Return how strong a correlation is; a constant channel has none."""
    return -1.0 if isnan(measurement.value) else abs(measurement.value)


def differential(
    way: Keyed, picture: NamedImage, key: bytes, *, level: float, ending: str
) -> list[Measurement]:
    """Measure npcr and uaci of a scheme: the middle sample is changed by one level.

    Parameters
    ----------
    way : callable
        The scheme.
    picture : NamedImage
        The plain image.
    key : bytes
        Both runs have the same.
    level : float
        The level of significance.
    ending : str
        Joined to the names, such as "same_salt".
    """
    other = picture.pixels.copy()
    middle = tuple(side // 2 for side in other.shape[:2])
    place = (*middle, 0)[: other.ndim]
    other[place] = (int(other[place]) + 1) % picture.levels
    pair = way(picture.pixels, key).pixels, way(other, key).pixels
    return [
        replace(measure(*pair, levels=picture.levels, level=level), name=f"{name}_{ending}")
        for name, measure in (("npcr", npcr), ("uaci", uaci))
    ]
