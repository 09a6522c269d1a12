"""Keys and passphrases: their texts and files, subkeys and key streams."""

from sudokucrypt.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
