"""The kernels of the Sudoku engine, each next to its fallback; see `sudokucrypt.kernels`."""
