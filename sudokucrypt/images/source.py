"""The bytes of a file while it is read, one way to complain about them, and the header in them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sudokucrypt.errors import (
    FormatError,
    ImageTooLargeError,
    InvalidImageError,
    UnsupportedError,
    extra_hint,
)
from sudokucrypt.typing import AnyArray

STORED_HEADER_LIMIT: Final = 32 * 2**20  # most bytes of a header that are read or written
# How a header begins; tells it from other text where a file has but one place for text.
HEADER_START: Final = b'{"sudokucrypt":'

_KEEP_HINT: Final = "'encrypt' keeps the very file"
_SAVE_HINT: Final = f"{_KEEP_HINT}; for its pixels, save it as PNG with another program first"
_PRINTABLE = bytes(range(0x20, 0x7F))
_BYTES_PER_PIXEL: Final = 4  # what a pixel may take on average: as much as RGBA of 8 bits


# Each part of a file costs time, however small it is: a file of 12 MB may have three million. Real
# files have at most one for each 8 KiB, and tests of decoders some thousands in a small picture.
_FREE_PARTS: Final = 2**14
_BYTES_PER_PART: Final = 2**12


def most_parts(size: int) -> int:
    """Return how many parts, such as chunks or segments, a file of this many bytes may have."""
    return _FREE_PARTS + size // _BYTES_PER_PART


@dataclass(eq=False)
class Source:
    """What every reader works on: a whole file, and what messages call it.

    A small file may claim to be huge: at most `max_pixels` are decoded, and four times as many
    bytes of samples.
    """

    data: bytes
    name: str
    max_pixels: int
    _claimed_bytes: int = field(default=0, init=False)

    def damaged(self, reason: str) -> InvalidImageError:
        """Return the error for a file that breaks the rules of its format."""
        return InvalidImageError(
            f"'{self.name}' is damaged: {reason}", hint="get a fresh copy of the file"
        )

    def cut_short(self) -> InvalidImageError:
        """Return the error for a file that ends too early."""
        return self.damaged("it ends in the middle of the picture")

    def unsupported(self, kind: str, *, hint: str = _SAVE_HINT) -> UnsupportedError:
        """Return the error for a picture of a kind that could not be restored exactly."""
        return UnsupportedError(f"'{self.name}' is {kind}, which is not supported yet", hint=hint)

    def too_many_parts(self, kind: str, most: int | None = None) -> InvalidImageError:
        """Return the error for more parts than `most`, by default `most_parts`.

        `kind` is what they are called, such as ``"chunks"``.

        Nothing else is tried with such a file, as it is with kinds that are not supported.
        """
        allowed = most_parts(len(self.data)) if most is None else most
        return InvalidImageError(
            f"'{self.name}' has more than {allowed} {kind}, which no program needs", hint=_SAVE_HINT
        )

    def needs(self, package: str) -> UnsupportedError:
        """Return the error for a picture that only a package reads which is not installed."""
        return UnsupportedError(
            f"reading '{self.name}' needs {package}", hint=f"{extra_hint('formats')}; {_KEEP_HINT}"
        )

    def several(self, kind: str) -> UnsupportedError:
        """Return the error for a file of more than one still, such as ``"an animation"``."""
        return UnsupportedError(
            f"'{self.name}' is {kind}, and only one still picture has its pixels protected",
            hint=_KEEP_HINT,
        )

    def shape(self, rows: int, columns: int, channels: int, *, width: int = 1) -> tuple[int, ...]:
        """Return the shape of the array for a picture of this size, if it may be decoded.

        A sample takes `width` bytes.
        """
        if rows < 1 or columns < 1:
            raise self.damaged("it has no pixels")
        if rows * columns > self.max_pixels:
            claim = f"claims {rows} rows of {columns} pixels"
            raise self._too_large(claim, f"{self.max_pixels} pixels")
        self.claim(rows * columns * channels * width, "samples")
        return (rows, columns) if channels == 1 else (rows, columns, channels)

    def claim(self, size: int, kind: str, *, each: float = _BYTES_PER_PIXEL, free: int = 0) -> None:
        """Count the bytes that something takes, unless all of it together takes few enough.

        That is so many for `each` pixel that may be decoded, or so many that are `free`.
        """
        self._claimed_bytes += size
        most = max(int(each * self.max_pixels), free)
        if self._claimed_bytes > most:
            claim = f"claims {self._claimed_bytes} bytes of {kind}"
            raise self._too_large(claim, f"{most} bytes")

    def _too_large(self, claim: str, most: str) -> ImageTooLargeError:
        return ImageTooLargeError(
            f"'{self.name}' {claim}, more than the {most} that are read",
            hint="if the file is meant to be that large, raise max_pixels",
            hint_key="max_pixels",
        )

    def call(self, codec: Callable[..., Any], data: bytes | memoryview, **options: object) -> Any:
        """Return what a codec makes of some bytes; whatever it raises means damage."""
        try:
            return codec(data, **options)
        except MemoryError:
            raise
        except Exception as error:
            # Codecs have dozens of error classes of their own; for the user they mean one thing.
            raise self.damaged("its samples cannot be decoded") from error

    def run(
        self, codec: Callable[..., Any], data: bytes, shape: tuple[int, ...], **options: object
    ) -> AnyArray:
        """Return the bytes that a codec makes of a picture, which must have this shape."""
        pixels: AnyArray = self.call(codec, data, **options)
        if pixels.shape != shape or pixels.dtype != "uint8":
            raise self.damaged(
                f"it promises {shape} samples of type uint8, "
                f"and decodes to {pixels.shape} of type {pixels.dtype}"
            )
        return pixels

    def header(self, candidates: Sequence[bytes]) -> bytes | None:
        """Return the one header among the places that may hold it, or none."""
        if not candidates:
            return None
        if len(candidates) > 1:
            raise self.bad_header(f"it is there {len(candidates)} times")
        if reason := header_fault(candidates[0]):
            raise self.bad_header(reason)
        return bytes(candidates[0])

    def bad_header(self, reason: str) -> FormatError:
        """Return the error for a header that is not stored the way we store it."""
        return FormatError(
            f"the header in '{self.name}' cannot be used: {reason}",
            hint="a program changed the file; use the original, or its sidecar file",
        )


def header_fault(header: bytes) -> str | None:
    """Return why these bytes cannot be a header, or return none.

    Control characters are out because text formats rewrite them: XML turns a carriage return into
    a line feed, and a TIFF text ends at a zero byte.
    """
    if len(header) > STORED_HEADER_LIMIT:
        return f"it is longer than {STORED_HEADER_LIMIT} bytes"
    if header.translate(None, _PRINTABLE):
        return "it is not printable ASCII"
    if not header.startswith(HEADER_START):
        return f"it does not begin with {HEADER_START.decode()}"
    return None
