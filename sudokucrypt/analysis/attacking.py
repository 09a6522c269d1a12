"""One attack on several schemes, each with and without fresh salt: what `attack` finds out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from sudokucrypt.analysis.attacks import ATTACKS, Attack, Finding, JpegTarget, Outcome, Target
from sudokucrypt.analysis.images import NamedImage, NamedJpeg
from sudokucrypt.analysis.progress import ProgressCallback, Steps
from sudokucrypt.analysis.schemes import JpegScheme, MeasuredScheme, report_key
from sudokucrypt.errors import InvalidParameterError, SudokucryptError
from sudokucrypt.images.jpeg import read_coefficients

Salt: TypeAlias = Literal["none", "fresh"]

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
        """What came of it; None if it was not tried."""
        return None if self.finding is None else self.finding.outcome

    @property
    def broken(self) -> bool:
        """Whether other images are plain to see."""
        return self.outcome is Outcome.BROKEN


@dataclass(frozen=True, eq=False, kw_only=True)
class AttackFigures:
    """What one attack gave on one picture: a run for each use of each scheme, the control last."""

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
    progress: ProgressCallback | None = None,
) -> AttackFigures:
    """Attack schemes under one key, without salt and as they are meant to be used.

    `name` is one of `ATTACKS`, `plain` the picture that the attacker is after, and `options` are
    those of the attack. The schemes come before a control that the attack must break; one that
    refuses the picture is not tried. `InvalidParameterError` is raised for attacks and options that
    there are not.

    Examples
    --------
    >>> from sudokucrypt.analysis import BASELINES, specimens
    >>> found = run_attack("chosen-plaintext", specimens(64)[1], [BASELINES["hilbert"]])
    >>> [run.broken for run in found.runs], found.sound
    ([True, True], True)
    """
    attack = _named(name, "pixels")
    values = attack.checked(options or {})

    def target(scheme: MeasuredScheme, salt: Salt) -> Target:
        without = salt == "none"
        return Target(
            name=scheme.name,
            oracle=scheme.oracle(report_key(0), fixed=without),
            unit=scheme.unit,
            block_size=scheme.block_size,
            keyed=(lambda image, key: scheme.fixed(image, key).pixels) if without else None,
            # With salt a result is restored by its header too, which a function of pixels has not.
            undo=scheme.restoring(report_key(0)) if scheme.fresh is None else None,
            public=scheme.public,
        )

    targets = [(target(scheme, salt), salt) for scheme in schemes for salt in _salts(scheme)]
    control = attack.control(**values)
    return _figures(attack, plain, targets, control, (plain.pixels,), values, progress)


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
    """
    attack = _named(name, *(("jpegs",) if others else ("jpeg", "jpegs")))
    for each in (plain, *others):
        read_coefficients(each.data, max_pixels=each.max_pixels, name=each.name)

    def target(scheme: JpegScheme, salt: Salt) -> JpegTarget:
        oracle = scheme.oracle(report_key(0), fixed=salt == "none")
        return JpegTarget(name=scheme.name, oracle=oracle)

    targets = [(target(scheme, salt), salt) for scheme in schemes for salt in _salts(scheme)]
    given = (plain.data, [each.data for each in others])[: 1 + (attack.takes == "jpegs")]
    limit = {"max_pixels": plain.max_pixels}
    return _figures(attack, plain.shown(), targets, attack.control(), given, limit, progress)


def _named(name: str, *takes: str) -> Attack:
    """Return an attack that takes one of these."""
    fitting = [each for each, attack in ATTACKS.items() if attack.takes in takes]
    if name not in fitting:
        reason = f"there is no attack {name!r}"
        if name in ATTACKS:
            reason = f"the attack {name!r} takes {_TAKEN[ATTACKS[name].takes]}"
        raise InvalidParameterError(reason, hint=f"choose from {', '.join(fitting)}")
    return ATTACKS[name]


def _salts(scheme: MeasuredScheme | JpegScheme) -> tuple[Salt, ...]:
    return ("none",) if scheme.fresh is None else get_args(Salt)


def _figures(
    attack: Attack,
    plain: NamedImage,
    targets: Sequence[tuple[Target | JpegTarget, Salt]],
    control: Target | JpegTarget,
    given: tuple[Any, ...],
    options: Mapping[str, int],
    progress: ProgressCallback | None,
) -> AttackFigures:
    """Run an attack on targets, and last on its control, with what the attacker has."""
    steps = Steps(len(targets) + 1, progress)

    def run(target: Target | JpegTarget, salt: Salt, *, is_control: bool = False) -> AttackRun:
        finding, refusal = None, ""
        try:
            finding = attack.run(target, *given, **options)
        except SudokucryptError as error:
            # A scheme may refuse a picture, and the others are attacked all the same.
            refusal = str(error)
        return AttackRun(
            scheme=target.name, salt=salt, control=is_control, finding=finding, refusal=refusal
        )

    runs = [steps.after(run(target, salt)) for target, salt in targets]
    runs.append(steps.after(run(control, "none", is_control=True)))
    return AttackFigures(attack=attack, plain=plain, runs=tuple(runs))
