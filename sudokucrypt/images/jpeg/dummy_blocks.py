"""Dummy blocks, which only complete the last units of scans of several components.

A usual dummy, as libjpeg writes it, has only the mean of the block before it in its unit. The
dummies of a file are stored as their difference from usual ones.
"""

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.images.jpeg.blocks import LARGEST_AC, LEAST_DC, BlockArray
from sudokucrypt.images.jpeg.frame import Component

# The positions of differing coefficients in all blocks of a component, ascending; and differences.
Differences = tuple[tuple[int, ...], tuple[int, ...]]


def find_dummy_positions(component: Component) -> NDArray[np.bool_]:
    """Return a mask of shape `Component.shape`, which is true for the dummy blocks."""
    positions = np.ones(component.shape, dtype=np.bool_)
    positions[: component.blocks[0], : component.blocks[1]] = False
    return positions


def replace_dummies(plane: BlockArray, component: Component) -> None:
    """Replace the dummies of a component by usual ones, in place."""
    if component.shape == component.blocks:
        return
    down, across = component.sampling
    shape = (component.shape[0] // down, down, component.shape[1] // across, across)
    blocks, dummies = plane.reshape(*shape, -1), find_dummy_positions(component).reshape(shape)
    previous_means = blocks[:, 0, :, 0]  # the first block of a unit is never a dummy
    for row in range(down):
        for column in range(across):
            current_blocks, is_dummy = blocks[:, row, :, column], dummies[:, row, :, column]
            current_blocks[is_dummy] = 0
            current_blocks[is_dummy, 0] = previous_means[is_dummy, 0]
            previous_means = current_blocks


def compare_dummies(plane: BlockArray, component: Component) -> Differences:
    """Return the differences of the dummies of a component from usual ones."""
    if component.shape == component.blocks:
        return (), ()
    dummies = find_dummy_positions(component)
    actual = plane[dummies]
    replace_dummies(plane, component)  # undone below, which is faster than copying all blocks
    differences = actual - plane[dummies].astype(np.int32)
    plane[dummies] = actual
    blocks, coefficients = differences.nonzero()
    positions = np.flatnonzero(dummies)[blocks] * plane.shape[-1] + coefficients
    return tuple(positions.tolist()), tuple(differences[blocks, coefficients].tolist())


def insert_dummies(
    plane: BlockArray, component: Component, differences: Differences, *, sent: bool
) -> BlockArray:
    """Return the blocks of a component with dummies that have these differences from usual ones.

    Unless the dummies are `sent` by a scan, they are zero.

    Raises `InvalidParameterError` if a difference is in another block, or a coefficient would be
    out of range.
    """
    dummies = find_dummy_positions(component)
    if sent:
        plane = plane.copy()
        replace_dummies(plane, component)
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
    all_blocks = plane.reshape(-1)
    new_values = all_blocks[list(positions)].astype(np.int64) + np.array(values)
    if new_values.min() < min(LEAST_DC, -LARGEST_AC) or new_values.max() > LARGEST_AC:
        raise InvalidParameterError("coefficients of filling blocks are out of range")
    all_blocks[list(positions)] = new_values
    return plane
