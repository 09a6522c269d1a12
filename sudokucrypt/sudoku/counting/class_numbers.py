"""Number the classes of equivalent 9x9 grids, and find the canonical grid of a number.

Classes are numbered by their canonical forms in reading order, so first by band one. The file
``class_counts.txt`` contains, for each band one and each start of row four (its first four digits),
the number of canonical grids. These 47,066 numbers were counted once; they add up to the
5,472,730,538 classes of E. Russell and F. Jarvis, which `count_classes` computes in another way.
For a given number, the canonical grids with one start are listed.

There are 416 classes of bands, each represented by its first band in reading order. Two bands are
equivalent if they differ only by the order of rows, of boxes and of columns within boxes, and by
relabeling digits. If the digits of box one are relabeled to 0 to 8 in reading order, and the
columns of the other boxes are sorted, a band is one of 72,576 *normal bands*: 56 ways to distribute
digits to the rows of box two, and 36 orders within each of the two boxes.

A grid is canonical if no symmetry maps it to an earlier grid in reading order. So no band and no
stack has an earlier class than band one. If one has the same class, and for symmetries that keep
band one, the images are compared. Bands two and three are combined from boxes: band one leaves 56
ways to distribute digits to the columns of the other two boxes of each stack, and each box can then
be filled in 216 orders.
"""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.options import check_integer
from sudokucrypt.sudoku.counting.band_classes import (
    MATE_COUNT,
    ORDERS_OF_THREE,
    DigitTable,
    SetMasks,
    get_column_sets,
    make_masks,
)
from sudokucrypt.sudoku.counting.canonical import canonical_form
from sudokucrypt.sudoku.model.grid import SudokuGrid
from sudokucrypt.typing import AnyArray, IntArray

BOX_ORDER_COUNT = len(ORDERS_OF_THREE) ** 2
"""The number of orders of two lines of a box relative to its first line."""

_CODE_WEIGHTS = np.array([84, 1])  # there are 84 sets of three digits


class BandTables(NamedTuple):
    """The classes of bands, sorted by the first band of each class in reading order."""

    bands: DigitTable  # (416, 3, 9): the first band of each class; its first row is 0 to 8
    normal_band_classes: IntArray  # (72576,): the class of each normal band
    counts: tuple[IntArray, ...]  # by class and start of row four: number of canonical grids


class BandMaps(NamedTuple):
    """The 216 maps from normal bands to a given band, and the normal band of each map."""

    rows: IntArray  # (216, 3): for each row of the band, the row of the normal band
    columns: IntArray  # (216, 9): for each column of the band, the column of the normal band
    normal_bands: IntArray  # (216,): the number of the normal band


@cache
def get_band_tables() -> BandTables:
    """Read the band classes and grid counts from the data file, and classify all normal bands."""
    text = files(__package__).joinpath("class_counts.txt").read_text(encoding="ascii")
    lines = [line.split() for line in text.splitlines()]
    lower_rows = np.array(
        [[int(digit) - 1 for digit in rows] for rows, *_ in lines], dtype=np.uint8
    )
    bands = np.empty((len(lines), 3, 9), dtype=np.uint8)
    bands[:, 0], bands[:, 1:] = range(9), lower_rows.reshape(-1, 2, 9)
    normal_band_classes = np.empty(MATE_COUNT * BOX_ORDER_COUNT**2, dtype=np.intp)
    for index, band in enumerate(bands):
        normal_band_classes[find_band_maps(band).normal_bands] = index
    return BandTables(
        bands, normal_band_classes, tuple(np.array(counts, dtype=np.int64) for _, *counts in lines)
    )


def find_band_maps(band: DigitTable) -> BandMaps:
    """Return the maps from normal bands to a band of shape (3, 9)."""
    rows, columns = _list_line_orders()
    normal_bands, order = find_normal_bands(band[rows[:, :, None], columns[:, None]])
    columns = np.take_along_axis(columns, order, axis=1)
    return BandMaps(np.argsort(rows, axis=1), np.argsort(columns, axis=1), normal_bands)


@cache
def _list_line_orders() -> tuple[IntArray, IntArray]:
    """Return the orders of rows and columns of a band that lead to different normal bands."""
    rows, columns = [], []
    for row_order, (first_box, second_box, third_box), column_order in product(
        ORDERS_OF_THREE.tolist(), repeat=3
    ):
        rows.append(row_order)
        columns.append([3 * first_box + column for column in column_order])
        columns[-1] += [3 * box + column for box in (second_box, third_box) for column in range(3)]
    return np.array(rows), np.array(columns)


def find_normal_bands(bands: DigitTable) -> tuple[IntArray, IntArray]:
    """Return the number of each band's normal band, and the column order that leads to it.

    `bands` has the shape (N, 3, 9), and the order of columns the shape (N, 9).
    """
    labels = np.empty((len(bands), 9), dtype=np.uint8)
    np.put_along_axis(labels, bands[:, :, :3].reshape(-1, 9), np.arange(9, dtype=np.uint8), axis=1)
    labeled_cells = np.take_along_axis(labels, bands.reshape(-1, 27), axis=1).reshape(-1, 3, 3, 3)
    column_orders = np.argsort(labeled_cells[:, 0], axis=2)
    labeled_cells = np.take_along_axis(labeled_cells, column_orders[:, None], axis=3)
    order_numbers = find_order_numbers(labeled_cells[:, 1:, 1:])
    box_orders = order_numbers[:, 0] * len(ORDERS_OF_THREE) + order_numbers[:, 1]
    mates = get_mate_tables()[1][encode_sets(make_masks(labeled_cells[:, :2, 1]))]
    numbers: IntArray = (mates * BOX_ORDER_COUNT + box_orders[:, 0]) * BOX_ORDER_COUNT + box_orders[
        :, 1
    ]
    return numbers, (column_orders + np.arange(0, 9, 3)[:, None]).reshape(-1, 9)


def find_order_numbers(digits: AnyArray) -> IntArray:
    """Return the index in `ORDERS_OF_THREE` of the order of three digits along the last axis."""
    first_digits, second_digits, third_digits = np.moveaxis(digits, -1, 0)
    index: IntArray = 2 * (
        (second_digits < first_digits).astype(np.intp) + (third_digits < first_digits)
    ) + (second_digits > third_digits)
    return index


@cache
def get_mate_tables() -> tuple[SetMasks, IntArray]:
    """Return masks of the lines of boxes two and three of normal bands, and the mate numbers.

    The masks have shape (56, 2, 3). The numbers 0..55, shape (7056,), are indexed by the code of
    the first two lines of box two.
    """
    masks = get_column_sets().mate_masks[0]
    mate_numbers = np.zeros(84 * 84, dtype=np.intp)
    mate_numbers[encode_sets(masks[:, 0])] = np.arange(MATE_COUNT)
    return masks, mate_numbers


def encode_sets(masks: SetMasks) -> IntArray:
    """Return a code 0..7055 of the first two sets of three digits along the last axis."""
    codes: IntArray = get_column_sets().subset_numbers[masks[..., :2]] @ _CODE_WEIGHTS
    return codes


GridKeys = NDArray[np.bytes_]
Flags = NDArray[np.bool_]

# The weights that turn a row into one number, so that numbers sort like rows in reading order.
_ROW_WEIGHTS = 9 ** np.arange(8, -1, -1)
_NO_ROW = 9**9  # greater than the number of any row
_ALL_DIGITS_MASK = 511  # the mask of nine digits


class _Boxes(NamedTuple):
    """Boxes that fit below a box with columns 012, 345, 678, by column sets, then their orders."""

    cells: DigitTable  # (12096, 3, 3)
    mates: IntArray  # (12096,)
    orders: IntArray  # (12096,): the orders of columns two and three relative to column one, 0..35
    third_box_mates: IntArray  # (12096,): the mates of the third box of the stack


class _Bands(NamedTuple):
    """Bands that fit below band one and whose class is not earlier than the class of band one."""

    boxes: IntArray  # (N, 3): indexes in `_Boxes`
    cells: DigitTable  # (N, 3, 9)
    is_tied: Flags  # (N,): whether the band has the class of band one

    def select(self, is_chosen: Flags) -> "_Bands":
        return _Bands(self.boxes[is_chosen], self.cells[is_chosen], self.is_tied[is_chosen])


class _SelfMap(NamedTuple):
    """A map of band one to itself, except the identity."""

    number: int  # the index among the maps to band one
    columns: IntArray  # (9,): the source of each column
    labels: DigitTable  # (9,): the new labels of the digits


class CanonicalListing:
    """The canonical grids whose band one represents the class with a given number, 0..415."""

    def __init__(self, band_class: int) -> None:
        tables = get_band_tables()
        self._band_class, self._band_classes = band_class, tables.normal_band_classes
        self.band = tables.bands[band_class]
        self._least_start_digit = min({*range(9)} - {*self.band[:, 0].tolist()})
        self._maps = find_band_maps(self.band)
        normal_bands, order = find_normal_bands(self.band[None])
        self._self_maps = [
            _SelfMap(index, columns, self._relabel_digits(self.band[None], index, columns[None])[0])
            for index in np.flatnonzero(self._maps.normal_bands == normal_bands).tolist()
            for columns in order[:, self._maps.columns[index]]
            if columns.tolist() != [*range(9)] or self._maps.rows[index, 0] != 0
        ]
        band_boxes = self.band.reshape(3, 3, 3).transpose(1, 2, 0).reshape(3, 9)
        self._box_cells = band_boxes[:, _get_boxes().cells]
        self._row_masks = make_masks(self._box_cells)

    def list_starts(self) -> list[tuple[int, ...]]:
        """Return all possible first four digits of row four, in order."""
        free_digits = [sorted({*range(9)} - {*column}) for column in self.band.T[:4].tolist()]
        starts = product([self._least_start_digit], *free_digits[1:])
        return [start for start in starts if len({*start}) == len(start)]

    def list_keys(self, start: Sequence[int]) -> GridKeys:
        """Return keys of rows four to nine of the canonical grids with this start, in any order."""
        boxes, (first_stack, second_stack, _) = _get_boxes(), self._box_cells
        # In a canonical grid, bands two and three are sorted by first digit, as are their rows.
        sorted_flags = (first_stack[:, 0, 0] < first_stack[:, 1, 0]) & (
            first_stack[:, 1, 0] < first_stack[:, 2, 0]
        )
        first_box_flags = (first_stack[:, 0] == start[:3]).all(axis=1) & sorted_flags
        second_box_flags = second_stack[:, 0, 0] == start[3]
        upper_bands = self._find_bands(first_box_flags, second_box_flags)
        rows = upper_bands.cells[:, 0] @ _ROW_WEIGHTS
        for self_map in self._self_maps:
            is_kept = self._find_fourth_rows(upper_bands.cells, self_map) >= rows
            upper_bands, rows = upper_bands.select(is_kept), rows[is_kept]
        lower_first_box_flags, lower_second_box_flags = (
            np.isin(boxes.third_box_mates, boxes.mates[is_chosen])
            for is_chosen in (first_box_flags, second_box_flags)
        )
        lower_bands = self._find_bands(lower_first_box_flags & sorted_flags, lower_second_box_flags)
        upper_indexes, lower_indexes, stack_classes = self._pair_bands(upper_bands, lower_bands)
        grids = np.empty((len(upper_indexes), 9, 9), dtype=np.uint8)
        grids[:, :3], grids[:, 3:6], grids[:, 6:] = (
            self.band,
            upper_bands.cells[upper_indexes],
            lower_bands.cells[lower_indexes],
        )
        is_tied = np.column_stack(
            [
                upper_bands.is_tied[upper_indexes],
                lower_bands.is_tied[lower_indexes],
                stack_classes == self._band_class,
            ]
        )
        is_least = self._find_least_by_self_maps(
            grids, (upper_bands.cells, upper_indexes), (lower_bands.cells, lower_indexes)
        )
        grids, is_tied = grids[is_least], is_tied[is_least]
        return make_grid_keys(grids[self._find_least_by_ties(grids, is_tied), 3:])

    def _find_bands(self, first_box_flags: Flags, second_box_flags: Flags) -> _Bands:
        """Return all bands whose first and second boxes are among the given ones."""
        first_indices, second_indices, third_indices = (
            np.flatnonzero(is_chosen)
            for is_chosen in (first_box_flags, second_box_flags, second_box_flags | True)
        )
        masks = [
            self._row_masks[stack, boxes]
            for stack, boxes in enumerate((first_indices, second_indices, third_indices))
        ]
        # Boxes one and two must not share a digit in a row; box three contains the other digits.
        first_index, second_index = np.nonzero(((masks[0][:, None] & masks[1]) == 0).all(axis=2))
        third_box_masks = _ALL_DIGITS_MASK ^ (masks[0][first_index] | masks[1][second_index])
        pair_indexes, third_indices = _find_equal_pairs(
            encode_sets(third_box_masks), encode_sets(masks[2])
        )
        boxes = np.stack(
            [
                first_indices[first_index[pair_indexes]],
                second_indices[second_index[pair_indexes]],
                third_indices,
            ],
            axis=1,
        )
        cells = np.concatenate(
            [self._box_cells[stack, boxes[:, stack]] for stack in range(3)], axis=2
        )
        classes = self._band_classes[find_normal_bands(cells)[0]]
        return _Bands(boxes, cells, classes == self._band_class).select(classes >= self._band_class)

    def _pair_bands(
        self, upper_bands: _Bands, lower_bands: _Bands
    ) -> tuple[IntArray, IntArray, IntArray]:
        """Return pairs of bands that form no stack of an earlier class, and the stack classes."""
        boxes, weights = _get_boxes(), np.array([MATE_COUNT * MATE_COUNT, MATE_COUNT, 1])
        upper_indexes, lower_indexes = _find_equal_pairs(
            boxes.mates[upper_bands.boxes] @ weights,
            boxes.third_box_mates[lower_bands.boxes] @ weights,
        )
        upper_boxes, lower_boxes = (
            upper_bands.boxes[upper_indexes],
            lower_bands.boxes[lower_indexes],
        )
        normal_bands = (
            boxes.mates[upper_boxes] * BOX_ORDER_COUNT + boxes.orders[upper_boxes]
        ) * BOX_ORDER_COUNT
        classes = self._band_classes[normal_bands + boxes.orders[lower_boxes]]
        is_kept = (classes >= self._band_class).all(axis=1)
        return upper_indexes[is_kept], lower_indexes[is_kept], classes[is_kept]

    def _find_fourth_rows(self, cells: DigitTable, self_map: _SelfMap) -> IntArray:
        """Return row four of each image under a map; `_NO_ROW` if another band provides that row.

        `cells` are bands of shape (N, 3, 9).
        """
        [source_digit] = np.flatnonzero(self_map.labels == self._least_start_digit)
        grid, row = np.nonzero(cells[:, :, self_map.columns[0]] == source_digit)
        result = np.full(len(cells), _NO_ROW)
        result[grid] = self_map.labels[cells[grid, row][:, self_map.columns]] @ _ROW_WEIGHTS
        return result

    def _find_least_by_self_maps(
        self, grids: DigitTable, *sources: tuple[DigitTable, IntArray]
    ) -> Flags:
        """Return for each grid whether no symmetry that keeps band one gives an earlier image.

        `sources` are all second bands with their index for each grid, and the same for third bands.
        Row four of an image comes from one of these, and there are far fewer bands than grids.
        """
        unique_bands = [np.unique(index, return_inverse=True) for _, index in sources]
        is_least, rows = np.ones(len(grids), dtype=bool), grids[:, 3] @ _ROW_WEIGHTS
        for self_map in self._self_maps:
            fourth_rows = [
                self._find_fourth_rows(cells[bands], self_map)[index]
                for (cells, _), (bands, index) in zip(sources, unique_bands, strict=True)
            ]
            images = np.minimum(*fourth_rows)
            is_least &= images >= rows
            equal_row_indexes = np.flatnonzero(is_least & (images == rows))
            columns = np.broadcast_to(self_map.columns, (len(equal_row_indexes), 9))
            is_least[equal_row_indexes] = ~self._find_earlier_images(
                grids[equal_row_indexes], grids[equal_row_indexes], self_map.number, columns
            )
        return is_least

    def _find_least_by_ties(self, grids: DigitTable, is_tied: Flags) -> Flags:
        """Return for each grid whether no symmetry that replaces band one gives an earlier image.

        `is_tied` says which of the two other bands and the three stacks have the class of band one.
        """
        is_least = np.ones(len(grids), dtype=bool)
        for position, tied_flags in enumerate(is_tied.T, 1):
            tied_indexes = np.flatnonzero(tied_flags & is_least)
            is_transposed, band = divmod(position, 3)
            sources = grids[tied_indexes].swapaxes(1, 2) if is_transposed else grids[tied_indexes]
            sources = np.roll(sources, -3 * band, axis=1)  # put the new band one first
            normal_bands, order = find_normal_bands(sources[:, :3].copy())
            for index, normal_band in enumerate(self._maps.normal_bands):
                matching_indexes = np.flatnonzero(normal_bands == normal_band)
                columns = order[matching_indexes][:, self._maps.columns[index]]
                is_least[tied_indexes[matching_indexes]] &= ~self._find_earlier_images(
                    sources[matching_indexes], grids[tied_indexes[matching_indexes]], index, columns
                )
        return is_least

    def _find_earlier_images(
        self, sources: DigitTable, grids: DigitTable, index: int, columns: IntArray
    ) -> Flags:
        """Return for each source whether its image under a map precedes the grid in `grids`."""
        labels = self._relabel_digits(sources[:, :3], index, columns)
        lower_cells = np.take_along_axis(sources[:, 3:], columns[:, None], axis=2).reshape(-1, 54)
        rows = np.take_along_axis(labels, lower_cells, axis=1).reshape(-1, 2, 3, 9)
        rows = np.take_along_axis(rows, np.argsort(rows[..., :1], axis=2), axis=2)
        rows = np.take_along_axis(rows, np.argsort(rows[:, :, :1, :1], axis=1), axis=1)
        return make_grid_keys(rows) < make_grid_keys(grids[:, 3:])

    def _relabel_digits(self, bands: DigitTable, index: int, columns: IntArray) -> DigitTable:
        """Return the relabeling of the digits that makes row one of the image 0 to 8."""
        row = bands[:, self._maps.rows[index, 0]]
        return np.argsort(np.take_along_axis(row, columns, axis=1), axis=1).astype(np.uint8)


@cache
def _get_boxes() -> _Boxes:
    masks, index = get_mate_tables()
    digits = np.nonzero(masks[:, 0, :, None] >> np.arange(9) & 1)[2].reshape(MATE_COUNT, 1, 3, 3)
    fillings = ORDERS_OF_THREE[np.indices((6, 6, 6)).reshape(3, -1).T].astype(np.intp)
    columns = np.take_along_axis(digits, fillings[None], axis=3).reshape(-1, 3, 3)
    relative_orders = np.take_along_axis(
        fillings[:, 1:], np.argsort(fillings[:, :1], axis=2), axis=2
    )
    orders = find_order_numbers(relative_orders) @ (len(ORDERS_OF_THREE), 1)
    return _Boxes(
        cells=columns.swapaxes(1, 2).astype(np.uint8),
        mates=np.repeat(np.arange(MATE_COUNT), len(fillings)),
        orders=np.tile(orders, MATE_COUNT),
        third_box_mates=np.repeat(index[encode_sets(masks[:, 1])], len(fillings)),
    )


def _find_equal_pairs(numbers: IntArray, other_numbers: IntArray) -> tuple[IntArray, IntArray]:
    """Return the indexes of all pairs of equal numbers."""
    order = np.argsort(other_numbers, kind="stable")
    match_starts, match_ends = (
        np.searchsorted(other_numbers, numbers, side, order) for side in ("left", "right")
    )
    match_counts = match_ends - match_starts
    index = np.repeat(np.arange(len(numbers)), match_counts)
    offset = np.arange(len(index)) - np.repeat(np.cumsum(match_counts) - match_counts, match_counts)
    return index, order[match_starts[index] + offset]


def make_grid_keys(rows: DigitTable) -> GridKeys:
    """Return rows four to nine, 54 digits from 0, as byte strings that compare like the rows."""
    return (rows.reshape(-1, 54) + np.uint8(1)).view("S54")[:, 0]


def rank_class(grid: SudokuGrid) -> int:
    """Return the number of a full 9x9 grid's class, as `rank` explains."""
    cells = canonical_form(grid).grid.cells.astype(np.uint8)
    [band_class] = np.flatnonzero((get_band_tables().bands == cells[:3]).all(axis=(1, 2)))
    listing = CanonicalListing(int(band_class))
    start = tuple(cells[3, :4].tolist())
    index = listing.list_starts().index(start)
    is_earlier = listing.list_keys(start) < make_grid_keys(cells[3:])
    return int(_list_class_bounds()[band_class][index] + is_earlier.sum())


def unrank_class(number: int) -> SudokuGrid:
    """Return the canonical form of the class with this number, as `unrank` explains."""
    class_bounds = _list_class_bounds()
    number = check_integer("the number", number, least=0, most=int(class_bounds[-1][-1]) - 1)
    # A band class without grids ends where the class before it ends, so this sum skips it.
    band_class = sum(number >= bounds[-1] for bounds in class_bounds)
    start = int(np.searchsorted(class_bounds[band_class], number, "right")) - 1
    listing = CanonicalListing(band_class)
    keys = np.sort(listing.list_keys(listing.list_starts()[start]))
    rows = np.frombuffer(keys[number - class_bounds[band_class][start]], dtype=np.uint8) - 1
    cells = np.concatenate([listing.band, rows.reshape(6, 9)])
    return SudokuGrid.wrap_valid(cells.astype(np.int32), (3, 3))


@cache
def _list_class_bounds() -> tuple[IntArray, ...]:
    """Return for each band class the first number for each start of row four, and the end."""
    class_bounds, end = [], 0
    for counts in get_band_tables().counts:
        class_bounds.append(end + np.append(0, np.cumsum(counts)))
        end = class_bounds[-1][-1]
    return tuple(class_bounds)
