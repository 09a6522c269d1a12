"""Reports: figures put into words, tables and drawings, and written in several forms."""

from sudokucrypt.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
