"""Streams of chosen words for `draws`: the words around the limits where draws reject."""

import struct

from sudokucrypt import KeyStream, StreamDraws

BOUNDS = [1, 2, 3, 10, 2**31 + 1, 2**32 - 1, 2**32, 2**32 + 1, 6670903752021072936960, 7]
"""Bounds for streams that a key gives."""

_LAST = 2**32 - 1
_MARKS = range(0xA0000000, 0xA0001000)
"""Words behind the chosen ones, from which the number of used ones is told."""


def _words(number: int, count: int) -> list[int]:
    """Return a number as so many words, lowest first."""
    return [number >> 32 * i & _LAST for i in range(count)]


def _at_limit(bound: int, count: int) -> list[tuple[list[int], list[int]]]:
    """Return draws of `count` words just below the limit of a bound, at it, and at the end."""
    span = 1 << 32 * count
    limit = span - span % bound
    kept = [([bound], _words(limit - 1, count))]
    if limit == span:
        return kept
    rejected = [limit, span - 1]
    return kept + [([bound], [*_words(x, count), *_words(bound // 2, count)]) for x in rejected]


WORDS: list[tuple[list[int], list[int]]] = [
    *(case for bound in (1, 3, 7, 3 * 2**30, 2**31 + 1, 2**32 - 1, 2**32)
      for case in _at_limit(bound, 1)),
    *(case for bound in (2**32 + 1, 2**40, 2**64 - 1, 2**64) for case in _at_limit(bound, 2)),
    *(case for bound in (2**64 + 1, 3**50) for case in _at_limit(bound, 3)),
    ([1, 1], [_LAST, 0]),
    ([2**40], [1, 2]),
    ([2**32 + 1], [0, _LAST]),
    ([2**32 + 1, 3, 2**32 + 1], [0, _LAST, 5, _LAST, 4, 6, 7]),
    ([3], [_LAST, _LAST, _LAST, 7]),
    ([3, 2], [5, _LAST, 9]),
]  # fmt: skip
"""Bounds, and the words that are drawn from."""


class ChosenWords(StreamDraws):
    """Draws from chosen words, which tells how many of them it used."""

    def __init__(self, words: list[int]) -> None:
        super().__init__(self)
        self._chosen = words
        self._all = [*words, *_MARKS]

    def read(self, length: int) -> bytes:
        """Return all words at once; they are enough for the first time that it is asked."""
        del length
        return struct.pack(f"<{len(self._all)}I", *self._all)

    def used(self) -> int:
        """Return how many words were used, by taking the others until the first mark comes."""
        left = 0
        while self.below(2**32) != _MARKS[0]:
            left += 1
        return len(self._chosen) - left


def last_block(stream: KeyStream) -> bytes:
    """Return the last 64 bytes of a stream of 256 GiB, which nobody can read up to."""
    stream._encryptor = stream._from_block(2**32 - 1)
    stream._left = 64
    return stream.read(64)
