"""Measure published ciphers with the usual metrics and every attack, under one fixed protocol.

The metrics are those of most papers, tested at a level of 0.001, under several keys on each
picture. Each attack has its default options and knows neither the design nor the key; its score is
the share of the samples of an unknown picture that it recovers. As a control, every cipher is also
attacked under a new key for each image, where no attack may break it.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any, get_args

import numpy as np

from sudokucrypt.analysis.attacking import run_attack
from sudokucrypt.analysis.attacks import ATTACKS, Outcome
from sudokucrypt.analysis.attacks.contract import Threat
from sudokucrypt.analysis.baselines import BASELINES
from sudokucrypt.analysis.baselines.substituting import make_standard_ciphers
from sudokucrypt.analysis.comparison import compare_schemes
from sudokucrypt.analysis.images import NamedImage
from sudokucrypt.analysis.progress import StepCounter, run_guarded
from sudokucrypt.analysis.results import compute_fail_limit
from sudokucrypt.analysis.schemes import Evidence, MeasuredScheme, report_key
from sudokucrypt.errors import SudokucryptError
from sudokucrypt.typing import ProgressCallback

SIGNIFICANCE_LEVEL = 0.001
"""The level of significance of a metric, low because there are about a hundred tests in all."""

USUAL_METRICS = {
    "npcr_same_salt": "NPCR",
    "uaci_same_salt": "UACI",
    "global_entropy": "entropy",
    "chi_square_uniformity": "chi-square",
    "correlation_horizontal": "horizontal",
    "correlation_vertical": "vertical",
    "correlation_diagonal": "diagonal",
}
"""The metrics of most papers, and the heads of their columns."""

SHOWN_METRICS = (
    "npcr_same_salt",
    "uaci_same_salt",
    "global_entropy",
    "correlation_horizontal",
    "correlation_vertical",
    "correlation_diagonal",
)
"""The usual metrics whose values tables show, next to the values that papers claim."""

MEASUREMENTS_FILE = Path(__file__).parent / "baselines" / "measured.json"
"""The file with the last measurements of the zoo."""

# All threats except key search, which only shows the length of the key of a cipher.
_COUNTED_THREATS = tuple(threat for threat in get_args(Threat) if threat != "key search")
# The least similarity at which two ciphers count as broken by nearly the same attacks.
_MIN_SIMILARITY = 0.75


@dataclass(frozen=True, kw_only=True)
class ZooRun:
    """Results of one attack on a cipher, for all pictures.

    The `outcome` is the mildest outcome of all pictures, and None if the attack could not be run on
    one of them. `scores` has a recovered share, 0..1, for each picture, and `queries` is the
    largest number of images.
    """

    attack: str
    outcome: Outcome | None
    scores: tuple[float, ...]
    queries: int

    @property
    def recovered(self) -> float:
        """The mean of `scores` over all pictures, or 0 if there are no scores."""
        return fmean(self.scores) if self.scores else 0.0


@dataclass(frozen=True, kw_only=True)
class ZooEntry:
    """The measurements of one cipher on all pictures: the usual metrics and every attack.

    `metrics` has the numbers of passed tests and of all tests by metric, and `values` the mean and
    deviation of the metrics in `SHOWN_METRICS`, over all keys and pictures. `controls` are the
    attacks that break the cipher under a new key for each image; no attack should. `evidence`,
    `reduced` and `claimed` are fields of `MeasuredScheme`.
    """

    cipher: str
    evidence: Evidence = ""
    reduced: bool = False
    claimed: Mapping[str, float] = field(default_factory=dict)
    metrics: Mapping[str, tuple[int, int]]
    values: Mapping[str, tuple[float, float]]
    runs: tuple[ZooRun, ...]
    controls: tuple[str, ...]

    @property
    def passes(self) -> bool:
        """Whether each metric passes as often as a random image would.

        A cipher that takes none of the pictures has no metrics, and does not pass.
        """
        return bool(self.metrics) and all(
            test_count - passed_count <= compute_fail_limit(test_count, SIGNIFICANCE_LEVEL)
            for passed_count, test_count in self.metrics.values()
        )

    @property
    def broken_by(self) -> frozenset[str]:
        """The attacks that break the cipher on every picture without knowledge of its design."""
        return frozenset(run.attack for run in self.runs if run.outcome is Outcome.BROKEN)

    def is_broken_under(self, *threats: Threat) -> bool:
        """Return whether an attack with one of these threats breaks the cipher."""
        return any(ATTACKS[name].threat in threats for name in self.broken_by)

    @property
    def best_attack(self) -> str | None:
        """The attack that recovers most from the fewest images; None if none breaks the cipher."""
        breaking_runs = [run for run in self.runs if run.attack in self.broken_by]
        best_run = max(
            breaking_runs, key=lambda run: (round(run.recovered, 1), -run.queries), default=None
        )
        return None if best_run is None else best_run.attack

    def best(self, threat: Threat) -> ZooRun | None:
        """Return the run with this threat that recovers most, or None if there is none.

        A run that breaks the cipher is preferred to a run that does not.
        """
        runs = [
            run
            for run in self.runs
            if run.outcome is not None and ATTACKS[run.attack].threat == threat
        ]
        return max(
            runs,
            key=lambda run: (run.outcome is Outcome.BROKEN, round(run.recovered, 2), -run.queries),
            default=None,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class ZooFigures:
    """The entries of all ciphers, measured on some pictures under keys from a seed."""

    pictures: tuple[NamedImage, ...]
    keys: int
    seed: int
    entries: tuple[ZooEntry, ...]


def published_ciphers() -> list[MeasuredScheme]:
    """Return the schemes of `BASELINES` that follow one paper step by step."""
    return [scheme for scheme in BASELINES.values() if scheme.basis]


def standard_ciphers() -> list[MeasuredScheme]:
    """Return new schemes of standard ciphers; one fixes the nonce, the others count it from 1."""
    return make_standard_ciphers()


def measure_zoo(
    pictures: NamedImage | Sequence[NamedImage],
    ciphers: Sequence[MeasuredScheme] | None = None,
    *,
    keys: int = 1,
    seed: int = 0,
    timeout: float | None = 60,
    progress: ProgressCallback | None = None,
) -> ZooFigures:
    """Measure and attack schemes, by default all published and all standard ciphers, on pictures.

    Metrics are measured under each key on each picture. Attacks run under the first key on each
    picture, and the control on the first picture. A cipher for gray images gets the middle channel
    of a color picture. An attack that takes longer than `timeout` seconds is stopped and counts as
    not tried. Without stopped attacks, two runs with equal arguments give equal results; a cipher
    that counts nonces must be created again for this, as by `standard_ciphers`.

    Parameters
    ----------
    pictures : NamedImage or sequence of NamedImage
        The pictures that are attacked, with 8 bits per sample.
    ciphers : sequence of MeasuredScheme, optional
        The schemes; by default all published and all standard ciphers.
    keys : int, default 1
        The number of keys under which metrics are measured, 1 or more. Attacks use only the first.
    seed : int, default 0
        The number from which keys and salts follow, 0 or more: equal seeds give equal results.
    timeout : float or None, default 60
        The seconds after which an attack is stopped; None for no limit.
    progress : callable, optional
        Called with the number of steps done and the number of all steps. By default nothing is
        called.

    Examples
    --------
    >>> from sudokucrypt.analysis import BASELINES, specimens
    >>> result = measure_zoo(specimens(32)[-1], [BASELINES["ckba"]])
    >>> "differential" in result.entries[0].broken_by, result.entries[0].controls
    (True, ())
    """
    plain_pictures = (pictures,) if isinstance(pictures, NamedImage) else tuple(pictures)
    schemes = [*published_ciphers(), *standard_ciphers()] if ciphers is None else ciphers
    steps = StepCounter(len(schemes) * len(list_pixel_attacks()), progress)
    entries = []
    for cipher in schemes:
        fitted_pictures = [fit_picture(plain, cipher, timeout=timeout) for plain in plain_pictures]
        runs, controls = [], []
        for name in list_pixel_attacks():
            runs.append(_attack_pictures(name, fitted_pictures, cipher, timeout, seed))
            control_figures = run_attack(
                name,
                fitted_pictures[0],
                [cipher.with_new_key_per_image()],
                timeout=timeout,
                seed=seed,
                control=False,
            )
            controls += [name] * control_figures.as_used.broken
            steps.count_step(None)
        metrics, values = _measure_metrics(fitted_pictures, cipher, keys, seed, timeout)
        entries.append(
            ZooEntry(
                cipher=cipher.name,
                evidence=cipher.evidence,
                reduced=cipher.reduced,
                claimed=cipher.claimed,
                metrics=metrics,
                values=values,
                runs=tuple(runs),
                controls=tuple(controls),
            )
        )
    return ZooFigures(pictures=plain_pictures, keys=keys, seed=seed, entries=tuple(entries))


def list_pixel_attacks() -> list[str]:
    """Return the names of the attacks on pixels, except key search."""
    return [
        name
        for name, attack in ATTACKS.items()
        if attack.takes == "pixels" and attack.threat in _COUNTED_THREATS
    ]


def fit_picture(
    plain: NamedImage, cipher: MeasuredScheme, *, timeout: float | None = None
) -> NamedImage:
    """Return a picture, or its middle channel if the cipher refuses several channels."""
    if plain.pixels.ndim == 3:
        try:
            run_guarded(
                lambda: cipher.fixed(plain.pixels, report_key(0)).pixels,
                foreign=bool(cipher.code),
                limit=timeout,
            )
        except SudokucryptError:
            channel = plain.pixels.shape[2] // 2
            pixels = np.ascontiguousarray(plain.pixels[..., channel])
            return replace(plain, name=f"{plain.name}, one channel", pixels=pixels)
    return plain


def _attack_pictures(
    name: str,
    pictures: Sequence[NamedImage],
    cipher: MeasuredScheme,
    timeout: float | None,
    seed: int,
) -> ZooRun:
    runs = [
        run_attack(name, plain, [cipher], timeout=timeout, seed=seed, control=False).runs[-1]
        for plain in pictures
    ]
    findings = [run.finding for run in runs if run.finding is not None]
    outcomes = [finding.outcome for finding in findings]
    ranked_outcomes = list(Outcome)
    return ZooRun(
        attack=name,
        outcome=max(outcomes, key=ranked_outcomes.index) if len(outcomes) == len(runs) else None,
        scores=tuple(finding.recovered for finding in findings),
        queries=max((finding.queries for finding in findings), default=0),
    )


def _measure_metrics(
    pictures: Sequence[NamedImage],
    cipher: MeasuredScheme,
    keys: int,
    seed: int,
    timeout: float | None,
) -> tuple[dict[str, tuple[int, int]], dict[str, tuple[float, float]]]:
    """Return (passed tests, all tests) by usual metric, and (mean, deviation) by shown metric."""
    runs = compare_schemes(
        pictures,
        [cipher],
        level=SIGNIFICANCE_LEVEL,
        keys=keys,
        seed=seed,
        repeats=0,
        timeout=timeout,
    ).runs
    groups: dict[str, list[Any]] = {}
    for series in (series for run in runs for series in run.series):
        # A cipher with a nonce is measured only with fresh nonces, so its series are renamed to
        # the names of the usual metrics.
        name = series.name.replace("_fresh_salt", "_same_salt") if cipher.fresh else series.name
        groups.setdefault(name, []).extend(series.measurements)
    usual_groups = {name: groups[name] for name in USUAL_METRICS if name in groups}
    metrics = {
        name: (sum(bool(each.passed) for each in group), len(group))
        for name, group in usual_groups.items()
        if any(each.passed is not None for each in group)
    }
    values = {
        name: (fmean(each.value for each in group), pstdev(each.value for each in group))
        for name, group in usual_groups.items()
        if name in SHOWN_METRICS
    }
    return metrics, values


def find_recorded_break(scheme: MeasuredScheme) -> str:
    """Return the name of an attack that breaks a scheme, "none" if none does, or "" if unknown.

    For published ciphers, it is the attack that recovered most in the last measurement of the zoo.

    >>> find_recorded_break(BASELINES["uniform"]), find_recorded_break(BASELINES["aes-256-gcm"])
    ('chosen-plaintext', 'none')
    """
    if scheme.falls_to or BASELINES.get(scheme.name) is not scheme:
        return scheme.falls_to
    entries = {entry.cipher: entry for entry in parse_entries(read_zoo())}
    if scheme.name not in entries:
        return ""
    return entries[scheme.name].best_attack or "none"


def make_zoo_data(figures: ZooFigures) -> dict[str, Any]:
    """Return measurements as data for JSON, with all parameters that reproduce them."""
    return {
        "pictures": [
            {"name": plain.name, "shape": list(plain.pixels.shape)} for plain in figures.pictures
        ],
        "keys": figures.keys,
        "seed": figures.seed,
        "level": SIGNIFICANCE_LEVEL,
        "ciphers": {
            entry.cipher: {
                "evidence": entry.evidence,
                "reduced": entry.reduced,
                "claimed": dict(entry.claimed),
                "metrics": {name: list(counts) for name, counts in entry.metrics.items()},
                "values": {
                    name: [round(each, 6) for each in statistics]
                    for name, statistics in entry.values.items()
                },
                "attacks": {
                    run.attack: {
                        "outcome": run.outcome,
                        "scores": [round(score, 4) for score in run.scores],
                        "images": run.queries,
                    }
                    for run in entry.runs
                },
                "controls_broken_by": list(entry.controls),
            }
            for entry in figures.entries
        },
    }


def parse_entries(data: Mapping[str, Any]) -> tuple[ZooEntry, ...]:
    """Return the entries in data of `make_zoo_data`, without attacks that no longer exist."""
    return tuple(
        ZooEntry(
            cipher=name,
            evidence=row["evidence"],
            reduced=row["reduced"],
            claimed=row["claimed"],
            metrics={metric: tuple(counts) for metric, counts in row["metrics"].items()},
            values={metric: tuple(statistics) for metric, statistics in row["values"].items()},
            runs=tuple(
                ZooRun(
                    attack=attack,
                    outcome=None if run["outcome"] is None else Outcome(run["outcome"]),
                    scores=tuple(run["scores"]),
                    queries=run["images"],
                )
                for attack, run in row["attacks"].items()
                if attack in ATTACKS
            ),
            controls=tuple(row["controls_broken_by"]),
        )
        for name, row in data["ciphers"].items()
    )


@cache
def read_zoo() -> dict[str, Any]:
    """Read the stored measurements of the zoo."""
    data: dict[str, Any] = json.loads(MEASUREMENTS_FILE.read_text("utf-8"))
    return data


def find_similar_ciphers(attack_names: Iterable[str]) -> list[str]:
    """Return the published ciphers that nearly the same attacks break, the most similar first.

    The similarity of two sets of attacks is the size of their intersection divided by the size of
    their union.

    >>> find_similar_ciphers([])
    []
    """
    given_attacks = {
        name
        for name in attack_names
        if name in ATTACKS and ATTACKS[name].threat in _COUNTED_THREATS
    }
    shares = {}
    for entry in parse_entries(read_zoo()):
        all_attacks = given_attacks | entry.broken_by
        if all_attacks:
            shares[entry.cipher] = len(given_attacks & entry.broken_by) / len(all_attacks)
    ranked_names = sorted(shares, key=lambda name: -shares[name])
    return [name for name in ranked_names if shares[name] >= _MIN_SIMILARITY]
