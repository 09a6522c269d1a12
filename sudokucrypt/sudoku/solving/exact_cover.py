"""Exact cover by dancing links: choose options so that every item is in exactly one of them."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Generic, TypeAlias, TypeVar

import numpy as np

from sudokucrypt.errors import InvalidParameterError, UnsupportedError
from sudokucrypt.options import checked_integer
from sudokucrypt.sudoku.model.puzzle import PuzzleLike, SudokuPuzzle, as_puzzle
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.seeded import SeedLike, as_source
from sudokucrypt.typing import RandomSource

Element = TypeVar("Element", bound="Hashable")
OptionName = TypeVar("OptionName", bound="Hashable")


class ExactCover(Generic[Element, OptionName]):
    """An exact cover problem (D. E. Knuth, The Art of Computer Programming, 4B, 7.2.2.1, 2022).

    `InvalidParameterError` if an item is given twice, or an option is empty, repeats an item or has
    an unknown one. Each of the items must be in exactly one of the chosen options, which are tried
    in their order by name. Optional items may be in one, or in none; an option that has only such
    items is never chosen.

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
        main = list(items)
        every = [*main, *optional]
        index_of = {item: index for index, item in enumerate(every, 1)}
        if len(index_of) < len(every):
            raise InvalidParameterError("the items of an exact cover problem must differ")
        self._main, self._every = len(main), len(every)
        self._names = list(options)
        self._options: list[list[int]] = []
        for name, given in options.items():
            members = list(given)
            if not members or len(set(members)) < len(members):
                raise InvalidParameterError(f"option {name!r} needs items that all differ")
            for item in members:
                if item not in index_of:
                    raise InvalidParameterError(f"option {name!r} has the unknown item {item!r}")
            self._options.append([index_of[item] for item in members])

    def solutions(self, *, source: SeedLike = None) -> Iterator[tuple[OptionName, ...]]:
        """Yield every solution once: the names of the options, in the order of their choice.

        Without `source` the options of an item are tried in the order in which they were given.
        With a stream of draws or a seed that order is random: any solution may come first, but not
        all equally likely.
        """
        drawn = None if source is None else as_source(source)
        for chosen in _iterate_covers(_Links(self._main, self._every, self._options), drawn):
            yield tuple(self._names[index] for index in chosen)

    def count(self, limit: int | None = None) -> int:
        """Return how many solutions there are, or `limit` if there are at least as many."""
        if limit is not None:
            limit = checked_integer("the limit", limit, least=1)
        return sum(1 for _ in islice(self.solutions(), limit))


class _Links:
    """Items and options as nodes of a sparse table, linked in both directions.

    Node 0 is the root of the list of items, and nodes 1, 2, ... head the lists of their options.
    Unlinking a node leaves its own links as they were, so that it can be put back in its place:
    the links dance.
    """

    def __init__(self, main: int, every: int, options: Sequence[Sequence[int]]) -> None:
        self.right = [*range(1, main + 1), 0, *range(main + 1, every + 1)]
        self.left = [0] * (every + 1)
        for index, right in enumerate(self.right):
            self.left[right] = index
        self.item = list(range(every + 1))
        self.up, self.down = self.item.copy(), self.item.copy()
        self.sizes = [0] * (every + 1)
        self.option = [-1] * (every + 1)
        self.others: list[list[int]] = [[] for _ in self.item]  # nodes of the same option
        for index, heads in enumerate(options):
            nodes = range(len(self.item), len(self.item) + len(heads))
            for node, head in zip(nodes, heads, strict=True):
                last = self.up[head]
                self.item.append(head)
                self.up.append(last)
                self.down.append(head)
                self.down[last] = self.up[head] = node
                self.sizes[head] += 1
                self.option.append(index)
                self.others.append([other for other in nodes if other != node])

    def smallest(self) -> int:
        """Return the first item with the fewest options, or 0 if all items are covered."""
        best, item = 0, self.right[0]
        while item:
            if not best or self.sizes[item] < self.sizes[best]:
                best = item
            item = self.right[item]
        return best

    def nodes(self, item: int) -> list[int]:
        """Return the nodes of an item, the last one first."""
        nodes = [self.up[item]]
        while nodes[-1] != item:
            nodes.append(self.up[nodes[-1]])
        return nodes[:-1]

    def cover(self, item: int) -> None:
        """Unlink an item, and its options from all their other items."""
        left, right = self.left[item], self.right[item]
        # What is unlinked keeps links of its own, by which it is put back.
        self.right[left], self.left[right] = right, left
        for node in reversed(self.nodes(item)):
            for other in self.others[node]:
                up, down = self.up[other], self.down[other]
                self.down[up], self.up[down] = down, up
                self.sizes[self.item[other]] -= 1

    def uncover(self, item: int) -> None:
        """Undo `cover`, in the reverse order."""
        for node in self.nodes(item):
            for other in reversed(self.others[node]):
                self.down[self.up[other]] = self.up[self.down[other]] = other
                self.sizes[self.item[other]] += 1
        self.right[self.left[item]] = self.left[self.right[item]] = item


def _iterate_covers(links: _Links, source: RandomSource | None) -> Iterator[list[int]]:
    """Yield the numbers of the options of each solution, by Algorithm X without recursion."""
    chosen: list[int] = []  # a node of each option, and before the first try the head of its item
    waiting: list[list[int]] = []  # at each level the nodes still to be tried, last one first
    while True:
        item = links.smallest()
        if item:
            links.cover(item)
            nodes = links.nodes(item)
            if source is not None:
                nodes = [nodes[choice] for choice in source.permutations([len(nodes)]).tolist()]
            waiting.append(nodes)
            chosen.append(item)
        else:
            yield [links.option[node] for node in chosen]
        while chosen:
            # Undo the last option of this level; on the first try there is none to undo.
            for other in reversed(links.others[chosen[-1]]):
                links.uncover(links.item[other])
            if waiting[-1]:
                chosen[-1] = waiting[-1].pop()
                for other in links.others[chosen[-1]]:
                    links.cover(links.item[other])
                break
            # All options of the item failed: put it back, and go on with the item before it.
            links.uncover(links.item[chosen.pop()])
            waiting.pop()
        else:
            return


CoverItem: TypeAlias = tuple[str, int]  # ("cell", number), or the name of a house and a digit
Placement: TypeAlias = tuple[int, int]  # cell and digit, both from 0


def puzzle_cover(puzzle: PuzzleLike | Variant) -> ExactCover[CoverItem, Placement]:
    """Return the exact cover problem of a puzzle, or of the empty sheet of a variant.

    Each option puts a digit in a cell. Items are the cells, and each digit of each house, optional
    where the house has fewer cells. An empty 9x9 sheet has 729 options and 324 items.

    Parameters
    ----------
    puzzle : SudokuPuzzle, Variant, str or array_like
        The puzzle, or the rules of an empty sheet.
    """
    puzzle = SudokuPuzzle.empty(puzzle) if isinstance(puzzle, Variant) else as_puzzle(puzzle)
    variant = puzzle.variant
    if variant.constraints:
        raise UnsupportedError("exact cover knows houses alone", hint="use solutions()")
    every = range(variant.digits)
    names: list[list[str]] = [[] for _ in variant.cells]
    items: list[CoverItem] = [("cell", cell) for cell in range(len(variant.cells))]
    optional: list[CoverItem] = []
    for house in variant.houses:
        for cell in house.cells:
            names[cell].append(house.name)
        kind = items if len(house.cells) == variant.digits else optional
        kind += [(house.name, digit) for digit in every]
    options = {
        (cell, digit): [("cell", cell), *((name, digit) for name in names[cell])]
        for cell, given in enumerate(puzzle.givens.tolist())
        for digit in (every if given < 0 else (given,))
    }
    return ExactCover(items, options, optional=optional)


def cover_solutions(puzzle: PuzzleLike, *, source: SeedLike = None) -> Iterator[SudokuPuzzle]:
    """Yield every solution once, by dancing links: `solutions` in another order, and a check on it.

    It takes any number of digits, and is slower.

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
