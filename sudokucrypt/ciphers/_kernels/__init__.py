"""The kernel that masks JPEG coefficients, and its fallback in NumPy."""
