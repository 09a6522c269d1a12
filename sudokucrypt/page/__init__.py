"""One HTML file that decrypts and encrypts in any browser: its modules, and how they are joined."""

from sudokucrypt.page.assembling import page, page_hash

__all__ = ["page", "page_hash"]
