"""Define what an attack is: its name, needs, control and options, its targets and findings."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import sqrt
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.errors import InvalidImageError, InvalidParameterError, UnsupportedError
from sudokucrypt.options import check_integer
from sudokucrypt.registry import Registry, split_labeled_paragraphs
from sudokucrypt.typing import AnyArray

Oracle: TypeAlias = Callable[[AnyArray], AnyArray]
"""A scheme under one key: takes an image, returns one of the same shape and dtype."""

JpegOracle: TypeAlias = Callable[[bytes], bytes]
"""A scheme for JPEG files under one key: takes a file, returns one with the same frame."""

# The function of an attack: it takes a target, a picture and options by name; see `Attack.run`.
AttackFunction: TypeAlias = "Callable[..., Finding]"

AttackUnit: TypeAlias = Literal["pixel", "sample", "bit"]
"""The unit whose moves an attack traces: pixels with all channels, samples, or single bits."""

UnitChoice: TypeAlias = Literal["auto", "pixel", "sample", "bit"]
"""A unit, or "auto" for the unit with which an attack recovers most."""

Threat: TypeAlias = Literal[
    "ciphertext only", "known", "chosen", "adaptive", "chosen ciphertext", "key search"
]
"""The access of an attacker, from the least to the most."""

# A scheme counts as broken from this share of recovered pixels beyond chance: a picture of which a
# fifth of the pixels are right, and the others random, shows its outlines.
MIN_BROKEN_SHARE = 0.2


def _make_empty_image() -> AnyArray:
    return np.zeros((0, 0), np.uint8)


class Outcome(StrEnum):
    """The outcome of an attack. Where None replaces an outcome, the attack was not tried.

    A scheme is broken if other pictures can be seen, and leaks if the attack finds more than chance
    explains. The outcomes are ordered from the gravest to the mildest.
    """

    BROKEN = "broken"
    LEAKS = "leaks"
    NOTHING = "nothing found"


@dataclass(frozen=True, eq=False, kw_only=True)
class Target:
    """A scheme under one key: the input of an attack.

    `name` is its name in reports, `unit` the unit that it moves as a whole, and `block_size` the
    side of the blocks that it moves, if known. By default attacks try all units. `keyed` is the
    scheme as a function of image and key of 32 bytes, without salt or, if `still`, with frozen
    sources of randomness. `undo` restores results under the key of the oracle, and `inverse` under
    any key. `public` returns the side information that is sent with the result of an image. A
    `foreign` scheme runs code of another package.
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
    """A scheme for JPEG files under one key; `name` is its name in reports."""

    name: str
    oracle: JpegOracle


@dataclass(frozen=True, eq=False, kw_only=True)
class Finding:
    """The outcome of one attack on one target, and its reasons in words.

    `queries` is the number of images that the attacker had, without the one to recover.
    `recovered` is the share of pixels, samples or joints that were recovered correctly, 0..1.
    `seen` is the scrambled picture, `picture` the attacker's reconstruction, and `stages` are the
    reconstructions after the first known image, the first two, and so on. `plain` is the plain
    picture if it is not the picture that was passed to the attack, such as a smaller one. `undo`
    restores later results, if the attack learned how.

    `details` are further values, each of which is also an attribute. The `Attack` describes the
    details that reports show, which have types of JSON. Reports draw "recovered_after" and
    "expected_after", the shares after each known image.
    """

    outcome: Outcome
    text: str
    queries: int = 0
    recovered: float = 0.0
    seen: AnyArray = field(default_factory=_make_empty_image)
    picture: AnyArray = field(default_factory=_make_empty_image)
    plain: AnyArray | None = None
    stages: tuple[AnyArray, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    undo: Callable[..., AnyArray] | None = None

    def __getattr__(self, name: str) -> Any:
        """Return the detail of this name, so that details can be read as attributes."""
        if name.startswith("__") or name not in self.details:
            raise AttributeError(f"a finding of this attack has no {name}")
        return self.details[name]

    @property
    def broken(self) -> bool:
        """Whether the attacker can see other pictures under the same key."""
        return self.outcome is Outcome.BROKEN

    @property
    def verdict(self) -> str:
        """The outcome and its reasons, as one text."""
        return f"{self.outcome}: {self.text}"

    def restore(self, scrambled: ArrayLike, **options: Any) -> AnyArray:
        """Restore a later result of the scheme; units that the attack does not know are 0.

        `InvalidImageError` is raised unless the image has the shape and dtype that were attacked.
        """
        if self.undo is None:
            raise UnsupportedError("this attack learned nothing that restores later results")
        return self.undo(scrambled, **options)

    def apply_to(self, result: AnyArray) -> "Finding":
        """Return this finding with the later result `result` and the picture restored from it."""
        return replace(self, seen=result, picture=self.restore(result))


@dataclass(frozen=True, kw_only=True)
class AttackOption:
    """A number that an attack takes, with its default and its range.

    `name` is the name of the argument, such as "block_size", and `metavar` the letter for the
    number in help texts; `text` is a sentence that describes it. Values are `least` to `most`.
    """

    name: str
    metavar: str
    default: int
    least: int
    most: int
    text: str


@dataclass(frozen=True, eq=False, kw_only=True)
class Attack:
    """An attack, with its description for commands and reports.

    `name` identifies the attack, such as "known-plaintext", and `title` is a heading. `summary`,
    `needs` and `method` say what it does, what the attacker has, and how it works.

    `run` takes a `Target`, a picture and the `options` by name, and returns a `Finding`; it may
    raise `SudokucryptError` if the target does not take such pictures. `control` takes the
    options and returns a `Target` that the attack must break. `blocks` is true for attacks on
    blocks that move as a whole, and `details` describes each key of `Finding.details`.

    If `takes` is not "pixels", targets are `JpegTarget` and the picture is the bytes of a JPEG
    file; with "jpegs", `run` also takes a sequence of further files that the attacker has. Such an
    attack has no options, but `run` takes `max_pixels`, the largest size of a file.

    `threat` is the access of the attacker: results only, known images with their results, images
    of its own choice, images chosen after seeing other results, restored results, or a search
    among keys.
    """

    name: str
    title: str
    summary: str
    needs: str
    method: str
    run: AttackFunction
    control: Callable[..., Target | JpegTarget]
    options: tuple[AttackOption, ...] = ()
    blocks: bool = False
    takes: Literal["pixels", "jpeg", "jpegs"] = "pixels"
    details: Mapping[str, str] = field(default_factory=dict)
    threat: Threat = "chosen"

    def complete_options(self, values: Mapping[str, int]) -> dict[str, int]:
        """Return a value for each option, given or default, or raise `InvalidParameterError`."""
        unknown_names = values.keys() - {option.name for option in self.options}
        if unknown_names:
            raise InvalidParameterError(
                f"the attack {self.name} has no option {', '.join(sorted(unknown_names))}"
            )
        return {
            option.name: check_integer(
                option.name,
                values.get(option.name, option.default),
                least=option.least,
                most=option.most,
            )
            for option in self.options
        }


ATTACKS = Registry(
    Attack,
    item_noun="an attack",
    group="sudokucrypt.attacks",
    package="sudokucrypt.analysis.attacks",
    order=lambda attack: attack.name,
)
"""Every attack, by name."""


def attack(
    *, details: Mapping[str, str] | None = None, **fields: Any
) -> Callable[[AttackFunction], AttackFunction]:
    """Return a decorator that registers a function as the `run` of an `Attack`.

    The first line of its docstring is the `summary`, the paragraph that begins with "Needs: " the
    `needs`, and the other paragraphs the `method`. Details of its findings that are not described
    here are removed.

    Parameters
    ----------
    details : mapping of str to str, optional
        A description of each detail of its findings, by name; details without a description are
        removed. By default all are.
    **fields : Any
        The fields of `Attack` except `run`; `name`, `title` and `control` are required, and
        `summary`, `needs` and `method` replace the text of the docstring.
    """
    descriptions = details or {}

    def decorate(run: AttackFunction) -> AttackFunction:
        def run_with_described_details(*arguments: Any, **options: Any) -> Finding:
            finding = run(*arguments, **options)
            described_details = {
                name: value for name, value in finding.details.items() if name in descriptions
            }
            return replace(finding, details=described_details)

        paragraphs = split_labeled_paragraphs(run, "Needs")
        summary, _, method = paragraphs[""].partition("\n\n")
        texts = {
            "summary": summary,
            "needs": paragraphs["Needs"],
            "method": " ".join(method.split()),
        }
        ATTACKS.register(
            Attack(run=run_with_described_details, details=descriptions, **texts | fields)
        )
        return run

    return decorate


def judge_share(share: float, *, chance: float, trials: int) -> Outcome:
    """Return the outcome for a share of right guesses, compared with the share by chance.

    Chance makes the number of right guesses among all trials count as a leak less than once in a
    million attacks, even if the expected number is small.
    """
    expected_count = chance * trials
    # A Poisson count exceeds its mean by 5 standard deviations plus 4 less often than once in a
    # million times, for small and large means.
    if share * trials <= expected_count + 5 * sqrt(expected_count) + 4:
        return Outcome.NOTHING
    return Outcome.BROKEN if share - chance >= MIN_BROKEN_SHARE * (1 - chance) else Outcome.LEAKS


def format_count(count: int, kind: str) -> str:
    """Return a count with its noun, such as "2 known images"."""
    return f"{count} {kind}" if count == 1 else f"{count} {kind}s"


def query(oracle: Oracle, image: AnyArray) -> AnyArray:
    """Return the result of a scheme for an image. The scheme gets a copy, which it may change."""
    # Some schemes scramble in place, and a known image must not change.
    result = np.asarray(oracle(image.copy()))
    # Dtypes that differ only in their byte order have the same name. Names are compared last,
    # since comparing them is slow.
    has_other_dtype = result.dtype != image.dtype and result.dtype.name != image.dtype.name
    if result.shape != image.shape or has_other_dtype:
        raise InvalidImageError(
            f"the result has shape {result.shape} and dtype {result.dtype}, but the image has "
            f"shape {image.shape} and dtype {image.dtype}",
            hint="attacks need schemes whose results have the shape and dtype of the image",
        )
    # The result may have the byte order of the machine, and the image another one.
    return result.astype(image.dtype, copy=False)


def query_all(oracle: Oracle, images: Iterable[AnyArray]) -> list[AnyArray]:
    """Return the result of a scheme for each image."""
    return [query(oracle, image) for image in images]
