"""Chains and cycles, and strong links of one digit: what is right in turn."""

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.graph import Graph
    from sudokucrypt.sudoku._kernels.deduction.names import *


@cfunc
def longer(size: Int) -> Int:
    """Return the tenths that so many candidates add: at 7, 9, 11, 15, 19, 27, 35 and so on."""
    # The bounds grow by a half and by a third in turn, as 6, 8, 10, 14, 18, 26 do.
    added: Int = 0
    bound: Int = 6
    while size > bound:
        bound = 2 + ((bound - 2) * 4 // 3 if added & 1 else (bound - 2) * 3 // 2)
        added += 1
    return added


@cclass
class Chains(Graph):
    """Chains whose links each follow from the one before alone."""

    built: Int  # whether the graph is that of all candidates
    pure_chain: Int

    @cfunc
    def all_nodes(self) -> Int:
        """Have the graph of all candidates, or return 0 if they are too many."""
        if not self.built:
            self.built = 1 + self.build()
        return self.built - 1

    @cfunc
    def chains(
        self, kind: Int, chain: Int, chain_rating: Int, cycle: Int, cycle_rating: Int, pure: Int
    ) -> Int:
        """Look for chains that refute or prove their start, and for cycles, the shortest first.

        A chain of cells with two candidates each is of the technique `pure`.
        """
        self.pure_chain = pure
        most: Int = 2 * 64 * MOST_WORDS
        if not self.all_nodes():
            return 0
        for start in range(self.nodes):
            digit = self.node_digit[start]
            if kind == 1 and self.is_old(cycle, digit, self.digit_changes[digit]):
                continue
            if kind == 2 and not self.forces(start, kind):
                continue  # no cycle goes through it
            # What comes later counts only if it is shorter.
            for right in range(1, 0 if kind == 2 else -1, -1):
                result = self.spread(start, right, kind, most, digit if kind == 1 else -1)
                most_now = self.path_end
                if right and self.forces(start, kind):
                    self.cycles(start, kind, cycle, cycle_rating, most)
                if result and self.conclude_chain(
                    start, right, kind, most_now, chain, chain_rating
                ):
                    most = most_now
        # What was found before cuts the search short, so that it shows nothing.
        for digit in range(self.digits if kind == 1 and self.technique < 0 else 0):
            self.is_old(cycle, digit, self.clock)
            self.saw_nothing()
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def forces(self, start: Int, kind: Int) -> Int:
        """Return whether anything is right at once if a node fails."""
        base: Int = (kind * self.nodes + start) * self.words
        for word in range(self.words):
            if self.forced[base + word]:
                return 1
        return 0

    @cfunc
    @exceptval(check=False)
    def cycles(self, start: Int, kind: Int, technique: Int, rating: Int, most: Int) -> Int:
        """Look for paths from a start to what it forces if it fails, which close cycles."""
        base: Int = (kind * self.nodes + start) * self.words
        for word in range(self.words):
            reached = self.on_bits[word]
            while reached:
                node = (word << 6) + lowest_bit(reached)
                reached &= reached - 1
                if not 2 <= self.on_at[node] < most:
                    continue
                for other in range(self.words):
                    bits = self.forced[base + other]
                    bits &= self.excluded[node * self.words + other]
                    while bits:
                        before = (other << 6) + lowest_bit(bits)
                        bits &= bits - 1
                        self.conclude_cycle(start, node, before, kind, technique, rating)
        return 0

    @cfunc
    def conclude_chain(
        self, start: Int, right: Int, kind: Int, level: Int, technique: Int, rating: Int
    ) -> Int:
        """Conclude the opposite of the assumption that a chain starts from."""
        first: Int = start
        last: Int = start
        self.trace(start, not right, level, kind)
        if right:
            first, last = self.path[1], self.path[level - 1]
        for word in range(self.words):
            bits = (
                self.excluded[first * self.words + word] & self.excluded[last * self.words + word]
            )
            while bits:
                self.hit_node((word << 6) + lowest_bit(bits))
                bits &= bits - 1
        if self.pure_chain >= 0:
            for index in range(1, level + 1):
                if self.path_groups[index] >= 0:
                    break
            else:
                technique = self.pure_chain
        if not self.offer(technique, rating + longer(level + 1), level + 1):
            return 0
        self.link(first, -1)
        for index in range(1 + right, level + 1 - right, 2):
            self.link(self.path[index], self.path_groups[index])
            self.base(self.node_cells[self.path[index - 1]])
        return 1 + self.end_chain()

    @cfunc
    @exceptval(check=False)
    def conclude_cycle(
        self, start: Int, end: Int, before: Int, kind: Int, technique: Int, rating: Int
    ) -> Int:
        """Conclude that exactly one of each two adjacent nodes of a cycle is right."""
        level: Int = self.on_at[end] + 2
        if level > self.size and rating + longer(level) >= self.rating:
            return 0
        self.trace(end, 1, level - 2, kind)
        self.path[level - 1], self.path[level] = before, start
        self.path_groups[level - 1], self.path_groups[level] = (
            -1,
            self.find_strong_house(before, start, kind),
        )
        for index in range(1, level - 1, 2):
            if self.path[index] == before:
                return 0
        for index in range(0, level, 2):
            one, two = self.path[index] * self.words, self.path[index + 1] * self.words
            for word in range(self.words):
                bits = self.excluded[one + word] & self.excluded[two + word]
                while bits:
                    self.hit_node((word << 6) + lowest_bit(bits))
                    bits &= bits - 1
        if not self.offer(technique, rating + longer(level), level):
            return 0
        # Either all that are right with the start are, or all others.
        for index in range(0, level + 1, 2):
            self.link(self.path[index], self.path_groups[index])
        self.end_chain()
        for index in range(level - 1, 0, -2):
            self.link(self.path[index], self.path_groups[index + 1] if index < level - 1 else -1)
        return 1 + self.end_chain()
