"""Unavoidable sets: cells of a grid of which each puzzle of it must give at least one.

Their digits can be exchanged so that another grid comes out; a puzzle that gives none of them has
both as solutions. A set is minimal if no part of it is one.
"""

from collections.abc import Iterator

from sudokucrypt.checks import checked_integer
from sudokucrypt.errors import UnsupportedError
from sudokucrypt.sudoku.model.puzzle import GridLike, as_grid
from sudokucrypt.sudoku.model.variant import Variant

# The published searches stop here; two cells more take several times as long.
_LARGEST = 12
_MOST_DIGITS = 9


class _Changes:
    """Other grids near one: cells that get another digit, one after the other.

    What is changed calls for more: the digit that moves into a house must leave it elsewhere, and
    the digit that left must find another cell. Of all that is called for, what leaves the least
    choice is tried next, so that every grid within reach comes up.
    """

    def __init__(self, digits: list[int], variant: Variant, most: int) -> None:
        self._old, self._most = digits, most
        self._houses = [house.cells for house in variant.houses]
        of_cell: list[list[int]] = [[] for _ in digits]
        for house, cells in enumerate(self._houses):
            for cell in cells:
                of_cell[cell].append(house)
        self._houses_of = of_cell
        self._place = [{digits[cell]: cell for cell in cells} for cells in self._houses]
        self._new: dict[int, int] = {}
        self._placed: set[tuple[int, int]] = set()  # houses and digits that moved into them

    def from_cell(self, cell: int) -> Iterator[frozenset[int]]:
        """Yield the cells of all changes whose first cell is this one."""
        self._first = cell
        yield from self._search({cell})

    def _search(self, called: set[int]) -> Iterator[frozenset[int]]:
        """Go on; `called` are cells that must change and have no digit yet."""
        if len(self._new) + len(called) > self._most:
            return
        options = self._options(called)
        if options is None:
            yield frozenset(self._new)
            return
        for cell, digit in options:
            if (more := self._more(cell, digit)) is not None:
                self._new[cell] = digit
                entered = {(house, digit) for house in self._houses_of[cell]}
                self._placed |= entered
                yield from self._search((called | more) - self._new.keys())
                # Undone on the way back, so that one state serves the whole search.
                self._placed -= entered
                del self._new[cell]

    def _options(self, called: set[int]) -> list[tuple[int, int]] | None:
        """Return the fewest choices of a cell and a digit, one of which must be made, if any."""
        best: list[tuple[int, int]] | None = None
        room = self._most - len(self._new) - len(called)
        for cell in self._new:
            left = self._old[cell]
            for house in self._houses_of[cell]:
                if (house, left) in self._placed:
                    continue
                moves = [
                    (other, left) for other in self._houses[house]
                    if other not in self._new and (other in called or room > 0)
                    and self._fits(other, left)
                ]  # fmt: skip
                if best is None or len(moves) < len(best):
                    best = moves
                    if not best:
                        return best
        if best is None and called:
            cell = min(called)
            best = [
                (cell, digit) for digit in range(len(self._place[0])) if self._fits(cell, digit)
            ]
        return best

    def _fits(self, cell: int, digit: int) -> bool:
        houses = self._houses_of[cell]
        return (
            # Each set comes up from its first cell alone.
            cell >= self._first
            and digit != self._old[cell]
            and not any((house, digit) in self._placed for house in houses)
        )

    def _more(self, cell: int, digit: int) -> set[int] | None:
        """Return the cells that a digit calls for in its new houses; None before the first cell."""
        cells = {self._place[house][digit] for house in self._houses_of[cell]}
        return None if min(cells) < self._first else cells


def unavoidable_sets(grid: GridLike, *, most: int = 10) -> list[frozenset[int]]:
    """Return all minimal unavoidable sets of a full grid with up to `most` cells.

    Raises `UnsupportedError` if the grid has more digits. The sets hold numbers of cells, the
    smallest sets first, then in the order of their cells. Source: G. McGuire, B. Tugemann and G.
    Civario, There Is No 16-Clue Sudoku, 2012, arXiv:1201.0749: a 9x9 grid has some 360 such sets of
    up to 12 cells.

    The grid has up to 9 digits, and `most` is 4..12. For 9x9 eight takes under a second, ten some
    seconds, and twelve half a minute.

    >>> [sorted(cells) for cells in unavoidable_sets("1234341221434321")][:2]
    [[0, 1, 8, 9], [0, 2, 4, 6]]
    """
    grid = as_grid(grid)
    most = checked_integer("the largest size", most, least=4, most=_LARGEST)
    if grid.order > _MOST_DIGITS:
        raise UnsupportedError(f"unavoidable sets are found for up to {_MOST_DIGITS} digits")
    digits = grid.cells.reshape(-1).tolist()
    changes = _Changes(digits, Variant.standard(grid.box), most)
    sets = {cells for cell in range(len(digits)) for cells in changes.from_cell(cell)}
    minimal: list[frozenset[int]] = []
    # By size, so that all parts of a set come before it.
    for cells in sorted(sets, key=lambda cells: (len(cells), sorted(cells))):
        if not any(smaller < cells for smaller in minimal):
            minimal.append(cells)
    return minimal
