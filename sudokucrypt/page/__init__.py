"""HTML files that need nothing else: for files, and to play puzzles."""

from sudokucrypt.page.album import album, without_files
from sudokucrypt.page.assembling import folder_page, page
from sudokucrypt.page.self_opening import self_opening

__all__ = ["album", "folder_page", "page", "self_opening", "without_files"]
