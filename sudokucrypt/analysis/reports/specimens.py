"""Made pictures that strain a scheme in known ways: even, regular, sparse, or like a photograph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.analysis.reports.named_image import NamedImage
from sudokucrypt.sudoku.seeded import seeded_draws

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Gray = NDArray[np.uint8]

_SEED = 7
_LETTER = (5, 7)
_LINE = 12


def specimens(side: int = 256) -> tuple[NamedImage, ...]:
    """Return square gray images of 8 bits, the same ones each time.

    Parameters
    ----------
    side : int
        Rows and columns, 32 or more.

    Returns
    -------
    tuple of NamedImage
        "black", "gradient", "checkerboard", "text" (dark marks in lines) and "clouds" (noise whose
        spectrum falls with the frequency, as that of photographs does).

    Examples
    --------
    >>> [image.name for image in specimens(32)]
    ['black', 'gradient', 'checkerboard', 'text', 'clouds']
    """
    places = np.indices((side, side))
    gradient = np.linspace(0, 255, side).round().astype(np.uint8)
    made = {
        "black": np.zeros((side, side), dtype=np.uint8),
        "gradient": np.tile(gradient, (side, 1)),
        "checkerboard": ((places // 8).sum(axis=0) % 2 * 255).astype(np.uint8),
        "text": _text(side),
        "clouds": _clouds(side),
    }
    return tuple(NamedImage(name=name, pixels=pixels) for name, pixels in made.items())


def _text(side: int) -> Gray:
    """Return lines of marks of the size of letters, with gaps as between words."""
    page = np.full((side, side), 255, dtype=np.uint8)
    source = seeded_draws(_SEED)
    width, height = _LETTER
    for top in range(4, side - height, _LINE):
        for left in range(4, side - width, width + 1):
            if source.below(6):
                marks = source.below_each(np.full(width * height, 2)).reshape(height, width)
                page[top : top + height, left : left + width][marks == 1] = 20
    return page


def _clouds(side: int) -> Gray:
    """Return noise of random phases and amplitudes in inverse proportion to the frequency."""
    frequency = np.hypot(*np.meshgrid(np.fft.fftfreq(side), np.fft.fftfreq(side)))
    frequency[0, 0] = np.inf
    draws = seeded_draws(_SEED).below_each(np.full(side * side, 2**16)).reshape(side, side)
    noise = np.fft.ifft2(np.exp(2j * np.pi * draws / 2**16) / frequency).real
    low, high = noise.min(), noise.max()
    return np.asarray((noise - low) / (high - low) * 255).round().astype(np.uint8)
