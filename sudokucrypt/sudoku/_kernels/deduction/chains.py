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
    # The bounds are 6, 8, 10, 14, 18, 26 and so on. Subtracting 2 gives 4, 6, 8, 12, 16, 24 and so
    # on: each of these numbers is 3/2 or 4/3 of the previous number, in turn.
    added_tenths: Int = 0
    bound: Int = 6
    while size > bound:
        bound = 2 + ((bound - 2) * 4 // 3 if added_tenths & 1 else (bound - 2) * 3 // 2)
        added_tenths += 1
    return added_tenths


@cclass
class ChainSearch(Graph):
    """Chains in which each link follows from the previous link only."""

    graph_state: Int  # 0 if not built yet, 1 if there are too many candidates, 2 if built
    cell_chain_technique: Int  # the technique of chains that use only cells with two candidates

    @cfunc
    def ensure_graph(self) -> Int:
        """Build the graph of all candidates unless it exists; return 0 if there are too many."""
        if not self.graph_state:
            self.graph_state = 1 + self.build_graph()
        return self.graph_state - 1

    @cfunc
    def find_chains(
        self,
        link_kind: Int,
        chain_technique: Int,
        chain_rating: Int,
        cycle_technique: Int,
        cycle_rating: Int,
        cell_technique: Int,
    ) -> Int:
        """Offer chains that refute or prove their start, and cycles, the shortest first.

        A chain of cells with two candidates each is reported as the technique `cell_technique`.
        """
        self.cell_chain_technique = cell_technique
        max_links: Int = 2 * 64 * MAX_NODE_WORDS
        if not self.ensure_graph():
            return 0
        for origin in range(self.node_count):
            digit = self.node_digits[origin]
            if link_kind == 1 and self.is_known_fruitless(
                cycle_technique, digit, self.digit_change_times[digit]
            ):
                continue
            if link_kind == 2 and not self.forces_any_node(origin, link_kind):
                continue  # no cycle contains `origin`
            # After a chain is found, only shorter chains are searched.
            for is_right in range(1, 0 if link_kind == 2 else -1, -1):
                is_refuted = self.follow_links(
                    origin, is_right, link_kind, max_links, digit if link_kind == 1 else -1
                )
                length = self.path_length
                if is_right and self.forces_any_node(origin, link_kind):
                    self.find_cycles(origin, link_kind, cycle_technique, cycle_rating, max_links)
                if is_refuted and self.conclude_chain(
                    origin, is_right, link_kind, length, chain_technique, chain_rating
                ):
                    max_links = length
        # Without a step, the search was complete, so the digits are recorded as fruitless. After a
        # step, only shorter chains are searched, so longer chains may exist.
        for digit in range(self.digit_count if link_kind == 1 and self.technique < 0 else 0):
            self.is_known_fruitless(cycle_technique, digit, self.clock)
            self.note_fruitless_search()
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def forces_any_node(self, origin: Int, link_kind: Int) -> Int:
        """Return whether some node must be right if `origin` is wrong."""
        offset: Int = (link_kind * self.node_count + origin) * self.node_words
        for word in range(self.node_words):
            if self.forced_nodes[offset + word]:
                return 1
        return 0

    @cfunc
    @exceptval(check=False)
    def find_cycles(
        self, origin: Int, link_kind: Int, technique: Int, rating: Int, max_links: Int
    ) -> Int:
        """Offer cycles: paths from `origin` to a node that is right if `origin` is wrong."""
        offset: Int = (link_kind * self.node_count + origin) * self.node_words
        for word in range(self.node_words):
            right_nodes = self.right_set[word]
            while right_nodes:
                node = (word << 6) + lowest_bit(right_nodes)
                right_nodes &= right_nodes - 1
                if not 2 <= self.right_depths[node] < max_links:
                    continue
                for other_word in range(self.node_words):
                    bits = self.forced_nodes[offset + other_word]
                    bits &= self.excluded_nodes[node * self.node_words + other_word]
                    while bits:
                        previous_node = (other_word << 6) + lowest_bit(bits)
                        bits &= bits - 1
                        self.conclude_cycle(
                            origin, node, previous_node, link_kind, technique, rating
                        )
        return 0

    @cfunc
    def conclude_chain(
        self, origin: Int, is_right: Int, link_kind: Int, length: Int, technique: Int, rating: Int
    ) -> Int:
        """Conclude the opposite of the assumption that a chain starts from."""
        first: Int = origin
        last_node: Int = origin
        self.trace_path(origin, not is_right, length, link_kind)
        if is_right:
            first, last_node = self.path[1], self.path[length - 1]
        for word in range(self.node_words):
            bits = (
                self.excluded_nodes[first * self.node_words + word]
                & self.excluded_nodes[last_node * self.node_words + word]
            )
            while bits:
                self.queue_node_strike((word << 6) + lowest_bit(bits))
                bits &= bits - 1
        if self.cell_chain_technique >= 0:
            for index in range(1, length + 1):
                if self.path_houses[index] >= 0:
                    break
            else:
                technique = self.cell_chain_technique
        if not self.offer_step(technique, rating + count_added_tenths(length + 1), length + 1):
            return 0
        self.add_chain_link(first, -1)
        for index in range(1 + is_right, length + 1 - is_right, 2):
            self.add_chain_link(self.path[index], self.path_houses[index])
            self.add_reason_cell(self.node_cells[self.path[index - 1]])
        return 1 + self.end_chain()

    @cfunc
    @exceptval(check=False)
    def conclude_cycle(
        self,
        origin: Int,
        end_node: Int,
        previous_node: Int,
        link_kind: Int,
        technique: Int,
        rating: Int,
    ) -> Int:
        """Conclude that exactly one of each two adjacent nodes of a cycle is right."""
        length: Int = self.right_depths[end_node] + 2
        if length > self.size and rating + count_added_tenths(length) >= self.rating:
            return 0
        self.trace_path(end_node, 1, length - 2, link_kind)
        self.path[length - 1], self.path[length] = previous_node, origin
        self.path_houses[length - 1], self.path_houses[length] = (
            -1,
            self.find_strong_house(previous_node, origin, link_kind),
        )
        for index in range(1, length - 1, 2):
            if self.path[index] == previous_node:
                return 0
        for index in range(0, length, 2):
            first_row, second_row = (
                self.path[index] * self.node_words,
                self.path[index + 1] * self.node_words,
            )
            for word in range(self.node_words):
                bits = (
                    self.excluded_nodes[first_row + word] & self.excluded_nodes[second_row + word]
                )
                while bits:
                    self.queue_node_strike((word << 6) + lowest_bit(bits))
                    bits &= bits - 1
        if not self.offer_step(technique, rating + count_added_tenths(length), length):
            return 0
        # Either all nodes at even places of the cycle are right, or all nodes at odd places.
        for index in range(0, length + 1, 2):
            self.add_chain_link(self.path[index], self.path_houses[index])
        self.end_chain()
        for index in range(length - 1, 0, -2):
            self.add_chain_link(
                self.path[index], self.path_houses[index + 1] if index < length - 1 else -1
            )
        return 1 + self.end_chain()
