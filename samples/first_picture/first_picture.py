"""Scramble a picture, restore it, and see which changes are detected and what stays visible.

Usage: python first_picture.py PICTURE
"""

from __future__ import annotations

import sys

import numpy as np
from PIL import Image

import sudokucrypt


def format_correlations(image: np.ndarray) -> str:
    """Return the correlation of horizontally adjacent pixels in each channel.

    Channels are separate, since their different brightness causes correlation even in noise.
    """
    channels = np.moveaxis(np.atleast_3d(image), -1, 0)
    pairs = ((channel[:, :-1].ravel(), channel[:, 1:].ravel()) for channel in channels)
    return " ".join(f"{np.corrcoef(*pair)[0, 1]:.3f}" for pair in pairs)


def main(path: str) -> None:
    """Run all steps on one picture file."""
    image = np.asarray(Image.open(path))
    key = sudokucrypt.Key.generate()
    result = sudokucrypt.scramble(image, key)
    print(f"key id: {result.header.key_id}")
    print(f"neighbors before: {format_correlations(image)}")
    print(f"neighbors after:  {format_correlations(result.pixels)}")
    print(f"mean before and after: {image.mean():.3f} {result.pixels.mean():.3f}")

    restored = sudokucrypt.unscramble(result.pixels, key, result.header)
    print(f"restored exactly: {np.array_equal(restored, image)}")

    changed_pixels = result.pixels.copy()
    changed_pixels[0, 0] ^= 1
    other_key = sudokucrypt.Key.generate()
    for mistake, pixels, used_key in (
        ("another key", result.pixels, other_key),
        ("one bit", changed_pixels, key),
    ):
        try:
            sudokucrypt.unscramble(pixels, used_key, result.header)
        except sudokucrypt.DecryptionError as error:
            print(f"{mistake}: {error}")


if __name__ == "__main__":
    main(sys.argv[1])
