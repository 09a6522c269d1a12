"""The kernel of the entropy coder, which has no fallback."""
