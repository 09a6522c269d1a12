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

# Little-endian on every machine: a stream gives the same numbers everywhere.
_WORD, _WORD_BITS = np.dtype("<u4"), 32
_WORDS_PER_READ = 1024  # 4 KiB: a call of the cipher costs more than this many bytes of it


class ByteStream(Protocol):
    """Uniform random bytes, read from their start: a key stream, or a seeded generator."""

    def read(self, length: int, /) -> bytes:
        """Return the next `length` bytes."""
        ...


class StreamDraws:
    """Integers and permutations drawn from a stream of bytes, the same on every platform.

    The stream is read as 32-bit little-endian words. A draw below a bound joins as many words as
    the bound needs, the first one lowest, and takes the number modulo the bound; a number in the
    incomplete last multiple of the bound is rejected and the next words are taken. Hence each value
    is exactly equally likely. `stream` is a `KeyStream`, or anything with its method `read`;
    nothing else may read from it.
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
        span = 1 << (_WORD_BITS * count)
        while True:
            words = self._peek_words(count)
            self._position += count
            value = int.from_bytes(words.astype(_WORD).tobytes(), "little")
            if value < span - span % bound:
                return value % bound

    def below_each(self, bounds: IntArray, /) -> IntArray:
        """Return one integer in 0..bound-1 for each bound, drawn in order."""
        if len(bounds) and bounds.max() > 1 << _WORD_BITS:
            return np.array([self.below(bound) for bound in bounds.tolist()], dtype=np.int64)
        drawn = [np.empty(0, dtype=np.int64)]
        while len(bounds):
            first = bounds[:_WORDS_PER_READ]  # all that this many words can serve
            values, used = _kernels.below_each(first, self._peek_words(len(first)))
            self._position += used
            bounds = bounds[len(values) :]
            drawn.append(values)
        return np.concatenate(drawn)

    def permutations(self, sizes: Sequence[int], /) -> IntArray:
        """Return a uniform permutation of 0..size-1 for each size, one after the other.

        Each is shuffled by Fisher and Yates' method from the last position down to the second:
        position i is exchanged with position j drawn below i + 1.

        Raises `UnsupportedError` if there are more than 2**32 places.
        """
        draws, rejected = sum(sizes) - len(sizes), 0
        if draws >= 1 << _WORD_BITS:
            raise UnsupportedError("permutations of over 2**32 places are not drawn")
        while True:
            words = self._peek_words(draws + rejected)
            permutations: IntArray | None
            permutations, used = _kernels.permutations(sizes, words)
            if permutations is not None:
                self._position += used
                return permutations
            # Too many words were rejected: the same draws again, with more of them.
            rejected = 2 * rejected + 64

    def _peek_words(self, count: int) -> NDArray[np.uint32]:
        """Return the next `count` words without using them up."""
        missing = count - (len(self._words) - self._position)
        if missing > 0:
            # Whole blocks only: a stream may drop what a read leaves of the last word of its own.
            data = self._stream.read(4 * _WORDS_PER_READ * -(-missing // _WORDS_PER_READ))
            fresh = np.frombuffer(data, dtype=_WORD).astype(np.uint32, copy=False)
            left = self._words[self._position :]
            self._words, self._position = np.concatenate([left, fresh]) if len(left) else fresh, 0
        return self._words[self._position : self._position + count]
