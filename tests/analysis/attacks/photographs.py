"""Photographs that come with scikit-image or the samples."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image
from skimage import data

if TYPE_CHECKING:
    from sudokucrypt.typing import AnyArray

_SAMPLES = Path(__file__).parents[3] / "samples" / "pictures"


@cache
def picture(name: str) -> AnyArray:
    """Return a picture of shape (M, N) or (M, N, 3), dtype uint8."""
    if "." in name:
        with Image.open(_SAMPLES / name) as image:
            return np.asarray(image)
    return np.asarray(getattr(data, name)())
