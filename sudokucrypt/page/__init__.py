"""Self-contained HTML files: the page that encrypts files, albums, and pages of puzzles."""

from sudokucrypt.page.album import make_album, remove_files
from sudokucrypt.page.assembling import make_folder_page, page
from sudokucrypt.page.self_opening import make_self_opening_png

__all__ = ["make_album", "make_folder_page", "make_self_opening_png", "page", "remove_files"]
