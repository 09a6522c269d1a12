"""The eight names of a Sudoku cell, the maps between them, and keyed permutations of N units."""

from sudokucrypt.bijections.keyed import (
    RasterLayout,
    UnitPermutation,
    chosen_rounds,
    permutation,
)
from sudokucrypt.bijections.maps import bijection, compose, cycle_type, invert, order
from sudokucrypt.bijections.representation import Numbering, Representation, cells_at, names_of
from sudokucrypt.bijections.units import UnitGroups

__all__ = [
    "Numbering",
    "RasterLayout",
    "Representation",
    "UnitGroups",
    "UnitPermutation",
    "bijection",
    "cells_at",
    "chosen_rounds",
    "compose",
    "cycle_type",
    "invert",
    "names_of",
    "order",
    "permutation",
]
