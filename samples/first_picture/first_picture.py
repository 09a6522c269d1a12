"""Scramble a picture, restore it, and see what is detected and what stays visible.

Usage: python first_picture.py PICTURE
"""

from __future__ import annotations

import sys

import numpy as np
from PIL import Image

import sudokucrypt


def neighbour_correlation(image: np.ndarray) -> float:
    """Return the correlation of horizontally adjacent samples."""
    return float(np.corrcoef(image[:, :-1].ravel(), image[:, 1:].ravel())[0, 1])


def main(path: str) -> None:
    """Run the tour on one picture file."""
    image = np.asarray(Image.open(path))
    key = sudokucrypt.Key.generate()
    result = sudokucrypt.scramble(image, key)
    print(f"key id: {result.header.key_id}")
    print(f"neighbours before: {neighbour_correlation(image):.3f}")
    print(f"neighbours after:  {neighbour_correlation(result.pixels):.3f}")
    print(f"mean before and after: {image.mean():.3f} {result.pixels.mean():.3f}")

    restored = sudokucrypt.unscramble(result.pixels, key, result.header)
    print(f"restored exactly: {np.array_equal(restored, image)}")

    changed = result.pixels.copy()
    changed[0, 0] ^= 1
    other = sudokucrypt.Key.generate()
    for what, pixels, used in (("another key", result.pixels, other), ("one bit", changed, key)):
        try:
            sudokucrypt.unscramble(pixels, used, result.header)
        except sudokucrypt.DecryptionError as error:
            print(f"{what}: {error}")


if __name__ == "__main__":
    main(sys.argv[1])
