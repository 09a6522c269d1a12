"""Count grids that a symmetry maps to relabelled ones, without a compiler.

A grid is built orbit by orbit: a digit in the first cell of an orbit brings its images into the
other cells. A depth-first search goes on with the first orbit that has the fewest digits left.
"""

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int32]
Masks = NDArray[np.uint32]


def count(
    ends: Indices,
    houses: Indices,
    allowed: Masks,
    images: NDArray[np.uint8],
    opens: Masks,
    begun: int,
    used: Masks,
    order: Indices,
    cut: int,
    part: int,
    parts: int,
    nodes: int,
) -> int:
    """Return in how many ways the orbits can be filled, up to the names of digits.

    If that takes more than so many nodes of the search, return -1.

    It counts one of several parts: of the nodes at depth `cut`, numbered from 1 as they come, those
    are gone through whose number leaves the remainder `part`.

    Parameters
    ----------
    ends : ndarray of shape (orbits + 1,)
        Where the cells of each orbit start, and where the last ones end.
    houses : ndarray of shape (cells, 3)
        The three houses of each cell, which may be the same.
    allowed : ndarray of shape (orbits,)
        The digits that do not meet an image of themselves in a house, one bit each.
    images : ndarray of shape (longest orbit, digits)
        At [k, d] what stands in cell k of an orbit whose first cell holds d.
    opens, begun : ndarray of shape (digits,), int
        `begun` are the digits that may be placed at first, and ``opens[d]`` those that may once d
        was. Of what is the same up to names only one thing may be begun at a time.
    used, order : ndarray of shape (houses,), ndarray of shape (orbits,)
        Room to work in: zeros, and the numbers of the orbits. They are left as they were.
    cut, part, parts, nodes : int
        0 <= cut <= orbits, and 0 <= part < parts.
    """
    held = [line.tolist() for line in np.split(houses, ends[1:-1])]
    table, may, opened = images.tolist(), allowed.tolist(), opens.tolist()
    full, waiting = used.tolist(), order.tolist()
    seen = count_found = 0
    left = nodes

    def exchange(orbit: int, digit: int) -> None:
        for three, image in zip(held[orbit], table, strict=False):
            for house in three:
                full[house] ^= 1 << image[digit]

    def visit(depth: int, begun: int) -> None:
        nonlocal seen, count_found, left
        left -= 1
        if left < 0:
            return
        if depth == cut:
            seen += 1
            if seen % parts != part:
                return
        if depth == len(waiting):
            count_found += 1
            return
        choices = []
        for orbit in waiting[depth:]:
            one, two, three = held[orbit][0]
            choices.append(may[orbit] & begun & ~(full[one] | full[two] | full[three]))
        index = min(range(len(choices)), key=lambda index: max(1, choices[index].bit_count()))
        chosen, best = choices[index], depth + index
        if depth + 1 == len(waiting) and cut <= depth:
            count_found += chosen.bit_count()
            return
        waiting[depth], waiting[best] = waiting[best], waiting[depth]
        for digit in range(chosen.bit_length()):
            if chosen >> digit & 1:
                exchange(waiting[depth], digit)
                visit(depth + 1, begun | opened[digit])
                exchange(waiting[depth], digit)
        waiting[depth], waiting[best] = waiting[best], waiting[depth]

    visit(0, begun)
    return count_found if left >= 0 else -1
