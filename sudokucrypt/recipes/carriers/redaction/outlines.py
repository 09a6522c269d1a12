"""Draw lines around areas of a picture, which show what would be covered."""

import numpy as np
from numpy.typing import NDArray

# Longer side of a picture in widths of a line: such lines are visible at any size of a screen.
_SIDE_IN_LINES = 400
_INNER_COLOR, _OUTER_COLOR = (255, 0, 0), (255, 255, 255)


def draw_outlines(colors: NDArray[np.uint8], mask: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Return an RGB picture with two lines, white and red, inside the border of each area."""
    width, result = 1 + max(mask.shape) // _SIDE_IN_LINES, colors.copy()
    inside = _shrink(mask, width)
    result[mask & ~inside] = _OUTER_COLOR
    result[inside & ~_shrink(inside, width)] = _INNER_COLOR
    return result


def _shrink(mask: NDArray[np.bool_], width: int) -> NDArray[np.bool_]:
    """Return the pixels of an area that are further than `width` from all pixels outside it."""
    for _ in range(2):
        window, reach = np.pad(mask, ((width, width), (0, 0))), 1
        while (step := min(reach, 2 * width + 1 - reach)) > 0:
            window, reach = window[:-step] & window[step:], reach + step
        mask = window.T
    return mask
