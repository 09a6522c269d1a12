"""Redact still pictures by covering samples, and write the results as PNG."""

from dataclasses import dataclass, replace
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.images import (
    Metadata,
    Picture,
    cleartext_copy,
    decode_picture,
    decode_redacted_png,
    default_format,
    encode_picture,
    find_unsupported_reason,
    get_visible_colors,
)
from sudokucrypt.recipes.carriers.redaction.covers import SURROUNDINGS, fill_smoothly, parse_color
from sudokucrypt.recipes.carriers.redaction.medium import (
    Mask,
    Medium,
    compute_hex_digest,
    digest_values,
    pack_arrays,
    unpack_arrays,
)
from sudokucrypt.typing import AnyArray

# The usual level of zlib, so that the redacted picture is not larger than the original.
_COMPRESSION_LEVEL: Final = 6


@dataclass(frozen=True, eq=False)
class SampleMedium(Medium):
    """The samples of a still picture."""

    kind = "samples"
    still_picture: Picture
    #: Whether layers of version 1.1 refer to samples that a PNG written by this version would not
    #: have, such as indexes of a palette.
    has_legacy_samples: bool = False

    @classmethod
    def from_file(cls, data: bytes, name: str, max_pixels: int) -> Self:
        """Return the still picture in a file."""
        return cls(decode_picture(data, name, max_pixels=max_pixels))

    @classmethod
    def from_legacy_png(cls, data: bytes, name: str, max_pixels: int) -> Self:
        """Return the picture in a PNG of version 1.1, with samples as its layers contain them.

        Version 1.1 also wrote palettes, samples of fewer than 8 bits, and transparent colors.
        """
        return cls(*decode_redacted_png(data, name, max_pixels=max_pixels))

    @classmethod
    def from_pixels(cls, pixels: AnyArray) -> Self:
        """Return an array as a still picture; `InvalidImageError` if it cannot be one."""
        if pixels.ndim == 3 and pixels.shape[2] == 1:
            pixels = pixels[..., 0]
        return cls(Picture.plain(pixels.astype(pixels.dtype.newbyteorder("="))))

    @property
    def canvas(self) -> tuple[int, int]:
        """Rows and columns in pixels."""
        rows, columns = self.still_picture.pixels.shape[:2]
        return rows, columns

    @property
    def picture(self) -> Picture:
        """The still picture itself."""
        return self.still_picture

    def convert_for_png(self) -> Self:
        """Convert the picture to samples that PNG supports: CMYK to RGB, other types to 8 bits.

        The sealed rest keeps the original file. Floats are scaled from 0..1, and integers from the
        range of their type: the actual range could reveal covered samples.
        """
        picture_without_metadata = replace(self.still_picture, metadata=Metadata())
        if find_unsupported_reason(picture_without_metadata, "PNG") is None:
            return self
        pixels = self.still_picture.pixels
        if pixels.dtype not in (np.uint8, np.uint16):
            lowest_value, highest_value = (
                (0, 1) if pixels.dtype.kind in "bf" else _get_range(pixels.dtype)
            )
            fractions = (np.nan_to_num(pixels.astype(np.float64)) - lowest_value) / (
                highest_value - lowest_value
            )
            pixels = np.rint(np.clip(fractions, 0, 1) * 255).astype(np.uint8)
        converted_picture = replace(self.still_picture, pixels=pixels)
        if converted_picture.mode == "cmyk":
            converted_picture = replace(
                converted_picture, pixels=get_visible_colors(converted_picture), mode="rgb"
            )
        return replace(self, still_picture=converted_picture)

    def digest(self, hidden_mask: Mask) -> bytes:
        """Return the SHA-256 of mode, type and visible samples."""
        pixels = self.still_picture.pixels
        description = f"samples {self.still_picture.mode} {pixels.dtype} {pixels.shape}"
        return digest_values(description, [(pixels, ~hidden_mask)])

    @property
    def display_settings(self) -> str:
        """One line of text: digests of Exif block and color profile, and the resolution."""
        metadata, stored_resolution = (
            self.still_picture.metadata,
            self.still_picture.metadata.resolution,
        )
        resolution_text = "-"
        if stored_resolution is not None:
            side_texts = f"{stored_resolution.columns},{stored_resolution.rows}"
            resolution_text = f"{side_texts},{stored_resolution.unit or '-'}"
        blocks = compute_hex_digest(metadata.exif), compute_hex_digest(metadata.icc)
        return " ".join(["samples", *blocks, resolution_text])

    def size(self, area_mask: Mask) -> int:
        """Return the number of bytes of the samples of the selected pixels."""
        pixels = self.still_picture.pixels
        return int(np.count_nonzero(area_mask)) * (pixels.nbytes // area_mask.size)

    def extract(self, area_mask: Mask) -> bytes:
        """Return the samples of the selected pixels."""
        return pack_arrays([self.still_picture.pixels[area_mask]])

    def uncover(self, area_mask: Mask, content: bytes) -> Self:
        """Return the picture with its original samples in the selected pixels."""
        pixels = np.array(self.still_picture.pixels)
        (pixels[area_mask],) = unpack_arrays(content, [pixels[area_mask].shape], pixels.dtype)
        return self._replace_pixels(pixels)

    def cover(self, area_mask: Mask, cover: str, hidden_mask: Mask) -> Self:
        """Return the picture with an opaque cover over the selected pixels."""
        pixels = np.array(self.still_picture.pixels)
        channels = pixels.reshape(*self.canvas, -1)
        if cover == SURROUNDINGS:
            filled_channels = fill_smoothly(channels.astype(np.float64), hidden_mask)
            is_float = pixels.dtype.kind == "f"
            channels[area_mask] = (filled_channels if is_float else np.rint(filled_channels))[
                area_mask
            ].astype(pixels.dtype)
        else:
            channels[area_mask] = self._get_color_samples(parse_color(cover))
        return self._replace_pixels(pixels)

    def has_same_samples(self, other: Medium) -> bool:
        """Return whether mode, type and all samples are equal."""
        if not isinstance(other, SampleMedium):
            return False
        own_picture, other_picture = self.still_picture, other.still_picture
        has_same_type = (own_picture.mode, own_picture.pixels.dtype) == (
            other_picture.mode,
            other_picture.pixels.dtype,
        )
        is_float = own_picture.pixels.dtype.kind == "f"
        return has_same_type and np.array_equal(
            own_picture.pixels, other_picture.pixels, equal_nan=is_float
        )

    def to_bytes(self) -> bytes:
        """Return a PNG with only the metadata that viewers need.

        Of an array that PNG does not support, it is a TIFF, which only `redact` uses internally.
        """
        if self.has_legacy_samples:
            raise UnsupportedError(
                "only all covers of this picture can be lifted together",
                hint="give the keys of all layers, or use version 1.1.0, which made the file",
            )
        stripped_picture = replace(self.still_picture, metadata=Metadata(), header=None)
        picture = replace(stripped_picture, metadata=cleartext_copy(self.still_picture.metadata))
        file_format = default_format(stripped_picture)
        return encode_picture(picture, file_format, compress=_COMPRESSION_LEVEL)

    def _replace_pixels(self, pixels: AnyArray) -> Self:
        return replace(self, still_picture=replace(self.still_picture, pixels=pixels))

    def _get_color_samples(self, color: tuple[int, int, int]) -> NDArray[np.float64]:
        """Return the samples of a pixel with this color, opaque if it has an alpha channel."""
        rgb_fractions = np.array(color) / 255
        gray_level = float(rgb_fractions @ (0.299, 0.587, 0.114))
        fractions = {
            "gray": [gray_level],
            "gray-alpha": [gray_level, 1.0],
            "rgb": [*rgb_fractions],
            "rgba": [*rgb_fractions, 1.0],
        }[self.still_picture.mode]
        dtype = self.still_picture.pixels.dtype
        if dtype.kind == "f":
            return np.asarray(fractions, dtype=np.float64)
        largest_sample = 1 if dtype.kind == "b" else int(np.iinfo(dtype).max)
        return np.asarray([round(share * largest_sample) for share in fractions])


def _get_range(dtype: np.dtype[np.generic]) -> tuple[int, int]:
    limits = np.iinfo(dtype)  # type: ignore[type-var] # of integers only
    return int(limits.min), int(limits.max)
