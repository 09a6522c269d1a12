"""Self-contained HTML files: the page that encrypts files, albums, and pages of puzzles."""

from sudokucrypt.page.album import album, without_files
from sudokucrypt.page.assembling import folder_page, page
from sudokucrypt.page.self_opening import self_opening

__all__ = ["album", "folder_page", "page", "self_opening", "without_files"]
