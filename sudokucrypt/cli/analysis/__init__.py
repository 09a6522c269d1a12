"""The analysis commands, and their common options for pictures, schemes and reports."""
