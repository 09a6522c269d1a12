"""Forcing: facts that follow whichever of several candidates is right, and refutations by nets."""

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.chains import count_added_tenths
    from sudokucrypt.sudoku._kernels.deduction.names import *
    from sudokucrypt.sudoku._kernels.deduction.reasons import Reasons


@cclass
class Forcing(Reasons):
    """Conclusions from the nets of several starts."""

    @cfunc
    def find_nishio(self, technique: Int, rating: Int) -> Int:
        """Offer to strike candidates from which singles of the same digit lead to a clash."""
        if not self.ensure_graph() or not self.reserve_nets():
            return 0
        for start in range(2 * self.nodes):
            if self.suppose(start, self.node_digit[start >> 1], 0):
                self.conclude_refutation(start, technique, rating)
        return 0

    @cfunc
    def find_forcing_chains(self, technique: Int, rating: Int) -> Int:
        """Offer facts that chains prove from all candidates of a cell or all places in a house."""
        if not self.ensure_graph() or not self.reserve_nets():
            return 0
        for start in range(0, 2 * self.nodes, 2):
            self.spread(start >> 1, 1, 0, 2 * self.nodes, -1)
            for node in range(self.nodes):
                self.sizes_after[start * self.row_length + 2 * node] = self.right_step[node] + 1
                self.sizes_after[start * self.row_length + 2 * node + 1] = self.wrong_step[node] + 1
            self.refuted[start] = 0
        self.proposal_count = 0
        self.propose_shared_facts()
        if self.proposal_count:
            self.conclude_shared(0, technique, rating, 0)
        return 0

    @cfunc
    def propose_shared_facts(self) -> Int:
        """Propose the facts that follow from each node of a group."""
        for group in range(self.groups):
            if self.group_ends[group + 1] - self.group_ends[group] < 2:
                continue
            for slot in range(self.group_ends[group], self.group_ends[group + 1]):
                if self.refuted[2 * self.group_nodes[slot]]:
                    break
            else:
                for fact in range(2 * self.nodes):
                    size = 0
                    for slot in range(self.group_ends[group], self.group_ends[group + 1]):
                        reason = self.sizes_after[
                            2 * self.group_nodes[slot] * self.row_length + fact
                        ]
                        if not reason:
                            size = 0
                            break
                        size += reason
                    if size and self.is_useful(fact):
                        self.propose_fact(size, group, fact)
        return 0

    @cfunc
    @exceptval(check=False)
    def propose_fact(self, size: Int, kind: Int, fact: Int) -> Int:
        """Store a conclusion for measuring if its estimated size is among the smallest.

        `kind` is the group from which the fact follows, -1 for the refutation of a start (then
        `fact` is that start), or -2 - s if it follows from start s and from its opposite.
        """
        index: Int = self.proposal_count
        if index == MAX_MEASURED and size >= self.proposal_size[index - 1]:
            return 0
        if index < MAX_MEASURED:
            self.proposal_count += 1
        else:
            index -= 1
        while index and self.proposal_size[index - 1] > size:
            self.proposal_size[index] = self.proposal_size[index - 1]
            self.proposal_kind[index] = self.proposal_kind[index - 1]
            self.proposal_fact[index] = self.proposal_fact[index - 1]
            index -= 1
        self.proposal_size[index], self.proposal_kind[index], self.proposal_fact[index] = (
            size,
            kind,
            fact,
        )
        return 1

    @cfunc
    def is_useful(self, fact: Int) -> Int:
        """Return whether a fact strikes a candidate: any wrong node does, since all are open."""
        if fact & 1:
            return 1
        for word in range(self.words):
            if self.excluded[(fact >> 1) * self.words + word]:
                return 1
        return 0

    @cfunc
    def conclude_shared(self, index: Int, technique: Int, rating: Int, size: Int) -> Int:
        """Offer a proposed fact that chains prove from each node of a group."""
        group: Int = self.proposal_kind[index]
        fact: Int = self.proposal_fact[index]
        size = self.proposal_size[index]
        self.hit_refuted(fact ^ 1)
        if not self.offer_step(technique, rating + count_added_tenths(size), size):
            return 0
        self.name_group(group)
        for slot in range(self.group_ends[group], self.group_ends[group + 1]):
            self.spread(self.group_nodes[slot], 1, 0, 2 * self.nodes, -1)
            level = self.wrong_step[fact >> 1] if fact & 1 else self.right_step[fact >> 1]
            self.trace_path(fact >> 1, not fact & 1, level, 0)
            for place in range(level + 1):
                if not place & 1:
                    self.add_chain_link(self.path[place], self.path_houses[place])
                else:
                    self.add_base_cell(self.node_cells[self.path[place]])
                    self.step_digits |= ONE << self.node_digit[self.path[place]]
            self.end_chain()
        return 1

    @cfunc
    def find_forcing_nets(self, technique: Int, rating: Int, deep: Int) -> Int:
        """Offer starts that their own nets refute, and facts that several nets have in common."""
        if not self.ensure_graph() or not self.reserve_nets():
            return 0
        self.proposal_count = 0
        for start in range(2 * self.nodes):
            row = start * self.row_length
            self.refuted[start] = self.suppose(start, -1, deep)
            for fact in range(2 * self.nodes):
                self.sizes_after[row + fact] = (
                    self.fact_sizes[fact] if self.fact_order[fact] >= 0 else 0
                )
            if self.refuted[start]:
                if self.nodes > MANY_NODES:
                    return self.conclude_refutation(start, technique, rating)
                self.propose_fact(
                    self.fact_sizes[2 * self.clash_node] + self.fact_sizes[2 * self.clash_node + 1],
                    -1,
                    start,
                )
        for start in range(0, 2 * self.nodes, 2):
            if not self.refuted[start] and not self.refuted[start + 1]:
                for fact in range(2 * self.nodes):
                    if self.sizes_after[start * self.row_length + fact] and fact >> 1 != start >> 1:
                        row = (start + 1) * self.row_length + fact
                        if self.sizes_after[row] and self.is_useful(fact):
                            self.propose_fact(
                                self.sizes_after[start * self.row_length + fact]
                                + self.sizes_after[row],
                                -2 - start,
                                fact,
                            )
        self.propose_shared_facts()
        for start in range(self.proposal_count):
            self.conclude_net(start, technique, rating, deep)
        return 0

    @cfunc
    def conclude_net(self, index: Int, technique: Int, rating: Int, deep: Int) -> Int:
        """Measure a proposed conclusion, and offer it."""
        kind: Int = self.proposal_kind[index]
        fact: Int = self.proposal_fact[index]
        size: Int = 0
        if kind == -1:
            self.suppose(fact, -1, deep)
            return self.conclude_refutation(fact, technique, rating)
        for naming in range(2):
            if naming:
                self.hit_refuted(fact ^ 1)
                if not self.offer_step(technique, rating + count_added_tenths(size), size):
                    return 0
                if kind >= 0:
                    self.name_group(kind)
            for slot in range(2 if kind < 0 else self.group_ends[kind + 1] - self.group_ends[kind]):
                if kind < 0:
                    start = -2 - kind + slot
                else:
                    start = 2 * self.group_nodes[self.group_ends[kind] + slot]
                self.suppose(start, -1, deep)
                if naming:
                    if start & 1:
                        self.add_base_cell(self.node_cells[start >> 1])
                    self.name_reason(fact, self.fact_cause[fact])
                else:
                    size += self.measure_reason(fact, self.fact_cause[fact])
        return 1
