"""Inputs: a file that is read in pieces or whole, and facts about it."""

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
    PathName,
    encode_for_every_locale,
    parse_location,
)

if TYPE_CHECKING:
    from pathlib import Path

    from _typeshed import WriteableBuffer

    from sudokucrypt.storage import Location
    from sudokucrypt.typing import AnyArray


# A read of more may reserve as much, before it is known how much there is.
_PIECE: Final = 1 << 20

STREAM_LIMIT: Final = 256 * 2**20
"""Most bytes of a stream that are kept in memory, since what is encrypted is read twice."""


class Content(Protocol):
    """The bytes of an input."""

    size: int
    status: FileStatus  # permissions and time, and what shows that the input was changed

    @property
    def file(self) -> BinaryIO:
        """The bytes as a file that is open for reading."""
        ...

    def read_into(self, start: int, target: AnyArray) -> int:
        """Fill an array with the bytes from a position on, and return how many there were."""
        ...

    def load(self) -> bytes:
        """Return all bytes."""
        ...

    def is_changed(self) -> bool:
        """Return whether the input is seen to be another one than when it was opened."""
        ...


class LoadedContent:
    """Bytes in memory."""

    def __init__(self, data: bytes, status: FileStatus | None = None) -> None:
        self._data = data
        self.size, self.status = len(data), status or FileStatus()

    @property
    def file(self) -> BinaryIO:
        """The bytes as a file that is read from its start."""
        return io.BytesIO(self._data)

    def read_into(self, start: int, target: AnyArray) -> int:
        """Fill an array with the bytes from a position on, and return how many there were."""
        part = memoryview(self._data)[start : start + len(target)]
        target.data[: len(part)] = part
        return len(part)

    def load(self) -> bytes:
        """Return the bytes."""
        return self._data

    def is_changed(self) -> bool:
        """Return that nothing changes them."""
        return False


class _InputFile(io.FileIO):
    """An open file whose errors say that it is the input that cannot be read."""

    def __init__(self, descriptor: int, called: str) -> None:
        super().__init__(descriptor, closefd=False)
        self._called = called

    def read(self, size: int | None = -1, /) -> bytes:
        try:
            return super().read(-1 if size is None else size)
        except OSError as error:
            raise images.unreadable(self._called, error) from error

    def readinto(self, target: WriteableBuffer, /) -> int:
        try:
            return super().readinto(target)
        except OSError as error:
            raise images.unreadable(self._called, error) from error


class OpenContent:
    """A regular file that stays open until nobody needs it."""

    def __init__(self, descriptor: int, name: str) -> None:
        self._descriptor = descriptor
        self._name = name
        self.file = _InputFile(descriptor, name)
        # Whoever reads in pieces keeps it open, and no warning comes where nobody closed it.
        weakref.finalize(self.file, os.close, descriptor)
        status = os.fstat(descriptor)
        self.size = status.st_size
        self.status = FileStatus(status.st_mode & 0o7777, status.st_mtime_ns)

    @classmethod
    def open(cls, path: Path) -> OpenContent:
        """Open a regular file; anything else raises `InvalidImageError`."""
        with images.regular(path, limit=None):
            return cls(images.open_regular(path), str(path))

    def read_into(self, start: int, target: AnyArray) -> int:
        """Fill an array with the bytes from a position on, and return how many there were."""
        view, done = target.data, 0
        self.file.seek(start)
        while done < len(view):
            count = self.file.readinto(view[done:])
            if not count:
                break
            done += count
        return done

    def load(self) -> bytes:
        """Return all bytes; `InvalidImageError` if there are too many, or they change."""
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
            raise changed_meanwhile(self._name)
        return data

    def is_changed(self) -> bool:
        """Return whether size or time of the file are others than when it was opened."""
        status = os.fstat(self._descriptor)
        changed = (status.st_size, status.st_mtime_ns) != (self.size, self.status.time)
        # The system gives some files, such as those of /proc, no size.
        return changed or self.read_into(self.size, np.empty(1, dtype=np.uint8)) > 0


def open_content(location: Location) -> Content:
    """Open a file here, or read one from elsewhere."""
    if isinstance(location, Url):
        return LoadedContent(*images.read_file_status(location))
    return OpenContent.open(location)


def read_stream(stream: BinaryIO, *, spooled: bool) -> Content:
    """Read a stream to its end.

    One that has more than `STREAM_LIMIT` bytes is refused, unless it is protected already: then it
    can be `spooled` to a file without a name. Bytes that are in memory already have another limit.
    """
    if not hasattr(stream, "read"):
        raise InvalidParameterError(
            f"a file is a path or an open binary file, not {type(stream).__name__}",
            hint="for arrays, call the function without _file, and for bytes that with _bytes",
        )
    limit = images.FILE_LIMIT if isinstance(stream, io.BytesIO) else STREAM_LIMIT
    pieces, size = [], 0
    while piece := stream.read(_PIECE):  # piece by piece: asking for much may reserve as much
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
    """Write a stream, of which some was read, to a file that nobody else finds."""
    import tempfile

    try:
        with tempfile.TemporaryFile() as file:
            while pieces:
                file.write(pieces.pop(0))
            while piece := stream.read(_PIECE):
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


def changed_meanwhile(name: str) -> InvalidImageError:
    """Return the error for an input that was not the same when it was read again."""
    return InvalidImageError(
        f"'{name}' changed while it was read", hint="try again when no program writes it"
    )


PATH_NAMES = (str, os.PathLike, Url)
# What is read: the path of a file, or its URL as text, or a binary stream to its end.
FileSource: TypeAlias = PathName | BinaryIO

_JPEG_START = b"\xff\xd8\xff"


@dataclass(eq=False, kw_only=True)
class SourceFile:
    """A file that was read, and facts about it."""

    content: Content  # its bytes
    name: str  # what messages call it
    file_name: str  # what the file is called, if its bytes are protected
    location: Location | None  # where it is; None for a stream, which is not read twice
    typed: bool = True  # whether its media type is looked for, if its bytes are protected
    size: int = field(init=False)
    status: FileStatus = field(init=False)
    _data: bytes | None = field(default=None, init=False)
    _picture: images.Picture | None = field(default=None, init=False)

    @classmethod
    def read(
        cls, source: FileSource, name: str | None = None, *, spooled: bool = False
    ) -> SourceFile:
        """Open a file, called `name` if not as its path says, or read a stream to its end.

        A stream is `spooled` to a file if it is large and protected.
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
        """Return all of its bytes, and keep them until they are released."""
        if self._data is None:
            self._data = self.content.load()
        return self._data

    def read_start(self, size: int = 4096) -> bytes:
        """Return its first bytes."""
        start = np.empty(min(size, self.size), dtype=np.uint8)
        return start[: self.content.read_into(0, start)].tobytes()

    def is_jpeg(self) -> bool:
        """Return whether it begins as a JPEG."""
        return self.read_start(len(_JPEG_START)) == _JPEG_START

    def find_header(self, max_pixels: int | None) -> bytes | None:
        """Return the header in it; no sample is decoded."""
        content, most = self.content, self._get_limit(max_pixels)
        found, header = images.header_in_file(content.file, self.size, self.name, max_pixels=most)
        return header if found else images.header_of(self.load(), self.name, max_pixels=most)

    def stream(self, max_pixels: int | None) -> images.PngStream | None:
        """Return a reader of its picture in pieces if the picture was made of a file, or None."""
        source = images.Source(b"", self.name, self._get_limit(max_pixels))
        return images.PngStream.open(source, self.content.file, self.size)

    def find_header_in_rows(self, max_pixels: int | None) -> bytes | None:
        """Return the header in rows below the samples, for a file that has it nowhere else.

        Of a redacted picture, which anyone may have made as large as they like, none is decoded.
        """
        if (stream := self.stream(max_pixels)) is not None:
            return stream.find_header_in_rows()
        from sudokucrypt.images.attachments import find_attachment

        data = self.load()
        may_have = images.may_have_header_rows(data) and find_attachment(data) is None
        return self.decode(max_pixels).header if may_have else None

    def decode(self, max_pixels: int | None) -> images.Picture:
        """Return its picture; by default a large file may have a pixel for each of its bytes."""
        if self._picture is None:
            self._picture = self._decode(self._get_limit(max_pixels))
        return self._picture

    def _decode(self, most: int) -> images.Picture:
        content, found = self.content, None
        if self.size <= images.FILE_LIMIT:
            try:
                found = images.decode_in_pieces(content.file, self.size, self.name, max_pixels=most)
            finally:
                if content.is_changed():
                    raise changed_meanwhile(self.name)
        return found or images.decode_picture(self.load(), self.name, max_pixels=most)

    def glance(self, max_pixels: int | None, side: int) -> tuple[images.Picture, int]:
        """Return what it shows, perhaps no larger than asked for, and its pixels in full size."""
        most = self._get_limit(max_pixels)
        if self._picture is not None:
            rows, columns = self._picture.pixels.shape[:2]
            return self._picture, rows * columns
        # Not kept, as what is made of the file takes its memory.
        return images.glance(self.load(), self.name, side=side, max_pixels=most)

    def take(self, max_pixels: int | None) -> images.Picture:
        """Return its picture, and keep nothing: its memory is needed for the result."""
        picture = self.decode(max_pixels)
        self.release()
        return picture

    def release(self) -> None:
        """Let go of bytes and picture, which can be read again."""
        self._data = self._picture = None

    def _get_limit(self, max_pixels: int | None) -> int:
        return max(images.MAX_PIXELS, self.size) if max_pixels is None else max_pixels
