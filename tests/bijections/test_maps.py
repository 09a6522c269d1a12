"""Test the eight representations, the 56 maps between them and the battery of statistics."""

from itertools import permutations, product

import numpy as np
import pytest

from sudokucrypt import (
    InvalidParameterError,
    Key,
    Numbering,
    ParametricGrid,
    Representation,
    StreamDraws,
    SudokuGrid,
    bijection,
    compose,
    cycle_type,
    find_cells,
    invert,
    name_cells,
    order,
)
from sudokucrypt.bijections import RasterLayout
from sudokucrypt.bijections import keyed as room
from sudokucrypt.workers import Workers
from tests.bijections.battery import (
    Exchange,
    Grids,
    Schedule,
    compute_p_values,
    count_cycles,
    draw_batches,
    draw_key_maps,
    draw_maps,
    exchange,
    move,
)

pytestmark = pytest.mark.kernels

BOXES = [(2, 2), (2, 3), (3, 3), (3, 4), (4, 4), (16, 16)]


def draw_grid_names(box: tuple[int, int]) -> SudokuGrid:
    source = StreamDraws(Key(bytes(32)).stream("test", bytes(box)))
    return ParametricGrid.random(box, source).to_grid()


def test_names_that_depend_on_digits() -> None:
    """Names by rows, columns and blocks are the same in each grid; others are keyed."""
    unkeyed = {each for each in Representation if not each.keyed}
    assert unkeyed == {Representation.ROW_COLUMN, Representation.BLOCK_GRID}


@pytest.mark.parametrize("numbering", Numbering)
@pytest.mark.parametrize("representation", Representation)
@pytest.mark.parametrize("box", BOXES)
def test_every_cell_has_one_name(
    box: tuple[int, int], representation: Representation, numbering: Numbering
) -> None:
    """In each representation, the names of all cells are all pairs 0..n-1 once, and find_cells
    returns the cells of the names."""
    grid = draw_grid_names(box)
    n = grid.order
    rows, columns = np.indices((n, n))
    first_names, second_names = name_cells(grid, representation, rows, columns, numbering=numbering)
    assert len(np.unique(first_names * n + second_names)) == n * n
    assert first_names.min() == second_names.min() == 0
    assert first_names.max() == second_names.max() == n - 1
    cells = find_cells(grid, representation, first_names, second_names, numbering=numbering)
    assert np.array_equal(cells[0], rows)
    assert np.array_equal(cells[1], columns)


@pytest.mark.parametrize("numbering", Numbering)
@pytest.mark.parametrize("box", BOXES)
def test_blocks_are_boxes(box: tuple[int, int], numbering: Numbering) -> None:
    """In either numbering, the cells with one block number are the cells of one box."""
    grid = draw_grid_names(box)
    p, q = box
    rows, columns = np.indices((grid.order, grid.order))
    block, _ = name_cells(grid, Representation.BLOCK_GRID, rows, columns, numbering=numbering)
    for index in range(grid.order):
        cells_inside = np.argwhere(block == index)
        assert len(cells_inside) == p * q
        assert (np.ptp(cells_inside, axis=0) == (p - 1, q - 1)).all()
        assert (cells_inside.min(axis=0) % (p, q) == 0).all()


def test_published_numbering() -> None:
    """In the 9 x 9 walk-through, cell (2, 8) lies in block 7 and (8, 5) in block 6 (from 1)."""
    grid = draw_grid_names((3, 3))
    block, _ = name_cells(grid, Representation.BLOCK_GRID, [1, 7], [7, 4])
    assert (block + 1).tolist() == [7, 6]
    by_rows, _ = name_cells(
        grid, Representation.BLOCK_GRID, [1, 7], [7, 4], numbering=Numbering.ROW_MAJOR
    )
    assert (by_rows + 1).tolist() == [3, 8]


def test_published_facts_identify_their_cells() -> None:
    """A grid with the published digits has the published names (arXiv:1207.5856, from 1).

    The published digits are 8, 7, 4 at (1, 1..3); digit 9 of block 5 at (4, 5); digit 7 of column 3
    at (8, 3); and digit 2 of row 6 at (6, 9). A search completes the grid.
    """
    grid = _complete_grid({(0, 0): 7, (0, 1): 6, (0, 2): 3, (3, 4): 8, (7, 2): 6, (5, 8): 1})
    facts = [
        (Representation.BLOCK_DIGIT, (5, 9), (4, 5)),
        (Representation.COLUMN_DIGIT, (3, 7), (8, 3)),
        (Representation.ROW_DIGIT, (6, 2), (6, 9)),
        (Representation.ROW_DIGIT, (1, 7), (1, 2)),
        (Representation.DIGIT_ROW, (4, 1), (1, 3)),
    ]
    for representation, name, cell in facts:
        row, column = find_cells(grid, representation, name[0] - 1, name[1] - 1)
        assert (int(row) + 1, int(column) + 1) == cell
        first, second = name_cells(grid, representation, cell[0] - 1, cell[1] - 1)
        assert (int(first) + 1, int(second) + 1) == name


def _complete_grid(givens: dict[tuple[int, int], int]) -> SudokuGrid:
    """Return the first 9 x 9 grid that a depth-first search finds with the given digits."""
    cells = np.full((9, 9), -1)
    for cell, digit in givens.items():
        cells[cell] = digit

    def options(row: int, column: int) -> list[int]:
        top, left = row // 3 * 3, column // 3 * 3
        box = cells[top : top + 3, left : left + 3].ravel()
        used_digits = {*cells[row], *cells[:, column], *box}
        return [digit for digit in range(9) if digit not in used_digits]

    def fill() -> bool:
        open_cells = np.argwhere(cells < 0)
        if len(open_cells) == 0:
            return True
        row, column = min(open_cells.tolist(), key=lambda cell: len(options(*cell)))
        for digit in options(row, column):
            cells[row, column] = digit
            if fill():
                return True
        cells[row, column] = -1
        return False

    assert fill()
    return SudokuGrid(cells, first=0)


@pytest.mark.parametrize(("row", "column"), [(-1, 0), (0, 9), (0.5, 0)])
def test_coordinates_are_checked(row: float, column: int) -> None:
    """A row or column outside the grid is rejected."""
    with pytest.raises(InvalidParameterError):
        name_cells(draw_grid_names((3, 3)), Representation.ROW_DIGIT, row, column)


# The 56 bijections of a grid, and the algebra of maps.


PAIRS = list(permutations(Representation, 2))


@pytest.mark.parametrize("numbering", Numbering)
@pytest.mark.parametrize("box", [*BOXES[:-1], pytest.param(BOXES[-1], marks=pytest.mark.slow)])
def test_all_pairs_are_bijections(box: tuple[int, int], numbering: Numbering) -> None:
    """F[A -> B] sends each cell to the cell whose B-name is its A-name, for all 56 pairs."""
    grid = draw_grid_names(box)
    n = grid.order
    rows, columns = np.indices((n, n))
    assert len(PAIRS) == 56
    for source, target in PAIRS:
        forward = bijection(grid, source, target, numbering=numbering)
        names = name_cells(grid, source, rows, columns, numbering=numbering)
        target_cells = find_cells(grid, target, *names, numbering=numbering)
        assert forward.dtype == np.int64
        assert np.array_equal(forward, (target_cells[0] * n + target_cells[1]).ravel())
        assert np.array_equal(np.sort(forward), np.arange(n * n))


@pytest.mark.parametrize("box", [(2, 2), (2, 3), (3, 3)])
def test_maps_compose_through_a_middle_name(box: tuple[int, int]) -> None:
    """F[A -> B] then F[B -> C] is F[A -> C]; F[B -> A] is the inverse of F[A -> B]."""
    grid = draw_grid_names(box)
    for first, middle, last in product(Representation, repeat=3):
        composed = compose(bijection(grid, first, middle), bijection(grid, middle, last))
        assert np.array_equal(composed, bijection(grid, first, last))
    for source, target in PAIRS:
        forward = bijection(grid, source, target)
        assert np.array_equal(invert(forward), bijection(grid, target, source))


@pytest.mark.parametrize("box", BOXES)
def test_some_maps_keep_line_contents(box: tuple[int, int]) -> None:
    """Row-digit keeps the digits of each row, digit-column those of each column; block-digit moves
    the digits of block b to row b."""
    grid = draw_grid_names(box)
    n = grid.order
    cells = np.random.default_rng(5).permutation(n * n)

    def move_cells(source: Representation) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
        result = np.empty_like(cells)
        result[bijection(grid, source, Representation.ROW_COLUMN)] = cells
        return result.reshape(n, n)

    is_square = cells.reshape(n, n)
    assert np.array_equal(np.sort(move_cells(Representation.ROW_DIGIT)), np.sort(is_square))
    assert np.array_equal(
        np.sort(move_cells(Representation.DIGIT_COLUMN), axis=0), np.sort(is_square, axis=0)
    )
    rows, columns = np.indices((n, n))
    block, _ = name_cells(grid, Representation.BLOCK_GRID, rows, columns)
    for index, row in enumerate(move_cells(Representation.BLOCK_DIGIT)):
        assert np.array_equal(np.sort(row), np.sort(is_square[block == index]))


def test_cycles_of_a_known_map() -> None:
    """The map (0)(1 2)(3 4 5) has one cycle of each length and the order six."""
    permutation = [0, 2, 1, 4, 5, 3]
    assert cycle_type(permutation) == {1: 1, 2: 1, 3: 1}
    assert order(permutation) == 6
    assert order(np.arange(5)) == 1
    assert cycle_type(np.arange(0)) == {}
    assert list(cycle_type([1, 2, 0, 3, 5, 4])) == [1, 2, 3]


@pytest.mark.parametrize("box", [(2, 2), (2, 3), (3, 3)])
def test_order_is_the_first_return(box: tuple[int, int]) -> None:
    """Applying a map `order` times gives the identity, and applying it fewer times does not."""
    grid = draw_grid_names(box)
    for source, target in PAIRS[::7]:
        forward = bijection(grid, source, target)
        if order(forward) > 5000:
            continue
        power, step_count = forward, 1
        while not np.array_equal(power, np.arange(len(power))):
            power, step_count = compose(power, forward), step_count + 1
        assert step_count == order(forward)


@pytest.mark.parametrize("invalid_map", [[0, 0], [1, 2], [[0]], [0.0], [-1, 0]])
def test_invalid_maps_are_rejected(invalid_map: list[int]) -> None:
    """An array that does not reach every place once is rejected."""
    with pytest.raises(InvalidParameterError):
        invert(invalid_map)
    with pytest.raises(InvalidParameterError):
        compose([0, 1, 2], [0, 1])


# The keyed map is statistically like a uniform permutation, and the battery can tell.


slow, nightly = pytest.mark.slow, pytest.mark.nightly

SIZES = [
    pytest.param(63, 500, marks=slow),
    pytest.param(97, 500, marks=slow),
    (300, 40),
    pytest.param(4096, 200, marks=slow),
    pytest.param(4355, 200, marks=slow),
    pytest.param(65536, 20, marks=slow),
    pytest.param(186_623, 6, marks=slow),  # as many spares as a large count can have
    pytest.param(512 * 512, 16, marks=slow),
    pytest.param(1024 * 1023, 6, marks=nightly),
    pytest.param(1920 * 1080, 6, marks=nightly),
]
ACCEPTED = 1e-5
"""About five hundred p-values are compared with it; the seeds, and so the results, are fixed."""
REFUSED = 1e-8

SKETCH: Exchange = "own column"
"""Spares exchanged in their columns, as in an abandoned design."""
WEAKENED = [
    pytest.param(Schedule(1, passes=("row", "column")), 4096, 20, marks=slow),
    pytest.param(Schedule(1, passes=("row", "column")), 65536, 5, marks=slow),
    (Schedule(1), 97, 1500),
    pytest.param(Schedule(2), 63, 4000, marks=slow),
    pytest.param(Schedule(4, passes=("row", "block")), 97, 500, marks=slow),
    (Schedule(4, exchange="never"), 97, 500),
    pytest.param(Schedule(4, exchange="never"), 4097, 400, marks=slow),
    pytest.param(Schedule(3, exchange=SKETCH), 63, 4000, marks=slow),
    pytest.param(Schedule(3, exchange=SKETCH), 143, 4000, marks=slow),
    pytest.param(Schedule(2, exchange=SKETCH), 13688, 20, marks=slow),
]


@pytest.mark.parametrize(("count", "keys"), SIZES)
def test_keyed_maps_pass(count: int, keys: int) -> None:
    """No statistic of the keyed maps is unlikely under the uniform distribution."""
    result = compute_p_values(draw_key_maps(count, keys, None), count)
    assert min(result.values()) > ACCEPTED, result


@pytest.mark.parametrize(("count", "keys"), SIZES)
def test_uniform_maps_pass(count: int, keys: int) -> None:
    """Uniform permutations pass the same battery, so the p-values are right."""
    rng = np.random.default_rng(count)
    result = compute_p_values((rng.permutation(count) for _ in range(keys)), count)
    assert min(result.values()) > ACCEPTED, result


@pytest.mark.parametrize(("schedule", "count", "keys"), WEAKENED)
def test_weakened_maps_fail(schedule: Schedule, count: int, keys: int) -> None:
    """The battery rejects maps that leave out a part of the schedule."""
    result = compute_p_values(draw_batches(count, keys, schedule), count)
    assert min(result.values()) < REFUSED, result


@pytest.mark.slow
@pytest.mark.parametrize("count", [36, 37, 48, 63, 80, 143, 211, 224, 300])
def test_small_counts_pass(count: int) -> None:
    """Maps of small counts with their own numbers of rounds pass with 10,000 keys, for every number
    of spares."""
    result = compute_p_values(draw_batches(count, 10_000, Schedule(4)), count)
    assert min(result.values()) > ACCEPTED, result


@pytest.mark.parametrize("count", [36, 63, 81, 97, 300])
def test_steps_equal_those_of_the_package(count: int) -> None:
    """Exchange and passes of the battery move units as those of the package do, given the same
    places and tables."""
    rng = np.random.default_rng(count)
    box, spare_count = (layout := RasterLayout.for_count(count)).box, layout.remainder
    units = rng.permuted(np.tile(np.arange(count), (5, 1)), axis=1)
    package_units = units.copy()
    positions = rng.integers(0, np.arange(count, count - spare_count, -1), (5, spare_count))
    exchange(units, positions)
    for line, other_positions in zip(package_units, positions, strict=True):
        room.RemainderExchange(other_positions).apply(line)
    assert np.array_equal(units, package_units)
    drawn_grids = {name: Grids.draw(box, 5, rng) for name in ("row", "column", "block")}
    for name, grids in drawn_grids.items():
        move(units, name, grids)
    for index, line in enumerate(package_units):
        row, *other_positions = np.array(
            [
                [table[index] for table in (grid.alpha, grid.beta, grid.sigma)]
                for grid in drawn_grids.values()
            ]
        )
        for grid in (row, *other_positions):
            assert ParametricGrid(box, *grid).to_grid().to_text()  # keeps the rules
        room.RowPass(box, row).move(line, line, Workers(1), is_banded=True)
        room.StackPass(box, np.stack(other_positions)).move(line, line, Workers(1), is_banded=True)
    assert np.array_equal(units, package_units)


def test_maps_are_maps() -> None:
    """Each drawn map reaches each place once, and no two maps are equal."""
    result = draw_maps(97, 50, Schedule(2), np.random.default_rng(1))
    assert np.array_equal(np.sort(result, axis=1), np.tile(np.arange(97), (50, 1)))
    assert len({line.tobytes() for line in result}) == 50


def test_cycles_are_counted() -> None:
    """Maps of one, two and five cycles have one, two and five cycles."""
    perms = [[1, 2, 3, 4, 0], [1, 0, 3, 4, 2], [0, 1, 2, 3, 4]]
    assert count_cycles(np.array(perms)).tolist() == [1, 2, 5]
