"""Still pictures, covered in their samples, and written as PNG."""

from dataclasses import dataclass, replace
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.images import (
    Metadata,
    Picture,
    cleartext_copy,
    decode_counted,
    decode_picture,
    default_format,
    encode_picture,
    seen_colors,
    unsupported_reason,
)
from sudokucrypt.recipes.carriers.redaction.covers import SURROUNDINGS, parse_color, smooth_fill
from sudokucrypt.recipes.carriers.redaction.medium import (
    Mask,
    Medium,
    compute_hex_digest,
    digest_values,
    pack,
    unpack,
)
from sudokucrypt.typing import AnyArray

# The usual level of zlib, so that the redacted picture is not larger than the original.
_COMPRESSION_LEVEL: Final = 6


@dataclass(frozen=True, eq=False)
class SampleMedium(Medium):
    """The samples of a still picture."""

    kind = "samples"
    still: Picture
    #: Whether layers of version 1.1 refer to samples that a PNG written by this version would not
    #: have, such as indexes of a palette.
    legacy_samples: bool = False

    @classmethod
    def from_file(cls, data: bytes, name: str, max_pixels: int) -> Self:
        """Return the still picture in a file."""
        return cls(decode_picture(data, name, max_pixels=max_pixels))

    @classmethod
    def from_legacy_png(cls, data: bytes, name: str, max_pixels: int) -> Self:
        """Return the picture in a PNG that version 1.1 redacted, with the samples of its layers.

        Version 1.1 also wrote palettes, samples of fewer than 8 bits, and transparent colors.
        """
        return cls(*decode_counted(data, name, max_pixels=max_pixels))

    @classmethod
    def from_pixels(cls, pixels: AnyArray) -> Self:
        """Return an array as a still picture; `InvalidImageError` if it cannot be one."""
        if pixels.ndim == 3 and pixels.shape[2] == 1:
            pixels = pixels[..., 0]
        return cls(Picture.plain(pixels.astype(pixels.dtype.newbyteorder("="))))

    @property
    def canvas(self) -> tuple[int, int]:
        """Rows and columns in pixels."""
        rows, columns = self.still.pixels.shape[:2]
        return rows, columns

    @property
    def picture(self) -> Picture:
        """The still picture itself."""
        return self.still

    def fit_png(self) -> Self:
        """Convert the picture to samples that PNG supports: CMYK to RGB, other types to 8 bits.

        The sealed rest keeps the original file. Floats are scaled from 0..1, and integers from the
        range of their type: the actual range could reveal covered samples.
        """
        without_metadata = replace(self.still, metadata=Metadata())
        if unsupported_reason(without_metadata, "PNG") is None:
            return self
        pixels = self.still.pixels
        if pixels.dtype not in (np.uint8, np.uint16):
            lowest, highest = (0, 1) if pixels.dtype.kind in "bf" else _get_range(pixels.dtype)
            fractions = (np.nan_to_num(pixels.astype(np.float64)) - lowest) / (highest - lowest)
            pixels = np.rint(np.clip(fractions, 0, 1) * 255).astype(np.uint8)
        converted = replace(self.still, pixels=pixels)
        if converted.mode == "cmyk":
            converted = replace(converted, pixels=seen_colors(converted), mode="rgb")
        return replace(self, still=converted)

    def digest(self, hidden_mask: Mask) -> bytes:
        """Return the SHA-256 of mode, type and visible samples."""
        pixels = self.still.pixels
        description = f"samples {self.still.mode} {pixels.dtype} {pixels.shape}"
        return digest_values(description, [(pixels, ~hidden_mask)])

    @property
    def display_settings(self) -> str:
        """Exif block, color profile and resolution."""
        metadata, density = self.still.metadata, self.still.metadata.resolution
        resolution = "-"
        if density is not None:
            resolution = f"{density.columns},{density.rows},{density.unit or '-'}"
        blocks = compute_hex_digest(metadata.exif), compute_hex_digest(metadata.icc)
        return " ".join(["samples", *blocks, resolution])

    def size(self, area_mask: Mask) -> int:
        """Return the number of bytes of the samples of these pixels."""
        pixels = self.still.pixels
        return int(np.count_nonzero(area_mask)) * (pixels.nbytes // area_mask.size)

    def extract(self, area_mask: Mask) -> bytes:
        """Return the samples of these pixels."""
        return pack([self.still.pixels[area_mask]])

    def uncover(self, area_mask: Mask, content: bytes) -> Self:
        """Return the picture with its original samples in these pixels."""
        pixels = np.array(self.still.pixels)
        (pixels[area_mask],) = unpack(content, [pixels[area_mask].shape], pixels.dtype)
        return self._replace_pixels(pixels)

    def cover(self, area_mask: Mask, cover: str, hidden_mask: Mask) -> Self:
        """Return the picture with an opaque cover over these pixels."""
        pixels = np.array(self.still.pixels)
        channels = pixels.reshape(*self.canvas, -1)
        if cover == SURROUNDINGS:
            filled_channels = smooth_fill(channels.astype(np.float64), hidden_mask)
            floats = pixels.dtype.kind == "f"
            channels[area_mask] = (filled_channels if floats else np.rint(filled_channels))[
                area_mask
            ].astype(pixels.dtype)
        else:
            channels[area_mask] = self._get_color_samples(parse_color(cover))
        return self._replace_pixels(pixels)

    def has_same_samples(self, other: Medium) -> bool:
        """Return whether mode, type and all samples are equal."""
        if not isinstance(other, SampleMedium):
            return False
        ours, theirs = self.still, other.still
        same_type = (ours.mode, ours.pixels.dtype) == (theirs.mode, theirs.pixels.dtype)
        floats = ours.pixels.dtype.kind == "f"
        return same_type and np.array_equal(ours.pixels, theirs.pixels, equal_nan=floats)

    def to_bytes(self) -> bytes:
        """Return a PNG with only the metadata that viewers need.

        Of an array that PNG does not support, it is a TIFF, which only `redact` uses internally.
        """
        if self.legacy_samples:
            raise UnsupportedError(
                "only all covers of this picture can be lifted together",
                hint="give the keys of all layers, or use version 1.1.0, which made the file",
            )
        samples_only = replace(self.still, metadata=Metadata(), header=None)
        picture = replace(samples_only, metadata=cleartext_copy(self.still.metadata))
        file_format = default_format(samples_only)
        return encode_picture(picture, file_format, compress=_COMPRESSION_LEVEL)

    def _replace_pixels(self, pixels: AnyArray) -> Self:
        return replace(self, still=replace(self.still, pixels=pixels))

    def _get_color_samples(self, color: tuple[int, int, int]) -> NDArray[np.float64]:
        """Return the samples of a pixel with this color, opaque if it has an alpha channel."""
        red_green_blue = np.array(color) / 255
        gray = float(red_green_blue @ (0.299, 0.587, 0.114))
        fractions = {
            "gray": [gray],
            "gray-alpha": [gray, 1.0],
            "rgb": [*red_green_blue],
            "rgba": [*red_green_blue, 1.0],
        }[self.still.mode]
        dtype = self.still.pixels.dtype
        if dtype.kind == "f":
            return np.asarray(fractions, dtype=np.float64)
        largest = 1 if dtype.kind == "b" else int(np.iinfo(dtype).max)
        return np.asarray([round(share * largest) for share in fractions])


def _get_range(dtype: np.dtype[np.generic]) -> tuple[int, int]:
    limits = np.iinfo(dtype)  # type: ignore[type-var] # of integers only
    return int(limits.min), int(limits.max)
