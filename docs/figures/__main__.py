"""Draw all figures to docs/images, or to another folder."""

from __future__ import annotations

import sys
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory

import numpy as np
from PIL import Image

from docs.figures import diagrams, moving, pictures, session

FIGURES = {
    "session.png": session.draw_session,
    "moving.png": moving.draw_animation,
    "modes.png": pictures.draw_modes,
    "lossy.png": pictures.draw_lossy_channels,
    "attacks.png": pictures.draw_attacks,
    "controls.png": pictures.draw_controls,
    "jpegs.png": pictures.draw_jpegs,
    "redaction.png": pictures.draw_redaction,
    "packages.svg": diagrams.draw_packages,
    "card.svg": diagrams.draw_key_card,
}


def main(folder: Path) -> None:
    """Write all figures to an existing folder."""
    for name, draw in FIGURES.items():
        draw(folder / name)


def update(folder: Path) -> None:
    """Draw all figures again, and replace those in a folder that look different now.

    Small differences are ignored, since some figures show noise from random keys.
    """
    with TemporaryDirectory() as scratch:
        main(Path(scratch))
        for name in FIGURES:
            if not (folder / name).exists() or not is_similar(Path(scratch, name), folder / name):
                copyfile(Path(scratch, name), folder / name)


def is_similar(first: Path, second: Path) -> bool:
    """Return whether figures differ in less than 2 % of pixels; diagrams must be equal."""
    if first.suffix != ".png":
        return first.read_bytes() == second.read_bytes()
    pixels = [np.asarray(Image.open(path), dtype=float) for path in (first, second)]
    return pixels[0].shape == pixels[1].shape and bool(np.mean(pixels[0] != pixels[1]) < 0.02)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "images")
