"""Measure how random an image or a permutation looks, and say what the figures mean."""

from sudokucrypt.analysis.results import Measurement

__all__ = ["Measurement"]
