"""Find the faces in a picture, cover them, and restore the original file.

Usage: python hidden_faces.py PICTURE HIDDEN.png RESTORED.png
Needs the extra `faces`.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import sudokucrypt
from sudokucrypt import Layer


def main(picture: Path, protected_path: Path, restored: Path) -> None:
    """Write the picture with covered faces, and the picture that is restored from it."""
    key = sudokucrypt.Key.generate()
    finder = partial(sudokucrypt.find_faces, margin=0.4)
    sudokucrypt.redact_file(picture, protected_path, [Layer(key, finder)])
    for row, column, rows, columns in (
        sudokucrypt.redactions(protected_path).layers[0].regions or ()
    ):
        print(f"face at row {row}, column {column}: {rows} x {columns} pixels")

    sudokucrypt.unredact_file(protected_path, restored, key)
    print(f"the very file is restored: {restored.read_bytes() == picture.read_bytes()}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]))
