"""Measure how random an image or a permutation looks, and attack and compare schemes.

Parameters of one name have the same meaning in all functions:

- images are array_like of shape (M, N) or (M, N, C), dtype bool, uint8 or uint16, with at least one
  sample;
- ``levels`` L: samples are 0..L-1; by default L is the number of values of the dtype;
- ``level`` is the level of significance of each test, two-sided unless a function says otherwise;
- permutations are array_like of shape (N,), dtype integer, with the target position of each unit;
- ``source`` makes random choices, by default ``seeded_draws(0)``, which always makes the same ones;
- ``progress`` is called with the number of steps that are done and the number of all steps.

Functions raise `InvalidImageError` for unsupported images and for images that do not fit together,
`InvalidParameterError` for other arguments out of range, and `UnsupportedError` if they need SciPy
or scikit-image and it is not installed.
"""

from sudokucrypt.lazy import make_lazy_names

__all__, __getattr__, __dir__ = make_lazy_names(__name__)
