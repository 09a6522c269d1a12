"""What a description says beyond the picture, and the limits of its form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sudokucrypt.images.metadata import METADATA_NAMES

if TYPE_CHECKING:
    from sudokucrypt.images.description.files import EnclosedFile
    from sudokucrypt.images.picture import Picture

READABLE_FIELDS: Final = ("exif", "icc", "resolution", "xmp")
"""The metadata that may also stand readably in a protected file, in the order of the line."""

BLOB_FIELDS: Final = ("exif", "icc", "xmp")
"""The metadata that are blobs."""

LINE_LIMIT: Final = 4 * 2**20
"""Most bytes of the line."""

PADDED: Final = 256
"""The length of the extras is a multiple of this."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Described:
    """A picture with what its description says of it.

    Parameters
    ----------
    picture : Picture
        Frames with their meaning and their true metadata.
    readable : tuple of str
        Which of `READABLE_FIELDS` also stand readably in the file.
    file : EnclosedFile or None
        The file whose bytes the samples are, if that is what they are.
    """

    picture: Picture
    readable: tuple[str, ...] = ()
    file: EnclosedFile | None = None

    @property
    def readable_names(self) -> tuple[str, ...]:
        """What people call the metadata that also stand readably, as `Metadata.names` does."""
        return tuple(METADATA_NAMES.get(name, name) for name in self.readable)
