"""Forcing: what fails whichever of several candidates is right, or by all that follows from it."""

from array import array

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.chains import Chains, longer
    from sudokucrypt.sudoku._kernels.deduction.names import (
        MANY,
        MEASURED,
        MOST_WORDS,
        ONE,
        WRONG,
        Any,
        Bits,
        Bytes,
        Int,
        Ints,
        Words,
        cclass,
        cfunc,
        exceptval,
        lowest_bit,
    )


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
    def supposed(self, start: Int, digit: Int, deep: Int) -> Int:
        """Follow all singles from a start, of one digit or of all; return whether they clash.

        With `deep` 1, subsets of two and locked candidates follow too, with 2 chains as well.
        """
        group: Int
        node: Int
        word: Int
        slot: Int
        last: Int
        reading: Int = 0
        removing: Int = 0
        fresh: Bits
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
        slot: Int
        node: Int
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
        """Look for what fails by more than singles; return whether there is anything."""
        before: Int = self.wrong_count
        group: Int
        node: Int
        for group in range(self.groups):
            if 2 <= self.group_left[group] <= 3:
                self.locked(group)
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
                self.nested(node)
                if self.clash >= 0 or self.wrong_count > before:
                    return 1
        return 0

    @cfunc
    @exceptval(check=False)
    def left_of(self, group: Int, which: Int) -> Int:
        """Return one of the nodes that are left of a group."""
        slot: Int
        for slot in range(self.group_ends[group], self.group_ends[group + 1]):
            if not self.gone[self.group_nodes[slot]]:
                if not which:
                    return self.group_nodes[slot]
                which -= 1
        return -1

    @cfunc
    def parents(self, group: Int, fresh: Int) -> Int:
        """Take the nodes of a group that failed as parents of a pattern, of a new one if fresh."""
        slot: Int
        node: Int
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
        word: Int
        bits: Bits
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

    @cfunc
    def locked(self, group: Int) -> Int:
        """Have the others of a group fail that has all that is left of this one."""
        first: Int = self.left_of(group, 0)
        slot: Int
        inner: Int
        other: Int
        count: Int
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
    @exceptval(check=False)
    def is_in(self, node: Int, group: Int) -> Int:
        slot: Int
        for slot in range(self.groups_ends[node], self.groups_ends[node + 1]):
            if self.groups_of[slot] == group:
                return 1
        return 0

    @cfunc
    def square(self, group: Int) -> Int:
        """Have fail what two groups of two exclude, each node of one a node of the other.

        These are pairs, naked and hidden, and X-wings.
        """
        one: Int = self.left_of(group, 0)
        two: Int = self.left_of(group, 1)
        other: Int
        third: Int
        fourth: Int
        kept: Int
        word: Int
        words: Int = self.words
        bits: Bits
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
        group: Int
        one: Int
        two: Int
        base: Int = 3 * self.nodes * self.words
        index: Int
        for index in range(self.nodes * self.words):
            self.forced[base + index] = 0
        for group in range(self.groups):
            if self.group_left[group] == 2:
                one, two = self.left_of(group, 0), self.left_of(group, 1)
                self.join(base, one, two)
                self.join(base, two, one)
        return 0

    @cfunc
    def nested(self, node: Int) -> Int:
        """Have a node fail that a chain of what is left refutes."""
        saved: Int = 0
        index: Int
        slot: Int
        group: Int
        level: Int
        failed: Int
        for index in range(self.words):
            self.right_bits[index], self.wrong_bits[index] = (
                self.on_bits[index],
                self.off_bits[index],
            )
        failed = self.spread(node, 1, 3, 2 * self.nodes, -1)
        for index in range(self.words):
            self.on_bits[index], self.off_bits[index] = (
                self.right_bits[index],
                self.wrong_bits[index],
            )
        if not failed:
            return 0
        level = self.path_end
        self.trace(node, 0, level, 3)
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
    def measure(self, what: Int, cause: Int) -> Int:
        """Return how many things hold so that this one does, which `cause` makes hold."""
        count: Int = 0
        end: Int = 0
        index: Int
        node: Int
        word: Int
        bits: Bits
        for index in range(2 * self.nodes):
            self.marked[index] = 0
        self.extra_size = 0
        self.stack[0], end = what, 1
        self.marked[what] = 1
        while end:
            end -= 1
            what = self.stack[end]
            if count:
                cause = self.cause[what]
            count += 1
            if cause == -1:
                continue
            if cause <= -2:
                self.extra_size += self.pattern_sizes[-2 - cause]
                for word in range(self.words):
                    bits = self.pattern_parents[(-2 - cause) * self.words + word]
                    while bits:
                        node = (word << 6) + lowest_bit(bits)
                        bits &= bits - 1
                        if not self.marked[2 * node + 1]:
                            self.marked[2 * node + 1] = 1
                            self.stack[end] = 2 * node + 1
                            end += 1
            elif what & 1:
                if not self.marked[2 * cause]:
                    self.marked[2 * cause] = 1
                    self.stack[end] = 2 * cause
                    end += 1
            else:
                for index in range(self.group_ends[cause], self.group_ends[cause + 1]):
                    node = self.group_nodes[index]
                    if node != what >> 1 and not self.marked[2 * node + 1]:
                        self.marked[2 * node + 1] = 1
                        self.stack[end] = 2 * node + 1
                        end += 1
        return count + self.extra_size

    @cfunc
    def clash_size(self) -> Int:
        """Return the size of both reasons of a clash."""
        one: Int = 2 * self.clash + (not self.clash_right)
        return self.measure(one, self.clash_cause) + self.measure(one ^ 1, self.cause[one ^ 1])

    @cfunc
    @exceptval(check=False)
    def propose(self, size: Int, kind: Int, of: Int) -> Int:
        """Keep a conclusion for measuring if it is among those that promise to be short."""
        index: Int = self.best_count
        if index == MEASURED and size >= self.best_size[index - 1]:
            return 0
        if index < MEASURED:
            self.best_count += 1
        else:
            index -= 1
        while index and self.best_size[index - 1] > size:
            self.best_size[index] = self.best_size[index - 1]
            self.best_kind[index] = self.best_kind[index - 1]
            self.best_of[index] = self.best_of[index - 1]
            index -= 1
        self.best_size[index], self.best_kind[index], self.best_of[index] = size, kind, of
        return 1

    @cfunc
    def nishio(self, technique: Int, rating: Int) -> Int:
        """Look for a candidate whose singles of its digit clash."""
        start: Int
        if not self.all_nodes() or not self.reserve_all():
            return 0
        for start in range(2 * self.nodes):
            if self.supposed(start, self.node_digit[start >> 1], 0):
                self.refuted(start, technique, rating)
        return 0

    @cfunc
    def reserve_all(self) -> Int:
        self.reserve(self.nodes)
        return 1

    @cfunc
    def refuted(self, start: Int, technique: Int, rating: Int) -> Int:
        """Conclude that a start whose net has just clashed is the contrary."""
        size: Int = self.clash_size()
        self.refute(start)
        if not self.offer(technique, rating + longer(size), size):
            return 0
        self.name_clash()
        return 1

    @cfunc
    def refute(self, start: Int) -> Int:
        """Strike what follows if a start is the contrary."""
        word: Int
        bits: Bits
        if not start & 1:
            return self.hit_node(start >> 1)
        for word in range(self.words):
            bits = self.excluded[(start >> 1) * self.words + word]
            while bits:
                self.hit_node((word << 6) + lowest_bit(bits))
                bits &= bits - 1
        return 0

    @cfunc
    def name_reason(self, what: Int, cause: Int) -> Int:
        """Name what a conclusion rests on, and add its chain in order."""
        index: Int
        other: Int
        group: Int
        self.measure(what, cause)
        for index in range(self.nodes):
            if self.marked[2 * index + 1]:
                self.base(self.node_cells[index])
                self.about |= ONE << self.node_digit[index]
                if self.cause[2 * index + 1] <= -2 and 2 * index + 1 != what:
                    self.name_pattern(self.cause[2 * index + 1])
        if what & 1 and cause <= -2:
            self.name_pattern(cause)
        if self.start & 1 and self.marked[self.start]:
            self.link(self.start >> 1, -1)
            self.links[self.links_end - 4] |= WRONG
        for index in range(self.right_count):
            other = self.right_queue[index]
            if self.marked[2 * other] and 2 * other != what:
                group = self.cause[2 * other]
                self.link(other, self.group_house[group] if group >= 0 else -1)
        if not what & 1:
            self.link(what >> 1, self.group_house[cause] if cause >= 0 else -1)
        return self.end_chain()

    @cfunc
    def name_pattern(self, cause: Int) -> Int:
        """Name the houses and cells whose groups make a pattern."""
        word: Int
        bits: Bits
        for word in range(self.group_words):
            bits = self.pattern_groups[(-2 - cause) * self.group_words + word]
            while bits:
                self.name_group((word << 6) + lowest_bit(bits))
                bits &= bits - 1
        return 0

    @cfunc
    def name_group(self, group: Int) -> Int:
        node: Int = self.group_nodes[self.group_ends[group]]
        if self.group_house[group] >= 0:
            self.house(self.group_house[group])
            self.about |= ONE << self.node_digit[node]
        else:
            self.base(self.node_cells[node])
        return 0

    @cfunc
    def name_clash(self) -> Int:
        """Name both reasons of a clash: what is right by one and wrong by the other."""
        right: Int = 2 * self.clash
        right_cause: Int = self.clash_cause if self.clash_right else self.cause[right]
        wrong_cause: Int = self.cause[right + 1] if self.clash_right else self.clash_cause
        self.name_reason(right, right_cause)
        self.name_reason(right + 1, wrong_cause)
        self.links[self.links_end] = -2  # the chains clash
        self.links_end += 1
        return 0

    @cfunc
    def forcing_chains(self, technique: Int, rating: Int) -> Int:
        """Look for what chains from each candidate of a cell, or place in a house, have alike."""
        start: Int
        node: Int
        if not self.all_nodes() or not self.reserve_all():
            return 0
        for start in range(0, 2 * self.nodes, 2):
            self.spread(start >> 1, 1, 0, 2 * self.nodes, -1)
            for node in range(self.nodes):
                self.after[start * self.row + 2 * node] = self.on_at[node] + 1
                self.after[start * self.row + 2 * node + 1] = self.off_at[node] + 1
            self.dead[start] = 0
        self.best_count = 0
        self.shared_by_groups()
        if self.best_count:
            self.conclude_shared(0, technique, rating, 0)
        return 0

    @cfunc
    def shared_by_groups(self) -> Int:
        """Propose what holds after each node of a group."""
        group: Int
        what: Int
        slot: Int
        size: Int
        each: Int
        for group in range(self.groups):
            if self.group_ends[group + 1] - self.group_ends[group] < 2:
                continue
            for slot in range(self.group_ends[group], self.group_ends[group + 1]):
                if self.dead[2 * self.group_nodes[slot]]:
                    break
            else:
                for what in range(2 * self.nodes):
                    size = 0
                    for slot in range(self.group_ends[group], self.group_ends[group + 1]):
                        each = self.after[2 * self.group_nodes[slot] * self.row + what]
                        if not each:
                            size = 0
                            break
                        size += each
                    if size and self.is_worth(what):
                        self.propose(size, group, what)
        return 0

    @cfunc
    def is_worth(self, what: Int) -> Int:
        """Return whether it is news that something holds: nodes are open, so that any wrong is."""
        word: Int
        if what & 1:
            return 1
        for word in range(self.words):
            if self.excluded[(what >> 1) * self.words + word]:
                return 1
        return 0

    @cfunc
    def conclude_shared(self, which: Int, technique: Int, rating: Int, size: Int) -> Int:
        """Offer what holds after each node of a group, by chains."""
        group: Int = self.best_kind[which]
        what: Int = self.best_of[which]
        slot: Int
        index: Int
        level: Int
        size = self.best_size[which]
        self.refute(what ^ 1)
        if not self.offer(technique, rating + longer(size), size):
            return 0
        self.name_group(group)
        for slot in range(self.group_ends[group], self.group_ends[group + 1]):
            self.spread(self.group_nodes[slot], 1, 0, 2 * self.nodes, -1)
            level = self.off_at[what >> 1] if what & 1 else self.on_at[what >> 1]
            self.trace(what >> 1, not what & 1, level, 0)
            for index in range(level + 1):
                if not index & 1:
                    self.link(self.path[index], self.path_groups[index])
                else:
                    self.base(self.node_cells[self.path[index]])
                    self.about |= ONE << self.node_digit[self.path[index]]
            self.end_chain()
        return 1

    @cfunc
    def forcing_nets(self, technique: Int, rating: Int, deep: Int) -> Int:
        """Look for what fails by all that follows from it, or from each of several candidates."""
        start: Int
        what: Int
        row: Int
        if not self.all_nodes() or not self.reserve_all():
            return 0
        self.best_count = 0
        for start in range(2 * self.nodes):
            row = start * self.row
            self.dead[start] = self.supposed(start, -1, deep)
            for what in range(2 * self.nodes):
                self.after[row + what] = self.sizes[what] if self.holds_at[what] >= 0 else 0
            if self.dead[start]:
                if self.nodes > MANY:
                    return self.refuted(start, technique, rating)
                self.propose(self.sizes[2 * self.clash] + self.sizes[2 * self.clash + 1], -1, start)
        for start in range(0, 2 * self.nodes, 2):
            if not self.dead[start] and not self.dead[start + 1]:
                for what in range(2 * self.nodes):
                    if self.after[start * self.row + what] and what >> 1 != start >> 1:
                        row = (start + 1) * self.row + what
                        if self.after[row] and self.is_worth(what):
                            self.propose(
                                self.after[start * self.row + what] + self.after[row],
                                -2 - start,
                                what,
                            )
        self.shared_by_groups()
        for start in range(self.best_count):
            self.conclude_net(start, technique, rating, deep)
        return 0

    @cfunc
    def conclude_net(self, which: Int, technique: Int, rating: Int, deep: Int) -> Int:
        """Measure a conclusion that promises to be short, and offer it."""
        kind: Int = self.best_kind[which]
        what: Int = self.best_of[which]
        slot: Int
        start: Int
        size: Int = 0
        naming: Int
        if kind == -1:
            self.supposed(what, -1, deep)
            return self.refuted(what, technique, rating)
        for naming in range(2):
            if naming:
                self.refute(what ^ 1)
                if not self.offer(technique, rating + longer(size), size):
                    return 0
                if kind >= 0:
                    self.name_group(kind)
            for slot in range(2 if kind < 0 else self.group_ends[kind + 1] - self.group_ends[kind]):
                if kind < 0:
                    start = -2 - kind + slot
                else:
                    start = 2 * self.group_nodes[self.group_ends[kind] + slot]
                self.supposed(start, -1, deep)
                if naming:
                    if start & 1:
                        self.base(self.node_cells[start >> 1])
                    self.name_reason(what, self.cause[what])
                else:
                    size += self.measure(what, self.cause[what])
        return 1
