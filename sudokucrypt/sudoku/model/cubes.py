"""Sudoku on cubes: on all planes of a cube, or on its faces, laid out on a flat grid.

The three kinds are those of the Perl module Games::Sudoku::General (T. R. Wyant).
"""

from collections.abc import Iterable
from functools import lru_cache

import numpy as np

from sudokucrypt.options import check_integer
from sudokucrypt.sudoku.model.variant import House, Variant, make_lines_and_boxes
from sudokucrypt.typing import IntArray

_FACE_SIDE = 4  # rows and columns of a face; a ring around the cube has as many cells as a face


@lru_cache(maxsize=4)
def make_dion_cube(order: int) -> Variant:
    """Return a Dion cube: n*n planes of n*n rows and columns, a Sudoku in all three directions.

    On the flat grid, the planes from front to back are below each other. Raises
    `InvalidParameterError` if the order n is not 2 or 3.

    >>> make_dion_cube(2)
    <Variant Dion cube of 4x4x4: 64 cells, 96 houses>
    """
    order = check_integer("the order of a Dion cube", order, least=2, most=3)
    side = order * order
    numbers = np.arange(side**3).reshape(side, side, side)
    houses: dict[frozenset[int], House] = {}
    for axis, word in enumerate(("plane", "slice from the top", "slice from the left")):
        for index, layer in enumerate(np.moveaxis(numbers, axis, 0)):
            for house in make_lines_and_boxes(layer, (order, order), f" of {word} {index + 1}"):
                # A line that is in two layers of different directions is only one house. Borders
                # are drawn only for the boxes of planes.
                drawing_style = house.drawn if axis == 0 else ""
                houses.setdefault(
                    frozenset(house.cells), House(house.name, house.cells, drawing_style)
                )
    cells = tuple((row, column) for row in range(side * side) for column in range(side))
    rule = (
        "Planes are below each other; each column through all of them, and each box of a slice "
        "from the top or the left, holds each digit once."
    )
    name = f"Dion cube of {side}x{side}x{side}"
    return Variant(name, side, (order, order), cells, tuple(houses.values()), rule)


@lru_cache(maxsize=1)
def make_cube_faces() -> Variant:
    """Return the six faces of a cube of 4x4 cells each, with 16 digits.

    Each face and each of the twelve rings around the cube contains each digit. The flat grid is a
    Latin cross: top, then left, front and right, then bottom and back.

    >>> make_cube_faces()
    <Variant Cube of six 4x4 faces: 96 cells, 18 houses>
    """
    corners = {
        "top": (0, 4), "left": (4, 0), "front": (4, 4), "right": (4, 8), "bottom": (8, 4),
        "back": (12, 4),
    }  # fmt: skip
    cells, faces = _lay_out_faces(corners)
    rings: list[tuple[str, list[IntArray]]] = []
    for index in range(_FACE_SIDE):
        row_ring = [*(faces[name][index] for name in ("left", "front", "right"))]
        row_ring.append(faces["back"][3 - index])
        column_ring = [faces[name][:, index] for name in ("top", "front", "bottom", "back")]
        side_ring = [
            faces["top"][3 - index], faces["right"][:, index],
            faces["bottom"][index], faces["left"][:, 3 - index],
        ]  # fmt: skip
        rings += [(f"ring {index + 1} across", row_ring), (f"ring {index + 1} down", column_ring)]
        rings += [(f"ring {index + 1} around", side_ring)]
    rule = "The sheet is folded to a cube: each ring of cells around it holds each digit once."
    houses = [House(f"{name} face", _to_tuple(face), "border") for name, face in faces.items()]
    houses += [House(name, _to_tuple(np.concatenate(parts))) for name, parts in rings]
    return Variant(
        "Cube of six 4x4 faces", _FACE_SIDE * _FACE_SIDE, (4, 4), cells, tuple(houses), rule
    )


@lru_cache(maxsize=1)
def make_half_cube() -> Variant:
    """Return the three visible faces of a cube of 4x4 cells each, with 8 digits.

    Each half of a face and each line across two faces contains each digit.

    >>> make_half_cube()
    <Variant Half cube of three 4x4 faces: 48 cells, 18 houses>
    """
    cells, faces = _lay_out_faces({"top": (0, 0), "front": (4, 0), "right": (4, 4)})
    halves = {
        "top": np.split(faces["top"], 2),
        "front": np.split(faces["front"], 2, axis=1),
        "right": np.split(faces["right"], 2),
    }
    houses = [
        House(f"half {half_number} of the {name} face", _to_tuple(half), "border")
        for name, cell_arrays in halves.items()
        for half_number, half in enumerate(cell_arrays, 1)
    ]
    for index in range(_FACE_SIDE):
        lines = {
            "down": (faces["top"][:, index], faces["front"][:, index]),
            "across": (faces["front"][index], faces["right"][index]),
            "around": (faces["top"][3 - index], faces["right"][:, index]),
        }
        houses += [
            House(f"line {index + 1} {name}", _to_tuple(np.concatenate(cell_arrays)))
            for name, cell_arrays in lines.items()
        ]
    rule = "The sheet is folded to half a cube: each line across two faces holds each digit once."
    return Variant(
        "Half cube of three 4x4 faces", 2 * _FACE_SIDE, (4, 4), cells, tuple(houses), rule
    )


def _lay_out_faces(
    corners: dict[str, tuple[int, int]],
) -> tuple[tuple[tuple[int, int], ...], dict[str, IntArray]]:
    """Return all cells in reading order, and the numbers of the cells of each face."""
    face_cells = {
        name: [
            (top + row, left + column) for row in range(_FACE_SIDE) for column in range(_FACE_SIDE)
        ]
        for name, (top, left) in corners.items()
    }
    cells = tuple(sorted(cell for positions in face_cells.values() for cell in positions))
    cell_numbers = {cell: index for index, cell in enumerate(cells)}
    faces = {
        name: np.array([cell_numbers[cell] for cell in positions]).reshape(_FACE_SIDE, _FACE_SIDE)
        for name, positions in face_cells.items()
    }
    return cells, faces


def _to_tuple(numbers: Iterable[int] | IntArray) -> tuple[int, ...]:
    return tuple(np.ravel(np.asarray(numbers)).tolist())
