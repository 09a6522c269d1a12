"""Images with names, and made ones that strain a scheme in known ways."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.analysis.inputs import checked_image
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray

Gray = NDArray[np.uint8]


@dataclass(frozen=True, eq=False, kw_only=True)
class NamedImage:
    """An image and what a report calls it.

    Parameters
    ----------
    name : str
        Such as the name of its file.
    pixels : ndarray of shape (M, N) or (M, N, C), dtype bool, uint8 or uint16
        The samples as they are stored.
    levels : int
        Samples are 0..levels-1; by default, or for 0, as many as the dtype has.

    Raises
    ------
    InvalidImageError
        If the image has another shape or dtype, is empty, or has a sample above its levels.

    Examples
    --------
    >>> import numpy as np
    >>> NamedImage(name="black", pixels=np.zeros((2, 2), dtype=np.uint8)).levels
    256
    """

    name: str
    pixels: AnyArray
    levels: int = 0

    def __post_init__(self) -> None:
        _, levels = checked_image(self.pixels, levels=self.levels or None)
        object.__setattr__(self, "levels", levels)

    @property
    def channels(self) -> list[AnyArray]:
        """Views of the channels, one at least."""
        if self.pixels.ndim == 2:
            return [self.pixels]
        return [self.pixels[..., channel] for channel in range(self.pixels.shape[2])]


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
