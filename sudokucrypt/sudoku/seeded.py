"""Random choices that a seed or the system decides, for an engine that needs no key."""

import os
from typing import SupportsIndex, TypeAlias

import numpy as np

from sudokucrypt.draws import StreamDraws
from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.options import checked_integer
from sudokucrypt.typing import RandomSource

# Where random choices come from: a stream of draws, a seed, or the system for None.
SeedLike: TypeAlias = RandomSource | int | None


class _SeededStream:
    """The bytes of PCG64, whose stream NumPy promises never to change, word by word."""

    def __init__(self, seed: int) -> None:
        self._generator = np.random.PCG64(np.random.SeedSequence(seed))

    def read(self, length: int, /) -> bytes:
        """Return the next bytes; a last word that is not used up is dropped."""
        # Whole words of eight bytes, little-endian on every machine.
        words = self._generator.random_raw(-(-length // 8))
        return words.astype("<u8").tobytes()[:length]


class _SystemStream:
    """Secure random bytes of the system."""

    def read(self, length: int, /) -> bytes:
        """Return the next bytes."""
        return os.urandom(length)


def as_source(source: SeedLike) -> RandomSource:
    """Return the draws that a function was given, or `seeded_draws` of a seed or of None."""
    if source is None or isinstance(source, SupportsIndex):
        return seeded_draws(source)
    if not hasattr(source, "below"):
        raise InvalidParameterError(
            f"a source is a seed or a stream of draws, not {source!r}",
            hint="boxes and sheets are given by name, as box=(2, 3)",
        )
    return source


def seeded_draws(seed: SupportsIndex | None = None) -> StreamDraws:
    """Return a source of random choices that are the same for a seed on every platform.

    The seed is 0 or more (else `InvalidParameterError`). What it decides is good for statistics,
    but predictable. Without a seed the choices come from the system, and nobody can foresee them.

    Parameters
    ----------
    seed : int, optional
        The number that decides all choices, 0 or more; by default they come from the system.

    Examples
    --------
    >>> seeded_draws(7).below(100) == seeded_draws(7).below(100)
    True
    """
    if seed is None:
        return StreamDraws(_SystemStream())
    return StreamDraws(_SeededStream(checked_integer("a seed", seed, least=0)))
