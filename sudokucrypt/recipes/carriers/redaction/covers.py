"""The covers of areas: one color, or a smooth fill from the surroundings."""

import re
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import InvalidParameterError

SURROUNDINGS: Final = "surroundings"
_COLORS_BY_NAME: Final = {"black": "#000000", "white": "#ffffff", "gray": "#808080"}
_COLOR: Final = re.compile("#[0-9a-f]{6}")


def normalize_cover(text: str) -> str:
    """Return the normal form of a cover: ``#rrggbb`` or ``surroundings``.

    Raises `InvalidParameterError` unless it is one of these, ``black``, ``white`` or ``gray``.
    """
    cover = _COLORS_BY_NAME.get(text, text.lower())
    if cover != SURROUNDINGS and not _COLOR.fullmatch(cover):
        raise InvalidParameterError(
            f"a cover is black, white, gray, a color such as #ff8800, or {SURROUNDINGS}, "
            f"not {text!r}"
        )
    return cover


def parse_color(cover: str) -> tuple[int, int, int]:
    """Return red, green and blue of a cover, 0..255."""
    return int(cover[1:3], 16), int(cover[3:5], 16), int(cover[5:7], 16)


def fill_smoothly(
    values: NDArray[np.float64], hidden_mask: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Replace the hidden values of an array of shape (M, N, C) by averages of visible values.

    Means of visible values are computed at coarser and coarser levels. Each hidden value becomes
    the mean of the finest level that has one at its place, so that flat areas continue and edges
    fade. If all values are hidden, the result is zero.
    """
    if not hidden_mask.any():
        return values
    if hidden_mask.all():
        return np.zeros_like(values)
    weights = np.broadcast_to(~hidden_mask[..., None], (*hidden_mask.shape, 1)).astype(np.float64)
    weighted_sums, counts = (
        _sum_two_by_two_blocks(np.where(hidden_mask[..., None], 0.0, values)),
        _sum_two_by_two_blocks(weights),
    )
    means = np.divide(weighted_sums, counts, out=np.zeros_like(weighted_sums), where=counts > 0)
    coarse_values = fill_smoothly(means, counts[..., 0] == 0)
    coarse_values = coarse_values.repeat(2, axis=0).repeat(2, axis=1)[
        : hidden_mask.shape[0], : hidden_mask.shape[1]
    ]
    return np.where(hidden_mask[..., None], coarse_values, values)


def _sum_two_by_two_blocks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum of each block of two by two values."""
    even_padding = [(0, values.shape[0] % 2), (0, values.shape[1] % 2), (0, 0)]
    padded_values = np.pad(values, even_padding)
    rows, columns, channels = padded_values.shape
    sums: NDArray[np.float64] = padded_values.reshape(rows // 2, 2, columns // 2, 2, channels).sum(
        axis=(1, 3)
    )
    return sums
