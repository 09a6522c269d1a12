"""Nets: all singles that follow if one candidate is supposed right or wrong."""

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.chains import ChainSearch
    from sudokucrypt.sudoku._kernels.deduction.names import *


@cclass
class NetSearch(ChainSearch):
    """Nets of facts that follow from a start by singles.

    A fact is the number 2 * node if the node is right, or 2 * node + 1 if the node is wrong. The
    start of a net is such a fact, which is supposed.
    """

    fact_positions: Ints  # for each fact: its position in the order of discovery, or -1 if unknown
    fact_causes: Ints  # for each fact: -1 (start), a group or node number, or -2 - p (pattern p)
    node_removed_flags: Bytes
    remaining_node_counts: Ints
    right_queue: Ints
    wrong_queue: Ints
    fact_sizes: Ints
    clash_node: Int  # a node that would be both right and wrong, or -1
    clash_cause: Int  # the cause of the second of the two contradicting facts
    clash_is_right: Int  # whether the second fact was that the node is right
    pattern_parents: Words
    pattern_groups: Words
    pattern_sizes: Ints
    pattern_count: Int
    group_words: Int
    reason_sizes: Bytes  # for each start and fact: the estimated size of its reason, or 0
    is_refuted: Bytes  # for each start: whether its net contradicts itself
    proposal_sizes: Ints  # the estimated sizes of proposed conclusions
    proposal_origins: Ints
    proposal_facts: Ints
    proposal_count: Int
    net_start: Int
    right_count: Int
    wrong_count: Int
    saved_right_set: Words  # the copy of `right_set` while a chain within a net is followed
    saved_wrong_set: Words
    pattern_size_sum: Int
    fact_stack: Ints
    reason_flags: Bytes
    fact_row_length: Int

    def __init__(self, tables: Any):
        ChainSearch.__init__(self, tables)
        self.saved_right_set = array("Q", [0]) * MAX_NODE_WORDS
        self.saved_wrong_set = array("Q", [0]) * MAX_NODE_WORDS
        self.reserve_arrays(0)

    @cfunc
    def reserve_arrays(self, node_count: Int) -> Int:
        """Allocate the arrays for nets of the given number of nodes."""
        fact_count: Int = 2 * node_count
        if node_count and self.fact_row_length >= fact_count:
            return 0
        self.fact_row_length = fact_count
        self.fact_positions = array("i", [0]) * (fact_count + 2)
        self.fact_causes = array("i", [0]) * (fact_count + 2)
        self.node_removed_flags = array("B", [0]) * (node_count + 1)
        self.remaining_node_counts = array("i", [0]) * (
            self.cell_count + self.house_count * self.digit_count + 1
        )
        self.right_queue = array("i", [0]) * (node_count + 1)
        self.wrong_queue = array("i", [0]) * (node_count + 1)
        self.fact_sizes = array("i", [0]) * (fact_count + 2)
        self.pattern_parents = array("Q", [0]) * ((node_count + 1) * MAX_NODE_WORDS)
        self.group_words = (self.cell_count + self.house_count * self.digit_count) // 64 + 1
        self.pattern_groups = array("Q", [0]) * ((node_count + 1) * self.group_words)
        self.pattern_sizes = array("i", [0]) * (node_count + 1)
        self.reason_sizes = array("B", [0]) * (fact_count * fact_count + 1)
        self.is_refuted = array("B", [0]) * (fact_count + 1)
        self.proposal_sizes = array("i", [0]) * (MAX_PROPOSALS + 1)
        self.proposal_origins = array("i", [0]) * (MAX_PROPOSALS + 1)
        self.proposal_facts = array("i", [0]) * (MAX_PROPOSALS + 1)
        self.fact_stack = array("i", [0]) * (2 * fact_count + 4)
        self.reason_flags = array("B", [0]) * (fact_count + 2)
        return 1

    @cfunc
    @exceptval(check=False)
    def suppose_fact(self, start_fact: Int, digit: Int, pattern_depth: Int) -> Int:
        """Follow all singles from a start, and return whether they lead to a contradiction.

        `digit` restricts the net to one digit (-1: all digits). With `pattern_depth` 1, subsets of
        two and locked candidates are followed too; with 2, also chains.
        """
        next_right_index: Int = 0
        next_wrong_index: Int = 0
        node_words: Int = self.node_words
        for node in range(2 * self.node_count):
            self.fact_positions[node] = -1
        for node in range(self.node_count):
            self.node_removed_flags[node] = 0
        for group in range(self.group_count):
            self.remaining_node_counts[group] = (
                self.group_offsets[group + 1] - self.group_offsets[group]
            )
        for word in range(node_words):
            self.right_set[word] = self.wrong_set[word] = 0
        self.clash_node, self.pattern_count = -1, 0
        self.right_count = self.wrong_count = 0
        self.net_start = start_fact
        self.add_fact(start_fact, -1, 1)
        while True:
            if next_right_index < self.right_count:
                node = self.right_queue[next_right_index]
                next_right_index += 1
                for word in range(node_words):
                    newly_wrong_nodes = (
                        self.excluded_nodes[node * node_words + word] & ~self.wrong_set[word]
                    )
                    if digit >= 0:
                        newly_wrong_nodes &= self.digit_nodes[digit * node_words + word]
                    while newly_wrong_nodes:
                        wrong_node = (word << 6) + lowest_bit(newly_wrong_nodes)
                        newly_wrong_nodes &= newly_wrong_nodes - 1
                        if not self.add_fact(
                            2 * wrong_node + 1, node, self.fact_sizes[2 * node] + 1
                        ):
                            return 1
            elif next_wrong_index < self.wrong_count:
                node = self.wrong_queue[next_wrong_index]
                next_wrong_index += 1
                self.node_removed_flags[node] = 1
                for slot in range(self.node_group_offsets[node], self.node_group_offsets[node + 1]):
                    group = self.node_groups[slot]
                    if digit >= 0 and self.group_houses[group] < 0:
                        continue
                    self.remaining_node_counts[group] -= 1
                    if self.remaining_node_counts[group] == 1 and not self.force_last_node(group):
                        return 1
            elif not pattern_depth or not self.find_patterns(pattern_depth):
                return self.clash_node >= 0
            elif self.clash_node >= 0:
                return 1

    @cfunc
    @exceptval(check=False)
    def force_last_node(self, group: Int) -> Int:
        """Add the fact that a group's last node is right; return 0 if that node is wrong."""
        last_node: Int = -1
        size: Int = 1
        for slot in range(self.group_offsets[group], self.group_offsets[group + 1]):
            node = self.group_nodes[slot]
            if self.node_removed_flags[node]:
                # Reasons overlap, so count the largest in full, and 1 for each other reason.
                size = max(size, self.fact_sizes[2 * node + 1])
            else:
                last_node = node
        size += self.group_offsets[group + 1] - self.group_offsets[group] - 1
        if last_node < 0:
            return 1
        return self.add_fact(2 * last_node, group, size)

    @cfunc
    @exceptval(check=False)
    def add_fact(self, fact: Int, cause: Int, size: Int) -> Int:
        """Add a fact with its cause and reason size; return 0 if the opposite fact is known."""
        node: Int = fact >> 1
        if self.fact_positions[fact] >= 0:
            return 1
        if self.fact_positions[fact ^ 1] >= 0:
            self.clash_node, self.clash_cause, self.clash_is_right = node, cause, not fact & 1
            self.fact_sizes[fact] = size
            return 0
        self.fact_positions[fact] = self.right_count + self.wrong_count
        self.fact_causes[fact] = cause
        self.fact_sizes[fact] = size if size < 250 else 250
        if fact & 1:
            self.wrong_set[node >> 6] |= ONE << (node & 63)
            self.wrong_queue[self.wrong_count] = node
            self.wrong_count += 1
        else:
            self.right_set[node >> 6] |= ONE << (node & 63)
            self.right_queue[self.right_count] = node
            self.right_count += 1
        return 1

    @cfunc
    def find_patterns(self, pattern_depth: Int) -> Int:
        """Add facts that follow by patterns, not only by singles (see `NetPatternSearch`)."""
        return 0

    @cfunc
    def reserve_nets(self) -> Int:
        """Allocate the arrays for nets of all nodes."""
        self.reserve_arrays(self.node_count)
        return 1
