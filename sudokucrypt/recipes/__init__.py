"""The safe front: scramble, encrypt and restore arrays and files with one call each."""

from sudokucrypt.recipes.encryption import decrypt, encrypt
from sudokucrypt.recipes.files import (
    FileReport,
    decrypt_file,
    encrypt_file,
    read_header,
    rekey_file,
    scramble_file,
    unscramble_file,
)
from sudokucrypt.recipes.parts import ProtectedImage
from sudokucrypt.recipes.scrambling import scramble, unscramble

__all__ = [
    "FileReport",
    "ProtectedImage",
    "decrypt",
    "decrypt_file",
    "encrypt",
    "encrypt_file",
    "read_header",
    "rekey_file",
    "scramble",
    "scramble_file",
    "unscramble",
    "unscramble_file",
]
