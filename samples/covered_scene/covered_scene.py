"""Cover a face and two badges in a published photo, and lift each cover with its own key.

Usage: python covered_scene.py PICTURE PUBLISHED FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import sudokucrypt
from sudokucrypt import Key, Layer

FACE = [(34, 84, 62, 60)]  # row, column, rows, columns
BADGES = [(168, 138, 24, 28), (172, 64, 44, 44)]
LAUNCH_PAD = [(0, 178, 150, 56)]


def main(picture: Path, published: Path, folder: Path) -> None:
    """Publish a photo, and write what the desk, the lawyers and both together can see."""
    desk, lawyers = Key.generate(), Key.generate()
    layers = [
        Layer(desk, FACE, name="face"),
        Layer(lawyers, BADGES, name="badges"),
        Layer(None, LAUNCH_PAD),  # without a key: covered permanently
    ]
    sudokucrypt.redact_file(picture, published, layers)
    print(f"the photo has {picture.stat().st_size} bytes, {published.stat().st_size} when covered")

    redaction = sudokucrypt.redactions(published)
    for number, layer in enumerate(redaction.layers, 1):
        print(f"layer {number}: {layer}")
    print(f"gone for good: {redaction.permanent} pixels")

    for name, keys in {"desk": [desk], "lawyers": [lawyers], "both": [desk, lawyers]}.items():
        report = sudokucrypt.unredact_file(published, folder / f"{name}{picture.suffix}", *keys)
        print(f"{name}: lifted {' and '.join(report.lifted)}")

    try:
        sudokucrypt.unredact_file(published, folder / "stranger.png", Key.generate())
    except sudokucrypt.DecryptionError as error:
        print(f"a stranger: {error}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]))
