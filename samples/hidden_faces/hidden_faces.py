"""Find the faces in a picture, cover them, and give back the very file.

Usage: python hidden_faces.py PICTURE HIDDEN.png RESTORED.png
Needs the extra `faces`.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import sudokucrypt
from sudokucrypt import Layer


def main(picture: Path, hidden: Path, restored: Path) -> None:
    """Write the picture with its faces covered, and the one that is restored from it."""
    key = sudokucrypt.Key.generate()
    finder = partial(sudokucrypt.find_faces, margin=0.4)
    sudokucrypt.redact_file(picture, hidden, [Layer(key, finder)])
    for row, column, rows, columns in sudokucrypt.redactions(hidden).layers[0].regions or ():
        print(f"face at row {row}, column {column}: {rows} x {columns} pixels")

    sudokucrypt.unredact_file(hidden, restored, key)
    print(f"the very file is restored: {restored.read_bytes() == picture.read_bytes()}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]))
