"""The kernel that masks coefficients, and its fallback."""
