"""The kernels of the blocks and colors, and their fallbacks."""
