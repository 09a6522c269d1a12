"""Read and write PNG files."""
