"""Patterns within nets: locked candidates, pairs, X-wings and chains of remaining candidates."""

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.names import *
    from sudokucrypt.sudoku._kernels.deduction.nets import Nets


@cclass
class Patterns(Nets):
    """Nodes that patterns refute in a net whose singles have all been followed."""

    @cfunc
    def find_patterns(self, deep: Int) -> Int:
        """Refute nodes by patterns, the simplest first; return whether there are any."""
        before: Int = self.wrong_count
        for group in range(self.groups):
            if 2 <= self.group_remaining[group] <= 3:
                self.fail_locked(group)
                if self.clash_node >= 0:
                    return 1
        if self.wrong_count > before:
            return 1
        for group in range(self.groups):
            if self.group_remaining[group] == 2:
                self.fail_square(group)
                if self.clash_node >= 0:
                    return 1
        if self.wrong_count > before or deep < 2:
            return self.wrong_count > before
        self.link_remaining()
        for node in range(self.nodes):
            if not self.removed[node] and self.fact_order[2 * node] < 0:
                self.fail_nested(node)
                if self.clash_node >= 0 or self.wrong_count > before:
                    return 1
        return 0

    @cfunc
    def fail_locked(self, group: Int) -> Int:
        """Refute the other nodes of each group that contains all remaining nodes of this group."""
        first: Int = self.get_remaining_node(group, 0)
        kept: Int = 0
        self.add_parents(group, 1)
        for slot in range(self.node_group_ends[first], self.node_group_ends[first + 1]):
            other = self.node_groups[slot]
            if other == group or self.group_remaining[other] <= self.group_remaining[group]:
                continue
            count = 0
            for inner in range(self.group_ends[other], self.group_ends[other + 1]):
                if not self.removed[self.group_nodes[inner]]:
                    count += self.is_in_group(self.group_nodes[inner], group)
            if count < self.group_remaining[group]:
                continue
            for inner in range(self.group_ends[other], self.group_ends[other + 1]):
                if not self.is_in_group(self.group_nodes[inner], group):
                    kept = self.fail_node(self.group_nodes[inner], kept)
        return 0

    @cfunc
    def fail_square(self, group: Int) -> Int:
        """Refute nodes by two groups of two remaining nodes that exclude each other crosswise.

        Such groups are naked pairs, hidden pairs and X-wings.
        """
        one: Int = self.get_remaining_node(group, 0)
        two: Int = self.get_remaining_node(group, 1)
        words: Int = self.words
        for other in range(group):
            if self.group_remaining[other] != 2:
                continue
            third, fourth = self.get_remaining_node(other, 0), self.get_remaining_node(other, 1)
            if not self.excluded[one * words + (third >> 6)] >> (third & 63) & 1:
                third, fourth = fourth, third
            if not self.excluded[one * words + (third >> 6)] >> (third & 63) & 1:
                continue
            if not self.excluded[two * words + (fourth >> 6)] >> (fourth & 63) & 1:
                continue
            self.add_parents(group, 1)
            self.add_parents(other, 0)
            kept = 0
            for word in range(words):
                bits = self.excluded[one * words + word] & self.excluded[third * words + word]
                bits |= self.excluded[two * words + word] & self.excluded[fourth * words + word]
                bits &= ~self.wrong_set[word]
                while bits:
                    kept = self.fail_node((word << 6) + lowest_bit(bits), kept)
                    bits &= bits - 1
            if self.clash_node >= 0:
                return 0
        return 0

    @cfunc
    def link_remaining(self) -> Int:
        """Link the two remaining nodes of each such group, for chains within the net."""
        base: Int = 3 * self.nodes * self.words
        for index in range(self.nodes * self.words):
            self.forced[base + index] = 0
        for group in range(self.groups):
            if self.group_remaining[group] == 2:
                one, two = self.get_remaining_node(group, 0), self.get_remaining_node(group, 1)
                self.add_forced_link(base, one, two)
                self.add_forced_link(base, two, one)
        return 0

    @cfunc
    def fail_nested(self, node: Int) -> Int:
        """Refute a node that a chain of remaining nodes contradicts."""
        saved: Int = 0
        for index in range(self.words):
            self.saved_right_set[index], self.saved_wrong_set[index] = (
                self.right_set[index],
                self.wrong_set[index],
            )
        failed = self.spread(node, 1, 3, 2 * self.nodes, -1)
        if failed:
            level = self.path_end
            self.trace_path(node, 0, level, 3)
        for index in range(self.words):
            self.right_set[index], self.wrong_set[index] = (
                self.saved_right_set[index],
                self.saved_wrong_set[index],
            )
        if not failed:
            return 0
        for index in range(2, level, 2):
            for slot in range(
                self.node_group_ends[self.path[index]], self.node_group_ends[self.path[index] + 1]
            ):
                group = self.node_groups[slot]
                if self.group_remaining[group] == 2 and self.is_in_group(
                    self.path[index - 1], group
                ):
                    self.add_parents(group, not saved)
                    saved = 1
                    break
        self.pattern_sizes[self.patterns] = level + 1
        return self.fail_node(node, 0)

    @cfunc
    @exceptval(check=False)
    def get_remaining_node(self, group: Int, which: Int) -> Int:
        """Return remaining node number `which` of a group, or -1."""
        for slot in range(self.group_ends[group], self.group_ends[group + 1]):
            if not self.removed[self.group_nodes[slot]]:
                if not which:
                    return self.group_nodes[slot]
                which -= 1
        return -1

    @cfunc
    @exceptval(check=False)
    def is_in_group(self, node: Int, group: Int) -> Int:
        for slot in range(self.node_group_ends[node], self.node_group_ends[node + 1]):
            if self.node_groups[slot] == group:
                return 1
        return 0

    @cfunc
    def add_parents(self, group: Int, fresh: Int) -> Int:
        """Add the removed nodes of a group to the parents of a pattern, a new one if `fresh`."""
        base: Int = self.patterns * self.words
        if fresh:
            self.pattern_sizes[self.patterns] = 0
            for slot in range(self.words):
                self.pattern_parents[base + slot] = 0
            for slot in range(self.group_words):
                self.pattern_groups[self.patterns * self.group_words + slot] = 0
        self.pattern_groups[self.patterns * self.group_words + (group >> 6)] |= ONE << (group & 63)
        for slot in range(self.group_ends[group], self.group_ends[group + 1]):
            node = self.group_nodes[slot]
            if self.removed[node]:
                self.pattern_parents[base + (node >> 6)] |= ONE << (node & 63)
        return 0

    @cfunc
    def fail_node(self, node: Int, kept: Int) -> Int:
        """Refute a node by the current pattern, and return whether the pattern is stored.

        `kept` says whether the pattern was stored before, for another node.
        """
        size: Int = 2
        if self.removed[node] or self.fact_order[2 * node + 1] >= 0 or self.patterns >= self.nodes:
            return kept
        for word in range(self.words):
            bits = self.pattern_parents[(self.patterns - kept) * self.words + word]
            while bits:
                size += 1
                size = max(size, self.fact_sizes[2 * ((word << 6) + lowest_bit(bits)) + 1])
                bits &= bits - 1
        self.add_fact(
            2 * node + 1,
            -2 - (self.patterns - kept),
            size + self.pattern_sizes[self.patterns - kept],
        )
        if not kept:
            self.patterns += 1
        return 1
