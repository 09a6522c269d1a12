"""Nets: all singles that follow from a candidate that is supposed right or wrong."""

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.chains import Chains
    from sudokucrypt.sudoku._kernels.deduction.names import *


@cclass
class Nets(Chains):
    """Nets follow all singles; a start is a node times 2, and 1 more if it is supposed wrong.

    What holds is of the same form: a node times 2 if it is right, and 1 more if it is wrong.
    """

    holds_at: Ints  # the order in which each came to hold in the last net, or -1
    cause: Ints  # what made it hold: a group, a node that is right, or a pattern
    gone: Bytes
    group_left: Ints
    right_queue: Ints
    wrong_queue: Ints
    sizes: Ints
    clash: Int  # a node that is both, or -1
    clash_cause: Int
    clash_right: Int
    pattern_parents: Words
    pattern_groups: Words
    pattern_sizes: Ints
    patterns: Int
    group_words: Int
    after: Bytes  # for each start and whatever holds: its estimated size, or 0
    dead: Bytes
    best_size: Ints  # estimates, and what they are of
    best_kind: Ints
    best_of: Ints
    best_count: Int
    start: Int
    right_count: Int
    wrong_count: Int
    right_bits: Words  # those of a net while a chain in it is followed
    wrong_bits: Words
    extra_size: Int
    stack: Ints
    marked: Bytes
    row: Int

    def __init__(self, tables: Any):
        Chains.__init__(self, tables)
        self.right_bits = array("Q", [0]) * MOST_WORDS
        self.wrong_bits = array("Q", [0]) * MOST_WORDS
        self.reserve(0)

    @cfunc
    def reserve(self, nodes: Int) -> Int:
        """Have room for the nets of so many nodes."""
        states: Int = 2 * nodes
        if nodes and self.row >= states:
            return 0
        self.row = states
        self.holds_at = array("i", [0]) * (states + 2)
        self.cause = array("i", [0]) * (states + 2)
        self.gone = array("B", [0]) * (nodes + 1)
        self.group_left = array("i", [0]) * (self.cells + self.houses * self.digits + 1)
        self.right_queue = array("i", [0]) * (nodes + 1)
        self.wrong_queue = array("i", [0]) * (nodes + 1)
        self.sizes = array("i", [0]) * (states + 2)
        self.pattern_parents = array("Q", [0]) * ((nodes + 1) * MOST_WORDS)
        self.group_words = (self.cells + self.houses * self.digits) // 64 + 1
        self.pattern_groups = array("Q", [0]) * ((nodes + 1) * self.group_words)
        self.pattern_sizes = array("i", [0]) * (nodes + 1)
        self.after = array("B", [0]) * (states * states + 1)
        self.dead = array("B", [0]) * (states + 1)
        self.best_size = array("i", [0]) * (MEASURED + 1)
        self.best_kind = array("i", [0]) * (MEASURED + 1)
        self.best_of = array("i", [0]) * (MEASURED + 1)
        self.stack = array("i", [0]) * (2 * states + 4)
        self.marked = array("B", [0]) * (states + 2)
        return 1

    @cfunc
    @exceptval(check=False)
    def suppose(self, start: Int, digit: Int, deep: Int) -> Int:
        """Follow all singles from a start, of one digit or of all; return whether they contradict.

        With `deep` 1, subsets of two and locked candidates follow too, with 2 chains as well.
        """
        reading: Int = 0
        removing: Int = 0
        words: Int = self.words
        for node in range(2 * self.nodes):
            self.holds_at[node] = -1
        for node in range(self.nodes):
            self.gone[node] = 0
        for group in range(self.groups):
            self.group_left[group] = self.group_ends[group + 1] - self.group_ends[group]
        for word in range(words):
            self.on_bits[word] = self.off_bits[word] = 0
        self.clash, self.patterns = -1, 0
        self.right_count = self.wrong_count = 0
        self.start = start
        self.add(start, -1, 1)
        while True:
            if reading < self.right_count:
                node = self.right_queue[reading]
                reading += 1
                for word in range(words):
                    fresh = self.excluded[node * words + word] & ~self.off_bits[word]
                    if digit >= 0:
                        fresh &= self.of_digit[digit * words + word]
                    while fresh:
                        last = (word << 6) + lowest_bit(fresh)
                        fresh &= fresh - 1
                        if not self.add(2 * last + 1, node, self.sizes[2 * node] + 1):
                            return 1
            elif removing < self.wrong_count:
                node = self.wrong_queue[removing]
                removing += 1
                self.gone[node] = 1
                for slot in range(self.groups_ends[node], self.groups_ends[node + 1]):
                    group = self.groups_of[slot]
                    if digit >= 0 and self.group_house[group] < 0:
                        continue
                    self.group_left[group] -= 1
                    if self.group_left[group] == 1 and not self.force(group):
                        return 1
            elif not deep or not self.see_patterns(deep):
                return self.clash >= 0
            elif self.clash >= 0:
                return 1

    @cfunc
    @exceptval(check=False)
    def force(self, group: Int) -> Int:
        """Have the last node of a group right; return 0 if it is wrong."""
        last: Int = -1
        size: Int = 1
        for slot in range(self.group_ends[group], self.group_ends[group + 1]):
            node = self.group_nodes[slot]
            if self.gone[node]:
                # Reasons of others overlap, so that the largest counts in full and others by one.
                size = max(size, self.sizes[2 * node + 1])
            else:
                last = node
        size += self.group_ends[group + 1] - self.group_ends[group] - 1
        if last < 0:
            return 1
        return self.add(2 * last, group, size)

    @cfunc
    @exceptval(check=False)
    def add(self, what: Int, cause: Int, size: Int) -> Int:
        """Note that something holds; return 0 if its contrary does."""
        node: Int = what >> 1
        if self.holds_at[what] >= 0:
            return 1
        if self.holds_at[what ^ 1] >= 0:
            self.clash, self.clash_cause, self.clash_right = node, cause, not what & 1
            self.sizes[what] = size
            return 0
        self.holds_at[what] = self.right_count + self.wrong_count
        self.cause[what] = cause
        self.sizes[what] = size if size < 250 else 250
        if what & 1:
            self.off_bits[node >> 6] |= ONE << (node & 63)
            self.wrong_queue[self.wrong_count] = node
            self.wrong_count += 1
        else:
            self.on_bits[node >> 6] |= ONE << (node & 63)
            self.right_queue[self.right_count] = node
            self.right_count += 1
        return 1

    @cfunc
    def see_patterns(self, deep: Int) -> Int:
        """Look for what fails by more than singles, which a later class knows."""
        return 0

    @cfunc
    def reserve_all(self) -> Int:
        self.reserve(self.nodes)
        return 1
