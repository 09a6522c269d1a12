"""Reasons: the facts from which a fact of a net follows, their number and their description."""

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.chains import count_added_tenths
    from sudokucrypt.sudoku._kernels.deduction.names import *
    from sudokucrypt.sudoku._kernels.deduction.patterns import NetPatternSearch


@cclass
class NetReasonSearch(NetPatternSearch):
    """The reasons of facts and of contradictions in the last net."""

    @cfunc
    @exceptval(check=False)
    def measure_reason(self, fact: Int, first_cause: Int) -> Int:
        """Return the number of facts from which `fact` follows by `first_cause`; mark them."""
        count: Int = 0
        stack_size: Int = 0
        for index in range(2 * self.node_count):
            self.reason_flags[index] = 0
        self.pattern_size_sum = 0
        self.fact_stack[0], stack_size = fact, 1
        self.reason_flags[fact] = 1
        while stack_size:
            stack_size -= 1
            fact = self.fact_stack[stack_size]
            cause = self.fact_causes[fact] if count else first_cause
            count += 1
            if cause == -1:
                continue
            if cause <= -2:
                self.pattern_size_sum += self.pattern_sizes[-2 - cause]
                for word in range(self.node_words):
                    bits = self.pattern_parents[(-2 - cause) * self.node_words + word]
                    while bits:
                        node = (word << 6) + lowest_bit(bits)
                        bits &= bits - 1
                        if not self.reason_flags[2 * node + 1]:
                            self.reason_flags[2 * node + 1] = 1
                            self.fact_stack[stack_size] = 2 * node + 1
                            stack_size += 1
            elif fact & 1:
                if not self.reason_flags[2 * cause]:
                    self.reason_flags[2 * cause] = 1
                    self.fact_stack[stack_size] = 2 * cause
                    stack_size += 1
            else:
                for index in range(self.group_offsets[cause], self.group_offsets[cause + 1]):
                    node = self.group_nodes[index]
                    if node != fact >> 1 and not self.reason_flags[2 * node + 1]:
                        self.reason_flags[2 * node + 1] = 1
                        self.fact_stack[stack_size] = 2 * node + 1
                        stack_size += 1
        return count + self.pattern_size_sum

    @cfunc
    def measure_clash(self) -> Int:
        """Return the total size of the two reasons of a clash."""
        fact: Int = 2 * self.clash_node + (not self.clash_is_right)
        return self.measure_reason(fact, self.clash_cause) + self.measure_reason(
            fact ^ 1, self.fact_causes[fact ^ 1]
        )

    @cfunc
    def describe_reason(self, fact: Int, cause: Int) -> Int:
        """Add the cells, digits, houses and chain of a fact's reason to the step."""
        self.measure_reason(fact, cause)
        for index in range(self.node_count):
            if self.reason_flags[2 * index + 1]:
                self.add_reason_cell(self.node_cells[index])
                self.step_digits |= ONE << self.node_digits[index]
                if self.fact_causes[2 * index + 1] <= -2 and 2 * index + 1 != fact:
                    self.describe_pattern(self.fact_causes[2 * index + 1])
        if fact & 1 and cause <= -2:
            self.describe_pattern(cause)
        if self.net_start & 1 and self.reason_flags[self.net_start]:
            self.add_chain_link(self.net_start >> 1, -1)
            self.links[self.links_length - 4] |= SUPPOSED_WRONG
        for index in range(self.right_count):
            node = self.right_queue[index]
            if self.reason_flags[2 * node] and 2 * node != fact:
                group = self.fact_causes[2 * node]
                self.add_chain_link(node, self.group_houses[group] if group >= 0 else -1)
        if not fact & 1:
            self.add_chain_link(fact >> 1, self.group_houses[cause] if cause >= 0 else -1)
        return self.end_chain()

    @cfunc
    def describe_pattern(self, cause: Int) -> Int:
        """Add the houses and cells of a pattern's groups to the step."""
        for word in range(self.group_words):
            bits = self.pattern_groups[(-2 - cause) * self.group_words + word]
            while bits:
                self.describe_group((word << 6) + lowest_bit(bits))
                bits &= bits - 1
        return 0

    @cfunc
    def describe_group(self, group: Int) -> Int:
        """Add the house and digit of a group, or its cell, to the step."""
        node: Int = self.group_nodes[self.group_offsets[group]]
        if self.group_houses[group] >= 0:
            self.add_step_house(self.group_houses[group])
            self.step_digits |= ONE << self.node_digits[node]
        else:
            self.add_reason_cell(self.node_cells[node])
        return 0

    @cfunc
    def describe_clash(self) -> Int:
        """Describe both reasons of a clash: why its node is right, and why it is wrong."""
        right_fact: Int = 2 * self.clash_node
        right_cause: Int = self.clash_cause if self.clash_is_right else self.fact_causes[right_fact]
        wrong_cause: Int = (
            self.fact_causes[right_fact + 1] if self.clash_is_right else self.clash_cause
        )
        self.describe_reason(right_fact, right_cause)
        self.describe_reason(right_fact + 1, wrong_cause)
        self.links[self.links_length] = -2  # the chains clash
        self.links_length += 1
        return 0

    @cfunc
    def offer_refutation(self, start_fact: Int, technique: Int, rating: Int) -> Int:
        """Offer the conclusion that a start is false, since its net contradicts itself."""
        size: Int = self.measure_clash()
        self.queue_refuted_candidates(start_fact)
        if not self.offer_step(technique, rating + count_added_tenths(size), size):
            return 0
        self.describe_clash()
        return 1

    @cfunc
    def queue_refuted_candidates(self, start_fact: Int) -> Int:
        """Queue the candidates that are wrong if `start_fact` is false, for the step to strike."""
        if not start_fact & 1:
            return self.queue_node_strike(start_fact >> 1)
        for word in range(self.node_words):
            bits = self.excluded_nodes[(start_fact >> 1) * self.node_words + word]
            while bits:
                self.queue_node_strike((word << 6) + lowest_bit(bits))
                bits &= bits - 1
        return 0
