"""The kernels that transform blocks and convert colors, and their fallbacks."""
