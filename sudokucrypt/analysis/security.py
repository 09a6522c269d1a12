"""Run all measurements and attacks on one scheme, under many keys and on several pictures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import fmean
from time import perf_counter
from typing import TypeVar

import numpy as np

from sudokucrypt.analysis.attacking import AttackFigures, AttackRun, run_attack
from sudokucrypt.analysis.attacks import ATTACKS, Finding, probing
from sudokucrypt.analysis.comparison import measure_differential, measure_result
from sudokucrypt.analysis.images import NamedImage
from sudokucrypt.analysis.metrics.keys import key_space_bits
from sudokucrypt.analysis.metrics.metric import find_group, has_aim, list_metrics
from sudokucrypt.analysis.progress import StepCounter, StoppedError, run_guarded
from sudokucrypt.analysis.randomness import RandomnessResult, bits_from_image, run_nist_tests
from sudokucrypt.analysis.results import (
    SERIES_SIGNIFICANCE_LEVEL,
    SIGNIFICANCE_LEVEL,
    Measurement,
    Series,
    make_series,
)
from sudokucrypt.analysis.robustness import RobustnessFigures, measure_robustness
from sudokucrypt.analysis.schemes import (
    MeasuredScheme,
    SchemeResult,
    list_uses,
    report_key,
)
from sudokucrypt.errors import (
    DecryptionError,
    InvalidImageError,
    InvalidParameterError,
    SudokucryptError,
    UnsupportedError,
)
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray, ProgressCallback

Result = TypeVar("Result")

# The side in pixels of the images whose pixel maps are measured: large enough for precise
# statistics, and small enough to give every pixel its own 16-bit number.
_MAP_SIDE = 128
# The shape of an image of a million bits, as the tests of NIST require.
_NIST_SHAPE = (512, 256)
_QUICK_SIDE = 64
# The number of positions at which a sample is changed, as in papers.
_POSITION_COUNT = 100
# The approximate numbers of calls and samples of all attacks. False: for schemes that cannot be
# used without salt, on which most attacks end early. True: for all other schemes.
_ATTACK_COSTS = {False: (6_000, 10**6), True: (18_000, 10**7)}
# The seconds of a report, without the time of the scheme itself: a fixed part, the time to measure
# one sample under one key, and the overhead of one call.
_BASE_SECONDS, _SECONDS_PER_SAMPLE, _SECONDS_PER_CALL = 3.0, 1.5e-7, 5e-5

# A value is far beyond chance if its p-value is below this limit under at least half of the keys.
_P_VALUE_LIMIT = 1e-9

# With fewer keys, a measurement could fail under all of them by chance.
MIN_KEYS = 5


@dataclass(frozen=True, eq=False, kw_only=True)
class PictureSeries:
    """Measurements of one picture under many keys, with the results under the first key.

    `restored` is the restored picture, and None if the scheme has no inverse. `wrong_key` is the
    picture that a key with a different last bit restores; None if this key is refused, or if there
    is no inverse. `key_difference` has the absolute difference of the results under both keys, for
    each sample. `exact` is the number of keys under which the picture is restored exactly,
    and None if the scheme has no inverse.
    """

    plain: NamedImage
    protected: AnyArray
    restored: AnyArray | None
    wrong_key: AnyArray | None
    exact: int | None
    series: tuple[Series, ...]
    key_difference: AnyArray


@dataclass(frozen=True, eq=False, kw_only=True)
class SecurityFigures:
    """All measurements of a scheme, under a number of keys and at one level of significance.

    `places` contains npcr, uaci and nbcr for one changed sample at each of 100 positions, under the
    first key. `key` contains key sensitivity and avalanche, if the scheme has a key and can be used
    without salt. `measured_bits` is the number of key bits that change a result. `key_bits` is the
    least of this number, the number that the scheme states, and the number that its maps allow.
    Both are None if nothing is known. `maps` contains statistics of the map of 128 x 128 pixels, if
    pixels move one by one and keep their values. `places`, `key`, `attacks` and `robustness` are
    measured on the first picture that the scheme takes, and `randomness` on the result of a black
    picture, if values change. `failures` are sentences about metrics and tests that fail far beyond
    chance for these pictures but not for noise. `refusals` has the reason for each picture or part
    that was left out, by its name.
    """

    scheme: MeasuredScheme
    keys: int
    level: float
    pictures: tuple[PictureSeries, ...]
    places: tuple[Series, ...]
    key: tuple[Measurement, ...]
    key_bits: float | None
    measured_bits: float | None
    maps: tuple[Series, ...]
    attacks: tuple[AttackFigures, ...]
    robustness: RobustnessFigures | None
    randomness: tuple[RandomnessResult, ...]
    failures: tuple[str, ...]
    refusals: Mapping[str, str]

    @property
    def best_break(self) -> tuple[AttackFigures, AttackRun, Finding] | None:
        """The attack that recovers most from the fewest images; None if none breaks the scheme.

        Trying all keys does not use the structure of the scheme, and is ranked last.
        """
        ranked_breaks = [
            (
                (figures.attack.name == "key-bits", -round(finding.recovered, 1), finding.queries),
                (figures, run, finding),
            )
            for figures in self.attacks
            for run in figures.runs
            if run.broken and not run.control and (finding := run.finding) is not None
        ]
        top_ranked_break = min(ranked_breaks, key=lambda row: row[0], default=None)
        return None if top_ranked_break is None else top_ranked_break[1]


def measure_security(
    scheme: MeasuredScheme,
    pictures: Sequence[NamedImage],
    *,
    keys: int = 20,
    seed: int = 0,
    level: float = SIGNIFICANCE_LEVEL,
    quick: bool = False,
    timeout: float | None = None,
    progress: ProgressCallback | None = None,
    announce: Callable[[str], None] | None = None,
) -> SecurityFigures:
    """Run all measurements and attacks on one scheme.

    The first picture that the scheme takes is attacked. Pictures and parts of the suite that cannot
    be run are left out, and `SecurityFigures.refusals` says why. If a built-in scheme takes none of
    the pictures, or a scheme from another package hangs on all, its error is raised.

    With `quick`, only the first picture is used, shrunk and under 5 keys, and neither randomness
    nor robustness is measured.

    Parameters
    ----------
    scheme : MeasuredScheme
        The scheme.
    pictures : sequence of NamedImage
        The pictures, one or more; the first one that the scheme takes is attacked.
    keys : int, default 20
        The number of keys, 5 or more: fewer could all fail by chance.
    seed : int, default 0
        The number from which keys and salts follow, 0 or more: equal seeds give equal results.
    level : float, default 0.05
        The level of significance, between 0 and 1: the share of random images that the test
        rejects.
    quick : bool, default False
        Whether to measure only a small part of the first picture, under 5 keys, without randomness
        and robustness.
    timeout : float, optional
        The seconds after which a part of the suite is stopped; by default there is no limit.
    progress : callable, optional
        Called with the number of steps done and the number of all steps. By default nothing is
        called.
    announce : callable, optional
        Called with a sentence: first the estimated cost, then the name of each part.

    Examples
    --------
    >>> from sudokucrypt.analysis import BASELINES, specimens
    >>> result = measure_security(BASELINES["uniform"], specimens(32)[1:2], keys=5)
    >>> [each.attack.name for each in result.attacks if each.runs[0].broken][:3]
    ['adaptive', 'affine', 'chosen-ciphertext']
    """
    if keys < MIN_KEYS or not pictures:
        raise InvalidParameterError(
            f"a report needs at least one picture and {MIN_KEYS} keys, not {len(pictures)} and "
            f"{keys}"
        )
    announce_part = announce or (lambda _: None)
    if quick:
        keys = MIN_KEYS
        pictures = [
            replace(picture, pixels=_shrink_image(picture.pixels)) for picture in pictures[:1]
        ]
    accepted_pictures, refusals, stop_error = _find_accepted_pictures(scheme, pictures, timeout)
    # If a scheme from another package takes no picture, each part reports why it could not run.
    first, seconds = accepted_pictures[0] if accepted_pictures else (pictures[0], 0.0)
    places = _POSITION_COUNT // (5 if quick else 1)
    measured_pictures = [picture for picture, _ in accepted_pictures] or [first]
    announce_part(_format_estimate(scheme, measured_pictures, seconds, keys=keys, places=places))
    steps = StepCounter(len(accepted_pictures) + len(_list_attack_names()) + 6, progress)
    parts = _SuitePartRunner(
        announce_part, steps, timeout, refusals, is_foreign=bool(scheme.code), stop_error=stop_error
    )
    all_keys = [report_key(index, seed=seed) for index in range(keys)]
    series = [
        parts.run(picture.name, partial(_measure_series, scheme, picture, all_keys, level), None)
        for picture, _ in accepted_pictures
    ]
    attacks = [parts.attack_scheme(name, first, scheme, seed) for name in _list_attack_names()]
    attack_figures = tuple(each for each in attacks if each is not None)
    measured_bits = _get_measured_bits(attack_figures)
    picture_series = tuple(each for each in series if each is not None)
    measure_place_series = partial(_measure_positions, scheme, first, all_keys[0], level, places)
    no_results: tuple[RandomnessResult, ...] = ()
    randomness = parts.run(
        "Randomness of the bits",
        lambda: () if quick or scheme.moves_only else _test_randomness(scheme, first, all_keys[0]),
        no_results,
    )
    runs = parts.run(
        "Robustness", lambda: None if quick else measure_robustness(scheme, [first]).runs, None
    )
    return SecurityFigures(
        scheme=scheme,
        keys=keys,
        level=level,
        pictures=picture_series,
        places=parts.run("One changed sample", measure_place_series, ()),
        key=parts.run("Key", partial(_measure_bit_flips, scheme, first, all_keys[0], level), ()),
        key_bits=_estimate_key_bits(scheme, first, measured_bits),
        measured_bits=measured_bits,
        maps=parts.run("Map", partial(_measure_maps, scheme, [] if quick else all_keys, level), ()),
        attacks=attack_figures,
        robustness=None
        if runs is None
        else RobustnessFigures(scheme=scheme, pictures=(first,), runs=runs),
        randomness=randomness,
        failures=parts.run(
            "Failures", partial(_find_failures, scheme, picture_series, all_keys, randomness), ()
        ),
        refusals=refusals,
    )


def _list_attack_names() -> list[str]:
    """Return the names of the attacks on pixels."""
    return [name for name, attack in ATTACKS.items() if attack.takes == "pixels"]


@dataclass(frozen=True, eq=False)
class _SuitePartRunner:
    """Runs the parts of a suite: parts that fail are left out, with the reason in `refusals`."""

    announce: Callable[[str], None]
    steps: StepCounter
    timeout: float | None
    refusals: dict[str, str]
    is_foreign: bool
    stop_error: StoppedError | None

    def run(
        self,
        name: str,
        function: Callable[[], Result],
        fallback_result: Result,
        *,
        has_time_limit: bool = True,
    ) -> Result:
        """Return the result of a part, or `fallback_result` if it cannot be run."""
        self.announce(name)

        try:
            if self.stop_error is not None:
                raise self.stop_error
            limit = self.timeout if has_time_limit else None
            result = run_guarded(function, foreign=self.is_foreign and has_time_limit, limit=limit)
            return self.steps.count_step(result)
        except SudokucryptError as error:
            self.refusals[name] = str(error)
        return self.steps.count_step(fallback_result)

    def attack_scheme(
        self, name: str, first: NamedImage, scheme: MeasuredScheme, seed: int
    ) -> AttackFigures | None:
        """Run an attack; the time limit is for each of its runs separately."""
        if self.stop_error is not None:
            refused_run = AttackRun(scheme=scheme.name, salt="none", refusal=str(self.stop_error))
            figures = AttackFigures(attack=ATTACKS[name], plain=first, runs=(refused_run,))
            return self.steps.count_step(figures)
        run = partial(run_attack, name, first, [scheme], timeout=self.timeout, seed=seed)
        return self.run(ATTACKS[name].title, run, None, has_time_limit=False)


def _get_measured_bits(attacks: Sequence[AttackFigures]) -> float | None:
    """Return the number of effective bits of the key, or None if no attack measured it."""
    findings = (
        run.finding
        for figures in attacks
        for run in figures.runs
        if not run.control and run.finding is not None
    )
    return next((each.details["bits"] for each in findings if "bits" in each.details), None)


def _shrink_image(pixels: AnyArray) -> AnyArray:
    """Shrink an image to at most 64 pixels a side; a large one becomes square."""
    step = max(1, min(pixels.shape[:2]) // _QUICK_SIDE)
    return np.ascontiguousarray(pixels[::step, ::step][:_QUICK_SIDE, :_QUICK_SIDE])


def _find_accepted_pictures(
    scheme: MeasuredScheme, pictures: Sequence[NamedImage], timeout: float | None
) -> tuple[list[tuple[NamedImage, float]], dict[str, str], StoppedError | None]:
    """Return the accepted pictures with the seconds of a call, and the refusals of the others.

    The third result is the error of a scheme from another package that hangs on the first picture,
    since every part would take its whole time. If a built-in scheme takes no picture, its error is
    raised.
    """
    accepted_pictures: list[tuple[NamedImage, float]] = []
    refusals: dict[str, str] = {}
    for each in pictures:
        start_time = perf_counter()
        try:
            run_guarded(
                lambda: scheme.usual(each.pixels, report_key(0)).pixels,  # noqa: B023
                foreign=bool(scheme.code),
                limit=timeout,
            )
        except SudokucryptError as error:
            if not scheme.code and each is pictures[-1] and not accepted_pictures:
                raise
            refusals[each.name] = str(error)
            if isinstance(error, StoppedError) and scheme.code and not accepted_pictures:
                return [], refusals, error
            continue
        accepted_pictures.append((each, perf_counter() - start_time))
    return accepted_pictures, refusals, None


def estimate_calls(
    scheme: MeasuredScheme, pictures: Sequence[NamedImage], *, keys: int, places: int
) -> tuple[int, int]:
    """Estimate the number of calls of a scheme in a report, and the number of their samples."""
    uses = list_uses(scheme)
    calls_per_picture = keys * (2 + 2 * len(uses))
    call_count, samples = _ATTACK_COSTS["none" in uses]
    first_sample_count, all_sample_count = (
        pictures[0].pixels.size,
        sum(each.pixels.size for each in pictures),
    )
    call_count += calls_per_picture * len(pictures) + 2 * places
    # Attacks query the whole picture about a hundred times; their other queries are small.
    return call_count, samples + calls_per_picture * all_sample_count + (
        2 * places + 100
    ) * first_sample_count


def _format_estimate(
    scheme: MeasuredScheme,
    pictures: Sequence[NamedImage],
    seconds: float,
    *,
    keys: int,
    places: int,
) -> str:
    """Return a text with the calls and the time of a report, estimated from the first call."""
    call_count, samples = estimate_calls(scheme, pictures, keys=keys, places=places)
    base_seconds = (
        _BASE_SECONDS + keys * sum(each.pixels.size for each in pictures) * _SECONDS_PER_SAMPLE
    )
    total_seconds = (
        base_seconds + call_count * _SECONDS_PER_CALL + samples * seconds / pictures[0].pixels.size
    )
    duration_text = (
        f"{total_seconds:.0f} seconds"
        if total_seconds < 100
        else f"{total_seconds / 60:.0f} minutes"
    )
    return f"about {call_count:,} calls of {scheme.name}, about {duration_text}"


def _test_randomness(
    scheme: MeasuredScheme, first: NamedImage, key: bytes
) -> tuple[RandomnessResult, ...]:
    """Run the NIST tests on the bits of the result of a black image."""
    return run_nist_tests(bits_from_image(_query_long_result(scheme, first, key, np.zeros_like)))


def _query_long_result(
    scheme: MeasuredScheme,
    first: NamedImage,
    key: bytes,
    fill_image: Callable[[AnyArray], AnyArray],
) -> AnyArray:
    """Return the result of an image of a million bits, or of the picture's size as a fallback."""
    try:
        return scheme.usual(fill_image(np.zeros(_NIST_SHAPE, np.uint8)), key).pixels
    except (InvalidImageError, UnsupportedError):
        return scheme.usual(fill_image(first.pixels), key).pixels


def _find_failures(
    scheme: MeasuredScheme,
    pictures: Sequence[PictureSeries],
    keys: Sequence[bytes],
    randomness: Sequence[RandomnessResult],
) -> tuple[str, ...]:
    """Return the metrics and tests that fail far beyond chance because of the picture's content.

    Failures for noise are excluded, since they are a property of the results, such as a photograph
    that carries them, and say nothing about the picture.
    """
    groups = {"neighbors"} if scheme.moves_only else {"neighbors", "entropy", "histogram"}
    failures = []
    for picture in pictures:
        failing_series = [
            series
            for series in picture.series
            if has_aim(series.name)
            and find_group(series.name) in groups
            and _is_far_beyond_chance(series)
        ]
        if not failing_series:
            continue
        noise = replace(
            picture.plain,
            pixels=probing.draw_noise(probing.make_generator(26), picture.plain.pixels),
        )
        rows = [
            measure_result(
                noise, noise.with_pixels(scheme.usual(noise.pixels, key).pixels), SIGNIFICANCE_LEVEL
            )
            for key in keys[:MIN_KEYS]
        ]
        noise_series = [make_series(group) for group in zip(*rows, strict=True)]
        failing_noise_names = {
            series.name for series in noise_series if _is_far_beyond_chance(series)
        }
        failures += [
            f"{series.name.replace('_', ' ')} of {picture.plain.name} is "
            f"{fmean(series.values):.4f} on average"
            for series in failing_series
            if series.name not in failing_noise_names
        ]
    failed_tests = [test for test in randomness if min(test.p_values, default=1.0) < _P_VALUE_LIMIT]
    if failed_tests and pictures:
        noise_result = _query_long_result(
            scheme,
            pictures[0].plain,
            keys[0],
            partial(probing.draw_noise, probing.make_generator(26)),
        )
        noise_results = {test.name: test for test in run_nist_tests(bits_from_image(noise_result))}
        failures += [
            f"the {test.name.replace('_', ' ')} test of NIST fails for a black picture"
            for test in failed_tests
            if min(noise_results[test.name].p_values, default=1.0) >= _P_VALUE_LIMIT
        ]
    return tuple(failures)


def _is_far_beyond_chance(series: Series) -> bool:
    """Return whether a value is far beyond chance under half of the keys or more."""
    rare_flags = [
        each.p_value is not None and each.p_value < _P_VALUE_LIMIT for each in series.measurements
    ]
    return sum(rare_flags) * 2 >= len(rare_flags)


def _estimate_key_bits(
    scheme: MeasuredScheme, plain: NamedImage, measured_bits: float | None
) -> float | None:
    """Return the lowest of stated key bits, measured key bits, and log2 of the number of maps."""
    units = plain.pixels.size
    if scheme.unit == "bit":
        units *= 8 * plain.pixels.itemsize
    elif scheme.unit != "sample":
        units //= len(plain.channels)
    if scheme.block_size is not None:
        units //= scheme.block_size**2
    known_key_bits = [bits for bits in (scheme.key_bits, measured_bits) if bits is not None]
    if not known_key_bits:
        return None
    return key_space_bits(min(known_key_bits), units=units if scheme.moves_only else None)


def _measure_positions(
    scheme: MeasuredScheme, plain: NamedImage, key: bytes, level: float, count: int
) -> tuple[Series, ...]:
    """Measure npcr, uaci and nbcr for one changed sample at each of many positions."""
    size = plain.pixels.size
    positions = seeded_draws(0).below_each(np.full(min(count, size), size)).tolist()
    salt = next(iter(list_uses(scheme)))
    rows = [
        measure_differential(scheme, plain, key, level=level, salt=salt, position=position)
        for position in positions
    ]
    return tuple(make_series(group) for group in zip(*rows, strict=True))


def _measure_series(
    scheme: MeasuredScheme, plain: NamedImage, keys: Sequence[bytes], level: float
) -> PictureSeries:
    """Measure one picture under each key."""
    rows: list[list[Measurement]] = []
    results: list[SchemeResult] = []
    restored_count: int | None = 0
    for key in keys:
        result = scheme.usual(plain.pixels, key)
        if result.undo is None:
            restored_count = None
        elif restored_count is not None:
            restored_pixels = _restore_pixels(result, key)
            restored_count += restored_pixels is not None and np.array_equal(
                restored_pixels, plain.pixels
            )
        row = list(measure_result(plain, plain.with_pixels(result.pixels), level))
        for salt in list_uses(scheme):
            row += measure_differential(scheme, plain, key, level=level, salt=salt)
        rows.append(row)
        # Only the first result is shown, so the others are not kept.
        results = results or [result]
    return PictureSeries(
        plain=plain,
        protected=results[0].pixels,
        restored=_restore_pixels(results[0], keys[0]),
        wrong_key=_restore_pixels(results[0], _flip_last_bit(keys[0])),
        exact=restored_count,
        key_difference=_measure_distances(
            results[0].pixels, scheme.usual(plain.pixels, _flip_last_bit(keys[0])).pixels
        ),
        series=tuple(make_series(group) for group in zip(*rows, strict=True)),
    )


def _measure_distances(first: AnyArray, second: AnyArray) -> AnyArray:
    if first.dtype == np.bool_:
        return np.asarray(first != second)
    return np.asarray(np.maximum(first, second) - np.minimum(first, second))


def _restore_pixels(result: SchemeResult, key: bytes) -> AnyArray | None:
    """Return a result decrypted by a key; None if the key is refused or there is no inverse."""
    try:
        return None if result.undo is None else result.undo(key)
    except DecryptionError:
        return None


def _flip_last_bit(key: bytes) -> bytes:
    return key[:-1] + bytes([key[-1] ^ 1])


def _measure_bit_flips(
    scheme: MeasuredScheme, plain: NamedImage, key: bytes, level: float
) -> tuple[Measurement, ...]:
    """Measure the effect of flipped bits of the first key and of the picture, without salt."""
    if scheme.key_bits == 0 or "none" not in list_uses(scheme):
        return ()
    pixels = plain.pixels
    result = scheme.fixed(pixels, key)

    def protect(image: AnyArray, other_key: bytes) -> AnyArray:
        return scheme.fixed(image, other_key).pixels

    undo, metrics = result.undo, list_metrics("scheme")
    # At this level, at most one scheme in a thousand fails any of its tests by chance.
    level = min(
        level, SERIES_SIGNIFICANCE_LEVEL / max(1, sum(len(each.figures) or 1 for each in metrics))
    )
    # `undo` restores the result above, so the image argument is ignored.
    restore = None if undo is None else lambda _, other_key: undo(other_key)
    return tuple(
        each
        for metric in metrics
        for each in metric.measure_named(protect, pixels, key, decrypt=restore, level=level)
    )


def _measure_maps(
    scheme: MeasuredScheme, keys: Sequence[bytes], level: float
) -> tuple[Series, ...]:
    """Measure the pixel maps under all keys, found by scrambling an image of distinct samples."""
    if not scheme.moves_only or scheme.block_size is not None or not keys:
        return ()
    shape = (_MAP_SIDE, _MAP_SIDE)
    # Every sample is different, so the result shows where each one moved.
    numbers = np.arange(_MAP_SIDE**2, dtype=np.uint16).reshape(shape)
    maps = [
        np.argsort(scheme.usual(numbers, key).pixels.ravel().astype(np.int64))
        # Without a key, all maps are equal, and only one is counted.
        for key in keys[: 1 if scheme.key_bits == 0 else None]
    ]
    series = []
    for metric in list_metrics("map"):
        rows = [metric.measure_named(targets, shape=shape, level=level) for targets in maps]
        series += [make_series(group) for group in zip(*rows, strict=True)]
    for metric in () if scheme.key_bits == 0 else list_metrics("maps"):
        for each in metric.measure_named(maps, shape=shape, level=SERIES_SIGNIFICANCE_LEVEL):
            series.append(Series(name=each.name, measurements=(each,), most_fails=None))
    return tuple(series)
