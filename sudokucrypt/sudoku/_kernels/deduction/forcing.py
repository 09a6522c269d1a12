"""Forcing: what fails whichever of several candidates is right, or by all that follows from it."""

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.chains import longer
    from sudokucrypt.sudoku._kernels.deduction.names import *
    from sudokucrypt.sudoku._kernels.deduction.reasons import Reasons


@cclass
class Forcing(Reasons):
    """Conclusions from nets of several starts."""

    @cfunc
    def nishio(self, technique: Int, rating: Int) -> Int:
        """Look for a candidate whose singles of its digit clash."""
        if not self.all_nodes() or not self.reserve_all():
            return 0
        for start in range(2 * self.nodes):
            if self.suppose(start, self.node_digit[start >> 1], 0):
                self.conclude_refutation(start, technique, rating)
        return 0

    @cfunc
    def forcing_chains(self, technique: Int, rating: Int) -> Int:
        """Look for what chains from each candidate of a cell, or place in a house, have alike."""
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
    def is_worth(self, what: Int) -> Int:
        """Return whether it is news that something holds: nodes are open, so that any wrong is."""
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
        if not self.all_nodes() or not self.reserve_all():
            return 0
        self.best_count = 0
        for start in range(2 * self.nodes):
            row = start * self.row
            self.dead[start] = self.suppose(start, -1, deep)
            for what in range(2 * self.nodes):
                self.after[row + what] = self.sizes[what] if self.holds_at[what] >= 0 else 0
            if self.dead[start]:
                if self.nodes > MANY:
                    return self.conclude_refutation(start, technique, rating)
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
        size: Int = 0
        if kind == -1:
            self.suppose(what, -1, deep)
            return self.conclude_refutation(what, technique, rating)
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
                self.suppose(start, -1, deep)
                if naming:
                    if start & 1:
                        self.base(self.node_cells[start >> 1])
                    self.name_reason(what, self.cause[what])
                else:
                    size += self.measure(what, self.cause[what])
        return 1
