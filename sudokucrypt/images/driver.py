"""The contract of an image format: what it is called, how it is known and read.

A format is one `Driver`. Those of this package are listed in `sudokucrypt.images.registry`; other
packages add theirs with `register_driver`, or with an entry point that needs no import::

    [project.entry-points."sudokucrypt.formats"]
    farbfeld = "my_package.farbfeld:DRIVER"

Results are always PNG or TIFF, whatever was read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

# Nothing here loads NumPy: the command line asks for formats before it knows of a picture.
if TYPE_CHECKING:
    from collections.abc import Callable

    from sudokucrypt.images.picture import Glance, Picture
    from sudokucrypt.images.source import Source


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
    #: The bytes that a file of this format can begin with, such as ``b"\x89"``: `matches` is asked
    #: for no others. Empty if it can begin with any.
    first_bytes: bytes = b""
    #: Whether such files seldom keep every sample.
    lossy: bool = False
    #: Takes a `Source`; returns whether lossy coding made the samples of this file, and decodes
    #: none. No errors but those of `Source` may come out. Without it, `lossy` says so.
    coded_lossily: Callable[[Source], bool] | None = None
    #: Whether programs save exact samples in it, so that a picture of ours may come back in it.
    exact: bool = False
    #: Takes a `Source`; returns the header in the file, if there is one, and decodes no sample.
    #: None for formats in which no results are written.
    header_of: Callable[[Source], bytes | None] | None = None
    #: Takes a `Source` and a side in pixels; returns what the file shows at about that size or
    #: larger without decoding all of it, or none if that is not possible.
    glance: Callable[[Source, int], Glance | None] | None = None
    title: str = ""  #: What messages call the format, if not by its name.
    media_type: str = ""  #: Such as ``"image/png"``; empty if the names of files say more.

    @property
    def called(self) -> str:
        """What messages call the format."""
        return self.title or self.name
