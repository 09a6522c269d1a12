"""Read and write TIFF files of one page."""
