"""The bytes of a file while it is read, and one way to complain about them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from sudokucrypt.errors import FormatError, InvalidImageError, UnsupportedError
from sudokucrypt.images.header import fault

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sudokucrypt.typing import AnyArray


_BYTES_PER_PIXEL: Final = 4
"""What a pixel may take on average: as much as RGBA of 8 bits."""


@dataclass(eq=False)
class Source:
    """What every reader works on.

    Parameters
    ----------
    data : bytes
        The whole file.
    name : str
        What messages call it.
    max_pixels : int
        Most pixels that are decoded, all frames together: a small file may claim to be huge. The
        samples may take four times as many bytes.
    """

    data: bytes
    name: str
    max_pixels: int
    _claimed: int = field(default=0, init=False)
    _claimed_bytes: int = field(default=0, init=False)

    def damaged(self, reason: str) -> InvalidImageError:
        """Return the error for a file that breaks the rules of its format."""
        return InvalidImageError(
            f"'{self.name}' is damaged: {reason}", hint="get a fresh copy of the file"
        )

    def cut_short(self) -> InvalidImageError:
        """Return the error for a file that ends too early."""
        return self.damaged("it ends in the middle of the picture")

    def unsupported(self, kind: str) -> UnsupportedError:
        """Return the error for a picture of a kind that could not be restored exactly."""
        return UnsupportedError(
            f"'{self.name}' is {kind}, which is not supported yet",
            hint="save it as PNG or TIFF with another program first",
        )

    def shape(self, rows: int, columns: int, channels: int, *, width: int = 1) -> tuple[int, ...]:
        """Return the shape of the array for a frame of this size, if it may still be decoded.

        Call it once for each frame: what a frame claims is taken from what all may have together.
        A sample takes `width` bytes.
        """
        if rows < 1 or columns < 1:
            raise self.damaged("it has no pixels")
        claim = f"claims {rows} rows of {columns}"
        if self._claimed:
            claim = f"claims frames of {self._claimed + rows * columns}"
        self._claimed += rows * columns
        if self._claimed > self.max_pixels:
            raise self._too_large(f"{claim} pixels", f"{self.max_pixels} pixels")
        self._claimed_bytes += rows * columns * channels * width
        if self._claimed_bytes > _BYTES_PER_PIXEL * self.max_pixels:
            raise self._too_large(
                f"claims {self._claimed_bytes} bytes of samples",
                f"{_BYTES_PER_PIXEL * self.max_pixels} bytes",
            )
        return (rows, columns) if channels == 1 else (rows, columns, channels)

    def _too_large(self, claim: str, most: str) -> InvalidImageError:
        return InvalidImageError(
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
        self,
        codec: Callable[..., AnyArray],
        *,
        shape: tuple[int, ...],
        dtype: str,
        **options: object,
    ) -> AnyArray:
        """Return what a codec makes of the file, which must be what the file says of itself."""
        pixels: AnyArray = self.call(codec, self.data, **options)
        if pixels.shape != shape or pixels.dtype != dtype:
            raise self.damaged(
                f"it promises {shape} samples of type {dtype}, "
                f"and decodes to {pixels.shape} of type {pixels.dtype}"
            )
        return pixels

    def header(self, found: Sequence[bytes]) -> bytes | None:
        """Return the one header among the places that may hold it, or none."""
        if not found:
            return None
        if len(found) > 1:
            raise self.bad_header(f"it is there {len(found)} times")
        if reason := fault(found[0]):
            raise self.bad_header(reason)
        return bytes(found[0])

    def bad_header(self, reason: str) -> FormatError:
        """Return the error for a header that is not stored the way we store it."""
        return FormatError(
            f"the header in '{self.name}' cannot be used: {reason}",
            hint="a program changed the file; use the original, or its sidecar file",
        )
