"""One attack on several schemes, each with and without fresh salt: what `attack` finds out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from sudokucrypt.analysis.attacks import (
    CONTROLS,
    chosen_plaintext_attack,
    differential_attack,
    jigsaw_attack,
    known_plaintext_attack,
    random_images,
    reuse_attack,
    row_column_attack,
)
from sudokucrypt.analysis.baselines import BlockShuffle
from sudokucrypt.analysis.reports.comparison import report_key
from sudokucrypt.analysis.reports.steps import Steps
from sudokucrypt.errors import SudokucryptError
from sudokucrypt.typing import AnyArray

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sudokucrypt.analysis.attacks.labels import AttackUnit
    from sudokucrypt.analysis.reports.named_image import NamedImage
    from sudokucrypt.analysis.reports.steps import Progress
    from sudokucrypt.analysis.reports.subject import Subject

AttackName: TypeAlias = Literal["cpa", "kpa", "row-column", "differential", "jigsaw", "reuse"]
"""Chosen plaintext, known plaintext, lines, differences, blocks, and what is used twice."""

Salt: TypeAlias = Literal["none", "fresh"]

_Oracle: TypeAlias = Callable[[AnyArray], AnyArray]


@dataclass(frozen=True, kw_only=True)
class AttackSettings:
    """What the attacks need to be told.

    Parameters
    ----------
    images : int
        How many known images, for "kpa".
    block_size : int
        Side of a block in pixels that is guessed, for "jigsaw", where the scheme does not say it.
    """

    images: int = 4
    block_size: int = 32


@dataclass(frozen=True, eq=False, kw_only=True)
class AttackRun:
    """One attack on one scheme.

    Parameters
    ----------
    scheme : str
        The name of the scheme.
    salt : {"none", "fresh"}
        Whether the scheme drew new salt for each image.
    control : bool
        Whether this is the scheme that the attack must break.
    queries : int
        How many images the attacker had, the one to be recovered not counted.
    recovered : float
        The share of pixels, samples or joints that came back right, 0..1.
    broken : bool
        Whether other images are plain to see.
    verdict : str
        The result in words.
    seen, picture : ndarray, optional
        The picture as the attacker has it, and what he makes of it; None if the scheme does not
        take it.
    stages : tuple of ndarray
        For "kpa", what he makes of it after the first image, the first two, and so on.
    details : mapping
        Further figures of this attack, of JSON's types.
    """

    scheme: str
    salt: Salt
    control: bool = False
    queries: int = 0
    recovered: float = 0.0
    broken: bool = False
    verdict: str
    seen: AnyArray | None = None
    picture: AnyArray | None = None
    stages: tuple[AnyArray, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, kw_only=True)
class AttackFigures:
    """What one attack gave on one picture.

    Parameters
    ----------
    attack : str
        Its name.
    plain : NamedImage
        The picture that the attacker is after.
    runs : tuple of AttackRun
        One for each scheme and use of salt, the control last.
    """

    attack: AttackName
    plain: NamedImage
    runs: tuple[AttackRun, ...]

    @property
    def sound(self) -> bool:
        """Whether a control was broken, so that failures mean something."""
        return any(run.broken for run in self.runs if run.control)


@dataclass(frozen=True, eq=False, kw_only=True)
class _Target:
    """A scheme as attacks take it."""

    scheme: str
    oracle: _Oracle
    salt: Salt = "none"
    control: bool = False
    unit: AttackUnit = "pixel"
    block_size: int


def run_attack(
    attack: AttackName,
    plain: NamedImage,
    subjects: Sequence[Subject],
    *,
    settings: AttackSettings | None = None,
    progress: Progress | None = None,
) -> AttackFigures:
    """Attack schemes under one key, without salt and as they are meant to be used.

    Parameters
    ----------
    attack : {"cpa", "kpa", "row-column", "differential", "jigsaw", "reuse"}
        What is tried.
    plain : NamedImage
        The picture that the attacker is after.
    subjects : sequence of Subject
        What is attacked; a control that the attack must break comes last.
    settings : AttackSettings, optional
        How many images, how large blocks.
    progress : callable, optional
        Is told how many runs are done, and of how many.

    Notes
    -----
    A scheme that refuses the picture is not tried, and its verdict says why.

    Examples
    --------
    >>> from sudokucrypt.analysis.reports import baseline_subjects, specimens
    >>> found = run_attack("cpa", specimens(64)[1], [baseline_subjects()["hilbert"]])
    >>> [run.broken for run in found.runs], found.sound
    ([True, True], True)
    """
    settings = AttackSettings() if settings is None else settings
    targets = [*_targets(subjects, settings), _control(attack, settings)]
    steps = Steps(len(targets), progress)
    runs = []
    for target in targets:
        try:
            fields = _ATTACKS[attack](target, plain.pixels, settings)
        except SudokucryptError as error:
            fields = {"verdict": f"not tried: {error}"}
        run = AttackRun(scheme=target.scheme, salt=target.salt, control=target.control, **fields)
        runs.append(steps.after(run))
    return AttackFigures(attack=attack, plain=plain, runs=tuple(runs))


def _targets(subjects: Sequence[Subject], settings: AttackSettings) -> Iterator[_Target]:
    """Yield each scheme without salt, and with fresh salt if it has any."""
    for subject in subjects:
        salts: tuple[Salt, ...] = ("none",) if subject.fresh is None else ("none", "fresh")
        for salt in salts:
            yield _Target(
                scheme=subject.name,
                oracle=subject.oracle(report_key(0), fixed=salt == "none"),
                salt=salt,
                unit=subject.unit,
                block_size=subject.block_size or settings.block_size,
            )


def _control(attack: AttackName, settings: AttackSettings) -> _Target:
    name, control = _CONTROLS[attack]
    oracle = BlockShuffle(settings.block_size).scramble if attack == "jigsaw" else control
    return _Target(scheme=name, oracle=oracle, control=True, block_size=settings.block_size)


def _chosen(target: _Target, plain: AnyArray, settings: AttackSettings) -> dict[str, Any]:
    del settings
    result = chosen_plaintext_attack(
        target.oracle, plain.shape, dtype=plain.dtype, unit=target.unit
    )
    return _restored(target.oracle, plain, result, queries=result.queries)


def _known(target: _Target, plain: AnyArray, settings: AttackSettings) -> dict[str, Any]:
    images = random_images(plain.shape, settings.images, dtype=plain.dtype)
    result = known_plaintext_attack(target.oracle, images, unit=target.unit)
    details = {
        "recovered_after": list(result.recovered),
        "certain_after": list(result.certain),
        "expected_after": list(result.expected),
    }
    found = _restored(
        target.oracle, plain, result, queries=len(images), recovered=result.recovered[-1]
    )
    stages = tuple(
        result.restore(found["seen"], images=count) for count in range(1, len(images) + 1)
    )
    return {**found, "stages": stages, "details": details}


def _lines(target: _Target, plain: AnyArray, settings: AttackSettings) -> dict[str, Any]:
    del settings
    result = row_column_attack(target.oracle, plain.shape, dtype=plain.dtype)
    names = ("rows_found", "columns_found", "rows_kept", "columns_kept")
    details = {name: getattr(result, name) for name in names}
    return {**_restored(target.oracle, plain, result, queries=1), "details": details}


def _differences(target: _Target, plain: AnyArray, settings: AttackSettings) -> dict[str, Any]:
    del settings
    result = differential_attack(target.oracle, plain.shape, dtype=plain.dtype, unit=target.unit)
    details = {"changed_samples": result.changed, "combination": result.combination}
    found = _restored(target.oracle, plain, result, queries=result.queries)
    return {**found, "details": details}


def _jigsaw(target: _Target, plain: AnyArray, settings: AttackSettings) -> dict[str, Any]:
    del settings
    result = jigsaw_attack(target.oracle, plain, block_size=target.block_size)
    names = ("block_size", "blocks", "direct", "neighbour", "largest")
    return {
        "recovered": result.neighbour,
        "broken": result.broken,
        "verdict": result.verdict,
        "seen": result.scrambled,
        "picture": result.picture,
        "details": {name: getattr(result, name) for name in names},
    }


def _reuse(target: _Target, plain: AnyArray, settings: AttackSettings) -> dict[str, Any]:
    del settings
    result = reuse_attack(target.oracle, plain)
    names = ("repeats", "moves_only", "combination", "expected")
    return {
        "queries": 1,
        "recovered": result.recovered,
        "broken": result.broken,
        "verdict": result.verdict,
        "seen": target.oracle(plain),
        "picture": result.picture,
        "details": {name: getattr(result, name) for name in names},
    }


def _restored(
    oracle: _Oracle, plain: AnyArray, result: Any, *, queries: int, recovered: float | None = None
) -> dict[str, Any]:
    """Return what all attacks that recover a map have in common."""
    seen = oracle(plain)
    return {
        "queries": queries,
        "recovered": result.recovered if recovered is None else recovered,
        "broken": result.broken,
        "verdict": result.verdict,
        "seen": seen,
        "picture": result.restore(seen),
    }


_ATTACKS: dict[AttackName, Callable[..., dict[str, Any]]] = {
    "cpa": _chosen,
    "kpa": _known,
    "row-column": _lines,
    "differential": _differences,
    "jigsaw": _jigsaw,
    "reuse": _reuse,
}

_CONTROLS: dict[AttackName, tuple[str, _Oracle]] = {
    "cpa": ("uniform", CONTROLS["chosen-plaintext"]),
    "kpa": ("uniform", CONTROLS["known-plaintext"]),
    "row-column": ("row-column", CONTROLS["row-column"]),
    "differential": ("one map and one mask", CONTROLS["differential"]),
    "jigsaw": ("block", CONTROLS["jigsaw"]),
    "reuse": ("one mask", CONTROLS["reuse"]),
}
