"""The kinds of constraints; importing a file registers its kinds."""
