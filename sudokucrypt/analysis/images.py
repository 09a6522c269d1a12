"""Define named images, and generate test images for schemes."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.analysis.inputs import check_image, split_channels
from sudokucrypt.images import MAX_PIXELS, decode_picture
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray

GrayPixels = NDArray[np.uint8]


@dataclass(frozen=True, eq=False, kw_only=True)
class NamedImage:
    """An image with its name in reports and the number of levels of its samples.

    >>> NamedImage(name="black", pixels=np.zeros((2, 2), dtype=np.uint8)).levels
    256
    """

    name: str
    pixels: AnyArray
    levels: int = 0

    def __post_init__(self) -> None:
        _, levels = check_image(self.pixels, levels=self.levels or None)
        object.__setattr__(self, "levels", levels)

    @property
    def channels(self) -> list[AnyArray]:
        """Views of the channels, one or more."""
        return [channel for _, channel in split_channels(self.pixels)]

    def with_pixels(self, pixels: AnyArray, *, name: str = "") -> "NamedImage":
        """Return a result of a scheme as an image, with more levels if its samples need them."""
        levels = self.levels if pixels.max() < self.levels else 0
        return replace(self, name=name, pixels=pixels, levels=levels)


@dataclass(frozen=True, eq=False, kw_only=True)
class NamedJpeg:
    """The bytes of a JPEG file, with its name in reports.

    `max_pixels` is the maximum number of pixels of this file and of its results.
    """

    name: str
    data: bytes
    max_pixels: int = MAX_PIXELS

    def decode(self) -> NamedImage:
        """Return the picture that viewers show, or raise `InvalidImageError` if decoding fails."""
        picture = decode_picture(self.data, self.name, max_pixels=self.max_pixels)
        return NamedImage(name=self.name, pixels=picture.pixels)


def thin_out(image: AnyArray, *, side: int) -> AnyArray:
    """Shrink an image to at most `side` pixels a side by keeping every n-th row and column.

    Averaging would turn noise into uniform gray, and misrepresent a scrambled picture.
    """
    step = -(-max(image.shape[:2]) // side)
    return image[::step, ::step]


# Fixed, so that the specimens are the same in every report.
_SEED = 7
_LETTER_SIZE = (5, 7)
_LINE_HEIGHT = 12


def specimens(side: int = 256) -> tuple[NamedImage, ...]:
    """Return generated square gray test images of 8 bits, always the same ones for a side.

    They are "black", "gradient", "checkerboard", "text" (dark marks in lines), "white" and "clouds"
    (noise whose spectrum falls with the frequency, as in photographs).

    Parameters
    ----------
    side : int, default 256
        Rows and columns in pixels, 32 or more.

    Examples
    --------
    >>> [image.name for image in specimens(32)]
    ['black', 'gradient', 'checkerboard', 'text', 'white', 'clouds']
    """
    indices = np.indices((side, side))
    gradient = np.linspace(0, 255, side).round().astype(np.uint8)
    images = {
        "black": np.zeros((side, side), dtype=np.uint8),
        "gradient": np.tile(gradient, (side, 1)),
        "checkerboard": ((indices // 8).sum(axis=0) % 2 * 255).astype(np.uint8),
        "text": _draw_text(side),
        "white": np.full((side, side), 255, dtype=np.uint8),
        "clouds": _draw_clouds(side),
    }
    return tuple(NamedImage(name=name, pixels=pixels) for name, pixels in images.items())


def _draw_text(side: int) -> GrayPixels:
    """Return an image of lines of marks with the size of letters, and gaps between words."""
    page = np.full((side, side), 255, dtype=np.uint8)
    source = seeded_draws(_SEED)
    width, height = _LETTER_SIZE
    for top in range(4, side - height, _LINE_HEIGHT):
        for left in range(4, side - width, width + 1):
            if source.below(6):
                marks = source.below_each(np.full(width * height, 2)).reshape(height, width)
                page[top : top + height, left : left + width][marks == 1] = 20
    return page


def _draw_clouds(side: int) -> GrayPixels:
    """Return noise of random phases and amplitudes in inverse proportion to the frequency."""
    frequency = np.hypot(*np.meshgrid(np.fft.fftfreq(side), np.fft.fftfreq(side)))
    # The mean is 0, since the levels are stretched to the whole range afterwards.
    frequency[0, 0] = np.inf
    phases = seeded_draws(_SEED).below_each(np.full(side * side, 2**16)).reshape(side, side)
    noise = np.fft.ifft2(np.exp(2j * np.pi * phases / 2**16) / frequency).real
    least_value, greatest_value = noise.min(), noise.max()
    return (
        np.asarray((noise - least_value) / (greatest_value - least_value) * 255)
        .round()
        .astype(np.uint8)
    )
