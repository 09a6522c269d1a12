"""Patterns within nets: locked candidates, pairs, X-wings and chains of remaining candidates."""

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.names import *
    from sudokucrypt.sudoku._kernels.deduction.nets import NetSearch


@cclass
class NetPatternSearch(NetSearch):
    """Patterns that refute further nodes of a net, after all its singles have been followed."""

    @cfunc
    def find_patterns(self, pattern_depth: Int) -> Int:
        """Refute nodes by patterns, the simplest first; return whether any node was refuted."""
        earlier_wrong_count: Int = self.wrong_count
        for group in range(self.group_count):
            if 2 <= self.remaining_node_counts[group] <= 3:
                self.refute_by_locked_group(group)
                if self.clash_node >= 0:
                    return 1
        if self.wrong_count > earlier_wrong_count:
            return 1
        for group in range(self.group_count):
            if self.remaining_node_counts[group] == 2:
                self.refute_by_pairs(group)
                if self.clash_node >= 0:
                    return 1
        if self.wrong_count > earlier_wrong_count or pattern_depth < 2:
            return self.wrong_count > earlier_wrong_count
        self.link_remaining_pairs()
        for node in range(self.node_count):
            if not self.node_removed_flags[node] and self.fact_positions[2 * node] < 0:
                self.refute_by_chain(node)
                if self.clash_node >= 0 or self.wrong_count > earlier_wrong_count:
                    return 1
        return 0

    @cfunc
    def refute_by_locked_group(self, group: Int) -> Int:
        """Refute the other nodes of each group that contains all remaining nodes of this group."""
        first_node: Int = self.get_remaining_node(group, 0)
        is_stored: Int = 0
        self.add_parents(group, 1)
        for slot in range(
            self.node_group_offsets[first_node], self.node_group_offsets[first_node + 1]
        ):
            wider_group = self.node_groups[slot]
            if (
                wider_group == group
                or self.remaining_node_counts[wider_group] <= self.remaining_node_counts[group]
            ):
                continue
            shared_count = 0
            for member in range(
                self.group_offsets[wider_group], self.group_offsets[wider_group + 1]
            ):
                if not self.node_removed_flags[self.group_nodes[member]]:
                    shared_count += self.is_in_group(self.group_nodes[member], group)
            if shared_count < self.remaining_node_counts[group]:
                continue
            for member in range(
                self.group_offsets[wider_group], self.group_offsets[wider_group + 1]
            ):
                if not self.is_in_group(self.group_nodes[member], group):
                    is_stored = self.refute_node(self.group_nodes[member], is_stored)
        return 0

    @cfunc
    def refute_by_pairs(self, group: Int) -> Int:
        """Refute nodes by two groups with two nodes left each, which exclude each other in pairs.

        Such groups are naked pairs, hidden pairs and X-wings.
        """
        first_node: Int = self.get_remaining_node(group, 0)
        second_node: Int = self.get_remaining_node(group, 1)
        word_count: Int = self.node_words
        for other_group in range(group):
            if self.remaining_node_counts[other_group] != 2:
                continue
            third_node, fourth_node = (
                self.get_remaining_node(other_group, 0),
                self.get_remaining_node(other_group, 1),
            )
            if (
                not self.excluded_nodes[first_node * word_count + (third_node >> 6)]
                >> (third_node & 63)
                & 1
            ):
                third_node, fourth_node = fourth_node, third_node
            if (
                not self.excluded_nodes[first_node * word_count + (third_node >> 6)]
                >> (third_node & 63)
                & 1
            ):
                continue
            if (
                not self.excluded_nodes[second_node * word_count + (fourth_node >> 6)]
                >> (fourth_node & 63)
                & 1
            ):
                continue
            self.add_parents(group, 1)
            self.add_parents(other_group, 0)
            is_stored = 0
            for word in range(word_count):
                bits = (
                    self.excluded_nodes[first_node * word_count + word]
                    & self.excluded_nodes[third_node * word_count + word]
                )
                bits |= (
                    self.excluded_nodes[second_node * word_count + word]
                    & self.excluded_nodes[fourth_node * word_count + word]
                )
                bits &= ~self.wrong_set[word]
                while bits:
                    is_stored = self.refute_node((word << 6) + lowest_bit(bits), is_stored)
                    bits &= bits - 1
            if self.clash_node >= 0:
                return 0
        return 0

    @cfunc
    def link_remaining_pairs(self) -> Int:
        """Link the two remaining nodes of each group that has two, for chains within the net."""
        offset: Int = 3 * self.node_count * self.node_words
        for index in range(self.node_count * self.node_words):
            self.forced_nodes[offset + index] = 0
        for group in range(self.group_count):
            if self.remaining_node_counts[group] == 2:
                first, second = self.get_remaining_node(group, 0), self.get_remaining_node(group, 1)
                self.add_forced_link(offset, first, second)
                self.add_forced_link(offset, second, first)
        return 0

    @cfunc
    def refute_by_chain(self, node: Int) -> Int:
        """Refute a node that a chain of remaining nodes contradicts."""
        has_parents: Int = 0
        for index in range(self.node_words):
            self.saved_right_set[index], self.saved_wrong_set[index] = (
                self.right_set[index],
                self.wrong_set[index],
            )
        is_refuted = self.follow_links(node, 1, 3, 2 * self.node_count, -1)
        if is_refuted:
            level = self.path_length
            self.trace_path(node, 0, level, 3)
        for index in range(self.node_words):
            self.right_set[index], self.wrong_set[index] = (
                self.saved_right_set[index],
                self.saved_wrong_set[index],
            )
        if not is_refuted:
            return 0
        for index in range(2, level, 2):
            for slot in range(
                self.node_group_offsets[self.path[index]],
                self.node_group_offsets[self.path[index] + 1],
            ):
                group = self.node_groups[slot]
                if self.remaining_node_counts[group] == 2 and self.is_in_group(
                    self.path[index - 1], group
                ):
                    self.add_parents(group, not has_parents)
                    has_parents = 1
                    break
        self.pattern_sizes[self.pattern_count] = level + 1
        return self.refute_node(node, 0)

    @cfunc
    @exceptval(check=False)
    def get_remaining_node(self, group: Int, index: Int) -> Int:
        """Return remaining node `index` (from 0) of a group, or -1 if fewer nodes remain."""
        for slot in range(self.group_offsets[group], self.group_offsets[group + 1]):
            if not self.node_removed_flags[self.group_nodes[slot]]:
                if not index:
                    return self.group_nodes[slot]
                index -= 1
        return -1

    @cfunc
    @exceptval(check=False)
    def is_in_group(self, node: Int, group: Int) -> Int:
        for slot in range(self.node_group_offsets[node], self.node_group_offsets[node + 1]):
            if self.node_groups[slot] == group:
                return 1
        return 0

    @cfunc
    def add_parents(self, group: Int, is_new: Int) -> Int:
        """Add a group's removed nodes to the pattern's parents; `is_new` begins a new pattern."""
        offset: Int = self.pattern_count * self.node_words
        if is_new:
            self.pattern_sizes[self.pattern_count] = 0
            for slot in range(self.node_words):
                self.pattern_parents[offset + slot] = 0
            for slot in range(self.group_words):
                self.pattern_groups[self.pattern_count * self.group_words + slot] = 0
        self.pattern_groups[self.pattern_count * self.group_words + (group >> 6)] |= ONE << (
            group & 63
        )
        for slot in range(self.group_offsets[group], self.group_offsets[group + 1]):
            node = self.group_nodes[slot]
            if self.node_removed_flags[node]:
                self.pattern_parents[offset + (node >> 6)] |= ONE << (node & 63)
        return 0

    @cfunc
    def refute_node(self, node: Int, is_stored: Int) -> Int:
        """Refute a node by the current pattern, and return whether the pattern is stored.

        `is_stored` says whether the pattern was stored before, for another node.
        """
        size: Int = 2
        if (
            self.node_removed_flags[node]
            or self.fact_positions[2 * node + 1] >= 0
            or self.pattern_count >= self.node_count
        ):
            return is_stored
        for word in range(self.node_words):
            bits = self.pattern_parents[(self.pattern_count - is_stored) * self.node_words + word]
            while bits:
                size += 1
                size = max(size, self.fact_sizes[2 * ((word << 6) + lowest_bit(bits)) + 1])
                bits &= bits - 1
        self.add_fact(
            2 * node + 1,
            -2 - (self.pattern_count - is_stored),
            size + self.pattern_sizes[self.pattern_count - is_stored],
        )
        if not is_stored:
            self.pattern_count += 1
        return 1
