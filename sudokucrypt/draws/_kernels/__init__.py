"""The kernel that draws integers and permutations, and its fallback."""
