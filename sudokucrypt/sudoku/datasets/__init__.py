"""Make and audit collections of puzzles for machine learning."""
