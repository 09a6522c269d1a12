"""Solving as people do it: step by step, by techniques, and how hard that is."""

from sudokucrypt.sudoku.deducing.grading import Grade, grade, level_of
from sudokucrypt.sudoku.deducing.levels import Level
from sudokucrypt.sudoku.deducing.step import Step
from sudokucrypt.sudoku.deducing.techniques import Technique
from sudokucrypt.sudoku.deducing.trace import deductions

__all__ = ["Grade", "Level", "Step", "Technique", "deductions", "grade", "level_of"]
