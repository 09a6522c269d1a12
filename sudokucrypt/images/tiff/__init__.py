"""TIFF of one page."""
