"""Sources of random choices: a seed, or the system."""

import os
from typing import SupportsIndex, TypeAlias

import numpy as np

from sudokucrypt.draws import StreamDraws
from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.options import check_integer
from sudokucrypt.typing import RandomSource

# A source of random choices: a stream of draws, a seed, or None for the system.
SeedLike: TypeAlias = RandomSource | int | None


class _SeededStream:
    """The bytes of the generator PCG64; NumPy guarantees that its stream never changes."""

    def __init__(self, seed: int) -> None:
        self._generator = np.random.PCG64(np.random.SeedSequence(seed))

    def read(self, length: int, /) -> bytes:
        """Return the next `length` bytes; the unused bytes of the last word are discarded."""
        # Words have eight bytes, little-endian on every machine.
        words = self._generator.random_raw(-(-length // 8))
        return words.astype("<u8").tobytes()[:length]


class _SystemStream:
    """Secure random bytes from the system."""

    def read(self, length: int, /) -> bytes:
        """Return `length` random bytes."""
        return os.urandom(length)


def as_source(source: SeedLike) -> RandomSource:
    """Convert an argument to a source; a source is returned unchanged."""
    if source is None or isinstance(source, SupportsIndex):
        return seeded_draws(source)
    if not hasattr(source, "below"):
        raise InvalidParameterError(
            f"a source is a seed or a stream of draws, not {source!r}",
            hint="boxes and sheets are given by name, as box=(2, 3)",
        )
    return source


def seeded_draws(seed: SupportsIndex | None = None) -> StreamDraws:
    """Return a source of random choices; a seed gives the same choices on every platform.

    Choices from a seed are good for statistics but predictable. Without a seed they come from the
    system and are unpredictable. Raises `InvalidParameterError` if the seed is negative.

    Parameters
    ----------
    seed : int, optional
        The number that determines all choices, 0 or more; by default the system makes them.

    Examples
    --------
    >>> seeded_draws(7).below(100) == seeded_draws(7).below(100)
    True
    """
    if seed is None:
        return StreamDraws(_SystemStream())
    return StreamDraws(_SeededStream(check_integer("a seed", seed, least=0)))
