"""Stills, covered in their samples, and written without loss."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.images import (
    Animation,
    Frame,
    FrameControl,
    Metadata,
    Palette,
    Picture,
    cleartext_metadata,
    coded_lossily,
    decode_picture,
    default_format,
    encode_picture,
)
from sudokucrypt.images import unsupported_reason as obstacle
from sudokucrypt.recipes.carriers.redaction.covers import SURROUNDINGS, color_of, smooth_fill
from sudokucrypt.recipes.carriers.redaction.medium import Mask, Medium, digest_of, pack, unpack
from sudokucrypt.typing import AnyArray

# Formats in which a redacted picture stays, if it has all its samples in them.
_KEPT: Final = ("PNG", "TIFF", "WebP", "GIF")

# Formats whose palettes may come back after colors were covered.
_INDEXED: Final = ("PNG", "GIF")
# The usual level of zlib: covers compress well, and the picture is not to grow.
_LEVEL: Final = 6
# As many as an index of eight bits names.
_MOST_COLORS: Final = 256


@dataclass(frozen=True, eq=False)
class SampleMedium(Medium):
    """The samples of a still; those of a palette are red, green, blue and opacity."""

    kind = "samples"
    frame: Frame
    format: str
    indexed: bool = False

    @classmethod
    def of_file(cls, data: bytes, name: str, max_pixels: int) -> Self:
        """Return the still in a file.

        Raises `UnsupportedError` if it has several frames, or one that does not cover its canvas.
        """
        picture = decode_picture(data, name, max_pixels=max_pixels)
        frame, animation = picture.frames[0], picture.animation
        whole = animation is None or frame.pixels.shape == (animation.rows, animation.columns)
        if len(picture.frames) > 1 or not whole:
            raise UnsupportedError(
                f"'{name}' has several frames, or one that is smaller than its canvas",
                hint="redact stills, or encrypt the whole file",
            )
        if frame.mode == "palette" and frame.palette is None and animation is not None:
            frame = replace(frame, palette=animation.palette)
        indexed = frame.palette is not None
        if indexed:
            frame = _colored(frame)
        keeps_format = picture.format in _KEPT and coded_lossily(data) is None
        return cls(frame, picture.format if keeps_format else _suiting(frame), indexed)

    @classmethod
    def of_pixels(cls, pixels: AnyArray) -> Self:
        """Return an array as a still; `InvalidImageError` if it is none."""
        if pixels.ndim == 3 and pixels.shape[2] == 1:
            pixels = pixels[..., 0]
        frame = Picture.plain(pixels.astype(pixels.dtype.newbyteorder("="))).frames[0]
        return cls(frame, _suiting(frame))

    def in_format(self, format: str) -> Self:  # noqa: A002 - the word everywhere here
        """Return the same still for a file of another format."""
        return replace(self, format=format)

    @property
    def canvas(self) -> tuple[int, int]:
        """Rows and columns in pixels."""
        rows, columns = self.frame.pixels.shape[:2]
        return rows, columns

    @property
    def picture(self) -> Picture:
        """What it shows."""
        return Picture(frames=(self.frame,), format=self.format)

    def digest(self, hidden: Mask) -> bytes:
        """Return the SHA-256 of mode, type and visible samples."""
        pixels = self.frame.pixels
        head = f"samples {self.frame.mode} {pixels.dtype} {pixels.shape}"
        return digest_of(head, [(pixels, ~hidden)])

    def extract(self, where: Mask) -> bytes:
        """Return the samples of some pixels."""
        return pack([self.frame.pixels[where]])

    def restored(self, where: Mask, content: bytes) -> Self:
        """Return the picture with these samples."""
        pixels = np.array(self.frame.pixels)
        (pixels[where],) = unpack(content, [pixels[where].shape], pixels.dtype)
        return self._with(pixels)

    def covered(self, where: Mask, cover: str, hidden: Mask) -> Self:
        """Return the picture with covered samples; the cover is opaque."""
        pixels = np.array(self.frame.pixels)
        channels = pixels.reshape(*self.canvas, -1)
        if cover == SURROUNDINGS:
            filled = smooth_fill(channels.astype(np.float64), hidden)
            whole = pixels.dtype.kind == "f"
            channels[where] = (filled if whole else np.rint(filled))[where].astype(pixels.dtype)
        else:
            channels[where] = self._samples(color_of(cover))
        frame = self._with(pixels)
        if self._in_palette:
            _keep_to_palette(channels, where, hidden)
        elif self.frame.transparent is not None:
            # A color that is not seen anywhere else says something of what is covered.
            unseen = (channels == self.frame.transparent).all(axis=2)
            if unseen[where].any() or not unseen[~hidden].any():
                frame = replace(frame, frame=replace(frame.frame, transparent=None))
        return frame

    def shows(self, other: Medium) -> bool:
        """Return whether mode, type and all samples are the same."""
        if not isinstance(other, SampleMedium):
            return False
        one, two = self.frame, other.frame
        same = (one.mode, one.pixels.dtype) == (two.mode, two.pixels.dtype)
        return same and np.array_equal(
            one.pixels, two.pixels, equal_nan=one.pixels.dtype.kind == "f"
        )

    def to_bytes(self) -> bytes:
        """Return a file of the samples, and the metadata that viewers need, written anew."""
        metadata = cleartext_metadata(self.frame, self.format)
        frame = replace(self.frame, metadata=metadata)
        if self._in_palette:
            frame = _indexed(frame, gif=self.format == "GIF")
        animation = Animation(rows=self.canvas[0], columns=self.canvas[1])
        picture = Picture(
            frames=(frame,),
            format=self.format,
            animation=animation if self.format == "GIF" else None,
        )
        if reason := obstacle(picture, self.format):
            raise UnsupportedError(f"{self.format} cannot hold {reason}")
        return encode_picture(picture, self.format, compress=_LEVEL)

    @property
    def _in_palette(self) -> bool:
        """Whether the file has a palette; TIFF, whose palettes know no opacity, gets colors."""
        return self.indexed and self.format in _INDEXED

    def _with(self, pixels: AnyArray) -> Self:
        return replace(self, frame=replace(self.frame, pixels=pixels))

    def _samples(self, color: tuple[int, int, int]) -> NDArray[np.float64]:
        """Return the samples of a pixel that shows a color."""
        frame, red_green_blue = self.frame, np.array(color) / 255
        gray = float(red_green_blue @ (0.299, 0.587, 0.114))
        shares: dict[str, list[float]] = {
            "gray": [gray],
            "gray-alpha": [gray, 1.0],
            "rgb": [*red_green_blue],
            "rgba": [*red_green_blue, 1.0],
            "cmyk": [*(1 - red_green_blue), 0.0],
        }
        dtype = frame.pixels.dtype
        if dtype.kind == "f":
            return np.asarray(shares[frame.mode], dtype=np.float64)
        narrow = dtype.kind == "b" or frame.bits is not None
        largest = 2**frame.depth - 1 if narrow else int(np.iinfo(dtype).max)
        return np.asarray([round(share * largest) for share in shares[frame.mode]])


def _suiting(frame: Frame) -> str:
    """Return the format for the samples of a still, whatever its metadata."""
    bare = Picture(frames=(replace(frame, metadata=Metadata()),), format="PNG")
    return default_format(bare)


def _colored(frame: Frame) -> Frame:
    """Return a palette frame as colors with opacity; what is not seen at all is black."""
    palette = frame.palette or Palette(colors=b"")
    dtype = np.dtype(">u2" if palette.wide else "u1")
    colors = np.frombuffer(palette.colors, dtype).reshape(-1, 3)
    most = int(np.iinfo(dtype).max)
    table = np.full((max(_MOST_COLORS, len(colors)), 4), most, dtype=dtype.newbyteorder("="))
    table[:, :3] = 0
    table[: len(colors), :3] = colors
    alphas = np.frombuffer(palette.alphas, np.uint8)
    table[: len(alphas), 3] = alphas
    if frame.transparent is not None:
        table[frame.transparent[0]] = 0
    pixels = table[frame.pixels.astype(np.intp)]
    return Frame(pixels=pixels, mode="rgba", showing=frame.showing, metadata=frame.metadata)


def _indexed(frame: Frame, *, gif: bool) -> Frame:
    """Return colors as a palette frame, its colors in their own order, whatever it was before."""
    rows, columns = frame.pixels.shape[:2]
    colors, numbers = np.unique(frame.pixels.reshape(-1, 4), axis=0, return_inverse=True)
    if len(colors) > _MOST_COLORS:
        raise UnsupportedError("a palette cannot hold the colors of the picture")
    size = 1 << max(1, (len(colors) - 1).bit_length()) if gif else len(colors)
    transparent = None
    showing = None
    if gif and (clear := np.flatnonzero(colors[:, 3] == 0)).size:
        transparent, showing = (int(clear[0]),), FrameControl(duration=Fraction(0))
    return replace(
        frame,
        pixels=numbers.astype(np.uint8).reshape(rows, columns),
        mode="palette",
        palette=Palette(
            colors=colors[:, :3].tobytes().ljust(3 * size, b"\0"),
            alphas=b"" if gif or (colors[:, 3] == 255).all() else colors[:, 3].tobytes(),
        ),
        transparent=transparent,
        showing=showing,
    )


def _keep_to_palette(pixels: AnyArray, where: Mask, hidden: Mask) -> None:
    """Replace covers by the nearest visible colors where a palette has no room for them."""
    visible = np.unique(pixels[~hidden], axis=0)
    inside, numbers = np.unique(pixels[where], axis=0, return_inverse=True)
    together = np.unique(np.concatenate([visible, inside]), axis=0)
    if len(together) <= _MOST_COLORS or not len(visible):
        return
    distances = ((inside[:, None].astype(np.int64) - visible[None]) ** 2).sum(axis=2)
    pixels[where] = visible[distances.argmin(axis=1)][numbers.reshape(-1)]
