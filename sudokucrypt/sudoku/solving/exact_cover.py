"""Exact cover by dancing links: choose options so that each item is in exactly one of them."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Generic, TypeAlias, TypeVar

import numpy as np

from sudokucrypt.errors import InvalidParameterError, UnsupportedError
from sudokucrypt.options import check_integer
from sudokucrypt.sudoku.model.puzzle import PuzzleLike, SudokuPuzzle, as_puzzle
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.seeded import SeedLike, as_source
from sudokucrypt.typing import RandomSource

Element = TypeVar("Element", bound="Hashable")
OptionName = TypeVar("OptionName", bound="Hashable")


class ExactCover(Generic[Element, OptionName]):
    """An exact cover problem (D. E. Knuth, The Art of Computer Programming, 4B, 7.2.2.1, 2022).

    Each item must be in exactly one of the chosen options; an optional item may be in one or in
    none. `options` maps the name of each option to its items. An option that has only optional
    items is never chosen. Raises `InvalidParameterError` if an item is given twice, or an option is
    empty, repeats an item or has an unknown item.

    >>> cover = ExactCover("abcdefg", {1: "ce", 2: "adg", 3: "bcf", 4: "adf", 5: "bg", 6: "deg"})
    >>> list(cover.solutions())
    [(4, 5, 1)]
    """

    def __init__(
        self,
        items: Iterable[Element],
        options: Mapping[OptionName, Iterable[Element]],
        *,
        optional: Iterable[Element] = (),
    ) -> None:
        required_items = list(items)
        all_items = [*required_items, *optional]
        item_numbers = {item: index for index, item in enumerate(all_items, 1)}
        if len(item_numbers) < len(all_items):
            raise InvalidParameterError("the items of an exact cover problem must differ")
        self._required_count, self._item_count = len(required_items), len(all_items)
        self._option_names = list(options)
        self._options: list[list[int]] = []
        for name, option_items in options.items():
            members = list(option_items)
            if not members or len(set(members)) < len(members):
                raise InvalidParameterError(f"option {name!r} needs items that all differ")
            for item in members:
                if item not in item_numbers:
                    raise InvalidParameterError(f"option {name!r} has the unknown item {item!r}")
            self._options.append([item_numbers[item] for item in members])

    def solutions(self, *, source: SeedLike = None) -> Iterator[tuple[OptionName, ...]]:
        """Yield every solution once: the names of the chosen options, in the order of the choices.

        Without `source`, the options of an item are tried in the order in which they were given.
        With a stream of draws or a seed, their order is random: any solution may be first, but not
        all are equally likely.
        """
        draws = None if source is None else as_source(source)
        for option_numbers in _iterate_covers(
            _Links(self._required_count, self._item_count, self._options), draws
        ):
            yield tuple(self._option_names[index] for index in option_numbers)

    def count(self, limit: int | None = None) -> int:
        """Return the number of solutions, or `limit` if there are at least that many."""
        if limit is not None:
            limit = check_integer("the limit", limit, least=1)
        return sum(1 for _ in islice(self.solutions(), limit))


class _Links:
    """Items and options as nodes of a sparse table, linked in both directions.

    Node 0 is the root of the list of items, and nodes 1, 2, ... are the heads of the lists of their
    options. An unlinked node keeps its own links, so that it can be inserted at its place again.
    """

    def __init__(
        self, required_count: int, item_count: int, options: Sequence[Sequence[int]]
    ) -> None:
        self.right = [*range(1, required_count + 1), 0, *range(required_count + 1, item_count + 1)]
        self.left = [0] * (item_count + 1)
        for index, right in enumerate(self.right):
            self.left[right] = index
        self.item = list(range(item_count + 1))
        self.up, self.down = self.item.copy(), self.item.copy()
        self.sizes = [0] * (item_count + 1)
        self.option = [-1] * (item_count + 1)
        self.siblings: list[list[int]] = [[] for _ in self.item]  # nodes of the same option
        for index, items in enumerate(options):
            nodes = range(len(self.item), len(self.item) + len(items))
            for node, item in zip(nodes, items, strict=True):
                last_node = self.up[item]
                self.item.append(item)
                self.up.append(last_node)
                self.down.append(item)
                self.down[last_node] = self.up[item] = node
                self.sizes[item] += 1
                self.option.append(index)
                self.siblings.append([sibling for sibling in nodes if sibling != node])

    def find_smallest_item(self) -> int:
        """Return the first item with the fewest options, or 0 if all items are covered."""
        smallest_item, item = 0, self.right[0]
        while item:
            if not smallest_item or self.sizes[item] < self.sizes[smallest_item]:
                smallest_item = item
            item = self.right[item]
        return smallest_item

    def list_nodes(self, item: int) -> list[int]:
        """Return the nodes of an item, the last one first."""
        nodes = [self.up[item]]
        while nodes[-1] != item:
            nodes.append(self.up[nodes[-1]])
        return nodes[:-1]

    def cover(self, item: int) -> None:
        """Unlink an item, and its options from all their other items."""
        left, right = self.left[item], self.right[item]
        # The unlinked item keeps its own links, by which `uncover` inserts it again.
        self.right[left], self.left[right] = right, left
        for node in reversed(self.list_nodes(item)):
            for sibling in self.siblings[node]:
                up, down = self.up[sibling], self.down[sibling]
                self.down[up], self.up[down] = down, up
                self.sizes[self.item[sibling]] -= 1

    def uncover(self, item: int) -> None:
        """Undo `cover`, in the reverse order."""
        for node in self.list_nodes(item):
            for sibling in reversed(self.siblings[node]):
                self.down[self.up[sibling]] = self.up[self.down[sibling]] = sibling
                self.sizes[self.item[sibling]] += 1
        self.right[self.left[item]] = self.left[self.right[item]] = item


def _iterate_covers(links: _Links, source: RandomSource | None) -> Iterator[list[int]]:
    """Yield the numbers of the options of each solution, by Algorithm X without recursion."""
    chosen_nodes: list[int] = []  # per level: a node of the chosen option, before that the item
    untried_nodes: list[list[int]] = []  # at each level the untried nodes, the last one first
    while True:
        item = links.find_smallest_item()
        if item:
            links.cover(item)
            nodes = links.list_nodes(item)
            if source is not None:
                nodes = [
                    nodes[node_index] for node_index in source.permutations([len(nodes)]).tolist()
                ]
            untried_nodes.append(nodes)
            chosen_nodes.append(item)
        else:
            yield [links.option[node] for node in chosen_nodes]
        while chosen_nodes:
            # Undo the last option of this level; on the first try there is nothing to undo.
            for sibling in reversed(links.siblings[chosen_nodes[-1]]):
                links.uncover(links.item[sibling])
            if untried_nodes[-1]:
                chosen_nodes[-1] = untried_nodes[-1].pop()
                for sibling in links.siblings[chosen_nodes[-1]]:
                    links.cover(links.item[sibling])
                break
            # All options of the item have been tried: uncover it, and return to the level before.
            links.uncover(links.item[chosen_nodes.pop()])
            untried_nodes.pop()
        else:
            return


CoverItem: TypeAlias = tuple[str, int]  # ("cell", number), or the name of a house and a digit
Placement: TypeAlias = tuple[int, int]  # cell and digit, both from 0


def puzzle_cover(puzzle: PuzzleLike | Variant) -> ExactCover[CoverItem, Placement]:
    """Return the exact cover problem of a puzzle, or of the empty grid of a variant.

    Each option places a digit in a cell. Items are the cells, and each digit of each house, which
    is optional if the house has fewer cells than digits. An empty 9x9 grid has 729 options and 324
    items.

    Parameters
    ----------
    puzzle : SudokuPuzzle, Variant, str or array_like
        The puzzle, or the rules of an empty grid.
    """
    puzzle = SudokuPuzzle.empty(puzzle) if isinstance(puzzle, Variant) else as_puzzle(puzzle)
    variant = puzzle.variant
    if variant.constraints:
        raise UnsupportedError("exact cover supports only houses", hint="use solutions()")
    digits = range(variant.digits)
    houses_by_cell: list[list[str]] = [[] for _ in variant.cells]
    items: list[CoverItem] = [("cell", cell) for cell in range(len(variant.cells))]
    optional_items: list[CoverItem] = []
    for house in variant.houses:
        for cell in house.cells:
            houses_by_cell[cell].append(house.name)
        item_list = items if len(house.cells) == variant.digits else optional_items
        item_list += [(house.name, digit) for digit in digits]
    options = {
        (cell, digit): [("cell", cell), *((name, digit) for name in houses_by_cell[cell])]
        for cell, fixed_digit in enumerate(puzzle.givens.tolist())
        for digit in (digits if fixed_digit < 0 else (fixed_digit,))
    }
    return ExactCover(items, options, optional=optional_items)


def cover_solutions(puzzle: PuzzleLike, *, source: SeedLike = None) -> Iterator[SudokuPuzzle]:
    """Yield every solution once, by dancing links: an independent, slower version of `solutions`.

    The order differs from that of `solutions`, and any number of digits is possible.

    Parameters
    ----------
    puzzle : SudokuPuzzle, str or array_like
        The puzzle; an array has 0 in open cells.
    source : RandomSource or int, optional
        A stream of draws or a seed that decides in which order options are tried. By default the
        order is always the same.

    Examples
    --------
    >>> [solution.to_text() for solution in cover_solutions("1... ..2. .3.. ...4")]
    ['1243342143122134']
    """
    puzzle = as_puzzle(puzzle)
    for placements in puzzle_cover(puzzle).solutions(source=source):
        givens = np.array([digit for _, digit in sorted(placements)], dtype=np.int32)
        yield SudokuPuzzle.wrap_valid(givens, puzzle.variant)
