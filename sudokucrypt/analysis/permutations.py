"""Whether a permutation of N units looks like a uniform one: points, cycles, order, position table.

Units are counted in reading order, and unit i lands at place ``permutation[i]``. Every figure but
the serial correlation is the same for the inverse.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.errors import InvalidParameterError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from sudokucrypt.typing import IntArray

_NOTE = "one permutation; a fixed one falls to chosen images however uniform it looks"
# More fixed points or cycles than this have chances below 1e-60.
_MOST = 128


def checked_permutation(permutation: ArrayLike, *, least: int = 2) -> IntArray:
    """Return a permutation of 0..N-1 as int64, or raise `InvalidParameterError`."""
    array = np.asarray(permutation)
    if array.ndim != 1 or array.dtype.kind not in "iu" or len(array) < least:
        raise InvalidParameterError(
            f"a permutation is a row of {least} or more integers, not {array.dtype} of shape "
            f"{array.shape}"
        )
    places = array.astype(np.int64)
    seen = np.zeros(len(places), dtype=bool)
    inside = (places >= 0) & (places < len(places))
    seen[places[inside]] = True
    if not (inside.all() and seen.all()):
        raise InvalidParameterError(f"each place 0..{len(places) - 1} must occur once")
    return places
