"""Take a description apart, and refuse whatever is not in its one form."""

import json
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, get_args

import numpy as np

from sudokucrypt.errors import (
    DecryptionError,
    FormatError,
    SudokucryptError,
    UnsupportedVersionError,
    made_earlier,
)
from sudokucrypt.images import picture as p
from sudokucrypt.images.description import writing
from sudokucrypt.images.description.writing import EmbeddedFile
from sudokucrypt.typing import AnyArray

# The largest side of a PNG.
_MAX_SIDE = 2**31 - 1
# All that nonsense can raise in the code that reads it; it becomes one refusal.
_FAULTS = (
    *(LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RecursionError),
    SudokucryptError,
)


def described(frames: Sequence[p.Frame], description: bytes) -> writing.PictureRecord:
    """Return what `describe` made this description from, with the samples of the frames at hand.

    Raises `FormatError` or `DecryptionError` if the description has any other form, or the frames
    are not those that were described.
    """
    try:
        record = _RecordReader(description).read([frame.pixels for frame in frames])
        # What was read is written again: only the one form of a record is taken.
        again = writing.describe(record)
    except (DecryptionError, UnsupportedVersionError):
        raise
    except _FAULTS:
        again = None
    same = (
        again is not None
        and description.startswith(again)
        and len(description) % writing.PADDED == 0
    )
    if again is None or not same or description[len(again) :].strip(b"\0"):
        raise _not_understood()
    return record


def blank_frames(description: bytes) -> tuple[p.Frame, ...]:
    """Return frames of the described shapes and types that are all zero and take no memory.

    With them `described` reads a description without the samples. `FormatError` is raised if the
    description names no frames.
    """
    try:
        return tuple(map(p.Frame.plain, _RecordReader(description).blank()))
    except _FAULTS:
        raise _not_understood() from None


def _not_understood() -> FormatError:
    return FormatError("the header is damaged: its extras cannot be understood")


class _RecordReader:
    """Takes line and blobs apart; whatever is wrong raises one of Python's own errors."""

    def __init__(self, description: bytes) -> None:
        line, end, self._blobs = description.partition(b"\n")
        if not end or len(line) > writing.LINE_LIMIT:
            raise ValueError
        self._fields = json.loads(line.decode("ascii"))
        self._position = 0

    def read(self, pixels: list[AnyArray]) -> writing.PictureRecord:
        fields = self._fields
        if "readable" in fields:
            raise made_earlier("readable metadata")
        # In the order of writing: each blob takes the next bytes.
        preview = self._blob(fields.get("preview"))
        structure = self._blob(fields.get("structure"))
        palettes = [self._palette(**palette) for palette in fields.get("palettes", [])]
        animation = self._animation(palettes, fields.get("animation"))
        if len(pixels) != len(fields["frames"]):
            raise DecryptionError
        frames = tuple(
            self._frame(samples, palettes, **frame)
            for samples, frame in zip(pixels, fields["frames"], strict=True)
        )
        if self._blobs[self._position :].strip(b"\0") or not isinstance(fields["format"], str):
            raise ValueError
        picture = p.Picture(frames=frames, format=fields["format"], animation=animation)
        return writing.PictureRecord(
            picture=picture,
            file=_file(picture, fields.get("file")),
            preview=preview,
            structure=structure,
        )

    def blank(self) -> list[AnyArray]:
        frames = self._fields["frames"]
        # NumPy parses other texts as descriptions of structures, with errors of its own.
        if not all(frame["dtype"] in p.SAMPLE_TYPES for frame in frames):
            raise ValueError
        arrays = [
            np.broadcast_to(np.zeros((), dtype=frame["dtype"]), frame["shape"]) for frame in frames
        ]
        if not all(array.size and array.ndim in (2, 3) for array in arrays):
            raise ValueError
        return arrays

    def _blob(self, length: int | None) -> bytes | None:
        if length is None:
            return None
        end = self._position + _count(length)
        blob = self._blobs[self._position : end]
        if len(blob) != length:
            raise ValueError
        self._position = end
        return blob

    def _palette(self, *, colors: int, alphas: int = 0, wide: bool = False) -> p.Palette:
        palette = p.Palette(
            colors=self._blob(colors) or b"", alphas=self._blob(alphas) or b"", wide=wide
        )
        count, rest = divmod(len(palette.colors), 6 if wide else 3)
        if type(wide) is not bool or rest or len(palette.alphas) > count:
            raise ValueError
        return palette

    def _animation(
        self, palettes: list[p.Palette], fields: dict[str, Any] | None
    ) -> p.Animation | None:
        if fields is None:
            return None
        shared, background = fields.pop("palette", None), fields.pop("background", None)
        rows, columns = (_count(fields.pop(name), _MAX_SIDE) for name in ("rows", "columns"))
        return p.Animation(
            rows=rows,
            columns=columns,
            **{name: _count(value) for name, value in fields.items()},
            background=self._blob(background),
            palette=None if shared is None else palettes[_count(shared)],
        )

    def _frame(
        self,
        pixels: AnyArray,
        palettes: list[p.Palette],
        *,
        shape: list[int],
        dtype: str,
        mode: p.Mode,
        bits: int | None = None,
        palette: int | None = None,
        transparent: list[int] | None = None,
        place: tuple[int, int] = (0, 0),
        showing: tuple[str, int, int] | None = None,
        metadata: dict[str, Any] | None = None,
    ) -> p.Frame:
        if (tuple(shape), dtype) != (pixels.shape, pixels.dtype.name):
            raise DecryptionError
        natural = p.NATURAL_MODES[p.channels(pixels)]
        special = {"palette": "gray", "cmyk": "rgba"}
        narrow = bits is None or (_count(bits) in (2, 4) and dtype == "uint8")
        if mode not in get_args(p.Mode) or special.get(mode, mode) != natural or not narrow:
            raise ValueError
        row, column = place
        return p.Frame(
            pixels=pixels,
            mode=mode,
            bits=bits,
            palette=None if palette is None else palettes[_count(palette)],
            transparent=None if transparent is None else tuple(map(_count, transparent)),
            row=_count(row, _MAX_SIDE),
            column=_count(column, _MAX_SIDE),
            showing=None if showing is None else _showing(*showing),
            metadata=p.Metadata() if metadata is None else self._metadata(**metadata),
        )

    def _metadata(
        self,
        *,
        resolution: tuple[str, str, Any] | None = None,
        texts: list[tuple[str, str]] | None = None,
        native: list[tuple[str, int]] | None = None,
        **blobs: int,
    ) -> p.Metadata:
        held = {name: self._blob(blobs.pop(name, None)) for name in writing.BLOB_FIELDS}
        if blobs:
            raise ValueError
        return p.Metadata(
            **held,
            resolution=None if resolution is None else _resolution(*resolution),
            texts=tuple((str(keyword), str(text)) for keyword, text in texts or ()),
            native=tuple((str(name), self._blob(size) or b"") for name, size in native or ()),
        )


def _file(picture: p.Picture, fields: dict[str, Any] | None) -> EmbeddedFile | None:
    """Return the record of an enclosed file; the picture must be one of a file."""
    if fields is None:
        return None
    time = fields.pop("time", None)
    timed = time is None or re.fullmatch(r"0|-?[1-9][0-9]{0,18}", time)
    numbers = [fields["size"], fields.get("padded", 0)]
    if not timed or any(type(number) is not int for number in numbers):
        raise ValueError
    file = EmbeddedFile(**fields, time=None if time is None else int(time))
    alone = len(picture.frames) == 1 and picture.animation is None and picture.format == "PNG"
    same = picture.pixels.dtype.name == "uint8" and picture.pixels.shape == file.shape
    if not alone or not same or not writing.is_plain(picture.frames[0]):
        raise ValueError
    return file


def _count(value: object, most: int = 2**32 - 1) -> int:
    # A boolean is an integer too, and would be a second form of 0 and 1.
    if type(value) is not int or not 0 <= value <= most:
        raise ValueError
    return value


def _fraction(text: str) -> Fraction:
    """Read a fraction as Python writes it; without bounds its size could take for ever."""
    if re.fullmatch(r"[0-9]{1,20}(/[0-9]{1,20})?", text) is None:
        raise ValueError
    return Fraction(text)


def _showing(duration: str, disposal: int, blend: int) -> p.FrameControl:
    return p.FrameControl(
        duration=_fraction(duration), disposal=_count(disposal), blend=_count(blend)
    )


def _resolution(columns: str, rows: str, unit: Any) -> p.Resolution:
    if unit not in ("inch", "meter", None):
        raise ValueError
    return p.Resolution(columns=_fraction(columns), rows=_fraction(rows), unit=unit)
