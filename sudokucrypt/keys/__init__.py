"""Keys and passphrases: their text and files, subkeys, the key stream."""

from typing import TypeAlias

from sudokucrypt.keys.key import SALT_LENGTH, Key, PictureKey, read_key
from sudokucrypt.keys.locked import is_locked, lock, unlock
from sudokucrypt.keys.passphrase import PROFILES, RETRY_HINT, KeyDerivation, Passphrase
from sudokucrypt.keys.secret import KEY_FILE_LIMIT, KeyStream, decode_key_file, error_context

MasterKey: TypeAlias = Key | Passphrase
"""What protects pictures: a key, or a passphrase that one is derived from."""

RestoringKey: TypeAlias = Key | Passphrase | PictureKey
"""What restores pictures."""

__all__ = [
    "KEY_FILE_LIMIT",
    "PROFILES",
    "RETRY_HINT",
    "SALT_LENGTH",
    "Key",
    "KeyDerivation",
    "KeyStream",
    "MasterKey",
    "Passphrase",
    "PictureKey",
    "RestoringKey",
    "decode_key_file",
    "error_context",
    "is_locked",
    "lock",
    "read_key",
    "unlock",
]
