"""Count grids that a symmetry maps to relabelled ones, without a compiler.

A grid is built orbit by orbit: a digit in the first cell of an orbit brings its images into the
other cells. A depth-first search goes on with the first orbit that has the fewest digits left.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.sudoku._kernels.search_plain import digits_of

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

    If that takes more than `nodes` nodes of the search, return -1.

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
    search = _Search(
        held=[line.tolist() for line in np.split(houses, ends[1:-1])],
        images=images.tolist(),
        allowed=allowed.tolist(),
        opens=opens.tolist(),
        used=used.tolist(),
        order=order.tolist(),
        cut=cut,
        part=part,
        parts=parts,
        left=nodes,
    )
    search.visit(0, begun)
    return search.count if search.left >= 0 else -1


@dataclass(kw_only=True)
class _Search:
    """The search, with what `count` was given as lists."""

    held: list[list[list[int]]]  # the houses of the cells of each orbit
    images: list[list[int]]
    allowed: list[int]
    opens: list[int]
    used: list[int]
    order: list[int]
    cut: int
    part: int
    parts: int
    left: int  # nodes
    seen: int = 0  # nodes at the cut
    count: int = 0

    def visit(self, depth: int, begun: int) -> None:
        """Fill the orbits from this depth on in all ways."""
        self.left -= 1
        if self.left < 0 or (depth == self.cut and not self._is_ours()):
            return
        order = self.order
        if depth == len(order):
            self.count += 1
            return
        choices = [self._choices(orbit, begun) for orbit in order[depth:]]
        # One choice is as good as none: it is made, or the search turns back, at once.
        index = min(range(len(choices)), key=lambda index: max(1, choices[index].bit_count()))
        chosen, best = choices[index], depth + index
        # The last orbit is counted, not filled: that is most of all nodes.
        if depth + 1 == len(order) and self.cut <= depth:
            self.count += chosen.bit_count()
            return
        order[depth], order[best] = order[best], order[depth]
        for digit in digits_of(chosen):
            self._exchange(order[depth], digit)
            self.visit(depth + 1, begun | self.opens[digit])
            self._exchange(order[depth], digit)
        order[depth], order[best] = order[best], order[depth]

    def _is_ours(self) -> bool:
        """Return whether the next node at the cut belongs to the part that is counted."""
        self.seen += 1
        return self.seen % self.parts == self.part

    def _choices(self, orbit: int, begun: int) -> int:
        """Return the digits that the first cell of an orbit may hold."""
        one, two, three = self.held[orbit][0]
        used = self.used
        return self.allowed[orbit] & begun & ~(used[one] | used[two] | used[three])

    def _exchange(self, orbit: int, digit: int) -> None:
        """Put a digit and its images into the cells of an orbit, or take them away."""
        for houses, image in zip(self.held[orbit], self.images, strict=False):
            for house in houses:
                self.used[house] ^= 1 << image[digit]
