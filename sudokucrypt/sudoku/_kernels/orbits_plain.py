"""Count grids that a symmetry maps to relabeled ones. This text is compiled as well.

A grid is built orbit by orbit: a digit in the first cell of an orbit brings its images into the
other cells. A depth-first search goes on with the first orbit that has the fewest digits left.
"""

import sudokucrypt.kernels.names as cython

if not cython.compiled:
    from sudokucrypt.kernels.names import *


@final
@cclass
class OrbitSearch:
    """The search, with what `count` was given."""

    orbits: Long
    digits: Long
    cut: Long
    part: Long
    parts: Long
    ends: GivenInts
    houses: GivenInts  # three of each cell, one cell after the other
    allowed: GivenMasks
    images: GivenBytes  # row by row
    opens: GivenMasks
    used: Masks
    order: Ints
    seen: Long  # nodes at the cut
    found: Long
    left: Long  # nodes

    def __init__(
        self,
        ends: Any,
        houses: Any,
        allowed: Any,
        images: Any,
        opens: Any,
        used: Any,
        order: Any,
    ) -> None:
        self.orbits, self.digits = len(order), images.shape[1]
        self.ends, self.houses = to_list(ends), to_list(houses.ravel())
        self.allowed, self.images = to_list(allowed), to_list(images.ravel())
        self.opens, self.used, self.order = to_list(opens), to_list(used), to_list(order)

    def count(self, begun: Mask, cut: Long, part: Long, parts: Long, nodes: Long) -> int:
        """Return what is found, or -1 after too many nodes."""
        self.cut, self.part, self.parts, self.left = cut, part, parts, nodes
        self.seen = self.found = 0
        with cython.nogil:
            self.visit(0, begun)
        return self.found if self.left >= 0 else -1

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def visit(self, depth: Long, begun: Mask) -> Void:
        """Fill the orbits from this depth on in all ways."""
        place: Int
        least: Int = 99
        best: Long = depth
        chosen: Mask = 0
        self.left -= 1
        if self.left < 0:
            return
        # The parts of a search that was shared out are told apart by their nodes at one depth.
        if depth == self.cut:
            self.seen += 1
            if self.seen % self.parts != self.part:
                return
        if depth == self.orbits:
            self.found += 1
            return
        # The orbit with the fewest digits left; at one or none it cannot get better.
        for place in range(depth, self.orbits):
            orbit = self.order[place]
            at: Int = 3 * self.ends[orbit]
            bits: Mask = (
                self.used[self.houses[at]]
                | self.used[self.houses[at + 1]]
                | self.used[self.houses[at + 2]]
            )
            bits = self.allowed[orbit] & begun & ~bits
            size = count_bits(bits)
            if size < least:
                least, best, chosen = size, place, bits
                if size <= 1:
                    break
        # In the last orbit each digit makes a grid: count them without going there.
        if depth + 1 == self.orbits and self.cut <= depth:
            self.found += least
            return
        # Swap the orbit to the front of those that are open; it goes back where it was.
        orbit = self.order[best]
        self.order[best] = self.order[depth]
        self.order[depth] = orbit
        while chosen:
            digit = lowest_bit(chosen)
            chosen &= chosen - 1
            self.exchange(orbit, digit)
            self.visit(depth + 1, begun | self.opens[digit])
            self.exchange(orbit, digit)
        self.order[depth] = self.order[best]
        self.order[best] = orbit

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def exchange(self, orbit: Int, digit: Int) -> Void:
        """Put a digit and its images into the cells of an orbit, or take them away."""
        image: Long = digit
        for place in range(self.ends[orbit], self.ends[orbit + 1]):
            bit: Mask = cast(Mask, 1) << self.images[image]
            at: Int = 3 * place
            self.used[self.houses[at]] ^= bit
            self.used[self.houses[at + 1]] ^= bit
            self.used[self.houses[at + 2]] ^= bit
            image += self.digits


def count(
    ends: Any,
    houses: Any,
    allowed: Any,
    images: Any,
    opens: Any,
    begun: Mask,
    used: Any,
    order: Any,
    cut: Long,
    part: Long,
    parts: Long,
    nodes: Long,
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
    search = OrbitSearch(ends, houses, allowed, images, opens, used, order)
    return search.count(begun, cut, part, parts, nodes)
