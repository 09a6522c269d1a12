"""Files of any size in flat memory: their segments are digested, protected and restored in turn.

An input is read twice. What the first reading found is compared with the second, segment by
segment, before anything is made of a segment: so whatever is done to a file in between, no stream
masks two contents, and nothing is released that the tag does not cover.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from traceback import clear_frames
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from sudokucrypt import images
from sudokucrypt.ciphers import ENCRYPT, Part, SegmentCipher, require_tag, sample_digests
from sudokucrypt.errors import DecryptionError, SudokucryptError
from sudokucrypt.header import SEGMENT, Header
from sudokucrypt.images import EmbeddedFile
from sudokucrypt.recipes.carriers.contract import (
    DifferingResultError,
    Draft,
    FileReport,
    Made,
    open_result,
    require_same_salt,
)
from sudokucrypt.recipes.carriers.picture import (
    complete_record,
    describe_without_preview,
    report_file,
    restore_picture,
)
from sudokucrypt.recipes.sources import changed_meanwhile
from sudokucrypt.typing import AnyArray
from sudokucrypt.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sudokucrypt.images import EmbeddedFile, PictureRecord
    from sudokucrypt.keys import Key, ProtectingKey
    from sudokucrypt.recipes.opening import OpenedHeader
    from sudokucrypt.recipes.options import DecryptOptions, OpenOptions
    from sudokucrypt.recipes.protection import Protection
    from sudokucrypt.recipes.sinks import Sink
    from sudokucrypt.recipes.sources import SourceFile
    from sudokucrypt.typing import AnyArray, Buffer


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
    """Yield the plain segments of a picture of the given number of samples, and their digests."""
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


class PlainFileSource(Protocol):
    """The plain bytes of a file, as segments of a picture that are made as often as needed."""

    @property
    def name(self) -> str:
        """What messages call the file that is read."""
        ...

    @property
    def file(self) -> EmbeddedFile:
        """What is known of the file."""
        ...

    def read(self, workers: Workers) -> Iterator[AnyArray]:
        """Yield all segments; what was yielded is overwritten some segments later."""
        ...

    def prove(self, digests: Sequence[bytes]) -> None:
        """Raise an error unless what was read is whole, as its digests show."""
        ...


@dataclass(frozen=True, eq=False)
class InputFile:
    """A file that is protected."""

    source: SourceFile
    file: EmbeddedFile

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.source.name

    def read(self, workers: Workers) -> Iterator[AnyArray]:
        """Yield its segments."""
        del workers
        content = self.source.content
        return read_segments(self.file, content.read_into, lambda: changed_meanwhile(self.name))

    def prove(self, digests: Sequence[bytes]) -> None:
        """Raise `InvalidImageError` if it was changed since it was opened."""
        del digests
        if self.source.content.is_changed():
            raise changed_meanwhile(self.name)


def make_workers(threads: int | None, samples: int) -> Workers:
    """Return threads for a picture with this number of samples, none of them without work."""
    workers = Workers(threads, work=samples)
    workers.threads = min(workers.threads, MOST_THREADS)
    return workers


class ProtectedFile(Draft):
    """A file that is ready to be protected as a PNG of its bytes."""

    source: PlainFileSource
    record: PictureRecord  # the picture of its bytes, whose samples are not there
    key: ProtectingKey
    protection: Protection
    header_rows: bool = True
    max_pixels: int | None = None

    def make(self) -> Made:
        """Read the file for its tag, and return the parts, which are made as it is read again."""
        master, fields = self.protection.master(self.key)
        draft = self._draft_header(master)
        draft = replace(draft, **fields) if fields else draft
        with self._get_workers() as workers:
            digests = digest_segments(self.source.read(workers), workers)
            self.source.prove(digests)
            header, key = ENCRYPT.seal(digests, master, draft, workers)
        return self._iterate_parts(header, SegmentCipher(key, header), digests), header

    def _iterate_parts(
        self, header: Header, cipher: SegmentCipher, digests: Sequence[bytes]
    ) -> Iterator[Buffer]:
        rows, columns = self.source.file.shape
        stored = header.to_bytes()
        below = images.header_rows_below(stored, (rows, columns)) if self.header_rows else b""
        shape = (rows + len(below) // columns, columns)

        def samples(workers: Workers) -> Iterator[AnyArray]:
            name = self.source.name
            segments = self.source.read(workers)
            yield from protect_segments(
                segments, digests, cipher, workers, lambda: changed_meanwhile(name)
            )
            yield np.frombuffer(below, dtype=np.uint8)

        with self._get_workers() as workers:
            yield from images.encode_samples(samples(workers), shape, stored)

    def compare(self, existing: SourceFile) -> Header:
        """Return the header of an existing file that differs in its random salt at most."""
        most, threads = self.max_pixels, self.protection.threads
        stored = existing.find_header(most) or existing.find_header_in_rows(most)
        if stored is None:
            raise DifferingResultError("it is not a protected picture")
        header = Header.from_bytes(stored)
        opened, key, draft = open_result(
            header,
            self.protection.scheme,
            self.key,
            # Version 1.1 moved large files as a whole: such results are kept.
            lambda key: self._draft_header(key, segmented=header.segment is not None),
            threads,
        )
        if describe_without_preview(opened.header) != describe_without_preview(draft):
            raise DifferingResultError("its metadata differ")
        with self._get_workers() as workers:
            digests = digest_segments(self.source.read(workers), workers)
        self.source.prove(digests)
        require_same_salt(header, key, draft, digests, self.protection)
        if (restored := open_stream(existing, opened, most, threads)) is not None:
            restored.verify()
            same = restored.digests == digests
        else:
            record = restore_picture(existing.take(most), opened, threads, overwrite=True)
            with self._get_workers() as workers:
                same = sample_digests([record.picture.pixels], workers) == digests
        if not same:
            raise DifferingResultError("its samples differ")
        return header

    def _draft_header(self, key: Key, *, segmented: bool = True) -> Header:
        """Return the header before anything secret is known."""
        return self.protection.draft(
            [Part(pixels=self.record.picture.pixels)],
            key,
            encrypted_metadata=images.describe(self.record),
            of_file=segmented,
        )

    def _get_workers(self) -> Workers:
        return make_workers(self.protection.threads, self.record.picture.pixels.size)


@dataclass(eq=False, kw_only=True)
class StreamedFile:
    """A protected file whose header was opened, and whose bytes are restored as they are needed."""

    stream: images.PngStream
    opened: OpenedHeader
    header_rows: bytes  # what is expected below the samples
    threads: int | None
    name: str
    digests: list[bytes] = field(default_factory=list)  # of what was found to be right

    @property
    def file(self) -> EmbeddedFile:
        """What is known of it."""
        file = self.opened.record.file
        if file is None:
            raise DecryptionError
        return file

    def inspect(self) -> PictureRecord:
        """Return the picture of its bytes, without samples, after all of them were checked."""
        self.verify()
        return self.described

    @cached_property
    def described(self) -> PictureRecord:
        """The picture as the seal shows it, before its samples are looked at."""
        pixels = self.opened.record.picture.pixels
        return complete_record(replace(self.stream.picture, pixels=pixels), self.opened)

    def verify(self) -> None:
        """Raise an error if anything is not what it was."""
        if not self.digests:
            for _ in self.parts():
                pass

    def read(self, workers: Workers) -> Iterator[AnyArray]:
        """Yield the plain segments; nothing proves them before `prove` gets their digests."""
        return (segment for segment, _ in self._restore(workers))

    def prove(self, digests: Sequence[bytes]) -> None:
        """Raise `DecryptionError` unless the tag is that of the plain segments."""
        opened = self.opened
        key = ENCRYPT.working_key(opened.key, opened.header)
        require_tag(opened.header, key, digests)
        self.digests = list(digests)

    def parts(self) -> Iterator[Buffer]:
        """Yield the bytes of the file; unless they were verified, the end may raise an error.

        What was yielded is overwritten by what comes next.
        """
        left, known, digests = self.file.size, self.digests, list[bytes]()
        try:
            with make_workers(self.threads, self._samples) as workers:
                for segment, digest in self._restore(workers):
                    if known and digest != known[len(digests)]:
                        raise changed_meanwhile(self.name)
                    digests.append(digest)
                    part, left = segment[:left], max(0, left - len(segment))
                    if len(part):
                        yield part.data
                    if segment[len(part) :].any():
                        raise DecryptionError
            if not known:
                self.prove(digests)
        except Exception as error:
            # The traceback holds plain segments that nothing proves, and reports of crashes print
            # the variables of every call.
            clear_frames(error.__traceback__)
            raise

    def extract(self) -> bytes:
        """Return all bytes of the file."""
        return b"".join(map(bytes, self.parts()))

    def draft(self, sink: Sink, options: DecryptOptions) -> Draft:
        """Return the file under its sealed name, if the target names no other."""
        del options
        report, destination = report_file(self.file, self.described, sink, self.opened)
        return PlainStream(
            destination=destination,
            report=report,
            time=self.file.time,
            new=sink.takes_sealed_names,
            restored=self,
        )

    def again(self, sink: Sink, key: ProtectingKey, options: OpenOptions) -> Draft:
        """Return the file for another key; no plain byte is written."""
        record = self.opened.record
        _, destination = sink.settle("PNG")
        return ProtectedFile(
            destination=destination,
            report=FileReport(
                shape=record.picture.pixels.shape, dropped=self.described.picture.dropped
            ),
            source=self,
            record=record,
            key=key,
            protection=self.opened.protection(options.threads),
            header_rows=bool(self.header_rows),
            max_pixels=options.max_pixels,
        )

    @property
    def _samples(self) -> int:
        return prod(self.opened.header.shape)

    def _restore(self, workers: Workers) -> Iterator[tuple[AnyArray, bytes]]:
        opened = self.opened
        cipher = SegmentCipher(ENCRYPT.working_key(opened.key, opened.header), opened.header)
        samples = self._samples
        lines = _iterate_rows_above(self.stream.lines(), opened.header.shape[0], self.header_rows)
        yield from restore_segments(gather_segments(lines, samples), samples, cipher, workers)


def _iterate_rows_above(lines: Iterator[AnyArray], rows: int, below: bytes) -> Iterator[AnyArray]:
    """Yield the first rows of samples; those below them must be these bytes."""
    rest = []
    for some in lines:
        yield some[:rows]
        rest.append(some[max(0, rows) :].tobytes())
        rows -= min(rows, len(some))
    if b"".join(rest) != below:
        raise DecryptionError


class PlainStream(Draft):
    """A restored file that is ready to be written."""

    restored: StreamedFile

    @property
    def in_pieces(self) -> bool:
        """That they are not kept."""
        return True

    def verify(self) -> None:
        """Raise an error if anything of the protected file is not what it was."""
        self.restored.verify()

    def make(self) -> Made:
        """Return the parts of the file."""
        return self.restored.parts(), None

    def compare(self, existing: SourceFile) -> None:
        """Raise `DifferingResultError` for other bytes."""
        start, same = 0, existing.size == self.restored.file.size
        self.verify()
        for part in self.restored.parts() if same else ():
            found = np.empty(memoryview(part).nbytes, dtype=np.uint8)
            same &= existing.content.read_into(start, found) == len(found)
            same &= found.data == part
            start += len(found)
        if not same:
            raise DifferingResultError("its bytes differ")


def open_stream(
    source: SourceFile, opened: OpenedHeader, max_pixels: int | None, threads: int | None
) -> StreamedFile | None:
    """Return a file that is restored in pieces, or none if its picture was changed in its form.

    Such a picture is restored in memory, and so is one of version 1.1 that was moved as a whole.
    """
    header = opened.header
    if header.segment is None or (stream := source.stream(max_pixels)) is None:
        return None
    rows, columns = header.shape
    below = images.header_rows_below(opened.stored.to_bytes(), (rows, columns))
    found = (stream.layout.rows, stream.layout.columns)
    if found == (rows, columns):
        below = b""
    elif found != (rows + len(below) // columns, columns):
        return None
    return StreamedFile(
        stream=stream, opened=opened, header_rows=below, threads=threads, name=source.name
    )
