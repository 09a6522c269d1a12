"""The copy of metadata that may stand readable in a protected file."""
