"""Draw outlines of the areas of a picture that would be covered."""

import numpy as np
from numpy.typing import NDArray

# Ratio of the longer side of a picture to the width of a line, so that lines are always visible.
_LINE_WIDTHS_PER_SIDE = 400
_INNER_COLOR, _OUTER_COLOR = (255, 0, 0), (255, 255, 255)


def draw_outlines(colors: NDArray[np.uint8], mask: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Return an RGB picture with two lines, white and red, inside the border of each area."""
    width, result = 1 + max(mask.shape) // _LINE_WIDTHS_PER_SIDE, colors.copy()
    inner_mask = _shrink_mask(mask, width)
    result[mask & ~inner_mask] = _OUTER_COLOR
    result[inner_mask & ~_shrink_mask(inner_mask, width)] = _INNER_COLOR
    return result


def _shrink_mask(mask: NDArray[np.bool_], width: int) -> NDArray[np.bool_]:
    """Return the pixels of an area that are further than `width` from all pixels outside it."""
    for _ in range(2):
        padded_mask, window_size = np.pad(mask, ((width, width), (0, 0))), 1
        while (step := min(window_size, 2 * width + 1 - window_size)) > 0:
            padded_mask, window_size = padded_mask[:-step] & padded_mask[step:], window_size + step
        mask = padded_mask.T
    return mask
