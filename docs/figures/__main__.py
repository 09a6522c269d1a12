"""Draw every figure into docs/images, or into another folder."""

from __future__ import annotations

import sys
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory

import numpy as np
from PIL import Image

from docs.figures import diagrams, moving, pictures, session

FIGURES = {
    "session.png": session.session,
    "moving.png": moving.moving,
    "modes.png": pictures.modes,
    "lossy.png": pictures.lossy,
    "attacks.png": pictures.attacks,
    "controls.png": pictures.controls,
    "jpegs.png": pictures.jpegs,
    "redaction.png": pictures.redaction,
    "rooms.svg": diagrams.rooms,
    "card.svg": diagrams.card,
}


def main(folder: Path) -> None:
    """Write all figures to a folder that exists."""
    for name, draw in FIGURES.items():
        draw(folder / name)


def update(folder: Path) -> None:
    """Draw all figures again, and replace those in a folder that look otherwise now.

    Keys are drawn for some, so that their noise always differs.
    """
    with TemporaryDirectory() as scratch:
        main(Path(scratch))
        for name in FIGURES:
            if not (folder / name).exists() or not is_alike(Path(scratch, name), folder / name):
                copyfile(Path(scratch, name), folder / name)


def is_alike(first: Path, second: Path) -> bool:
    """Return whether two figures differ in less than 2 % of their pixels, and diagrams nowhere."""
    if first.suffix != ".png":
        return first.read_bytes() == second.read_bytes()
    pixels = [np.asarray(Image.open(path), dtype=float) for path in (first, second)]
    return pixels[0].shape == pixels[1].shape and bool(np.mean(pixels[0] != pixels[1]) < 0.02)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "images")
