"""Grids, puzzles, arrays and the rules that they keep; the other rooms of the wing build on it."""
