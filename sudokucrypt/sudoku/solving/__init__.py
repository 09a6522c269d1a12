"""Solve puzzles: a search for all variants, a faster search for ordinary 9x9, and exact cover."""
