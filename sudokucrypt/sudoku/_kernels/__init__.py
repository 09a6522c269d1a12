"""The kernels of the Sudoku engine, each beside its plain twin; see `sudokucrypt.kernels`."""
