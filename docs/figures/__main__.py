"""Draw every figure into docs/images, or into another folder."""

from __future__ import annotations

import sys
from pathlib import Path

from docs.figures import diagrams, moving, pictures, session

FIGURES = {
    "session.png": session.session,
    "moving.png": moving.moving,
    "strip.png": pictures.strip,
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


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "images")
