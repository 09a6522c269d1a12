"""Patterns in nets: locked candidates, pairs, X-wings and chains of what is left."""

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.names import *
    from sudokucrypt.sudoku._kernels.deduction.nets import Nets


@cclass
class Patterns(Nets):
    """What fails by more than singles, where all that follows from a start is known."""

    @cfunc
    def see_patterns(self, deep: Int) -> Int:
        """Look for what fails by more than singles; return whether there is anything."""
        before: Int = self.wrong_count
        for group in range(self.groups):
            if 2 <= self.group_left[group] <= 3:
                self.fail_locked(group)
                if self.clash >= 0:
                    return 1
        if self.wrong_count > before:
            return 1
        for group in range(self.groups):
            if self.group_left[group] == 2:
                self.square(group)
                if self.clash >= 0:
                    return 1
        if self.wrong_count > before or deep < 2:
            return self.wrong_count > before
        self.link_left()
        for node in range(self.nodes):
            if not self.gone[node] and self.holds_at[2 * node] < 0:
                self.fail_nested(node)
                if self.clash >= 0 or self.wrong_count > before:
                    return 1
        return 0

    @cfunc
    def fail_locked(self, group: Int) -> Int:
        """Fail the other nodes of a group that contains all remaining candidates of this one."""
        first: Int = self.left_of(group, 0)
        kept: Int = 0
        self.parents(group, 1)
        for slot in range(self.groups_ends[first], self.groups_ends[first + 1]):
            other = self.groups_of[slot]
            if other == group or self.group_left[other] <= self.group_left[group]:
                continue
            count = 0
            for inner in range(self.group_ends[other], self.group_ends[other + 1]):
                if not self.gone[self.group_nodes[inner]]:
                    count += self.is_in(self.group_nodes[inner], group)
            if count < self.group_left[group]:
                continue
            for inner in range(self.group_ends[other], self.group_ends[other + 1]):
                if not self.is_in(self.group_nodes[inner], group):
                    kept = self.fails(self.group_nodes[inner], kept)
        return 0

    @cfunc
    def square(self, group: Int) -> Int:
        """Have fail what two groups of two exclude, each node of one a node of the other.

        These are pairs, naked and hidden, and X-wings.
        """
        one: Int = self.left_of(group, 0)
        two: Int = self.left_of(group, 1)
        words: Int = self.words
        for other in range(group):
            if self.group_left[other] != 2:
                continue
            third, fourth = self.left_of(other, 0), self.left_of(other, 1)
            if not self.excluded[one * words + (third >> 6)] >> (third & 63) & 1:
                third, fourth = fourth, third
            if not self.excluded[one * words + (third >> 6)] >> (third & 63) & 1:
                continue
            if not self.excluded[two * words + (fourth >> 6)] >> (fourth & 63) & 1:
                continue
            self.parents(group, 1)
            self.parents(other, 0)
            kept = 0
            for word in range(words):
                bits = self.excluded[one * words + word] & self.excluded[third * words + word]
                bits |= self.excluded[two * words + word] & self.excluded[fourth * words + word]
                bits &= ~self.off_bits[word]
                while bits:
                    kept = self.fails((word << 6) + lowest_bit(bits), kept)
                    bits &= bits - 1
            if self.clash >= 0:
                return 0
        return 0

    @cfunc
    def link_left(self) -> Int:
        """Have links between the two nodes that are left of a group, for chains in the net."""
        base: Int = 3 * self.nodes * self.words
        for index in range(self.nodes * self.words):
            self.forced[base + index] = 0
        for group in range(self.groups):
            if self.group_left[group] == 2:
                one, two = self.left_of(group, 0), self.left_of(group, 1)
                self.join(base, one, two)
                self.join(base, two, one)
        return 0

    @cfunc
    def fail_nested(self, node: Int) -> Int:
        """Fail a node that a chain over the remaining candidates refutes."""
        saved: Int = 0
        for index in range(self.words):
            self.right_bits[index], self.wrong_bits[index] = (
                self.on_bits[index],
                self.off_bits[index],
            )
        failed = self.spread(node, 1, 3, 2 * self.nodes, -1)
        if failed:
            level = self.path_end
            self.trace(node, 0, level, 3)
        for index in range(self.words):
            self.on_bits[index], self.off_bits[index] = (
                self.right_bits[index],
                self.wrong_bits[index],
            )
        if not failed:
            return 0
        for index in range(2, level, 2):
            for slot in range(
                self.groups_ends[self.path[index]], self.groups_ends[self.path[index] + 1]
            ):
                group = self.groups_of[slot]
                if self.group_left[group] == 2 and self.is_in(self.path[index - 1], group):
                    self.parents(group, not saved)
                    saved = 1
                    break
        self.pattern_sizes[self.patterns] = level + 1
        return self.fails(node, 0)

    @cfunc
    @exceptval(check=False)
    def left_of(self, group: Int, which: Int) -> Int:
        """Return one of the nodes that are left of a group."""
        for slot in range(self.group_ends[group], self.group_ends[group + 1]):
            if not self.gone[self.group_nodes[slot]]:
                if not which:
                    return self.group_nodes[slot]
                which -= 1
        return -1

    @cfunc
    @exceptval(check=False)
    def is_in(self, node: Int, group: Int) -> Int:
        for slot in range(self.groups_ends[node], self.groups_ends[node + 1]):
            if self.groups_of[slot] == group:
                return 1
        return 0

    @cfunc
    def parents(self, group: Int, fresh: Int) -> Int:
        """Take the nodes of a group that failed as parents of a pattern, of a new one if fresh."""
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
            if self.gone[node]:
                self.pattern_parents[base + (node >> 6)] |= ONE << (node & 63)
        return 0

    @cfunc
    def fails(self, node: Int, kept: Int) -> Int:
        """Have a node fail by the pattern; `kept` says whether the pattern is kept already."""
        size: Int = 2
        if self.gone[node] or self.holds_at[2 * node + 1] >= 0 or self.patterns >= self.nodes:
            return kept
        for word in range(self.words):
            bits = self.pattern_parents[(self.patterns - kept) * self.words + word]
            while bits:
                size += 1
                size = max(size, self.sizes[2 * ((word << 6) + lowest_bit(bits)) + 1])
                bits &= bits - 1
        self.add(
            2 * node + 1,
            -2 - (self.patterns - kept),
            size + self.pattern_sizes[self.patterns - kept],
        )
        if not kept:
            self.patterns += 1
        return 1
