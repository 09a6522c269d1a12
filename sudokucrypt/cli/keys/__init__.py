"""Commands that make, show, lock, print and split keys, and the options that name keys."""
