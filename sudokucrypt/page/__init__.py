"""HTML files that need nothing else: for files, to see how, and to play puzzles."""

from sudokucrypt.page.album import album, without_files
from sudokucrypt.page.assembling import folder_page, page
from sudokucrypt.page.seeing import see_page
from sudokucrypt.page.self_opening import self_opening

__all__ = ["album", "folder_page", "page", "see_page", "self_opening", "without_files"]
