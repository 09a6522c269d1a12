"""One HTML file that decrypts and encrypts in any browser: its modules, and how they are joined."""

from sudokucrypt.page.album import album, without_files
from sudokucrypt.page.assembling import page
from sudokucrypt.page.self_opening import self_opening

__all__ = ["album", "page", "self_opening", "without_files"]
