"""Number grids with boxes of q rows and two columns, each of which has half of the digits.

Such a grid has two bands of q boxes. The left column of a box contains half of the digits, and the
right column the other half; in the box below, the two halves are exchanged. Hence both bands can be
filled in the same number of ways. For each digit, a *word* of q bits says in which boxes of the
upper band it is on the left; the ways to fill a band depend only on the words of the digits.

The digits that each column of a band must contain form a bipartite graph, with q columns for each
digit and q digits for each column. A row uses each digit and each column once: a perfect matching.
The q rows together use each edge once, so they are a *factorization* of the graph.
"""

from functools import cache, lru_cache
from itertools import combinations, permutations
from math import factorial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.typing import AnyArray, IntArray

BoxWords = tuple[int, ...]
DigitGraph = NDArray[np.bool_]
EdgeMasks = NDArray[np.uint64]

MAX_BAND_BOXES = 4  # the largest number of boxes in a band for which grids are numbered


class HalvesTables(NamedTuple):
    """Tables that number the grids with q boxes in a band."""

    halves: list[tuple[int, ...]]  # for each way to halve the digits, the half with digit 0
    half_numbers: dict[tuple[int, ...], int]  # the index of a half in `halves`
    # For each choice of halves in boxes 2 to q: the number of grids with an earlier choice, for
    # fixed halves of box 1 and fixed sides of digit 0; shape (len(halves) ** (q - 1) + 1,).
    earlier_grid_counts: IntArray


def count_grids_by_halves(boxes: int) -> int:
    """Return the number of all grids with q boxes in a band."""
    tables = get_halves_tables(boxes)
    return (len(tables.halves) << boxes) * int(tables.earlier_grid_counts[-1])


def unrank_by_halves(number: int, boxes: int) -> IntArray:
    """Return the grid with this number, 0 <= number < total, as cells of shape (2q, 2q)."""
    tables = get_halves_tables(boxes)
    outer_number, inner_number = divmod(number, int(tables.earlier_grid_counts[-1]))
    first_half_number, sides = divmod(outer_number, 1 << boxes)
    other_halves_number = (
        int(np.searchsorted(tables.earlier_grid_counts, inner_number, side="right")) - 1
    )
    fillings, orders = _list_fillings(other_halves_number, boxes), _list_row_orders(boxes)
    filling_count = len(fillings) * len(orders)
    digits = _order_digits_by_half(tables.halves[first_half_number], boxes)
    cells = np.empty((2, boxes, 2 * boxes), dtype=np.int64)
    for band, filling_number in enumerate(
        divmod(inner_number - int(tables.earlier_grid_counts[other_halves_number]), filling_count)
    ):
        filling_index, order = divmod(filling_number, len(orders))
        columns = _exchange_columns(fillings[filling_index][orders[order]], sides) ^ band
        np.put_along_axis(cells[band], columns, digits[None, :], axis=1)
    return cells.reshape(2 * boxes, 2 * boxes)


def rank_by_halves(cells: AnyArray, boxes: int) -> int:
    """Return the number of a full grid of q x 2 boxes, given as cells of shape (2q, 2q)."""
    tables = get_halves_tables(boxes)
    # For each band, row and digit: its column.
    digit_columns = np.argsort(cells, axis=1).reshape(2, boxes, 2 * boxes)
    sides: int = sum(column % 2 << column // 2 for column in digit_columns[0, :, 0].tolist())
    halves = [np.sort(cells[:boxes, 2 * box + (sides >> box & 1)]).tolist() for box in range(boxes)]
    first_half_number = tables.half_numbers[tuple(halves[0])]
    digits = _order_digits_by_half(tables.halves[first_half_number], boxes)
    labels = np.argsort(digits)
    other_halves_number = 0
    for half in halves[1:]:
        other_halves_number *= len(tables.halves)
        other_halves_number += tables.half_numbers[tuple(sorted(labels[half].tolist()))]
    fillings, orders = _list_fillings(other_halves_number, boxes), _list_row_orders(boxes)
    inner_number = 0
    for band in range(2):
        columns = _exchange_columns(digit_columns[band][:, digits] ^ band, sides)
        order = np.argsort(np.argsort(columns[:, 0]))
        filling_index = (fillings == columns[np.argsort(order)]).all(axis=(1, 2)).argmax()
        inner_number = (inner_number * len(fillings) + int(filling_index)) * len(orders)
        inner_number += int((orders == order).all(axis=1).argmax())
    outer_number = (first_half_number << boxes) + sides
    return (
        outer_number * int(tables.earlier_grid_counts[-1])
        + int(tables.earlier_grid_counts[other_halves_number])
        + inner_number
    )


@cache
def get_halves_tables(boxes: int) -> HalvesTables:
    """Return the tables for q boxes in a band, built by the first call in a process."""
    halves = [(0, *other_digits) for other_digits in combinations(range(1, 2 * boxes), boxes - 1)]
    words = _list_words(np.arange(len(halves) ** (boxes - 1)), halves, boxes)
    # Many choices of halves give the same words in another order; count each list of words once.
    word_lists, word_list_numbers = np.unique(np.sort(words, axis=1), axis=0, return_inverse=True)
    counts = [
        len(list_factorizations(make_digit_graph(tuple(word_list), boxes)))
        for word_list in word_lists.tolist()
    ]
    filling_counts = factorial(boxes) * np.array(counts)
    earlier_grid_counts = np.append(
        0, np.cumsum(filling_counts[word_list_numbers.reshape(-1)] ** 2)
    )
    return HalvesTables(
        halves, {half: index for index, half in enumerate(halves)}, earlier_grid_counts
    )


def _list_words(choices: IntArray, halves: list[tuple[int, ...]], boxes: int) -> IntArray:
    """Return a word for each digit: bit b is its column in box b, for each choice of halves.

    `choices` are the numbers of these choices.
    """
    right_bits = np.ones((len(halves), 2 * boxes), dtype=np.int64)
    np.put_along_axis(right_bits, np.array(halves), 0, axis=1)
    words = np.tile(right_bits[0], (len(choices), 1))
    for box in range(1, boxes):
        words |= right_bits[choices // len(halves) ** (boxes - 1 - box) % len(halves)] << box
    return words


@lru_cache(maxsize=256)
def _list_fillings(halves_number: int, boxes: int) -> IntArray:
    """Return all fillings of a band with these halves, up to the order of rows."""
    words = tuple(
        _list_words(np.array([halves_number]), get_halves_tables(boxes).halves, boxes)[0].tolist()
    )
    return list_factorizations(make_digit_graph(words, boxes))


@cache
def _list_row_orders(boxes: int) -> IntArray:
    return np.array(list(permutations(range(boxes))))


def _exchange_columns(columns: IntArray, sides: int) -> IntArray:
    """Exchange the two columns of each box whose bit in `sides` is set."""
    return columns ^ (sides >> columns // 2 & 1)


def _order_digits_by_half(half: tuple[int, ...], boxes: int) -> IntArray:
    """Return the digits of a half, followed by the other digits."""
    return np.array([*half, *(digit for digit in range(2 * boxes) if digit not in half)])


def make_digit_graph(words: BoxWords, boxes: int) -> DigitGraph:
    """Return the columns allowed for each digit: 2j + b if its word has bit b for box j."""
    bits = np.array(words)[:, None] >> np.arange(boxes) & 1
    return np.stack([bits == 0, bits == 1], axis=2).reshape(len(words), 2 * boxes)


def list_factorizations(graph: DigitGraph) -> IntArray:
    """Return all ways to fill a band that a graph allows, up to the order of the rows.

    The result has shape (m, q, n): the column of each digit in each row, rows ordered by the column
    of digit 0, fillings in lexicographic order of the numbers of their matchings.
    """
    columns, edges = _list_matchings(graph)
    chosen_matchings = np.zeros((1, 0), dtype=np.int64)
    used_edge_masks = np.zeros(1, dtype=np.uint64)
    for column in np.flatnonzero(graph[0]):
        candidates = np.flatnonzero(columns[:, 0] == column)
        partial_filling_indexes, candidate_indexes = np.nonzero(
            (used_edge_masks[:, None] & edges[candidates]) == 0
        )
        used_edge_masks = (
            used_edge_masks[partial_filling_indexes] | edges[candidates[candidate_indexes]]
        )
        chosen_matchings = np.hstack(
            [chosen_matchings[partial_filling_indexes], candidates[candidate_indexes, None]]
        )
    return columns[chosen_matchings]


def _list_matchings(graph: DigitGraph) -> tuple[IntArray, EdgeMasks]:
    """Return all perfect matchings of a bipartite graph with at most 64 edges, in two forms.

    `graph` is True at [d, c] if digit d may be in column c. The first form is the columns of all
    digits, in lexicographic order; the second is a mask of edges for each matching.
    """
    columns = np.zeros((1, 0), dtype=np.int64)
    for column_flags in graph:
        allowed_columns = np.flatnonzero(column_flags)
        matching_indexes, choice_indexes = np.nonzero(
            (columns[:, :, None] != allowed_columns).all(axis=1)
        )
        columns = np.hstack([columns[matching_indexes], allowed_columns[choice_indexes, None]])
    indices = np.cumsum(graph).reshape(graph.shape) - 1  # of each edge
    bits = np.left_shift(np.uint64(1), indices.clip(0).astype(np.uint64))
    edges: EdgeMasks = np.bitwise_or.reduce(bits[np.arange(len(graph)), columns], axis=1)
    return columns, edges
