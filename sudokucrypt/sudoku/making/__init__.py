"""Making puzzles with exactly one solution."""
