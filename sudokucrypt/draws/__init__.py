"""Unbiased draws from a stream of bytes: integers and permutations by rejection sampling."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import InvalidParameterError, UnsupportedError
from sudokucrypt.kernels import load_kernels
from sudokucrypt.typing import IntArray

if TYPE_CHECKING:
    from sudokucrypt.draws._kernels import shuffle_plain as _kernels
else:
    _kernels = load_kernels("sudokucrypt.draws._kernels", "shuffle")

# Little-endian on every machine, so that a stream gives the same numbers everywhere.
_WORD_TYPE, _WORD_BITS = np.dtype("<u4"), 32
_WORDS_PER_READ = 1024  # for fewer words, the overhead of a cipher call exceeds its work


class ByteStream(Protocol):
    """A source of uniform random bytes: a key stream, or a seeded generator."""

    def read(self, length: int, /) -> bytes:
        """Return the next `length` bytes."""
        ...


class StreamDraws:
    """Integers and permutations drawn from a stream of bytes, the same on every platform.

    The stream is read as 32-bit little-endian words. A draw below a bound combines as many words as
    the bound needs, the first one least significant, and reduces the number modulo the bound. A
    number in the incomplete last multiple of the bound is rejected and replaced by the next words.
    Hence all values are exactly equally likely. `stream` is a `KeyStream`, or any object with its
    method `read`; no other code may read from it.
    """

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self._words: NDArray[np.uint32] = np.empty(0, dtype=np.uint32)
        self._position = 0

    def below(self, bound: int, /) -> int:
        """Return an integer in 0..bound-1.

        Raises `InvalidParameterError` if `bound` is not positive.
        """
        if bound < 1:
            raise InvalidParameterError(f"a bound must be positive, not {bound}")
        count = max(1, -(-(bound - 1).bit_length() // _WORD_BITS))
        word_range = 1 << (_WORD_BITS * count)
        while True:
            words = self._peek_words(count)
            self._position += count
            value = int.from_bytes(words.astype(_WORD_TYPE).tobytes(), "little")
            if value < word_range - word_range % bound:
                return value % bound

    def below_each(self, bounds: IntArray, /) -> IntArray:
        """Return one integer in 0..bound-1 for each bound, drawn in order."""
        if len(bounds) and bounds.max() > 1 << _WORD_BITS:
            return np.array([self.below(bound) for bound in bounds.tolist()], dtype=np.int64)
        value_parts = [np.empty(0, dtype=np.int64)]
        while len(bounds):
            next_bounds = bounds[:_WORDS_PER_READ]  # each bound needs at least one word
            values, used_word_count = _kernels.below_each(
                next_bounds, self._peek_words(len(next_bounds))
            )
            self._position += used_word_count
            bounds = bounds[len(values) :]
            value_parts.append(values)
        return np.concatenate(value_parts)

    def permutations(self, sizes: Sequence[int], /) -> IntArray:
        """Return a uniform permutation of 0..size-1 for each size, concatenated.

        Each is shuffled by the Fisher-Yates method from the last position down to the second:
        position i is exchanged with position j, drawn below i + 1.

        Raises `UnsupportedError` if the sizes have a sum of more than 2**32.
        """
        draws, extra_word_count = sum(sizes) - len(sizes), 0
        if draws >= 1 << _WORD_BITS:
            raise UnsupportedError("a permutation of more than 2**32 places cannot be drawn")
        while True:
            words = self._peek_words(draws + extra_word_count)
            permutations: IntArray | None
            permutations, used_word_count = _kernels.permutations(sizes, words)
            if permutations is not None:
                self._position += used_word_count
                return permutations
            # Too many words were rejected: repeat the same draws with more words.
            extra_word_count = 2 * extra_word_count + 64

    def _peek_words(self, count: int) -> NDArray[np.uint32]:
        """Return the next `count` words without consuming them."""
        missing_word_count = count - (len(self._words) - self._position)
        if missing_word_count > 0:
            # Read whole blocks only, since a stream may discard unused bytes after a read.
            word_bytes = self._stream.read(
                4 * _WORDS_PER_READ * -(-missing_word_count // _WORDS_PER_READ)
            )
            new_words = np.frombuffer(word_bytes, dtype=_WORD_TYPE).astype(np.uint32, copy=False)
            unread_words = self._words[self._position :]
            self._words, self._position = (
                np.concatenate([unread_words, new_words]) if len(unread_words) else new_words,
                0,
            )
        return self._words[self._position : self._position + count]
