"""The commands that make and show keys."""
