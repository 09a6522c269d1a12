"""The 416 classes of bands of 9x9 grids, each named by its first band in reading order.

Two bands are of one class if they differ by the order of rows, of boxes, of columns within boxes,
and by the names of the digits only. With the digits of box one named 0 to 8 in reading order, and
the columns of the other boxes sorted, a band is one of 72,576 *normal bands*: 56 ways to deal out
digits to the rows of box two, and 36 orders within each of the two boxes.
"""

from functools import cache
from importlib.resources import files
from itertools import product
from typing import NamedTuple

import numpy as np

from sudokucrypt.sudoku.counting.band_classes import (
    MATES,
    ORDERS,
    DigitTable,
    SetMasks,
    column_sets,
    masks_of,
)
from sudokucrypt.typing import AnyArray, IntArray

BOX_ORDERS = len(ORDERS) ** 2
"""Orders of two lines of a box against its first line."""

_CODES = np.array([84, 1])  # of two sets of three digits, of which there are 84


class BandTables(NamedTuple):
    """The classes of bands, in reading order of their first bands."""

    bands: DigitTable  # (416, 3, 9): the first bands; their first rows are 0 to 8
    class_of: IntArray  # (72576,): the class of each normal band
    counts: tuple[IntArray, ...]  # canonical grids by first band and start of row four


class BandMaps(NamedTuple):
    """The 216 maps that take a normal band to a given band, and which one each of them takes."""

    rows: IntArray  # (216, 3): the row of the normal band that each row comes from,
    columns: IntArray  # (216, 9): and the columns
    normal: IntArray  # (216,)


@cache
def band_tables() -> BandTables:
    """Read the first bands and the counts, and find the classes of all normal bands."""
    text = files(__package__).joinpath("class_counts.txt").read_text(encoding="ascii")
    lines = [line.split() for line in text.splitlines()]
    lower = np.array([[int(digit) - 1 for digit in rows] for rows, *_ in lines], dtype=np.uint8)
    bands = np.empty((len(lines), 3, 9), dtype=np.uint8)
    bands[:, 0], bands[:, 1:] = range(9), lower.reshape(-1, 2, 9)
    class_of = np.empty(MATES * BOX_ORDERS**2, dtype=np.intp)
    for index, band in enumerate(bands):
        class_of[maps_to(band).normal] = index
    return BandTables(
        bands, class_of, tuple(np.array(counts, dtype=np.int64) for _, *counts in lines)
    )


def maps_to(band: DigitTable) -> BandMaps:
    """Return the maps from normal bands to a band of shape (3, 9)."""
    rows, columns = _choices()
    normal, order = normal_bands(band[rows[:, :, None], columns[:, None]])
    columns = np.take_along_axis(columns, order, axis=1)
    return BandMaps(np.argsort(rows, axis=1), np.argsort(columns, axis=1), normal)


@cache
def _choices() -> tuple[IntArray, IntArray]:
    """Return all orders of rows, and of columns as far as being normal does not fix them."""
    rows, columns = [], []
    for down, (one, two, three), inside in product(ORDERS.tolist(), repeat=3):
        rows.append(down)
        columns.append([3 * one + column for column in inside])
        columns[-1] += [3 * box + column for box in (two, three) for column in range(3)]
    return np.array(rows), np.array(columns)


def normal_bands(bands: DigitTable) -> tuple[IntArray, IntArray]:
    """Return the normal bands of bands of shape (N, 3, 9), and their columns in order, (N, 9)."""
    names = np.empty((len(bands), 9), dtype=np.uint8)
    np.put_along_axis(names, bands[:, :, :3].reshape(-1, 9), np.arange(9, dtype=np.uint8), axis=1)
    named = np.take_along_axis(names, bands.reshape(-1, 27), axis=1).reshape(-1, 3, 3, 3)
    order = np.argsort(named[:, 0], axis=2)
    named = np.take_along_axis(named, order[:, None], axis=3)
    below = order_index(named[:, 1:, 1:])
    orders = below[:, 0] * len(ORDERS) + below[:, 1]
    mates = mate_tables()[1][set_codes(masks_of(named[:, :2, 1]))]
    normal: IntArray = (mates * BOX_ORDERS + orders[:, 0]) * BOX_ORDERS + orders[:, 1]
    return normal, (order + np.arange(0, 9, 3)[:, None]).reshape(-1, 9)


def order_index(digits: AnyArray) -> IntArray:
    """Return which of the `ORDERS` three different digits along the last axis are in."""
    one, two, three = np.moveaxis(digits, -1, 0)
    index: IntArray = 2 * ((two < one).astype(np.intp) + (three < one)) + (two > three)
    return index


@cache
def mate_tables() -> tuple[SetMasks, IntArray]:
    """Return the digits in the lines of boxes two and three of normal bands, shape (56, 2, 3).

    And which of the 56 they are, by the code of the first two lines of either box, shape (7056,).
    """
    masks = column_sets().mate_masks[0]
    index = np.zeros(84 * 84, dtype=np.intp)
    index[set_codes(masks[:, 0])] = np.arange(MATES)
    return masks, index


def set_codes(masks: SetMasks) -> IntArray:
    """Return a code of the first two sets of three digits along the last axis, 0..7055."""
    codes: IntArray = column_sets().subset[masks[..., :2]] @ _CODES
    return codes
