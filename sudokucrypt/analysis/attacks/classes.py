"""Units that cannot be told apart before and after scrambling, and guesses which is which."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sudokucrypt.typing import AnyArray, IntArray


def refined(
    before: tuple[IntArray, AnyArray], after: tuple[IntArray, AnyArray]
) -> tuple[IntArray, IntArray]:
    """Split the classes of units by one more property.

    Parameters
    ----------
    before, after : tuple of two ndarray of shape (K,) and (K, C)
        The class of each unit, and what it shows: integers of 0 or more.

    Returns
    -------
    tuple of two ndarray of shape (K,), dtype int64
        The new classes before and after; equal numbers stand for equal units.

    Examples
    --------
    >>> none = np.zeros(3, dtype=np.int64)
    >>> shown = np.array([[7], [9], [7]]), np.array([[9], [7], [7]])
    >>> [classes.tolist() for classes in refined((none, shown[0]), (none, shown[1]))]
    [[0, 1, 0], [1, 0, 0]]
    """
    classes = np.concatenate([before[0], after[0]])
    for sample in np.concatenate([before[1], after[1]]).T:
        _, classes = np.unique(classes * (int(sample.max()) + 1) + sample, return_inverse=True)
    middle = len(before[0])
    return classes[:middle], classes[middle:]


def matched(before: IntArray, after: IntArray) -> IntArray:
    """Return for each place a unit of its class, in reading order; -1 where there is none left.

    Examples
    --------
    >>> matched(np.array([0, 1, 0]), np.array([1, 0, 0])).tolist()
    [1, 0, 2]
    """
    units, places = np.argsort(before, kind="stable"), np.argsort(after, kind="stable")
    held, wanted = before[units], after[places]
    rank = np.arange(len(places)) - np.searchsorted(wanted, wanted)
    index = np.searchsorted(held, wanted) + rank
    fits = index < np.searchsorted(held, wanted, side="right")
    sources = np.full(len(places), -1, dtype=np.int64)
    sources[places[fits]] = units[index[fits]]
    return sources
