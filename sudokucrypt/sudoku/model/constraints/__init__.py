"""Constraints beside the houses: cages, thermometers, dots and the like, by registration.

Each file of `kinds` says what a kind means to a search, its test and its sentence, what pictures
show of it, and how f-puzzles writes it. `make_pair_kind` is for kinds that join pairs of cells.
"""

from sudokucrypt.sudoku.model.constraints.contract import CONSTRAINTS, Constraint, ConstraintKind
from sudokucrypt.sudoku.model.constraints.leftovers import leftovers
from sudokucrypt.sudoku.model.constraints.relations import RelationTables, make_tables

__all__ = [
    "CONSTRAINTS",
    "Constraint",
    "ConstraintKind",
    "RelationTables",
    "leftovers",
    "make_tables",
]
