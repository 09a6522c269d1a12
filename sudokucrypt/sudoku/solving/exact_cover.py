"""Exact cover by dancing links: choose options so that every item is in exactly one of them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Generic, TypeAlias, TypeVar

import numpy as np

from sudokucrypt.checks import checked_integer
from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.typing import RandomSource

Item = TypeVar("Item", bound="Hashable")
Name = TypeVar("Name", bound="Hashable")


class ExactCover(Generic[Item, Name]):
    """An exact cover problem.

    Parameters
    ----------
    items : iterable of hashable
        Each must be in exactly one of the chosen options.
    options : mapping from name to iterable of items
        What can be chosen, in the order in which it is tried.
    optional : iterable of hashable
        Items that may be in one of the chosen options, or in none. An option that has only such
        items is never chosen.

    Raises
    ------
    InvalidParameterError
        If an item is given twice, or an option is empty, repeats an item or has an unknown one.

    Notes
    -----
    Algorithm X branches on an item with the fewest options left. Items and options are the rows
    and columns of a sparse table of linked nodes; unlinking a node leaves its own links as they
    were, so that it can be put back in its place: the links dance. There is no recursion, and the
    search may go as deep as there are items.

    References
    ----------
    D. E. Knuth, The Art of Computer Programming, volume 4B, section 7.2.2.1 (2022).

    Examples
    --------
    >>> cover = ExactCover("abcdefg", {1: "ce", 2: "adg", 3: "bcf", 4: "adf", 5: "bg", 6: "deg"})
    >>> list(cover.solutions())
    [(4, 5, 1)]
    >>> ExactCover("a", {1: "ax", 2: "ay"}, optional="xy").count()
    2
    """

    def __init__(
        self,
        items: Iterable[Item],
        options: Mapping[Name, Iterable[Item]],
        *,
        optional: Iterable[Item] = (),
    ) -> None:
        main = list(items)
        every = [*main, *optional]
        numbers = {item: number for number, item in enumerate(every, 1)}
        if len(numbers) < len(every):
            raise InvalidParameterError("the items of an exact cover problem must differ")
        self._names = list(options)
        self._right = [*range(1, len(main) + 1), 0, *range(len(main) + 1, len(every) + 1)]
        # Node 0 is the root of the list of items, and nodes 1, 2, ... head the lists of options.
        self._down = list(range(len(every) + 1))
        self._up = list(self._down)
        self._item = list(self._down)
        self._sizes = [0] * (len(every) + 1)
        self._option = [-1] * (len(every) + 1)
        self._ranges: list[range] = []
        for name, members in options.items():
            self._add(name, list(members), numbers)
        self._left = [0] * len(self._right)
        for number, right in enumerate(self._right):
            self._left[right] = number

    def _add(self, name: Name, members: list[Item], numbers: Mapping[Item, int]) -> None:
        if not members or len(set(members)) < len(members):
            raise InvalidParameterError(f"option {name!r} needs items that all differ")
        start = len(self._item)
        for node, item in enumerate(members, start):
            head = numbers.get(item)
            if head is None:
                raise InvalidParameterError(f"option {name!r} has the unknown item {item!r}")
            last = self._up[head]
            self._item.append(head)
            self._up.append(last)
            self._down.append(head)
            self._down[last] = self._up[head] = node
            self._sizes[head] += 1
            self._option.append(len(self._ranges))
        self._ranges.append(range(start, len(self._item)))

    def solutions(self, *, source: RandomSource | None = None) -> Iterator[tuple[Name, ...]]:
        """Yield every solution once: the names of the options, in the order of their choice.

        Parameters
        ----------
        source : RandomSource, optional
            Draws the order in which the options of an item are tried; without it they are tried in
            the order in which they were given. Any solution may come first, but they are not
            equally likely to.
        """
        for nodes in _Dance(self, source).run():
            yield tuple(self._names[self._option[node]] for node in nodes)

    def count(self, limit: int | None = None) -> int:
        """Return how many solutions there are, or `limit` if there are at least as many."""
        if limit is not None:
            limit = checked_integer("the limit", limit, least=1)
        count = 0
        for _ in _Dance(self, None).run():
            count += 1
            if count == limit:
                break
        return count


class _Dance(Generic[Item, Name]):
    """One search, with links of its own."""

    def __init__(self, cover: ExactCover[Item, Name], source: RandomSource | None) -> None:
        self._left, self._right = cover._left.copy(), cover._right.copy()
        self._up, self._down = cover._up.copy(), cover._down.copy()
        self._sizes = cover._sizes.copy()
        self._item, self._option, self._ranges = cover._item, cover._option, cover._ranges
        self._source = source

    def run(self) -> Iterator[list[int]]:
        """Yield a node of each option chosen, the same list every time."""
        chosen: list[int] = []
        waiting: list[list[int]] = []  # at each level the nodes still to be tried, last one first
        while True:
            item = self._smallest()
            if item:
                self._cover(item)
                waiting.append(self._nodes(item))
                chosen.append(item)
            else:
                yield chosen
            while chosen:
                node = chosen[-1]
                if self._option[node] >= 0:
                    self._drop(node)
                if waiting[-1]:
                    chosen[-1] = waiting[-1].pop()
                    self._take(chosen[-1])
                    break
                self._uncover(self._item[node])
                chosen.pop()
                waiting.pop()
            else:
                return

    def _smallest(self) -> int:
        """Return the first item with the fewest options, or 0 if all items are covered."""
        best, item = 0, self._right[0]
        while item:
            if not best or self._sizes[item] < self._sizes[best]:
                best = item
            item = self._right[item]
        return best

    def _nodes(self, item: int) -> list[int]:
        """Return the nodes of an item in the order in which they are taken from the end."""
        nodes = []
        node = self._up[item]
        while node != item:
            nodes.append(node)
            node = self._up[node]
        if self._source is not None:
            nodes = [nodes[place] for place in self._source.permutations([len(nodes)]).tolist()]
        return nodes

    def _take(self, node: int) -> None:
        """Cover the other items of the node's option."""
        for other in self._ranges[self._option[node]]:
            if other != node:
                self._cover(self._item[other])

    def _drop(self, node: int) -> None:
        """Undo `_take`."""
        for other in reversed(self._ranges[self._option[node]]):
            if other != node:
                self._uncover(self._item[other])

    def _cover(self, item: int) -> None:
        """Unlink an item, and its options from all their other items."""
        left, right = self._left[item], self._right[item]
        self._right[left], self._left[right] = right, left
        node = self._down[item]
        while node != item:
            for other in self._ranges[self._option[node]]:
                if other != node:
                    up, down = self._up[other], self._down[other]
                    self._down[up], self._up[down] = down, up
                    self._sizes[self._item[other]] -= 1
            node = self._down[node]

    def _uncover(self, item: int) -> None:
        """Undo `_cover`, in the reverse order."""
        node = self._up[item]
        while node != item:
            for other in reversed(self._ranges[self._option[node]]):
                if other != node:
                    self._down[self._up[other]] = self._up[self._down[other]] = other
                    self._sizes[self._item[other]] += 1
            node = self._up[node]
        self._right[self._left[item]] = self._left[self._right[item]] = item


CoverItem: TypeAlias = tuple[str, int]
"""("cell", number), or the name of a house and a digit."""

Placement: TypeAlias = tuple[int, int]
"""Cell and digit, both from 0."""


def puzzle_cover(puzzle: SudokuPuzzle | Variant) -> ExactCover[CoverItem, Placement]:
    """Return the exact cover problem of a puzzle, or of the empty sheet of a variant.

    Each option puts a digit in a cell. Items are the cells, and each digit of each house; the
    digits of a house with fewer cells than there are digits are optional.

    Notes
    -----
    An empty 9x9 sheet has 729 options and 324 items. A given leaves one option for its cell.

    Examples
    --------
    >>> puzzle_cover(Variant.latin(3)).count()
    12
    >>> puzzle_cover(Variant.array((2, 1, 1, 2))).count()
    2
    """
    if isinstance(puzzle, Variant):
        puzzle = SudokuPuzzle.empty(puzzle)
    variant = puzzle.variant
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


def cover_solutions(
    puzzle: SudokuPuzzle, *, source: RandomSource | None = None
) -> Iterator[SudokuPuzzle]:
    """Yield every solution once, by dancing links.

    The same as `solutions` in another order, for any number of digits; slower, and a check on it.

    Examples
    --------
    >>> puzzle = SudokuPuzzle.from_text("1... ..2. .3.. ...4")
    >>> [solution.to_text() for solution in cover_solutions(puzzle)]
    ['1243342143122134']
    """
    for placements in puzzle_cover(puzzle).solutions(source=source):
        givens = np.empty(len(puzzle.givens), dtype=np.int32)
        for cell, digit in placements:
            givens[cell] = digit
        yield SudokuPuzzle._trusted(givens, puzzle.variant)
