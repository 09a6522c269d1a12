"""Nets: all singles that follow if one candidate is supposed right or wrong."""

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.chains import Chains
    from sudokucrypt.sudoku._kernels.deduction.names import *


@cclass
class Nets(Chains):
    """Nets of facts that follow from a start by singles.

    A fact is the number 2 * node if the node is right, or 2 * node + 1 if the node is wrong. The
    start of a net is such a fact, which is supposed.
    """

    fact_order: Ints  # for each fact: its position in the order of discovery, or -1 if unknown
    fact_cause: Ints  # -1 for the start, a group or node, or -2 - p for pattern p
    removed: Bytes
    group_remaining: Ints
    right_queue: Ints
    wrong_queue: Ints
    fact_sizes: Ints
    clash_node: Int  # a node that would be both right and wrong, or -1
    clash_cause: Int  # the cause of the second of the two contradicting facts
    clash_right: Int  # whether the second fact was that the node is right
    pattern_parents: Words
    pattern_groups: Words
    pattern_sizes: Ints
    pattern_count: Int
    group_words: Int
    reason_sizes: Bytes  # for each start and fact: the estimated size of its reason, or 0
    is_refuted: Bytes  # for each start: whether its net contradicts itself
    proposal_size: Ints  # the estimated sizes of proposed conclusions
    proposal_origin: Ints
    proposal_fact: Ints
    proposal_count: Int
    net_start: Int
    right_count: Int
    wrong_count: Int
    saved_right_set: Words  # the copy of `right_set` while a chain within a net is followed
    saved_wrong_set: Words
    pattern_size_sum: Int
    fact_stack: Ints
    is_in_reason: Bytes
    fact_row_length: Int

    def __init__(self, tables: Any):
        Chains.__init__(self, tables)
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
        self.fact_order = array("i", [0]) * (fact_count + 2)
        self.fact_cause = array("i", [0]) * (fact_count + 2)
        self.removed = array("B", [0]) * (node_count + 1)
        self.group_remaining = array("i", [0]) * (
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
        self.proposal_size = array("i", [0]) * (MAX_PROPOSALS + 1)
        self.proposal_origin = array("i", [0]) * (MAX_PROPOSALS + 1)
        self.proposal_fact = array("i", [0]) * (MAX_PROPOSALS + 1)
        self.fact_stack = array("i", [0]) * (2 * fact_count + 4)
        self.is_in_reason = array("B", [0]) * (fact_count + 2)
        return 1

    @cfunc
    @exceptval(check=False)
    def suppose(self, start_fact: Int, digit: Int, pattern_depth: Int) -> Int:
        """Follow all singles from a start, and return whether they lead to a contradiction.

        `digit` restricts the net to one digit (-1: all digits). With `pattern_depth` 1, subsets of
        two and locked candidates are followed too; with 2, also chains.
        """
        next_right: Int = 0
        next_wrong: Int = 0
        node_words: Int = self.node_words
        for node in range(2 * self.node_count):
            self.fact_order[node] = -1
        for node in range(self.node_count):
            self.removed[node] = 0
        for group in range(self.group_count):
            self.group_remaining[group] = self.group_ends[group + 1] - self.group_ends[group]
        for word in range(node_words):
            self.right_set[word] = self.wrong_set[word] = 0
        self.clash_node, self.pattern_count = -1, 0
        self.right_count = self.wrong_count = 0
        self.net_start = start_fact
        self.add_fact(start_fact, -1, 1)
        while True:
            if next_right < self.right_count:
                node = self.right_queue[next_right]
                next_right += 1
                for word in range(node_words):
                    newly_wrong = self.excluded[node * node_words + word] & ~self.wrong_set[word]
                    if digit >= 0:
                        newly_wrong &= self.digit_nodes[digit * node_words + word]
                    while newly_wrong:
                        wrong_node = (word << 6) + lowest_bit(newly_wrong)
                        newly_wrong &= newly_wrong - 1
                        if not self.add_fact(
                            2 * wrong_node + 1, node, self.fact_sizes[2 * node] + 1
                        ):
                            return 1
            elif next_wrong < self.wrong_count:
                node = self.wrong_queue[next_wrong]
                next_wrong += 1
                self.removed[node] = 1
                for slot in range(self.node_group_ends[node], self.node_group_ends[node + 1]):
                    group = self.node_groups[slot]
                    if digit >= 0 and self.group_house[group] < 0:
                        continue
                    self.group_remaining[group] -= 1
                    if self.group_remaining[group] == 1 and not self.force_last_node(group):
                        return 1
            elif not pattern_depth or not self.find_patterns(pattern_depth):
                return self.clash_node >= 0
            elif self.clash_node >= 0:
                return 1

    @cfunc
    @exceptval(check=False)
    def force_last_node(self, group: Int) -> Int:
        """Add the fact that the last node of a group is right; return 0 if it is wrong."""
        last: Int = -1
        size: Int = 1
        for slot in range(self.group_ends[group], self.group_ends[group + 1]):
            node = self.group_nodes[slot]
            if self.removed[node]:
                # Reasons overlap, so the largest counts in full and each of the others as one.
                size = max(size, self.fact_sizes[2 * node + 1])
            else:
                last = node
        size += self.group_ends[group + 1] - self.group_ends[group] - 1
        if last < 0:
            return 1
        return self.add_fact(2 * last, group, size)

    @cfunc
    @exceptval(check=False)
    def add_fact(self, fact: Int, cause: Int, size: Int) -> Int:
        """Add a fact with its cause and the size of its reason; return 0 if it contradicts one."""
        node: Int = fact >> 1
        if self.fact_order[fact] >= 0:
            return 1
        if self.fact_order[fact ^ 1] >= 0:
            self.clash_node, self.clash_cause, self.clash_right = node, cause, not fact & 1
            self.fact_sizes[fact] = size
            return 0
        self.fact_order[fact] = self.right_count + self.wrong_count
        self.fact_cause[fact] = cause
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
        """Add facts that follow by more than singles; the class `NetPatterns` implements it."""
        return 0

    @cfunc
    def reserve_nets(self) -> Int:
        """Allocate the arrays for nets of all nodes."""
        self.reserve_arrays(self.node_count)
        return 1
