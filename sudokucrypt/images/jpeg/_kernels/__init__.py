"""The kernel of the entropy coder, and its fallback."""
