"""Rank and unrank many 9x9 grids at a time with NumPy, where `numbering_plain` is not compiled.

Interpreted, `numbering_plain` takes 80 microseconds for each grid, and NumPy takes 20. For a few
grids the overhead of NumPy is larger, so `numbering_plain` calls these functions only for many.
Both give the same numbers; `numbering_plain` describes how a number is composed.
"""

from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
_CHUNK = 1024  # grids at a time: each needs about ten thousand bytes

_ORDERS = np.array(list(permutations(range(3))))
# Mate pairs of a way to part nine digits into three sets of three; see `band_classes`.
_MATES = 56
_SIX = 6


def unrank_many(tables: Any, outer: Array, inner: Array, cells: Array) -> None:
    """Write the grids with these numbers to `cells`, an array of shape (count, 9, 9), uint8."""
    for start in range(0, len(outer), _CHUNK):
        part = slice(start, start + _CHUNK)
        cells[part] = _unrank_chunk(tables, outer[part], inner[part])


def rank_many(tables: Any, cells: Array, outer: Array, inner: Array) -> None:
    """Write the numbers of full grids, an array of shape (count, 9, 9), to `outer` and `inner`."""
    for start in range(0, len(cells), _CHUNK):
        part = slice(start, start + _CHUNK)
        outer[part], inner[part] = _rank_chunk(tables, cells[part])


def _unrank_chunk(tables: Any, outer: Array, inner: Array) -> Array:
    sets, fillings, classes, below, start = tables
    every = np.arange(len(outer))
    kind = np.searchsorted(start, inner, side="right") - 1
    ways = below[kind, -1]
    columns = np.zeros((len(outer), 3), dtype=np.intp)  # partitions of the boxes of band one
    columns[:, 1:] = classes.pairs[kind]
    boxes = columns.copy()
    size = fillings.number[columns[:, 1], columns[:, 2]] * ways
    index, rest = np.divmod(inner - start[kind], size)
    pair = classes.members[classes.first[kind] + index]
    filling, rest = np.divmod(rest, ways)
    # Offsets make the rows of all classes one sorted table, which a single search can use.
    base = np.append(0, np.cumsum(below[:, -1])[:-1])
    bounds = (below + base[:, None]).ravel()
    mates12 = np.searchsorted(bounds, rest + base[kind], side="right") - 1 - kind * below.shape[1]
    rest = rest - below[kind, mates12]
    one, two = np.divmod(mates12, _MATES)
    products = np.cumsum(_count_third_boxes(tables, boxes, one, two), axis=1)
    three = (products <= rest[:, None]).sum(axis=1)
    rest = rest - np.where(three > 0, products[every, three - 1], 0)
    mates = np.stack([one, two, three], axis=1)
    last = _count_fillings(tables, sets.mates[boxes, mates, 1])
    normal = [_fill_bands(tables, boxes, sets.parts[boxes], filling)]
    for band, number in enumerate(np.divmod(rest, last)):
        under = sets.mates[boxes, mates, band], sets.mate_masks[boxes, mates, band]
        normal.append(_fill_bands(tables, *under, number))
    digits, homes = _place_digits(tables, outer, pair, sets.parts[boxes])
    result = np.empty((len(outer), 9, 9), dtype=np.uint8)
    result[every[:, None, None], np.arange(9)[:, None], homes[:, None, :]] = np.take_along_axis(
        digits, np.concatenate(normal, axis=1).reshape(len(outer), 81), axis=1
    ).reshape(-1, 9, 9)
    return result


def _place_digits(tables: Any, outer: Array, pair: Array, masks: Array) -> tuple[Array, Array]:
    """Return the final digits and the final columns of the digits and columns of normal grids."""
    sets, _, classes, *_ = tables
    label = np.take_along_axis(classes.digits[pair], sets.label[outer // 216].astype(np.intp), 1)
    digits = np.argsort(label, axis=1)
    orders = np.stack([outer // 36, outer // 6, outer], axis=1) % _SIX
    stacks = classes.boxes[pair].astype(np.intp)
    low = sets.lowest[_relabel(masks, digits)]
    column_orders = np.argsort(np.argsort(low, axis=2), axis=2)
    box_orders = _ORDERS[np.take_along_axis(orders, stacks, axis=1)]
    columns = 3 * stacks[:, :, None] + np.take_along_axis(box_orders, column_orders, axis=2)
    return digits, columns.reshape(-1, 9)


def _fill_bands(tables: Any, columns: Array, masks: Array, filling: Array) -> Array:
    """Return bands as an array of shape (count, 3, 9).

    `columns` and `masks` are the column sets of each band, as partitions and as bit masks, and
    `filling` is the number of the band among those with these column sets.
    """
    sets, fillings, *_ = tables
    number, order = np.divmod(filling, _SIX)
    fitting_before = np.cumsum(_find_candidates(tables, columns), axis=1, dtype=np.int16)
    row, mate = np.divmod((fitting_before <= number[:, None]).sum(axis=1), _MATES)
    rows = fillings.rows[row]
    sorted_rows = np.stack(
        [sets.parts[rows], *(sets.mate_masks[rows, mate, box] for box in range(2))], axis=1
    )
    sorted_rows = _relabel(sorted_rows, sets.unlabel[columns[:, 0]])
    row_masks = np.empty_like(sorted_rows)
    np.put_along_axis(row_masks, _ORDERS[order][:, None, :], sorted_rows, axis=2)
    cells = sets.lowest[row_masks[:, :, :, None] & masks[:, :, None, :]]
    band: Array = cells.transpose(0, 2, 1, 3).reshape(-1, 3, 9)
    return band


def _rank_chunk(tables: Any, cells: Array) -> tuple[Array, Array]:
    sets, _, classes, below, start = tables
    count = len(cells)
    boxes = cells.reshape(count, 3, 3, 3, 3).astype(np.uint16)  # band, row, stack, column
    masks = np.bitwise_or.reduce(1 << boxes[:, 0], axis=1)
    column_orders = np.argsort(sets.lowest[masks], axis=2)
    columns = sets.find(masks)
    orders = _number_orders(column_orders)
    outer = columns[:, 0].astype(np.int64) * 216 + orders @ np.array([36, 6, 1])
    two, three = (sets.relabel[columns[:, 0], columns[:, box]] for box in (1, 2))
    pair = two.astype(np.intp) * sets.relabel.shape[1] + three
    kind = classes.of[pair]
    label = np.take_along_axis(classes.digits[pair], sets.label[columns[:, 0]].astype(np.intp), 1)
    # Make the normal grid: relabel digits, order boxes as in the class, columns by smallest digit.
    stacks = classes.boxes[pair].astype(np.intp)
    masks = _relabel(np.take_along_axis(masks, stacks[:, :, None], axis=1), label)
    inside = np.argsort(sets.lowest[masks], axis=2)
    homes = (3 * stacks[:, :, None] + inside).reshape(count, 1, 9)
    normal = np.take_along_axis(label, cells.reshape(count, 81).astype(np.intp), axis=1)
    normal = np.take_along_axis(normal.reshape(count, 9, 9), homes, axis=2)
    bits = np.left_shift(1, normal.reshape(count, 3, 3, 3, 3).astype(np.uint16))
    row_masks = np.bitwise_or.reduce(bits, axis=4).transpose(0, 1, 3, 2)
    column_masks = np.bitwise_or.reduce(bits, axis=2)
    columns = sets.find(column_masks)
    filling = [_number_fillings(tables, columns[:, band], row_masks[:, band]) for band in range(3)]
    boxes = columns[:, 0].astype(np.intp)
    known = sets.mate_masks[boxes, :, 0]
    mates = (known == column_masks[:, 1, :, None, :]).all(axis=3).argmax(axis=2)
    mates12 = mates[:, 0] * _MATES + mates[:, 1]
    products = np.cumsum(_count_third_boxes(tables, boxes, mates[:, 0], mates[:, 1]), axis=1)
    products_before = np.where(mates[:, 2] > 0, products[np.arange(count), mates[:, 2] - 1], 0)
    rest = below[kind, mates12] + products_before
    rest += filling[1] * _count_fillings(tables, columns[:, 2]) + filling[2]
    upper = classes.place[pair] * _count_fillings(tables, boxes) + filling[0]
    return outer, start[kind] + upper * below[kind, -1] + rest


def _number_fillings(tables: Any, columns: Array, masks: Array) -> Array:
    """Return the number of each band among the bands with its column sets.

    `columns` are the column sets as partitions, and `masks` the row sets as bit masks.
    """
    sets, fillings, *_ = tables
    masks = _relabel(masks, sets.label[columns[:, 0]])
    rows = sets.find(masks[:, 0])
    set_orders = np.argsort(sets.lowest[masks[:, 0]], axis=1)
    second = np.take_along_axis(masks[:, 1], set_orders, axis=1)
    mate = (sets.mate_masks[rows, :, 0] == second[:, None, :]).all(axis=2).argmax(axis=1)
    candidate = fillings.place[rows].astype(np.intp) * _MATES + mate
    fitting = _find_candidates(tables, columns)
    number: Array = (fitting & (np.arange(fitting.shape[1]) < candidate[:, None])).sum(axis=1)
    return number * _SIX + _number_orders(set_orders)


def _find_candidates(tables: Any, columns: Array) -> Array:
    """Return which of the 2016 fillings fit the column sets of the second and third box."""
    sets, fillings, *_ = tables
    two, three = (sets.relabel[columns[:, 0], columns[:, box]] for box in (1, 2))
    words = fillings.second[two] & fillings.third[three]
    bits = np.unpackbits(words.astype("<u8").view(np.uint8), axis=1, bitorder="little")
    return bits[:, : len(fillings.rows) * _MATES].astype(bool)


def _count_third_boxes(tables: Any, boxes: Array, one: Array, two: Array) -> Array:
    """Return for each mate of the third box in how many ways bands two and three can be filled.

    `one` and `two` are the mates of the first and second box.
    """
    sets, fillings, *_ = tables
    ways = np.ones((len(boxes), _MATES), dtype=np.int64)
    for band in range(2):
        first = sets.mates[boxes[:, 0], one, band]
        second = sets.relabel[first, sets.mates[boxes[:, 1], two, band]]
        third = sets.relabel[first[:, None], sets.mates[boxes[:, 2], :, band]]
        ways *= fillings.number[second[:, None], third]
    return ways


def _count_fillings(tables: Any, columns: Array) -> Array:
    """Return in how many ways bands with these column sets can be filled."""
    sets, fillings, *_ = tables
    two, three = (sets.relabel[columns[:, 0], columns[:, box]] for box in (1, 2))
    counts: Array = fillings.number[two, three].astype(np.int64)
    return counts


def _relabel(masks: Array, digits: Array) -> Array:
    """Return the masks of each grid after relabeling its digits by its row of `digits`."""
    moved = np.zeros_like(masks)
    for digit in range(9):
        target = digits[:, digit].astype(masks.dtype).reshape(-1, *[1] * (masks.ndim - 1))
        moved |= (masks >> digit & 1) << target
    return moved


def _number_orders(arrangements: Array) -> Array:
    """Return the numbers 0..5 of arrangements of three items, given along the last axis."""
    return 2 * arrangements[..., 0].astype(np.int64) + (arrangements[..., 1] > arrangements[..., 2])
