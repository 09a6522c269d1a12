"""One attack on several schemes, each with and without fresh salt: what `attack` finds out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sudokucrypt.analysis.attacks import ATTACKS, Attack, Finding, JpegTarget, Outcome, Target
from sudokucrypt.analysis.images import NamedImage, NamedJpeg
from sudokucrypt.analysis.progress import Steps, run_guarded
from sudokucrypt.analysis.schemes import (
    FrozenRandomness,
    JpegScheme,
    KeyedMap,
    MeasuredScheme,
    Salt,
    list_uses,
    report_key,
)
from sudokucrypt.errors import InvalidParameterError, SudokucryptError
from sudokucrypt.images.jpeg import read_coefficients
from sudokucrypt.typing import AnyArray, ProgressCallback

# The middle of a picture is enough to show that an attack works, and costs a fraction.
_CONTROL_SIDE, _BLOCKS_SIDE = 128, 256

_TAKEN = {"pixels": "images", "jpeg": "one JPEG file", "jpegs": "JPEG files"}


@dataclass(frozen=True, eq=False, kw_only=True)
class AttackRun:
    """One attack on one scheme, with new salt for each image ("fresh") or without.

    A `control` is a scheme that the attack must break. A scheme that does not take the picture has
    no finding, and `refusal` says why.
    """

    scheme: str
    salt: Salt
    control: bool = False
    finding: Finding | None = None
    refusal: str = ""

    @property
    def outcome(self) -> Outcome | None:
        """The outcome; None if it was not tried."""
        return None if self.finding is None else self.finding.outcome

    @property
    def broken(self) -> bool:
        """Whether other images are plain to see."""
        return self.outcome is Outcome.BROKEN


@dataclass(frozen=True, eq=False, kw_only=True)
class AttackFigures:
    """Results of one attack on one picture: a run for each use of each scheme, the control last."""

    attack: Attack
    plain: NamedImage
    runs: tuple[AttackRun, ...]

    @property
    def sound(self) -> bool:
        """Whether a control was broken, so that failures mean something."""
        return any(run.broken for run in self.runs if run.control)

    @property
    def as_used(self) -> AttackRun:
        """The run on the last scheme as it is meant to be used: with fresh salt, if it has any."""
        return [run for run in self.runs if not run.control][-1]


def run_attack(
    name: str,
    plain: NamedImage,
    schemes: Sequence[MeasuredScheme],
    *,
    options: Mapping[str, int] | None = None,
    timeout: float | None = None,
    seed: int = 0,
    control: bool = True,
    progress: ProgressCallback | None = None,
) -> AttackFigures:
    """Attack schemes under one key, without salt and as they are meant to be used.

    `name` is one of `ATTACKS`, `plain` the picture that the attacker is after, and `options` are
    those of the attack. The schemes come before a control that the attack must break; one that
    refuses the picture, or takes longer than `timeout` seconds, is not tried. A scheme of others
    runs in a process of its own, and its findings restore no later results. The key follows from
    the seed, and the `control` may be left out. `InvalidParameterError` is raised for attacks and
    options that there are not.

    Parameters
    ----------
    name : str
        The attack, one of `ATTACKS` that takes pixels.
    plain : NamedImage
        The picture that the attacker is after.
    schemes : sequence of MeasuredScheme
        The schemes that are attacked, under the same key.
    options : mapping of str to int, optional
        Values for the options of the attack by their names; by default those that it states.
    timeout : float, optional
        The seconds after which a scheme counts as not tried; by default there is no limit.
    seed : int, default 0
        The number from which keys and salts follow, 0 or more: equal seeds give equal results.
    control : bool, default True
        Whether to attack the control too, which the attack must break.
    progress : callable, optional
        Called with the number of steps done and the number of all steps. By default nothing is
        called.

    Examples
    --------
    >>> from sudokucrypt.analysis import BASELINES, specimens
    >>> result = run_attack("chosen-plaintext", specimens(64)[1], [BASELINES["hilbert"]])
    >>> [run.broken for run in result.runs], result.sound
    ([True, True], True)
    """
    attack, key = _find_attack(name, "pixels"), report_key(0, seed=seed)
    values = attack.checked(options or {})

    def target(scheme: MeasuredScheme, salt: Salt) -> Target:
        without = salt == "none"
        return Target(
            name=scheme.name,
            oracle=scheme.oracle(key, fixed=without),
            unit=scheme.unit,
            block_size=scheme.block_size,
            keyed=_make_keyed_map(scheme, salt),
            still=not without,
            # With salt a result is restored by its header too, which a function of pixels has not.
            undo=scheme.make_restorer(key) if scheme.fresh is None else None,
            inverse=scheme.inverse,
            public=scheme.public,
            foreign=bool(scheme.code),
        )

    targets = [(target(scheme, salt), salt) for scheme in schemes for salt in list_uses(scheme)]
    held = attack.control(**values) if control else None
    given = (plain.pixels,)
    return _measure_on_targets(attack, plain, targets, held, given, values, progress, timeout)


def run_attacks(
    plain: NamedImage,
    schemes: Sequence[MeasuredScheme],
    *,
    timeout: float | None = None,
    progress: ProgressCallback | None = None,
) -> tuple[AttackFigures, ...]:
    """Run every attack on pixels with its default options, as `run_attack` does.

    One that takes longer than `timeout` seconds on a scheme is stopped, as if the scheme refused.

    Parameters
    ----------
    plain : NamedImage
        The picture that the attacker is after.
    schemes : sequence of MeasuredScheme
        The schemes that are attacked.
    timeout : float, optional
        The seconds after which an attack on a scheme is stopped; by default there is no limit.
    progress : callable, optional
        Called with the number of steps done and the number of all steps. By default nothing is
        called.
    """
    names = [name for name, attack in ATTACKS.items() if attack.takes == "pixels"]
    steps = Steps(len(names), progress)
    return tuple(steps.after(run_attack(name, plain, schemes, timeout=timeout)) for name in names)


def run_jpeg_attack(
    name: str,
    plain: NamedJpeg,
    schemes: Sequence[JpegScheme],
    *,
    others: Sequence[NamedJpeg] = (),
    progress: ProgressCallback | None = None,
) -> AttackFigures:
    """Attack schemes for JPEG files under one key, as `run_attack` attacks those for images.

    `name` is one of those `ATTACKS` that take JPEG files, and `others` are files that the attacker
    knows besides. `InvalidParameterError` is raised for other attacks, and for `others` of an
    attack that takes one file; other errors as for `read_coefficients`.

    Parameters
    ----------
    name : str
        The attack, one of `ATTACKS` that takes JPEG files.
    plain : NamedJpeg
        The file that the attacker is after.
    schemes : sequence of JpegScheme
        The schemes that are attacked, under the same key.
    others : sequence of NamedJpeg, default ()
        Files that the attacker knows besides.
    progress : callable, optional
        Called with the number of steps done and the number of all steps. By default nothing is
        called.
    """
    attack = _find_attack(name, *(("jpegs",) if others else ("jpeg", "jpegs")))
    for each in (plain, *others):
        read_coefficients(each.data, max_pixels=each.max_pixels, name=each.name)

    def target(scheme: JpegScheme, salt: Salt) -> JpegTarget:
        oracle = scheme.oracle(report_key(0), fixed=salt == "none")
        return JpegTarget(name=scheme.name, oracle=oracle)

    targets = [(target(scheme, salt), salt) for scheme in schemes for salt in list_uses(scheme)]
    given = (plain.data, [each.data for each in others])[: 1 + (attack.takes == "jpegs")]
    limit = {"max_pixels": plain.max_pixels}
    return _measure_on_targets(
        attack, plain.shown(), targets, attack.control(), given, limit, progress
    )


def _make_keyed_map(scheme: MeasuredScheme, salt: Salt) -> KeyedMap | None:
    """Return a scheme as a function of image and key; None where another use has one."""
    if salt == "none":
        return lambda image, key: scheme.fixed(image, key).pixels
    if scheme.fresh is not scheme.fixed:
        return None

    frozen = FrozenRandomness(*scheme.code)

    def run_still(image: AnyArray, key: bytes) -> AnyArray:
        with frozen():
            return scheme.fixed(image, key).pixels

    return run_still


def _find_attack(name: str, *takes: str) -> Attack:
    """Return an attack that takes one of these."""
    fitting = [each for each, attack in ATTACKS.items() if attack.takes in takes]
    if name not in fitting:
        reason = f"there is no attack {name!r}"
        if name in ATTACKS:
            reason = f"the attack {name!r} takes {_TAKEN[ATTACKS[name].takes]}"
        raise InvalidParameterError(reason, hint=f"choose from {', '.join(fitting)}")
    return ATTACKS[name]


def _crop_middle(pixels: AnyArray, side: int) -> AnyArray:
    """Return the middle of a picture, at most `side` pixels a side."""
    top, left = (max(0, (length - side) // 2) for length in pixels.shape[:2])
    return np.ascontiguousarray(pixels[top : top + side, left : left + side])


def _measure_on_targets(
    attack: Attack,
    plain: NamedImage,
    targets: Sequence[tuple[Target | JpegTarget, Salt]],
    control: Target | JpegTarget | None,
    given: tuple[Any, ...],
    options: Mapping[str, int],
    progress: ProgressCallback | None,
    timeout: float | None = None,
) -> AttackFigures:
    """Run an attack on targets, and last on its control, with what the attacker has."""
    steps = Steps(len(targets) + (control is not None), progress)

    def run(target: Target | JpegTarget, salt: Salt, *, is_control: bool = False) -> AttackRun:
        finding, refusal = None, ""
        foreign = isinstance(target, Target) and target.foreign

        def find() -> Finding:
            found = attack.run(target, *given, **options)
            # What was learned cannot be passed on by another process, but what it showed can.
            return replace(found, undo=None) if foreign else found

        try:
            finding = run_guarded(find, foreign=foreign, limit=timeout)
        except SudokucryptError as error:
            # A scheme may refuse a picture, and the others are attacked all the same.
            refusal = str(error)
        return AttackRun(
            scheme=target.name,
            salt=salt,
            control=is_control,
            finding=finding,
            refusal=refusal,
        )

    runs = [steps.after(run(target, salt)) for target, salt in targets]
    if control is not None:
        if isinstance(control, Target):
            given = (_crop_middle(plain.pixels, _BLOCKS_SIDE if attack.blocks else _CONTROL_SIDE),)
        runs.append(steps.after(run(control, "none", is_control=True)))
    return AttackFigures(attack=attack, plain=plain, runs=tuple(runs))
