"""Formats that are only read, most of them by a library: see `docs/development/decisions`."""
