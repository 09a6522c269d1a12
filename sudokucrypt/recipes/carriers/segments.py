"""Files of any size in constant memory: segments are digested, protected and restored in turn.

An input is read twice. Before a segment is protected or released, its digest is compared with the
digest from the first reading. So even if a file changes in between, no key stream masks two
contents, and nothing is released that the tag does not cover.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from sudokucrypt import images
from sudokucrypt.ciphers import ENCRYPT, Part, SegmentCipher, require_tag, sample_digests
from sudokucrypt.errors import DecryptionError, SudokucryptError
from sudokucrypt.header import SEGMENT_BYTES, Header
from sudokucrypt.images import EmbeddedFile
from sudokucrypt.recipes.carriers.contract import (
    DifferingResultError,
    Draft,
    FileReport,
    PartsAndSidecar,
    open_result,
    require_same_salt,
)
from sudokucrypt.recipes.carriers.picture import (
    complete_record,
    drop_preview_from_metadata,
    report_file,
    restore_picture,
)
from sudokucrypt.recipes.sources import make_change_error
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


# The maximum number of threads, which limits memory. More threads would be idle, since only one
# thread reads and writes the file.
MAX_THREADS: Final = 4
# Twice the number of segments in progress at a time: a step writes new buffers while the previous
# step's buffers are still read.
_BUFFER_COUNT: Final = 4 * MAX_THREADS + 4
_PAGE_SIZE: Final = 4096  # bytes


class SegmentBuffers:
    """A ring of buffers for segments: later segments overwrite the buffers of earlier ones.

    Each buffer begins at a page of memory, since systems copy to other addresses at half the speed.
    """

    def __init__(self, size: int) -> None:
        length = min(SEGMENT_BYTES, max(1, size))
        count = min(_BUFFER_COUNT, -(-max(1, size) // SEGMENT_BYTES))
        self._buffers = [
            _align_to_page(np.empty(length + _PAGE_SIZE, dtype=np.uint8))[:length]
            for _ in range(count)
        ]

    def get_buffer(self, index: int, length: int) -> AnyArray:
        """Return `length` bytes of the buffer for the segment with this index."""
        return self._buffers[index % len(self._buffers)][:length]


def _align_to_page(memory: AnyArray) -> AnyArray:
    return memory[-memory.ctypes.data % _PAGE_SIZE :]


def read_segments(
    file: EmbeddedFile,
    read_into: Callable[[int, AnyArray], int],
    make_change_error: Callable[[], SudokucryptError],
) -> Iterator[AnyArray]:
    """Read a file, and yield the segments of its picture.

    `read_into` fills an array with the bytes from a position on, and returns their number. A
    yielded segment is overwritten by a later one.
    """
    sample_count = prod(file.shape)
    buffers = SegmentBuffers(sample_count)
    for index, segment_start in enumerate(range(0, sample_count, SEGMENT_BYTES)):
        segment = buffers.get_buffer(index, min(SEGMENT_BYTES, sample_count - segment_start))
        byte_count = max(0, min(len(segment), file.size - segment_start))
        if byte_count and read_into(segment_start, segment[:byte_count]) < byte_count:
            raise make_change_error()
        segment[byte_count:] = 0
        yield segment


def digest_segment(segment: AnyArray) -> bytes:
    """Return the SHA-256 digest of a segment, which the tag authenticates."""
    return hashlib.sha256(segment.data).digest()


def digest_segments(segments: Iterable[AnyArray], workers: Workers) -> list[bytes]:
    """Return the digests of all segments."""
    return list(workers.each(digest_segment, segments))


def protect_segments(
    segments: Iterable[AnyArray],
    digests: Sequence[bytes],
    cipher: SegmentCipher,
    workers: Workers,
    make_change_error: Callable[[], SudokucryptError],
) -> Iterator[AnyArray]:
    """Yield the protected segments; raise an error if a segment differs from its digest."""
    buffers = SegmentBuffers(SEGMENT_BYTES * len(digests))

    def protect(indexed_segment: tuple[int, AnyArray]) -> AnyArray:
        index, segment = indexed_segment
        if digest_segment(segment) != digests[index]:
            raise make_change_error()
        target = buffers.get_buffer(index, len(segment))
        cipher.protect(index, segment, target)
        return target

    return workers.each(protect, enumerate(segments))


def restore_segments(
    segments: Iterable[AnyArray], sample_count: int, cipher: SegmentCipher, workers: Workers
) -> Iterator[tuple[AnyArray, bytes]]:
    """Yield the plain segments of a picture with `sample_count` samples, and their digests."""
    buffers = SegmentBuffers(sample_count)

    def restore(indexed_segment: tuple[int, AnyArray]) -> tuple[AnyArray, bytes]:
        index, segment = indexed_segment
        target = buffers.get_buffer(index, len(segment))
        cipher.restore(index, segment, target)
        return target, digest_segment(target)

    return workers.each(restore, enumerate(segments))


def gather_segments(row_blocks: Iterable[AnyArray], sample_count: int) -> Iterator[AnyArray]:
    """Regroup the first `sample_count` samples of blocks of rows into segments."""
    buffers, index, filled_sample_count = SegmentBuffers(sample_count), 0, 0
    segment = buffers.get_buffer(0, min(SEGMENT_BYTES, sample_count))
    for rows in row_blocks:
        flat_rows = rows.reshape(-1)
        while len(flat_rows) and index * SEGMENT_BYTES < sample_count:
            count = min(len(flat_rows), len(segment) - filled_sample_count)
            segment[filled_sample_count : filled_sample_count + count] = flat_rows[:count]
            flat_rows, filled_sample_count = flat_rows[count:], filled_sample_count + count
            if filled_sample_count == len(segment):
                yield segment
                index, filled_sample_count = index + 1, 0
                length = min(SEGMENT_BYTES, max(0, sample_count - index * SEGMENT_BYTES))
                segment = buffers.get_buffer(index, length)


class PlainFileSource(Protocol):
    """The plain bytes of a file as segments, which can be read any number of times."""

    @property
    def name(self) -> str:
        """The name of the file in messages."""
        ...

    @property
    def file(self) -> EmbeddedFile:
        """The name, size, time and type of the file."""
        ...

    def read(self, workers: Workers) -> Iterator[AnyArray]:
        """Yield all segments; a yielded segment is overwritten by a later one."""
        ...

    def verify_digests(self, digests: Sequence[bytes]) -> None:
        """Raise an error unless the segments with these digests are the whole, unchanged file."""
        ...


@dataclass(frozen=True, eq=False)
class InputFile:
    """A plain input file, as the source of a protected one."""

    source: SourceFile
    file: EmbeddedFile

    @property
    def name(self) -> str:
        """The name of the file in messages."""
        return self.source.name

    def read(self, workers: Workers) -> Iterator[AnyArray]:
        """Yield the segments of the file."""
        del workers
        content = self.source.content
        return read_segments(self.file, content.read_into, lambda: make_change_error(self.name))

    def verify_digests(self, digests: Sequence[bytes]) -> None:
        """Raise `InvalidImageError` if the file was changed since it was opened."""
        del digests
        if self.source.content.is_changed():
            raise make_change_error(self.name)


def make_workers(threads: int | None, sample_count: int) -> Workers:
    """Return at most `MAX_THREADS` threads, and fewer threads for few samples."""
    workers = Workers(threads, work_bytes=sample_count)
    workers.threads = min(workers.threads, MAX_THREADS)
    return workers


class ProtectedFileDraft(Draft):
    """A file that is ready to be protected as a PNG of its bytes."""

    source: PlainFileSource
    record: PictureRecord  # describes the picture of the bytes; its samples are blank
    key: ProtectingKey
    protection: Protection
    header_rows: bool = True
    max_pixels: int | None = None

    def make_parts(self) -> PartsAndSidecar:
        """Read the file to compute its tag, and return parts that read it again when iterated."""
        master_key, fields = self.protection.derive_master_key(self.key)
        draft_header = self._draft_header(master_key)
        draft_header = replace(draft_header, **fields) if fields else draft_header
        with self._get_workers() as workers:
            digests = digest_segments(self.source.read(workers), workers)
            self.source.verify_digests(digests)
            header, key = ENCRYPT.seal(digests, master_key, draft_header, workers)
        return self._iterate_parts(header, SegmentCipher(key, header), digests), header

    def _iterate_parts(
        self, header: Header, cipher: SegmentCipher, digests: Sequence[bytes]
    ) -> Iterator[Buffer]:
        rows, columns = self.source.file.shape
        header_bytes = header.to_bytes()
        header_rows = b""
        if self.header_rows:
            header_rows = images.pack_header_rows(header_bytes, (rows, columns))
        shape = (rows + len(header_rows) // columns, columns)

        def iterate_samples(workers: Workers) -> Iterator[AnyArray]:
            name = self.source.name
            segments = self.source.read(workers)
            yield from protect_segments(
                segments, digests, cipher, workers, lambda: make_change_error(name)
            )
            yield np.frombuffer(header_rows, dtype=np.uint8)

        with self._get_workers() as workers:
            yield from images.encode_samples(iterate_samples(workers), shape, header_bytes)

    def compare(self, existing_file: SourceFile) -> Header:
        """Return the header of an existing file that equals this result except for the salt."""
        max_pixels, threads = self.max_pixels, self.protection.threads
        header_bytes = existing_file.find_header(max_pixels) or existing_file.find_header_in_rows(
            max_pixels
        )
        if header_bytes is None:
            raise DifferingResultError("it is not a protected picture")
        header = Header.from_bytes(header_bytes)
        opened_header, key, draft_header = open_result(
            header,
            self.protection.scheme,
            self.key,
            # Version 1.1 did not divide large files into segments; its results are kept too.
            lambda key: self._draft_header(key, has_segments=header.segment is not None),
            threads,
        )
        if drop_preview_from_metadata(opened_header.header) != drop_preview_from_metadata(
            draft_header
        ):
            raise DifferingResultError("its metadata differ")
        with self._get_workers() as workers:
            digests = digest_segments(self.source.read(workers), workers)
        self.source.verify_digests(digests)
        require_same_salt(header, key, draft_header, digests, self.protection)
        if (
            restored_file := open_stream(existing_file, opened_header, max_pixels, threads)
        ) is not None:
            restored_file.verify()
            is_same_content = restored_file.digests == digests
        else:
            record = restore_picture(
                existing_file.pop_picture(max_pixels), opened_header, threads, overwrite=True
            )
            with self._get_workers() as workers:
                is_same_content = sample_digests([record.picture.pixels], workers) == digests
        if not is_same_content:
            raise DifferingResultError("its samples differ")
        return header

    def _draft_header(self, key: Key, *, has_segments: bool = True) -> Header:
        """Return the header without tag and seal, and with its metadata in plain form."""
        return self.protection.make_draft_header(
            [Part(pixels=self.record.picture.pixels)],
            key,
            encrypted_metadata=images.describe(self.record),
            has_segments=has_segments,
        )

    def _get_workers(self) -> Workers:
        return make_workers(self.protection.threads, self.record.picture.pixels.size)


@dataclass(eq=False, kw_only=True)
class StreamedFile:
    """A protected file with an opened header, whose plain bytes are restored as they are read."""

    stream: images.PngStream
    opened_header: OpenedHeader
    header_rows: bytes  # the bytes that must follow the samples
    threads: int | None
    name: str
    digests: list[bytes] = field(default_factory=list)  # of the segments; empty until verified

    @property
    def file(self) -> EmbeddedFile:
        """The sealed name, size, time and type of the file."""
        file = self.opened_header.record.file
        if file is None:
            raise DecryptionError
        return file

    def get_record(self) -> PictureRecord:
        """Verify the whole file, and return its record without samples."""
        self.verify()
        return self.sealed_record

    @cached_property
    def sealed_record(self) -> PictureRecord:
        """The record that the seal authenticates, with blank samples."""
        pixels = self.opened_header.record.picture.pixels
        return complete_record(replace(self.stream.picture, pixels=pixels), self.opened_header)

    def verify(self) -> None:
        """Raise an error if the protected file was changed."""
        if not self.digests:
            for _ in self.iterate_parts():
                pass

    def read(self, workers: Workers) -> Iterator[AnyArray]:
        """Yield the plain segments, which only `verify_digests` authenticates."""
        return (segment for segment, _ in self._restore_segments(workers))

    def verify_digests(self, digests: Sequence[bytes]) -> None:
        """Raise `DecryptionError` unless the tag authenticates segments with these digests."""
        opened_header = self.opened_header
        key = ENCRYPT.find_picture_key(opened_header.key, opened_header.header)
        require_tag(opened_header.header, key, digests)
        self.digests = list(digests)

    def iterate_parts(self) -> Iterator[Buffer]:
        """Yield the bytes of the file; unless `verify` was called, an error may occur at the end.

        Each part is overwritten by a later one.
        """
        remaining_bytes, verified_digests, digests = self.file.size, self.digests, list[bytes]()
        segment = np.empty(0, dtype=np.uint8)
        try:
            with make_workers(self.threads, self._sample_count) as workers:
                for segment, digest in self._restore_segments(workers):
                    if verified_digests and digest != verified_digests[len(digests)]:
                        raise make_change_error(self.name)
                    digests.append(digest)
                    part, remaining_bytes = (
                        segment[:remaining_bytes],
                        max(0, remaining_bytes - len(segment)),
                    )
                    if len(part):
                        yield part.data
                    if segment[len(part) :].any():
                        raise DecryptionError
            if not verified_digests:
                self.verify_digests(digests)
        except Exception:
            # Erase the last segment: it was not authenticated, and crash reports could print it,
            # since they show the variables of each call in the traceback.
            segment.fill(0)
            raise

    def extract(self) -> bytes:
        """Return all bytes of the file."""
        return b"".join(map(bytes, self.iterate_parts()))

    def make_draft(self, sink: Sink, options: DecryptOptions) -> Draft:
        """Return the draft of the plain file, with its sealed name unless the target has one."""
        del options
        report, destination = report_file(self.file, self.sealed_record, sink, self.opened_header)
        return PlainFileDraft(
            destination=destination,
            report=report,
            time=self.file.time,
            must_be_new=sink.takes_sealed_names,
            restored_file=self,
        )

    def reprotect(self, sink: Sink, key: ProtectingKey, options: OpenOptions) -> Draft:
        """Return the draft of the same file under another key; no plain byte reaches the disk."""
        record = self.opened_header.record
        _, destination = sink.choose_destination("PNG")
        return ProtectedFileDraft(
            destination=destination,
            report=FileReport(
                shape=record.picture.pixels.shape, dropped=self.sealed_record.picture.dropped
            ),
            source=self,
            record=record,
            key=key,
            protection=self.opened_header.protection(options.threads),
            header_rows=bool(self.header_rows),
            max_pixels=options.max_pixels,
        )

    @property
    def _sample_count(self) -> int:
        return prod(self.opened_header.header.shape)

    def _restore_segments(self, workers: Workers) -> Iterator[tuple[AnyArray, bytes]]:
        opened_header = self.opened_header
        cipher = SegmentCipher(
            ENCRYPT.find_picture_key(opened_header.key, opened_header.header), opened_header.header
        )
        count = self._sample_count
        rows = _split_header_rows(
            self.stream.lines(), opened_header.header.shape[0], self.header_rows
        )
        yield from restore_segments(gather_segments(rows, count), count, cipher, workers)


def _split_header_rows(
    row_blocks: Iterator[AnyArray], sample_row_count: int, expected_bytes: bytes
) -> Iterator[AnyArray]:
    """Yield the first `sample_row_count` rows; the other rows must be `expected_bytes`."""
    header_rows = []
    for rows in row_blocks:
        yield rows[:sample_row_count]
        header_rows.append(rows[sample_row_count:].tobytes())
        sample_row_count -= min(sample_row_count, len(rows))
    if b"".join(header_rows) != expected_bytes:
        raise DecryptionError


class PlainFileDraft(Draft):
    """A restored file that is ready to be written."""

    restored_file: StreamedFile

    @property
    def reuses_memory(self) -> bool:
        """True: each part is overwritten by a later one."""
        return True

    def verify(self) -> None:
        """Raise an error if the protected file was changed."""
        self.restored_file.verify()

    def make_parts(self) -> PartsAndSidecar:
        """Return the parts of the file."""
        return self.restored_file.iterate_parts(), None

    def compare(self, existing_file: SourceFile) -> None:
        """Raise `DifferingResultError` if the existing file has other bytes."""
        position, has_same_bytes = 0, existing_file.size == self.restored_file.file.size
        self.verify()
        for part in self.restored_file.iterate_parts() if has_same_bytes else ():
            existing_part = np.empty(memoryview(part).nbytes, dtype=np.uint8)
            has_same_bytes &= existing_file.content.read_into(position, existing_part) == len(
                existing_part
            )
            has_same_bytes &= existing_part.data == part
            position += len(existing_part)
        if not has_same_bytes:
            raise DifferingResultError("its bytes differ")


def open_stream(
    source: SourceFile, opened_header: OpenedHeader, max_pixels: int | None, threads: int | None
) -> StreamedFile | None:
    """Return a file that is restored in pieces, or None if it must be restored in memory.

    A picture is restored in memory if another program rewrote it in another form, or if version 1.1
    made it without segments.
    """
    header = opened_header.header
    if header.segment is None or (stream := source.stream(max_pixels)) is None:
        return None
    rows, columns = header.shape
    header_rows = images.pack_header_rows(opened_header.stored_header.to_bytes(), (rows, columns))
    stream_shape = (stream.layout.rows, stream.layout.columns)
    if stream_shape == (rows, columns):
        header_rows = b""
    elif stream_shape != (rows + len(header_rows) // columns, columns):
        return None
    return StreamedFile(
        stream=stream,
        opened_header=opened_header,
        header_rows=header_rows,
        threads=threads,
        name=source.name,
    )
