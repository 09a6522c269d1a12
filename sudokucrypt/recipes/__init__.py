"""The safe front: scramble and restore arrays and files with one call each."""

from sudokucrypt.recipes.arrays import ScrambledImage, scramble, unscramble
from sudokucrypt.recipes.files import read_header, scramble_file, unscramble_file

__all__ = [
    "ScrambledImage",
    "read_header",
    "scramble",
    "scramble_file",
    "unscramble",
    "unscramble_file",
]
