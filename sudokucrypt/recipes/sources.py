"""Inputs: files and streams, read in pieces or at once."""

from __future__ import annotations

import io
import os
import weakref
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO, Final, Protocol, TypeAlias

import numpy as np

from sudokucrypt import images
from sudokucrypt.errors import (
    InvalidImageError,
    InvalidParameterError,
    SudokucryptError,
    format_reason,
)
from sudokucrypt.remote import Url
from sudokucrypt.storage import (
    FileStatus,
    Location,
    LocationLike,
    encode_for_every_locale,
    parse_location,
)

if TYPE_CHECKING:
    from pathlib import Path

    from _typeshed import WriteableBuffer

    from sudokucrypt.storage import Location
    from sudokucrypt.typing import AnyArray


# Bytes that are read from a stream at a time: a larger read may reserve memory that is not needed.
_PIECE_SIZE: Final = 1 << 20

STREAM_LIMIT: Final = 256 * 2**20
"""Most bytes of a stream, which stays in memory because encrypting reads it twice."""


class Content(Protocol):
    """The bytes of an input."""

    size: int
    status: FileStatus  # its permissions and its time

    @property
    def file(self) -> BinaryIO:
        """The bytes as a file that is open for reading."""
        ...

    def read_into(self, start: int, target: AnyArray) -> int:
        """Fill an array with the bytes from position `start` on, and return their number."""
        ...

    def load(self) -> bytes:
        """Return all bytes."""
        ...

    def is_changed(self) -> bool:
        """Return whether size or time show that the input changed since it was opened."""
        ...


class LoadedContent:
    """Bytes in memory."""

    def __init__(self, data: bytes, status: FileStatus | None = None) -> None:
        self._data = data
        self.size, self.status = len(data), status or FileStatus()

    @property
    def file(self) -> BinaryIO:
        """The bytes as a new file, at its start."""
        return io.BytesIO(self._data)

    def read_into(self, start: int, target: AnyArray) -> int:
        """Fill an array with the bytes from position `start` on, and return their number."""
        copied_bytes = memoryview(self._data)[start : start + len(target)]
        target.data[: len(copied_bytes)] = copied_bytes
        return len(copied_bytes)

    def load(self) -> bytes:
        """Return the bytes."""
        return self._data

    def is_changed(self) -> bool:
        """Return False, since bytes in memory do not change."""
        return False


class _InputFile(io.FileIO):
    """An open file whose read errors contain the name of the input."""

    def __init__(self, descriptor: int, input_name: str) -> None:
        super().__init__(descriptor, closefd=False)
        self._input_name = input_name

    def read(self, size: int | None = -1, /) -> bytes:
        try:
            return super().read(-1 if size is None else size)
        except OSError as error:
            raise images.unreadable(self._input_name, error) from error

    def readinto(self, target: WriteableBuffer, /) -> int:
        try:
            return super().readinto(target)
        except OSError as error:
            raise images.unreadable(self._input_name, error) from error


class OpenContent:
    """A regular file that stays open until nothing refers to it."""

    def __init__(self, descriptor: int, name: str) -> None:
        self._descriptor = descriptor
        self._name = name
        self.file = _InputFile(descriptor, name)
        # Readers of pieces refer to the file object, which is closed with the last reference.
        weakref.finalize(self.file, os.close, descriptor)
        status = os.fstat(descriptor)
        self.size = status.st_size
        self.status = FileStatus(status.st_mode & 0o7777, status.st_mtime_ns)

    @classmethod
    def open(cls, path: Path) -> OpenContent:
        """Open a regular file; anything else raises `InvalidImageError`."""
        with images.guard_regular_file(path, limit=None):
            return cls(images.open_regular_file(path), str(path))

    def read_into(self, start: int, target: AnyArray) -> int:
        """Fill an array with the bytes from position `start` on, and return their number."""
        target_view, read_byte_count = target.data, 0
        self.file.seek(start)
        while read_byte_count < len(target_view):
            count = self.file.readinto(target_view[read_byte_count:])
            if not count:
                break
            read_byte_count += count
        return read_byte_count

    def load(self) -> bytes:
        """Return all bytes; `InvalidImageError` if the file is too large, or changes meanwhile."""
        if self.size > images.FILE_LIMIT:
            raise InvalidImageError(
                f"'{self._name}' has {self.size} bytes, more than the {images.FILE_LIMIT} that are "
                "read"
            )
        self.file.seek(0)
        reader = io.BufferedReader(self.file)
        data = reader.read(self.size)
        reader.detach()
        if len(data) < self.size or self.is_changed():
            raise make_change_error(self._name)
        return data

    def is_changed(self) -> bool:
        """Return whether size or time of the file changed since it was opened."""
        status = os.fstat(self._descriptor)
        changed = (status.st_size, status.st_mtime_ns) != (self.size, self.status.time)
        # Some files, such as those in /proc, have size 0 although they can be read.
        return changed or self.read_into(self.size, np.empty(1, dtype=np.uint8)) > 0


def open_content(location: Location) -> Content:
    """Open a local file, or read a remote one into memory."""
    if isinstance(location, Url):
        return LoadedContent(*images.read_file_status(location))
    return OpenContent.open(location)


def read_stream(stream: BinaryIO, *, spooled: bool) -> Content:
    """Read a stream to its end.

    A stream of more than `STREAM_LIMIT` bytes is refused, or if `spooled`, written to a temporary
    file without a name. A `BytesIO`, which is in memory already, may be larger.
    """
    if not hasattr(stream, "read"):
        raise InvalidParameterError(
            f"a file is a path or an open binary file, not {type(stream).__name__}",
            hint="for arrays, call the function without _file; for bytes, the one with _bytes",
        )
    limit = images.FILE_LIMIT if isinstance(stream, io.BytesIO) else STREAM_LIMIT
    pieces, size = [], 0
    while piece := stream.read(_PIECE_SIZE):
        pieces.append(piece)
        size += len(piece)
        if size > limit:
            if spooled and limit == STREAM_LIMIT:
                return _spool_stream(pieces, stream)
            raise InvalidImageError(
                f"the input has more than the {limit} bytes that are read from a stream",
                hint="write it to a file, and name that",
            )
    return LoadedContent(b"".join(pieces))


def _spool_stream(pieces: list[bytes], stream: BinaryIO) -> Content:
    """Write the pieces that were read, and the rest of the stream, to a temporary file."""
    import tempfile

    try:
        with tempfile.TemporaryFile() as file:
            while pieces:
                file.write(pieces.pop(0))
            while piece := stream.read(_PIECE_SIZE):
                file.write(piece)
            file.flush()
            content = OpenContent(os.dup(file.fileno()), "the input")
    except OSError as error:
        raise SudokucryptError(
            f"cannot keep the input in a temporary file: {format_reason(error)}",
            hint="write it to a file, and name that",
        ) from error
    content.status = FileStatus(time=content.status.time)
    return content


def make_change_error(name: str) -> InvalidImageError:
    """Return the error for an input that changed while it was read."""
    return InvalidImageError(
        f"'{name}' changed while it was read", hint="try again when no program writes it"
    )


PATH_NAMES = (str, os.PathLike, Url)
# The path of a file, its URL, or a binary stream, which is read to its end.
FileSource: TypeAlias = LocationLike | BinaryIO

_JPEG_SIGNATURE = b"\xff\xd8\xff"


@dataclass(eq=False, kw_only=True)
class SourceFile:
    """An input with its name, size and status; decoded data are kept until they are released."""

    content: Content
    name: str  # for messages
    file_name: str  # the name to seal if the bytes of the file are protected
    location: Location | None  # None for a stream, which cannot be read twice
    detects_type: bool = True  # whether the media type is sealed if the bytes are protected
    size: int = field(init=False)
    status: FileStatus = field(init=False)
    _data: bytes | None = field(default=None, init=False)
    _picture: images.Picture | None = field(default=None, init=False)

    @classmethod
    def read(
        cls, source: FileSource, name: str | None = None, *, spooled: bool = False
    ) -> SourceFile:
        """Open a file, or read a stream to its end.

        `name` replaces the name of the path as the name to seal. If `spooled`, a large stream is
        written to a temporary file.
        """
        if isinstance(source, PATH_NAMES):
            location = parse_location(source)
            file_name = name or encode_for_every_locale(location.name)
            content = open_content(location)
            return cls(content=content, name=str(location), file_name=file_name, location=location)
        content = read_stream(source, spooled=spooled)
        return cls(content=content, name="the input", file_name=name or "input", location=None)

    def __post_init__(self) -> None:
        self.size, self.status = self.content.size, self.content.status

    def load(self) -> bytes:
        """Return all bytes of the file, and keep them until `release` is called."""
        if self._data is None:
            self._data = self.content.load()
        return self._data

    def read_start(self, size: int = 4096) -> bytes:
        """Return the first `size` bytes of the file."""
        start_bytes = np.empty(min(size, self.size), dtype=np.uint8)
        return start_bytes[: self.content.read_into(0, start_bytes)].tobytes()

    def is_jpeg(self) -> bool:
        """Return whether the file begins with the signature of JPEG."""
        return self.read_start(len(_JPEG_SIGNATURE)) == _JPEG_SIGNATURE

    def find_header(self, max_pixels: int | None) -> bytes | None:
        """Return the header in the metadata of the file, or None; no sample is decoded."""
        content, limit = self.content, self._get_max_pixels(max_pixels)
        is_known, header = images.header_in_file(
            content.file, self.size, self.name, max_pixels=limit
        )
        return (
            header if is_known else images.extract_header(self.load(), self.name, max_pixels=limit)
        )

    def stream(self, max_pixels: int | None) -> images.PngStream | None:
        """Return a reader of pieces for a PNG that contains an encrypted file, otherwise None."""
        source = images.Source(b"", self.name, self._get_max_pixels(max_pixels))
        return images.PngStream.open(source, self.content.file, self.size)

    def find_header_in_rows(self, max_pixels: int | None) -> bytes | None:
        """Return the header in rows below the picture, or None.

        A redacted picture has no such rows, so it is not decoded: its size may be an attack.
        """
        if (stream := self.stream(max_pixels)) is not None:
            return stream.find_header_in_rows()
        from sudokucrypt.images.attachments import find_attachment

        data = self.load()
        may_have_rows = images.may_have_header_rows(data) and find_attachment(data) is None
        return self.decode(max_pixels).header if may_have_rows else None

    def decode(self, max_pixels: int | None) -> images.Picture:
        """Return the decoded picture, and keep it until `release` is called.

        By default a large file may have as many pixels as bytes.
        """
        if self._picture is None:
            self._picture = self._decode(self._get_max_pixels(max_pixels))
        return self._picture

    def _decode(self, limit: int) -> images.Picture:
        content, picture = self.content, None
        if self.size <= images.FILE_LIMIT:
            try:
                picture = images.decode_in_pieces(
                    content.file, self.size, self.name, max_pixels=limit
                )
            finally:
                if content.is_changed():
                    raise make_change_error(self.name)
        return picture or images.decode_picture(self.load(), self.name, max_pixels=limit)

    def decode_reduced(self, max_pixels: int | None, side: int) -> tuple[images.Picture, int]:
        """Return the picture, reduced to about `side` pixels if possible, and its full pixel count.

        The reduced picture is not kept, to save memory for the result.
        """
        limit = self._get_max_pixels(max_pixels)
        if self._picture is not None:
            rows, columns = self._picture.pixels.shape[:2]
            return self._picture, rows * columns
        return images.glance(self.load(), self.name, side=side, max_pixels=limit)

    def pop_picture(self, max_pixels: int | None) -> images.Picture:
        """Return the decoded picture, and release it, so that the caller may overwrite it."""
        picture = self.decode(max_pixels)
        self.release()
        return picture

    def release(self) -> None:
        """Free the memory of bytes and picture, which can be read again."""
        self._data = self._picture = None

    def _get_max_pixels(self, max_pixels: int | None) -> int:
        return max(images.MAX_PIXELS, self.size) if max_pixels is None else max_pixels
