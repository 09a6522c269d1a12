"""How many grids there are, the number of each, and which are essentially the same."""
