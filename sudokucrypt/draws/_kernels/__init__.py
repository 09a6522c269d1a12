"""The kernel of permutations that are drawn, and its plain twin."""
