"""One file for each scheme with a tag."""
