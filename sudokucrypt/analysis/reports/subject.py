"""A scheme under test, as callables: analysis knows neither keys nor headers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from sudokucrypt.analysis.baselines import BASELINES
from sudokucrypt.typing import AnyArray

if TYPE_CHECKING:
    from sudokucrypt.analysis.baselines import Baseline

_LIMITS = {
    "arnold": "square pictures only; repeats itself, and has no key but its iterations",
    "baker": "square pictures only; few keys",
    "fibonacci": "no key; neighbours stay at one distance",
    "fibonacci-p-code": "few keys; rows and columns stay together",
    "gray-code": "no key; rows nearly stay together",
    "hilbert": "no key; neighbours stay close",
    "logistic-sort": "53 bits of key at most, and correlated ones",
    "row-column": "rows and columns stay together: one known image is enough",
    "block": "blocks can be put together like a jigsaw, without any query",
    "uniform": "the best that moving pixels can be",
}

KEY_BYTES = 32
"""How long the keys of reports are."""


class Run(NamedTuple):
    """One use of a scheme: what came out, and how to undo it.

    Parameters
    ----------
    pixels : ndarray
        Of the shape and dtype of the image.
    undo : callable
        Takes a key of 32 bytes and returns an image; raises `DecryptionError` if it notices that
        the key is another one.
    """

    pixels: AnyArray
    undo: Callable[[bytes], AnyArray]


Keyed: TypeAlias = Callable[[AnyArray, bytes], Run]
"""Image and key of 32 bytes to `Run`."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Subject:
    """A scheme to be measured and attacked.

    Parameters
    ----------
    name : str
        A stable machine name.
    fixed : callable
        The scheme without salt, or with the same salt each time: equal arguments give equal
        results.
    fresh : callable, optional
        The scheme with new salt each time, if it has salt.
    keyed : bool
        Whether the key changes anything.
    moves_only : bool
        Whether samples change places and not values.
    unit : {"pixel", "sample"}
        What moves as a whole; the pixels of blocks move too.
    block_size : int, optional
        Side of the blocks that move as a whole, if blocks do.
    limits : str
        What is known against it, in a sentence.
    """

    name: str
    fixed: Keyed
    fresh: Keyed | None = None
    keyed: bool = True
    moves_only: bool = True
    unit: Literal["pixel", "sample"] = "pixel"
    block_size: int | None = None
    limits: str

    @property
    def usual(self) -> Keyed:
        """The scheme as it is meant to be used: with fresh salt, if it has any."""
        return self.fixed if self.fresh is None else self.fresh

    def oracle(self, key: bytes, *, fixed: bool) -> Callable[[AnyArray], AnyArray]:
        """Return the scheme under one key, as attacks take it."""
        chosen = self.fixed if fixed else self.usual
        return lambda image: chosen(image, key).pixels


def baseline_subjects() -> dict[str, Subject]:
    """Return the schemes for comparison, by name.

    Those that have a seed or a start value take it from the key, the others have no key.

    Examples
    --------
    >>> import numpy as np
    >>> shuffle = baseline_subjects()["uniform"]
    >>> image = np.arange(12, dtype=np.uint8).reshape(3, 4)
    >>> run = shuffle.fixed(image, bytes(32))
    >>> np.array_equal(run.undo(bytes(32)), image)
    True
    """
    return {name: _baseline_subject(baseline) for name, baseline in BASELINES.items()}


def _baseline_subject(baseline: Baseline) -> Subject:
    names = {field.name for field in fields(baseline)}  # type: ignore[arg-type]

    def with_key(key: bytes) -> Baseline:
        number = int.from_bytes(key[:6], "big")
        if "seed" in names:
            return replace(baseline, seed=number)  # type: ignore[type-var]
        if "start" in names:
            return replace(baseline, start=(number + 1) / (2**48 + 2))  # type: ignore[type-var]
        return baseline

    def fixed(image: AnyArray, key: bytes) -> Run:
        pixels = with_key(key).scramble(image)
        return Run(pixels, lambda other: with_key(other).unscramble(pixels))

    return Subject(
        name=baseline.name,
        fixed=fixed,
        keyed=bool(names & {"seed", "start"}),
        block_size=getattr(baseline, "block_size", None),
        limits="one map for all images of a size, which falls to a few chosen ones; "
        f"{_LIMITS[baseline.name]}",
    )
