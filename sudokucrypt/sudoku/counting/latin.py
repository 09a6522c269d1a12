"""The number of Latin squares, row by row, by which digits each column holds so far.

How a rectangle can be continued depends only on which digits each column holds, and not on the
names of digits and columns. Of rectangles that agree in that, one graph of digits and columns is
kept, and how many they are. It need not be known which graphs are the same: one that is kept twice
costs time, and changes nothing in the sum.
"""

from collections.abc import Callable
from functools import partial
from math import factorial

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.sudoku.counting.factorizations import DigitGraph, count_factorizations, matchings
from sudokucrypt.workers import Workers

Graphs = NDArray[np.bool_]  # shape (m, n, n)
Colours = NDArray[np.uint64]  # of the digits or columns of each, shape (m, n)
CountedGraph = tuple[DigitGraph, int]  # a graph, and how many rectangles have it
GraphCounts = dict[bytes, CountedGraph]

_LAST = 4  # rows that are counted at once
_SHARES = 24  # of the graphs with each number of rows: steps of the progress
_MOST = 4096  # graphs at a time: each needs some thousand bytes
# Equal graphs that are not recognised only cost time: few ties and rounds merge most of them.
_TIES, _ROUNDS = 5, 2
# Any odd constants will do; these are common mixers of hashes.
_OWN = np.uint64(0x1234567)
_MIXERS = [np.uint64(0x9E3779B97F4A7C15 ^ index << 8) for index in range(4)]


def count_latin(n: int, progress: Callable[[int, int], None]) -> int:
    """Return the number of Latin squares of order n, 2 or more."""
    begun = max(1, n - _LAST)
    one = np.eye(n, dtype=bool)  # the first row is relabelled
    states: GraphCounts = {one.tobytes(): (one, 1)}
    progress(0, begun * _SHARES)
    with Workers() as workers:
        for rows in range(1, begun):
            following: GraphCounts = {}
            work = partial(_continued, rows=rows)
            for done, counted in enumerate(workers.each(work, _shares(states)), 1):
                for key, (graph, ways) in counted.items():
                    _add(following, key, graph, ways)
                progress((rows - 1) * _SHARES + done, begun * _SHARES)
            states = following
        squares = 0
        for done, ways in enumerate(workers.each(_completed, _shares(states)), 1):
            squares += ways
            progress((begun - 1) * _SHARES + done, begun * _SHARES)
    return factorial(n) * squares


def _shares(states: GraphCounts) -> list[list[CountedGraph]]:
    every = list(states.values())
    return [every[share::_SHARES] for share in range(_SHARES)]


def _completed(share: list[CountedGraph]) -> int:
    """Return how many squares continue these rectangles."""
    return sum(ways * count_factorizations(~graph) for graph, ways in share)


def _continued(share: list[CountedGraph], *, rows: int) -> GraphCounts:
    """Add a row in all ways."""
    counted: GraphCounts = {}
    for graph, ways in share:
        # One of the rows to come has the first digit in the first column that is open to it. That
        # be the next one: any other can change places with it.
        left = ~graph
        left[0, left[0].argmax() + 1 :] = False
        columns, _ = matchings(left)
        longer = np.repeat(graph[None], len(columns), axis=0)
        np.put_along_axis(longer, columns[:, :, None], values=True, axis=2)
        for start in range(0, len(longer), _MOST):
            _count_alike(
                counted, _arranged(longer[start : start + _MOST]), ways * (len(graph) - rows)
            )
    return counted


def _count_alike(counted: GraphCounts, graphs: Graphs, ways: int) -> None:
    """Add graphs that count for `ways` rectangles each."""
    packed = np.packbits(graphs.reshape(len(graphs), -1), axis=1)
    _, first, counts = np.unique(packed, axis=0, return_index=True, return_counts=True)
    for index, count in zip(first.tolist(), counts.tolist(), strict=True):
        _add(counted, packed[index].tobytes(), graphs[index], ways * count)


def _add(states: GraphCounts, key: bytes, graph: DigitGraph, ways: int) -> None:
    states[key] = graph, ways + (states[key][1] if key in states else 0)


def _arranged(graphs: Graphs) -> Graphs:
    """Put digits and columns in an order by colours that names do not matter for.

    A colour says how many neighbours there are in common with each of the others, and which colours
    they have, again and again. Where digits are alike one of them gets a colour of its own.
    """
    # Products of floats run in BLAS, and counts of neighbours are far below 2**24.
    edges = graphs.astype(np.float32)
    shared = [(one @ one.swapaxes(1, 2)).astype(np.uint64) for one in (edges, edges.swapaxes(1, 2))]
    near = [graphs.astype(np.uint64), graphs.swapaxes(1, 2).astype(np.uint64)]
    colours = [_mixed(common, 0).sum(axis=2) for common in shared]
    for _ in range(_TIES):
        for _ in range(_ROUNDS):
            colours = [
                _mixed(colours[side], 0)
                + (near[side] * _mixed(colours[1 - side], 1)[:, None]).sum(axis=2)
                + _mixed(shared[side] + _mixed(colours[side], 2)[:, None], 3).sum(axis=2)
                for side in range(2)
            ]
        order = np.argsort(colours[0], axis=1, kind="stable")
        sorted_ = np.take_along_axis(colours[0], order, axis=1)
        alike = sorted_[:, 1:] == sorted_[:, :-1]
        tied = np.flatnonzero(alike.any(axis=1))
        if not len(tied):
            break
        colours[0][tied, order[tied, alike[tied].argmax(axis=1)]] += _OWN
    lines, columns = (np.argsort(colour, axis=1, kind="stable") for colour in colours)
    sorted_rows = np.take_along_axis(graphs, lines[:, :, None], axis=1)
    arranged: Graphs = np.take_along_axis(sorted_rows, columns[:, None], axis=2)
    return arranged


def _mixed(values: Colours, index: int) -> Colours:
    """Return numbers that look random and are the same for the same values."""
    mixed = (values ^ values >> np.uint64(31)) * _MIXERS[index]
    result: Colours = (mixed ^ mixed >> np.uint64(29)) * _MIXERS[index]
    return result
