"""The kernels of the Sudoku engine, each beside its fallback; see `sudokucrypt.kernels`."""
