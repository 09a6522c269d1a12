"""JPEG, read only."""
