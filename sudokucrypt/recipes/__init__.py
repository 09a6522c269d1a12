"""The safe front: scramble, encrypt and restore arrays and files with one call each."""

from sudokucrypt.recipes.encryption import decrypt, encrypt
from sudokucrypt.recipes.files import decrypt_file, encrypt_file, scramble_file, unscramble_file
from sudokucrypt.recipes.inspecting import matches_file, read_header
from sudokucrypt.recipes.parts import ProtectedImage
from sudokucrypt.recipes.rekeying import rekey_file
from sudokucrypt.recipes.routes import beside
from sudokucrypt.recipes.scrambling import scramble, unscramble
from sudokucrypt.recipes.steps import FileReport

__all__ = [
    "FileReport",
    "ProtectedImage",
    "beside",
    "decrypt",
    "decrypt_file",
    "encrypt",
    "encrypt_file",
    "matches_file",
    "read_header",
    "rekey_file",
    "scramble",
    "scramble_file",
    "unscramble",
    "unscramble_file",
]
