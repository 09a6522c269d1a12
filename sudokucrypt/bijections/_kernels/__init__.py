"""The kernels of the passes, and their plain twins."""
