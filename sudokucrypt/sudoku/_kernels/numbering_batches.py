"""Rank and unrank many 9x9 grids at a time with NumPy, where `numbering_plain` is not compiled.

Interpreted, the text of the kernel takes 80 microseconds for each grid, and NumPy takes 20. For a
few grids the calls of NumPy cost more than they save, so `numbering_plain` asks only for many.
Both give the same numbers; `numbering_plain` says what these consist of.
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
    """Write the grids with these numbers to `cells`, an array of shape (count, 9, 9) and bytes."""
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
    columns = np.zeros((len(outer), 3), dtype=np.intp)  # partitions by box of the band at hand
    columns[:, 1:] = classes.pairs[kind]
    boxes = columns.copy()
    size = fillings.number[columns[:, 1], columns[:, 2]] * ways
    index, rest = np.divmod(inner - start[kind], size)
    pair = classes.members[classes.first[kind] + index]
    filling, rest = np.divmod(rest, ways)
    # One sorted table of all classes, each above the one before.
    base = np.append(0, np.cumsum(below[:, -1])[:-1])
    shelves = (below + base[:, None]).ravel()
    cut = np.searchsorted(shelves, rest + base[kind], side="right") - 1 - kind * below.shape[1]
    rest = rest - below[kind, cut]
    one, two = np.divmod(cut, _MATES)
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
    """Return the final digit for each digit of the normal grids, and column for each column."""
    sets, _, classes, *_ = tables
    label = np.take_along_axis(classes.digits[pair], sets.label[outer // 216].astype(np.intp), 1)
    digits = np.argsort(label, axis=1)
    orders = np.stack([outer // 36, outer // 6, outer], axis=1) % _SIX
    stacks = classes.boxes[pair].astype(np.intp)
    low = sets.lowest[_relabel(masks, digits)]
    orders_of = np.argsort(np.argsort(low, axis=2), axis=2)
    own = _ORDERS[np.take_along_axis(orders, stacks, axis=1)]
    columns = 3 * stacks[:, :, None] + np.take_along_axis(own, orders_of, axis=2)
    return digits, columns.reshape(-1, 9)


def _fill_bands(tables: Any, columns: Array, masks: Array, filling: Array) -> Array:
    """Return the bands with these column sets, as partitions and as masks, shape (count, 3, 9)."""
    sets, fillings, *_ = tables
    number, order = np.divmod(filling, _SIX)
    passed = np.cumsum(_find_candidates(tables, columns), axis=1, dtype=np.int16)
    row, mate = np.divmod((passed <= number[:, None]).sum(axis=1), _MATES)
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
    orders_of = np.argsort(sets.lowest[masks], axis=2)
    columns = sets.find(masks)
    orders = _number_orders(orders_of)
    outer = columns[:, 0].astype(np.int64) * 216 + orders @ np.array([36, 6, 1])
    two, three = (sets.relabel[columns[:, 0], columns[:, box]] for box in (1, 2))
    pair = two.astype(np.intp) * sets.relabel.shape[1] + three
    kind = classes.of[pair]
    label = np.take_along_axis(classes.digits[pair], sets.label[columns[:, 0]].astype(np.intp), 1)
    # The normal grid: other digits, boxes in the order of the class, columns by smallest digit.
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
    cut = mates[:, 0] * _MATES + mates[:, 1]
    products = np.cumsum(_count_third_boxes(tables, boxes, mates[:, 0], mates[:, 1]), axis=1)
    before = np.where(mates[:, 2] > 0, products[np.arange(count), mates[:, 2] - 1], 0)
    rest = below[kind, cut] + before
    rest += filling[1] * _count_fillings(tables, columns[:, 2]) + filling[2]
    upper = classes.place[pair] * _count_fillings(tables, boxes) + filling[0]
    return outer, start[kind] + upper * below[kind, -1] + rest


def _number_fillings(tables: Any, columns: Array, masks: Array) -> Array:
    """Return the number of a band with these column sets among its like, from its row sets."""
    sets, fillings, *_ = tables
    masks = _relabel(masks, sets.label[columns[:, 0]])
    rows = sets.find(masks[:, 0])
    orders_of = np.argsort(sets.lowest[masks[:, 0]], axis=1)
    second = np.take_along_axis(masks[:, 1], orders_of, axis=1)
    mate = (sets.mate_masks[rows, :, 0] == second[:, None, :]).all(axis=2).argmax(axis=1)
    candidate = fillings.place[rows].astype(np.intp) * _MATES + mate
    fitting = _find_candidates(tables, columns)
    number: Array = (fitting & (np.arange(fitting.shape[1]) < candidate[:, None])).sum(axis=1)
    return number * _SIX + _number_orders(orders_of)


def _find_candidates(tables: Any, columns: Array) -> Array:
    """Return which of the 2016 fillings meet the column sets of the second and third box."""
    sets, fillings, *_ = tables
    two, three = (sets.relabel[columns[:, 0], columns[:, box]] for box in (1, 2))
    words = fillings.second[two] & fillings.third[three]
    bits = np.unpackbits(words.astype("<u8").view(np.uint8), axis=1, bitorder="little")
    return bits[:, : len(fillings.rows) * _MATES].astype(bool)


def _count_third_boxes(tables: Any, boxes: Array, one: Array, two: Array) -> Array:
    """Return how many ways go with each mate of the third box, given those of the others."""
    sets, fillings, *_ = tables
    ways = np.ones((len(boxes), _MATES), dtype=np.int64)
    for band in range(2):
        first = sets.mates[boxes[:, 0], one, band]
        second = sets.relabel[first, sets.mates[boxes[:, 1], two, band]]
        third = sets.relabel[first[:, None], sets.mates[boxes[:, 2], :, band]]
        ways *= fillings.number[second[:, None], third]
    return ways


def _count_fillings(tables: Any, columns: Array) -> Array:
    """Return in how many ways bands with these column sets are filled."""
    sets, fillings, *_ = tables
    two, three = (sets.relabel[columns[:, 0], columns[:, box]] for box in (1, 2))
    counts: Array = fillings.number[two, three].astype(np.int64)
    return counts


def _relabel(masks: Array, digits: Array) -> Array:
    """Return the masks of each grid with its own relabeling of the digits."""
    moved = np.zeros_like(masks)
    for digit in range(9):
        target = digits[:, digit].astype(masks.dtype).reshape(-1, *[1] * (masks.ndim - 1))
        moved |= (masks >> digit & 1) << target
    return moved


def _number_orders(orders_of: Array) -> Array:
    """Return the numbers of orders of three things, given along the last axis."""
    return 2 * orders_of[..., 0].astype(np.int64) + (orders_of[..., 1] > orders_of[..., 2])
