"""Keys and passphrases: their texts and files, subkeys and key streams."""

from sudokucrypt.lazy import make_lazy_names

__all__, __getattr__, __dir__ = make_lazy_names(__name__)
