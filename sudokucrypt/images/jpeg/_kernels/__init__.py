"""The kernel of the entropy coder, and its plain twin."""
