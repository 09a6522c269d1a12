"""Pictures in memory: exact samples, the metadata of their file, and colors for display."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from sudokucrypt.errors import InvalidImageError, UnsupportedError

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from sudokucrypt.typing import AnyArray


# The NumPy names of the types that samples may have.
SAMPLE_TYPES: Final = (
    "bool",
    *(f"{sign}int{bits}" for sign in ("u", "") for bits in (8, 16, 32, 64)),
    *(f"float{bits}" for bits in (16, 32, 64)),
)

METADATA_NAMES: Final = {"exif": "EXIF", "icc": "ICC profile", "xmp": "XMP"}
"""Names of metadata kinds in messages, by the fields of `Metadata` that are named differently."""


@dataclass(frozen=True, kw_only=True)
class Resolution:
    """The resolution at which a picture is printed."""

    columns: Fraction  #: Pixels per unit from left to right.
    rows: Fraction  #: Pixels per unit from top to bottom.
    unit: Literal["inch", "meter"] | None  #: None if only the ratio of both values is meaningful.


@dataclass(frozen=True, kw_only=True)
class Metadata:
    """Metadata of a picture, which are kept as bytes and never interpreted."""

    #: The EXIF block, which has the form of a TIFF file, without the prefix of an image format. Its
    #: orientation is kept, and never applied.
    exif: bytes | None = None
    icc: bytes | None = None  #: The color profile.
    xmp: bytes | None = None  #: The XMP packet.
    resolution: Resolution | None = None  #: The resolution in the file; EXIF may state another.

    def __bool__(self) -> bool:
        return self != Metadata()

    def names(self) -> tuple[str, ...]:
        """Return the common names of the metadata that are present."""
        present_names = [field.name for field in fields(self) if getattr(self, field.name)]
        return tuple(METADATA_NAMES.get(name, name) for name in present_names)


# The meaning of the channels of a pixel.
Mode: TypeAlias = Literal["gray", "gray-alpha", "rgb", "rgba", "cmyk"]

# The default mode for each number of channels.
DEFAULT_MODES: dict[int, Mode] = {1: "gray", 2: "gray-alpha", 3: "rgb", 4: "rgba"}


@dataclass(frozen=True, eq=False, kw_only=True)
class Picture:
    """One still picture: its samples and the metadata of its file."""

    #: Samples of type bool for 1-bit samples, otherwise integer or float, in native byte order and
    #: C-contiguous. Shape (M, N), (M, N, 2), (M, N, 3) or (M, N, 4).
    pixels: AnyArray
    mode: Mode  #: The meaning of the channels. Zero is black in gray and RGB, and no ink in CMYK.
    format: str  #: The name of the file format it was read from, or in which it is best written.
    metadata: Metadata = field(default_factory=Metadata)
    header: bytes | None = None  #: The header of this package in the file, not interpreted.
    #: Whether the file has a copy of the header in rows below the samples; `pixels` has no such
    #: rows.
    header_rows: bool = False
    #: Names of content of the file that is not kept, such as ``("previews",)``.
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
        """Return an array as a picture of the default mode for its number of channels."""
        require_picture(pixels)
        mode = DEFAULT_MODES[channels(pixels)]
        return cls(pixels=pixels, mode=mode, format=format, header=header, dropped=dropped)

    @property
    def depth(self) -> int:
        """The number of bits of a sample."""
        return 1 if self.pixels.dtype == np.bool_ else 8 * self.pixels.dtype.itemsize

    def reset_mode(self) -> Picture:
        """Return a picture of the same samples in their default mode."""
        return replace(self, mode=DEFAULT_MODES[channels(self.pixels)])


class PicturePreview(NamedTuple):
    """A preview of a picture, and the number of pixels of the full picture."""

    picture: Picture
    pixels: int


def channels(pixels: AnyArray) -> int:
    """Return the number of samples of a pixel."""
    return 1 if pixels.ndim == 2 else int(pixels.shape[2])


def take_rows(pixels: AnyArray, rows_below: AnyArray, first_row: int, end_row: int) -> AnyArray:
    """Return the rows `first_row`..`end_row` - 1 of the pixels followed by the rows `rows_below`.

    Only these rows are joined, since joining both arrays would take the memory of both.
    """
    rows = len(pixels)
    if end_row <= rows or not len(rows_below):
        return pixels[first_row:end_row]
    return np.concatenate(
        [pixels[first_row:], rows_below[max(0, first_row - rows) : end_row - rows]]
    )


def require_picture(pixels: AnyArray) -> None:
    """Raise `InvalidImageError` or `UnsupportedError` if an array cannot be a picture."""
    hint = "numpy.save keeps any array as it is"
    if not isinstance(pixels, np.ndarray) or pixels.dtype.kind not in "buif":
        kind = getattr(pixels, "dtype", type(pixels).__name__)
        raise InvalidImageError(f"the samples of a picture must be numbers, not {kind}", hint=hint)
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


def unpack_bits(lines: AnyArray, bits: int, count: int) -> AnyArray:
    """Return the first `count` samples, of `bits` bits each, of each row of bytes."""
    if bits == 1:
        return np.unpackbits(lines, axis=1, count=count).view(np.bool_)
    shifts = np.arange(8 - bits, -1, -bits, dtype=np.uint8)
    samples = (lines[:, :, np.newaxis] >> shifts) & np.uint8((1 << bits) - 1)
    return samples.reshape(len(lines), -1)[:, :count]


def get_visible_colors(picture: Picture) -> NDArray[np.uint8]:
    """Return the colors of a picture as 8-bit RGB, without transparency and color profile.

    Parameters
    ----------
    picture : Picture
        The picture.
    """
    samples = _convert_to_8_bits(picture.pixels)
    if picture.mode == "cmyk":
        ink_samples = samples.astype(np.uint16)
        rgb_colors: NDArray[np.uint8] = (
            (255 - ink_samples[..., :3]) * (255 - ink_samples[..., 3:]) // 255
        ).astype("u1")
        return rgb_colors
    channels = np.atleast_3d(samples)[..., : 3 if samples.ndim == 3 and samples.shape[2] > 2 else 1]
    return np.ascontiguousarray(np.broadcast_to(channels, (*samples.shape[:2], 3)))


def lay_on_white(picture: Picture) -> NDArray[np.uint8]:
    """Return the colors of a picture as 8-bit RGB on a white background."""
    colors, pixels = get_visible_colors(picture), picture.pixels
    if picture.mode not in ("gray-alpha", "rgba") or pixels.dtype.kind not in "bu":
        return colors
    opacity = _convert_to_8_bits(pixels[..., -1:]).astype(np.uint16)
    blended_colors: NDArray[np.uint8] = ((colors * opacity + 255 * (255 - opacity)) // 255).astype(
        "u1"
    )
    return blended_colors


def _convert_to_8_bits(samples: AnyArray) -> NDArray[np.uint8]:
    """Scale samples of any type to 0..255.

    Samples of a type other than bool, uint8 and uint16 are scaled by their minimum and maximum.
    """
    if samples.dtype == np.bool_:
        return np.where(samples, np.uint8(255), np.uint8(0))
    if samples.dtype == np.uint8:
        return np.asarray(samples, dtype=np.uint8)
    if samples.dtype == np.uint16:
        # The conversion uses a table, since a copy of all samples in a wider type would take too
        # much memory.
        values = np.arange(np.iinfo(samples.dtype).max + 1, dtype=np.uint32)
        eight_bit_samples: NDArray[np.uint8] = (values * 255 // 65535).astype(np.uint8)[samples]
        return eight_bit_samples
    # Computed with halves of the samples, since the difference of two floats can exceed the
    # largest float.
    halves = np.nan_to_num(samples.astype(np.float64), posinf=0.0, neginf=0.0) / 2
    lowest_half, highest_half = halves.min(), halves.max()
    scaled_values = (halves - lowest_half) / ((highest_half - lowest_half) or 1.0) * 255.0
    return np.asarray(scaled_values, dtype=np.uint8)
