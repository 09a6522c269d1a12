"""Solve puzzles as people do, step by step by techniques, and rate their difficulty."""
