"""The whole suite on one scheme: many keys, several pictures, every attack."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import fmean
from time import perf_counter
from typing import TypeVar

import numpy as np

from sudokucrypt.analysis.attacking import AttackFigures, AttackRun, run_attack
from sudokucrypt.analysis.attacks import ATTACKS, Finding, probing
from sudokucrypt.analysis.comparison import differential, measure_result
from sudokucrypt.analysis.images import NamedImage
from sudokucrypt.analysis.metrics.keys import key_space_bits
from sudokucrypt.analysis.metrics.metric import group_of, has_aim, metrics_for
from sudokucrypt.analysis.progress import Steps, StoppedError, run_guarded
from sudokucrypt.analysis.randomness import RandomnessResult, bits_from_image, run_nist_tests
from sudokucrypt.analysis.results import LEVEL, SURE, Measurement, Series, series_of
from sudokucrypt.analysis.robustness import RobustnessFigures, measure_robustness
from sudokucrypt.analysis.schemes import (
    MeasuredScheme,
    SchemeResult,
    report_key,
    uses_of,
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

T = TypeVar("T")

# Large enough for figures of permutations to be sharp, small enough for 16-bit numbers of pixels.
_MAP_SIDE = 128
# A million bits, as the tests of NIST want.
_NIST_SHAPE = (512, 256)
_QUICK_SIDE = 64
# Places where a sample is changed, as many as papers take.
_PLACES = 100
# About what all attacks ask for, in calls and samples: little where equal images differ at once.
_ATTACKS = {False: (6_000, 10**6), True: (18_000, 10**7)}
# The seconds of a report besides those of the scheme: for itself, for a sample under a key of
# which all metrics are taken, and for a call.
_OWN, _OWN_A_SAMPLE, _OWN_A_CALL = 3.0, 1.5e-7, 5e-5

# A figure is far beyond chance if it is as rare as that under half of the keys.
_FAR = 1e-9

# With fewer, all could fail by chance.
FEWEST_KEYS = 5


@dataclass(frozen=True, eq=False, kw_only=True)
class PictureSeries:
    """One picture under many keys: the results for the first, and all figures.

    `restored` is None if the scheme has no inverse. `wrong_key` is what a key gives that differs in
    the last bit, None if it is refused, or if there is no inverse. `key_difference` is how far the
    results for both keys are apart, sample by sample.
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
    """What the suite measured, with a number of keys and at one level of significance.

    `places` holds npcr, uaci and nbcr for one changed sample at each of 100 places, under the first
    key. `key` holds key sensitivity and avalanche, if there is a key and a use without salt.
    `measured_bits` is how many bits of the key change a result, and `key_bits` the least of that,
    of what the scheme states and of what its maps allow; None where nothing is known. `maps` holds
    statistics of the map of 128 x 128 pixels, if pixels move one by one and keep their values.
    `places`, `key`, `attacks` and `robustness` are on the first picture that the scheme takes, and
    `randomness` is of the result for a black picture, if values change. `failures` are metrics and
    tests, in words, that fail far beyond chance for these pictures and not for one of noise.
    `refusals` says by the names of pictures and parts why they were left out.
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
        """The attack that shows most of the picture by the fewest images; None if none breaks it.

        Trying all keys shows nothing of its own, and comes last.
        """
        ranked = [
            (
                (figures.attack.name == "key-bits", -round(each.recovered, 1), each.queries),
                (figures, run, each),
            )
            for figures in self.attacks
            for run in figures.runs
            if run.broken and not run.control and (each := run.finding) is not None
        ]
        least = min(ranked, key=lambda row: row[0], default=None)
        return None if least is None else least[1]


def measure_security(
    scheme: MeasuredScheme,
    pictures: Sequence[NamedImage],
    *,
    keys: int = 20,
    seed: int = 0,
    level: float = LEVEL,
    quick: bool = False,
    timeout: float | None = None,
    progress: ProgressCallback | None = None,
    announce: Callable[[str], None] | None = None,
) -> SecurityFigures:
    """Run everything there is on one scheme.

    There are one picture or more, the first of which that the scheme takes is attacked, and 5
    `keys` or more, always the same ones; fewer could all fail by chance. What a part of the suite
    cannot be run on is left out, and `SecurityFigures.refusals` says why; if one of our schemes
    takes none of the pictures, or one of others hangs on all, the error passes through.

    Keys follow from the seed. With `quick` only that picture counts, made smaller and under 5 keys,
    and neither randomness nor robustness is measured. No part takes longer than `timeout` seconds,
    if that is given. `announce` is called with the estimated cost first, and then with the name of
    each part.

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
    if keys < FEWEST_KEYS or not pictures:
        raise InvalidParameterError(
            f"needs at least one picture and {FEWEST_KEYS} keys, not {len(pictures)} and {keys}"
        )
    say = announce or (lambda _: None)
    if quick:
        keys = FEWEST_KEYS
        pictures = [replace(each, pixels=_small(each.pixels)) for each in pictures[:1]]
    accepted, refusals, stopped = _find_accepted(scheme, pictures, timeout)
    # On a scheme of others that takes none, each part says why it could not be run.
    first, seconds = accepted[0] if accepted else (pictures[0], 0.0)
    places = _PLACES // (5 if quick else 1)
    taken = [each for each, _ in accepted] or [first]
    say(_estimate(scheme, taken, seconds, keys=keys, places=places))
    steps = Steps(len(accepted) + len(_names()) + 6, progress)
    parts = _Parts(say, steps, timeout, refusals, foreign=bool(scheme.code), stopped=stopped)
    all_keys = [report_key(index, seed=seed) for index in range(keys)]
    series = [
        parts.run(each.name, partial(_picture_series, scheme, each, all_keys, level), None)
        for each, _ in accepted
    ]
    attacks = [parts.attack(name, first, scheme, seed) for name in _names()]
    attack_figures = tuple(each for each in attacks if each is not None)
    measured = _measured_bits(attack_figures)
    pictures_measured = tuple(each for each in series if each is not None)
    position_series = partial(_place_series, scheme, first, all_keys[0], level, places)
    no_tests: tuple[RandomnessResult, ...] = ()
    randomness = parts.run(
        "Randomness of the bits",
        lambda: () if quick or scheme.moves_only else _randomness(scheme, first, all_keys[0]),
        no_tests,
    )
    runs = parts.run(
        "Robustness", lambda: None if quick else measure_robustness(scheme, [first]).runs, None
    )
    return SecurityFigures(
        scheme=scheme,
        keys=keys,
        level=level,
        pictures=pictures_measured,
        places=parts.run("One changed sample", position_series, ()),
        key=parts.run("Key", partial(_key_figures, scheme, first, all_keys[0], level), ()),
        key_bits=_key_bits(scheme, first, measured),
        measured_bits=measured,
        maps=parts.run("Map", partial(_map_series, scheme, [] if quick else all_keys, level), ()),
        attacks=attack_figures,
        robustness=None
        if runs is None
        else RobustnessFigures(scheme=scheme, pictures=(first,), runs=runs),
        randomness=randomness,
        failures=parts.run(
            "Failures", partial(_failures, scheme, pictures_measured, all_keys, randomness), ()
        ),
        refusals=refusals,
    )


def _names() -> list[str]:
    """Return the attacks to run: those on JPEG files take another kind of scheme."""
    return [name for name, attack in ATTACKS.items() if attack.takes == "pixels"]


@dataclass(frozen=True, eq=False)
class _Parts:
    """How the parts of a suite are run: what cannot be run is left out, and `refusals` says why."""

    say: Callable[[str], None]
    steps: Steps
    timeout: float | None
    refusals: dict[str, str]
    foreign: bool
    stopped: StoppedError | None

    def run(self, name: str, work: Callable[[], T], otherwise: T, *, limited: bool = True) -> T:
        """Return what a part gives, or something else where it cannot be run."""
        self.say(name)

        try:
            if self.stopped is not None:
                raise self.stopped
            limit = self.timeout if limited else None
            done = run_guarded(work, foreign=self.foreign and limited, limit=limit)
            return self.steps.after(done)
        except SudokucryptError as error:
            self.refusals[name] = str(error)
        return self.steps.after(otherwise)

    def attack(
        self, name: str, first: NamedImage, scheme: MeasuredScheme, seed: int
    ) -> AttackFigures | None:
        """Return what an attack gives; each of its runs has the time for itself."""
        if self.stopped is not None:
            refused = AttackRun(scheme=scheme.name, salt="none", refusal=str(self.stopped))
            figures = AttackFigures(attack=ATTACKS[name], plain=first, runs=(refused,))
            return self.steps.after(figures)
        work = partial(run_attack, name, first, [scheme], timeout=self.timeout, seed=seed)
        return self.run(ATTACKS[name].title, work, None, limited=False)


def _measured_bits(attacks: Sequence[AttackFigures]) -> float | None:
    """Return how many bits of the key count, None where no attack counted them."""
    findings = (
        run.finding
        for figures in attacks
        for run in figures.runs
        if not run.control and run.finding is not None
    )
    return next((each.details["bits"] for each in findings if "bits" in each.details), None)


def _small(pixels: AnyArray) -> AnyArray:
    """Return an image of at most 64 pixels a side, square if it was large enough."""
    step = max(1, min(pixels.shape[:2]) // _QUICK_SIDE)
    return np.ascontiguousarray(pixels[::step, ::step][:_QUICK_SIDE, :_QUICK_SIDE])


def _find_accepted(
    scheme: MeasuredScheme, pictures: Sequence[NamedImage], timeout: float | None
) -> tuple[list[tuple[NamedImage, float]], dict[str, str], StoppedError | None]:
    """Return the pictures that a scheme takes with the seconds of a call, and why not the others.

    Last comes the error of a scheme of others that hangs on the first picture: each part of it
    would take all of its time. Raises the error of a scheme of ours that takes none.
    """
    accepted: list[tuple[NamedImage, float]] = []
    refusals: dict[str, str] = {}
    for each in pictures:
        start = perf_counter()
        try:
            run_guarded(
                lambda: scheme.usual(each.pixels, report_key(0)).pixels,  # noqa: B023
                foreign=bool(scheme.code),
                limit=timeout,
            )
        except SudokucryptError as error:
            if not scheme.code and each is pictures[-1] and not accepted:
                raise
            refusals[each.name] = str(error)
            if isinstance(error, StoppedError) and scheme.code and not accepted:
                return [], refusals, error
            continue
        accepted.append((each, perf_counter() - start))
    return accepted, refusals, None


def expected_work(
    scheme: MeasuredScheme, pictures: Sequence[NamedImage], *, keys: int, places: int
) -> tuple[int, int]:
    """Return about how many calls of a scheme a report takes, and how many samples these have."""
    uses = uses_of(scheme)
    each_key = keys * (2 + 2 * len(uses))
    calls, samples = _ATTACKS["none" in uses]
    first, total = pictures[0].pixels.size, sum(each.pixels.size for each in pictures)
    calls += each_key * len(pictures) + 2 * places
    # Attacks ask for the whole picture about a hundred times, and else for small ones.
    return calls, samples + each_key * total + (2 * places + 100) * first


def _estimate(
    scheme: MeasuredScheme,
    pictures: Sequence[NamedImage],
    seconds: float,
    *,
    keys: int,
    places: int,
) -> str:
    """Return how many calls a report takes and how long, by the time of the first one."""
    calls, samples = expected_work(scheme, pictures, keys=keys, places=places)
    own = _OWN + keys * sum(each.pixels.size for each in pictures) * _OWN_A_SAMPLE
    total = own + calls * _OWN_A_CALL + samples * seconds / pictures[0].pixels.size
    time = f"{total:.0f} seconds" if total < 100 else f"{total / 60:.0f} minutes"
    return f"about {calls:,} calls of {scheme.name}, about {time}"


def _randomness(
    scheme: MeasuredScheme, first: NamedImage, key: bytes
) -> tuple[RandomnessResult, ...]:
    """Test the bits of a result for black."""
    return run_nist_tests(bits_from_image(_long_result(scheme, first, key, np.zeros_like)))


def _long_result(
    scheme: MeasuredScheme, first: NamedImage, key: bytes, fill: Callable[[AnyArray], AnyArray]
) -> AnyArray:
    """Return a result of a million bits; of the size of the picture where others are refused."""
    try:
        return scheme.usual(fill(np.zeros(_NIST_SHAPE, np.uint8)), key).pixels
    except (InvalidImageError, UnsupportedError):
        return scheme.usual(fill(first.pixels), key).pixels


def _failures(
    scheme: MeasuredScheme,
    pictures: Sequence[PictureSeries],
    keys: Sequence[bytes],
    randomness: Sequence[RandomnessResult],
) -> tuple[str, ...]:
    """Return which metrics and tests fail far beyond chance because of what is in a picture.

    What fails for noise too is a property of the results, such as a photograph that carries them,
    and shows nothing of the picture.
    """
    groups = {"neighbors"} if scheme.moves_only else {"neighbors", "entropy", "histogram"}
    failures = []
    for each in pictures:
        far = [
            series
            for series in each.series
            if has_aim(series.name) and group_of(series.name) in groups and _fails_far(series)
        ]
        if not far:
            continue
        noise = replace(each.plain, pixels=probing.noise(probing.generator(26), each.plain.pixels))
        rows = [
            measure_result(noise, noise.made_into(scheme.usual(noise.pixels, key).pixels), LEVEL)
            for key in keys[:FEWEST_KEYS]
        ]
        control = [series_of(group) for group in zip(*rows, strict=True)]
        also = {series.name for series in control if _fails_far(series)}
        failures += [
            f"{series.name.replace('_', ' ')} of {each.plain.name} is "
            f"{fmean(series.values):.4f} on average"
            for series in far
            if series.name not in also
        ]
    failed = [each for each in randomness if min(each.p_values, default=1.0) < _FAR]
    if failed and pictures:
        noise_result = _long_result(
            scheme, pictures[0].plain, keys[0], partial(probing.noise, probing.generator(26))
        )
        again = {each.name: each for each in run_nist_tests(bits_from_image(noise_result))}
        failures += [
            f"the {each.name.replace('_', ' ')} test of NIST fails for a black picture"
            for each in failed
            if min(again[each.name].p_values, default=1.0) >= _FAR
        ]
    return tuple(failures)


def _fails_far(series: Series) -> bool:
    """Return whether a figure is far beyond chance under half of the keys or more."""
    far = [each.p_value is not None and each.p_value < _FAR for each in series.measurements]
    return sum(far) * 2 >= len(far)


def _key_bits(scheme: MeasuredScheme, plain: NamedImage, measured: float | None) -> float | None:
    """Return the least of what is stated, what was measured and what the maps allow."""
    units = plain.pixels.size
    if scheme.unit == "bit":
        units *= 8 * plain.pixels.itemsize
    elif scheme.unit != "sample":
        units //= len(plain.channels)
    if scheme.block_size is not None:
        units //= scheme.block_size**2
    known = [bits for bits in (scheme.key_bits, measured) if bits is not None]
    if not known:
        return None
    return key_space_bits(min(known), units=units if scheme.moves_only else None)


def _place_series(
    scheme: MeasuredScheme, plain: NamedImage, key: bytes, level: float, count: int
) -> tuple[Series, ...]:
    """Change one sample at each of many places, under the first key."""
    size = plain.pixels.size
    positions = seeded_draws(0).below_each(np.full(min(count, size), size)).tolist()
    salt = next(iter(uses_of(scheme)))
    rows = [
        differential(scheme, plain, key, level=level, salt=salt, position=position)
        for position in positions
    ]
    return tuple(series_of(group) for group in zip(*rows, strict=True))


def _picture_series(
    scheme: MeasuredScheme, plain: NamedImage, keys: Sequence[bytes], level: float
) -> PictureSeries:
    """Measure one picture under each key."""
    rows: list[list[Measurement]] = []
    runs: list[SchemeResult] = []
    exact: int | None = 0
    for key in keys:
        run = scheme.usual(plain.pixels, key)
        if run.undo is None:
            exact = None
        elif exact is not None:
            restored = _undo(run, key)
            exact += restored is not None and np.array_equal(restored, plain.pixels)
        row = list(measure_result(plain, plain.made_into(run.pixels), level))
        for salt in uses_of(scheme):
            row += differential(scheme, plain, key, level=level, salt=salt)
        rows.append(row)
        # Only the first result is shown; all of them would be kept for nothing.
        runs = runs or [run]
    return PictureSeries(
        plain=plain,
        protected=runs[0].pixels,
        restored=_undo(runs[0], keys[0]),
        wrong_key=_undo(runs[0], _flip_last_bit(keys[0])),
        exact=exact,
        key_difference=_distance(
            runs[0].pixels, scheme.usual(plain.pixels, _flip_last_bit(keys[0])).pixels
        ),
        series=tuple(series_of(group) for group in zip(*rows, strict=True)),
    )


def _distance(first: AnyArray, second: AnyArray) -> AnyArray:
    if first.dtype == np.bool_:
        return np.asarray(first != second)
    return np.asarray(np.maximum(first, second) - np.minimum(first, second))


def _undo(run: SchemeResult, key: bytes) -> AnyArray | None:
    """Return what a key makes of a result; None if it is refused, or without an inverse."""
    try:
        return None if run.undo is None else run.undo(key)
    except DecryptionError:
        return None


def _flip_last_bit(key: bytes) -> bytes:
    return key[:-1] + bytes([key[-1] ^ 1])


def _key_figures(
    scheme: MeasuredScheme, plain: NamedImage, key: bytes, level: float
) -> tuple[Measurement, ...]:
    """Flip bits of the first key and of the picture, without salt."""
    if scheme.key_bits == 0 or "none" not in uses_of(scheme):
        return ()
    pixels = plain.pixels
    run = scheme.fixed(pixels, key)

    def protect(image: AnyArray, other: bytes) -> AnyArray:
        return scheme.fixed(image, other).pixels

    undo, metrics = run.undo, metrics_for("scheme")
    # No more than one scheme in a thousand fails any of its tests by chance.
    level = min(level, SURE / max(1, sum(len(each.figures) or 1 for each in metrics)))
    # What is restored is always the cipher image of `run`.
    restore = None if undo is None else lambda _, other: undo(other)
    return tuple(
        each
        for metric in metrics
        for each in metric.take(protect, pixels, key, decrypt=restore, level=level)
    )


def _map_series(scheme: MeasuredScheme, keys: Sequence[bytes], level: float) -> tuple[Series, ...]:
    """Measure where pixels go, each of which has a level of its own."""
    if not scheme.moves_only or scheme.block_size is not None or not keys:
        return ()
    shape = (_MAP_SIDE, _MAP_SIDE)
    # Every sample is different, so that the result shows where each one went.
    numbers = np.arange(_MAP_SIDE**2, dtype=np.uint16).reshape(shape)
    maps = [
        np.argsort(scheme.usual(numbers, key).pixels.ravel().astype(np.int64))
        # Without a key all maps are one, and would count as many.
        for key in keys[: 1 if scheme.key_bits == 0 else None]
    ]
    series = []
    for metric in metrics_for("map"):
        rows = [metric.take(targets, shape=shape, level=level) for targets in maps]
        series += [series_of(group) for group in zip(*rows, strict=True)]
    for metric in () if scheme.key_bits == 0 else metrics_for("maps"):
        for each in metric.take(maps, shape=shape, level=SURE):
            series.append(Series(name=each.name, measurements=(each,), most_fails=None))
    return tuple(series)
