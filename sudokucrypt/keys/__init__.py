"""Keys and passphrases: their text and files, subkeys, the key stream."""

from sudokucrypt.keys.key import Key
from sudokucrypt.keys.locked import is_locked, lock, unlock
from sudokucrypt.keys.passphrase import PROFILES, KeyDerivation, Passphrase
from sudokucrypt.keys.stream import KeyStream

__all__ = [
    "PROFILES",
    "Key",
    "KeyDerivation",
    "KeyStream",
    "Passphrase",
    "is_locked",
    "lock",
    "unlock",
]
