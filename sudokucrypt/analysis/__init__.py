"""Measure how random an image or a permutation looks, and say what the figures mean.

Arguments of one name are alike wherever they occur:

- images are array_like of shape (M, N) or (M, N, C), dtype bool, uint8 or uint16, with a sample;
- ``levels`` L says that samples are 0..L-1; by default there are as many as the dtype has;
- ``level`` is the level of significance of each test, two-sided unless a function says otherwise;
- permutations are array_like of shape (N,), dtype integer, and say where each of N units lands;
- ``source`` makes random choices, by default ``seeded_draws(0)``: the same ones each time;
- ``progress`` is called with how many steps are done, and of how many.

Functions raise `InvalidImageError` for images that they do not take or that do not fit together,
`InvalidParameterError` for other arguments out of range, and `UnsupportedError` where they need
SciPy or scikit-image and it is not installed.
"""

from sudokucrypt.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
