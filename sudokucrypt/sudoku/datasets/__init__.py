"""Collections of puzzles for machines that learn and reason: made, and audited."""
