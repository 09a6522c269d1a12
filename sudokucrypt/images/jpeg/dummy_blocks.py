"""Blocks that only complete the last units of scans of several components.

They usually have the mean of the block before them in their unit and nothing else, as libjpeg
writes them. What a file has in their place is stored as the difference from that.
"""

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.images.jpeg.blocks import LARGEST_AC, LEAST_DC, BlockArray
from sudokucrypt.images.jpeg.frame import Component

# Places of coefficients in the blocks of a component, ascending, and by how much they differ.
Differences = tuple[tuple[int, ...], tuple[int, ...]]


def dummy_positions(component: Component) -> NDArray[np.bool_]:
    """Return a mask of shape `Component.shape`: which blocks of a component only fill up units."""
    positions = np.ones(component.shape, dtype=np.bool_)
    positions[: component.blocks[0], : component.blocks[1]] = False
    return positions


def make_usual(plane: BlockArray, component: Component) -> None:
    """Make the dummies of a component usual ones, in the array itself."""
    if component.shape == component.blocks:
        return
    down, across = component.sampling
    shape = (component.shape[0] // down, down, component.shape[1] // across, across)
    blocks, dummies = plane.reshape(*shape, -1), dummy_positions(component).reshape(shape)
    before = blocks[:, 0, :, 0]  # which is never a filler
    for row in range(down):
        for column in range(across):
            here, filled = blocks[:, row, :, column], dummies[:, row, :, column]
            here[filled] = 0
            here[filled, 0] = before[filled, 0]
            before = here


def compare_dummies(plane: BlockArray, component: Component) -> Differences:
    """Return how the dummies of a component differ from usual ones."""
    if component.shape == component.blocks:
        return (), ()
    dummies = dummy_positions(component)
    actual = plane[dummies]
    make_usual(plane, component)  # and back, which is quicker than a copy of all blocks
    differences = actual - plane[dummies].astype(np.int32)
    plane[dummies] = actual
    blocks, positions = differences.nonzero()
    sums = np.flatnonzero(dummies)[blocks] * plane.shape[-1] + positions
    return tuple(sums.tolist()), tuple(differences[blocks, positions].tolist())


def insert_dummies(
    plane: BlockArray, component: Component, differences: Differences, *, sent: bool
) -> BlockArray:
    """Return the blocks of a component with dummies that differ so from usual ones.

    Dummies that no scan sends are zero.

    Raises `InvalidParameterError` if another block would differ, or a coefficient would be out of
    range.
    """
    dummies = dummy_positions(component)
    if sent:
        plane = plane.copy()
        make_usual(plane, component)
    elif dummies.any():
        plane = np.where(dummies[..., None], np.int16(0), plane)
    positions, values = differences
    if not positions:
        return plane
    if (
        positions[-1] >= plane.size
        or not dummies.flat[np.array(positions) // plane.shape[-1]].all()
    ):
        raise InvalidParameterError("only blocks that complete units may differ")
    flat = plane.reshape(-1)
    sums = flat[list(positions)].astype(np.int64) + np.array(values)
    if sums.min() < min(LEAST_DC, -LARGEST_AC) or sums.max() > LARGEST_AC:
        raise InvalidParameterError("coefficients of filling blocks are out of range")
    flat[list(positions)] = sums
    return plane
