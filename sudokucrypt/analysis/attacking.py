"""Run one attack on several schemes, each with and without fresh salt, and on its control."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sudokucrypt.analysis.attacks import ATTACKS, Attack, Finding, JpegTarget, Outcome, Target
from sudokucrypt.analysis.images import NamedImage, NamedJpeg
from sudokucrypt.analysis.progress import StepCounter, run_guarded
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

# Controls are attacked only on the middle of the picture, which is cropped to these sides: the
# first for attacks on pixels, the second for attacks on blocks. The middle shows whether an attack
# works, and takes a fraction of the time.
_CONTROL_SIDE, _BLOCK_CONTROL_SIDE = 128, 256

_INPUT_KIND_LABELS = {"pixels": "images", "jpeg": "one JPEG file", "jpegs": "JPEG files"}


@dataclass(frozen=True, eq=False, kw_only=True)
class AttackRun:
    """The run of one attack on one scheme, with a fresh salt for each image or without salt.

    A `control` is a scheme that the attack must break. A scheme that refuses the picture has
    no `finding`, and `refusal` is its error message.
    """

    scheme: str
    salt: Salt
    control: bool = False
    finding: Finding | None = None
    refusal: str = ""

    @property
    def outcome(self) -> Outcome | None:
        """The outcome of the attack; None if the scheme was not attacked."""
        return None if self.finding is None else self.finding.outcome

    @property
    def broken(self) -> bool:
        """Whether the attack lets the attacker see other images under the same key."""
        return self.outcome is Outcome.BROKEN


@dataclass(frozen=True, eq=False, kw_only=True)
class AttackFigures:
    """Results of one attack on one picture: a run for each scheme and salt, the control last."""

    attack: Attack
    plain: NamedImage
    runs: tuple[AttackRun, ...]

    @property
    def control_was_broken(self) -> bool:
        """Whether the control was broken, so that failures on other schemes mean something."""
        return any(run.broken for run in self.runs if run.control)

    @property
    def as_used(self) -> AttackRun:
        """The last scheme's run in its intended use: with fresh salt, if the scheme takes salt."""
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

    The schemes are attacked first and the control last. A scheme that refuses the picture, or
    takes longer than `timeout` seconds, gets no finding. A scheme from another package runs in a
    process of its own, and findings about it cannot restore later results.
    `InvalidParameterError` is raised for unknown attacks and options.

    Parameters
    ----------
    name : str
        The attack, one of `ATTACKS` that takes pixels.
    plain : NamedImage
        The picture that the attacker is after.
    schemes : sequence of MeasuredScheme
        The schemes that are attacked, under the same key.
    options : mapping of str to int, optional
        Values of the attack's options by name; an option that is left out has its default.
    timeout : float, optional
        The seconds after which the attack on a scheme is stopped; by default there is no limit.
    seed : int, default 0
        The number from which keys and salts follow, 0 or more: equal seeds give equal results.
    control : bool, default True
        Whether to attack the control too, a scheme that the attack must break.
    progress : callable, optional
        Called with the number of steps done and the number of all steps. By default nothing is
        called.

    Examples
    --------
    >>> from sudokucrypt.analysis import BASELINES, specimens
    >>> result = run_attack("chosen-plaintext", specimens(64)[1], [BASELINES["hilbert"]])
    >>> [run.broken for run in result.runs], result.control_was_broken
    ([True, True], True)
    """
    attack, key = _find_attack(name, "pixels"), report_key(0, seed=seed)
    option_values = attack.complete_options(options or {})

    def make_target(scheme: MeasuredScheme, salt: Salt) -> Target:
        is_unsalted = salt == "none"
        return Target(
            name=scheme.name,
            oracle=scheme.oracle(key, fixed=is_unsalted),
            unit=scheme.unit,
            block_size=scheme.block_size,
            keyed=_make_keyed_map(scheme, salt),
            still=not is_unsalted,
            # Restoring a salted result also requires its header, which the array of samples does
            # not contain.
            undo=scheme.make_restorer(key) if scheme.fresh is None else None,
            inverse=scheme.inverse,
            public=scheme.public,
            foreign=bool(scheme.code),
        )

    targets = [
        (make_target(scheme, salt), salt) for scheme in schemes for salt in list_uses(scheme)
    ]
    control_target = attack.control(**option_values) if control else None
    inputs = (plain.pixels,)
    return _measure_on_targets(
        attack, plain, targets, control_target, inputs, option_values, progress, timeout
    )


def run_attacks(
    plain: NamedImage,
    schemes: Sequence[MeasuredScheme],
    *,
    timeout: float | None = None,
    progress: ProgressCallback | None = None,
) -> tuple[AttackFigures, ...]:
    """Run every attack on pixels with its default options, each as `run_attack` runs it.

    An attack on a scheme that takes longer than `timeout` seconds is stopped and has no finding.

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
    steps = StepCounter(len(names), progress)
    return tuple(
        steps.count_step(run_attack(name, plain, schemes, timeout=timeout)) for name in names
    )


def run_jpeg_attack(
    name: str,
    plain: NamedJpeg,
    schemes: Sequence[JpegScheme],
    *,
    others: Sequence[NamedJpeg] = (),
    progress: ProgressCallback | None = None,
) -> AttackFigures:
    """Attack schemes for JPEG files under one key, as `run_attack` attacks schemes for images.

    `InvalidParameterError` is raised for an attack that takes no JPEG files, and if `others` are
    given to an attack that takes one file. A file that is refused raises the error of
    `read_coefficients`.

    Parameters
    ----------
    name : str
        The attack, one of `ATTACKS` that takes JPEG files.
    plain : NamedJpeg
        The file that the attacker is after.
    schemes : sequence of JpegScheme
        The schemes that are attacked, under the same key.
    others : sequence of NamedJpeg, default ()
        Further files that the attacker knows.
    progress : callable, optional
        Called with the number of steps done and the number of all steps. By default nothing is
        called.
    """
    attack = _find_attack(name, *(("jpegs",) if others else ("jpeg", "jpegs")))
    for file in (plain, *others):
        read_coefficients(file.data, max_pixels=file.max_pixels, name=file.name)

    def make_target(scheme: JpegScheme, salt: Salt) -> JpegTarget:
        oracle = scheme.oracle(report_key(0), fixed=salt == "none")
        return JpegTarget(name=scheme.name, oracle=oracle)

    targets = [
        (make_target(scheme, salt), salt) for scheme in schemes for salt in list_uses(scheme)
    ]
    inputs = (plain.data, [file.data for file in others])[: 1 + (attack.takes == "jpegs")]
    options = {"max_pixels": plain.max_pixels}
    return _measure_on_targets(
        attack, plain.decode(), targets, attack.control(), inputs, options, progress
    )


def _make_keyed_map(scheme: MeasuredScheme, salt: Salt) -> KeyedMap | None:
    """Return a scheme as a function of image and key, or None if it runs with optional salt."""
    if salt == "none":
        return lambda image, key: scheme.fixed(image, key).pixels
    if scheme.fresh is not scheme.fixed:
        return None

    frozen_randomness = FrozenRandomness(*scheme.code)

    def run_with_frozen_randomness(image: AnyArray, key: bytes) -> AnyArray:
        with frozen_randomness():
            return scheme.fixed(image, key).pixels

    return run_with_frozen_randomness


def _find_attack(name: str, *input_kinds: str) -> Attack:
    """Return the attack of this name if it takes one of these kinds of input."""
    matching_names = [
        attack_name for attack_name, attack in ATTACKS.items() if attack.takes in input_kinds
    ]
    if name not in matching_names:
        message = f"there is no attack {name!r}"
        if name in ATTACKS:
            message = f"the attack {name!r} takes {_INPUT_KIND_LABELS[ATTACKS[name].takes]}"
        raise InvalidParameterError(message, hint=f"choose from {', '.join(matching_names)}")
    return ATTACKS[name]


def _crop_middle(pixels: AnyArray, side: int) -> AnyArray:
    """Return the middle of a picture, at most `side` pixels high and wide."""
    top, left = (max(0, (length - side) // 2) for length in pixels.shape[:2])
    return np.ascontiguousarray(pixels[top : top + side, left : left + side])


def _measure_on_targets(
    attack: Attack,
    plain: NamedImage,
    targets: Sequence[tuple[Target | JpegTarget, Salt]],
    control: Target | JpegTarget | None,
    inputs: tuple[Any, ...],
    options: Mapping[str, int],
    progress: ProgressCallback | None,
    timeout: float | None = None,
) -> AttackFigures:
    """Run an attack on each target, then on its control, with the attacker's inputs."""
    steps = StepCounter(len(targets) + (control is not None), progress)

    def record_run(
        target: Target | JpegTarget, salt: Salt, *, is_control: bool = False
    ) -> AttackRun:
        finding, refusal = None, ""
        is_foreign = isinstance(target, Target) and target.foreign

        def attack_target() -> Finding:
            finding = attack.run(target, *inputs, **options)
            # Another process can send back the finding, but not the function that restores results.
            return replace(finding, undo=None) if is_foreign else finding

        try:
            finding = run_guarded(attack_target, foreign=is_foreign, limit=timeout)
        except SudokucryptError as error:
            # A scheme may refuse a picture; the other schemes are attacked nevertheless.
            refusal = str(error)
        return AttackRun(
            scheme=target.name,
            salt=salt,
            control=is_control,
            finding=finding,
            refusal=refusal,
        )

    runs = [steps.count_step(record_run(target, salt)) for target, salt in targets]
    if control is not None:
        if isinstance(control, Target):
            inputs = (
                _crop_middle(plain.pixels, _BLOCK_CONTROL_SIDE if attack.blocks else _CONTROL_SIDE),
            )
        runs.append(steps.count_step(record_run(control, "none", is_control=True)))
    return AttackFigures(attack=attack, plain=plain, runs=tuple(runs))
