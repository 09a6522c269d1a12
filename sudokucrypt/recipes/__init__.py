"""The safe front: scramble, encrypt and restore arrays and files with one call each."""

from sudokucrypt.recipes.encryption import decrypt, encrypt
from sudokucrypt.recipes.faces import find_faces
from sudokucrypt.recipes.files import decrypt_file, encrypt_file, scramble_file, unscramble_file
from sudokucrypt.recipes.inspecting import inspect_file, picture_key, read_header
from sudokucrypt.recipes.parts import ProtectedImage
from sudokucrypt.recipes.rekeying import rekey_file
from sudokucrypt.recipes.routes import plain_stem
from sudokucrypt.recipes.scrambling import scramble, unscramble
from sudokucrypt.recipes.steps import FileReport

__all__ = [
    "FileReport",
    "ProtectedImage",
    "decrypt",
    "decrypt_file",
    "encrypt",
    "encrypt_file",
    "find_faces",
    "inspect_file",
    "picture_key",
    "plain_stem",
    "read_header",
    "rekey_file",
    "scramble",
    "scramble_file",
    "unscramble",
    "unscramble_file",
]
