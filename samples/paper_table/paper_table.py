"""Make the tables that papers on scrambling print, over photographs of scikit-image.

Usage: python paper_table.py TABLE.md [SIDE]

The same tables in LaTeX go to the same name with the suffix .tex.
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


def scrambled(image: np.ndarray, key: bytes) -> SchemeResult:
    """Scramble with a new salt."""
    made = scramble(image, Key(key))
    return SchemeResult(
        made.pixels, lambda other, seen=made.pixels: unscramble(seen, Key(other), made.header)
    )


def scrambled_alike(image: np.ndarray, key: bytes) -> SchemeResult:
    """Scramble without salt."""
    made = scramble(image, Key(key), deterministic=True)
    return SchemeResult(
        made.pixels, lambda other, seen=made.pixels: unscramble(seen, Key(other), made.header)
    )


def encrypted(image: np.ndarray, key: bytes) -> SchemeResult:
    """Encrypt with a new salt."""
    made = encrypt(image, Key(key))
    return SchemeResult(
        made.pixels, lambda other, seen=made.pixels: decrypt(seen, Key(other), made.header)
    )


def encrypted_alike(image: np.ndarray, key: bytes) -> SchemeResult:
    """Encrypt without salt."""
    made = encrypt(image, Key(key), deterministic=True)
    return SchemeResult(
        made.pixels, lambda other, seen=made.pixels: decrypt(seen, Key(other), made.header)
    )


def yours(image: np.ndarray, key: bytes) -> SchemeResult:
    """Turn rows and columns by amounts from the key: put a scheme of your own here."""
    turns = key[0], key[1]
    pixels = np.roll(image, turns, axis=(0, 1))
    return SchemeResult(
        pixels, lambda other, seen=pixels: np.roll(seen, (-other[0], -other[1]), axis=(0, 1))
    )


SCHEMES = (
    MeasuredScheme(name="scramble", fixed=scrambled_alike, fresh=scrambled, limits="values stay"),
    MeasuredScheme(
        name="encrypt",
        fixed=encrypted_alike,
        fresh=encrypted,
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
