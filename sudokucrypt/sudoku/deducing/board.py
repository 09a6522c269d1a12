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


def _get_rating_in_tenths(technique: Technique) -> int:
    return round(10 * technique.rating)


_THREE_LINK_RATING = 54  # the rating, in tenths, of X-chains of three strong links
_RATINGS_IN_TENTHS = {technique: _get_rating_in_tenths(technique) for technique in Technique} | {
    Technique.X_CHAIN: _THREE_LINK_RATING
}
_FAMILY_NUMBERS = {name: number for number, name in enumerate(_kernels.TECHNIQUE_FAMILIES)}
# Ratings for the search order only: W-wings and finned X-wings precede techniques rated equally.
_SEARCH_ORDER_RATINGS = _RATINGS_IN_TENTHS | {Technique.W_WING: 70, Technique.FINNED_X_WING: 42}
_SEARCH_ORDER = sorted(
    (technique for technique in Technique if technique.search_arguments),
    key=lambda technique: (_SEARCH_ORDER_RATINGS[technique], technique),
)


def _list_search_arguments() -> list[int]:
    """Return the rows of the kernel's table: family, rating and arguments of each technique."""
    rows: list[int] = []
    for technique in Technique:
        family, *arguments = technique.search_arguments or (None,)
        row = [
            -1 if family is None else _FAMILY_NUMBERS[str(family)],
            _RATINGS_IN_TENTHS[technique],
        ]
        row += [value if isinstance(value, int) else Technique[value] for value in arguments]
        rows += [*row, *[-1] * (names.TECHNIQUE_ROW_SIZE - len(row))]
    return rows


# Techniques that rely on exchanging digits, which is wrong where constraints apply.
_UNIQUENESS_TECHNIQUES = (
    Technique.UNIQUE_RECTANGLE,
    Technique.UNIQUE_LOOP,
    Technique.BIVALUE_GRAVE,
)
# The steps below are not sorted: fish list the base lines before the covers, and loops list their
# cells along the loop.
_TECHNIQUES = tuple(Technique)
_FISH_NUMBERS = {
    int(technique)
    for technique in Technique
    if technique.name.endswith(("FISH", "X_WING", "CANDIDATES"))
}
_ORDERED_CELL_TECHNIQUES = _FISH_NUMBERS | {
    int(Technique.UNIQUE_RECTANGLE),
    int(Technique.UNIQUE_LOOP),
}
_CLASH_CODE = -2  # the code after two chains that contradict each other


class HouseTables:
    """The houses and peers of a variant as flat arrays, by index, for the kernel."""

    def __init__(self, variant: Variant) -> None:
        houses = [house.cells for house in variant.houses]
        positions = variant.cells
        self.cell_count, self.digit_count = len(positions), variant.digits
        self.house_count = len(houses)
        self.max_house_size = max(map(len, houses), default=1)
        houses_by_cell: list[list[tuple[int, int]]] = [[] for _ in positions]
        for house, cells in enumerate(houses):
            for index, cell in enumerate(cells):
                houses_by_cell[cell].append((house, index))
        self.max_cell_houses = max(map(len, houses_by_cell))
        self.longest_side = max(variant.shape)
        self._set_houses(houses, houses_by_cell)
        self._set_peers([variant.peers(cell).tolist() for cell in range(self.cell_count)])
        self.needs_all_digits = array("B", [len(cells) == variant.digits for cells in houses])
        # Fish use rows and columns; singles in them are harder to see than singles in boxes.
        self.house_axes = array(
            "B", [_get_axis([positions[cell] for cell in cells]) for cells in houses]
        )
        self.houses_by_ease = array(
            "i", sorted(range(self.house_count), key=lambda house: self.house_axes[house] > 0)
        )
        self.shared_cells = array("Q", [0]) * (self.house_count * self.house_count)
        for pairs in houses_by_cell:
            for house, index in pairs:
                for other_house, _ in pairs:
                    self.shared_cells[house * self.house_count + other_house] |= 1 << index
        self.has_constraints = bool(variant.constraints)
        self.unused_kernels: list[_kernels.Deduction] = []
        self.coordinates = array("i", [number for position in positions for number in position])
        self.line_houses = array("i", [0]) * (2 * self.longest_side)
        for house, cells in enumerate(houses):
            if self.house_axes[house]:
                line = positions[cells[0]][self.house_axes[house] - 1]
                self.line_houses[(self.house_axes[house] - 1) * self.longest_side + line] = house
        lines = [house for house in range(self.house_count) if self.house_axes[house]]
        self.has_plain_lines = (
            variant.shape == (self.digit_count, self.digit_count)
            and all(
                [positions[cell][2 - self.house_axes[house]] for cell in houses[house]]
                == list(range(self.digit_count))
                for house in lines
            )
            and len(lines) == 2 * self.digit_count
        )
        self.initial_places = array(
            "Q", [(1 << len(cells)) - 1 for cells in houses for _ in range(self.digit_count)]
        )

    def _set_houses(
        self, houses: list[tuple[int, ...]], houses_by_cell: list[list[tuple[int, int]]]
    ) -> None:
        """Set the cells of each house and the houses of each cell, padded with -1."""
        padded_cells = [[*cells, *[-1] * (self.max_house_size - len(cells))] for cells in houses]
        self.house_cells = array("i", [cell for cells in padded_cells for cell in cells])
        padded_houses = [
            [*pairs, *[(-1, 0)] * (self.max_cell_houses - len(pairs))] for pairs in houses_by_cell
        ]
        self.cell_houses = array("i", [house for pairs in padded_houses for house, _ in pairs])
        self.indexes_in_houses = array(
            "i", [index for pairs in padded_houses for _, index in pairs]
        )

    def _set_peers(self, peers: list[list[int]]) -> None:
        """Set the peers of each cell: as lists, as a matrix and as sets of bits."""
        self.peer_offsets = array("i", [0, *accumulate(map(len, peers))])
        self.peers = array("i", [peer for cell_peers in peers for peer in cell_peers])
        self.peer_matrix = array("B", bytes(self.cell_count * self.cell_count))
        self.cell_words = (self.cell_count + 63) // 64
        self.peer_bits = array("Q", [0]) * (self.cell_count * self.cell_words)
        for cell, cell_peers in enumerate(peers):
            for peer in cell_peers:
                self.peer_matrix[cell * self.cell_count + peer] = 1
                self.peer_bits[cell * self.cell_words + (peer >> 6)] |= 1 << (peer & 63)

    def get_kernel(self) -> "_kernels.Deduction":
        """Return a kernel for these houses: one that a board released, or otherwise a new one."""
        if self.unused_kernels:
            return self.unused_kernels.pop()
        techniques = [
            technique
            for technique in _SEARCH_ORDER
            if not self.has_constraints or technique not in _UNIQUENESS_TECHNIQUES
        ]
        lowest_ratings = [_SEARCH_ORDER_RATINGS[technique] for technique in techniques]
        return _kernels.Deduction(
            self, list(map(int, techniques)), lowest_ratings, _list_search_arguments()
        )


def _get_axis(positions: Sequence[tuple[int, ...]]) -> int:
    """Return 1 for the cells of a row, 2 for the cells of a column, otherwise 0."""
    return next(
        (axis + 1 for axis in (0, 1) if len({position[axis] for position in positions}) == 1), 0
    )


@lru_cache(maxsize=16)  # variants
def get_house_tables(variant: Variant) -> HouseTables:
    """Return the tables of a variant, which many boards share."""
    return HouseTables(variant)


class CandidateBoard:
    """The candidates of a puzzle; finds steps. Digits and cells are counted from 0."""

    def __init__(self, variant: Variant, givens: Sequence[int]) -> None:
        self.variant = variant
        self._tables = get_house_tables(variant)
        self._kernel = self._tables.get_kernel()
        self._kernel.begin_puzzle(givens)

    @property
    def candidates(self) -> list[int]:
        """The candidates of each cell as bits."""
        return self._kernel.list_candidate_bits()

    @property
    def open_cells(self) -> list[int]:
        """The cells that are not settled."""
        return self._kernel.list_open_cells()

    @property
    def broken(self) -> bool:
        """Whether the search found a cell without candidates or a digit without a place."""
        return self._kernel.is_broken()

    def settle(self, cell: int, digit: int) -> None:
        """Put a digit in a cell, and strike it from the cells that see it."""
        self._kernel.settle(cell, digit)

    def strike(self, cell: int, digit: int) -> None:
        """Remove a candidate of a cell."""
        self._kernel.strike(cell, digit)

    def find_easiest_step(self) -> Step | None:
        """Return a step of the lowest rating, or None if no technique gives one."""
        return self._make_step() if self._kernel.find_step() else None

    def find_first_step(self, techniques: Iterable[Technique]) -> Step | None:
        """Return a step of the first of these techniques that gives one, or None."""
        return self._make_step() if self._kernel.find_step_among(array("i", techniques)) else None

    def rate(self, techniques: Iterable[Technique] = ()) -> list[tuple[int, int]]:
        """Solve until no technique gives a step; return each technique and its rating in tenths.

        With `techniques`, the first of these that gives a step is used each time, and no other.
        """
        return self._kernel.rate(array("i", techniques))

    def release(self) -> None:
        """Give the memory of this board, which is unusable afterward, to the next board."""
        self._tables.unused_kernels.append(self._kernel)
        del self._kernel

    def apply(self, step: Step) -> None:
        """Carry out a step."""
        if step.placed:
            self.settle(*step.placed)
        else:
            for cell, digit in step.struck:
                self.strike(cell, digit)

    def _make_step(self) -> Step | None:
        technique, rating, cells, digits, houses, placement, struck_candidates, links = (
            self._kernel.get_step()
        )
        fills_cell = placement[0] >= 0  # such steps list houses in the order of their reasoning
        return Step(
            _TECHNIQUES[technique],
            tuple(cells if technique in _ORDERED_CELL_TECHNIQUES or not links else sorted(cells)),
            tuple(digits),
            tuple(houses if technique in _FISH_NUMBERS or fills_cell else sorted(houses)),
            tuple(sorted(set(struck_candidates))),
            self.variant,
            rating / 10,
            _read_chains(links),
            placed=placement if fills_cell else None,
        )


def _read_chains(links: Sequence[int]) -> tuple[tuple[Link, ...], ...]:
    """Convert the kernel's list of numbers to chains of links.

    Each link is its number of cells, the cells, its digit and its house; -1 ends a chain.
    """
    chains: list[tuple[Link, ...]] = []
    chain: list[Link] = []
    index = 0
    while index < len(links):
        count = links[index]
        if count < 0:
            if count == _CLASH_CODE:
                chains[-2:] = [(*chains[-2], *[Link((), None, None)], *chains[-1])]
            else:
                chains.append(tuple(chain))
                chain = []
            index += 1
            continue
        end = index + 1 + (count & ~names.SUPPOSED_WRONG)
        digit, house = links[end : end + 2]
        cells = tuple(links[index + 1 : end])
        chain.append(
            Link(cells, digit, None if house < 0 else house, not count & names.SUPPOSED_WRONG)
        )
        index = end + 2
    return tuple(chains)
