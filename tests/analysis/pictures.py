"""Load pictures from scikit-image or from the samples."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from skimage import data

_SAMPLES = Path(__file__).parents[2] / "samples" / "pictures"

NAMES = ("astronaut", "camera", "chelsea.jpg", "grass")
"""A portrait, a scene, fur and a texture; the first and the third are colored."""


@cache
def picture(name: str) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Return a picture of shape (M, N) or (M, N, 3)."""
    if "." in name:
        with Image.open(_SAMPLES / name) as image:
            return np.asarray(image)
    return np.asarray(getattr(data, name)())


def channel(name: str) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Return a part of a picture, of shape (150, 170): the green channel of a color picture."""
    image = picture(name)
    return (image if image.ndim == 2 else image[..., 1])[100:250, 100:270]
