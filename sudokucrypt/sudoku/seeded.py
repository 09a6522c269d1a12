"""Random choices that a seed decides, for an engine that needs no key."""

import secrets

import numpy as np

from sudokucrypt.checks import checked_integer
from sudokucrypt.draws import StreamDraws


class _SeededStream:
    """The bytes of PCG64, whose stream NumPy promises never to change, word by word."""

    def __init__(self, seed: int) -> None:
        self._generator = np.random.PCG64(np.random.SeedSequence(seed))

    def read(self, length: int, /) -> bytes:
        """Return the next bytes; a last word that is not used up is dropped."""
        words = self._generator.random_raw(-(-length // 8))
        return words.astype("<u8").tobytes()[:length]


def seeded_draws(seed: int | None = None) -> StreamDraws:
    """Return a source of random choices that are the same for a seed on every platform.

    The seed is 0 or more (else `InvalidParameterError`); by default a new one from the system.
    Good for statistics, but predictable: grids that protect something come from a `KeyStream`.

    Examples
    --------
    >>> seeded_draws(7).below(100) == seeded_draws(7).below(100)
    True
    """
    if seed is None:
        seed = secrets.randbits(64)
    return StreamDraws(_SeededStream(checked_integer("a seed", seed, least=0)))
