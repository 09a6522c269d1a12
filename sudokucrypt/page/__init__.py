"""One HTML file that decrypts and encrypts in any browser: its modules, and how they are joined."""

from sudokucrypt.page.album import album, without_files
from sudokucrypt.page.assembling import page

__all__ = ["album", "page", "without_files"]
