"""The kernel of permutations that are drawn, and its fallback."""
