"""Registered kinds of constraints in addition to houses, such as cages, thermometers and dots.

Each file of `kinds` registers kinds: their relations for a search, a test of solutions, a sentence
for players, marks in pictures, and the form in f-puzzles. `make_pair_kind` makes kinds that
restrict pairs of cells.
"""

from sudokucrypt.sudoku.model.constraints.contract import CONSTRAINTS, Constraint, ConstraintKind
from sudokucrypt.sudoku.model.constraints.leftovers import find_leftover_totals
from sudokucrypt.sudoku.model.constraints.relations import RelationTables, make_relation_tables

__all__ = [
    "CONSTRAINTS",
    "Constraint",
    "ConstraintKind",
    "RelationTables",
    "find_leftover_totals",
    "make_relation_tables",
]
