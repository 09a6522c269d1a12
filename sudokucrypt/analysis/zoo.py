"""Published ciphers under the usual metrics and under every attack, by one frozen protocol.

Each cipher is run under one key on one picture. Metrics are those that papers print, tested at a
level of 0.001. Each attack has its default options; it knows neither the design nor the key, and
its score is the share of samples that it recovers of a picture that it does not have. As a control
every cipher is also attacked under a new key for each image, where no attack may break it.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, get_args

from sudokucrypt.analysis.attacking import run_attack
from sudokucrypt.analysis.attacks import ATTACKS, Outcome
from sudokucrypt.analysis.attacks.contract import Threat
from sudokucrypt.analysis.baselines import BASELINES
from sudokucrypt.analysis.comparison import compare_schemes
from sudokucrypt.analysis.images import NamedImage
from sudokucrypt.analysis.progress import Steps
from sudokucrypt.analysis.schemes import MeasuredScheme
from sudokucrypt.typing import ProgressCallback

LEVEL = 0.001
"""How often chance may fail a metric: all ciphers together have about a hundred."""

USUAL_METRICS = {
    "npcr_same_salt": "NPCR",
    "uaci_same_salt": "UACI",
    "global_entropy": "entropy",
    "chi_square_uniformity": "chi-square",
    "correlation_horizontal": "horizontal",
    "correlation_vertical": "vertical",
    "correlation_diagonal": "diagonal",
}
"""The figures that most papers print, and the heads of their columns."""

MEASURED = Path(__file__).parent / "baselines" / "measured.json"
"""What the zoo gave when it was last measured."""

# Trying keys needs no result, and shows nothing that a cipher of a short key would not.
_BLIND = tuple(threat for threat in get_args(Threat) if threat != "key search")
# From this likeness on ciphers fall to nearly the same attacks.
_ALIKE = 0.75


@dataclass(frozen=True, kw_only=True)
class ZooRun:
    """What one attack made of a cipher: its outcome, score 0..1, and images."""

    attack: str
    outcome: Outcome | None
    recovered: float
    queries: int


@dataclass(frozen=True, kw_only=True)
class ZooEntry:
    """One published cipher on one picture: which metrics pass, and every attack.

    `controls` are the attacks that break it under a new key for each image: none should.
    """

    cipher: str
    metrics: Mapping[str, bool]
    runs: tuple[ZooRun, ...]
    controls: tuple[str, ...]

    @property
    def broken_by(self) -> frozenset[str]:
        """The attacks that break it without knowing the design; trying keys is none of them."""
        return frozenset(
            run.attack
            for run in self.runs
            if run.outcome is Outcome.BROKEN and ATTACKS[run.attack].threat in _BLIND
        )

    @property
    def best_attack(self) -> str | None:
        """The attack that recovers most by the fewest images, None if none breaks it."""
        broken = [run for run in self.runs if run.attack in self.broken_by]
        best = max(broken, key=lambda run: (round(run.recovered, 1), -run.queries), default=None)
        return None if best is None else best.attack

    def best(self, threat: Threat) -> ZooRun | None:
        """Return the run that recovers most with what a threat gives, None if there is none."""
        runs = [
            run
            for run in self.runs
            if run.outcome is not None and ATTACKS[run.attack].threat == threat
        ]
        return max(runs, key=lambda run: (round(run.recovered, 2), -run.queries), default=None)


@dataclass(frozen=True, eq=False, kw_only=True)
class ZooFigures:
    """All entries on one picture, under the key of a seed."""

    plain: NamedImage
    seed: int
    entries: tuple[ZooEntry, ...]


def published_ciphers() -> list[MeasuredScheme]:
    """Return the schemes of `BASELINES` that follow one paper step by step."""
    return [scheme for scheme in BASELINES.values() if scheme.basis]


def measure_zoo(
    plain: NamedImage,
    ciphers: Sequence[MeasuredScheme] | None = None,
    *,
    seed: int = 0,
    timeout: float | None = 60,
    progress: ProgressCallback | None = None,
) -> ZooFigures:
    """Measure and attack schemes, by default all published ciphers, on a gray picture of 8 bits.

    An attack that takes longer than `timeout` seconds is stopped and counts as not tried.

    >>> from sudokucrypt.analysis import BASELINES, specimens
    >>> result = measure_zoo(specimens(32)[-1], [BASELINES["ckba"]])
    >>> "differential" in result.entries[0].broken_by, result.entries[0].controls
    (True, ())
    """
    chosen = published_ciphers() if ciphers is None else ciphers
    names = [name for name, attack in ATTACKS.items() if attack.takes == "pixels"]
    steps = Steps(len(chosen) * len(names), progress)
    entries = []
    for cipher in chosen:
        runs, controls = [], []
        for name in names:
            mine, control = (
                run_attack(name, plain, [scheme], timeout=timeout, seed=seed, control=False).runs[
                    -1
                ]
                for scheme in (cipher, cipher.with_new_key_per_image())
            )
            finding = mine.finding
            runs.append(
                ZooRun(
                    attack=name,
                    outcome=mine.outcome,
                    recovered=finding.recovered if finding else 0.0,
                    queries=finding.queries if finding else 0,
                )
            )
            controls += [name] * control.broken
            steps.after(None)
        metrics = _passed(plain, cipher, seed)
        entries.append(
            ZooEntry(
                cipher=cipher.name, metrics=metrics, runs=tuple(runs), controls=tuple(controls)
            )
        )
    return ZooFigures(plain=plain, seed=seed, entries=tuple(entries))


def _passed(plain: NamedImage, cipher: MeasuredScheme, seed: int) -> dict[str, bool]:
    """Return for each of the usual metrics whether the result passes."""
    run = compare_schemes([plain], [cipher], level=LEVEL, seed=seed, repeats=1).runs[0]
    return {
        each.name: each.passed
        for each in run.measurements
        if each.name in USUAL_METRICS and each.passed is not None
    }


def zoo_data(figures: ZooFigures) -> dict[str, Any]:
    """Return figures as JSON holds them, with all that it takes to make them again."""
    return {
        "picture": figures.plain.name,
        "shape": list(figures.plain.pixels.shape),
        "seed": figures.seed,
        "level": LEVEL,
        "ciphers": {
            entry.cipher: {
                "metrics": dict(entry.metrics),
                "attacks": {
                    run.attack: {
                        "outcome": run.outcome,
                        "recovered": round(run.recovered, 4),
                        "images": run.queries,
                    }
                    for run in entry.runs
                },
                "controls_broken_by": list(entry.controls),
            }
            for entry in figures.entries
        },
    }


def entries_in(data: Mapping[str, Any]) -> tuple[ZooEntry, ...]:
    """Return the entries that `zoo_data` wrote; attacks that are no longer there are left out."""
    return tuple(
        ZooEntry(
            cipher=name,
            metrics=row["metrics"],
            runs=tuple(
                ZooRun(
                    attack=attack,
                    outcome=None if each["outcome"] is None else Outcome(each["outcome"]),
                    recovered=each["recovered"],
                    queries=each["images"],
                )
                for attack, each in row["attacks"].items()
                if attack in ATTACKS
            ),
            controls=tuple(row["controls_broken_by"]),
        )
        for name, row in data["ciphers"].items()
    )


@cache
def measured_zoo() -> dict[str, Any]:
    """Return what the zoo gave when it was last measured, by the size of its picture."""
    data: dict[str, Any] = json.loads(MEASURED.read_text("utf-8"))
    return data


def alike(broken_by: Iterable[str]) -> list[str]:
    """Return the published ciphers that nearly the same attacks break, the likest first.

    Sets of attacks are alike by the share of both that they have in common.

    >>> alike([])
    []
    """
    mine = {name for name in broken_by if name in ATTACKS and ATTACKS[name].threat in _BLIND}
    shares = {}
    for entry in entries_in(measured_zoo()["64"]):
        both = mine | entry.broken_by
        if both:
            shares[entry.cipher] = len(mine & entry.broken_by) / len(both)
    likest = sorted(shares, key=lambda name: -shares[name])
    return [name for name in likest if shares[name] >= _ALIKE]
