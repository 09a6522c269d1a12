"""The candidates of all cells while a puzzle is solved by hand."""

from array import array
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING

from sudokucrypt.kernels import load_kernels
from sudokucrypt.sudoku._kernels.deduction import names
from sudokucrypt.sudoku.deducing.levels import Technique
from sudokucrypt.sudoku.deducing.steps import Link, Step
from sudokucrypt.sudoku.model.variant import Variant

if TYPE_CHECKING:
    from sudokucrypt.sudoku._kernels import deducing_plain as _kernels
else:
    _kernels = load_kernels("sudokucrypt.sudoku._kernels", "deducing")


def _tenths(technique: Technique) -> int:
    return round(10 * technique.rating)


_THREE_LINKS = 54  # the rating of X-chains of three strong links
_RATINGS = {technique: _tenths(technique) for technique in Technique} | {
    Technique.X_CHAIN: _THREE_LINKS
}
_FAMILIES = {name: number for number, name in enumerate(_kernels.FAMILIES)}
# Some are looked for before others of the same rating.
_LOWEST = _RATINGS | {Technique.W_WING: 70, Technique.FINNED_X_WING: 42}
_ORDER = sorted(
    (technique for technique in Technique if technique.look),
    key=lambda technique: (_LOWEST[technique], technique),
)


def _list_looks() -> list[int]:
    """Return the rows of the kernel's table: family, rating and arguments of each technique."""
    rows: list[int] = []
    for technique in Technique:
        family, *arguments = technique.look or (None,)
        row = [-1 if family is None else _FAMILIES[str(family)], _RATINGS[technique]]
        row += [each if isinstance(each, int) else Technique[each] for each in arguments]
        rows += [*row, *[-1] * (names.LOOK_SIZE - len(row))]
    return rows


# These rest on digits that could be exchanged, which constraints may forbid.
_BY_EXCHANGE = (Technique.UNIQUE_RECTANGLE, Technique.UNIQUE_LOOP, Technique.BIVALUE_GRAVE)
# Steps name the bases of fish before what covers them, and loops from cell to cell.
_TECHNIQUES = tuple(Technique)
_FISH = {int(each) for each in Technique if each.name.endswith(("FISH", "X_WING", "CANDIDATES"))}
_IN_ORDER = _FISH | {int(Technique.UNIQUE_RECTANGLE), int(Technique.UNIQUE_LOOP)}
_WRONG = 1 << 20  # beside the number of cells of a link that is supposed wrong
_CLASHING = -2  # where chains end in a contradiction


class HouseTables:
    """The houses and peers of a variant as flat arrays, by index, for the kernel."""

    def __init__(self, variant: Variant) -> None:
        houses = [house.cells for house in variant.houses]
        positions = variant.cells
        self.cells, self.digits, self.houses = len(positions), variant.digits, len(houses)
        self.widest = max(map(len, houses), default=1)
        of_cell: list[list[tuple[int, int]]] = [[] for _ in positions]
        for house, cells in enumerate(houses):
            for index, cell in enumerate(cells):
                of_cell[cell].append((house, index))
        self.most = max(map(len, of_cell))
        self.span = max(variant.shape)
        self._list_houses(houses, of_cell)
        self._list_peers([variant.peers(cell).tolist() for cell in range(self.cells)])
        self.full = array("B", [len(cells) == variant.digits for cells in houses])
        # Fish need rows and columns, and the ease of singles depends on them.
        self.axis = array("B", [_axis([positions[cell] for cell in cells]) for cells in houses])
        self.easiest = array(
            "i", sorted(range(self.houses), key=lambda house: self.axis[house] > 0)
        )
        self.shared = array("Q", [0]) * (self.houses * self.houses)
        for pairs in of_cell:
            for house, index in pairs:
                for other, _ in pairs:
                    self.shared[house * self.houses + other] |= 1 << index
        self.constrained = bool(variant.constraints)
        self.spare: list[_kernels.Deduction] = []
        self.coordinates = array("i", [at for position in positions for at in position])
        self.line_at = array("i", [0]) * (2 * self.span)
        for house, cells in enumerate(houses):
            if self.axis[house]:
                place = positions[cells[0]][self.axis[house] - 1]
                self.line_at[(self.axis[house] - 1) * self.span + place] = house
        lines = [house for house in range(self.houses) if self.axis[house]]
        self.simple = (
            variant.shape == (self.digits, self.digits)
            and all(
                [positions[cell][2 - self.axis[house]] for cell in houses[house]]
                == list(range(self.digits))
                for house in lines
            )
            and len(lines) == 2 * self.digits
        )
        self.everywhere = array(
            "Q", [(1 << len(cells)) - 1 for cells in houses for _ in range(self.digits)]
        )

    def _list_houses(
        self, houses: list[tuple[int, ...]], of_cell: list[list[tuple[int, int]]]
    ) -> None:
        """Have the cells of each house, and the houses of each cell, with -1 beyond the last."""
        padded = [[*cells, *[-1] * (self.widest - len(cells))] for cells in houses]
        self.members = array("i", [cell for cells in padded for cell in cells])
        filled = [[*pairs, *[(-1, 0)] * (self.most - len(pairs))] for pairs in of_cell]
        self.houses_of = array("i", [house for pairs in filled for house, _ in pairs])
        self.index_in = array("i", [index for pairs in filled for _, index in pairs])

    def _list_peers(self, peers: list[list[int]]) -> None:
        """Have the cells that see each cell, as lists, as a table and as bits."""
        self.peer_ends = array("i", [0, *accumulate(map(len, peers))])
        self.peers = array("i", [peer for each in peers for peer in each])
        self.near = array("B", bytes(self.cells * self.cells))
        self.cell_words = (self.cells + 63) // 64
        self.seen_by = array("Q", [0]) * (self.cells * self.cell_words)
        for cell, each in enumerate(peers):
            for peer in each:
                self.near[cell * self.cells + peer] = 1
                self.seen_by[cell * self.cell_words + (peer >> 6)] |= 1 << (peer & 63)

    def kernel(self) -> "_kernels.Deduction":
        """Return a kernel for these houses, one that is no longer needed if there is any."""
        if self.spare:
            return self.spare.pop()
        order = [each for each in _ORDER if not self.constrained or each not in _BY_EXCHANGE]
        lowest = [_LOWEST[technique] for technique in order]
        return _kernels.Deduction(self, [int(each) for each in order], lowest, _list_looks())


def _axis(positions: Sequence[tuple[int, ...]]) -> int:
    """Return 1 for cells of a row, 2 for those of a column, else 0."""
    return next((axis + 1 for axis in (0, 1) if len({at[axis] for at in positions}) == 1), 0)


@lru_cache(maxsize=16)  # one for each variant
def house_tables(variant: Variant) -> HouseTables:
    """Return the tables of a variant, which many boards share."""
    return HouseTables(variant)


class CandidateBoard:
    """The candidates of a sheet, and the next step; digits and cells are counted from 0."""

    def __init__(self, variant: Variant, givens: Sequence[int]) -> None:
        self.variant = variant
        self._tables = house_tables(variant)
        self._kernel = self._tables.kernel()
        self._kernel.restart(givens)

    @property
    def candidates(self) -> list[int]:
        """The candidates of each cell as bits."""
        return self._kernel.marks()

    @property
    def open_cells(self) -> list[int]:
        """The cells that are not settled."""
        return self._kernel.open_cells()

    @property
    def broken(self) -> bool:
        """Whether a cell or a house was seen to have no candidate left."""
        return self._kernel.is_broken()

    def settle(self, cell: int, digit: int) -> None:
        """Put a digit in a cell, and strike it from the cells that see it."""
        self._kernel.settle(cell, digit)

    def strike(self, cell: int, digit: int) -> None:
        """Remove a candidate of a cell."""
        self._kernel.strike(cell, digit)

    def lowest_step(self) -> Step | None:
        """Return a step of the lowest rating, or None if there is nothing but trial."""
        return self._step() if self._kernel.search() else None

    def first_step(self, techniques: Iterable[Technique]) -> Step | None:
        """Return a step of the first of these techniques that leads on, or None."""
        return self._step() if self._kernel.first(array("i", techniques)) else None

    def rate(self, techniques: Iterable[Technique] = ()) -> list[tuple[int, int]]:
        """Solve on to where only trial helps; return technique and rating in tenths of each step.

        With `techniques`, the first of these that leads on is used each time, and no other.
        """
        return self._kernel.rate(array("i", techniques))

    def release(self) -> None:
        """Leave the room of this board, which is of no use then, to the next one."""
        self._tables.spare.append(self._kernel)
        del self._kernel

    def apply(self, step: Step) -> None:
        """Carry out a step."""
        if step.placed:
            self.settle(*step.placed)
        else:
            for cell, digit in step.struck:
                self.strike(cell, digit)

    def _step(self) -> Step | None:
        technique, rating, cells, digits, houses, placed, struck, links = self._kernel.step()
        direct = placed[0] >= 0  # houses in the order of the argument
        return Step(
            _TECHNIQUES[technique],
            tuple(cells if technique in _IN_ORDER or not links else sorted(cells)),
            tuple(digits),
            tuple(houses if technique in _FISH or direct else sorted(houses)),
            tuple(sorted(set(struck))),
            self.variant,
            rating / 10,
            _chains(links),
            placed=placed if direct else None,
        )


def _chains(links: Sequence[int]) -> tuple[tuple[Link, ...], ...]:
    """Read chains: the number of cells, cells, digit and house of each link, -1 at an end."""
    chains: list[tuple[Link, ...]] = []
    chain: list[Link] = []
    index = 0
    while index < len(links):
        count = links[index]
        if count < 0:
            if count == _CLASHING:
                chains[-2:] = [(*chains[-2], *[Link((), None, None)], *chains[-1])]
            else:
                chains.append(tuple(chain))
                chain = []
            index += 1
            continue
        end = index + 1 + (count & ~_WRONG)
        digit, house = links[end : end + 2]
        cells = tuple(links[index + 1 : end])
        chain.append(Link(cells, digit, None if house < 0 else house, not count & _WRONG))
        index = end + 2
    return tuple(chains)
