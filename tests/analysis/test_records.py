"""Record the figures of all metrics, tests of bits, disturbances and reports, to six digits.

That figures are right is shown where definitions and references are; records show that none moves.
After a change of a figure that is wanted, run this file with ``--update``, and read the
differences.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import partial, singledispatch
from hashlib import sha256
from inspect import signature
from itertools import product
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

from sudokucrypt import analysis
from sudokucrypt.analysis import (
    BASELINES,
    DISTURBANCES,
    MeasuredScheme,
    NamedImage,
    compare_schemes,
    measure_robustness,
    measure_security,
    report_key,
    security,
)
from sudokucrypt.analysis import randomness as nist
from sudokucrypt.analysis.baselines import ChainXor, UniformShuffle
from sudokucrypt.analysis.metrics.correlation import Direction
from sudokucrypt.analysis.metrics.metric import METRICS, Metric
from sudokucrypt.analysis.results import Measurement, Series
from sudokucrypt.errors import SudokucryptError
from sudokucrypt.typing import AnyArray
from tests.analysis.pictures import picture

Compare = Callable[[Path, object], None]
RECORDS = Path(__file__).with_name("records")

CAMERA = np.ascontiguousarray(picture("camera")[100:148, 200:240])
PICTURES: dict[str, AnyArray] = {
    "gray": CAMERA,
    "color": np.ascontiguousarray(picture("astronaut")[100:116, 200:216]),
    "bits": CAMERA > 100,
    "deep": CAMERA.astype(np.uint16) * 257 ^ 5,
    "large": np.ascontiguousarray(picture("camera")[100:350, 100:350]),
    "row": CAMERA[:1],
    "pair": CAMERA[:1, :2],
    "sample": CAMERA[:1, :1],
    "constant": np.full((9, 8), 7, dtype=np.uint8),
    "levels": CAMERA >> 4,
}
LEVELS = {"levels": 16}
UNSTEADY = {"seconds", "memory"}
"""Fields that differ from run to run."""


_LEAST = 1e-12
"""Smaller p-values differ between versions of SciPy."""


@singledispatch
def describe(value: Any) -> Any:
    """Return a value for a record: figures with six digits, arrays and long lists as digests."""
    if not is_dataclass(value) or isinstance(value, MeasuredScheme | NamedImage):
        return getattr(value, "name", str(value))
    names = [field.name for field in fields(value) if field.name not in UNSTEADY]
    shown = {name: describe(getattr(value, name)) for name in names}
    return {name: each for name, each in shown.items() if each not in ("", "None", [], {})}


@describe.register
def _(value: float) -> str:
    return f"{0 if abs(value) < _LEAST else value:.6g}"


@describe.register(int)
@describe.register(str)
def _(value: object) -> object:
    return value


@describe.register
def _(value: np.ndarray) -> str:
    return sha256(np.ascontiguousarray(value).tobytes()).hexdigest()[:8]


@describe.register(list)
@describe.register(tuple)
def _(value: Iterable[Any]) -> object:
    members = [describe(each) for each in value]
    return members if len(members) <= 20 else sha256(str(members).encode()).hexdigest()[:8]


@describe.register
def _(value: Mapping) -> dict[str, Any]:  # type: ignore[type-arg]
    return {str(name): describe(each) for name, each in value.items()}


@describe.register
def _(value: Measurement) -> str:
    figures = value.value, value.expected, value.lower, value.upper, value.p_value, value.passed
    return f"{value.name} {describe_line(figures)}"


@describe.register
def _(value: Series) -> str:
    values = [each.value for each in value.measurements]
    return describe_line([value.name, value.fails, value.most_fails, value.passed, *values])


def describe_line(value: Any) -> str:
    """Return a description as one line, without the marks of its structure."""
    return str(describe(value)).translate(str.maketrans("", "", "'{}[]()"))


def run_baseline(kind: Any, image: AnyArray, key: bytes, *, undo: bool = False) -> AnyArray:
    scheme = kind.with_key(key)
    result: AnyArray = scheme.unscramble(image) if undo else scheme.scramble(image)
    return result


Input = tuple[str, tuple[Any, ...], dict[str, Any]]
"""The name of an input, its arguments and its options."""


def list_images(needs: str) -> Iterator[Input]:
    """Yield inputs of metrics that take an image, a channel, a pair or twins."""
    shuffle = BASELINES["uniform"]
    for name, plain in PICTURES.items():
        if needs == "channel" and plain.ndim > 2:
            continue
        options = LEVELS if name == "levels" else {}
        moved, other = (shuffle.fixed(plain, report_key(index)).pixels for index in range(2))
        is_alone = needs in ("image", "channel")
        yield name, (plain,) if is_alone else (plain, moved), options
        pair = (moved,) if is_alone else (moved, other)
        yield f"{name}, moved", pair, options | {"level": 0.01}


def list_maps() -> Iterator[Input]:
    for units in (1, 2, 3, 7, 24, 1920):
        yield f"identity of {units}", (np.arange(units),), {}
        for rows in (1, 2, 6):
            if not units % rows:
                moves = np.random.default_rng(units).permutation(units)
                options = {"shape": (units // rows, rows), "level": 0.01}
                yield f"{units // rows} x {rows}", (moves,), options


def list_several_maps() -> Iterator[Input]:
    for units, keys in ((2, 9), (5, 100), (100, 40)):
        generator = np.random.default_rng(units)
        yield f"{keys} of {units}", ([generator.permutation(units) for _ in range(keys)],), {}


def list_schemes() -> Iterator[Input]:
    for name, kind in product(("gray", "bits"), (UniformShuffle, ChainXor)):
        inputs = partial(run_baseline, kind), PICTURES[name], report_key(0)
        undo = partial(run_baseline, kind, undo=True)
        yield f"{name}, {kind.name}", inputs, {"decrypt": undo}
        for flips in (0, 1, 3):
            yield f"{name}, {kind.name}, {flips} flips", inputs, {"flips": flips}


LISTS = {"map": list_maps, "maps": list_several_maps, "scheme": list_schemes}


def measure(metric: Metric) -> dict[str, str]:
    """Return the figures of a metric for all inputs, or the errors."""
    found = {}
    for name, arguments, options in LISTS.get(metric.needs, partial(list_images, metric.needs))():
        all_options: dict[str, Any] = {"level": 0.05} | options
        try:
            measured = metric.measure_named(*arguments, **all_options)
            found[name] = "; ".join(f"{describe(each)}, {each.note}" for each in measured)
        except SudokucryptError as error:
            found[name] = str(error)
    return found


OPTIONS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "local_entropy": [
        ("gray", {"blocks": 1, "block_size": 2}),
        ("color", {"blocks": 3, "block_size": 50}),
        ("deep", {"blocks": 30, "block_size": 64}),
        ("gray", {"blocks": 5, "block_size": 100, "interval": "published"}),
        ("gray", {"blocks": 0, "block_size": 2}),
        ("gray", {"blocks": 1, "block_size": 1}),
    ],
    "cooccurrence_features": [
        (name, {"direction": direction, "convention": convention})
        for name in ("gray", "row", "levels")
        for direction in get_args(Direction)
        for convention in ("skimage", "matlab")
    ],
    "scatter_pairs": [
        (name, {"direction": direction})
        for name in ("gray", "row")
        for direction in get_args(Direction)
    ],
    "autocorrelation_map": [("gray", {}), ("pair", {}), ("constant", {})],
    "spectrum_magnitude": [("gray", {}), ("pair", {}), ("constant", {})],
    "histogram": [("levels", {"levels": 16}), ("deep", {})],
}


def call_with_options(name: str, kind: str, options: dict[str, Any]) -> Any:
    """Return a description of the result of a function of `analysis`, or of its error."""
    try:
        result = getattr(analysis, name)(PICTURES[kind], **options)
    except SudokucryptError as error:
        return str(error)
    return describe(list(result) if isinstance(result, tuple) else result)


def test_options(compare_with_record: Compare) -> None:
    """Functions that have more options than metrics give the same for each of them."""
    found = {
        describe_line([name, kind, options]): call_with_options(name, kind, options)
        for name, cases in OPTIONS.items()
        for kind, options in cases
    }
    compare_with_record(RECORDS / "options.json", found)


def test_metrics(compare_with_record: Compare) -> None:
    """Each metric has the same figures for pictures, results, maps and schemes."""
    own = [each for each in METRICS.values() if each.measure.__module__.startswith("sudokucrypt.")]
    compare_with_record(RECORDS / "metrics.json", {each.name: measure(each) for each in own})


def draw_bits(length: int, share: float = 0.5) -> AnyArray:
    return (np.random.default_rng(length).random(length) < share).astype(np.uint8)


BITS: dict[str, list[dict[str, Any]]] = {
    "block_frequency": [{"block_length": length} for length in (0, 1, 8, 20, 128)],
    "serial": [{"pattern_length": length} for length in (0, 1, 2, 3, 5, 9, 99)],
    "approximate_entropy": [{}, *({"pattern_length": length} for length in (0, 1, 2, 5, 8, 99))],
    "non_overlapping_templates": [
        {},
        {"templates": ["0001", "01"], "blocks": 3},
        {"templates": ["000000001", "111111110"]},
        {"templates": ["0"], "blocks": 1},
        {"templates": ["0" * 16 + "1"]},
        {"templates": ["01"], "blocks": 0},
    ],
    "overlapping_template": [
        {},
        {"template_length": 2, "block_length": 10},
        {"template_length": 4, "block_length": 64},
        {"template_length": 1, "block_length": 64},
        {"template_length": 17, "block_length": 64},
    ],
    "universal": [{}, *({"block_length": length} for length in range(2, 9))],
    "linear_complexity": [{"block_length": length} for length in (1, 13, 64, 101)],
}
BITS["universal"] += [{"block_length": 6, "warm_up": 3}, {"block_length": 10, "warm_up": 90}]
BITS["universal"] += [{"block_length": length, "warm_up": 60} for length in range(9, 17)]
SEQUENCES = [draw_bits(length) for length in (1, 99, 128, 700, 6272)]
SEQUENCES += [draw_bits(39_000, 0.52)]


def list_bit_tests() -> Iterator[tuple[str, Callable[[AnyArray], nist.RandomnessResult]]]:
    """Yield each test with all options, also for shorter sequences than the document allows."""
    for name, usual_test in nist.nist_tests().items():
        test = getattr(nist, name)
        yield f"{name}, usual", usual_test
        parameters = signature(test).parameters
        short = {"enforce_length": False} if "enforce_length" in parameters else {}
        references = ("corrected", "sts-2.1.2") if "reference" in parameters else ("",)
        for options, reference in product(BITS.get(name, [{}]), references):
            named = {"reference": reference} if reference else {}
            label = describe_line([name, *options.items(), reference])
            yield label, partial(test, **options, **named, **short)


def describe_test(test: Callable[[AnyArray], nist.RandomnessResult], bits: AnyArray) -> str:
    """Return all that a test shows of a sequence."""
    try:
        result = test(bits)
    except SudokucryptError as error:
        return str(error)
    shown = result.verdict, result.statistics, result.p_values, result.details, result.note
    return describe_line(shown)


def test_bits(compare_with_record: Compare) -> None:
    """Each test of bits has the same statistics and p-values, by both references."""
    found = {
        f"{label}, {len(bits)} bits": describe_test(test, bits)
        for label, test in list_bit_tests()
        for bits in SEQUENCES
    }
    compare_with_record(RECORDS / "bits.json", found)


def test_disturbances(compare_with_record: Compare) -> None:
    """Each disturbance does the same to each picture, and as much of it is restored."""
    found: dict[str, object] = {}
    for disturbance in DISTURBANCES.values():
        for kind, plain in PICTURES.items():
            for strength in (disturbance.least, *disturbance.usual, disturbance.most):
                label = f"{disturbance.label(strength)}, {kind}"
                try:
                    changed = disturbance.disturb(plain, strength, levels=LEVELS.get(kind))
                except SudokucryptError as error:
                    found[label] = str(error)
                else:
                    found[label] = describe(changed)
    for scheme in (BASELINES["uniform"], BASELINES["chain-xor"], BASELINES["aes-256-gcm"]):
        for kind in ("gray", "color", "deep"):
            named = NamedImage(name=kind, pixels=PICTURES[kind])
            for run in measure_robustness(scheme, [named]).runs:
                figures = run.outcome, run.psnr, run.ssim, run.correlation, run.expected, run.note
                label = f"{scheme.name} restores {run.label}, {kind}"
                found[label] = describe_line([*figures, run.preview])
    compare_with_record(RECORDS / "disturbances.json", found)


def test_comparison(compare_with_record: Compare) -> None:
    """A comparison has the same figures; times and memory are not among them."""
    pictures = [NamedImage(name=kind, pixels=PICTURES[kind]) for kind in ("gray", "bits")]
    schemes = [BASELINES[name] for name in ("uniform", "chain-xor")]
    figures = compare_schemes(pictures, schemes, keys=3, seed=7, level=0.01, sides=(9,), repeats=1)
    compare_with_record(RECORDS / "comparison.json", describe(figures))


def test_security(compare_with_record: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    """A quick report on the security of schemes has the same figures; attacks have own records."""
    monkeypatch.setattr(security, "ATTACKS", {})
    pictures = [NamedImage(name=kind, pixels=PICTURES[kind]) for kind in ("gray", "deep")]
    found = {
        name: describe(measure_security(BASELINES[name], pictures, keys=5, seed=5, quick=True))
        for name in ("uniform", "chain-xor", "aes-128-ctr-fixed-nonce")
    }
    costs = {"keys": 5, "places": 20}
    for name in ("uniform", "arnold", "etc-gray", "aes-256-gcm", "dna"):
        scheme = BASELINES[name]
        keys = [report_key(index) for index in range(7)]
        found[f"maps of {name}"] = describe(list(security._measure_maps(scheme, keys, 0.05)))
        found[f"cost of {name}"] = [
            security._format_estimate(scheme, pictures[:count], seconds, **costs)
            for count, seconds in ((1, 1e-4), (2, 0.5))
        ]
    compare_with_record(RECORDS / "security.json", found)
