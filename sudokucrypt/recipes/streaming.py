"""Files of any size in flat memory: their segments are digested, protected and restored in turn.

An input is read twice. What the first reading found is compared with the second, segment by
segment, before anything is made of a segment: so whatever is done to a file in between, no stream
masks two contents, and nothing is released that the tag does not cover.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import prod
from typing import Final

import numpy as np

from sudokucrypt.ciphers import SegmentCipher
from sudokucrypt.errors import SudokucryptError
from sudokucrypt.header import SEGMENT
from sudokucrypt.images import EmbeddedFile
from sudokucrypt.typing import AnyArray
from sudokucrypt.workers import Workers

# Bounds the memory, and more have nothing to do: a file is read and written by one.
MOST_THREADS: Final = 4
# Segments that may be at work at a time, twice: what one step makes, the next one works on.
_BUFFERS: Final = 4 * MOST_THREADS + 4
_PAGE: Final = 4096  # bytes


class Buffers:
    """Memory for segments, used again and again: that with one number, and another some later.

    It begins with pages of memory, since systems copy to other places at half the speed.
    """

    def __init__(self, size: int) -> None:
        length = min(SEGMENT, max(1, size))
        count = min(_BUFFERS, -(-max(1, size) // SEGMENT))
        self._all = [
            _align(np.empty(length + _PAGE, dtype=np.uint8))[:length] for _ in range(count)
        ]

    def take(self, index: int, length: int) -> AnyArray:
        """Return the memory for the segment with this number."""
        return self._all[index % len(self._all)][:length]


def _align(memory: AnyArray) -> AnyArray:
    return memory[-memory.ctypes.data % _PAGE :]


def read_segments(
    file: EmbeddedFile,
    read: Callable[[int, AnyArray], int],
    changed: Callable[[], SudokucryptError],
) -> Iterator[AnyArray]:
    """Yield the segments of the picture of a file, which is read anew.

    `read` fills an array with the bytes from a position on, and returns how many there were. What
    was yielded is overwritten some segments later.
    """
    samples = prod(file.shape)
    buffers = Buffers(samples)
    for index, start in enumerate(range(0, samples, SEGMENT)):
        segment = buffers.take(index, min(SEGMENT, samples - start))
        wanted = max(0, min(len(segment), file.size - start))
        if wanted and read(start, segment[:wanted]) < wanted:
            raise changed()
        segment[wanted:] = 0
        yield segment


def digest(segment: AnyArray) -> bytes:
    """Return the digest of a segment, as the tag needs it."""
    return hashlib.sha256(segment.data).digest()


def digest_segments(segments: Iterable[AnyArray], workers: Workers) -> list[bytes]:
    """Return the digests of all segments."""
    return list(workers.each(digest, segments))


def protect_segments(
    segments: Iterable[AnyArray],
    digests: Sequence[bytes],
    cipher: SegmentCipher,
    workers: Workers,
    changed: Callable[[], SudokucryptError],
) -> Iterator[AnyArray]:
    """Yield the protected segments, none of which has another digest than before."""
    buffers = Buffers(SEGMENT * len(digests))

    def protect(numbered: tuple[int, AnyArray]) -> AnyArray:
        index, segment = numbered
        if digest(segment) != digests[index]:
            raise changed()
        target = buffers.take(index, len(segment))
        cipher.protect(index, segment, target)
        return target

    return workers.each(protect, enumerate(segments))


def restore_segments(
    segments: Iterable[AnyArray], samples: int, cipher: SegmentCipher, workers: Workers
) -> Iterator[tuple[AnyArray, bytes]]:
    """Yield the plain segments of a picture of so many samples, and their digests."""
    buffers = Buffers(samples)

    def restore(numbered: tuple[int, AnyArray]) -> tuple[AnyArray, bytes]:
        index, segment = numbered
        target = buffers.take(index, len(segment))
        cipher.restore(index, segment, target)
        return target, digest(target)

    return workers.each(restore, enumerate(segments))


def gather_segments(lines: Iterable[AnyArray], samples: int) -> Iterator[AnyArray]:
    """Yield so many samples, which come in lines, in segments."""
    buffers, index, filled = Buffers(samples), 0, 0
    segment = buffers.take(0, min(SEGMENT, samples))
    for some in lines:
        flat = some.reshape(-1)
        while len(flat) and index * SEGMENT < samples:
            count = min(len(flat), len(segment) - filled)
            segment[filled : filled + count] = flat[:count]
            flat, filled = flat[count:], filled + count
            if filled == len(segment):
                yield segment
                index, filled = index + 1, 0
                segment = buffers.take(index, min(SEGMENT, max(0, samples - index * SEGMENT)))
