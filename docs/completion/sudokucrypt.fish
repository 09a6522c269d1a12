# fish loads this when sudokucrypt is first completed; the program prints the rest.
sudokucrypt completion fish | source
