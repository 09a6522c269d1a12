"""The kinds of constraints, a file each: what a file registers is known everywhere."""
