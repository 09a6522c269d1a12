"""Solving: one search for every kind of puzzle, a faster one for ordinary 9x9, exact cover."""
