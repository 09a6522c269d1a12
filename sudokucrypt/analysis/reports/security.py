"""The whole battery on one scheme: many keys, several pictures, every attack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

import numpy as np

from sudokucrypt.analysis.keys import avalanche, key_sensitivity, key_space_bits
from sudokucrypt.analysis.permutations import permutation_statistics
from sudokucrypt.analysis.positions import position_table, position_uniformity
from sudokucrypt.analysis.randomness import RandomnessResult, bits_from_image, run_nist_tests
from sudokucrypt.analysis.reports.attacking import AttackFigures, AttackName, run_attack
from sudokucrypt.analysis.reports.comparison import differential, measured, report_key
from sudokucrypt.analysis.reports.series import SURE, Series, series_of
from sudokucrypt.analysis.reports.steps import Steps
from sudokucrypt.analysis.reports.subject import KEY_BYTES
from sudokucrypt.analysis.results import DEFAULT_LEVEL, Measurement
from sudokucrypt.errors import InvalidParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sudokucrypt.analysis.reports.named_image import NamedImage
    from sudokucrypt.analysis.reports.steps import Progress
    from sudokucrypt.analysis.reports.subject import Run, Subject
    from sudokucrypt.typing import AnyArray, IntArray

_FLIPS = 16
_MAP_SIDE = 128
_NIST_SHAPE = (512, 256)
"""A million bits, as the tests of NIST want."""

FEWEST_KEYS = 5


@dataclass(frozen=True, eq=False, kw_only=True)
class PictureSeries:
    """One picture under many keys: the results for the first, and all figures."""

    plain: NamedImage
    protected: AnyArray
    restored: AnyArray
    exact: int
    series: tuple[Series, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class SecurityFigures:
    """What the battery found.

    Parameters
    ----------
    subject : Subject
        The scheme.
    keys : int
        How many keys each figure was measured under.
    level : float
        The level of significance of each test.
    pictures : tuple of PictureSeries
        One for each picture.
    key : tuple of Measurement
        Key sensitivity and avalanche, without salt; empty if there is no key.
    key_bits : float
        The key space in bits, by counting alone.
    maps : tuple of Series
        Statistics of the map of 128 x 128 pixels; empty where values change or blocks move.
    attacks : tuple of AttackFigures
        All attacks, on the first picture.
    randomness : tuple of RandomnessResult
        NIST's tests on the result for a black picture; empty where values do not change.
    """

    subject: Subject
    keys: int
    level: float
    pictures: tuple[PictureSeries, ...]
    key: tuple[Measurement, ...]
    key_bits: float
    maps: tuple[Series, ...]
    attacks: tuple[AttackFigures, ...]
    randomness: tuple[RandomnessResult, ...]


def measure_security(
    subject: Subject,
    pictures: Sequence[NamedImage],
    *,
    keys: int = 20,
    level: float = DEFAULT_LEVEL,
    progress: Progress | None = None,
) -> SecurityFigures:
    """Run everything there is on one scheme.

    Parameters
    ----------
    subject : Subject
        The scheme.
    pictures : sequence of NamedImage
        One or more; attacks are shown on the first.
    keys : int
        How many keys, 5 or more, since fewer could all fail by chance; always the same ones.
    level : float
        The level of significance of each test.
    progress : callable, optional
        Is told how many steps are done, and of how many.

    Raises
    ------
    InvalidParameterError
        If there are fewer keys, or no picture.
    SudokucryptError
        If the scheme does not take one of the pictures.

    Examples
    --------
    >>> from sudokucrypt.analysis.reports import baseline_subjects, specimens
    >>> found = measure_security(baseline_subjects()["uniform"], specimens(32)[1:2], keys=5)
    >>> [attack.attack for attack in found.attacks if attack.runs[0].broken]
    ['cpa', 'kpa', 'differential']
    """
    if keys < FEWEST_KEYS or not pictures:
        raise InvalidParameterError(
            f"a picture and {FEWEST_KEYS} keys are the least, not {len(pictures)} and {keys}"
        )
    names: tuple[AttackName, ...] = get_args(AttackName)
    first = pictures[0]
    steps = Steps(len(pictures) * keys + len(names) + 3, progress)
    return SecurityFigures(
        subject=subject,
        keys=keys,
        level=level,
        pictures=tuple(_picture_series(subject, each, keys, level, steps) for each in pictures),
        key=steps.after(_key_figures(subject, first, level) if subject.keyed else ()),
        key_bits=_key_bits(subject, first),
        maps=steps.after(_map_series(subject, keys, level)),
        attacks=tuple(steps.after(run_attack(name, first, [subject])) for name in names),
        randomness=steps.after(() if subject.moves_only else _randomness(subject)),
    )


def _key_bits(subject: Subject, plain: NamedImage) -> float:
    """Return the key space in bits, by counting keys and maps."""
    units = plain.pixels.size
    if subject.unit == "pixel":
        units //= len(plain.channels)
    if subject.block_size is not None:
        units //= subject.block_size**2
    return key_space_bits(
        8 * KEY_BYTES if subject.keyed else 0, units=units if subject.moves_only else None
    )


def _randomness(subject: Subject) -> tuple[RandomnessResult, ...]:
    """Run NIST's tests on the result for a black picture."""
    black = np.zeros(_NIST_SHAPE, dtype=np.uint8)
    return run_nist_tests(bits_from_image(subject.usual(black, report_key(0)).pixels))


def _picture_series(
    subject: Subject, plain: NamedImage, keys: int, level: float, steps: Steps
) -> PictureSeries:
    """Measure one picture under each key."""
    rows: list[list[Measurement]] = []
    runs: list[Run] = []
    exact = 0
    for number in range(keys):
        key = report_key(number)
        run = subject.usual(plain.pixels, key)
        back = run.undo(key)
        exact += np.array_equal(back, plain.pixels)
        row = list(measured(plain, run.pixels, level))
        row += differential(subject.fixed, plain, key, level=level, ending="same_salt")
        if subject.fresh is not None:
            row += differential(subject.fresh, plain, key, level=level, ending="fresh_salt")
        rows.append(steps.after(row))
        runs = runs or [run]
    return PictureSeries(
        plain=plain,
        protected=runs[0].pixels,
        restored=runs[0].undo(report_key(0)),
        exact=exact,
        series=tuple(series_of(group) for group in zip(*rows, strict=True)),
    )


def _key_figures(subject: Subject, plain: NamedImage, level: float) -> tuple[Measurement, ...]:
    """Flip bits of the first key and of the picture, without salt."""
    pixels, key = plain.pixels, report_key(0)
    run = subject.fixed(pixels, key)

    def protect(image: AnyArray, other: bytes) -> AnyArray:
        return subject.fixed(image, other).pixels

    def restore(cipher: AnyArray, other: bytes) -> AnyArray:
        del cipher  # always that of `run`
        return run.undo(other)

    return (
        *key_sensitivity(protect, pixels, key, decrypt=restore, flips=_FLIPS, level=level),
        avalanche(protect, pixels, key, of="key", flips=_FLIPS, level=level),
        avalanche(protect, pixels, key, of="image", flips=_FLIPS, level=level),
    )


def _map_series(subject: Subject, keys: int, level: float) -> tuple[Series, ...]:
    """Measure where pixels go, each of which has a level of its own."""
    if not subject.moves_only or subject.block_size is not None:
        return ()
    maps = list(_maps(subject, keys))
    shape = (_MAP_SIDE, _MAP_SIDE)
    rows = [permutation_statistics(places, shape=shape, level=level) for places in maps]
    found = [series_of(group) for group in zip(*rows, strict=True)]
    if subject.keyed:
        table = position_table(maps)
        uniformity = position_uniformity(table, units=_MAP_SIDE**2, level=SURE)
        found.append(Series(name=uniformity.name, measurements=(uniformity,), most_fails=None))
    return tuple(found)


def _maps(subject: Subject, keys: int) -> Iterator[IntArray]:
    """Yield for each key where the pixels of one image land."""
    numbers = np.arange(_MAP_SIDE**2, dtype=np.uint16).reshape(_MAP_SIDE, _MAP_SIDE)
    for key in range(keys if subject.keyed else 1):
        sources = subject.usual(numbers, report_key(key)).pixels.ravel().astype(np.int64)
        yield np.argsort(sources)
