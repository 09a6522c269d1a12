"""Count grids, number them, and find which of them are equivalent."""
