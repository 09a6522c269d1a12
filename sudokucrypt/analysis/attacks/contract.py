"""The contract of attacks: name, needs, control, options, and findings."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import sqrt
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.errors import InvalidImageError, InvalidParameterError, UnsupportedError
from sudokucrypt.options import checked_integer
from sudokucrypt.registry import Registry, split_labeled_paragraphs
from sudokucrypt.typing import AnyArray

Oracle: TypeAlias = Callable[[AnyArray], AnyArray]
"""A scheme under one key: takes an image, returns one of the same shape and dtype."""

JpegOracle: TypeAlias = Callable[[bytes], bytes]
"""A scheme for JPEG files under one key: takes a file, returns one with the same frame."""

# What an attack does: takes a target, a picture and options by name, see `Attack.run`.
RunAttack: TypeAlias = "Callable[..., Finding]"

AttackUnit: TypeAlias = Literal["pixel", "sample", "bit"]
"""What is traced: whole pixels with their channels, single samples, or single bits."""

UnitChoice: TypeAlias = Literal["auto", "pixel", "sample", "bit"]
"""One unit, or whichever of them an attack gets furthest with."""

Threat: TypeAlias = Literal[
    "ciphertext only", "known", "chosen", "adaptive", "chosen ciphertext", "key search"
]
"""What an attacker can get, the least first."""

# From this share of what chance leaves on a scheme counts as broken: pictures can be seen.
#
# A picture of which a fifth of the pixels are right, and the others random, shows its outlines.
BROKEN = 0.2


def _no_image() -> AnyArray:
    return np.zeros((0, 0), np.uint8)


class Outcome(StrEnum):
    """The outcome of an attack; None means that it was not tried.

    A scheme is broken if other pictures can be seen, and leaks if the attack finds more than chance
    explains. Outcomes are in this order, the gravest first.
    """

    BROKEN = "broken"
    LEAKS = "leaks"
    NOTHING = "nothing found"


@dataclass(frozen=True, eq=False, kw_only=True)
class Target:
    """A scheme under one key, as attacks take it.

    `name` is what reports call it, `unit` what moves as a whole, and `block_size` the side of the
    blocks that do, if that is known. By default attacks try all units. `keyed` is the scheme as a
    function of image and key of 32 bytes, without salt or, if `still`, with its sources of
    randomness held still; `undo` restores results of any content
    under the key of the oracle and `inverse` under any key, and `public` is what is sent along with
    the result of an image. A `foreign` scheme runs code of others.
    """

    name: str
    oracle: Oracle
    unit: UnitChoice = "auto"
    block_size: int | None = None
    keyed: Callable[[AnyArray, bytes], AnyArray] | None = None
    still: bool = False
    undo: Oracle | None = None
    inverse: Callable[[AnyArray, bytes], AnyArray] | None = None
    public: Callable[[AnyArray], object] | None = None
    foreign: bool = False


@dataclass(frozen=True, kw_only=True)
class JpegTarget:
    """A scheme for JPEG files under one key; `name` is what reports call it."""

    name: str
    oracle: JpegOracle


@dataclass(frozen=True, eq=False, kw_only=True)
class Finding:
    """The outcome of one attack on one target, and its reasons in words.

    `queries` is how many images the attacker had, the one to be recovered not counted, and
    `recovered` the share of pixels, samples or joints that were recovered correctly, 0..1. `seen`
    is the picture as the attacker has it, `picture` what the attacker makes of it, and `stages` the
    same after the first known image, the first two, and so on. `plain` is the picture behind, where
    it is another than the one to be attacked, such as a smaller one. `undo` restores later results,
    if the attack learned how.

    `details` are further values, each of which is an attribute too; the `Attack` describes those
    that reports show, which are of JSON's types. "recovered_after" and "expected_after", the shares
    after each known image, are drawn.
    """

    outcome: Outcome
    text: str
    queries: int = 0
    recovered: float = 0.0
    seen: AnyArray = field(default_factory=_no_image)
    picture: AnyArray = field(default_factory=_no_image)
    plain: AnyArray | None = None
    stages: tuple[AnyArray, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    undo: Callable[..., AnyArray] | None = None

    def __getattr__(self, name: str) -> Any:
        """Return one of the details."""
        if name.startswith("__") or name not in self.details:
            raise AttributeError(f"a finding of this attack has no {name}")
        return self.details[name]

    @property
    def broken(self) -> bool:
        """Whether other pictures can be seen."""
        return self.outcome is Outcome.BROKEN

    @property
    def verdict(self) -> str:
        """The outcome, and what it rests on."""
        return f"{self.outcome}: {self.text}"

    def restore(self, scrambled: ArrayLike, **options: Any) -> AnyArray:
        """Restore a later result; units that the attack does not know are 0.

        `InvalidImageError` is raised unless the image is like those that were attacked.
        """
        if self.undo is None:
            raise UnsupportedError("this attack learned nothing that restores later results")
        return self.undo(scrambled, **options)

    def apply_to(self, seen: AnyArray) -> "Finding":
        """Return the same finding on a picture of which the attacker has only the result."""
        return replace(self, seen=seen, picture=self.restore(seen))


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

    Where `takes` is not "pixels", targets are `JpegTarget` and the picture is the bytes of a JPEG
    file, with "jpegs" followed by a sequence of others that the attacker has too. There are no
    options; `run` also takes `max_pixels`, the most that are read of a file.

    `threat` is what the attacker can get: results alone, images that come along, images of its own
    choice, also after it has seen other results, restored results, or a trial of keys.
    """

    name: str
    title: str
    summary: str
    needs: str
    method: str
    run: RunAttack
    control: Callable[..., Target | JpegTarget]
    options: tuple[AttackOption, ...] = ()
    blocks: bool = False
    takes: Literal["pixels", "jpeg", "jpegs"] = "pixels"
    details: Mapping[str, str] = field(default_factory=dict)
    threat: Threat = "chosen"

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


def attack(
    *, details: Mapping[str, str] | None = None, **fields: Any
) -> Callable[[RunAttack], RunAttack]:
    """Return a decorator that registers a function as the `run` of an `Attack`.

    Its docstring says what it does in the first line, what it needs in a paragraph that begins with
    "Needs: ", and how it works in the others. Of the details of its findings only those stay that
    are described here.

    Parameters
    ----------
    details : mapping of str to str, optional
        What each detail of its findings is, by its name; others are dropped. By default there are
        none.
    **fields : Any
        The fields of `Attack` except `run`; `name`, `title` and `control` are required, and
        `summary`, `needs` and `method` come before the docstring.
    """
    described = details or {}

    def decorate(run: RunAttack) -> RunAttack:
        def described_finding(*given: Any, **options: Any) -> Finding:
            finding = run(*given, **options)
            documented = {name: each for name, each in finding.details.items() if name in described}
            return replace(finding, details=documented)

        said = split_labeled_paragraphs(run, "Needs")
        summary, _, method = said[""].partition("\n\n")
        words = {"summary": summary, "needs": said["Needs"], "method": " ".join(method.split())}
        ATTACKS.register(Attack(run=described_finding, details=described, **words | fields))
        return run

    return decorate


def judge_share(share: float, *, chance: float, trials: int) -> Outcome:
    """Return the outcome for a share of right guesses, compared with the share by chance.

    Of all trials, chance gives as many right ones as make a leak less than once in a million
    attacks, however small the expected number is.
    """
    expected = chance * trials
    # A Poisson count exceeds its mean by 5 deviations and 4 less than once in a million times, from
    # means near 0 to large ones.
    if share * trials <= expected + 5 * sqrt(expected) + 4:
        return Outcome.NOTHING
    return Outcome.BROKEN if share - chance >= BROKEN * (1 - chance) else Outcome.LEAKS


def count_text(count: int, kind: str) -> str:
    """Return a number of things in words, such as "2 known images"."""
    return f"{count} {kind}" if count == 1 else f"{count} {kind}s"


def query(oracle: Oracle, image: AnyArray) -> AnyArray:
    """Return the result of a scheme for a copy of an image, which the scheme may change."""
    # Some schemes scramble in place, and a known image must stay what it was.
    result = np.asarray(oracle(image.copy()))
    # The names of types, which differ less, take longer to find than most results to make.
    other = result.dtype != image.dtype and result.dtype.name != image.dtype.name
    if result.shape != image.shape or other:
        raise InvalidImageError(
            f"the scheme made {result.shape} of {result.dtype} from {image.shape} of {image.dtype}",
            hint="attacks take schemes that keep shape and dtype",
        )
    # Results may have the byte order of the machine where the image has another.
    return result.astype(image.dtype, copy=False)


def query_all(oracle: Oracle, images: Iterable[AnyArray]) -> list[AnyArray]:
    """Return the result of a scheme for each image."""
    return [query(oracle, image) for image in images]
