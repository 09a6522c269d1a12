"""TIFF, with any number of pages."""
