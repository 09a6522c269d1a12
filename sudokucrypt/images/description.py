"""What gives samples their meaning, as bytes: the extras that a header carries along.

::

    {"format": ..., "palettes": [...], "animation": {...}, "frames": [...]} LF blobs

The first line is ASCII JSON without spaces, what is absent left out. Where it says how many bytes
something has, these bytes stand among the blobs, in the order of the line.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, get_args

from sudokucrypt.errors import DecryptionError, FormatError, UnsupportedError
from sudokucrypt.images.metadata import Metadata, Resolution
from sudokucrypt.images.picture import (
    NATURAL_MODES,
    Animation,
    Frame,
    Mode,
    Palette,
    Picture,
    Showing,
)

if TYPE_CHECKING:
    from sudokucrypt.typing import AnyArray

_LINE_LIMIT: Final = 4 * 2**20
_BLOB_FIELDS: Final = ("exif", "icc", "xmp")


def describe(picture: Picture) -> bytes | None:
    """Return what `dress` needs besides the samples, or none if they speak for themselves.

    Raises
    ------
    UnsupportedError
        If there are too many frames or texts.
    """
    frame = picture.frames[0]
    plain = Frame(pixels=frame.pixels, mode=NATURAL_MODES[_channels(frame.pixels)])
    if len(picture.frames) == 1 and picture.animation is None and _same_meaning(frame, plain):
        return None
    return _Writer().write(picture)


def dress(stored: Picture, description: bytes | None) -> Picture:
    """Return the frames of a stored picture with the meaning that they had before.

    Parameters
    ----------
    stored : Picture
        As it was read; its metadata stay, and those of the description join them.
    description : bytes or None
        What `describe` returned.

    Raises
    ------
    FormatError
        If the description is anything else than what `describe` returns.
    DecryptionError
        If the frames are not those that were described.
    """
    if description is None:
        if len(stored.frames) > 1:
            raise DecryptionError
        frame = replace(stored.frames[0].bare(), bits=None, row=0, column=0, showing=None)
        return replace(stored, frames=(frame,), animation=None)
    try:
        picture = _Reader(description).read([frame.pixels for frame in stored.frames])
        faithful = describe(picture) == description
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RecursionError):
        faithful = False
    if not faithful:
        raise FormatError("the header is damaged: its extras cannot be understood")
    frames = tuple(
        replace(frame, metadata=before.metadata.joined(frame.metadata))
        for before, frame in zip(stored.frames, picture.frames, strict=True)
    )
    return replace(picture, frames=frames, header=stored.header, left_out=stored.left_out)


def _channels(pixels: AnyArray) -> int:
    return 1 if pixels.ndim == 2 else int(pixels.shape[2])


def _same_meaning(first: Frame, second: Frame) -> bool:
    return {**vars(first), "pixels": None} == {**vars(second), "pixels": None}


class _Writer:
    """Puts a picture's meaning into a line and blobs."""

    def __init__(self) -> None:
        self._blobs: list[bytes] = []
        self._palettes: dict[Palette, int] = {}

    def write(self, picture: Picture) -> bytes:
        """Return line and blobs."""
        shared = [] if picture.animation is None else [picture.animation.palette]
        for palette in [*shared, *(frame.palette for frame in picture.frames)]:
            if palette is not None:
                self._palettes.setdefault(palette, len(self._palettes))
        fields = {
            "format": picture.format,
            "palettes": [self._palette(palette) for palette in self._palettes],
            "animation": self._animation(picture.animation),
            "frames": [self._frame(frame) for frame in picture.frames],
        }
        line = json.dumps(_present(fields), separators=(",", ":")).encode("ascii")
        if len(line) > _LINE_LIMIT:
            raise UnsupportedError(
                "the picture's frames and texts are more than a header can describe",
                hint="strip its metadata",
            )
        return b"".join([line, b"\n", *self._blobs])

    def _blob(self, data: bytes | None) -> int | None:
        if data is not None:
            self._blobs.append(data)
        return None if data is None else len(data)

    def _palette(self, palette: Palette) -> dict[str, Any]:
        return _present(
            {
                "colors": self._blob(palette.colors),
                "alphas": self._blob(palette.alphas or None),
                "wide": palette.wide or None,
            }
        )

    def _animation(self, animation: Animation | None) -> dict[str, Any] | None:
        if animation is None:
            return None
        shared = None if animation.palette is None else self._palettes[animation.palette]
        background = self._blob(animation.background)
        return _present({**vars(animation), "background": background, "palette": shared})

    def _frame(self, frame: Frame) -> dict[str, Any]:
        showing = frame.showing
        return _present(
            {
                "shape": frame.pixels.shape,
                "dtype": frame.pixels.dtype.name,
                "mode": frame.mode,
                "bits": frame.bits,
                "palette": None if frame.palette is None else self._palettes[frame.palette],
                "transparent": frame.transparent or None,
                "place": (frame.row, frame.column) if frame.row or frame.column else None,
                "showing": showing and (str(showing.duration), showing.disposal, showing.blend),
                "metadata": self._metadata(frame.metadata) if frame.metadata else None,
            }
        )

    def _metadata(self, metadata: Metadata) -> dict[str, Any]:
        resolution = metadata.resolution
        return _present(
            {
                **{name: self._blob(getattr(metadata, name)) for name in _BLOB_FIELDS},
                "resolution": resolution
                and (str(resolution.columns), str(resolution.rows), resolution.unit),
                "texts": metadata.texts or None,
                "native": [(name, self._blob(data)) for name, data in metadata.native] or None,
            }
        )


class _Reader:
    """Takes line and blobs apart; whatever is wrong raises one of Python's own errors."""

    def __init__(self, description: bytes) -> None:
        line, end, self._blobs = description.partition(b"\n")
        if not end or len(line) > _LINE_LIMIT:
            raise ValueError
        self._fields = json.loads(line.decode("ascii"))
        self._position = 0

    def read(self, pixels: list[AnyArray]) -> Picture:
        """Return a picture of these samples."""
        fields = self._fields
        palettes = [self._palette(**palette) for palette in fields.get("palettes", [])]
        animation = self._animation(palettes, fields.get("animation"))
        if len(pixels) != len(fields["frames"]):
            raise DecryptionError
        frames = tuple(
            self._frame(samples, palettes, **frame)
            for samples, frame in zip(pixels, fields["frames"], strict=True)
        )
        if self._position != len(self._blobs) or not isinstance(fields["format"], str):
            raise ValueError
        return Picture(frames=frames, format=fields["format"], animation=animation)

    def _blob(self, length: int | None) -> bytes | None:
        if length is None:
            return None
        end = self._position + _count(length)
        blob = self._blobs[self._position : end]
        if len(blob) != length:
            raise ValueError
        self._position = end
        return blob

    def _palette(self, *, colors: int, alphas: int = 0, wide: bool = False) -> Palette:
        palette = Palette(
            colors=self._blob(colors) or b"", alphas=self._blob(alphas) or b"", wide=wide
        )
        if type(wide) is not bool or len(palette.colors) % (6 if wide else 3):
            raise ValueError
        return palette

    def _animation(
        self, palettes: list[Palette], fields: dict[str, Any] | None
    ) -> Animation | None:
        if fields is None:
            return None
        shared, background = fields.pop("palette", None), fields.pop("background", None)
        return Animation(
            **{name: _count(number) for name, number in fields.items()},
            background=self._blob(background),
            palette=None if shared is None else palettes[_count(shared)],
        )

    def _frame(
        self,
        pixels: AnyArray,
        palettes: list[Palette],
        *,
        shape: list[int],
        dtype: str,
        mode: Mode,
        bits: int | None = None,
        palette: int | None = None,
        transparent: list[int] | None = None,
        place: tuple[int, int] = (0, 0),
        showing: tuple[str, int, int] | None = None,
        metadata: dict[str, Any] | None = None,
    ) -> Frame:
        if (tuple(shape), dtype) != (pixels.shape, pixels.dtype.name):
            raise DecryptionError
        natural = NATURAL_MODES[_channels(pixels)]
        special = {"palette": "gray", "cmyk": "rgba"}
        if mode not in get_args(Mode) or special.get(mode, mode) != natural:
            raise ValueError
        if bits is not None and (_count(bits) not in (2, 4) or dtype != "uint8"):
            raise ValueError
        row, column = place
        return Frame(
            pixels=pixels,
            mode=mode,
            bits=bits,
            palette=None if palette is None else palettes[_count(palette)],
            transparent=None if transparent is None else tuple(map(_count, transparent)),
            row=_count(row),
            column=_count(column),
            showing=None if showing is None else _showing(*showing),
            metadata=Metadata() if metadata is None else self._metadata(**metadata),
        )

    def _metadata(
        self,
        *,
        resolution: tuple[str, str, Any] | None = None,
        texts: list[tuple[str, str]] | None = None,
        native: list[tuple[str, int]] | None = None,
        **blobs: int,
    ) -> Metadata:
        held = {name: self._blob(blobs.pop(name, None)) for name in _BLOB_FIELDS}
        if blobs:
            raise ValueError
        return Metadata(
            **held,
            resolution=None if resolution is None else _resolution(*resolution),
            texts=tuple((str(keyword), str(text)) for keyword, text in texts or ()),
            native=tuple((str(name), self._blob(size) or b"") for name, size in native or ()),
        )


def _present(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value not in (None, [])}


def _count(number: object) -> int:
    if type(number) is not int or not 0 <= number < 2**32:
        raise ValueError
    return number


def _fraction(text: str) -> Fraction:
    """Read a fraction as Python writes it; without bounds its size could take for ever."""
    if re.fullmatch(r"[0-9]{1,20}(/[0-9]{1,20})?", text) is None:
        raise ValueError
    return Fraction(text)


def _showing(duration: str, disposal: int, blend: int) -> Showing:
    return Showing(duration=_fraction(duration), disposal=_count(disposal), blend=_count(blend))


def _resolution(columns: str, rows: str, unit: Any) -> Resolution:
    if unit not in ("inch", "meter", None):
        raise ValueError
    return Resolution(columns=_fraction(columns), rows=_fraction(rows), unit=unit)
