"""Figures of images, of pairs of images, of permutations and of keyed schemes."""
