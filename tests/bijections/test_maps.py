"""The 56 bijections of a grid, and the algebra of maps."""

from itertools import permutations, product

import numpy as np
import pytest

from sudokucrypt import (
    InvalidParameterError,
    Numbering,
    Representation,
    bijection,
    cells_at,
    compose,
    cycle_type,
    invert,
    names_of,
    order,
)
from tests.bijections.test_representation import BOXES, drawn

PAIRS = list(permutations(Representation, 2))


@pytest.mark.parametrize("numbering", Numbering)
@pytest.mark.parametrize("box", [*BOXES[:-1], pytest.param(BOXES[-1], marks=pytest.mark.slow)])
def test_all_pairs_are_bijections(box: tuple[int, int], numbering: Numbering) -> None:
    """F[A -> B] sends each cell to the cell whose B-name is its A-name, for all 56 pairs."""
    grid = drawn(box)
    n = grid.order
    rows, columns = np.indices((n, n))
    assert len(PAIRS) == 56
    for source, target in PAIRS:
        forward = bijection(grid, source, target, numbering=numbering)
        names = names_of(grid, source, rows, columns, numbering=numbering)
        to = cells_at(grid, target, *names, numbering=numbering)
        assert forward.dtype == np.int64
        assert np.array_equal(forward, (to[0] * n + to[1]).ravel())
        assert np.array_equal(np.sort(forward), np.arange(n * n))


@pytest.mark.parametrize("box", [(2, 2), (2, 3), (3, 3)])
def test_maps_compose_through_a_middle_name(box: tuple[int, int]) -> None:
    """F[A -> B] then F[B -> C] is F[A -> C]; F[B -> A] is the inverse of F[A -> B]."""
    grid = drawn(box)
    for first, middle, last in product(Representation, repeat=3):
        through = compose(bijection(grid, first, middle), bijection(grid, middle, last))
        assert np.array_equal(through, bijection(grid, first, last))
    for source, target in PAIRS:
        forward = bijection(grid, source, target)
        assert np.array_equal(invert(forward), bijection(grid, target, source))


@pytest.mark.parametrize("box", BOXES)
def test_what_one_map_leaves_unchanged(box: tuple[int, int]) -> None:
    """Row-digit keeps each row's contents, digit-column each column's; block-digit makes block b
    row b."""
    grid = drawn(box)
    n = grid.order
    cells = np.random.default_rng(5).permutation(n * n)

    def moved(source: Representation) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
        result = np.empty_like(cells)
        result[bijection(grid, source, Representation.ROW_COLUMN)] = cells
        return result.reshape(n, n)

    square = cells.reshape(n, n)
    assert np.array_equal(np.sort(moved(Representation.ROW_DIGIT)), np.sort(square))
    assert np.array_equal(
        np.sort(moved(Representation.DIGIT_COLUMN), axis=0), np.sort(square, axis=0)
    )
    rows, columns = np.indices((n, n))
    block, _ = names_of(grid, Representation.BLOCK_GRID, rows, columns)
    for index, row in enumerate(moved(Representation.BLOCK_DIGIT)):
        assert np.array_equal(np.sort(row), np.sort(square[block == index]))


def test_cycles_of_a_known_map() -> None:
    """(0)(1 2)(3 4 5): one cycle of each length, back in place after six applications."""
    known = [0, 2, 1, 4, 5, 3]
    assert cycle_type(known) == {1: 1, 2: 1, 3: 1}
    assert order(known) == 6
    assert order(np.arange(5)) == 1
    assert cycle_type(np.arange(0)) == {}
    assert list(cycle_type([1, 2, 0, 3, 5, 4])) == [1, 2, 3]


@pytest.mark.parametrize("box", [(2, 2), (2, 3), (3, 3)])
def test_order_is_the_first_return(box: tuple[int, int]) -> None:
    """Applying a map `order` times, and no fewer times, gives the identity."""
    grid = drawn(box)
    for source, target in PAIRS[::7]:
        forward = bijection(grid, source, target)
        if order(forward) > 5000:
            continue
        power, steps = forward, 1
        while not np.array_equal(power, np.arange(len(power))):
            power, steps = compose(power, forward), steps + 1
        assert steps == order(forward)


@pytest.mark.parametrize("bad", [[0, 0], [1, 2], [[0]], [0.0], [-1, 0]])
def test_what_is_no_map_is_refused(bad: list[int]) -> None:
    """Arrays that do not reach every place once are refused."""
    with pytest.raises(InvalidParameterError):
        invert(bad)
    with pytest.raises(InvalidParameterError):
        compose([0, 1, 2], [0, 1])
