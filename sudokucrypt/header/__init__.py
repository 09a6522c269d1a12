"""The header: what a scrambled image says about itself, as canonical text."""

from sudokucrypt.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
