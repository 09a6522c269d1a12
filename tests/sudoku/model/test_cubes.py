"""Sudoku on cubes: rings and planes are those of the folded sheet."""

from collections import Counter, defaultdict

import numpy as np
import pytest

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.sudoku import is_unique, make_puzzle
from sudokucrypt.sudoku.model.cubes import cube_faces, dion_cube, half_cube
from sudokucrypt.sudoku.model.variant import Variant


def fold(row: int, column: int) -> dict[str, int]:
    """Return the two coordinates of a cell of the Latin cross on the cube, by axis."""
    down, right = row % 4, column % 4
    return {
        (0, 1): {"z": 3 - down, "x": right},  # top
        (1, 0): {"y": down, "z": 3 - right},  # left
        (1, 1): {"y": down, "x": right},  # front
        (1, 2): {"y": down, "z": right},  # right
        (2, 1): {"z": down, "x": right},  # bottom
        (3, 1): {"y": 3 - down, "x": right},  # back
    }[row // 4, column // 4]


def test_rings_go_around_the_cube() -> None:
    """A ring has the cells with one coordinate in common, on four faces."""
    variant = cube_faces()
    rings = defaultdict(set)
    for number, (row, column) in enumerate(variant.cells):
        for axis, at in fold(row, column).items():
            rings[axis, at].add(number)
    faces = [house.cells for house in variant.houses if house.drawn == "border"]
    assert len(faces) == 6
    assert variant.demands == {frozenset(cells) for cells in (*rings.values(), *faces)}
    assert {len(house.cells) for house in variant.houses} == {16}


def test_half_a_cube_is_part_of_one() -> None:
    """Its lines are rings without the faces that are not seen; each cell is in three houses."""
    variant = half_cube()
    at = {(0, 0): (0, 1), (1, 0): (1, 1), (1, 1): (1, 2)}
    lines = defaultdict(set)
    for number, (row, column) in enumerate(variant.cells):
        face = at[row // 4, column // 4]
        for axis, place in fold(4 * face[0] + row % 4, 4 * face[1] + column % 4).items():
            lines[axis, place].add(number)
    assert {frozenset(cells) for cells in lines.values()} <= variant.demands
    assert set(Counter(c for house in variant.houses for c in house.cells).values()) == {3}
    assert {len(house.cells) for house in variant.houses} == {8}


def test_planes_of_a_dion_cube() -> None:
    """Each plane in each direction is a Sudoku."""
    variant = dion_cube(2)
    solution = make_puzzle(1, sheet=variant).solution.givens.reshape(4, 4, 4)
    for axis in range(3):
        for plane in np.moveaxis(solution, axis, 0):
            boxes = plane.reshape(2, 2, 2, 2).transpose(0, 2, 1, 3).reshape(4, 4)
            assert all(sorted(line) == [0, 1, 2, 3] for line in (*plane, *plane.T, *boxes))
    assert len(dion_cube(3).cells) == 729
    with pytest.raises(InvalidParameterError):
        dion_cube(4)


@pytest.mark.parametrize("variant", [cube_faces(), half_cube(), dion_cube(2)], ids=str)
def test_puzzles_on_cubes(variant: Variant) -> None:
    """They are made and solved."""
    puzzle, solution = make_puzzle(2, sheet=variant)
    assert is_unique(puzzle)
    assert (solution.givens >= 0).all()
