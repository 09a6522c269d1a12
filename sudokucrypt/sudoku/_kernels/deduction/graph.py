"""Candidates as nodes: which cannot be right together, and of which one is right."""

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.names import *
    from sudokucrypt.sudoku._kernels.deduction.strong import Strong


@cclass
class Graph(Strong):
    """A node is a digit in a cell.

    `excluded` has the nodes that fail if one is right, and `forced` those that are right if it
    fails: three lists, of all, by houses alone and by cells alone. A group has the nodes of which
    one is right, with its house, or -1 for a cell.
    """

    nodes: Int
    words: Int
    room: Int  # words of sets of nodes, one for each node
    node_cells: Ints
    node_digit: Ints
    node_of: Ints  # of each candidate, or -1
    excluded: Words
    forced: Words
    of_digit: Words
    groups: Int
    group_ends: Ints
    group_nodes: Ints
    group_house: Ints
    groups_ends: Ints
    groups_of: Ints
    on_at: Ints  # the number of steps after which a node is right, or fails; -1 if it does not
    off_at: Ints
    on_bits: Words
    off_bits: Words
    on_new: Words
    off_new: Words
    path: Ints
    path_end: Int
    path_groups: Ints

    def __init__(self, tables: Any):
        Strong.__init__(self, tables)
        room: Int = 64 * MOST_WORDS
        self.node_cells = array("i", [0]) * room
        self.node_digit = array("i", [0]) * room
        self.node_of = array("i", [-1]) * (self.cells * self.digits)
        self.room = 0
        self.of_digit = array("Q", [0]) * (self.digits * MOST_WORDS)
        self.group_ends = array("i", [0]) * (self.cells + self.houses * self.digits + 1)
        self.group_nodes = array("i", [0]) * ((room + 1) * (self.most + 1))
        self.group_house = array("i", [0]) * (self.cells + self.houses * self.digits)
        self.groups_ends = array("i", [0]) * (room + 1)
        self.groups_of = array("i", [0]) * ((room + 1) * (self.most + 1))
        self.on_at = array("i", [0]) * room
        self.off_at = array("i", [0]) * room
        self.on_bits = array("Q", [0]) * MOST_WORDS
        self.off_bits = array("Q", [0]) * MOST_WORDS
        self.on_new = array("Q", [0]) * MOST_WORDS
        self.off_new = array("Q", [0]) * MOST_WORDS
        self.path = array("i", [0]) * (4 * room)
        self.path_groups = array("i", [0]) * (4 * room)

    @cfunc
    def join(self, base: Int, node: Int, other: Int) -> Int:
        self.forced[base + node * self.words + (other >> 6)] |= ONE << (other & 63)
        return 0

    @cfunc
    def build(self) -> Int:
        """Make a node of each open candidate; return 0 if there are too many."""
        node: Int = 0
        for cell in range(self.cells):
            bits: Bits = 0 if self.settled[cell] else self.candidates[cell]
            for digit in range(self.digits):
                self.node_of[cell * self.digits + digit] = -1
                if bits >> digit & 1:
                    if node == 64 * MOST_WORDS - 1:
                        return 0
                    self.node_of[cell * self.digits + digit] = node
                    self.node_cells[node] = cell
                    self.node_digit[node] = digit
                    node += 1
        self.nodes, self.words = node, (node >> 6) + 1
        if self.room < self.nodes * self.words:
            self.room = self.nodes * self.words
            self.excluded = array("Q", [0]) * self.room
            self.forced = array("Q", [0]) * (4 * self.room)
        self.clear()
        for node in range(self.nodes):
            cell, digit = self.node_cells[node], self.node_digit[node]
            start = node * self.words
            self.of_digit[digit * self.words + (node >> 6)] |= ONE << (node & 63)
            bits = self.candidates[cell] & ~(ONE << digit)
            while bits:
                other = self.node_of[cell * self.digits + lowest_bit(bits)]
                bits &= bits - 1
                self.excluded[start + (other >> 6)] |= ONE << (other & 63)
            for slot in range(self.peer_ends[cell], self.peer_ends[cell + 1]):
                other = self.node_of[self.peers[slot] * self.digits + digit]
                if other >= 0:
                    self.excluded[start + (other >> 6)] |= ONE << (other & 63)
        self.groups = slot = 0
        for cell in range(self.cells):
            if not self.settled[cell]:
                self.group_ends[self.groups] = slot
                self.group_house[self.groups] = -1
                self.groups += 1
                bits = self.candidates[cell]
                while bits:
                    self.group_nodes[slot] = self.node_of[cell * self.digits + lowest_bit(bits)]
                    bits &= bits - 1
                    slot += 1
        for house in range(self.houses):
            for digit in range(self.digits if self.full[house] else 0):
                bits = self.places[house * self.digits + digit]
                if bits:
                    self.group_ends[self.groups] = slot
                    self.group_house[self.groups] = house
                    self.groups += 1
                while bits:
                    cell = self.members[house * self.widest + lowest_bit(bits)]
                    self.group_nodes[slot] = self.node_of[cell * self.digits + digit]
                    bits &= bits - 1
                    slot += 1
        self.group_ends[self.groups] = slot
        self.link_groups()
        return 1

    @cfunc
    def clear(self) -> Int:
        for index in range(self.nodes * self.words):
            self.excluded[index] = 0
        for index in range(3 * self.nodes * self.words):
            self.forced[index] = 0
        for index in range(self.digits * self.words):
            self.of_digit[index] = 0
        return 0

    @cfunc
    def link_groups(self) -> Int:
        """List the groups of each node, and what the groups of two force."""
        for node in range(self.nodes + 1):
            self.groups_ends[node] = 0
        for slot in range(self.group_ends[self.groups]):
            self.groups_ends[self.group_nodes[slot] + 1] += 1
        for node in range(self.nodes):
            self.groups_ends[node + 1] += self.groups_ends[node]
        for group in range(self.groups - 1, -1, -1):
            for slot in range(self.group_ends[group], self.group_ends[group + 1]):
                node = self.group_nodes[slot]
                self.groups_ends[node + 1] -= 1
                self.groups_of[self.groups_ends[node + 1]] = group
            if self.group_ends[group + 1] - self.group_ends[group] == 2:
                node = self.group_nodes[self.group_ends[group]]
                other = self.group_nodes[self.group_ends[group] + 1]
                base = self.nodes * self.words * (2 if self.group_house[group] < 0 else 1)
                self.join(0, node, other)
                self.join(0, other, node)
                self.join(base, node, other)
                self.join(base, other, node)
        # Each end has moved down to its start.
        for node in range(self.nodes):
            self.groups_ends[node] = self.groups_ends[node + 1]
        self.groups_ends[self.nodes] = self.group_ends[self.groups]
        return 0

    @cfunc
    @exceptval(check=False)
    def spread(self, start: Int, right: Int, kind: Int, most: Int, digit: Int) -> Int:
        """Follow from one node, right or wrong, what each single link gives, in at most so many.

        `kind` is 0 for all links, 1 for those of houses, 2 of cells, and 3 for those that a net
        has made. Returns whether the start comes to be the contrary, after `path_end` steps, where
        it ends but for kind 2.
        """
        level: Int = 1
        words: Int = self.words
        base: Int = kind * self.nodes * words
        for index in range(self.nodes):
            self.on_at[index] = self.off_at[index] = -1
        for word in range(words):
            self.on_bits[word] = self.off_bits[word] = self.on_new[word] = self.off_new[word] = 0
        if right:
            self.on_at[start] = 0
            self.on_bits[start >> 6] = self.on_new[start >> 6] = ONE << (start & 63)
        else:
            self.off_at[start] = 0
            self.off_bits[start >> 6] = self.off_new[start >> 6] = ONE << (start & 63)
        while level <= most:
            any_new = 0
            if right:
                for word in range(words):
                    bits = self.on_new[word]
                    while bits:
                        node = (word << 6) + lowest_bit(bits)
                        bits &= bits - 1
                        for index in range(words):
                            self.off_new[index] |= self.excluded[node * words + index]
                for word in range(words):
                    self.on_new[word] = 0
                    fresh = self.off_new[word] & ~self.off_bits[word]
                    if digit >= 0:
                        fresh &= self.of_digit[digit * words + word]
                    self.off_new[word] = fresh
                    self.off_bits[word] |= fresh
                    any_new |= fresh
                    while fresh:
                        self.off_at[(word << 6) + lowest_bit(fresh)] = level
                        fresh &= fresh - 1
                if kind != 2 and self.on_at[start] == 0 and self.off_at[start] == level:
                    self.path_end = level
                    return 1
            else:
                for word in range(words):
                    bits = self.off_new[word]
                    while bits:
                        node = (word << 6) + lowest_bit(bits)
                        bits &= bits - 1
                        for index in range(words):
                            self.on_new[index] |= self.forced[base + node * words + index]
                for word in range(words):
                    self.off_new[word] = 0
                    fresh = self.on_new[word] & ~self.on_bits[word]
                    self.on_new[word] = fresh
                    self.on_bits[word] |= fresh
                    any_new |= fresh
                    while fresh:
                        self.on_at[(word << 6) + lowest_bit(fresh)] = level
                        fresh &= fresh - 1
                if self.off_at[start] == 0 and self.on_at[start] == level:
                    self.path_end = level
                    return 1
            if not any_new:
                break
            right = not right
            level += 1
        return 0

    @cfunc
    @exceptval(check=False)
    def trace(self, end: Int, right: Int, level: Int, kind: Int) -> Int:
        """Put the path to a node, which is right or wrong after so many steps, into `path`.

        `path_groups` has the house through which each came to be right, or -1.
        """
        node: Int = end
        base: Int = kind * self.nodes * self.words
        self.path_end = level + 1
        while level >= 0:
            self.path[level] = node
            self.path_groups[level] = -1
            level -= 1
            if level < 0:
                break
            # Links are the same in both directions.
            other = -1
            for word in range(self.words):
                if right:
                    bits = self.forced[base + node * self.words + word] & self.off_bits[word]
                else:
                    bits = self.excluded[node * self.words + word] & self.on_bits[word]
                while bits:
                    other = (word << 6) + lowest_bit(bits)
                    bits &= bits - 1
                    if (self.off_at[other] if right else self.on_at[other]) == level:
                        break
                    other = -1
                if other >= 0:
                    break
            if right:
                self.path_groups[level + 1] = self.find_strong_house(other, node, kind)
            node = other
            right = not right
        return 0

    @cfunc
    @exceptval(check=False)
    def find_strong_house(self, node: Int, other: Int, kind: Int) -> Int:
        """Return the house in which one of two nodes is right, or -1 if they share a cell."""
        for slot in range(self.groups_ends[node], self.groups_ends[node + 1]):
            group = self.groups_of[slot]
            if kind == 1 and self.group_house[group] < 0:
                continue
            if self.group_ends[group + 1] - self.group_ends[group] == 2:
                if other in (
                    self.group_nodes[self.group_ends[group]],
                    self.group_nodes[self.group_ends[group] + 1],
                ):
                    return self.group_house[group]
        return -1

    @cfunc
    def link(self, node: Int, house: Int) -> Int:
        """Add a node to the chain of the step."""
        self.base(self.node_cells[node])
        self.links[self.links_end], self.links[self.links_end + 1] = 1, self.node_cells[node]
        self.links_end += 2
        return self.end_link(self.node_digit[node], house)

    @cfunc
    @exceptval(check=False)
    def hit_node(self, node: Int) -> Int:
        """Strike the candidate of a node."""
        return self.hit(self.node_cells[node], self.node_digit[node])
