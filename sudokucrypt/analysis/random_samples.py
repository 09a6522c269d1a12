"""Uniform samples from a seed, a byte at a time: for key streams and images of any size."""

import numpy as np
from numpy.typing import DTypeLike

from sudokucrypt.typing import AnyArray


def uniform_samples(seed: int, count: int, dtype: DTypeLike = np.uint8) -> AnyArray:
    """Return uniform samples of bool, uint8 or uint16, the same ones for a seed.

    The seed is 0 or more. Samples are the bytes of PCG64, whose stream NumPy promises never to
    change; it is good for statistics and predictable.

    >>> uniform_samples(1, 4).tolist() == uniform_samples(1, 8)[:4].tolist()
    True
    """
    kind = np.dtype(dtype)
    words = np.random.PCG64(np.random.SeedSequence(seed)).random_raw(-(-count * kind.itemsize // 8))
    samples = words.astype("<u8", copy=False).view(f"<u{kind.itemsize}")[:count]
    return (samples & 1 if kind == np.bool_ else samples).astype(kind, copy=False)
