"""Ways to write a table whose columns have given sets of digits, row by row.

Which digits each column has to hold is a bipartite graph, d columns for every digit and d digits
for every column. A row takes each digit and each column once: a perfect matching. The d rows
together use each edge once, so that they are a *factorization* of the graph.
"""

from collections.abc import Sequence
from math import factorial, prod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.kernels import load_kernels
from sudokucrypt.typing import IntArray

if TYPE_CHECKING:
    from sudokucrypt.sudoku._kernels import numbering_plain as _kernels
else:
    _kernels = load_kernels("sudokucrypt.sudoku._kernels", "numbering")

EdgeMasks = NDArray[np.uint64]
DigitGraph = NDArray[np.bool_]


def matchings(graph: DigitGraph) -> tuple[IntArray, EdgeMasks]:
    """Return all perfect matchings of a bipartite graph of 64 edges at most.

    `graph` says at [d, c] whether digit d goes into column c. A matching is the columns of all
    digits; they come in lexicographic order, and again as masks of edges.
    """
    columns = np.zeros((1, 0), dtype=np.int64)
    for allowed in graph:
        choice = np.flatnonzero(allowed)
        old, new = np.nonzero((columns[:, :, None] != choice).all(axis=1))
        columns = np.hstack([columns[old], choice[new, None]])
    indices = np.cumsum(graph).reshape(graph.shape) - 1  # of each edge
    bits = np.left_shift(np.uint64(1), indices.clip(0).astype(np.uint64))
    edges: EdgeMasks = np.bitwise_or.reduce(bits[np.arange(len(graph)), columns], axis=1)
    return columns, edges


def count_factorizations(graph: DigitGraph) -> int:
    """Return the number of tables with the columns of a regular bipartite graph.

    The row that holds the first digit in its first column, the row that holds it in its second,
    and so on are chosen so that they have no edge in common; the last row is what the others
    leave. Digits that go into the same columns can change places: of the first rows that differ in
    nothing else, one stands for all.
    """
    kinds, counts = np.unique(graph, axis=0, return_counts=True)
    # A digit that is alone of its kind goes first: it may not change places.
    order = np.argsort(counts, kind="stable")
    columns, edges = matchings(np.repeat(kinds[order], counts[order], axis=0))
    groups = [edges[columns[:, 0] == column] for column in np.flatnonzero(kinds[order[0]])]
    kind = np.repeat(order, counts[order])
    alike = np.flatnonzero(kind[1:-1] == kind[2:]) + 1
    rising = (columns[:, alike] < columns[:, alike + 1]).all(axis=1)
    first = edges[rising & (columns[:, 0] == columns[0, 0])]
    counts[order[0]] -= 1
    symmetries = prod(factorial(count) for count in counts.tolist())
    ways = _count_disjoint([first, *groups[1:-1]]) * symmetries
    return factorial(len(groups)) * ways


def list_factorizations(graph: DigitGraph) -> IntArray:
    """Return all tables with the columns of a graph, up to the order of the rows.

    The result has shape (m, d, n): the column of each digit in each row, rows ordered by the column
    of digit 0, tables in lexicographic order of the numbers of their matchings.
    """
    columns, edges = matchings(graph)
    chosen = np.zeros((1, 0), dtype=np.int64)
    used = np.zeros(1, dtype=np.uint64)
    for column in np.flatnonzero(graph[0]):
        chosen_now = np.flatnonzero(columns[:, 0] == column)
        old, new = np.nonzero((used[:, None] & edges[chosen_now]) == 0)
        used = used[old] | edges[chosen_now[new]]
        chosen = np.hstack([chosen[old], chosen_now[new, None]])
    return columns[chosen]


def _count_disjoint(groups: Sequence[EdgeMasks]) -> int:
    """Return in how many ways one matching of each group can be taken without a common edge."""
    if len(groups) == 1:
        return len(groups[0])
    if len(groups) == 3:
        return int(_kernels.count_triples(*groups))
    first, *others = groups
    return sum(
        _count_disjoint([other[(other & taken) == 0] for other in others]) for taken in first
    )
