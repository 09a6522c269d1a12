"""Forcing: facts that follow from each of several alternatives, and refutations by nets."""

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.chains import count_added_tenths
    from sudokucrypt.sudoku._kernels.deduction.names import *
    from sudokucrypt.sudoku._kernels.deduction.reasons import NetReasonSearch


@cclass
class ForcingSearch(NetReasonSearch):
    """Conclusions from the nets of several starts."""

    @cfunc
    def find_nishio(self, technique: Int, rating: Int) -> Int:
        """Offer to strike candidates from which singles of the same digit lead to a clash."""
        if not self.ensure_graph() or not self.reserve_nets():
            return 0
        for start_fact in range(2 * self.node_count):
            if self.suppose_fact(start_fact, self.node_digits[start_fact >> 1], 0):
                self.offer_refutation(start_fact, technique, rating)
        return 0

    @cfunc
    def find_forcing_chains(self, technique: Int, rating: Int) -> Int:
        """Offer facts that chains prove from all candidates of a cell or all places in a house."""
        if not self.ensure_graph() or not self.reserve_nets():
            return 0
        for start_fact in range(0, 2 * self.node_count, 2):
            self.follow_links(start_fact >> 1, 1, 0, 2 * self.node_count, -1)
            for node in range(self.node_count):
                self.reason_sizes[start_fact * self.fact_row_length + 2 * node] = (
                    self.right_depths[node] + 1
                )
                self.reason_sizes[start_fact * self.fact_row_length + 2 * node + 1] = (
                    self.wrong_depths[node] + 1
                )
            self.is_refuted[start_fact] = 0
        self.proposal_count = 0
        self.propose_shared_facts()
        if self.proposal_count:
            self.offer_shared_fact(technique, rating)
        return 0

    @cfunc
    def propose_shared_facts(self) -> Int:
        """Propose the facts that follow from each node of a group."""
        for group in range(self.group_count):
            if self.group_offsets[group + 1] - self.group_offsets[group] < 2:
                continue
            for slot in range(self.group_offsets[group], self.group_offsets[group + 1]):
                if self.is_refuted[2 * self.group_nodes[slot]]:
                    break
            else:
                for fact in range(2 * self.node_count):
                    size = 0
                    for slot in range(self.group_offsets[group], self.group_offsets[group + 1]):
                        reason_size = self.reason_sizes[
                            2 * self.group_nodes[slot] * self.fact_row_length + fact
                        ]
                        if not reason_size:
                            size = 0
                            break
                        size += reason_size
                    if size and self.is_useful(fact):
                        self.propose_fact(size, group, fact)
        return 0

    @cfunc
    @exceptval(check=False)
    def propose_fact(self, size: Int, origin: Int, fact: Int) -> Int:
        """Store a conclusion for measuring if its estimated size is among the smallest.

        `origin` is the group from which the fact follows, -1 for the refutation of a start (then
        `fact` is that start), or -2 - s if it follows from start s and from its opposite.
        """
        index: Int = self.proposal_count
        if index == MAX_PROPOSALS and size >= self.proposal_sizes[index - 1]:
            return 0
        if index < MAX_PROPOSALS:
            self.proposal_count += 1
        else:
            index -= 1
        while index and self.proposal_sizes[index - 1] > size:
            self.proposal_sizes[index] = self.proposal_sizes[index - 1]
            self.proposal_origins[index] = self.proposal_origins[index - 1]
            self.proposal_facts[index] = self.proposal_facts[index - 1]
            index -= 1
        self.proposal_sizes[index], self.proposal_origins[index], self.proposal_facts[index] = (
            size,
            origin,
            fact,
        )
        return 1

    @cfunc
    def is_useful(self, fact: Int) -> Int:
        """Return whether a fact strikes a candidate: always if it says that a node is wrong."""
        if fact & 1:
            return 1
        for word in range(self.node_words):
            if self.excluded_nodes[(fact >> 1) * self.node_words + word]:
                return 1
        return 0

    @cfunc
    def offer_shared_fact(self, technique: Int, rating: Int) -> Int:
        """Offer the first proposed fact, which chains prove from each node of a group."""
        group: Int = self.proposal_origins[0]
        fact: Int = self.proposal_facts[0]
        size: Int = self.proposal_sizes[0]
        self.queue_refuted_candidates(fact ^ 1)
        if not self.offer_step(technique, rating + count_added_tenths(size), size):
            return 0
        self.describe_group(group)
        for slot in range(self.group_offsets[group], self.group_offsets[group + 1]):
            self.follow_links(self.group_nodes[slot], 1, 0, 2 * self.node_count, -1)
            depth = self.wrong_depths[fact >> 1] if fact & 1 else self.right_depths[fact >> 1]
            self.trace_path(fact >> 1, not fact & 1, depth, 0)
            for position in range(depth + 1):
                if not position & 1:
                    self.add_chain_link(self.path[position], self.path_houses[position])
                else:
                    self.add_reason_cell(self.node_cells[self.path[position]])
                    self.step_digits |= ONE << self.node_digits[self.path[position]]
            self.end_chain()
        return 1

    @cfunc
    def find_forcing_nets(self, technique: Int, rating: Int, pattern_depth: Int) -> Int:
        """Offer starts that their own nets refute, and facts that several nets have in common."""
        if not self.ensure_graph() or not self.reserve_nets():
            return 0
        self.proposal_count = 0
        for start_fact in range(2 * self.node_count):
            row_start = start_fact * self.fact_row_length
            self.is_refuted[start_fact] = self.suppose_fact(start_fact, -1, pattern_depth)
            for fact in range(2 * self.node_count):
                self.reason_sizes[row_start + fact] = (
                    self.fact_sizes[fact] if self.fact_positions[fact] >= 0 else 0
                )
            if self.is_refuted[start_fact]:
                if self.node_count > MAX_FULL_SEARCH_NODES:
                    return self.offer_refutation(start_fact, technique, rating)
                self.propose_fact(
                    self.fact_sizes[2 * self.clash_node] + self.fact_sizes[2 * self.clash_node + 1],
                    -1,
                    start_fact,
                )
        for start_fact in range(0, 2 * self.node_count, 2):
            if not self.is_refuted[start_fact] and not self.is_refuted[start_fact + 1]:
                for fact in range(2 * self.node_count):
                    if (
                        self.reason_sizes[start_fact * self.fact_row_length + fact]
                        and fact >> 1 != start_fact >> 1
                    ):
                        opposite_index = (start_fact + 1) * self.fact_row_length + fact
                        if self.reason_sizes[opposite_index] and self.is_useful(fact):
                            self.propose_fact(
                                self.reason_sizes[start_fact * self.fact_row_length + fact]
                                + self.reason_sizes[opposite_index],
                                -2 - start_fact,
                                fact,
                            )
        self.propose_shared_facts()
        for index in range(self.proposal_count):
            self.offer_proposal(index, technique, rating, pattern_depth)
        return 0

    @cfunc
    def offer_proposal(self, index: Int, technique: Int, rating: Int, pattern_depth: Int) -> Int:
        """Measure a proposed conclusion, and offer it."""
        origin: Int = self.proposal_origins[index]
        fact: Int = self.proposal_facts[index]
        size: Int = 0
        if origin == -1:
            self.suppose_fact(fact, -1, pattern_depth)
            return self.offer_refutation(fact, technique, rating)
        for is_describing in range(2):
            if is_describing:
                self.queue_refuted_candidates(fact ^ 1)
                if not self.offer_step(technique, rating + count_added_tenths(size), size):
                    return 0
                if origin >= 0:
                    self.describe_group(origin)
            for slot in range(
                2 if origin < 0 else self.group_offsets[origin + 1] - self.group_offsets[origin]
            ):
                if origin < 0:
                    start_fact = -2 - origin + slot
                else:
                    start_fact = 2 * self.group_nodes[self.group_offsets[origin] + slot]
                self.suppose_fact(start_fact, -1, pattern_depth)
                if is_describing:
                    if start_fact & 1:
                        self.add_reason_cell(self.node_cells[start_fact >> 1])
                    self.describe_reason(fact, self.fact_causes[fact])
                else:
                    size += self.measure_reason(fact, self.fact_causes[fact])
        return 1
