"""Files that are read: their bytes, their picture, and what else is known of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO

from sudokucrypt import images
from sudokucrypt.errors import InvalidImageError, InvalidParameterError
from sudokucrypt.images.attachments import attachment
from sudokucrypt.storage import FileStatus, in_every_locale

if TYPE_CHECKING:
    from sudokucrypt.storage import Location

# A read of more may reserve as much, before it is known how much there is.
_PIECE = 1 << 20
_JPEG_START = b"\xff\xd8\xff"


@dataclass(eq=False, kw_only=True)
class SourceFile:
    """What was read, and what is known of it."""

    data: bytes  # the whole file; nothing once it was released
    name: str  # what messages call it
    file_name: str  # what the file is called, if its bytes are protected
    status: FileStatus  # its permissions and time
    size: int = field(init=False)
    _picture: images.Picture | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.size = len(self.data)

    @classmethod
    def at(cls, location: Location, name: str | None = None) -> SourceFile:
        """Read a file, called `name` if not as its path says."""
        data, status = images.read_file_status(location)
        file_name = name or in_every_locale(location.name)
        return cls(data=data, name=str(location), file_name=file_name, status=status)

    @classmethod
    def of_stream(cls, stream: BinaryIO, name: str | None = None) -> SourceFile:
        """Read a stream to its end; piece by piece, as asking for much may reserve as much."""
        if not hasattr(stream, "read"):
            raise InvalidParameterError(
                f"a file is a path or an open binary file, not {type(stream).__name__}",
                hint="for arrays, call the function without _file, and for bytes that with _bytes",
            )
        pieces, size, limit = [], 0, images.FILE_LIMIT
        while piece := stream.read(_PIECE):
            pieces.append(piece)
            size += len(piece)
            if size > limit:
                raise InvalidImageError(f"the input has more than the {limit} bytes that are read")
        data = b"".join(pieces)
        return cls(data=data, name="the input", file_name=name or "input", status=FileStatus())

    @property
    def is_jpeg(self) -> bool:
        """Whether it begins as a JPEG."""
        return self.data.startswith(_JPEG_START)

    def header(self, max_pixels: int | None) -> bytes | None:
        """Return the header in it; no sample is decoded."""
        return images.header_of(self.data, self.name, max_pixels=self._most(max_pixels))

    def header_in_rows(self, max_pixels: int | None) -> bytes | None:
        """Return the header in rows below the samples, for a file that has it nowhere else.

        Of a redacted picture, which anyone may have made as large as they like, none is decoded.
        """
        may_have = images.may_have_header_rows(self.data) and attachment(self.data) is None
        return self.decoded(max_pixels).header if may_have else None

    def decoded(self, max_pixels: int | None) -> images.Picture:
        """Return its picture; by default a large file may have a pixel for each of its bytes."""
        if self._picture is None:
            most = self._most(max_pixels)
            self._picture = images.decode_picture(self.data, self.name, max_pixels=most)
        return self._picture

    def glance(self, max_pixels: int | None, side: int) -> tuple[images.Picture, int]:
        """Return what it shows, perhaps no larger than asked for, and its pixels in full size."""
        most = self._most(max_pixels)
        if self._picture is not None:
            rows, columns = self._picture.pixels.shape[:2]
            return self._picture, rows * columns
        # Not kept, as what is made of the file takes its memory.
        return images.glance(self.data, self.name, side=side, max_pixels=most)

    def taken(self, max_pixels: int | None) -> images.Picture:
        """Return its picture, and keep nothing: its memory is needed for the result."""
        picture = self.decoded(max_pixels)
        self.release()
        return picture

    def release(self) -> None:
        """Let go of bytes and picture; name, size and status stay."""
        self.data, self._picture = b"", None

    def _most(self, max_pixels: int | None) -> int:
        return max(images.MAX_PIXELS, len(self.data)) if max_pixels is None else max_pixels
