"""The graph of candidates: which exclude each other, and which are right if others are wrong."""

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.names import *
    from sudokucrypt.sudoku._kernels.deduction.strong import Strong


@cclass
class Graph(Strong):
    """The graph of candidates: a node is an open candidate, that is, a digit in a cell.

    For each node, `excluded` contains the nodes that are wrong if it is right, and `forced` those
    that are right if it is wrong, in three versions: by any rule, by houses only, by cells only.
    A group contains nodes of which exactly one is right: the places of a digit in a house, or the
    candidates of a cell (its house is then -1).
    """

    nodes: Int
    words: Int  # 64-bit words of a set of nodes
    matrix_size: Int  # allocated words of `excluded`: one set for each node
    node_cells: Ints
    node_digit: Ints
    candidate_node: Ints  # for each cell and digit: the node, or -1
    excluded: Words
    forced: Words
    digit_nodes: Words
    groups: Int
    group_ends: Ints
    group_nodes: Ints
    group_house: Ints
    node_group_ends: Ints
    node_groups: Ints
    right_step: Ints  # the number of links after which a node is known to be right, or -1
    wrong_step: Ints  # the number of links after which a node is known to be wrong, or -1
    right_set: Words
    wrong_set: Words
    newly_right: Words
    newly_wrong: Words
    path: Ints
    path_end: Int
    path_houses: Ints

    def __init__(self, tables: Any):
        Strong.__init__(self, tables)
        room: Int = 64 * MAX_NODE_WORDS
        self.node_cells = array("i", [0]) * room
        self.node_digit = array("i", [0]) * room
        self.candidate_node = array("i", [-1]) * (self.cells * self.digits)
        self.matrix_size = 0
        self.digit_nodes = array("Q", [0]) * (self.digits * MAX_NODE_WORDS)
        self.group_ends = array("i", [0]) * (self.cells + self.houses * self.digits + 1)
        self.group_nodes = array("i", [0]) * ((room + 1) * (self.max_cell_houses + 1))
        self.group_house = array("i", [0]) * (self.cells + self.houses * self.digits)
        self.node_group_ends = array("i", [0]) * (room + 1)
        self.node_groups = array("i", [0]) * ((room + 1) * (self.max_cell_houses + 1))
        self.right_step = array("i", [0]) * room
        self.wrong_step = array("i", [0]) * room
        self.right_set = array("Q", [0]) * MAX_NODE_WORDS
        self.wrong_set = array("Q", [0]) * MAX_NODE_WORDS
        self.newly_right = array("Q", [0]) * MAX_NODE_WORDS
        self.newly_wrong = array("Q", [0]) * MAX_NODE_WORDS
        self.path = array("i", [0]) * (4 * room)
        self.path_houses = array("i", [0]) * (4 * room)

    @cfunc
    def add_forced_link(self, base: Int, node: Int, other: Int) -> Int:
        """Record in one version of `forced`, at `base`: if `node` is wrong, `other` is right."""
        self.forced[base + node * self.words + (other >> 6)] |= ONE << (other & 63)
        return 0

    @cfunc
    def build_graph(self) -> Int:
        """Make a node for each open candidate; return 0 if there are too many."""
        node: Int = 0
        for cell in range(self.cells):
            bits: Bits = 0 if self.settled[cell] else self.candidates[cell]
            for digit in range(self.digits):
                self.candidate_node[cell * self.digits + digit] = -1
                if bits >> digit & 1:
                    if node == 64 * MAX_NODE_WORDS - 1:
                        return 0
                    self.candidate_node[cell * self.digits + digit] = node
                    self.node_cells[node] = cell
                    self.node_digit[node] = digit
                    node += 1
        self.nodes, self.words = node, (node >> 6) + 1
        if self.matrix_size < self.nodes * self.words:
            self.matrix_size = self.nodes * self.words
            self.excluded = array("Q", [0]) * self.matrix_size
            self.forced = array("Q", [0]) * (4 * self.matrix_size)
        self.clear_graph()
        for node in range(self.nodes):
            cell, digit = self.node_cells[node], self.node_digit[node]
            start = node * self.words
            self.digit_nodes[digit * self.words + (node >> 6)] |= ONE << (node & 63)
            bits = self.candidates[cell] & ~(ONE << digit)
            while bits:
                other = self.candidate_node[cell * self.digits + lowest_bit(bits)]
                bits &= bits - 1
                self.excluded[start + (other >> 6)] |= ONE << (other & 63)
            for slot in range(self.peer_ends[cell], self.peer_ends[cell + 1]):
                other = self.candidate_node[self.peers[slot] * self.digits + digit]
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
                    self.group_nodes[slot] = self.candidate_node[
                        cell * self.digits + lowest_bit(bits)
                    ]
                    bits &= bits - 1
                    slot += 1
        for house in range(self.houses):
            for digit in range(self.digits if self.is_complete[house] else 0):
                bits = self.places[house * self.digits + digit]
                if bits:
                    self.group_ends[self.groups] = slot
                    self.group_house[self.groups] = house
                    self.groups += 1
                while bits:
                    cell = self.house_cells[house * self.max_house_size + lowest_bit(bits)]
                    self.group_nodes[slot] = self.candidate_node[cell * self.digits + digit]
                    bits &= bits - 1
                    slot += 1
        self.group_ends[self.groups] = slot
        self.link_groups()
        return 1

    @cfunc
    def clear_graph(self) -> Int:
        for index in range(self.nodes * self.words):
            self.excluded[index] = 0
        for index in range(3 * self.nodes * self.words):
            self.forced[index] = 0
        for index in range(self.digits * self.words):
            self.digit_nodes[index] = 0
        return 0

    @cfunc
    def link_groups(self) -> Int:
        """List the groups of each node, and the links that groups of two nodes force."""
        for node in range(self.nodes + 1):
            self.node_group_ends[node] = 0
        for slot in range(self.group_ends[self.groups]):
            self.node_group_ends[self.group_nodes[slot] + 1] += 1
        for node in range(self.nodes):
            self.node_group_ends[node + 1] += self.node_group_ends[node]
        for group in range(self.groups - 1, -1, -1):
            for slot in range(self.group_ends[group], self.group_ends[group + 1]):
                node = self.group_nodes[slot]
                self.node_group_ends[node + 1] -= 1
                self.node_groups[self.node_group_ends[node + 1]] = group
            if self.group_ends[group + 1] - self.group_ends[group] == 2:
                node = self.group_nodes[self.group_ends[group]]
                other = self.group_nodes[self.group_ends[group] + 1]
                base = self.nodes * self.words * (2 if self.group_house[group] < 0 else 1)
                self.add_forced_link(0, node, other)
                self.add_forced_link(0, other, node)
                self.add_forced_link(base, node, other)
                self.add_forced_link(base, other, node)
        # Filling the lists has moved each end down to the start of its list.
        for node in range(self.nodes):
            self.node_group_ends[node] = self.node_group_ends[node + 1]
        self.node_group_ends[self.nodes] = self.group_ends[self.groups]
        return 0

    @cfunc
    @exceptval(check=False)
    def spread(self, start: Int, right: Int, kind: Int, most: Int, digit: Int) -> Int:
        """Follow all links from one node that is supposed right or wrong, at most `most` of them.

        `kind` is 0 for all links, 1 for links by houses, 2 for links by cells, and 3 for links
        that a net has made. With `digit` >= 0, only nodes of this digit are followed. Returns
        whether the start turns out to be the opposite of what was supposed, after `path_end`
        links; the search stops there, except that for kind 2 a right start goes on.
        """
        level: Int = 1
        words: Int = self.words
        base: Int = kind * self.nodes * words
        for index in range(self.nodes):
            self.right_step[index] = self.wrong_step[index] = -1
        for word in range(words):
            self.right_set[word] = self.wrong_set[word] = self.newly_right[word] = self.newly_wrong[
                word
            ] = 0
        if right:
            self.right_step[start] = 0
            self.right_set[start >> 6] = self.newly_right[start >> 6] = ONE << (start & 63)
        else:
            self.wrong_step[start] = 0
            self.wrong_set[start >> 6] = self.newly_wrong[start >> 6] = ONE << (start & 63)
        while level <= most:
            any_new = 0
            if right:
                for word in range(words):
                    bits = self.newly_right[word]
                    while bits:
                        node = (word << 6) + lowest_bit(bits)
                        bits &= bits - 1
                        for index in range(words):
                            self.newly_wrong[index] |= self.excluded[node * words + index]
                for word in range(words):
                    self.newly_right[word] = 0
                    fresh = self.newly_wrong[word] & ~self.wrong_set[word]
                    if digit >= 0:
                        fresh &= self.digit_nodes[digit * words + word]
                    self.newly_wrong[word] = fresh
                    self.wrong_set[word] |= fresh
                    any_new |= fresh
                    while fresh:
                        self.wrong_step[(word << 6) + lowest_bit(fresh)] = level
                        fresh &= fresh - 1
                if kind != 2 and self.right_step[start] == 0 and self.wrong_step[start] == level:
                    self.path_end = level
                    return 1
            else:
                for word in range(words):
                    bits = self.newly_wrong[word]
                    while bits:
                        node = (word << 6) + lowest_bit(bits)
                        bits &= bits - 1
                        for index in range(words):
                            self.newly_right[index] |= self.forced[base + node * words + index]
                for word in range(words):
                    self.newly_wrong[word] = 0
                    fresh = self.newly_right[word] & ~self.right_set[word]
                    self.newly_right[word] = fresh
                    self.right_set[word] |= fresh
                    any_new |= fresh
                    while fresh:
                        self.right_step[(word << 6) + lowest_bit(fresh)] = level
                        fresh &= fresh - 1
                if self.wrong_step[start] == 0 and self.right_step[start] == level:
                    self.path_end = level
                    return 1
            if not any_new:
                break
            right = not right
            level += 1
        return 0

    @cfunc
    @exceptval(check=False)
    def trace_path(self, end: Int, right: Int, level: Int, kind: Int) -> Int:
        """Write the path to a node, which is right or wrong after `level` links, to `path`.

        `path_houses` then contains the house that makes each node right, or -1.
        """
        node: Int = end
        base: Int = kind * self.nodes * self.words
        self.path_end = level + 1
        while level >= 0:
            self.path[level] = node
            self.path_houses[level] = -1
            level -= 1
            if level < 0:
                break
            # Links are the same in both directions.
            other = -1
            for word in range(self.words):
                if right:
                    bits = self.forced[base + node * self.words + word] & self.wrong_set[word]
                else:
                    bits = self.excluded[node * self.words + word] & self.right_set[word]
                while bits:
                    other = (word << 6) + lowest_bit(bits)
                    bits &= bits - 1
                    if (self.wrong_step[other] if right else self.right_step[other]) == level:
                        break
                    other = -1
                if other >= 0:
                    break
            if right:
                self.path_houses[level + 1] = self.find_strong_house(other, node, kind)
            node = other
            right = not right
        return 0

    @cfunc
    @exceptval(check=False)
    def find_strong_house(self, node: Int, other: Int, kind: Int) -> Int:
        """Return the house in which exactly one of two nodes is right, or -1 if a cell has both."""
        for slot in range(self.node_group_ends[node], self.node_group_ends[node + 1]):
            group = self.node_groups[slot]
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
    def add_chain_link(self, node: Int, house: Int) -> Int:
        """Add a node to the chain of the step."""
        self.add_base_cell(self.node_cells[node])
        self.links[self.links_end], self.links[self.links_end + 1] = 1, self.node_cells[node]
        self.links_end += 2
        return self.end_link(self.node_digit[node], house)

    @cfunc
    @exceptval(check=False)
    def hit_node(self, node: Int) -> Int:
        """Add the candidate of a node to those that the next offered step strikes."""
        return self.hit_candidate(self.node_cells[node], self.node_digit[node])
