"""Make tables as in papers on scrambling, with photographs from scikit-image.

Usage: python paper_table.py TABLE.md [SIDE]

The same tables are written in LaTeX to a file of this name with the suffix .tex.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from skimage import data

from sudokucrypt import Key, decrypt, encrypt, scramble, unscramble
from sudokucrypt.analysis import (
    BASELINES,
    MeasuredScheme,
    NamedImage,
    SchemeResult,
    compare_schemes,
)
from sudokucrypt.reports import comparison_report, to_latex, to_markdown

PICTURES = ("camera", "brick", "grass", "gravel", "astronaut")
LITERATURE = ("arnold", "baker", "logistic-sort", "row-column", "uniform")


def scramble_with_salt(image: np.ndarray, key: bytes) -> SchemeResult:
    """Scramble with a new salt."""
    protected = scramble(image, Key(key))
    return SchemeResult(
        protected.pixels,
        lambda other, pixels=protected.pixels: unscramble(pixels, Key(other), protected.header),
    )


def scramble_without_salt(image: np.ndarray, key: bytes) -> SchemeResult:
    """Scramble without salt."""
    protected = scramble(image, Key(key), deterministic=True)
    return SchemeResult(
        protected.pixels,
        lambda other, pixels=protected.pixels: unscramble(pixels, Key(other), protected.header),
    )


def encrypt_with_salt(image: np.ndarray, key: bytes) -> SchemeResult:
    """Encrypt with a new salt."""
    protected = encrypt(image, Key(key))
    return SchemeResult(
        protected.pixels,
        lambda other, pixels=protected.pixels: decrypt(pixels, Key(other), protected.header),
    )


def encrypt_without_salt(image: np.ndarray, key: bytes) -> SchemeResult:
    """Encrypt without salt."""
    protected = encrypt(image, Key(key), deterministic=True)
    return SchemeResult(
        protected.pixels,
        lambda other, pixels=protected.pixels: decrypt(pixels, Key(other), protected.header),
    )


def yours(image: np.ndarray, key: bytes) -> SchemeResult:
    """Rotate rows and columns by amounts from the key; replace this by your own scheme."""
    shifts = key[0], key[1]
    pixels = np.roll(image, shifts, axis=(0, 1))
    return SchemeResult(
        pixels, lambda other, moved=pixels: np.roll(moved, (-other[0], -other[1]), axis=(0, 1))
    )


SCHEMES = (
    MeasuredScheme(
        name="scramble", fixed=scramble_without_salt, fresh=scramble_with_salt, limits="values stay"
    ),
    MeasuredScheme(
        name="encrypt",
        fixed=encrypt_without_salt,
        fresh=encrypt_with_salt,
        moves_only=False,
        limits="shape and depth show",
    ),
    MeasuredScheme(
        name="yours",
        fixed=yours,
        key_bits=16,
        limits="two bytes of key, and neighbors stay neighbors",
    ),
)


def main(table: Path, side: int) -> None:
    """Measure every scheme on every picture, write all tables and print the means."""
    pictures = [
        NamedImage(name=name, pixels=np.ascontiguousarray(getattr(data, name)()[:side, :side]))
        for name in PICTURES
    ]
    schemes = [*SCHEMES, *(BASELINES[name] for name in LITERATURE)]
    report = comparison_report(compare_schemes(pictures, schemes, robustness=True))
    text = to_markdown(report)
    table.write_text(text + "\n", encoding="utf-8")
    table.with_suffix(".tex").write_text(to_latex(report), encoding="utf-8")
    means = text.partition("### Means\n\n")[2].partition("\n\n")[0]
    print(means)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 256)
