"""The methods by which Sudoku grids were first made by program, as they were described."""
