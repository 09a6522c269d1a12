"""The contract of an image format: what it is called, how it is known, read and written.

A format is one `Driver`. Those of this package are listed in `sudokucrypt.images.registry`; other
packages add theirs with `register_driver`, or with an entry point that needs no import::

    [project.entry-points."sudokucrypt.formats"]
    farbfeld = "my_package.farbfeld:DRIVER"
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

# Nothing here loads NumPy: the command line asks for formats before it knows of a picture.
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sudokucrypt.images.picture import Frame, Metadata, Picture
    from sudokucrypt.images.source import Source
    from sudokucrypt.typing import Buffer


@dataclass(frozen=True, kw_only=True)
class Writer:
    """How a format that keeps every sample is written."""

    #: Takes a `Picture` that the format can hold, in native byte order, and the level of
    #: compression, 0..9; returns the parts of the file. The same picture gives the same bytes on
    #: every platform, but for what a library compresses. A reader must find every sample and
    #: `Picture.header` again.
    encode: Callable[..., Iterable[Buffer]]
    #: Takes a `Picture`; returns what of it the format cannot hold exactly, or none.
    unsupported_reason: Callable[[Picture], str | None]
    #: Takes a `Frame`, and ``header=``, which says whether our header is in the file too; returns
    #: the `Metadata` that the format cannot hold.
    unsupported_metadata: Callable[..., Metadata]
    #: Takes the `Metadata` that viewers may read, and returns them as they come back from a file of
    #: this format.
    cleartext: Callable[[Metadata], Metadata] = lambda metadata: metadata
    #: Whether `encode` takes ``threads=`` too: how many may share the work, none for the default.
    #: The bytes do not depend on it.
    threaded: bool = False


class WritingModule(Protocol):
    """A module of this package that writes a format; see `Writer`."""

    def encode(self, picture: Picture, compress: int) -> Iterable[Buffer]:
        """Return the parts of the file."""

    def unsupported_reasons(self, picture: Picture) -> Iterator[str]:
        """Yield everything that the format cannot hold exactly."""

    def unsupported_metadata(self, frame: Frame, *, header: bool) -> Metadata:
        """Return the metadata that the format cannot hold."""


@dataclass(frozen=True, kw_only=True)
class Driver:
    """An image format.

    >>> from sudokucrypt.images import drivers
    >>> next(driver.suffixes for driver in drivers() if driver.name == "TIFF")
    ('.tiff', '.tif')
    """

    name: str  #: What `Picture.format` says, such as ``"PNG"``.
    #: Suffixes of files in lower case, such as ``(".png",)``; written files get the first.
    suffixes: tuple[str, ...]
    #: Takes the first bytes of a file, 64 or more if there are as many; returns whether it is of
    #: this format.
    matches: Callable[[bytes], bool]
    #: Takes a `Source`; calls `Source.shape` before samples are decoded, and raises the errors that
    #: its other methods make; returns a `Picture`. No other errors may come out. None for formats
    #: that are known and not read.
    decode: Callable[[Source], Picture] | None = None
    writer: Writer | None = None  #: None for formats that are only read.
    #: Whether such files seldom keep every sample, which is why they are not written.
    lossy: bool = False
    #: Takes a `Source`; returns whether lossy coding made the samples of this file, and decodes
    #: none. No errors but those of `Source` may come out. Without it, `lossy` says so.
    coded_lossily: Callable[[Source], bool] | None = None
    title: str = ""  #: What messages call the format, if not by its name.
    media_type: str = ""  #: Such as ``"image/png"``; empty if the names of files say more.

    @property
    def called(self) -> str:
        """What messages call the format."""
        return self.title or self.name
