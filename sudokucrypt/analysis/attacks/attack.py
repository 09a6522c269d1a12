"""What an attack is: its name, what it needs, its control, its options, and what it found."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np

from sudokucrypt.checks import checked_integer
from sudokucrypt.errors import InvalidImageError, InvalidParameterError
from sudokucrypt.registry import Registry
from sudokucrypt.typing import AnyArray

Oracle: TypeAlias = Callable[[AnyArray], AnyArray]
"""A scheme under one key: takes an image, returns one of the same shape and dtype."""

AttackUnit: TypeAlias = Literal["pixel", "sample"]
"""What is traced: whole pixels with their channels, or single samples."""

BROKEN = 0.5
"""From this share of right units on a scheme counts as broken: pictures are plain to see."""


class Outcome(StrEnum):
    """What came of an attack; None stands for one that was not tried."""

    BROKEN = "broken"
    LEAKS = "leaks"
    NOTHING = "nothing found"


@dataclass(frozen=True, eq=False, kw_only=True)
class Target:
    """A scheme under one key, as attacks take it.

    `name` is what reports call it, `unit` what moves as a whole, and `block_size` the side of the
    blocks that do, if that is known.
    """

    name: str
    oracle: Oracle
    unit: AttackUnit = "pixel"
    block_size: int | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Finding:
    """What one attack found on one target: the outcome, and a verdict in words.

    `queries` is how many images the attacker had, the one to be recovered not counted, and
    `recovered` the share of pixels, samples or joints that came back right, 0..1. `seen` is the
    picture as the attacker has it, `picture` what the attacker makes of it, and `stages` the same
    after the first known image, the first two, and so on. `details` are further figures, of JSON's
    types; "recovered_after" and "expected_after", the shares after each known image, are drawn.
    """

    outcome: Outcome
    verdict: str
    queries: int = 0
    recovered: float
    seen: AnyArray
    picture: AnyArray
    stages: tuple[AnyArray, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class AttackOption:
    """A number that an attack takes, with its default and its range.

    `name` is that of the argument, such as "block_size", and `metavar` one letter that stands for
    the number; `text` says what it is, in a sentence.
    """

    name: str
    metavar: str
    default: int
    least: int
    most: int
    text: str


@dataclass(frozen=True, eq=False, kw_only=True)
class Attack:
    """An attack as commands and reports take it.

    `name` is used everywhere, such as "known-plaintext", and `title` is a heading. `summary`,
    `needs` and `method` say what it does, what the attacker has, and how it works.

    `run` takes a `Target`, a picture and the `options` by name, and returns a `Finding`; it may
    raise `SudokucryptError` where the target does not take such pictures. `control` takes the
    options and returns a `Target` that the attack must break. `blocks` says that it is aimed at
    blocks that move as a whole, and `details` what each key of `Finding.details` means.
    """

    name: str
    title: str
    summary: str
    needs: str
    method: str
    run: Callable[..., Finding]
    control: Callable[..., Target]
    options: tuple[AttackOption, ...] = ()
    blocks: bool = False
    details: Mapping[str, str] = field(default_factory=dict)

    def checked(self, given: Mapping[str, int]) -> dict[str, int]:
        """Return a value for each option, or raise `InvalidParameterError`."""
        unknown = given.keys() - {option.name for option in self.options}
        if unknown:
            raise InvalidParameterError(f"{self.name} takes no {', '.join(sorted(unknown))}")
        return {
            each.name: checked_integer(
                each.name, given.get(each.name, each.default), least=each.least, most=each.most
            )
            for each in self.options
        }


ATTACKS = Registry(
    Attack,
    called="an attack",
    group="sudokucrypt.attacks",
    package="sudokucrypt.analysis.attacks",
    order=lambda attack: attack.name,
)
"""Every attack, by name."""

F = TypeVar("F", bound=Callable[..., Finding])


def attack(**fields: Any) -> Callable[[F], F]:
    """Return a decorator that registers a function as the `run` of an `Attack`."""

    def decorate(run: F) -> F:
        ATTACKS.register(Attack(run=run, **fields))
        return run

    return decorate


def finding_of(result: Any, *names: str, **fields: Any) -> Finding:
    """Return what a result amounts to, with its fields of these names as details."""
    given = {"details": {name: getattr(result, name) for name in names}, **fields}
    outcome = Outcome.BROKEN if result.broken else Outcome.NOTHING
    return Finding(outcome=outcome, verdict=result.verdict, **given)


def judged(broken: bool, how: str, otherwise: str) -> str:
    """Return the verdict on a scheme, with the text that fits."""
    return f"broken: {how}" if broken else f"not broken by this attack: {otherwise}"


def counted(number: int, kind: str) -> str:
    """Return a number of things in words, such as "2 known images"."""
    return f"{number} {kind}" if number == 1 else f"{number} {kind}s"


def query(oracle: Oracle, image: AnyArray) -> AnyArray:
    """Return what a scheme makes of a copy of an image, so that it may work in place."""
    result = np.asarray(oracle(image.copy()))
    if result.shape != image.shape or result.dtype.name != image.dtype.name:
        raise InvalidImageError(
            f"the scheme made {result.shape} of {result.dtype} from {image.shape} of {image.dtype}",
            hint="attacks take schemes that keep shape and dtype",
        )
    return result.astype(image.dtype, copy=False)
