"""Ten pictures that come with scikit-image or the samples."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from skimage import data

_SAMPLES = Path(__file__).parents[3] / "samples" / "pictures"
_COLOUR = ("astronaut", "coffee", "rocket")
_GRAY = ("brick", "camera", "coins", "grass", "gravel", "moon")

NAMES = (*_COLOUR, *_GRAY, "chelsea.jpg")


@lru_cache(maxsize=len(NAMES))
def picture(name: str) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """A picture of shape (M, N) or (M, N, 3)."""
    if name == "chelsea.jpg":
        with Image.open(_SAMPLES / name) as image:
            return np.asarray(image)
    return np.asarray(getattr(data, name)())


def channel(name: str) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """A picture of shape (M, N): the green channel of a coloured one."""
    image = picture(name)
    return image if image.ndim == 2 else image[..., 1]
