"""Keys and passphrases: their text and files, subkeys, the key stream."""

from sudokucrypt.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
