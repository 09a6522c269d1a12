"""The candidates of all cells while a puzzle is solved by hand."""

from collections import deque
from collections.abc import Iterable
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple, Self

from sudokucrypt.sudoku._kernels.search_plain import digits_of
from sudokucrypt.sudoku.deducing.steps import Link, Step
from sudokucrypt.sudoku.model.variant import Variant


class Conclusion(NamedTuple):
    """What a technique concludes, as in `Step`; the rating if it is not the least one."""

    cells: Iterable[int]
    digits: Iterable[int]
    houses: Iterable[int]
    struck: Iterable[tuple[int, int]]
    rating: float | None = None
    chains: tuple[tuple[Link, ...], ...] = ()


@lru_cache(maxsize=16)  # one for each variant
class HouseTables:
    """The houses and peers of a variant as lists and as bit sets, by index."""

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self.houses = [house.cells for house in variant.houses]
        self.full = [len(cells) == variant.digits for cells in self.houses]
        self.masks = [sum(1 << cell for cell in cells) for cells in self.houses]
        self.houses_of: list[list[int]] = [[] for _ in variant.cells]
        for house, cells in enumerate(self.houses):
            for cell in cells:
                self.houses_of[cell].append(house)
        self.peers = [variant.peers(cell).tolist() for cell in range(len(variant.cells))]
        self.near = [frozenset(peers) for peers in self.peers]
        self.seen = [sum(1 << peer for peer in peers) for peers in self.peers]
        # Houses that are rows, and those that are columns; fish need them, and the ease of singles.
        self.lines = self._lines(0), self._lines(1)
        self.across = self._across(0), self._across(1)
        self.is_line = [house in self.lines[0] + self.lines[1] for house in range(len(self.houses))]
        self.by_ease = sorted(range(len(self.houses)), key=self.is_line.__getitem__)
        self.crossing = self._crossing()

    def _lines(self, axis: int) -> list[int]:
        """Return the houses whose cells are in one row, or in one column."""
        cells_of = self.variant.cells
        return [
            house
            for house, cells in enumerate(self.houses)
            if len({cells_of[cell][axis] for cell in cells}) == 1
        ]

    def _across(self, axis: int) -> list[int]:
        """Return all rows of the sheet, or all columns, as bit sets of cells."""
        masks = [0] * self.variant.shape[axis]
        for cell, position in enumerate(self.variant.cells):
            masks[position[axis]] |= 1 << cell
        return masks

    def _crossing(self) -> list[tuple[int, int]]:
        """Return the pairs of full houses that share two cells or more."""
        full = [house for house, full in enumerate(self.full) if full]
        masks = self.masks
        pairs = combinations(full, 2)
        return [pair for pair in pairs if (masks[pair[0]] & masks[pair[1]]).bit_count() > 1]

    def common(self, cells: Iterable[int]) -> set[int]:
        """Return the houses that hold all of these cells."""
        return set.intersection(*(set(self.houses_of[cell]) for cell in cells))

    def seeing(self, cells: Iterable[int]) -> list[int]:
        """Return the cells that see all of these."""
        return sorted(frozenset.intersection(*(self.near[cell] for cell in cells)))


class CandidateBoard:
    """The candidates of all cells, and which cells are settled.

    The candidates of a cell are the bits of one number. `singles` are cells whose candidates fell
    to one, in that order, and `stale` houses that lost a candidate since they were last searched
    for hidden singles. After a wrong supposition a cell may have no candidate: `broken`.
    """

    def __init__(self, variant: Variant, givens: list[int]) -> None:
        self.layout = HouseTables(variant)
        self.candidates = [(1 << variant.digits) - 1] * len(givens)
        self.settled = [False] * len(givens)
        self.left = len(givens)
        self.singles: deque[int] = deque()
        # Only houses that lost a candidate can have a new hidden single.
        self.stale = set(range(len(self.layout.houses)))
        self.broken = False
        for cell, digit in enumerate(givens):
            if digit >= 0:
                self.settle(cell, digit)

    def copy(self) -> Self:
        """Return a board that changes on its own."""
        other = object.__new__(type(self))  # `copy.copy` would make attributes slower
        other.layout, other.left, other.broken = self.layout, self.left, self.broken
        other.candidates, other.settled = self.candidates.copy(), self.settled.copy()
        other.singles, other.stale = self.singles.copy(), self.stale.copy()
        return other

    def open_cells(self, cells: Iterable[int]) -> list[int]:
        """Return those of the cells that are not settled."""
        return [cell for cell in cells if not self.settled[cell]]

    def mask(self, digit: int) -> int:
        """Return the open cells that may hold a digit, as the bits of one number."""
        return sum(
            1 << cell
            for cell, bits in enumerate(self.candidates)
            if bits >> digit & 1 and not self.settled[cell]
        )

    def positions(self, house: int, digit: int) -> list[int]:
        """Return the open cells of a house that may hold a digit."""
        bit = 1 << digit
        cells = self.layout.houses[house]
        return [cell for cell in cells if self.candidates[cell] & bit and not self.settled[cell]]

    def holding(self, cells: Iterable[int], bits: int) -> list[tuple[int, int]]:
        """Return the candidates of open cells that are among these bits, with their cells."""
        return [
            (cell, digit)
            for cell in self.open_cells(cells)
            for digit in digits_of(self.candidates[cell] & bits)
        ]

    def settle(self, cell: int, digit: int) -> None:
        """Put a digit in a cell, and strike it from the cells that see it."""
        self.broken = self.broken or not self.candidates[cell] >> digit & 1
        if self.candidates[cell] != 1 << digit:
            self.candidates[cell] = 1 << digit
            self.stale.update(self.layout.houses_of[cell])
        self.settled[cell] = True
        self.left -= 1
        for peer in self.layout.peers[cell]:
            if self.candidates[peer] >> digit & 1:
                self.strike(peer, digit)

    def strike(self, cell: int, digit: int) -> None:
        """Remove a candidate of a cell."""
        left = self.candidates[cell] ^ 1 << digit
        self.candidates[cell] = left
        self.stale.update(self.layout.houses_of[cell])
        # One candidate is left, or none.
        if not left & (left - 1):
            self.broken = self.broken or not left
            self.singles.append(cell)

    def apply(self, step: Step) -> None:
        """Carry out a step."""
        if step.placed:
            self.settle(*step.placed)
        else:
            for cell, digit in step.struck:
                self.strike(cell, digit)
