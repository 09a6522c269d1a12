"""Lines around areas of a picture, which show what would be covered."""

import numpy as np
from numpy.typing import NDArray

# The lines of a picture this many times as long as wide are seen at any size of a screen.
_LINES = 400
_LINE, _EDGE = (255, 0, 0), (255, 255, 255)


def draw_outlines(colors: NDArray[np.uint8], where: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Return an RGB picture with two lines, white and red, inside the border of each area."""
    width, result = 1 + max(where.shape) // _LINES, colors.copy()
    inside = _shrink(where, width)
    result[where & ~inside] = _EDGE
    result[inside & ~_shrink(inside, width)] = _LINE
    return result


def _shrink(where: NDArray[np.bool_], width: int) -> NDArray[np.bool_]:
    """Return the pixels of an area that are further than `width` from any outside of it."""
    for _ in range(2):
        window, reach = np.pad(where, ((width, width), (0, 0))), 1
        while (step := min(reach, 2 * width + 1 - reach)) > 0:
            window, reach = window[:-step] & window[step:], reach + step
        where = window.T
    return where
