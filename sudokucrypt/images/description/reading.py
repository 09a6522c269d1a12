"""Take a description apart, and refuse whatever is not in its one form."""

import json
import re
from fractions import Fraction
from typing import Any, Final, get_args

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
from sudokucrypt.images.description.writing import EarlierMetadata, EmbeddedFile
from sudokucrypt.typing import AnyArray

# All that nonsense can raise in the code that reads it; it becomes one refusal.
_FAULTS = (
    *(LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RecursionError),
    SudokucryptError,
)
# What versions before 1.2 said of a picture, and a frame of it, that is no plain still.
_LEFT: Final = {"animation": "an animation", "palettes": "a palette"}
_LEFT_OF_FRAME: Final = {
    "palette": "a palette",
    "bits": "samples of fewer than 8 bits",
    "transparent": "a transparent color",
    "place": "an animation",
    "showing": "an animation",
}
_READABLE: Final = ("exif", "icc", "resolution", "xmp")


def described(pixels: AnyArray, description: bytes) -> writing.PictureRecord:
    """Return what `describe` made this description from, with the samples at hand.

    Raises `FormatError` or `DecryptionError` if the description has any other form, or the samples
    are not those that were described; and `UnsupportedVersionError` if it is of a picture that only
    earlier versions restore.

    Parameters
    ----------
    pixels : ndarray
        The restored samples.
    description : bytes
        The description, from `describe`.
    """
    try:
        record = _RecordReader(description).read(pixels)
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


def blank_samples(description: bytes) -> AnyArray:
    """Return samples of the described shape and type that are all zero and take no memory.

    With them `described` reads a description without the samples. `FormatError` is raised if the
    description names no samples, and `UnsupportedVersionError` as for `described`.

    Parameters
    ----------
    description : bytes
        The description, from `describe`.
    """
    try:
        return _RecordReader(description).blank()
    except UnsupportedVersionError:
        raise
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
        frames = self._fields["frames"]
        left = [what for name, what in _LEFT.items() if name in self._fields]
        left += ["several pages"] if len(frames) > 1 else []
        left += [what for name, what in _LEFT_OF_FRAME.items() if name in frames[0]]
        if left:
            raise made_earlier(left[0])
        (self._frame,) = frames

    def read(self, pixels: AnyArray) -> writing.PictureRecord:
        fields, frame = self._fields, self._frame
        # In the order of writing: each blob takes the next bytes.
        preview = self._blob(fields.get("preview"))
        structure = self._blob(fields.get("structure"))
        picture, texts, native = self._picture(pixels, format=fields["format"], **frame)
        if self._blobs[self._position :].strip(b"\0"):
            raise ValueError
        readable = _readable(picture.metadata, fields.get("readable", []))
        file, earlier = _file(picture, fields.get("file")), EarlierMetadata(readable, texts, native)
        if file is not None and earlier != EarlierMetadata():
            raise ValueError
        return writing.PictureRecord(
            picture=picture, file=file, preview=preview, structure=structure, earlier=earlier
        )

    def blank(self) -> AnyArray:
        frame = self._frame
        # NumPy parses other texts as descriptions of structures, with errors of its own.
        if frame["dtype"] not in p.SAMPLE_TYPES:
            raise ValueError
        array = np.broadcast_to(np.zeros((), dtype=frame["dtype"]), frame["shape"])
        if not array.size or array.ndim not in (2, 3):
            raise ValueError
        return array

    def _blob(self, length: int | None) -> bytes | None:
        if length is None:
            return None
        # A boolean is an integer too, and would be a second form of 0 and 1.
        if type(length) is not int or not 0 <= length < 2**32:
            raise ValueError
        end = self._position + length
        blob = self._blobs[self._position : end]
        if len(blob) != length:
            raise ValueError
        self._position = end
        return blob

    def _picture(
        self,
        pixels: AnyArray,
        *,
        format: str,  # noqa: A002 - the word for it everywhere in this package
        shape: list[int],
        dtype: str,
        mode: Any,
        metadata: dict[str, Any] | None = None,
    ) -> tuple[p.Picture, tuple[tuple[str, str], ...], tuple[tuple[str, bytes], ...]]:
        """Return the picture, and its texts and native metadata."""
        if (tuple(shape), dtype) != (pixels.shape, pixels.dtype.name):
            raise DecryptionError
        natural = p.NATURAL_MODES[p.channels(pixels)]
        known = mode in get_args(p.Mode) and isinstance(format, str)
        if not known or {"cmyk": "rgba"}.get(mode, mode) != natural:
            raise made_earlier("a palette") if mode == "palette" else ValueError
        kept, texts, native = self._metadata(**({} if metadata is None else metadata))
        return p.Picture(pixels=pixels, mode=mode, format=format, metadata=kept), texts, native

    def _metadata(
        self,
        *,
        resolution: tuple[str, str, Any] | None = None,
        texts: list[tuple[str, str]] | None = None,
        native: list[tuple[str, int]] | None = None,
        **blobs: int,
    ) -> tuple[p.Metadata, tuple[tuple[str, str], ...], tuple[tuple[str, bytes], ...]]:
        held = {name: self._blob(blobs.pop(name, None)) for name in writing.BLOB_FIELDS}
        if blobs:
            raise ValueError
        kept = p.Metadata(**held, resolution=resolution and _resolution(*resolution))
        return (
            kept,
            tuple((str(keyword), str(text)) for keyword, text in texts or ()),
            tuple((str(name), self._blob(size) or b"") for name, size in native or ()),
        )


def _readable(metadata: p.Metadata, names: list[str]) -> tuple[str, ...]:
    """Return which metadata have a cleartext copy, as versions before 1.2 could make one."""
    held = [name for name in _READABLE if getattr(metadata, name) is not None]
    if names != [name for name in held if name in names]:
        raise ValueError
    return tuple(names)


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
    same = picture.pixels.dtype.name == "uint8" and picture.pixels.shape == file.shape
    if picture.format != "PNG" or not same or not writing.is_plain(picture):
        raise ValueError
    return file


def _fraction(text: str) -> Fraction:
    """Read a fraction as Python writes it; without bounds its size could take for ever."""
    if re.fullmatch(r"[0-9]{1,20}(/[0-9]{1,20})?", text) is None:
        raise ValueError
    return Fraction(text)


def _resolution(columns: str, rows: str, unit: Any) -> p.Resolution:
    if unit not in ("inch", "meter", None):
        raise ValueError
    return p.Resolution(columns=_fraction(columns), rows=_fraction(rows), unit=unit)
