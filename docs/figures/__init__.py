"""Draw all figures of the documentation: ``python -m docs.figures [FOLDER]``."""
