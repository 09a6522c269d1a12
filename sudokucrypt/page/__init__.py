"""HTML files that need nothing else: one decrypts and encrypts, `playing` writes puzzles."""

from sudokucrypt.page.album import album, without_files
from sudokucrypt.page.assembling import page
from sudokucrypt.page.self_opening import self_opening

__all__ = ["album", "page", "self_opening", "without_files"]
