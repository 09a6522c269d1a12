"""Keys: their text and files, subkeys, the key stream and unbiased draws from it."""

from sudokucrypt.keys.draws import StreamDraws
from sudokucrypt.keys.key import Key
from sudokucrypt.keys.stream import KeyStream

__all__ = ["Key", "KeyStream", "StreamDraws"]
