"""Maps that an attack recovers: applying them, and measuring what they are worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.analysis.attacks.attack import BROKEN, AttackUnit, Finding, Oracle, Outcome, query
from sudokucrypt.analysis.attacks.labels import Labels
from sudokucrypt.errors import InvalidImageError
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray, IntArray

_CHECK_SEED = 20


@dataclass(frozen=True, kw_only=True, eq=False)
class RecoveredMap:
    """A map that an attack recovered, and what it is worth.

    Parameters
    ----------
    unit : {"pixel", "sample"}
        What was traced.
    sources : ndarray of shape (K,), dtype int64
        Place i holds unit ``sources[i]`` of the plain image; -1 if unknown.
    recovered : float
        The share of places that the map foretells right in later images, 0..1; 1/K by chance.
    verdict : str
        The result in words.
    """

    unit: AttackUnit
    sources: IntArray
    recovered: float
    verdict: str

    @property
    def broken(self) -> bool:
        """Whether later images are plain to see."""
        return self.recovered >= BROKEN

    def finding(
        self, seen: AnyArray, *, queries: int, details: Mapping[str, Any] | None = None
    ) -> Finding:
        """Return what was found on a picture of which the attacker has only the result."""
        return Finding(
            outcome=Outcome.BROKEN if self.broken else Outcome.NOTHING,
            verdict=self.verdict,
            queries=queries,
            recovered=self.recovered,
            seen=seen,
            picture=self.restore(seen),
            details=details or {},
        )

    def restore(self, scrambled: ArrayLike) -> AnyArray:
        """Return what the recovered map makes of a later scrambled image."""
        return restored(self.sources, scrambled, self.unit)


class MapCheck:
    """Later images of a scheme, to see what share of units a recovered map places right.

    The scheme scrambles images of random labels that no attack has seen. A unit is right if the
    map foretells its whole label, which by chance happens to one unit in K. These queries judge
    the attack and are no part of it.
    """

    def __init__(self, oracle: Oracle, labels: Labels) -> None:
        self._labels = seeded_draws(_CHECK_SEED).permutations([labels.count])
        self._seen = labels.decode([query(oracle, image) for image in labels.encode(self._labels)])

    def share(self, sources: IntArray) -> float:
        """Return the share of places whose unit the map foretells, 0..1."""
        right = (sources >= 0) & (self._labels[sources] == self._seen)
        return float(right.mean())


def restored(sources: IntArray, scrambled: ArrayLike, unit: AttackUnit) -> AnyArray:
    """Undo a map that an attack has recovered.

    Parameters
    ----------
    sources : ndarray of shape (K,), dtype int64
        Place i of the scrambled image holds unit ``sources[i]`` of the plain one; -1 if unknown.
    scrambled : array_like of shape (M, N) or (M, N, C)
        A scrambled image of the shape that was attacked.
    unit : {"pixel", "sample"}
        What the map moves.

    Returns
    -------
    ndarray of the same shape and dtype
        Units that no place is known to hold are 0.

    Raises
    ------
    InvalidImageError
        If this is no image, or it has another number of units.
    """
    image = np.asarray(scrambled)
    labels = Labels.like(image, unit)
    if labels.count != len(sources):
        raise InvalidImageError(
            f"the map is of {len(sources)} {unit}s, and the image has {labels.count}",
            hint="a map serves images of the shape that was attacked",
        )
    plain = np.zeros(image.shape, image.dtype)  # in C order, whatever the order given
    known = sources >= 0
    labels.split(plain)[sources[known]] = labels.split(image)[known]
    return plain


def share_in_words(share: float, units: str) -> str:
    """Return a share of some units in words, never rounded up to all of them.

    Examples
    --------
    >>> share_in_words(1.0, "9 pixels"), share_in_words(0.99999, "9 pixels")
    ('all 9 pixels', '0.9999 of the 9 pixels')
    """
    if share == 1:
        return f"all {units}"
    if share == 0:
        return f"none of the {units}"
    figure = f"{np.floor(share * 1e4) / 1e4:.4f}" if share >= 1e-4 else "less than 0.0001"
    return f"{figure} of the {units}"
