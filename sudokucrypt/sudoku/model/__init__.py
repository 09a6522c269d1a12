"""Grids, puzzles, arrays and their rules, which the other Sudoku packages use."""
