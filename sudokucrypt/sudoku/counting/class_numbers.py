"""The number of a 9x9 grid among the essentially different ones, and the grid of a number.

Classes are numbered by their canonical forms in reading order, so by band one first. How many of
them begin with a band and with the first four digits of row four was counted once, for all: these
47,066 numbers, in ``class_counts.txt``, add up to the 5,472,730,538 classes of E. Russell and
F. Jarvis, which `count_classes` finds in another way. The canonical grids behind one of them are
listed when a number is asked for.

Bands are of 416 classes, each named by its first band in reading order. Two bands are of one class
if they differ by the order of rows, of boxes, of columns within boxes, and by the names of the
digits only. With the digits of box one named 0 to 8 in reading order, and the columns of the other
boxes sorted, a band is one of 72,576 *normal bands*: 56 ways to deal out digits to the rows of box
two, and 36 orders within each of the two boxes.

A grid is canonical if no symmetry gives one that is earlier in reading order. So none of its bands
and none of its stacks is of an earlier class than band one. Where one is of the same class, and for
symmetries that keep band one, the images are compared. Bands two and three are put together from
boxes. Band one leaves 56 ways to deal out digits to the columns of the other two boxes of each
stack, and each box is then filled in 216 orders.
"""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.options import checked_integer
from sudokucrypt.sudoku.counting.band_classes import (
    MATES,
    ORDERS,
    DigitTable,
    SetMasks,
    column_sets,
    masks_of,
)
from sudokucrypt.sudoku.counting.canonical import canonical_form
from sudokucrypt.sudoku.model.grid import SudokuGrid
from sudokucrypt.typing import AnyArray, IntArray

BOX_ORDERS = len(ORDERS) ** 2
"""Orders of two lines of a box against its first line."""

_CODES = np.array([84, 1])  # of two sets of three digits, of which there are 84


class BandTables(NamedTuple):
    """The classes of bands, in reading order of their first bands."""

    bands: DigitTable  # (416, 3, 9): the first bands; their first rows are 0 to 8
    class_of: IntArray  # (72576,): the class of each normal band
    counts: tuple[IntArray, ...]  # canonical grids by first band and start of row four


class BandMaps(NamedTuple):
    """The 216 maps that take a normal band to a given band, and which one each of them takes."""

    rows: IntArray  # (216, 3): the row of the normal band that each row comes from,
    columns: IntArray  # (216, 9): and the columns
    normal: IntArray  # (216,)


@cache
def band_tables() -> BandTables:
    """Read the first bands and the counts, and find the classes of all normal bands."""
    text = files(__package__).joinpath("class_counts.txt").read_text(encoding="ascii")
    lines = [line.split() for line in text.splitlines()]
    lower = np.array([[int(digit) - 1 for digit in rows] for rows, *_ in lines], dtype=np.uint8)
    bands = np.empty((len(lines), 3, 9), dtype=np.uint8)
    bands[:, 0], bands[:, 1:] = range(9), lower.reshape(-1, 2, 9)
    class_of = np.empty(MATES * BOX_ORDERS**2, dtype=np.intp)
    for index, band in enumerate(bands):
        class_of[maps_to(band).normal] = index
    return BandTables(
        bands, class_of, tuple(np.array(counts, dtype=np.int64) for _, *counts in lines)
    )


def maps_to(band: DigitTable) -> BandMaps:
    """Return the maps from normal bands to a band of shape (3, 9)."""
    rows, columns = _list_choices()
    normal, order = normal_bands(band[rows[:, :, None], columns[:, None]])
    columns = np.take_along_axis(columns, order, axis=1)
    return BandMaps(np.argsort(rows, axis=1), np.argsort(columns, axis=1), normal)


@cache
def _list_choices() -> tuple[IntArray, IntArray]:
    """Return all orders of rows, and of columns as far as being normal does not fix them."""
    rows, columns = [], []
    for down, (one, two, three), inside in product(ORDERS.tolist(), repeat=3):
        rows.append(down)
        columns.append([3 * one + column for column in inside])
        columns[-1] += [3 * box + column for box in (two, three) for column in range(3)]
    return np.array(rows), np.array(columns)


def normal_bands(bands: DigitTable) -> tuple[IntArray, IntArray]:
    """Return the normal bands of bands of shape (N, 3, 9), and their columns in order, (N, 9)."""
    names = np.empty((len(bands), 9), dtype=np.uint8)
    np.put_along_axis(names, bands[:, :, :3].reshape(-1, 9), np.arange(9, dtype=np.uint8), axis=1)
    named = np.take_along_axis(names, bands.reshape(-1, 27), axis=1).reshape(-1, 3, 3, 3)
    order = np.argsort(named[:, 0], axis=2)
    named = np.take_along_axis(named, order[:, None], axis=3)
    below = order_index(named[:, 1:, 1:])
    orders = below[:, 0] * len(ORDERS) + below[:, 1]
    mates = mate_tables()[1][set_codes(masks_of(named[:, :2, 1]))]
    normal: IntArray = (mates * BOX_ORDERS + orders[:, 0]) * BOX_ORDERS + orders[:, 1]
    return normal, (order + np.arange(0, 9, 3)[:, None]).reshape(-1, 9)


def order_index(digits: AnyArray) -> IntArray:
    """Return which of the `ORDERS` three different digits along the last axis are in."""
    one, two, three = np.moveaxis(digits, -1, 0)
    index: IntArray = 2 * ((two < one).astype(np.intp) + (three < one)) + (two > three)
    return index


@cache
def mate_tables() -> tuple[SetMasks, IntArray]:
    """Return the digits in the lines of boxes two and three of normal bands, shape (56, 2, 3).

    And which of the 56 they are, by the code of the first two lines of either box, shape (7056,).
    """
    masks = column_sets().mate_masks[0]
    index = np.zeros(84 * 84, dtype=np.intp)
    index[set_codes(masks[:, 0])] = np.arange(MATES)
    return masks, index


def set_codes(masks: SetMasks) -> IntArray:
    """Return a code of the first two sets of three digits along the last axis, 0..7055."""
    codes: IntArray = column_sets().subset[masks[..., :2]] @ _CODES
    return codes


Keys = NDArray[np.bytes_]
Flags = NDArray[np.bool_]

# A row as one number, which compares as its digits do.
_PLACES = 9 ** np.arange(8, -1, -1)
_NO_ROW = 9**9
_ALL = 511  # the mask of nine digits


class _Boxes(NamedTuple):
    """Boxes below one whose columns hold 012, 345 and 678, in order of mates and of fillings."""

    cells: DigitTable  # (12096, 3, 3)
    mates: IntArray  # (12096,)
    orders: IntArray  # (12096,): of columns two and three against column one, 0..35
    opposite: IntArray  # (12096,): the mates of the third box of the stack


class _Bands(NamedTuple):
    """Bands that fit under band one, and are not of an earlier class."""

    boxes: IntArray  # (N, 3): indexes in `_Boxes`
    cells: DigitTable  # (N, 3, 9)
    tied: Flags  # (N,): of the class of band one

    def keep(self, chosen: Flags) -> "_Bands":
        return _Bands(self.boxes[chosen], self.cells[chosen], self.tied[chosen])


class _OwnMap(NamedTuple):
    """A map that takes band one to itself, but for that which changes nothing."""

    number: int  # among the maps to band one
    columns: IntArray  # (9,): where each column comes from
    names: DigitTable  # (9,): the new names of the digits


class CanonicalListing:
    """Lists canonical grids whose band one is the first of a class, 0..415."""

    def __init__(self, band_class: int) -> None:
        tables = band_tables()
        self._class, self._class_of = band_class, tables.class_of
        self.band = tables.bands[band_class]
        self._least = min({*range(9)} - {*self.band[:, 0].tolist()})
        self._maps = maps_to(self.band)
        normal, order = normal_bands(self.band[None])
        self._own = [
            _OwnMap(index, columns, self._name_digits(self.band[None], index, columns[None])[0])
            for index in np.flatnonzero(self._maps.normal == normal).tolist()
            for columns in order[:, self._maps.columns[index]]
            if columns.tolist() != [*range(9)] or self._maps.rows[index, 0] != 0
        ]
        tops = self.band.reshape(3, 3, 3).transpose(1, 2, 0).reshape(3, 9)
        self._cells = tops[:, _get_boxes().cells]
        self._rows = masks_of(self._cells)

    def starts(self) -> list[tuple[int, ...]]:
        """Return the first four digits of row four, as far as band one allows them, in order."""
        free = [sorted({*range(9)} - {*column}) for column in self.band.T[:4].tolist()]
        starts = product([self._least], *free[1:])
        return [start for start in starts if len({*start}) == len(start)]

    def keys(self, start: Sequence[int]) -> Keys:
        """Return rows four to nine of the grids that go on so, as `grid_keys`, in any order."""
        boxes, (one, two, _) = _get_boxes(), self._cells
        # The rows below band one are sorted by their first digits, within bands and by bands.
        sorted_rows = (one[:, 0, 0] < one[:, 1, 0]) & (one[:, 1, 0] < one[:, 2, 0])
        first = (one[:, 0] == start[:3]).all(axis=1) & sorted_rows
        second = two[:, 0, 0] == start[3]
        upper = self._find_bands(first, second)
        rows = upper.cells[:, 0] @ _PLACES
        for own in self._own:
            passed = self._find_fourth_rows(upper.cells, own) >= rows
            upper, rows = upper.keep(passed), rows[passed]
        under_first, under_second = (
            np.isin(boxes.opposite, boxes.mates[chosen]) for chosen in (first, second)
        )
        lower = self._find_bands(under_first & sorted_rows, under_second)
        above, below, stack_classes = self._pair_bands(upper, lower)
        grids = np.empty((len(above), 9, 9), dtype=np.uint8)
        grids[:, :3], grids[:, 3:6], grids[:, 6:] = (
            self.band,
            upper.cells[above],
            lower.cells[below],
        )
        ties = np.column_stack([upper.tied[above], lower.tied[below], stack_classes == self._class])
        least = self._find_least_of_own(grids, (upper.cells, above), (lower.cells, below))
        grids, ties = grids[least], ties[least]
        return grid_keys(grids[self._find_least_of_tied(grids, ties), 3:])

    def _find_bands(self, first: Flags, second: Flags) -> _Bands:
        """Return all bands whose first and second boxes are among these."""
        one, two, three = (np.flatnonzero(chosen) for chosen in (first, second, second | True))
        masks = [self._rows[stack, boxes] for stack, boxes in enumerate((one, two, three))]
        # Boxes one and two must share no digit of a row; box three takes what they leave.
        across, along = np.nonzero(((masks[0][:, None] & masks[1]) == 0).all(axis=2))
        rest = _ALL ^ (masks[0][across] | masks[1][along])
        pairs, three = _find_equal_pairs(set_codes(rest), set_codes(masks[2]))
        boxes = np.stack([one[across[pairs]], two[along[pairs]], three], axis=1)
        cells = np.concatenate([self._cells[stack, boxes[:, stack]] for stack in range(3)], axis=2)
        classes = self._class_of[normal_bands(cells)[0]]
        return _Bands(boxes, cells, classes == self._class).keep(classes >= self._class)

    def _pair_bands(self, upper: _Bands, lower: _Bands) -> tuple[IntArray, IntArray, IntArray]:
        """Return the pairs of bands with no stack of an earlier class, and the stacks' classes."""
        boxes, columns = _get_boxes(), np.array([MATES * MATES, MATES, 1])
        above, below = _find_equal_pairs(
            boxes.mates[upper.boxes] @ columns, boxes.opposite[lower.boxes] @ columns
        )
        high, low = upper.boxes[above], lower.boxes[below]
        normal = (boxes.mates[high] * BOX_ORDERS + boxes.orders[high]) * BOX_ORDERS
        classes = self._class_of[normal + boxes.orders[low]]
        passed = (classes >= self._class).all(axis=1)
        return above[passed], below[passed], classes[passed]

    def _find_fourth_rows(self, cells: DigitTable, own: _OwnMap) -> IntArray:
        """Return row four of images, as far as it comes from these bands, shape (N, 3, 9)."""
        [least] = np.flatnonzero(own.names == self._least)
        grid, row = np.nonzero(cells[:, :, own.columns[0]] == least)
        result = np.full(len(cells), _NO_ROW)
        result[grid] = own.names[cells[grid, row][:, own.columns]] @ _PLACES
        return result

    def _find_least_of_own(self, grids: DigitTable, *sources: tuple[DigitTable, IntArray]) -> Flags:
        """Return which grids have no earlier image by symmetries that keep band one.

        `sources` are all bands two, and three, and the indexes of those of the grids: there are
        far fewer bands than grids, and row four of an image comes from one of them.
        """
        used = [np.unique(index, return_inverse=True) for _, index in sources]
        least, rows = np.ones(len(grids), dtype=bool), grids[:, 3] @ _PLACES
        for own in self._own:
            parts = [
                self._find_fourth_rows(cells[bands], own)[index]
                for (cells, _), (bands, index) in zip(sources, used, strict=True)
            ]
            images = np.minimum(*parts)
            least &= images >= rows
            same = np.flatnonzero(least & (images == rows))
            columns = np.broadcast_to(own.columns, (len(same), 9))
            least[same] = ~self._find_earlier(grids[same], grids[same], own.number, columns)
        return least

    def _find_least_of_tied(self, grids: DigitTable, ties: Flags) -> Flags:
        """Return which have none by symmetries that make a band or a stack of a class band one."""
        least = np.ones(len(grids), dtype=bool)
        for position, tie in enumerate(ties.T, 1):
            tied = np.flatnonzero(tie & least)
            transposed, band = divmod(position, 3)
            sources = grids[tied].swapaxes(1, 2) if transposed else grids[tied]
            sources = np.roll(sources, -3 * band, axis=1)  # what becomes band one comes first
            normal, order = normal_bands(sources[:, :3].copy())
            for index, wanted in enumerate(self._maps.normal):
                same = np.flatnonzero(normal == wanted)
                columns = order[same][:, self._maps.columns[index]]
                least[tied[same]] &= ~self._find_earlier(
                    sources[same], grids[tied[same]], index, columns
                )
        return least

    def _find_earlier(
        self, sources: DigitTable, grids: DigitTable, index: int, columns: IntArray
    ) -> Flags:
        """Return which images of sources by a map are earlier than the grids."""
        names = self._name_digits(sources[:, :3], index, columns)
        lower = np.take_along_axis(sources[:, 3:], columns[:, None], axis=2).reshape(-1, 54)
        rows = np.take_along_axis(names, lower, axis=1).reshape(-1, 2, 3, 9)
        rows = np.take_along_axis(rows, np.argsort(rows[..., :1], axis=2), axis=2)
        rows = np.take_along_axis(rows, np.argsort(rows[:, :, :1, :1], axis=1), axis=1)
        return grid_keys(rows) < grid_keys(grids[:, 3:])

    def _name_digits(self, bands: DigitTable, index: int, columns: IntArray) -> DigitTable:
        """Return the new names of the digits, which make row one 0 to 8."""
        row = bands[:, self._maps.rows[index, 0]]
        return np.argsort(np.take_along_axis(row, columns, axis=1), axis=1).astype(np.uint8)


@cache
def _get_boxes() -> _Boxes:
    masks, index = mate_tables()
    digits = np.nonzero(masks[:, 0, :, None] >> np.arange(9) & 1)[2].reshape(MATES, 1, 3, 3)
    fillings = ORDERS[np.indices((6, 6, 6)).reshape(3, -1).T].astype(np.intp)
    columns = np.take_along_axis(digits, fillings[None], axis=3).reshape(-1, 3, 3)
    against = np.take_along_axis(fillings[:, 1:], np.argsort(fillings[:, :1], axis=2), axis=2)
    orders = order_index(against) @ (len(ORDERS), 1)
    return _Boxes(
        cells=columns.swapaxes(1, 2).astype(np.uint8),
        mates=np.repeat(np.arange(MATES), len(fillings)),
        orders=np.tile(orders, MATES),
        opposite=np.repeat(index[set_codes(masks[:, 1])], len(fillings)),
    )


def _find_equal_pairs(one: IntArray, other: IntArray) -> tuple[IntArray, IntArray]:
    """Return the indexes of all pairs of equal numbers."""
    order = np.argsort(other, kind="stable")
    start, stop = (np.searchsorted(other, one, side, order) for side in ("left", "right"))
    count = stop - start
    index = np.repeat(np.arange(len(one)), count)
    offset = np.arange(len(index)) - np.repeat(np.cumsum(count) - count, count)
    return index, order[start[index] + offset]


def grid_keys(rows: DigitTable) -> Keys:
    """Return rows four to nine, 54 digits from 0, as texts that compare as they do."""
    return (rows.reshape(-1, 54) + np.uint8(1)).view("S54")[:, 0]


def rank_class(grid: SudokuGrid) -> int:
    """Return the number of a full 9x9 grid's class, as `rank` explains."""
    cells = canonical_form(grid).grid.cells.astype(np.uint8)
    [band_class] = np.flatnonzero((band_tables().bands == cells[:3]).all(axis=(1, 2)))
    listing = CanonicalListing(int(band_class))
    start = tuple(cells[3, :4].tolist())
    index = listing.starts().index(start)
    earlier = listing.keys(start) < grid_keys(cells[3:])
    return int(_list_edges()[band_class][index] + earlier.sum())


def unrank_class(number: int) -> SudokuGrid:
    """Return the canonical form of the class with this number, as `unrank` explains."""
    edges = _list_edges()
    number = checked_integer("the number", number, least=0, most=int(edges[-1][-1]) - 1)
    # Several have the same first number if nothing is between them: the last one of them counts.
    band_class = sum(number >= own[-1] for own in edges)
    start = int(np.searchsorted(edges[band_class], number, "right")) - 1
    listing = CanonicalListing(band_class)
    keys = np.sort(listing.keys(listing.starts()[start]))
    rows = np.frombuffer(keys[number - edges[band_class][start]], dtype=np.uint8) - 1
    cells = np.concatenate([listing.band, rows.reshape(6, 9)])
    return SudokuGrid.wrap_valid(cells.astype(np.int32), (3, 3))


@cache
def _list_edges() -> tuple[IntArray, ...]:
    """Return the number of the first canonical grid with each start, and the end, for each band."""
    edges, end = [], 0
    for counts in band_tables().counts:
        edges.append(end + np.append(0, np.cumsum(counts)))
        end = edges[-1][-1]
    return tuple(edges)
