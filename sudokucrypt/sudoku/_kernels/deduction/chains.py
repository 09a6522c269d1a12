"""Chains and cycles: candidates that are alternately right and wrong."""

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.graph import Graph
    from sudokucrypt.sudoku._kernels.deduction.names import *


@cfunc
def count_added_tenths(size: Int) -> Int:
    """Return the tenths that a chain of this size adds to a rating.

    They grow by one at 7, 9, 11, 15, 19, 27, 35 candidates and so on.
    """
    # The bounds grow by a half and by a third in turn, as 6, 8, 10, 14, 18, 26 do.
    added: Int = 0
    bound: Int = 6
    while size > bound:
        bound = 2 + ((bound - 2) * 4 // 3 if added & 1 else (bound - 2) * 3 // 2)
        added += 1
    return added


@cclass
class Chains(Graph):
    """Chains in which each link follows from the previous link only."""

    graph_built: Int  # 0 if not yet, 1 if there are too many candidates, 2 if it was built
    cell_chain_technique: Int  # the technique of chains that use only cells with two candidates

    @cfunc
    def ensure_graph(self) -> Int:
        """Build the graph of all candidates unless it exists; return 0 if there are too many."""
        if not self.graph_built:
            self.graph_built = 1 + self.build_graph()
        return self.graph_built - 1

    @cfunc
    def find_chains(
        self,
        kind: Int,
        chain: Int,
        chain_rating: Int,
        cycle: Int,
        cycle_rating: Int,
        cell_technique: Int,
    ) -> Int:
        """Offer chains that refute or prove their start, and cycles, the shortest first.

        A chain of cells with two candidates each is reported as the technique `cell_technique`.
        """
        self.cell_chain_technique = cell_technique
        most: Int = 2 * 64 * MAX_NODE_WORDS
        if not self.ensure_graph():
            return 0
        for start in range(self.nodes):
            digit = self.node_digit[start]
            if kind == 1 and self.is_unchanged(cycle, digit, self.digit_changes[digit]):
                continue
            if kind == 2 and not self.forces_any(start, kind):
                continue  # no cycle goes through it
            # From now on only shorter chains count.
            for right in range(1, 0 if kind == 2 else -1, -1):
                result = self.spread(start, right, kind, most, digit if kind == 1 else -1)
                length = self.path_end
                if right and self.forces_any(start, kind):
                    self.find_cycles(start, kind, cycle, cycle_rating, most)
                if result and self.conclude_chain(start, right, kind, length, chain, chain_rating):
                    most = length
        # A step that was found before cuts the search short, which then proves no absence.
        for digit in range(self.digits if kind == 1 and self.technique < 0 else 0):
            self.is_unchanged(cycle, digit, self.clock)
            self.note_fruitless()
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def forces_any(self, start: Int, kind: Int) -> Int:
        """Return whether some node must be right if `start` is wrong."""
        base: Int = (kind * self.nodes + start) * self.words
        for word in range(self.words):
            if self.forced[base + word]:
                return 1
        return 0

    @cfunc
    @exceptval(check=False)
    def find_cycles(self, start: Int, kind: Int, technique: Int, rating: Int, most: Int) -> Int:
        """Offer cycles: paths from `start` to a node that is right if `start` is wrong."""
        base: Int = (kind * self.nodes + start) * self.words
        for word in range(self.words):
            reached = self.right_set[word]
            while reached:
                node = (word << 6) + lowest_bit(reached)
                reached &= reached - 1
                if not 2 <= self.right_step[node] < most:
                    continue
                for other in range(self.words):
                    bits = self.forced[base + other]
                    bits &= self.excluded[node * self.words + other]
                    while bits:
                        before = (other << 6) + lowest_bit(bits)
                        bits &= bits - 1
                        self.conclude_cycle(start, node, before, kind, technique, rating)
        return 0

    @cfunc
    def conclude_chain(
        self, start: Int, right: Int, kind: Int, level: Int, technique: Int, rating: Int
    ) -> Int:
        """Conclude the opposite of the assumption that a chain starts from."""
        first: Int = start
        last: Int = start
        self.trace_path(start, not right, level, kind)
        if right:
            first, last = self.path[1], self.path[level - 1]
        for word in range(self.words):
            bits = (
                self.excluded[first * self.words + word] & self.excluded[last * self.words + word]
            )
            while bits:
                self.hit_node((word << 6) + lowest_bit(bits))
                bits &= bits - 1
        if self.cell_chain_technique >= 0:
            for index in range(1, level + 1):
                if self.path_houses[index] >= 0:
                    break
            else:
                technique = self.cell_chain_technique
        if not self.offer_step(technique, rating + count_added_tenths(level + 1), level + 1):
            return 0
        self.add_chain_link(first, -1)
        for index in range(1 + right, level + 1 - right, 2):
            self.add_chain_link(self.path[index], self.path_houses[index])
            self.add_base_cell(self.node_cells[self.path[index - 1]])
        return 1 + self.end_chain()

    @cfunc
    @exceptval(check=False)
    def conclude_cycle(
        self, start: Int, end: Int, before: Int, kind: Int, technique: Int, rating: Int
    ) -> Int:
        """Conclude that exactly one of each two adjacent nodes of a cycle is right."""
        level: Int = self.right_step[end] + 2
        if level > self.size and rating + count_added_tenths(level) >= self.rating:
            return 0
        self.trace_path(end, 1, level - 2, kind)
        self.path[level - 1], self.path[level] = before, start
        self.path_houses[level - 1], self.path_houses[level] = (
            -1,
            self.find_strong_house(before, start, kind),
        )
        for index in range(1, level - 1, 2):
            if self.path[index] == before:
                return 0
        for index in range(0, level, 2):
            one, two = self.path[index] * self.words, self.path[index + 1] * self.words
            for word in range(self.words):
                bits = self.excluded[one + word] & self.excluded[two + word]
                while bits:
                    self.hit_node((word << 6) + lowest_bit(bits))
                    bits &= bits - 1
        if not self.offer_step(technique, rating + count_added_tenths(level), level):
            return 0
        # Either all nodes at even places of the cycle are right, or all nodes at odd places.
        for index in range(0, level + 1, 2):
            self.add_chain_link(self.path[index], self.path_houses[index])
        self.end_chain()
        for index in range(level - 1, 0, -2):
            self.add_chain_link(
                self.path[index], self.path_houses[index + 1] if index < level - 1 else -1
            )
        return 1 + self.end_chain()
