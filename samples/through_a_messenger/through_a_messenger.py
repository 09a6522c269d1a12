"""Send a scrambled picture through a messenger that shrinks and recompresses it, and restore it.

Usage: python through_a_messenger.py PICTURE SENT.jpg RESTORED.png
Existing SENT.jpg, SENT-received.jpg and RESTORED.png are replaced.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PIL import Image

from sudokucrypt import DecryptionError, Key, scramble_robust_file, unscramble_robust_file

MAX_SIDE, JPEG_QUALITY = 400, 75
"""The longest side that the messenger allows, and the quality of its JPEGs."""


def simulate_messenger(picture: Path) -> Path:
    """Return the picture that a friend receives: at most SIDE pixels a side, and recompressed."""
    received = picture.with_stem(f"{picture.stem}-received")
    with Image.open(picture) as image:
        image.thumbnail((MAX_SIDE, MAX_SIDE))
        image.save(received, "JPEG", quality=JPEG_QUALITY)
    return received


def measure_psnr(received: Path, original: Path) -> float:
    """Return the PSNR in dB of a received picture to the original, resized to the same size."""
    with Image.open(received) as image, Image.open(original) as plain:
        same_size = plain.convert("RGB").resize(image.size, Image.Resampling.LANCZOS)
        difference = np.asarray(image.convert("RGB"), float) - np.asarray(same_size, float)
    return float(20 * np.log10(255 / np.sqrt(np.mean(difference**2))))


def main(picture: Path, protected_path: Path, restored: Path) -> None:
    """Send an ordinary scrambled picture, then a robust one that is made for the messenger."""
    key = Key.generate()
    for description, side in (("in its own size", None), (f"for {MAX_SIDE} pixels", MAX_SIDE)):
        report = scramble_robust_file(picture, protected_path, key, max_side=side, replace=True)
        print(f"scrambled {description}: the sheet has {report.sent[1]} x {report.sent[0]} pixels")
        try:
            restored_image = unscramble_robust_file(
                simulate_messenger(protected_path), restored, key, replace=True
            )
        except DecryptionError as error:
            print(f"  not restored: {error}")
        else:
            rows, columns = restored_image.shape[:2]
            print(f"  restored {columns} x {rows} pixels: {measure_psnr(restored, picture):.1f} dB")
            print(f"  estimated without the original: {restored_image.expected_psnr:.1f} dB")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]))
