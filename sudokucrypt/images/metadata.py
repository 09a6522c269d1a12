"""What an image file says beside its samples."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable
    from fractions import Fraction


METADATA_NAMES: Final = {"exif": "EXIF", "icc": "ICC profile", "xmp": "XMP", "texts": "text"}
"""What people call fields of `Metadata` that have another name."""


@dataclass(frozen=True, kw_only=True)
class Resolution:
    """How densely a picture is printed.

    Parameters
    ----------
    columns, rows : Fraction
        Pixels per unit from left to right and from top to bottom.
    unit : {"inch", "meter"} or None
        None if only their ratio means something.
    """

    columns: Fraction
    rows: Fraction
    unit: Literal["inch", "meter"] | None


@dataclass(frozen=True, kw_only=True)
class Metadata:
    """Everything that is kept of what a file says about a picture, never interpreted.

    Parameters
    ----------
    exif : bytes or None
        A block in the form of a TIFF file, without what formats put before it. Its orientation is
        kept, and never applied.
    icc : bytes or None
        The color profile.
    xmp : bytes or None
        The packet.
    resolution : Resolution or None
        As the file itself gives it; EXIF may name another.
    texts : tuple of (str, str)
        Keyword and text, with the keywords of PNG: Description, Author, Copyright, Software,
        Comment and others.
    native : tuple of (str, bytes)
        What only the format named first understands, such as ``("PNG gAMA", ...)``.
    """

    exif: bytes | None = None
    icc: bytes | None = None
    xmp: bytes | None = None
    resolution: Resolution | None = None
    texts: tuple[tuple[str, str], ...] = ()
    native: tuple[tuple[str, bytes], ...] = ()

    def __bool__(self) -> bool:
        return self != Metadata()

    def names(self) -> tuple[str, ...]:
        """Return what people call the things that are there."""
        present = [f.name for f in fields(self) if f.name != "native" and getattr(self, f.name)]
        words = [METADATA_NAMES.get(name, name) for name in present]
        return (*words, *(name for name, _ in self.native))

    def without(self, names: Iterable[str]) -> Metadata:
        """Return these metadata without some of `exif`, `icc`, `xmp` and `resolution`."""
        return replace(self, **dict.fromkeys(names))  # type: ignore[arg-type]

    def joined(self, other: Metadata) -> Metadata:
        """Return what both say; where both say something, what `other` says."""
        return Metadata(
            exif=self.exif if other.exif is None else other.exif,
            icc=self.icc if other.icc is None else other.icc,
            xmp=self.xmp if other.xmp is None else other.xmp,
            resolution=other.resolution or self.resolution,
            texts=self.texts + other.texts,
            native=self.native + other.native,
        )
