"""The fallback of the general search: any groups of cells, up to 64 digits.

The candidates of a cell are the bits of one number. A *unit* is a group with as many cells as
there are digits, so that each digit has exactly one place in it; how many cells of a unit may
still hold a digit is counted, and both kinds of singles are found when a number falls to one.
What is taken away goes on a trail, from which it comes back when a trial fails.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

IndexTable = NDArray[np.int32]

NEVER = 1 << 62


class Search:
    """A search for all ways to fill the open cells that goes on in steps.

    At each node all naked and hidden singles are drawn. Then comes the first cell with fewest
    candidates or, with `by_places`, the first digit of the first unit with even fewer places. The
    candidate of lowest rank there is tried, then struck out.

    `sudokucrypt.sudoku.model.variant.Rules` describes what comes up to `widest`. `givens` are -1 in
    open cells. Of several cells with fewest candidates the first in `order` is taken, and `ranks`,
    of shape (cells, values), say which candidates are tried first. Branching on places too gives
    the shorter proof that there is no other solution; what is filled at random without it gets
    lost less often (order 49: in seconds, not minutes).

    Without `ranks` a stronger search is meant, and `order` and `by_places` mean nothing. It strikes
    out locked candidates too: if a digit has few places left in a unit, no cell that sees them all
    can hold it. Cells without a candidate and digits without a place gain weight, and from
    the tenth failure to the next solution choices are made where candidates or places by weight are
    fewest. Until there is a solution, the search begins again after 50 failures, then after half as
    many more each time; weights stay, and so does what was struck out before any trial.
    """

    def __init__(
        self,
        values: int,
        peer_ends: IndexTable,
        peers: IndexTable,
        unit_ends: IndexTable,
        units_of: IndexTable,
        units: IndexTable,
        widest: int,
        givens: IndexTable,
        order: IndexTable | None,
        ranks: IndexTable | None,
        *,
        by_places: bool,
    ) -> None:
        self._peers = _parts(peer_ends, peers)
        self._units_of = _parts(unit_ends, units_of)
        self._units: list[list[int]] = units.tolist()
        self._strong = ranks is None
        self._by_places = by_places or self._strong
        if order is None or ranks is None:
            order = np.arange(len(givens), dtype=np.int32)
            ranks = np.zeros((len(givens), values), dtype=np.int32)
        self._order, self._ranks = order.tolist(), ranks.tolist()
        self._widest = widest if self._strong else 0
        self._near = [set(cells) for cells in self._peers] if self._strong else []
        self._failures, self._most_failures = 0, 50 if self._strong else NEVER
        self._weighted = False
        self._cell_weights = [1] * len(givens)
        self._weights = [[1] * values for _ in self._units]
        self._candidates = [(1 << values) - 1] * len(givens)
        self._places = [[values] * values for _ in self._units]
        self._trail: list[tuple[int, int]] = []
        self._trials: list[tuple[int, int, int]] = []
        self._single_cells: list[int] = []
        self._single_places: list[tuple[int, int]] = []
        self._waiting: dict[tuple[int, int], None] = {}  # what may be locked, in order
        self._log: IndexTable | None = None
        self.logged = 0
        kept = (self._keep(cell, digit) for cell, digit in enumerate(givens.tolist()) if digit >= 0)
        self.finished = not all(kept)

    def advance(
        self, found: IndexTable, limit: int, budget: int, log: IndexTable | None = None
    ) -> int:
        """Go on for at most `budget` nodes or `limit` solutions, and return how many came up.

        The first of them are written to the rows of `found`, as many as there are. Cell and digit
        of each single that is followed go to the rows of `log`, as many as there are, and `logged`
        says how many; at one node each cell comes up once at most.
        """
        self._log, self.logged = log, 0
        count = 0
        while not self.finished and count < limit and budget:
            budget -= 1
            if not self._propagate():
                self._retreat()
                self._failures += 1
                self._weighted |= self._strong and self._failures == 10
                if self._failures >= self._most_failures and self._trials:
                    self._failures = 0
                    self._most_failures += self._most_failures // 2
                    self._back_to(0)
            elif trial := self._choice():
                self._trials.append((*trial, len(self._trail)))
                self._keep(*trial)
            else:
                if count < len(found):
                    found[count] = [bits.bit_length() - 1 for bits in self._candidates]
                count += 1
                self._failures, self._most_failures, self._weighted = 0, NEVER, False
                self._retreat()
        return count

    def _keep(self, cell: int, digit: int) -> bool:
        """Strike out all other candidates of a cell; False if it may not hold this digit."""
        bits = self._candidates[cell]
        return bool(bits >> digit & 1) and self._strike(cell, bits ^ 1 << digit)

    def _strike(self, cell: int, bits: int) -> bool:
        """Strike out candidates of a cell; False if a cell or a digit has no place left."""
        if not bits:
            return True
        left = self._candidates[cell] ^ bits
        self._candidates[cell] = left
        self._trail.append((cell, bits))
        consistent = left != 0
        if not left:
            self._cell_weights[cell] += 1
        elif left.bit_count() == 1:
            self._single_cells.append(cell)
        for digit in digits_of(bits):
            for unit in self._units_of[cell]:
                places = self._places[unit]
                places[digit] -= 1
                if places[digit] == 1:
                    self._single_places.append((unit, digit))
                elif not places[digit]:
                    consistent = False
                    self._weights[unit][digit] += 1
                elif places[digit] <= self._widest:
                    self._waiting.setdefault((unit, digit))
        return consistent

    def _propagate(self) -> bool:
        """Draw all singles; False if they contradict each other."""
        while True:
            if self._single_cells:
                cell = self._single_cells.pop()
                bits = self._candidates[cell]
                if self._log is not None and self.logged < len(self._log):
                    self._log[self.logged] = cell, bits.bit_length() - 1
                    self.logged += 1
                if not all(
                    self._strike(peer, bits)
                    for peer in self._peers[cell]
                    if self._candidates[peer] & bits
                ):
                    return False
            elif self._single_places:
                unit, digit = self._single_places.pop()
                cells = self._units[unit]
                last = next(cell for cell in cells if self._candidates[cell] >> digit & 1)
                if not self._keep(last, digit):
                    return False
            elif self._waiting:
                if not self._strike_near(*self._waiting.popitem()[0]):
                    return False
            else:
                return True

    def _strike_near(self, unit: int, digit: int) -> bool:
        """Strike out a digit wherever all its places in a unit are seen."""
        places = [cell for cell in self._units[unit] if self._candidates[cell] >> digit & 1]
        seen = sorted(set.intersection(*(self._near[cell] for cell in places)))
        return len(places) == 1 or all(
            self._strike(cell, 1 << digit) for cell in seen if self._candidates[cell] >> digit & 1
        )

    def _choice(self) -> tuple[int, int] | None:
        """Return the next cell and digit to try, or None if every cell has one candidate."""
        fewest, weight, options = 1, 0, list[tuple[int, int]]()
        for cell in self._order:
            bits = self._candidates[cell]
            size, own = bits.bit_count(), self._cell_weights[cell] if self._weighted else 1
            if size > 1 and size * weight < fewest * own:
                fewest, weight = size, own
                options = [(cell, digit) for digit in digits_of(bits)]
        for unit, places in enumerate(self._places if options and self._by_places else ()):
            for digit, size in enumerate(places):
                own = self._weights[unit][digit] if self._weighted else 1
                if size > 1 and size * weight < fewest * own:
                    fewest, weight, cells = size, own, self._units[unit]
                    options = [(c, digit) for c in cells if self._candidates[c] >> digit & 1]
        return min(options, key=lambda option: self._ranks[option[0]][option[1]], default=None)

    def _back_to(self, depth: int) -> None:
        """Undo all trials but the first `depth`."""
        self._single_cells.clear()
        self._single_places.clear()
        self._waiting.clear()
        while len(self._trail) > self._trials[depth][2]:
            other, bits = self._trail.pop()
            self._candidates[other] |= bits
            for unit in self._units_of[other]:
                for returned in digits_of(bits):
                    self._places[unit][returned] += 1
        del self._trials[depth:]

    def _retreat(self) -> None:
        """Undo the last trial and strike it out, or finish if there is none."""
        if not self._trials:
            self.finished = True
            return
        cell, digit, _ = self._trials[-1]
        self._back_to(len(self._trials) - 1)
        self._strike(cell, 1 << digit)  # it had at least two candidates and places


def _parts(ends: IndexTable, numbers: IndexTable) -> list[list[int]]:
    """Cut an array at its ends."""
    return [part.tolist() for part in np.split(numbers, ends[1:-1])]


def digits_of(bits: int) -> Iterator[int]:
    """Yield the digits of a set of candidates, lowest first."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
