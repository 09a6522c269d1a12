"""Scramble and encrypt images with keyed Sudoku bijections, and restore them exactly."""

from sudokucrypt._version import __version__ as __version__
from sudokucrypt.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
