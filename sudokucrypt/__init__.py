"""Scramble images with keyed Sudoku bijections and restore them exactly."""

from sudokucrypt._version import __version__
from sudokucrypt.bijections import (
    Numbering,
    Representation,
    bijection,
    cells_at,
    compose,
    cycle_type,
    invert,
    names_of,
    order,
    permutation,
)
from sudokucrypt.errors import (
    DecryptionError,
    FormatError,
    InvalidGridError,
    InvalidImageError,
    InvalidKeyError,
    InvalidParameterError,
    OutputExistsError,
    SudokucryptError,
    UnsupportedError,
    UnsupportedVersionError,
)
from sudokucrypt.formats import Header
from sudokucrypt.keys import Key, KeyStream, StreamDraws
from sudokucrypt.recipes import (
    ScrambledImage,
    read_header,
    scramble,
    scramble_file,
    unscramble,
    unscramble_file,
)
from sudokucrypt.sudoku import ParametricGrid, SudokuGrid, Symmetry

__all__ = [
    "DecryptionError",
    "FormatError",
    "Header",
    "InvalidGridError",
    "InvalidImageError",
    "InvalidKeyError",
    "InvalidParameterError",
    "Key",
    "KeyStream",
    "Numbering",
    "OutputExistsError",
    "ParametricGrid",
    "Representation",
    "ScrambledImage",
    "StreamDraws",
    "SudokuGrid",
    "SudokucryptError",
    "Symmetry",
    "UnsupportedError",
    "UnsupportedVersionError",
    "__version__",
    "bijection",
    "cells_at",
    "compose",
    "cycle_type",
    "invert",
    "names_of",
    "order",
    "permutation",
    "read_header",
    "scramble",
    "scramble_file",
    "unscramble",
    "unscramble_file",
]
