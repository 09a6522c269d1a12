"""Arrays as PNG pictures: previews of images, spectra, maps of correlation."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.analysis.correlation import autocorrelation_map, spectrum_magnitude
from sudokucrypt.analysis.extras import require
from sudokucrypt.analysis.inputs import checked_image

if TYPE_CHECKING:
    from sudokucrypt.analysis.reports.document import Drawing
    from sudokucrypt.typing import AnyArray

LONGEST_SIDE = 512
"""Most pixels that a preview has on a side: a page must not weigh more than its pictures."""

_REACH = 24


def thinned(image: AnyArray, *, side: int = LONGEST_SIDE) -> AnyArray:
    """Return every n-th row and column, so that neither side is longer than `side`.

    Averaging would turn noise into an even gray, and show a scrambled picture as what it is not.
    """
    step = -(-max(image.shape[:2]) // side)
    return image[::step, ::step]


def preview(image: AnyArray, *, levels: int | None = None) -> Drawing:
    """Draw an image as it looks: gray, or the first three channels as red, green and blue.

    Parameters
    ----------
    image : ndarray of shape (M, N) or (M, N, C), dtype bool, uint8 or uint16
        Large ones are thinned out.
    levels : int, optional
        Samples are 0..levels-1; the largest is shown white.
    """
    pixels, levels = checked_image(thinned(image), levels=levels)
    shown = (pixels.astype(np.float64) * 255 / (levels - 1)).round().astype(np.uint8)
    channels = 1 if shown.ndim == 2 else shown.shape[2]
    if channels < 3:
        shown = np.repeat(shown[..., None] if shown.ndim == 2 else shown[..., :1], 3, axis=2)
    return _png(np.ascontiguousarray(shown[..., :3]))


def spectrum(image: AnyArray) -> Drawing:
    """Draw the logarithm of the magnitude of the Fourier transform, frequency 0 in the centre."""
    magnitude = np.log1p(np.atleast_3d(spectrum_magnitude(image)).mean(axis=2))
    return _png(thinned(magnitude), colors="magma", low=0.0, high=float(magnitude.max()))


def autocorrelation(image: AnyArray) -> Drawing:
    """Draw the correlation of an image with itself, moved by up to 24 rows and columns.

    Blue is negative, red positive, and full color stands for 1; constant channels are left out.
    """
    moved = np.atleast_3d(np.nan_to_num(autocorrelation_map(image))).mean(axis=2)
    row, column = moved.shape[0] // 2, moved.shape[1] // 2
    near = moved[
        max(0, row - _REACH) : row + _REACH + 1, max(0, column - _REACH) : column + _REACH + 1
    ]
    # The square root shows weak correlation too, and keeps its sign.
    return _png(np.sign(near) * np.sqrt(np.abs(near)), colors="RdBu_r", low=-1.0, high=1.0)


def _png(array: AnyArray, *, colors: str | None = None, low: float = 0, high: float = 1) -> Drawing:
    target = io.BytesIO()
    limits = {} if colors is None else {"cmap": colors, "vmin": low, "vmax": high}
    require("matplotlib.image").imsave(target, array, format="png", **limits)
    return "image/png", target.getvalue()
