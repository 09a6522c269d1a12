"""Reasons: how much what holds in a net rests on, and how a step names it."""

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.chains import longer
    from sudokucrypt.sudoku._kernels.deduction.names import *
    from sudokucrypt.sudoku._kernels.deduction.patterns import Patterns


@cclass
class Reasons(Patterns):
    """What a conclusion rests on."""

    @cfunc
    @exceptval(check=False)
    def measure(self, what: Int, cause: Int) -> Int:
        """Return how many things hold so that this one does, which `cause` makes hold."""
        count: Int = 0
        end: Int = 0
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
    def name_reason(self, what: Int, cause: Int) -> Int:
        """Name what a conclusion rests on, and add its chain in order."""
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
    def conclude_refutation(self, start: Int, technique: Int, rating: Int) -> Int:
        """Conclude the opposite of a start whose net has just contradicted itself."""
        size: Int = self.clash_size()
        self.refute(start)
        if not self.offer(technique, rating + longer(size), size):
            return 0
        self.name_clash()
        return 1

    @cfunc
    def refute(self, start: Int) -> Int:
        """Strike what follows if a start is the contrary."""
        if not start & 1:
            return self.hit_node(start >> 1)
        for word in range(self.words):
            bits = self.excluded[(start >> 1) * self.words + word]
            while bits:
                self.hit_node((word << 6) + lowest_bit(bits))
                bits &= bits - 1
        return 0
