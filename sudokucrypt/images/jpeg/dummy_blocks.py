"""Dummy blocks, which only complete the last units of scans of several components.

A usual dummy, as libjpeg writes it, has only the mean of the block before it in its unit. The
dummies of a file are stored as their difference from usual ones.
"""

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.images.jpeg.blocks import MAX_AC, MIN_DC, BlockArray
from sudokucrypt.images.jpeg.frame import Component

# The ascending positions of coefficients of dummy blocks that differ from the usual ones, counted
# over all blocks of a component; and their differences.
Differences = tuple[tuple[int, ...], tuple[int, ...]]


def make_dummy_mask(component: Component) -> NDArray[np.bool_]:
    """Return a mask of shape `Component.shape`, which is true for the dummy blocks."""
    positions = np.ones(component.shape, dtype=np.bool_)
    positions[: component.blocks[0], : component.blocks[1]] = False
    return positions


def replace_dummies(plane: BlockArray, component: Component) -> None:
    """Replace the dummy blocks of a component by the blocks that libjpeg would write, in place."""
    if component.shape == component.blocks:
        return
    vertical_factor, horizontal_factor = component.sampling
    shape = (
        component.shape[0] // vertical_factor,
        vertical_factor,
        component.shape[1] // horizontal_factor,
        horizontal_factor,
    )
    blocks, dummy_mask = plane.reshape(*shape, -1), make_dummy_mask(component).reshape(shape)
    previous_means = blocks[:, 0, :, 0]  # the first block of a unit is never a dummy
    for row in range(vertical_factor):
        for column in range(horizontal_factor):
            current_blocks, dummy_flags = blocks[:, row, :, column], dummy_mask[:, row, :, column]
            current_blocks[dummy_flags] = 0
            current_blocks[dummy_flags, 0] = previous_means[dummy_flags, 0]
            previous_means = current_blocks


def compare_dummies(plane: BlockArray, component: Component) -> Differences:
    """Return the differences of the dummy blocks of a component from the usual dummy blocks."""
    if component.shape == component.blocks:
        return (), ()
    dummy_mask = make_dummy_mask(component)
    actual_blocks = plane[dummy_mask]
    replace_dummies(plane, component)  # undone below, which is faster than copying all blocks
    differences = actual_blocks - plane[dummy_mask].astype(np.int32)
    plane[dummy_mask] = actual_blocks
    blocks, coefficients = differences.nonzero()
    positions = np.flatnonzero(dummy_mask)[blocks] * plane.shape[-1] + coefficients
    return tuple(positions.tolist()), tuple(differences[blocks, coefficients].tolist())


def insert_dummies(
    plane: BlockArray, component: Component, differences: Differences, *, dummies_are_sent: bool
) -> BlockArray:
    """Return the blocks of a component, with `differences` added to its usual dummy blocks.

    Unless the dummies are `dummies_are_sent` by a scan, they are zero.

    Raises `InvalidParameterError` if a difference is in another block, or a coefficient would be
    out of range.
    """
    dummy_mask = make_dummy_mask(component)
    if dummies_are_sent:
        plane = plane.copy()
        replace_dummies(plane, component)
    elif dummy_mask.any():
        plane = np.where(dummy_mask[..., None], np.int16(0), plane)
    positions, values = differences
    if not positions:
        return plane
    if (
        positions[-1] >= plane.size
        or not dummy_mask.flat[np.array(positions) // plane.shape[-1]].all()
    ):
        raise InvalidParameterError("only dummy blocks may have differences")
    flat_coefficients = plane.reshape(-1)
    new_values = flat_coefficients[list(positions)].astype(np.int64) + np.array(values)
    if new_values.min() < min(MIN_DC, -MAX_AC) or new_values.max() > MAX_AC:
        raise InvalidParameterError("coefficients of dummy blocks are out of range")
    flat_coefficients[list(positions)] = new_values
    return plane
