"""One attack on several schemes, each with and without fresh salt: what `attack` finds out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from sudokucrypt.analysis.attacks import ATTACKS, Attack, Finding, Outcome, Target
from sudokucrypt.analysis.images import NamedImage
from sudokucrypt.analysis.schemes import Scheme, report_key
from sudokucrypt.analysis.steps import Progress, Steps
from sudokucrypt.errors import InvalidParameterError, SudokucryptError

Salt: TypeAlias = Literal["none", "fresh"]


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
    schemes: Sequence[Scheme],
    *,
    options: Mapping[str, int] | None = None,
    progress: Progress | None = None,
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
    attack = ATTACKS.get(name)
    if attack is None:
        raise InvalidParameterError(
            f"there is no attack {name!r}", hint=f"choose from {', '.join(ATTACKS)}"
        )
    values = attack.checked(options or {})
    targets = [
        (
            Target(
                name=scheme.name,
                oracle=scheme.oracle(report_key(0), fixed=salt == "none"),
                unit=scheme.unit,
                block_size=scheme.block_size,
            ),
            salt,
        )
        for scheme in schemes
        for salt in get_args(Salt)
        if salt == "none" or scheme.fresh is not None
    ]
    steps = Steps(len(targets) + 1, progress)
    runs = [steps.after(_run(attack, each, plain, values, salt=salt)) for each, salt in targets]
    control = attack.control(**values)
    runs.append(steps.after(_run(attack, control, plain, values, salt="none", control=True)))
    return AttackFigures(attack=attack, plain=plain, runs=tuple(runs))


def _run(
    attack: Attack, target: Target, plain: NamedImage, options: Mapping[str, int], **how: Any
) -> AttackRun:
    try:
        finding = attack.run(target, plain.pixels, **options)
    except SudokucryptError as error:
        return AttackRun(scheme=target.name, refusal=str(error), **how)
    return AttackRun(scheme=target.name, finding=finding, **how)
