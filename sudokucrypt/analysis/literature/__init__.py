"""Published image ciphers, each as described by its paper: for study, never for protection."""

from sudokucrypt.analysis.literature.cipher import LITERATURE, PublishedCipher, register_cipher

__all__ = ["LITERATURE", "PublishedCipher", "register_cipher"]
