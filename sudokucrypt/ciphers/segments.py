"""Segments: files of more than 1 MiB are moved in pieces, each in units of 64 bytes."""

from dataclasses import dataclass
from math import prod

import numpy as np

from sudokucrypt.bijections import UnitPermutation
from sudokucrypt.ciphers.pipeline import StageContext
from sudokucrypt.draws import StreamDraws
from sudokucrypt.header import SEGMENT, SEGMENT_UNIT, Header
from sudokucrypt.keys import KeyStream, PictureKey
from sudokucrypt.typing import AnyArray, IntArray
from sudokucrypt.workers import Workers


class SegmentMaps:
    """The maps of the segments of one file: one for all whole ones, and that of a shorter last one.

    `size` counts the samples of the picture, which are bytes.
    """

    def __init__(self, size: int, rounds: int, stream: KeyStream) -> None:
        draws = StreamDraws(stream)
        self._maps: dict[int, tuple[IntArray, IntArray]] = {0: (np.arange(0), np.arange(0))}
        with Workers(1) as workers:
            for count in (SEGMENT // SEGMENT_UNIT, size % SEGMENT // SEGMENT_UNIT):
                if count:
                    places = np.arange(count, dtype=np.int64)
                    UnitPermutation(count, rounds, draws).apply(places, places, workers)
                    self._maps[count] = (places, np.argsort(places))

    def apply(self, source: AnyArray, target: AnyArray, _workers: Workers) -> None:
        """Write one segment to `target`, moved.

        Both have one dimension and share no memory. Bytes that fill no unit stay.
        """
        self._gather(source, target, undo=False)

    def invert(self, source: AnyArray, target: AnyArray, _workers: Workers) -> None:
        """Write to `target` what `apply` made `source` from."""
        self._gather(source, target, undo=True)

    def _gather(self, source: AnyArray, target: AnyArray, *, undo: bool) -> None:
        count = len(source) // SEGMENT_UNIT
        end = count * SEGMENT_UNIT
        units = (array[:end].reshape(count, SEGMENT_UNIT) for array in (source, target))
        # Every index is in range; only this mode writes to the target without a buffer between.
        np.take(next(units), self._maps[count][undo], axis=0, out=next(units), mode="clip")
        target[end:] = source[end:]


@dataclass(frozen=True)
class SegmentPermutation:
    """Moves units of 64 bytes inside segments of a picture of bytes: a stage of a pipeline."""

    rounds: int  #: 1..255.

    def forward(self, source: AnyArray, target: AnyArray, context: StageContext) -> None:
        """Write the moved `source` to `target`."""
        self._move(source, target, context, undo=False)

    def backward(self, source: AnyArray, target: AnyArray, context: StageContext) -> None:
        """Write to `target` what `forward` made `source` from."""
        self._move(source, target, context, undo=True)

    def _move(
        self, source: AnyArray, target: AnyArray, context: StageContext, *, undo: bool
    ) -> None:
        old, new = source.reshape(-1), target.reshape(-1)
        maps = SegmentMaps(len(old), self.rounds, context.stream("permutation"))

        def move(first: int, last: int) -> None:
            for start in range(first * SEGMENT, min(last * SEGMENT, len(old)), SEGMENT):
                inside = slice(start, start + SEGMENT)
                gather = maps.invert if undo else maps.apply
                gather(old[inside].copy(), new[inside], context.workers)

        context.workers.share(-(-len(old) // SEGMENT), move)


class SegmentCipher:
    """Protects and restores the segments of one file, each by itself and in any order.

    A picture of at most one segment has no field `segment`: it is moved as a whole, byte by byte.
    """

    def __init__(self, key: PictureKey, header: Header) -> None:
        self._workers = Workers(1)
        context = StageContext(key, header.tag or b"", self._workers)
        stream, size = context.stream("permutation"), prod(header.shape)
        self._mask = context.stream("keystream").mask
        self._maps: SegmentMaps | UnitPermutation
        if header.segment is None:
            if size > SEGMENT:  # moved as a whole, which takes all of it
                raise ValueError("a picture without segments is in one piece")
            self._maps = UnitPermutation(size, header.rounds, StreamDraws(stream))
        else:
            self._maps = SegmentMaps(size, header.rounds, stream)

    def protect(self, index: int, source: AnyArray, target: AnyArray) -> None:
        """Write the protected segment with this number to `target`; `source` stays.

        Both are contiguous bytes and share no memory.
        """
        self._maps.apply(source, target, self._workers)
        self._mask(target, target, self._workers, start=index * SEGMENT)

    def restore(self, index: int, source: AnyArray, target: AnyArray) -> None:
        """Write the plain segment with this number to `target`; `source` is overwritten."""
        self._mask(source, source, self._workers, start=index * SEGMENT)
        self._maps.invert(source, target, self._workers)
