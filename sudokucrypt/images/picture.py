"""A picture as this package sees it: frames of exact samples, and what a file says of them."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from sudokucrypt.errors import InvalidImageError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from fractions import Fraction

    from sudokucrypt.typing import AnyArray

# The types that samples may have, by their NumPy names.
SAMPLE_TYPES: Final = (
    "bool",
    *(f"{sign}int{bits}" for sign in ("u", "") for bits in (8, 16, 32, 64)),
    *(f"float{bits}" for bits in (16, 32, 64)),
)

# What people call fields of `Metadata` that have another name.
METADATA_NAMES: Final = {"exif": "EXIF", "icc": "ICC profile", "xmp": "XMP", "texts": "text"}


@dataclass(frozen=True, kw_only=True)
class Resolution:
    """How densely a picture is printed."""

    columns: Fraction  #: Pixels per unit from left to right.
    rows: Fraction  #: Pixels per unit from top to bottom.
    unit: Literal["inch", "meter"] | None  #: None if only their ratio means something.


@dataclass(frozen=True, kw_only=True)
class Metadata:
    """Everything that is kept of what a file says about a picture, never interpreted."""

    #: A block in the form of a TIFF file, without what formats put before it. Its orientation is
    #: kept, and never applied.
    exif: bytes | None = None
    icc: bytes | None = None  #: The color profile.
    xmp: bytes | None = None  #: The packet.
    resolution: Resolution | None = None  #: As the file itself gives it; EXIF may name another.
    #: Keyword and text, with the keywords of PNG: Description, Author, Copyright, Software, Comment
    #: and others.
    texts: tuple[tuple[str, str], ...] = ()
    #: What only the format named first understands, such as ``("PNG gAMA", ...)``.
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


# What the channels of a pixel are.
Mode: TypeAlias = Literal["gray", "gray-alpha", "rgb", "rgba", "palette", "cmyk"]

# The mode that samples have, by their number of channels, when nothing else is said.
NATURAL_MODES: dict[int, Mode] = {1: "gray", 2: "gray-alpha", 3: "rgb", 4: "rgba"}


@dataclass(frozen=True, kw_only=True)
class Palette:
    """The colors that the samples of a palette picture number."""

    #: Red, green and blue of each color, one byte each; two each, higher first, if `wide`.
    colors: bytes
    alphas: bytes = b""  #: Opacity of the first colors; the others are opaque.
    wide: bool = False  #: Whether a color has 16 bits a channel, as in TIFF.


@dataclass(frozen=True, kw_only=True)
class FrameControl:
    """How an animation shows a frame.

    What becomes of it afterwards, and how it is laid over the others, are numbers of its format.
    """

    duration: Fraction  # seconds until the next frame
    disposal: int = 0
    blend: int = 0


@dataclass(frozen=True, eq=False, kw_only=True)
class Frame:
    """One picture of a file: a still, a page, or a frame of an animation."""

    #: bool for 1-bit samples, else uint8, uint16 or, in TIFF, another integer or float; native byte
    #: order, C-contiguous. Shape (M, N), (M, N, 2), (M, N, 3) or (M, N, 4).
    pixels: AnyArray
    mode: Mode  #: What the channels are. Gray is black at zero, CMYK is without ink at zero.
    #: Bits of a sample where they are fewer than those of its type: 2 or 4.
    bits: int | None = None
    palette: Palette | None = None  #: The colors in mode ``palette``. A GIF frame may be without.
    #: The one pixel value that is not seen: a sample for each channel.
    transparent: tuple[int, ...] | None = None
    #: Where the frame lies on the canvas of an animation.
    row: int = 0
    column: int = 0
    #: None for stills, pages, and a PNG's picture that its animation does not show.
    showing: FrameControl | None = None
    #: What the file says besides the samples; where it says so once, it is with the first frame.
    metadata: Metadata = field(default_factory=Metadata)

    @classmethod
    def plain(cls, pixels: AnyArray) -> Frame:
        """Return samples as what they are when nothing else is said."""
        return cls(pixels=pixels, mode=NATURAL_MODES[channels(pixels)])

    @property
    def depth(self) -> int:
        """Bits of a sample that may differ from zero."""
        if self.pixels.dtype == np.bool_:
            return 1
        return self.bits or 8 * self.pixels.dtype.itemsize

    def samples_only(self) -> Frame:
        """Return the samples without their meaning: the frame that an encrypted one looks like."""
        mode = NATURAL_MODES[channels(self.pixels)]
        return replace(self, mode=mode, palette=None, transparent=None)


@dataclass(frozen=True, kw_only=True)
class Animation:
    """What the frames of an animation share."""

    rows: int  #: Of the canvas.
    columns: int
    loops: int | None = None  #: How often it is shown, 0 for ever; none if the file does not say.
    background: bytes | None = None  #: The color of the canvas as the format stores it.
    palette: Palette | None = None  #: A GIF's global palette.


@dataclass(frozen=True, eq=False, kw_only=True)
class Picture:
    """The content of an image file."""

    frames: tuple[Frame, ...]  #: At least one; several are pages, or an animation.
    format: str  #: The name of the file format it was read from, or suits best.
    #: What the frames share if they are shown one after the other; any GIF has it.
    animation: Animation | None = None
    header: bytes | None = None  #: Our header as it is in the file, not interpreted.
    #: Whether the file has a copy of the header in rows below the samples, which are not among the
    #: samples here.
    header_rows: bool = False
    #: What the file carries and is not kept, such as ``("previews",)``.
    dropped: tuple[str, ...] = ()

    @classmethod
    def plain(
        cls,
        pixels: AnyArray,
        *,
        format: str = "PNG",  # noqa: A002 - the word for it everywhere in this package
        header: bytes | None = None,
        dropped: tuple[str, ...] = (),
    ) -> Picture:
        """Return an array as a picture: gray, gray and alpha, RGB, or RGB and alpha."""
        require_picture(pixels)
        frames = (Frame.plain(pixels),)
        return cls(frames=frames, format=format, header=header, dropped=dropped)

    @property
    def pixels(self) -> AnyArray:
        """The samples of the first frame."""
        return self.frames[0].pixels

    def with_pixels(self, pixels: Sequence[AnyArray]) -> Picture:
        """Return the same picture with other samples, frame by frame."""
        frames = zip(self.frames, pixels, strict=True)
        return replace(self, frames=tuple(replace(frame, pixels=new) for frame, new in frames))

    def with_metadata(self, metadata: Sequence[Metadata]) -> Picture:
        """Return the same picture with other metadata, frame by frame."""
        frames = zip(self.frames, metadata, strict=True)
        return replace(self, frames=tuple(replace(frame, metadata=new) for frame, new in frames))

    def samples_only(self) -> Picture:
        """Return the frames without their meaning, but with their timing."""
        animation = self.animation
        if animation is not None:
            animation = replace(animation, background=None, palette=None)
        frames = tuple(frame.samples_only() for frame in self.frames)
        return replace(self, frames=frames, animation=animation)


class Glance(NamedTuple):
    """What a file shows, at a side that was asked for or larger, and its pixels in full size."""

    picture: Picture
    pixels: int


def channels(pixels: AnyArray) -> int:
    """Return how many samples a pixel has."""
    return 1 if pixels.ndim == 2 else int(pixels.shape[2])


def require_picture(pixels: AnyArray) -> None:
    """Raise one of our errors if an array cannot be the samples of a frame."""
    hint = "numpy.save keeps any array as it is"
    if not isinstance(pixels, np.ndarray) or pixels.dtype.kind not in "buif":
        kind = getattr(pixels, "dtype", type(pixels).__name__)
        raise InvalidImageError(f"a picture has samples that are numbers, not {kind}", hint=hint)
    if pixels.ndim not in (2, 3) or (pixels.ndim == 3 and pixels.shape[2] not in (2, 3, 4)):
        raise InvalidImageError(
            "a picture has the shape (M, N), (M, N, 2), (M, N, 3) or (M, N, 4), "
            f"not {pixels.shape}",
            hint=hint,
        )
    if not pixels.size:
        raise InvalidImageError(f"a picture of shape {pixels.shape} has no pixels")
    if max(pixels.shape[:2]) >= 2**31:
        raise UnsupportedError("no image format has sides of over 2147483647 pixels", hint=hint)
