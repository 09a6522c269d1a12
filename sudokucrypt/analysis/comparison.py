"""Measure several schemes on several pictures, and their speed."""

import sys
import tracemalloc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import isnan, nan
from pathlib import Path
from timeit import repeat
from typing import Any

import numpy as np

from sudokucrypt.analysis.images import NamedImage
from sudokucrypt.analysis.metrics.metric import Metric, list_metrics
from sudokucrypt.analysis.metrics.quality import replace_expected_value
from sudokucrypt.analysis.progress import StepCounter, run_guarded
from sudokucrypt.analysis.results import SIGNIFICANCE_LEVEL, Measurement, Series, make_series
from sudokucrypt.analysis.robustness import RobustnessFigures, measure_robustness
from sudokucrypt.analysis.schemes import Keyed, MeasuredScheme, Salt, list_uses, report_key
from sudokucrypt.errors import SudokucryptError
from sudokucrypt.options import check_integer
from sudokucrypt.typing import AnyArray, ProgressCallback

LARGEST_SIDE = 1 << 15
"""The largest side in pixels of an image on which speed is measured."""


@dataclass(frozen=True, kw_only=True)
class Speed:
    """The speed of one scheme on a square image of random gray samples of 8 bits.

    `seconds` is the least time of several runs, and `memory` the peak of memory in one run without
    the image, as a multiple of its size. If the scheme refuses the image, `refusal` is its error.
    """

    scheme: str
    side: int
    seconds: float = np.nan
    memory: float = np.nan
    refusal: str = ""

    @property
    def bytes_per_second(self) -> float:
        """The number of bytes that are processed in a second."""
        return self.side**2 / self.seconds

    @property
    def cycles_per_byte(self) -> float | None:
        """The processor cycles for a byte, or None if the clock of this processor is unknown."""
        clock_rate = read_clock_rate()
        return None if clock_rate is None else clock_rate / self.bytes_per_second


def measure_speed(
    schemes: Sequence[MeasuredScheme],
    sides: Sequence[int],
    *,
    repeats: int = 3,
    timeout: float | None = None,
    progress: ProgressCallback | None = None,
) -> tuple[Speed, ...]:
    """Measure the speed of schemes on square images with these sides in pixels, 1..32768.

    Memory is the memory that Python and NumPy allocate in a later run, so tables that are made once
    do not count; memory of other libraries is not measured. Schemes may use several threads.

    Parameters
    ----------
    schemes : sequence of MeasuredScheme
        The schemes that are timed.
    sides : sequence of int
        The sides of the square images in pixels, 1..32768.
    repeats : int, default 3
        How often each scheme is timed, 1 or more; the least time counts.
    timeout : float, optional
        The seconds after which a scheme is stopped on one image, as if it refused the image; by
        default there is no limit.
    progress : callable, optional
        Called with the number of steps done and the number of all steps. By default nothing is
        called.

    Examples
    --------
    >>> from sudokucrypt.analysis import BASELINES
    >>> [each.side for each in measure_speed([BASELINES["uniform"]], [16, 32], repeats=1)]
    [16, 32]
    """
    for side in sides:
        check_integer("side", side, most=LARGEST_SIDE)
    steps = StepCounter(len(schemes) * len(sides), progress)

    def measure_or_refuse(scheme: MeasuredScheme, side: int) -> Speed:
        try:
            return run_guarded(
                lambda: _measure_speed(scheme, side, repeats),
                foreign=bool(scheme.code),
                limit=timeout,
            )
        except SudokucryptError as error:
            return Speed(scheme=scheme.name, side=side, refusal=str(error))

    return tuple(
        steps.count_step(measure_or_refuse(scheme, side)) for scheme in schemes for side in sides
    )


def _measure_speed(scheme: MeasuredScheme, side: int, repeats: int) -> Speed:
    image = np.random.default_rng(side).integers(0, 256, (side, side), dtype=np.uint8)
    key = report_key(0)
    # The first run fills tables and caches, and is not timed.
    scheme.usual(image, key)
    seconds = min(repeat(lambda: scheme.usual(image, key), number=1, repeat=repeats))
    # Tracing slows Python down, so memory is measured in a separate run.
    tracemalloc.start()
    try:
        scheme.usual(image, key)
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return Speed(scheme=scheme.name, side=side, seconds=seconds, memory=peak_bytes / image.nbytes)


@cache
def read_clock_rate() -> float | None:
    """Return the clock rate of this processor in hertz, or None if it is unknown."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        clock_rates = [float(line.split(":")[1]) for line in lines if line.startswith("cpu MHz")]
    except (OSError, ValueError, IndexError):
        return None
    return 1e6 * max(clock_rates) if clock_rates and max(clock_rates) > 0 else None


SALT_ENDINGS: dict[Salt, str] = {"none": "_same_salt", "fresh": "_fresh_salt"}
"""The endings of the names of metrics of two results under one key."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ComparedRun:
    """The measurements of one scheme on one picture.

    A scheme that refuses the picture has no `result`, and `refusal` is its error. The names of
    npcr and uaci end in "_same_salt" or "_fresh_salt". `seconds` is the least time of several runs
    of the scheme, and NaN if it was not timed. `exact` is true if undoing the result gave exactly
    the plain image, and None if the scheme cannot be undone. `measurements` are under the first
    key, and `series` under all keys.
    """

    picture: NamedImage
    scheme: MeasuredScheme
    result: NamedImage | None = None
    refusal: str = ""
    measurements: tuple[Measurement, ...] = ()
    series: tuple[Series, ...] = ()
    seconds: float = nan
    exact: bool | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class ComparisonFigures:
    """Measurements of schemes: runs of all schemes on the first picture, then on each next one."""

    pictures: tuple[NamedImage, ...]
    schemes: tuple[MeasuredScheme, ...]
    runs: tuple[ComparedRun, ...]
    level: float
    keys: int = 1
    seed: int = 0
    speeds: tuple[Speed, ...] = ()
    robustness: tuple[RobustnessFigures, ...] = ()


def compare_schemes(
    pictures: Sequence[NamedImage],
    schemes: Sequence[MeasuredScheme],
    *,
    level: float = SIGNIFICANCE_LEVEL,
    keys: int = 1,
    seed: int = 0,
    repeats: int = 3,
    sides: Sequence[int] = (),
    robustness: bool = False,
    timeout: float | None = None,
    progress: ProgressCallback | None = None,
) -> ComparisonFigures:
    """Measure schemes on pictures under one key, or under several that follow from a seed.

    For npcr and uaci, the sample in the middle of the picture is changed by one level. Of several
    channels, the correlation farthest from 0 is reported; interval and p-value allow for this
    choice as if channels were independent. A scheme from another package runs in separate
    processes, and its errors become refusals.

    Parameters
    ----------
    pictures : sequence of NamedImage
        The pictures, one or more, on each of which every scheme is measured.
    schemes : sequence of MeasuredScheme
        The schemes, one or more. A scheme that refuses a picture has no measurements on it.
    level : float, default 0.05
        The level of significance, between 0 and 1: the share of random images that the test
        rejects.
    keys : int, default 1
        The number of keys, 1 or more; with several keys, reports show mean and deviation.
    seed : int, default 0
        The number from which keys and salts follow, 0 or more: equal seeds give equal results.
    repeats : int, default 3
        How often each scheme is timed, 0 or more; the least time counts.
    sides : sequence of int, default ()
        Sides in pixels, 1..32768, of square images on which the schemes are timed as well.
    robustness : bool, default False
        Whether to measure everything of `measure_robustness` too.
    timeout : float, optional
        The seconds for each key after which a scheme is stopped on one picture, as if it refused
        the picture; by default there is no limit.
    progress : callable, optional
        Called with the number of steps done and the number of all steps. By default nothing is
        called.

    Examples
    --------
    >>> from sudokucrypt.analysis import BASELINES, specimens
    >>> result = compare_schemes(specimens(64), [BASELINES["uniform"]], repeats=1)
    >>> [run.exact for run in result.runs]
    [True, True, True, True, True, True]
    """
    step_count = len(pictures) * len(schemes) + bool(sides) + robustness * len(schemes)
    steps = StepCounter(step_count, progress)
    runs = tuple(
        steps.count_step(
            _compare_on_picture(
                plain, scheme, level, repeats, keys=keys, seed=seed, timeout=timeout
            )
        )
        for plain in pictures
        for scheme in schemes
    )
    speeds: tuple[Speed, ...] = ()
    if sides:
        speeds = steps.count_step(measure_speed(schemes, sides, repeats=repeats, timeout=timeout))
    robustness_results = [
        steps.count_step(measure_robustness(scheme, pictures, timeout=timeout))
        for scheme in schemes
        if robustness
    ]
    return ComparisonFigures(
        pictures=tuple(pictures),
        schemes=tuple(schemes),
        runs=runs,
        level=level,
        keys=keys,
        seed=seed,
        speeds=speeds,
        robustness=tuple(robustness_results),
    )


def _compare_on_picture(
    picture: NamedImage,
    scheme: MeasuredScheme,
    level: float,
    repeats: int,
    *,
    keys: int,
    seed: int,
    timeout: float | None,
) -> ComparedRun:
    key = report_key(0, seed=seed)

    def measure_all() -> dict[str, Any]:
        result = scheme.usual(picture.pixels, key)
        rows = [
            list(_iterate_measurements(scheme, picture, report_key(index, seed=seed), level))
            for index in range(keys)
        ]
        durations = repeat(lambda: scheme.usual(picture.pixels, key), number=1, repeat=repeats)
        return {
            "result": picture.with_pixels(result.pixels, name=scheme.name),
            "measurements": tuple(rows[0]),
            "series": tuple(make_series(group) for group in zip(*rows, strict=True)),
            "seconds": min(durations, default=nan),
            "exact": None
            if result.undo is None
            else np.array_equal(result.undo(key), picture.pixels),
        }

    limit = None if timeout is None else timeout * keys
    try:
        fields = run_guarded(measure_all, foreign=bool(scheme.code), limit=limit)
    except SudokucryptError as error:
        fields = {"refusal": str(error)}
    return ComparedRun(picture=picture, scheme=scheme, **fields)


def _iterate_measurements(
    scheme: MeasuredScheme, picture: NamedImage, key: bytes, level: float
) -> Iterator[Measurement]:
    """Yield measurements of the result under one key, and of results for one changed sample."""
    # A result may have more levels than its picture, since a mask changes all bits of the samples.
    yield from measure_result(
        picture, picture.with_pixels(scheme.usual(picture.pixels, key).pixels), level
    )
    for salt in list_uses(scheme):
        yield from measure_differential(scheme, picture, key, level=level, salt=salt)


def measure_result(plain: NamedImage, result: NamedImage, level: float) -> Iterator[Measurement]:
    """Yield measurements of a result, and of the plain image and the result together."""
    options: dict[str, Any] = {"levels": result.levels, "level": level}
    for metric in list_metrics("image", "channel", "pair", only_compared=True):
        if metric.needs == "pair":
            yield from metric.measure_named(plain.pixels, result.pixels, **options)
        elif metric.needs == "channel" and result.pixels.ndim == 3:
            yield from _iterate_extreme_values(metric, result.pixels, **options)
        else:
            yield from metric.measure_named(result.pixels, **options)


def _iterate_extreme_values(
    metric: Metric, image: AnyArray, levels: int, level: float
) -> Iterator[Measurement]:
    """Yield each value of a metric from the channel where it is farthest from the expected one."""
    channel_count = image.shape[2]
    # Sidak's correction: the most extreme of several independent channels exceeds a limit more
    # often than a single channel does.
    channel_level = 1 - (1 - level) ** (1 / channel_count)
    channels = np.moveaxis(image, 2, 0)
    channel_results = [
        metric.measure_named(channel, levels=levels, level=channel_level) for channel in channels
    ]
    for channel_values in zip(*channel_results, strict=True):
        extreme_measurement = max(channel_values, key=_measure_distance)
        p_value = extreme_measurement.p_value
        if p_value is not None:  # the least of several p-values is small more often than one
            p_value = 1 - (1 - p_value) ** channel_count
        yield replace(extreme_measurement, p_value=p_value, level=level)


def _measure_distance(measurement: Measurement) -> float:
    """Return the distance of a value from the expected one, or -1 if the value is undefined."""
    if isnan(measurement.value):
        return -1.0
    return abs(measurement.value - (measurement.expected or 0.0))


def measure_differential(
    scheme: MeasuredScheme,
    picture: NamedImage,
    key: bytes,
    *,
    level: float,
    salt: Salt,
    position: int | None = None,
) -> list[Measurement]:
    """Measure the differences of the results of `protected_twins`, with fresh salt or without.

    The names of the measurements end in "_same_salt" or "_fresh_salt".
    """
    first, second = protected_twins(list_uses(scheme)[salt], picture, key, position=position)
    options: dict[str, Any] = {"levels": max(first.levels, second.levels), "level": level}
    measurements = [
        each
        for metric in list_metrics("twins", only_compared=True)
        for each in metric.measure_named(
            first.pixels, second.pixels, ending=SALT_ENDINGS[salt], **options
        )
    ]
    if scheme.moves_only:
        return [
            replace_expected_value(each, first.pixels, second.pixels, **options)
            for each in measurements
        ]
    return measurements


def protected_twins(
    run_scheme: Keyed,
    picture: NamedImage,
    key: bytes,
    *,
    name: str = "",
    position: int | None = None,
) -> tuple[NamedImage, NamedImage]:
    """Return the results for a picture and for its twin, in which one sample is one level higher.

    The results are named like calls of a function: "name(picture)". The level after the highest
    one is 0.

    Parameters
    ----------
    run_scheme : callable
        The scheme: takes an image and a key of 32 bytes, and returns a `SchemeResult`.
    picture : NamedImage
        The plain picture.
    key : bytes
        The key, 32 bytes.
    name : str, default ""
        The name of the scheme, with which the names of the results begin.
    position : int, optional
        The index in C order of the sample that is one level higher; by default the middle one.

    Examples
    --------
    >>> from sudokucrypt.analysis import BASELINES, report_key, specimens
    >>> scheme, black = BASELINES["uniform"], specimens(32)[0]
    >>> one, other = protected_twins(scheme.fixed, black, report_key(0), name=scheme.name)
    >>> other.name, int(one.pixels.sum()), int(other.pixels.sum())
    ('uniform(twin of black)', 0, 1)
    """
    pixels = picture.pixels.copy()
    # The changed sample is in the middle, so that diffusion from either end must carry the change
    # through half of the picture.
    middle_position = (*(side // 2 for side in pixels.shape[:2]), 0)[: pixels.ndim]
    position_in_image = (
        middle_position if position is None else np.unravel_index(position, pixels.shape)
    )
    pixels[position_in_image] = (int(pixels[position_in_image]) + 1) % picture.levels
    twin_picture = replace(picture, name=f"twin of {picture.name}", pixels=pixels)
    first, second = (
        each.with_pixels(run_scheme(each.pixels, key).pixels, name=f"{name}({each.name})")
        for each in (picture, twin_picture)
    )
    return first, second
