"""The whole suite on one scheme: many keys, several pictures, every attack."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from sudokucrypt.analysis.attacking import AttackFigures, run_attack
from sudokucrypt.analysis.attacks import ATTACKS
from sudokucrypt.analysis.comparison import differential, measured, ways_of
from sudokucrypt.analysis.images import NamedImage
from sudokucrypt.analysis.inputs import optional_library
from sudokucrypt.analysis.metrics.keys import key_space_bits
from sudokucrypt.analysis.metrics.metric import metrics_for
from sudokucrypt.analysis.progress import ProgressCallback, Steps
from sudokucrypt.analysis.randomness import RandomnessResult, bits_from_image, run_nist_tests
from sudokucrypt.analysis.results import LEVEL, Measurement
from sudokucrypt.analysis.robustness import RobustnessFigures, measure_robustness
from sudokucrypt.analysis.schemes import MeasuredScheme, SchemeResult, report_key
from sudokucrypt.errors import (
    DecryptionError,
    InvalidImageError,
    InvalidParameterError,
    UnsupportedError,
)
from sudokucrypt.typing import AnyArray

_MAP_SIDE = 128
# A million bits, as the tests of NIST want.
_NIST_SHAPE = (512, 256)

FEWEST_KEYS = 5
# How often chance may fail a whole series.
SURE = 0.001


@dataclass(frozen=True, eq=False, kw_only=True)
class Series:
    """One figure over many keys, in a measurement for each.

    `most_fails` is None for what is no test; else more tests fail for one truly random series in a
    thousand only.
    """

    name: str
    measurements: tuple[Measurement, ...]
    most_fails: int | None

    @property
    def values(self) -> list[float]:
        """The figures that are defined."""
        return [each.value for each in self.measurements if not isnan(each.value)]

    @property
    def fails(self) -> int:
        """How many tests failed."""
        return sum(each.passed is False for each in self.measurements)

    @property
    def passed(self) -> bool | None:
        """Whether no more failed than chance explains; of a single test, whether it passed."""
        # A single test has no series in which chance could be allowed for.
        if len(self.measurements) == 1:
            return self.measurements[0].passed
        if self.most_fails is None or not self.values:
            return None
        return self.fails <= self.most_fails


def series_of(group: Sequence[Measurement]) -> Series:
    """Return one figure over all keys, and how many of its tests chance may fail."""
    most = None
    level = group[0].level
    if level is not None and any(each.passed is not None for each in group):
        with optional_library("scipy"):
            from scipy import stats
        most = int(stats.binom(len(group), level).isf(SURE))
    return Series(name=group[0].name, measurements=tuple(group), most_fails=most)


@dataclass(frozen=True, eq=False, kw_only=True)
class PictureSeries:
    """One picture under many keys: the results for the first, and all figures.

    `restored` is None if the scheme has no inverse. `wrong_key` is what a key gives that differs in
    the last bit, None if it is refused, or if there is no inverse.
    """

    plain: NamedImage
    protected: AnyArray
    restored: AnyArray | None
    wrong_key: AnyArray | None
    exact: int | None
    series: tuple[Series, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class SecurityFigures:
    """What the suite measured, with a number of keys and at one level of significance.

    `key` holds key sensitivity and avalanche, without salt, if there is a key; `key_bits` is the
    key space by counting alone. `maps` holds statistics of the map of 128 x 128 pixels, if pixels
    move one by one and keep their values. `attacks` and `robustness` are on the first picture, and
    `randomness` is of the result for a black picture, if values change.
    """

    scheme: MeasuredScheme
    keys: int
    level: float
    pictures: tuple[PictureSeries, ...]
    key: tuple[Measurement, ...]
    key_bits: float
    maps: tuple[Series, ...]
    attacks: tuple[AttackFigures, ...]
    robustness: RobustnessFigures
    randomness: tuple[RandomnessResult, ...]


def measure_security(
    scheme: MeasuredScheme,
    pictures: Sequence[NamedImage],
    *,
    keys: int = 20,
    level: float = LEVEL,
    progress: ProgressCallback | None = None,
) -> SecurityFigures:
    """Run everything there is on one scheme, which must take all pictures: its errors pass through.

    There are one picture or more, the first of which is attacked, and 5 `keys` or more, always the
    same ones; fewer could all fail by chance.

    Examples
    --------
    >>> from sudokucrypt.analysis import BASELINES, specimens
    >>> found = measure_security(BASELINES["uniform"], specimens(32)[1:2], keys=5)
    >>> [each.attack.name for each in found.attacks if each.runs[0].broken][:3]
    ['adaptive', 'affine', 'chosen-plaintext']
    """
    if keys < FEWEST_KEYS or not pictures:
        raise InvalidParameterError(
            f"needs at least one picture and {FEWEST_KEYS} keys, not {len(pictures)} and {keys}"
        )
    first, black = pictures[0], np.zeros(_NIST_SHAPE, dtype=np.uint8)
    # Attacks on JPEG files take another kind of scheme.
    names = [name for name, attack in ATTACKS.items() if attack.takes == "pixels"]
    steps = Steps(len(pictures) * keys + len(names) + 4, progress)
    return SecurityFigures(
        scheme=scheme,
        keys=keys,
        level=level,
        pictures=tuple(_picture_series(scheme, each, keys, level, steps) for each in pictures),
        key=steps.after(_key_figures(scheme, first, level) if scheme.key_bits else ()),
        key_bits=_key_bits(scheme, first),
        maps=steps.after(_map_series(scheme, keys, level)),
        attacks=tuple(steps.after(run_attack(name, first, [scheme])) for name in names),
        robustness=steps.after(measure_robustness(scheme, pictures[:1])),
        randomness=steps.after(() if scheme.moves_only else _randomness(scheme, black)),
    )


def _randomness(scheme: MeasuredScheme, black: AnyArray) -> tuple[RandomnessResult, ...]:
    """Test the bits of a result; a scheme may refuse pictures that are not square."""
    try:
        pixels = scheme.usual(black, report_key(0)).pixels
    except (InvalidImageError, UnsupportedError):
        return ()
    return run_nist_tests(bits_from_image(pixels))


def _key_bits(scheme: MeasuredScheme, plain: NamedImage) -> float:
    units = plain.pixels.size
    if scheme.unit == "bit":
        units *= 8 * plain.pixels.itemsize
    elif scheme.unit != "sample":
        units //= len(plain.channels)
    if scheme.block_size is not None:
        units //= scheme.block_size**2
    return key_space_bits(scheme.key_bits, units=units if scheme.moves_only else None)


def _picture_series(
    scheme: MeasuredScheme, plain: NamedImage, keys: int, level: float, steps: Steps
) -> PictureSeries:
    """Measure one picture under each key."""
    rows: list[list[Measurement]] = []
    runs: list[SchemeResult] = []
    exact: int | None = 0
    for index in range(keys):
        key = report_key(index)
        run = scheme.usual(plain.pixels, key)
        if run.undo is None:
            exact = None
        elif exact is not None:
            exact += np.array_equal(run.undo(key), plain.pixels)
        row = list(measured(plain, plain.made_into(run.pixels), level))
        for ending, use in ways_of(scheme):
            row += differential(use, plain, key, level=level, ending=ending)
        rows.append(steps.after(row))
        # Only the first result is shown; all of them would be kept for nothing.
        runs = runs or [run]
    return PictureSeries(
        plain=plain,
        protected=runs[0].pixels,
        restored=None if runs[0].undo is None else runs[0].undo(report_key(0)),
        wrong_key=_under_wrong_key(runs[0]),
        exact=exact,
        series=tuple(series_of(group) for group in zip(*rows, strict=True)),
    )


def _under_wrong_key(run: SchemeResult) -> AnyArray | None:
    """Return what the first key gives with its last bit flipped; None if nothing."""
    key = report_key(0)
    try:
        return None if run.undo is None else run.undo(key[:-1] + bytes([key[-1] ^ 1]))
    except DecryptionError:
        return None


def _key_figures(
    scheme: MeasuredScheme, plain: NamedImage, level: float
) -> tuple[Measurement, ...]:
    """Flip bits of the first key and of the picture, without salt."""
    pixels, key = plain.pixels, report_key(0)
    run = scheme.fixed(pixels, key)

    def protect(image: AnyArray, other: bytes) -> AnyArray:
        return scheme.fixed(image, other).pixels

    undo = run.undo
    # What is restored is always the cipher image of `run`.
    restore = None if undo is None else lambda _, other: undo(other)
    return tuple(
        each
        for metric in metrics_for("scheme")
        for each in metric.take(protect, pixels, key, decrypt=restore, level=level)
    )


def _map_series(scheme: MeasuredScheme, keys: int, level: float) -> tuple[Series, ...]:
    """Measure where pixels go, each of which has a level of its own."""
    if not scheme.moves_only or scheme.block_size is not None:
        return ()
    shape = (_MAP_SIDE, _MAP_SIDE)
    # Every sample is different, so that the result shows where each one went.
    numbers = np.arange(_MAP_SIDE**2, dtype=np.uint16).reshape(shape)
    maps = [
        np.argsort(scheme.usual(numbers, report_key(key)).pixels.ravel().astype(np.int64))
        # Without a key all maps are one, and would count as many.
        for key in range(keys if scheme.key_bits else 1)
    ]
    series = []
    for metric in metrics_for("map"):
        rows = [metric.take(targets, shape=shape, level=level) for targets in maps]
        series += [series_of(group) for group in zip(*rows, strict=True)]
    for metric in metrics_for("maps") if scheme.key_bits else ():
        for each in metric.take(maps, shape=shape, level=SURE):
            series.append(Series(name=each.name, measurements=(each,), most_fails=None))
    return tuple(series)
