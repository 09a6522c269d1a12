"""Stills, covered in their samples, and written as PNG."""

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
    digest_values,
    hexadecimal_digest,
    pack,
    unpack,
)
from sudokucrypt.typing import AnyArray

# The usual level of zlib: covers compress well, and the picture is not to grow.
_LEVEL: Final = 6


@dataclass(frozen=True, eq=False)
class SampleMedium(Medium):
    """The samples of a still."""

    kind = "samples"
    still: Picture
    #: Whether version 1.1 counted other samples than a PNG written here would give back.
    earlier: bool = False

    @classmethod
    def of_file(cls, data: bytes, name: str, max_pixels: int) -> Self:
        """Return the still in a file."""
        return cls(decode_picture(data, name, max_pixels=max_pixels))

    @classmethod
    def of_redacted(cls, data: bytes, name: str, max_pixels: int) -> Self:
        """Return the still in a redacted PNG, with its samples as its layers count them.

        Version 1.1 also wrote palettes, few bits and transparent colors.
        """
        return cls(*decode_counted(data, name, max_pixels=max_pixels))

    @classmethod
    def of_pixels(cls, pixels: AnyArray) -> Self:
        """Return an array as a still; `InvalidImageError` if it is none."""
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
        """What it shows."""
        return self.still

    def fit_png(self) -> Self:
        """Return the still in samples that PNG holds: RGB for CMYK, and 8 bits for other types.

        The sealed rest keeps the very file. Floats count from 0 to 1, and integers in their range:
        a range that depended on the samples would tell of those that are covered.
        """
        bare = replace(self.still, metadata=Metadata())
        if unsupported_reason(bare, "PNG") is None:
            return self
        pixels = self.still.pixels
        if pixels.dtype not in (np.uint8, np.uint16):
            least, most = (0, 1) if pixels.dtype.kind in "bf" else _get_range(pixels.dtype)
            shares = (np.nan_to_num(pixels.astype(np.float64)) - least) / (most - least)
            pixels = np.rint(np.clip(shares, 0, 1) * 255).astype(np.uint8)
        fitting = replace(self.still, pixels=pixels)
        if fitting.mode == "cmyk":
            fitting = replace(fitting, pixels=seen_colors(fitting), mode="rgb")
        return replace(self, still=fitting)

    def digest(self, hidden: Mask) -> bytes:
        """Return the SHA-256 of mode, type and visible samples."""
        pixels = self.still.pixels
        head = f"samples {self.still.mode} {pixels.dtype} {pixels.shape}"
        return digest_values(head, [(pixels, ~hidden)])

    @property
    def manner(self) -> str:
        """Exif block, profile and resolution."""
        metadata, density = self.still.metadata, self.still.metadata.resolution
        shown = "-"
        if density is not None:
            shown = f"{density.columns},{density.rows},{density.unit or '-'}"
        blocks = hexadecimal_digest(metadata.exif), hexadecimal_digest(metadata.icc)
        return " ".join(["samples", *blocks, shown])

    def size(self, where: Mask) -> int:
        """Return how many bytes the samples of some pixels have."""
        pixels = self.still.pixels
        return int(np.count_nonzero(where)) * (pixels.nbytes // where.size)

    def extract(self, where: Mask) -> bytes:
        """Return the samples of some pixels."""
        return pack([self.still.pixels[where]])

    def uncover(self, where: Mask, content: bytes) -> Self:
        """Return the picture with these samples."""
        pixels = np.array(self.still.pixels)
        (pixels[where],) = unpack(content, [pixels[where].shape], pixels.dtype)
        return self._with(pixels)

    def cover(self, where: Mask, cover: str, hidden: Mask) -> Self:
        """Return the picture with covered samples; the cover is opaque."""
        pixels = np.array(self.still.pixels)
        channels = pixels.reshape(*self.canvas, -1)
        if cover == SURROUNDINGS:
            filled = smooth_fill(channels.astype(np.float64), hidden)
            whole = pixels.dtype.kind == "f"
            channels[where] = (filled if whole else np.rint(filled))[where].astype(pixels.dtype)
        else:
            channels[where] = self._get_color_samples(parse_color(cover))
        return self._with(pixels)

    def shows(self, other: Medium) -> bool:
        """Return whether mode, type and all samples are the same."""
        if not isinstance(other, SampleMedium):
            return False
        one, two = self.still, other.still
        same = (one.mode, one.pixels.dtype) == (two.mode, two.pixels.dtype)
        floats = one.pixels.dtype.kind == "f"
        return same and np.array_equal(one.pixels, two.pixels, equal_nan=floats)

    def to_bytes(self) -> bytes:
        """Return a PNG of the samples, and the metadata that viewers need, written anew.

        An array that PNG cannot hold becomes a TIFF, which is not seen outside.
        """
        if self.earlier:
            raise UnsupportedError(
                "only all covers of this picture can be lifted together",
                hint="give the keys of all layers, or use version 1.1.0, which made the file",
            )
        bare = replace(self.still, metadata=Metadata(), header=None, header_rows=False)
        shown = replace(bare, metadata=cleartext_copy(self.still.metadata))
        return encode_picture(shown, default_format(bare), compress=_LEVEL)

    def _with(self, pixels: AnyArray) -> Self:
        return replace(self, still=replace(self.still, pixels=pixels))

    def _get_color_samples(self, color: tuple[int, int, int]) -> NDArray[np.float64]:
        """Return the samples of a pixel that shows a color."""
        red_green_blue = np.array(color) / 255
        gray = float(red_green_blue @ (0.299, 0.587, 0.114))
        shares = {
            "gray": [gray],
            "gray-alpha": [gray, 1.0],
            "rgb": [*red_green_blue],
            "rgba": [*red_green_blue, 1.0],
        }[self.still.mode]
        dtype = self.still.pixels.dtype
        if dtype.kind == "f":
            return np.asarray(shares, dtype=np.float64)
        largest = 1 if dtype.kind == "b" else int(np.iinfo(dtype).max)
        return np.asarray([round(share * largest) for share in shares])


def _get_range(dtype: np.dtype[np.generic]) -> tuple[int, int]:
    limits = np.iinfo(dtype)  # type: ignore[type-var] # of integers only
    return int(limits.min), int(limits.max)
