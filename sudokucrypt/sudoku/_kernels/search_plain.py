"""The fallback of the general search: any groups of cells, up to 64 digits.

The candidates of a cell are the bits of one number. A *unit* is a group with as many cells as
there are digits, so that each digit has exactly one place in it; how many cells of a unit may
still hold a digit is counted, and both kinds of singles are found when a number falls to one.
What is taken away goes on a trail, from which it comes back when a trial fails.
"""

from collections.abc import Iterator
from functools import reduce
from operator import and_, or_
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sudokucrypt.sudoku.model.constraints import RelationTables

IndexTable = NDArray[np.int32]

# No search has as many failures, so that it never begins anew.
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
        relations: "RelationTables | None" = None,
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
        # First choices may be hopeless, hence restarts; but where an order was drawn, it is kept.
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
        self._relations = _relations_of(relations) if relations else []
        self._watching = _parts(relations.watch_ends, relations.watching) if relations else []
        self._stack = list(range(len(self._relations)))  # relations to look at again
        self._stacked = [True] * len(self._relations)
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
                # Weights cost time at every choice, so they wait until a search is seen to be hard.
                self._weighted |= self._strong and self._failures == 10
                if self._failures >= self._most_failures and self._trials:
                    self._failures = 0
                    # Longer each time, so that a search that needs many nodes ends in the end.
                    self._most_failures += self._most_failures // 2
                    self._back_to(0)
            elif trial := self._choice():
                self._trials.append((*trial, len(self._trail)))
                self._keep(*trial)
            else:
                if count < len(found):
                    found[count] = [bits.bit_length() - 1 for bits in self._candidates]
                count += 1
                # From the first solution on, a restart would count solutions twice.
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
                # Counts are kept up to date, since looking for the places again would cost more.
                places[digit] -= 1
                if places[digit] == 1:
                    self._single_places.append((unit, digit))
                elif not places[digit]:
                    consistent = False
                    self._weights[unit][digit] += 1
                elif places[digit] <= self._widest:
                    self._waiting.setdefault((unit, digit))
        if self._watching:
            self._stack_watching(cell)
        return consistent

    def _stack_watching(self, cell: int) -> None:
        """Note the relations of a cell, each of them once."""
        for index in self._watching[cell]:
            if not self._stacked[index]:
                self._stacked[index] = True
                self._stack.append(index)

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
            # Singles first: they are the cheapest, and spare most of the dearer looks.
            elif not self._waiting and not self._stack:
                return True
            elif not self._look():
                return False

    def _look(self) -> bool:
        """Look at what may be locked, and then at the relation that was noted last."""
        if self._waiting:
            return self._strike_near(*self._waiting.popitem()[0])
        index = self._stack.pop()
        self._stacked[index] = False
        form, *parts = self._relations[index]
        return (self._pair, self._sets, self._total, self._automaton)[form](*parts)

    def _leave(self, cell: int, bits: int) -> bool:
        """Strike out what is not among these candidates."""
        return self._strike(cell, self._candidates[cell] & ~bits)

    def _pair(self, cells: list[int], data: list[int], *_: Any) -> bool:
        """Leave what goes with a candidate of the other cell."""
        half = len(data) // 2
        one, two = cells
        for here, there, table in ((one, two, data[:half]), (two, one, data[half:])):
            allowed = 0
            for digit in digits_of(self._candidates[here]):
                allowed |= table[digit]
            if not self._leave(there, allowed):
                return False
        return True

    def _sets(self, cells: list[int], data: list[int], *_: Any) -> bool:
        """Leave the digits of sets that fit, and place those of all that have one cell."""
        bits = [self._candidates[cell] for cell in cells]
        union = reduce(or_, bits)
        fitting = [s for s in data if not s & ~union and all(s & b for b in bits)]
        if not fitting:
            return False
        some, common = reduce(or_, fitting), reduce(and_, fitting)
        if not all(self._leave(cell, some) for cell in cells):
            return False
        for digit in digits_of(common) if len(cells) > 1 else ():
            holding = [cell for cell in cells if self._candidates[cell] >> digit & 1]
            if not holding or (len(holding) == 1 and not self._leave(holding[0], 1 << digit)):
                return False
        return True

    def _total(self, cells: list[int], _: Any, weights: list[int], total: int) -> bool:
        """Leave what the least and the greatest sums of the others allow."""
        ends = []
        for cell, weight in zip(cells, weights, strict=True):
            bits = self._candidates[cell]
            low, high = (bits & -bits).bit_length(), bits.bit_length()
            ends.append(
                (weight * low, weight * high) if weight > 0 else (weight * high, weight * low)
            )
        least, most = sum(low for low, _ in ends), sum(high for _, high in ends)
        for cell, weight, (low, high) in zip(cells, weights, ends, strict=True):
            first, last = total - most + high, total - least + low
            digits = digits_of(self._candidates[cell])
            allowed = sum(1 << d for d in digits if first <= weight * (d + 1) <= last)
            if not self._leave(cell, allowed):
                return False
        return True

    def _automaton(self, cells: list[int], data: list[int], *_: Any) -> bool:
        """Leave what some accepted way through the states reads in each cell."""
        width = len(self._ranks[0]) + 1
        layers = [{0}]  # the states that candidates lead to before each cell
        for cell in cells:
            digits = [*digits_of(self._candidates[cell])]
            after = {data[state * width + digit + 1] for state in layers[-1] for digit in digits}
            layers.append({state - 1 for state in after if state})
        # Backwards: of the states that can be reached, those from which an end is reached.
        alive = {state for state in layers.pop() if data[state * width]}
        for cell, states in zip(reversed(cells), reversed(layers), strict=True):
            digits = [*digits_of(self._candidates[cell])]
            ways = [(state, digit) for state in states for digit in digits
                    if data[state * width + digit + 1] - 1 in alive]  # fmt: skip
            if not self._leave(cell, sum(1 << digit for digit in {digit for _, digit in ways})):
                return False
            alive = {state for state, _ in ways}
        return True

    def _strike_near(self, unit: int, digit: int) -> bool:
        """Strike out a digit wherever all its places in a unit are seen."""
        places = [cell for cell in self._units[unit] if self._candidates[cell] >> digit & 1]
        seen = sorted(set.intersection(*(self._near[cell] for cell in places)))
        # A single place is drawn elsewhere.
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
        for index in self._stack:
            self._stacked[index] = False
        self._stack.clear()
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
        # The other branch: all solutions with this trial are known now.
        self._strike(cell, 1 << digit)  # it had at least two candidates and places


def _relations_of(tables: "RelationTables") -> list[tuple[Any, ...]]:
    """Return form, cells, data, weights and total of each relation."""
    return [
        *zip(
            tables.forms.tolist(),
            _parts(tables.cell_ends, tables.cells),
            _parts(tables.data_ends, tables.data),
            _parts(tables.cell_ends, tables.weights),
            tables.totals.tolist(),
            strict=True,
        )
    ]


def _parts(ends: IndexTable, numbers: NDArray[Any]) -> list[list[int]]:
    """Cut an array at its ends."""
    return [part.tolist() for part in np.split(numbers, ends[1:-1])]


def digits_of(bits: int) -> Iterator[int]:
    """Yield the digits of a set of candidates, lowest first."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
