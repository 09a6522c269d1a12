"""Read a key of any kind."""

from __future__ import annotations

from sudokucrypt.keys.key import Key
from sudokucrypt.keys.picture import PictureKey
from sudokucrypt.keys.secret import read_key_text, refuse_key


def read_key(text: str) -> Key | PictureKey:
    """Read a key of any kind from its Bech32 text, or from a whole key file.

    Raises
    ------
    InvalidKeyError
        As for `Key.from_text`.
    """
    prefix, secret = read_key_text(text)
    if prefix == PictureKey.PREFIX:
        return PictureKey(secret)
    if prefix != Key.PREFIX:
        refuse_key(f"a key starts with {Key.PREFIX.upper()}1")
    return Key(secret)
