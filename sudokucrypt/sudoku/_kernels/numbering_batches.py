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
_CHUNK_SIZE = 1024  # grids at a time: each needs about ten thousand bytes

_ORDERS_OF_THREE = np.array(list(permutations(range(3))))
# The number of mate pairs of a partition of nine digits into three sets; see `band_classes`.
_MATE_COUNT = 56
_ORDER_COUNT = 6


def unrank_many(tables: Any, outer_numbers: Array, inner_numbers: Array, cells: Array) -> None:
    """Write the grids with these numbers to `cells`, an array of shape (count, 9, 9), uint8."""
    for start in range(0, len(outer_numbers), _CHUNK_SIZE):
        chunk_slice = slice(start, start + _CHUNK_SIZE)
        cells[chunk_slice] = _unrank_chunk(
            tables, outer_numbers[chunk_slice], inner_numbers[chunk_slice]
        )


def rank_many(tables: Any, cells: Array, outer_numbers: Array, inner_numbers: Array) -> None:
    """Write both parts of the numbers of the grids `cells`, which have shape (count, 9, 9)."""
    for start in range(0, len(cells), _CHUNK_SIZE):
        chunk_slice = slice(start, start + _CHUNK_SIZE)
        outer_numbers[chunk_slice], inner_numbers[chunk_slice] = _rank_chunk(
            tables, cells[chunk_slice]
        )


def _unrank_chunk(tables: Any, outer_numbers: Array, inner_numbers: Array) -> Array:
    sets, fillings, classes, ways_below, class_starts = tables
    grid_indexes = np.arange(len(outer_numbers))
    class_numbers = np.searchsorted(class_starts, inner_numbers, side="right") - 1
    way_counts = ways_below[class_numbers, -1]
    # Partitions of the boxes of band one.
    columns = np.zeros((len(outer_numbers), 3), dtype=np.intp)
    columns[:, 1:] = classes.representatives[class_numbers]
    boxes = columns.copy()
    grids_per_pair = fillings.counts[columns[:, 1], columns[:, 2]] * way_counts
    pair_indexes, remainder = np.divmod(inner_numbers - class_starts[class_numbers], grids_per_pair)
    pairs = classes.members[classes.member_starts[class_numbers] + pair_indexes]
    first_band_numbers, remainder = np.divmod(remainder, way_counts)
    # Offsets make the rows of all classes one sorted table, which a single search can use.
    class_offsets = np.append(0, np.cumsum(ways_below[:, -1])[:-1])
    bounds = (ways_below + class_offsets[:, None]).ravel()
    mate_pairs = (
        np.searchsorted(bounds, remainder + class_offsets[class_numbers], side="right")
        - 1
        - class_numbers * ways_below.shape[1]
    )
    remainder = remainder - ways_below[class_numbers, mate_pairs]
    first_mates, second_mates = np.divmod(mate_pairs, _MATE_COUNT)
    cumulative_ways = np.cumsum(
        _count_by_third_mate(tables, boxes, first_mates, second_mates), axis=1
    )
    third_mates = (cumulative_ways <= remainder[:, None]).sum(axis=1)
    remainder = remainder - np.where(
        third_mates > 0, cumulative_ways[grid_indexes, third_mates - 1], 0
    )
    mates = np.stack([first_mates, second_mates, third_mates], axis=1)
    third_band_counts = _count_fillings(tables, sets.mates[boxes, mates, 1])
    normal_bands = [_fill_bands(tables, boxes, sets.parts[boxes], first_band_numbers)]
    for band, number in enumerate(np.divmod(remainder, third_band_counts)):
        column_sets = sets.mates[boxes, mates, band], sets.mate_masks[boxes, mates, band]
        normal_bands.append(_fill_bands(tables, *column_sets, number))
    digits, final_columns = _find_digits_and_columns(
        tables, outer_numbers, pairs, sets.parts[boxes]
    )
    result = np.empty((len(outer_numbers), 9, 9), dtype=np.uint8)
    result[grid_indexes[:, None, None], np.arange(9)[:, None], final_columns[:, None, :]] = (
        np.take_along_axis(
            digits, np.concatenate(normal_bands, axis=1).reshape(len(outer_numbers), 81), axis=1
        ).reshape(-1, 9, 9)
    )
    return result


def _find_digits_and_columns(
    tables: Any, outer_numbers: Array, pairs: Array, column_masks: Array
) -> tuple[Array, Array]:
    """Return the final digit for each digit and final column for each column of normal grids."""
    sets, _, classes, *_ = tables
    labels = np.take_along_axis(
        classes.relabelings[pairs], sets.labels[outer_numbers // 216].astype(np.intp), 1
    )
    digits = np.argsort(labels, axis=1)
    orders = (
        np.stack([outer_numbers // 36, outer_numbers // 6, outer_numbers], axis=1) % _ORDER_COUNT
    )
    stacks = classes.box_orders[pairs].astype(np.intp)
    smallest_digits = sets.lowest_digits[_relabel_masks(column_masks, digits)]
    column_orders = np.argsort(np.argsort(smallest_digits, axis=2), axis=2)
    box_orders = _ORDERS_OF_THREE[np.take_along_axis(orders, stacks, axis=1)]
    columns = 3 * stacks[:, :, None] + np.take_along_axis(box_orders, column_orders, axis=2)
    return digits, columns.reshape(-1, 9)


def _fill_bands(tables: Any, columns: Array, column_masks: Array, filling_numbers: Array) -> Array:
    """Return bands as an array of shape (count, 3, 9).

    `columns` and `column_masks` are the column sets of each band, as partitions and as bit masks,
    and `filling_numbers` is the number of the band among those with these column sets.
    """
    sets, fillings, *_ = tables
    unordered_numbers, orders = np.divmod(filling_numbers, _ORDER_COUNT)
    fitting_counts = np.cumsum(_find_candidates(tables, columns), axis=1, dtype=np.int16)
    row_indexes, mates = np.divmod(
        (fitting_counts <= unordered_numbers[:, None]).sum(axis=1), _MATE_COUNT
    )
    rows = fillings.row_partitions[row_indexes]
    sorted_rows = np.stack(
        [sets.parts[rows], *(sets.mate_masks[rows, mates, box] for box in range(2))], axis=1
    )
    sorted_rows = _relabel_masks(sorted_rows, sets.digits_by_label[columns[:, 0]])
    row_masks = np.empty_like(sorted_rows)
    np.put_along_axis(row_masks, _ORDERS_OF_THREE[orders][:, None, :], sorted_rows, axis=2)
    cells = sets.lowest_digits[row_masks[:, :, :, None] & column_masks[:, :, None, :]]
    band: Array = cells.transpose(0, 2, 1, 3).reshape(-1, 3, 9)
    return band


def _rank_chunk(tables: Any, cells: Array) -> tuple[Array, Array]:
    sets, _, classes, ways_below, class_starts = tables
    count = len(cells)
    boxes = cells.reshape(count, 3, 3, 3, 3).astype(np.uint16)  # band, row, stack, column
    masks = np.bitwise_or.reduce(1 << boxes[:, 0], axis=1)
    column_orders = np.argsort(sets.lowest_digits[masks], axis=2)
    columns = sets.find_partitions(masks)
    orders = _number_orders(column_orders)
    outer_numbers = columns[:, 0].astype(np.int64) * 216 + orders @ np.array([36, 6, 1])
    second_boxes, third_boxes = (
        sets.relabeled_partitions[columns[:, 0], columns[:, box]] for box in (1, 2)
    )
    pairs = second_boxes.astype(np.intp) * sets.relabeled_partitions.shape[1] + third_boxes
    class_numbers = classes.pair_classes[pairs]
    labels = np.take_along_axis(
        classes.relabelings[pairs], sets.labels[columns[:, 0]].astype(np.intp), 1
    )
    # Make the normal grid: relabel digits, order boxes as in the class, columns by smallest digit.
    box_orders = classes.box_orders[pairs].astype(np.intp)
    masks = _relabel_masks(np.take_along_axis(masks, box_orders[:, :, None], axis=1), labels)
    inner_orders = np.argsort(sets.lowest_digits[masks], axis=2)
    final_columns = (3 * box_orders[:, :, None] + inner_orders).reshape(count, 1, 9)
    normal_cells = np.take_along_axis(labels, cells.reshape(count, 81).astype(np.intp), axis=1)
    normal_cells = np.take_along_axis(normal_cells.reshape(count, 9, 9), final_columns, axis=2)
    bits = np.left_shift(1, normal_cells.reshape(count, 3, 3, 3, 3).astype(np.uint16))
    row_masks = np.bitwise_or.reduce(bits, axis=4).transpose(0, 1, 3, 2)
    column_masks = np.bitwise_or.reduce(bits, axis=2)
    columns = sets.find_partitions(column_masks)
    filling_numbers = [
        _number_fillings(tables, columns[:, band], row_masks[:, band]) for band in range(3)
    ]
    boxes = columns[:, 0].astype(np.intp)
    known_mate_masks = sets.mate_masks[boxes, :, 0]
    mates = (known_mate_masks == column_masks[:, 1, :, None, :]).all(axis=3).argmax(axis=2)
    mate_pairs = mates[:, 0] * _MATE_COUNT + mates[:, 1]
    cumulative_ways = np.cumsum(
        _count_by_third_mate(tables, boxes, mates[:, 0], mates[:, 1]), axis=1
    )
    ways_below_third_mate = np.where(
        mates[:, 2] > 0, cumulative_ways[np.arange(count), mates[:, 2] - 1], 0
    )
    lower_numbers = ways_below[class_numbers, mate_pairs] + ways_below_third_mate
    lower_numbers += (
        filling_numbers[1] * _count_fillings(tables, columns[:, 2]) + filling_numbers[2]
    )
    upper_numbers = classes.places[pairs] * _count_fillings(tables, boxes) + filling_numbers[0]
    return outer_numbers, class_starts[class_numbers] + upper_numbers * ways_below[
        class_numbers, -1
    ] + lower_numbers


def _number_fillings(tables: Any, columns: Array, row_masks: Array) -> Array:
    """Return the number of each band among the bands with its column sets.

    `columns` are the column sets as partitions, and `row_masks` the row sets as bit masks.
    """
    sets, fillings, *_ = tables
    row_masks = _relabel_masks(row_masks, sets.labels[columns[:, 0]])
    rows = sets.find_partitions(row_masks[:, 0])
    set_orders = np.argsort(sets.lowest_digits[row_masks[:, 0]], axis=1)
    second_masks = np.take_along_axis(row_masks[:, 1], set_orders, axis=1)
    mates = (sets.mate_masks[rows, :, 0] == second_masks[:, None, :]).all(axis=2).argmax(axis=1)
    candidates = fillings.row_indexes[rows].astype(np.intp) * _MATE_COUNT + mates
    candidate_flags = _find_candidates(tables, columns)
    numbers: Array = (
        candidate_flags & (np.arange(candidate_flags.shape[1]) < candidates[:, None])
    ).sum(axis=1)
    return numbers * _ORDER_COUNT + _number_orders(set_orders)


def _find_candidates(tables: Any, columns: Array) -> Array:
    """Return which of the 2016 fillings fit the column sets of the second and third box."""
    sets, fillings, *_ = tables
    second_boxes, third_boxes = (
        sets.relabeled_partitions[columns[:, 0], columns[:, box]] for box in (1, 2)
    )
    words = fillings.second_box_fits[second_boxes] & fillings.third_box_fits[third_boxes]
    fitting_flags = np.unpackbits(words.astype("<u8").view(np.uint8), axis=1, bitorder="little")
    return fitting_flags[:, : len(fillings.row_partitions) * _MATE_COUNT].astype(bool)


def _count_by_third_mate(
    tables: Any, boxes: Array, first_mates: Array, second_mates: Array
) -> Array:
    """Return for each mate of the third box in how many ways bands two and three can be filled.

    `first_mates` and `second_mates` are the mates of the first and second box.
    """
    sets, fillings, *_ = tables
    way_counts = np.ones((len(boxes), _MATE_COUNT), dtype=np.int64)
    for band in range(2):
        first_partitions = sets.mates[boxes[:, 0], first_mates, band]
        second_partitions = sets.relabeled_partitions[
            first_partitions, sets.mates[boxes[:, 1], second_mates, band]
        ]
        third_partitions = sets.relabeled_partitions[
            first_partitions[:, None], sets.mates[boxes[:, 2], :, band]
        ]
        way_counts *= fillings.counts[second_partitions[:, None], third_partitions]
    return way_counts


def _count_fillings(tables: Any, columns: Array) -> Array:
    """Return in how many ways bands with these column sets can be filled."""
    sets, fillings, *_ = tables
    second_boxes, third_boxes = (
        sets.relabeled_partitions[columns[:, 0], columns[:, box]] for box in (1, 2)
    )
    counts: Array = fillings.counts[second_boxes, third_boxes].astype(np.int64)
    return counts


def _relabel_masks(masks: Array, digits: Array) -> Array:
    """Return the masks of each grid after relabeling its digits by its row of `digits`."""
    relabeled_masks = np.zeros_like(masks)
    for digit in range(9):
        target = digits[:, digit].astype(masks.dtype).reshape(-1, *[1] * (masks.ndim - 1))
        relabeled_masks |= (masks >> digit & 1) << target
    return relabeled_masks


def _number_orders(arrangements: Array) -> Array:
    """Return the numbers 0..5 of arrangements of three items, given along the last axis."""
    return 2 * arrangements[..., 0].astype(np.int64) + (arrangements[..., 1] > arrangements[..., 2])
