"""Attack schemes with images whose results are known, and see which pictures are recovered.

Usage: python attack_permutation_only.py PICTURE RESULT.png [SIDE]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PIL import Image

from sudokucrypt import Key, encrypt, scramble
from sudokucrypt.analysis.attacks import (
    chosen_plaintext_attack,
    known_plaintext_attack,
    random_images,
)

KEY = Key.generate()


def scramble_under_context(image: np.ndarray) -> np.ndarray:
    """Scramble under a fixed context."""
    return scramble(image, KEY, context="album").pixels


def scramble_with_salt(image: np.ndarray) -> np.ndarray:
    """Scramble with a new salt for each picture, as by default."""
    return scramble(image, KEY).pixels


def encrypt_image(image: np.ndarray) -> np.ndarray:
    """Encrypt with a new salt for each picture."""
    return encrypt(image, KEY).pixels


def main(picture: Path, result: Path, side: int) -> None:
    """Write the images that an attacker sees and recovers, one row for each scheme."""
    secret = np.asarray(Image.open(picture).convert("L").resize((side, side)))
    rows = []
    for scheme in (scramble_under_context, scramble_with_salt, encrypt_image):
        protected = scheme(secret)
        known_plaintext_result = known_plaintext_attack(scheme, random_images(secret.shape, 3))
        chosen = chosen_plaintext_attack(scheme, secret.shape)
        panels = [
            protected,
            *(known_plaintext_result.restore(protected, images=count) for count in (1, 2, 3)),
        ]
        panels.append(chosen.restore(protected))
        print(f"{scheme.__name__}:")
        for count, share in enumerate(known_plaintext_result.recovered_after, 1):
            print(f"  share of the map from {count} known images: {share:.4f}")
        print(f"  share of the map from {chosen.queries} chosen images: {chosen.recovered:.4f}")
        print(f"  picture restored exactly: {np.array_equal(panels[-1], secret)}")
        print(f"  {chosen.verdict}")
        rows.append(np.hstack([np.pad(panel, 2, constant_values=255) for panel in panels]))
    Image.fromarray(np.vstack(rows)).save(result)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 128)
