"""Blocks that only complete the last units of scans of several components.

They usually have the mean of the block before them in their unit and nothing else, as libjpeg
writes them. What a file has in their place is told by how it differs from that.
"""

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.images.jpeg.blocks import LARGEST_AC, LEAST_DC, Blocks
from sudokucrypt.images.jpeg.frame import Component

Differences = tuple[tuple[int, ...], tuple[int, ...]]
"""Places of coefficients in the blocks of a component, ascending, and by how much they differ."""


def dummy_positions(component: Component) -> NDArray[np.bool_]:
    """Return which blocks of a component only complete units, of shape `Component.shape`."""
    places = np.ones(component.shape, dtype=np.bool_)
    places[: component.blocks[0], : component.blocks[1]] = False
    return places


def with_usual_dummies(plane: Blocks, component: Component) -> Blocks:
    """Return the blocks of a component with usual fillers."""
    if component.shape == component.blocks:
        return plane
    plane = plane.copy()
    down, across = component.sampling
    shape = (component.shape[0] // down, down, component.shape[1] // across, across)
    blocks, fillers = plane.reshape(*shape, -1), dummy_positions(component).reshape(shape)
    before = blocks[:, 0, :, 0]  # which is never a filler
    for row in range(down):
        for column in range(across):
            here, filled = blocks[:, row, :, column], fillers[:, row, :, column]
            here[filled] = 0
            here[filled, 0] = before[filled, 0]
            before = here
    return plane


def dummy_differences(plane: Blocks, component: Component) -> Differences:
    """Return how the fillers of a component differ from usual ones."""
    if component.shape == component.blocks:
        return (), ()
    fillers = dummy_positions(component)
    usual = with_usual_dummies(plane, component)[fillers].astype(np.int32)
    differences = plane[fillers] - usual
    blocks, places = differences.nonzero()
    numbers = np.flatnonzero(fillers)[blocks] * plane.shape[-1] + places
    return tuple(numbers.tolist()), tuple(differences[blocks, places].tolist())


def with_dummies(
    plane: Blocks, component: Component, differences: Differences, *, sent: bool
) -> Blocks:
    """Return the blocks of a component with fillers that differ so from usual ones.

    Those that no scan sends are zero, whatever is usual.

    Raises
    ------
    InvalidParameterError
        If another block would differ, or a coefficient would be out of range.
    """
    fillers = dummy_positions(component)
    if sent:
        plane = with_usual_dummies(plane, component)
    else:
        plane = np.where(fillers[..., None], np.int16(0), plane)
    places, values = differences
    if not places:
        return plane
    if places[-1] >= plane.size or not fillers.flat[np.array(places) // plane.shape[-1]].all():
        raise InvalidParameterError("only blocks that complete units may differ")
    found = plane.reshape(-1)
    numbers = found[list(places)].astype(np.int64) + np.array(values)
    if numbers.min() < min(LEAST_DC, -LARGEST_AC) or numbers.max() > LARGEST_AC:
        raise InvalidParameterError("coefficients of filling blocks are out of range")
    found[list(places)] = numbers
    return plane
