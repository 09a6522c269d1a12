"""The kernels of the passes, and their fallbacks."""
