"""Count grids that a symmetry fixes up to relabeling of digits. This file is also compiled.

A grid is built orbit by orbit: the digit in the first cell of an orbit determines the digits of
its other cells. A depth-first search continues with the first orbit that has the fewest candidates.
"""

import sudokucrypt.kernels.names as cython

if not cython.compiled:
    from sudokucrypt.kernels.names import *


@final
@cclass
class OrbitSearch:
    """A depth-first search; the function `count` describes its parameters."""

    orbit_count: Long
    digit_count: Long
    cut_depth: Long
    part: Long
    part_count: Long
    orbit_offsets: GivenInts
    houses: GivenInts  # the three houses of each cell, cell by cell
    allowed_digits: GivenMasks
    images: GivenBytes  # row by row
    allowed_digits_after: GivenMasks
    used_digits: Masks
    orbit_order: Ints
    cut_node_count: Long  # the number of nodes visited at depth `cut_depth`
    grid_count: Long
    nodes_left: Long

    def __init__(
        self,
        ends: Any,
        houses: Any,
        allowed_digits: Any,
        images: Any,
        allowed_digits_after: Any,
        used_digits: Any,
        orbit_order: Any,
    ) -> None:
        self.orbit_count, self.digit_count = len(orbit_order), images.shape[1]
        self.orbit_offsets, self.houses = to_list(ends), to_list(houses.ravel())
        self.allowed_digits, self.images = to_list(allowed_digits), to_list(images.ravel())
        self.allowed_digits_after, self.used_digits, self.orbit_order = (
            to_list(allowed_digits_after),
            to_list(used_digits),
            to_list(orbit_order),
        )

    def count(
        self, allowed_digits_now: Mask, cut_depth: Long, part: Long, parts: Long, max_nodes: Long
    ) -> int:
        """Return the number of grids, or -1 after too many nodes."""
        self.cut_depth, self.part, self.part_count, self.nodes_left = (
            cut_depth,
            part,
            parts,
            max_nodes,
        )
        self.cut_node_count = self.grid_count = 0
        with cython.nogil:
            self.fill_orbits(0, allowed_digits_now)
        return self.grid_count if self.nodes_left >= 0 else -1

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def fill_orbits(self, depth: Long, allowed_digits_now: Mask) -> Void:
        """Fill the remaining orbits in all ways."""
        position: Int
        fewest_digits: Int = 99
        best_position: Long = depth
        best_digits: Mask = 0
        self.nodes_left -= 1
        if self.nodes_left < 0:
            return
        # The nodes at one depth are distributed over the parts of the search.
        if depth == self.cut_depth:
            self.cut_node_count += 1
            if self.cut_node_count % self.part_count != self.part:
                return
        if depth == self.orbit_count:
            self.grid_count += 1
            return
        # Choose the orbit with the fewest candidates; stop early at one candidate or none.
        for position in range(depth, self.orbit_count):
            orbit = self.orbit_order[position]
            first_house_index: Int = 3 * self.orbit_offsets[orbit]
            used_digits_now: Mask = (
                self.used_digits[self.houses[first_house_index]]
                | self.used_digits[self.houses[first_house_index + 1]]
                | self.used_digits[self.houses[first_house_index + 2]]
            )
            usable_digits: Mask = self.allowed_digits[orbit] & allowed_digits_now & ~used_digits_now
            size = count_bits(usable_digits)
            if size < fewest_digits:
                fewest_digits, best_position, best_digits = size, position, usable_digits
                if size <= 1:
                    break
        # In the last orbit each candidate gives one grid, so count them without visiting.
        if depth + 1 == self.orbit_count and self.cut_depth <= depth:
            self.grid_count += fewest_digits
            return
        # Swap the orbit to the front of the open orbits, and back after the search below it.
        orbit = self.orbit_order[best_position]
        self.orbit_order[best_position] = self.orbit_order[depth]
        self.orbit_order[depth] = orbit
        while best_digits:
            digit = lowest_bit(best_digits)
            best_digits &= best_digits - 1
            self.toggle_digit(orbit, digit)
            self.fill_orbits(depth + 1, allowed_digits_now | self.allowed_digits_after[digit])
            self.toggle_digit(orbit, digit)
        self.orbit_order[depth] = self.orbit_order[best_position]
        self.orbit_order[best_position] = orbit

    @cfunc
    @inline
    @cython.nogil
    @exceptval(check=False)
    def toggle_digit(self, orbit: Int, digit: Int) -> Void:
        """Place a digit and its images in the cells of an orbit, or remove them again."""
        image_index: Long = digit
        for position in range(self.orbit_offsets[orbit], self.orbit_offsets[orbit + 1]):
            digit_bit: Mask = cast(Mask, 1) << self.images[image_index]
            first_house_index: Int = 3 * position
            self.used_digits[self.houses[first_house_index]] ^= digit_bit
            self.used_digits[self.houses[first_house_index + 1]] ^= digit_bit
            self.used_digits[self.houses[first_house_index + 2]] ^= digit_bit
            image_index += self.digit_count


def count(
    ends: Any,
    houses: Any,
    allowed_digits: Any,
    images: Any,
    allowed_digits_after: Any,
    allowed_digits_now: Mask,
    used_digits: Any,
    orbit_order: Any,
    cut_depth: Long,
    part: Long,
    parts: Long,
    max_nodes: Long,
) -> int:
    """Return in how many ways the orbits can be filled, up to relabeling of digits.

    If the search takes more than `max_nodes` nodes, return -1. Only one of several parts is
    counted: nodes at depth `cut_depth` are numbered from 1 in order, and only those with remainder
    `part` modulo `parts` are searched.

    Parameters
    ----------
    ends : ndarray of shape (orbits + 1,)
        Where the cells of each orbit start, and where the last ones end.
    houses : ndarray of shape (cells, 3)
        The three houses of each cell, which may be the same.
    allowed_digits : ndarray of shape (orbits,)
        The digits for the first cell that do not repeat in a house of the orbit, one bit each.
    images : ndarray of shape (longest orbit, digits)
        At [k, d]: the digit in cell k of an orbit whose first cell contains d.
    allowed_after, allowed_now : ndarray of shape (digits,), int
        `allowed_digits_now`: the digits that may be placed first, one bit each.
        ``allowed_after[d]``: the digits that may be placed in addition once d was placed. Of digits
        that are equal up to relabeling, only one may be placed at a time.
    used_digits, orbit_order : ndarray of shape (houses,), ndarray of shape (orbits,)
        Working memory: zeros, and the numbers of the orbits. Both are restored at the end.
    cut_depth, part, parts, nodes : int
        0 <= cut_depth <= orbits, and 0 <= part < parts.
    """
    search = OrbitSearch(
        ends, houses, allowed_digits, images, allowed_digits_after, used_digits, orbit_order
    )
    return search.count(allowed_digits_now, cut_depth, part, parts, max_nodes)
