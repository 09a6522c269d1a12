"""The graph of candidates, which links two if they are never both right, or never both wrong."""

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.names import *
    from sudokucrypt.sudoku._kernels.deduction.strong import StrongLinkSearch


@cclass
class Graph(StrongLinkSearch):
    """The graph of candidates: a node is an open candidate, that is, a digit in a cell.

    For each node, `excluded_nodes` contains the nodes that are wrong if it is right, and
    `forced_nodes` those that are right if it is wrong, in three versions: by any rule, by houses
    only, by cells only. A group contains nodes of which exactly one is right: the places of a digit
    in a house, or the candidates of a cell (its house is then -1).
    """

    node_count: Int
    node_words: Int  # the number of 64-bit words of a set of nodes
    matrix_size: Int  # allocated words of `excluded_nodes`: one set for each node
    node_cells: Ints
    node_digits: Ints
    candidate_nodes: Ints  # for each cell and digit: the node, or -1
    excluded_nodes: Words
    forced_nodes: Words
    digit_nodes: Words
    group_count: Int
    group_offsets: Ints
    group_nodes: Ints
    group_houses: Ints
    node_group_offsets: Ints
    node_groups: Ints
    right_depths: Ints  # the number of links after which a node is known to be right, or -1
    wrong_depths: Ints  # the number of links after which a node is known to be wrong, or -1
    right_set: Words
    wrong_set: Words
    newly_right_nodes: Words
    newly_wrong_nodes: Words
    path: Ints
    path_length: Int
    path_houses: Ints

    def __init__(self, tables: Any):
        StrongLinkSearch.__init__(self, tables)
        capacity: Int = 64 * MAX_NODE_WORDS
        self.node_cells = array("i", [0]) * capacity
        self.node_digits = array("i", [0]) * capacity
        self.candidate_nodes = array("i", [-1]) * (self.cell_count * self.digit_count)
        self.matrix_size = 0
        self.digit_nodes = array("Q", [0]) * (self.digit_count * MAX_NODE_WORDS)
        self.group_offsets = array("i", [0]) * (
            self.cell_count + self.house_count * self.digit_count + 1
        )
        self.group_nodes = array("i", [0]) * ((capacity + 1) * (self.max_cell_houses + 1))
        self.group_houses = array("i", [0]) * (
            self.cell_count + self.house_count * self.digit_count
        )
        self.node_group_offsets = array("i", [0]) * (capacity + 1)
        self.node_groups = array("i", [0]) * ((capacity + 1) * (self.max_cell_houses + 1))
        self.right_depths = array("i", [0]) * capacity
        self.wrong_depths = array("i", [0]) * capacity
        self.right_set = array("Q", [0]) * MAX_NODE_WORDS
        self.wrong_set = array("Q", [0]) * MAX_NODE_WORDS
        self.newly_right_nodes = array("Q", [0]) * MAX_NODE_WORDS
        self.newly_wrong_nodes = array("Q", [0]) * MAX_NODE_WORDS
        self.path = array("i", [0]) * (4 * capacity)
        self.path_houses = array("i", [0]) * (4 * capacity)

    @cfunc
    def add_forced_link(self, offset: Int, node: Int, other: Int) -> Int:
        """Record in `forced_nodes`, from `offset`, that `other` is right if `node` is wrong."""
        self.forced_nodes[offset + node * self.node_words + (other >> 6)] |= ONE << (other & 63)
        return 0

    @cfunc
    def build_graph(self) -> Int:
        """Make a node for each open candidate; return 0 if there are too many."""
        node: Int = 0
        for cell in range(self.cell_count):
            bits: Bits = 0 if self.is_settled[cell] else self.candidates[cell]
            for digit in range(self.digit_count):
                self.candidate_nodes[cell * self.digit_count + digit] = -1
                if bits >> digit & 1:
                    if node == 64 * MAX_NODE_WORDS - 1:
                        return 0
                    self.candidate_nodes[cell * self.digit_count + digit] = node
                    self.node_cells[node] = cell
                    self.node_digits[node] = digit
                    node += 1
        self.node_count, self.node_words = node, (node >> 6) + 1
        if self.matrix_size < self.node_count * self.node_words:
            self.matrix_size = self.node_count * self.node_words
            self.excluded_nodes = array("Q", [0]) * self.matrix_size
            self.forced_nodes = array("Q", [0]) * (4 * self.matrix_size)
        self.clear_graph()
        for node in range(self.node_count):
            cell, digit = self.node_cells[node], self.node_digits[node]
            row_start = node * self.node_words
            self.digit_nodes[digit * self.node_words + (node >> 6)] |= ONE << (node & 63)
            bits = self.candidates[cell] & ~(ONE << digit)
            while bits:
                other_node = self.candidate_nodes[cell * self.digit_count + lowest_bit(bits)]
                bits &= bits - 1
                self.excluded_nodes[row_start + (other_node >> 6)] |= ONE << (other_node & 63)
            for slot in range(self.peer_offsets[cell], self.peer_offsets[cell + 1]):
                other_node = self.candidate_nodes[self.peers[slot] * self.digit_count + digit]
                if other_node >= 0:
                    self.excluded_nodes[row_start + (other_node >> 6)] |= ONE << (other_node & 63)
        self.group_count = slot = 0
        for cell in range(self.cell_count):
            if not self.is_settled[cell]:
                self.group_offsets[self.group_count] = slot
                self.group_houses[self.group_count] = -1
                self.group_count += 1
                bits = self.candidates[cell]
                while bits:
                    self.group_nodes[slot] = self.candidate_nodes[
                        cell * self.digit_count + lowest_bit(bits)
                    ]
                    bits &= bits - 1
                    slot += 1
        for house in range(self.house_count):
            for digit in range(self.digit_count if self.needs_all_digits[house] else 0):
                bits = self.places[house * self.digit_count + digit]
                if bits:
                    self.group_offsets[self.group_count] = slot
                    self.group_houses[self.group_count] = house
                    self.group_count += 1
                while bits:
                    cell = self.house_cells[house * self.max_house_size + lowest_bit(bits)]
                    self.group_nodes[slot] = self.candidate_nodes[cell * self.digit_count + digit]
                    bits &= bits - 1
                    slot += 1
        self.group_offsets[self.group_count] = slot
        self.link_groups()
        return 1

    @cfunc
    def clear_graph(self) -> Int:
        for index in range(self.node_count * self.node_words):
            self.excluded_nodes[index] = 0
        for index in range(3 * self.node_count * self.node_words):
            self.forced_nodes[index] = 0
        for index in range(self.digit_count * self.node_words):
            self.digit_nodes[index] = 0
        return 0

    @cfunc
    def link_groups(self) -> Int:
        """List the groups of each node, and the links that groups of two nodes force."""
        for node in range(self.node_count + 1):
            self.node_group_offsets[node] = 0
        for slot in range(self.group_offsets[self.group_count]):
            self.node_group_offsets[self.group_nodes[slot] + 1] += 1
        for node in range(self.node_count):
            self.node_group_offsets[node + 1] += self.node_group_offsets[node]
        for group in range(self.group_count - 1, -1, -1):
            for slot in range(self.group_offsets[group], self.group_offsets[group + 1]):
                node = self.group_nodes[slot]
                self.node_group_offsets[node + 1] -= 1
                self.node_groups[self.node_group_offsets[node + 1]] = group
            if self.group_offsets[group + 1] - self.group_offsets[group] == 2:
                node = self.group_nodes[self.group_offsets[group]]
                other_node = self.group_nodes[self.group_offsets[group] + 1]
                offset = (
                    self.node_count * self.node_words * (2 if self.group_houses[group] < 0 else 1)
                )
                self.add_forced_link(0, node, other_node)
                self.add_forced_link(0, other_node, node)
                self.add_forced_link(offset, node, other_node)
                self.add_forced_link(offset, other_node, node)
        # Filling the lists has moved each end down to the start of its list.
        for node in range(self.node_count):
            self.node_group_offsets[node] = self.node_group_offsets[node + 1]
        self.node_group_offsets[self.node_count] = self.group_offsets[self.group_count]
        return 0

    @cfunc
    @exceptval(check=False)
    def follow_links(
        self, origin: Int, is_right: Int, link_kind: Int, max_links: Int, digit: Int
    ) -> Int:
        """Follow at most `max_links` links from one node that is supposed right or wrong.

        `link_kind` is 0 for all links, 1 for links by houses, 2 for links by cells, and 3 for links
        that a net has made. With `digit` >= 0, only nodes of this digit are followed. Returns
        whether the start turns out to be the opposite of what was supposed, after `path_length`
        links; the search stops there, except that for kind 2 a right start goes on.
        """
        depth: Int = 1
        node_words: Int = self.node_words
        offset: Int = link_kind * self.node_count * node_words
        for index in range(self.node_count):
            self.right_depths[index] = self.wrong_depths[index] = -1
        for word in range(node_words):
            self.right_set[word] = self.wrong_set[word] = self.newly_right_nodes[
                word
            ] = self.newly_wrong_nodes[word] = 0
        if is_right:
            self.right_depths[origin] = 0
            self.right_set[origin >> 6] = self.newly_right_nodes[origin >> 6] = ONE << (origin & 63)
        else:
            self.wrong_depths[origin] = 0
            self.wrong_set[origin >> 6] = self.newly_wrong_nodes[origin >> 6] = ONE << (origin & 63)
        while depth <= max_links:
            has_new_nodes = 0
            if is_right:
                for word in range(node_words):
                    bits = self.newly_right_nodes[word]
                    while bits:
                        node = (word << 6) + lowest_bit(bits)
                        bits &= bits - 1
                        for index in range(node_words):
                            self.newly_wrong_nodes[index] |= self.excluded_nodes[
                                node * node_words + index
                            ]
                for word in range(node_words):
                    self.newly_right_nodes[word] = 0
                    new_bits = self.newly_wrong_nodes[word] & ~self.wrong_set[word]
                    if digit >= 0:
                        new_bits &= self.digit_nodes[digit * node_words + word]
                    self.newly_wrong_nodes[word] = new_bits
                    self.wrong_set[word] |= new_bits
                    has_new_nodes |= new_bits
                    while new_bits:
                        self.wrong_depths[(word << 6) + lowest_bit(new_bits)] = depth
                        new_bits &= new_bits - 1
                if (
                    link_kind != 2
                    and self.right_depths[origin] == 0
                    and self.wrong_depths[origin] == depth
                ):
                    self.path_length = depth
                    return 1
            else:
                for word in range(node_words):
                    bits = self.newly_wrong_nodes[word]
                    while bits:
                        node = (word << 6) + lowest_bit(bits)
                        bits &= bits - 1
                        for index in range(node_words):
                            self.newly_right_nodes[index] |= self.forced_nodes[
                                offset + node * node_words + index
                            ]
                for word in range(node_words):
                    self.newly_wrong_nodes[word] = 0
                    new_bits = self.newly_right_nodes[word] & ~self.right_set[word]
                    self.newly_right_nodes[word] = new_bits
                    self.right_set[word] |= new_bits
                    has_new_nodes |= new_bits
                    while new_bits:
                        self.right_depths[(word << 6) + lowest_bit(new_bits)] = depth
                        new_bits &= new_bits - 1
                if self.wrong_depths[origin] == 0 and self.right_depths[origin] == depth:
                    self.path_length = depth
                    return 1
            if not has_new_nodes:
                break
            is_right = not is_right
            depth += 1
        return 0

    @cfunc
    @exceptval(check=False)
    def trace_path(self, end_node: Int, is_right: Int, depth: Int, link_kind: Int) -> Int:
        """Write the path to a node, which is right or wrong after `depth` links, to `path`.

        `path_houses` then contains the house that makes each node right, or -1.
        """
        node: Int = end_node
        offset: Int = link_kind * self.node_count * self.node_words
        self.path_length = depth + 1
        while depth >= 0:
            self.path[depth] = node
            self.path_houses[depth] = -1
            depth -= 1
            if depth < 0:
                break
            # Links are symmetric, so the links of a node also lead to the possible previous nodes.
            previous_node = -1
            for word in range(self.node_words):
                if is_right:
                    bits = (
                        self.forced_nodes[offset + node * self.node_words + word]
                        & self.wrong_set[word]
                    )
                else:
                    bits = self.excluded_nodes[node * self.node_words + word] & self.right_set[word]
                while bits:
                    previous_node = (word << 6) + lowest_bit(bits)
                    bits &= bits - 1
                    if (
                        self.wrong_depths[previous_node]
                        if is_right
                        else self.right_depths[previous_node]
                    ) == depth:
                        break
                    previous_node = -1
                if previous_node >= 0:
                    break
            if is_right:
                self.path_houses[depth + 1] = self.find_strong_house(previous_node, node, link_kind)
            node = previous_node
            is_right = not is_right
        return 0

    @cfunc
    @exceptval(check=False)
    def find_strong_house(self, node: Int, other_node: Int, link_kind: Int) -> Int:
        """Return the house where exactly one of two nodes is right; -1 if they share a cell."""
        for slot in range(self.node_group_offsets[node], self.node_group_offsets[node + 1]):
            group = self.node_groups[slot]
            if link_kind == 1 and self.group_houses[group] < 0:
                continue
            if self.group_offsets[group + 1] - self.group_offsets[group] == 2:
                if other_node in (
                    self.group_nodes[self.group_offsets[group]],
                    self.group_nodes[self.group_offsets[group] + 1],
                ):
                    return self.group_houses[group]
        return -1

    @cfunc
    def add_chain_link(self, node: Int, house: Int) -> Int:
        """Add a node to the chain of the step."""
        self.add_reason_cell(self.node_cells[node])
        self.links[self.links_length], self.links[self.links_length + 1] = 1, self.node_cells[node]
        self.links_length += 2
        return self.end_link(self.node_digits[node], house)

    @cfunc
    @exceptval(check=False)
    def queue_node_strike(self, node: Int) -> Int:
        """Add the candidate of a node to those that the next offered step strikes."""
        return self.queue_strike(self.node_cells[node], self.node_digits[node])
