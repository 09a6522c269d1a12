"""Reasons: the facts from which a fact of a net follows, their number and their description."""

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.chains import count_added_tenths
    from sudokucrypt.sudoku._kernels.deduction.names import *
    from sudokucrypt.sudoku._kernels.deduction.patterns import Patterns


@cclass
class Reasons(Patterns):
    """The reasons of facts and of contradictions in the last net."""

    @cfunc
    @exceptval(check=False)
    def measure_reason(self, fact: Int, first_cause: Int) -> Int:
        """Return the number of facts from which `fact` follows by `first_cause`; mark them."""
        count: Int = 0
        end: Int = 0
        for index in range(2 * self.nodes):
            self.marked[index] = 0
        self.pattern_size_sum = 0
        self.stack[0], end = fact, 1
        self.marked[fact] = 1
        while end:
            end -= 1
            fact = self.stack[end]
            cause = self.fact_cause[fact] if count else first_cause
            count += 1
            if cause == -1:
                continue
            if cause <= -2:
                self.pattern_size_sum += self.pattern_sizes[-2 - cause]
                for word in range(self.words):
                    bits = self.pattern_parents[(-2 - cause) * self.words + word]
                    while bits:
                        node = (word << 6) + lowest_bit(bits)
                        bits &= bits - 1
                        if not self.marked[2 * node + 1]:
                            self.marked[2 * node + 1] = 1
                            self.stack[end] = 2 * node + 1
                            end += 1
            elif fact & 1:
                if not self.marked[2 * cause]:
                    self.marked[2 * cause] = 1
                    self.stack[end] = 2 * cause
                    end += 1
            else:
                for index in range(self.group_ends[cause], self.group_ends[cause + 1]):
                    node = self.group_nodes[index]
                    if node != fact >> 1 and not self.marked[2 * node + 1]:
                        self.marked[2 * node + 1] = 1
                        self.stack[end] = 2 * node + 1
                        end += 1
        return count + self.pattern_size_sum

    @cfunc
    def measure_clash(self) -> Int:
        """Return the total size of the two reasons of a clash."""
        one: Int = 2 * self.clash_node + (not self.clash_right)
        return self.measure_reason(one, self.clash_cause) + self.measure_reason(
            one ^ 1, self.fact_cause[one ^ 1]
        )

    @cfunc
    def name_reason(self, fact: Int, cause: Int) -> Int:
        """Add the cells, digits, houses and chain of a fact's reason to the step."""
        self.measure_reason(fact, cause)
        for index in range(self.nodes):
            if self.marked[2 * index + 1]:
                self.add_base_cell(self.node_cells[index])
                self.step_digits |= ONE << self.node_digit[index]
                if self.fact_cause[2 * index + 1] <= -2 and 2 * index + 1 != fact:
                    self.name_pattern(self.fact_cause[2 * index + 1])
        if fact & 1 and cause <= -2:
            self.name_pattern(cause)
        if self.net_start & 1 and self.marked[self.net_start]:
            self.add_chain_link(self.net_start >> 1, -1)
            self.links[self.links_end - 4] |= SUPPOSED_WRONG
        for index in range(self.right_count):
            other = self.right_queue[index]
            if self.marked[2 * other] and 2 * other != fact:
                group = self.fact_cause[2 * other]
                self.add_chain_link(other, self.group_house[group] if group >= 0 else -1)
        if not fact & 1:
            self.add_chain_link(fact >> 1, self.group_house[cause] if cause >= 0 else -1)
        return self.end_chain()

    @cfunc
    def name_pattern(self, cause: Int) -> Int:
        """Add the houses and cells of a pattern's groups to the step."""
        for word in range(self.group_words):
            bits = self.pattern_groups[(-2 - cause) * self.group_words + word]
            while bits:
                self.name_group((word << 6) + lowest_bit(bits))
                bits &= bits - 1
        return 0

    @cfunc
    def name_group(self, group: Int) -> Int:
        """Add the house and digit of a group, or its cell, to the step."""
        node: Int = self.group_nodes[self.group_ends[group]]
        if self.group_house[group] >= 0:
            self.add_house(self.group_house[group])
            self.step_digits |= ONE << self.node_digit[node]
        else:
            self.add_base_cell(self.node_cells[node])
        return 0

    @cfunc
    def name_clash(self) -> Int:
        """Describe both reasons of a clash: why its node is right, and why it is wrong."""
        right: Int = 2 * self.clash_node
        right_cause: Int = self.clash_cause if self.clash_right else self.fact_cause[right]
        wrong_cause: Int = self.fact_cause[right + 1] if self.clash_right else self.clash_cause
        self.name_reason(right, right_cause)
        self.name_reason(right + 1, wrong_cause)
        self.links[self.links_end] = -2  # the chains clash
        self.links_end += 1
        return 0

    @cfunc
    def conclude_refutation(self, start: Int, technique: Int, rating: Int) -> Int:
        """Offer the opposite of a start whose net has just contradicted itself."""
        size: Int = self.measure_clash()
        self.hit_refuted(start)
        if not self.offer_step(technique, rating + count_added_tenths(size), size):
            return 0
        self.name_clash()
        return 1

    @cfunc
    def hit_refuted(self, start: Int) -> Int:
        """Add the candidates that are wrong if `start` is false to those that the step strikes."""
        if not start & 1:
            return self.hit_node(start >> 1)
        for word in range(self.words):
            bits = self.excluded[(start >> 1) * self.words + word]
            while bits:
                self.hit_node((word << 6) + lowest_bit(bits))
                bits &= bits - 1
        return 0
