"""Find the faces in a picture, encrypt them alone, and bring them back.

Usage: python hidden_faces.py PICTURE HIDDEN.png RESTORED.png
Needs the extra `faces`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PIL import Image

import sudokucrypt


def main(picture: Path, hidden: Path, restored: Path) -> None:
    """Write the picture with its faces encrypted, and the one that is restored from it."""
    key = sudokucrypt.Key.generate()
    image = np.asarray(Image.open(picture).convert("RGB"))
    faces = sudokucrypt.find_faces(image, margin=0.4)
    for row, column, rows, columns in faces:
        print(f"face at row {row}, column {column}: {rows} x {columns} pixels")

    sudokucrypt.encrypt_file(picture, hidden, key, regions=faces)
    sudokucrypt.decrypt_file(hidden, restored, key)  # the header knows the regions

    shown, back = np.asarray(Image.open(hidden)), np.asarray(Image.open(restored))
    outside = np.ones(image.shape[:2], dtype=bool)
    for row, column, rows, columns in faces:
        outside[row : row + rows, column : column + columns] = False
    print(f"outside is untouched: {np.array_equal(shown[outside], image[outside])}")
    print(f"restored exactly: {np.array_equal(back, image)}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]))
