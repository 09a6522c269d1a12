"""Descriptions: the metadata of a picture as bytes, which its header holds encrypted.

::

    {"format": ..., "preview": ..., "frames": [{...}]} LF blobs zeros

The first line is ASCII JSON without spaces, what is absent left out. Where it says how many bytes
something has, these bytes are among the blobs, in the order of the line. Zeros fill up the last
256 bytes. docs/spec/pictures-v1.md defines all of it. Whatever is not in its one form is refused.

A file of any kind may be a picture too: its bytes are the samples of a gray frame of about 4:3.
"""

import json
import re
from dataclasses import dataclass, field
from math import isqrt
from typing import TYPE_CHECKING, Any, Final, get_args

import numpy as np

from sudokucrypt.errors import (
    DecryptionError,
    FormatError,
    InvalidParameterError,
    SudokucryptError,
    UnsupportedVersionError,
    made_earlier,
)
from sudokucrypt.images.picture import (
    NATURAL_MODES,
    SAMPLE_TYPES,
    Metadata,
    Mode,
    Picture,
    Resolution,
    channels,
)
from sudokucrypt.typing import AnyArray

if TYPE_CHECKING:
    from fractions import Fraction

# 256 GiB, far beyond what a picture holds: a size is checked before anything is made of it.
MAX_SIZE: Final = 1 << 38
_NAME_BYTES = 255
# What paths give a meaning, on any system, and what terminals and file systems do not take.
_FORBIDDEN = re.compile(r"[/\\:\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_TYPE = re.compile(r"[a-z0-9][a-z0-9.+-]{0,63}/[a-z0-9][a-z0-9.+-]{0,63}")
BLOB_FIELDS: Final = ("exif", "icc", "xmp")  # the metadata that are blobs
LINE_LIMIT: Final = 4 * 2**20  # most bytes of the line
PADDED: Final = 256  # the length of the encrypted_metadata is a multiple of this
# Most bytes of a preview.
PREVIEW_LIMIT: Final = 2**20


@dataclass(frozen=True, kw_only=True)
class EmbeddedFile:
    """The facts of a file that are sealed besides its bytes: name, size, type and time."""

    #: One component of a path, 1 to 255 bytes in UTF-8: no slash, backslash, colon or control
    #: character, and not ``.`` or ``..``.
    name: str
    size: int  #: Bytes, 0..2**38.
    #: Bytes with the zeros that hide the size, from `size` on; see `padded_size`.
    padded: int | None = None
    type: str | None = None  #: Its media type in lower case, such as ``image/jpeg``.
    #: When it was last changed, in nanoseconds since the start of 1970 (UTC).
    time: int | None = None

    def __post_init__(self) -> None:
        whole = not _FORBIDDEN.search(self.name) and self.name not in (".", "..")
        if not whole or not 1 <= len(self.name.encode()) <= _NAME_BYTES:
            raise InvalidParameterError("this name of a file cannot be kept")
        if not 0 <= self.size <= MAX_SIZE:
            raise InvalidParameterError(f"a file has at most {MAX_SIZE} bytes")
        if self.padded is not None and not self.size <= self.padded <= MAX_SIZE:
            raise InvalidParameterError("a file is padded to its size or more")
        if self.type is not None and not _TYPE.fullmatch(self.type):
            raise InvalidParameterError("this is not a media type in lower case")
        if self.time is not None and not -(2**63) <= self.time < 2**63:
            raise InvalidParameterError("this time is out of range")

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the picture: the smallest of its kind that has room for the file."""
        room = self.size if self.padded is None else self.padded
        columns = max(1, isqrt(4 * room // 3))
        while -(-3 * columns // 4) * columns < room:
            columns += 1
        return -(-3 * columns // 4), columns


def padded_size(size: int) -> int:
    """Return a size of a file, rounded up so that it says little: by at most 12 %.

    This is Padmé: as many of the last bits are zero as leave log2(log2(size)) bits to differ.
    Source: Nikitin et al., Reducing Metadata Leakage from Encrypted Files and Communication with
    PURBs, 2019, doi:10.2478/popets-2019-0056, section 4.

    Parameters
    ----------
    size : int
        The size in bytes, 0 or more.

    Examples
    --------
    >>> padded_size(1_000_000)
    1015808
    """
    exponent = max(size, 2).bit_length() - 1
    low = exponent - exponent.bit_length()
    return -(-size >> low) << low if low > 0 else size


def kept_name(name: str) -> str:
    """Return the name of a file as an `EmbeddedFile` can have it: some characters become ``_``.

    Parameters
    ----------
    name : str
        The name of the file.

    Examples
    --------
    >>> kept_name("12:30.jpg")
    '12_30.jpg'
    """
    cleaned = _FORBIDDEN.sub("_", name).encode()[:_NAME_BYTES].decode(errors="ignore")
    return cleaned if cleaned not in ("", ".", "..") else "_"


def embed(data: bytes, file: EmbeddedFile) -> AnyArray:
    """Return the samples of the picture of a file: its bytes, then zeros.

    Parameters
    ----------
    data : bytes
        The bytes of the file.
    file : EmbeddedFile
        Its size and name.
    """
    if len(data) != file.size:
        raise InvalidParameterError(f"the file has {len(data)} bytes, not {file.size}")
    pixels = np.zeros(file.shape, dtype=np.uint8)
    pixels.reshape(-1)[: len(data)] = np.frombuffer(data, dtype=np.uint8)
    return pixels


def extract(pixels: AnyArray, file: EmbeddedFile) -> memoryview:
    """Return the bytes of a file from its picture; the samples after them must be zero.

    Parameters
    ----------
    pixels : ndarray of uint8
        The samples of the picture.
    file : EmbeddedFile
        The size and name of the file.
    """
    flat = np.ascontiguousarray(pixels).reshape(-1)
    if flat[file.size :].any():
        raise DecryptionError
    return flat[: file.size].data


@dataclass(frozen=True)
class EarlierMetadata:
    """Metadata that only versions before 1.2 sealed: they are read, but not restored or written."""

    #: Which of the metadata have a cleartext copy in the file.
    readable: tuple[str, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    native: tuple[tuple[str, bytes], ...] = ()

    def names(self) -> tuple[str, ...]:
        """Return the names, as people have them, of the metadata that are there."""
        return ("text",) * bool(self.texts) + ("other data",) * bool(self.native)


@dataclass(frozen=True, kw_only=True, eq=False)
class PictureRecord:
    """A picture, and the facts of it that are sealed besides its samples.

    The samples may be those of a `file`. The `preview` is a small WebP file for viewers that have
    the key, at most `PREVIEW_LIMIT` bytes; `InvalidParameterError` is raised where it is anything
    else. A JPEG that stays one has a `structure`, all of the file but its coefficients.
    """

    picture: Picture
    file: EmbeddedFile | None = None
    preview: bytes | None = None
    structure: bytes | None = None
    earlier: EarlierMetadata = field(default_factory=EarlierMetadata)

    def __post_init__(self) -> None:
        data = self.preview
        webp = data is None or (data[:4], data[8:12]) == (b"RIFF", b"WEBP")
        if not webp or len(data or b"") > PREVIEW_LIMIT:
            raise InvalidParameterError(
                f"a preview must be a WebP file of at most {PREVIEW_LIMIT} bytes"
            )


def describe(record: PictureRecord) -> bytes | None:
    """Return the description of a picture, or None if nothing is known besides its samples.

    Parameters
    ----------
    record : Picture or EmbeddedFile
        The picture, or the file whose bytes are its samples.
    """
    sealed = record.file or record.preview or record.structure or record.earlier.names()
    return _RecordWriter().write(record) if sealed or not is_plain(record.picture) else None


def is_plain(picture: Picture) -> bool:
    """Return whether a picture is what its samples are when nothing is said of them."""
    return not picture.metadata and picture.mode == NATURAL_MODES[channels(picture.pixels)]


class _RecordWriter:
    def __init__(self) -> None:
        self._blobs: list[bytes] = []

    def write(self, record: PictureRecord) -> bytes:
        picture, file = record.picture, record.file
        time = None if file is None or file.time is None else str(file.time)
        # Blobs are collected while the fields are made: this order is that of the file.
        fields = _list_present(
            format=picture.format,
            file=file and _list_present(**vars(file) | {"time": time}),
            preview=self._get_blob(record.preview),
            structure=self._get_blob(record.structure),
            readable=list(record.earlier.readable),
            frames=[
                _list_present(
                    shape=picture.pixels.shape,
                    dtype=picture.pixels.dtype.name,
                    mode=picture.mode,
                    metadata=self._parse_metadata(picture.metadata, record.earlier) or None,
                )
            ],
        )
        line = json.dumps(fields, separators=(",", ":")).encode("ascii")
        data = b"".join([line, b"\n", *self._blobs])
        return data + bytes(-len(data) % PADDED)

    def _get_blob(self, data: bytes | None) -> int | None:
        if data is not None:
            self._blobs.append(data)
        return None if data is None else len(data)

    def _parse_metadata(self, metadata: Metadata, earlier: EarlierMetadata) -> dict[str, Any]:
        record = metadata.resolution
        return _list_present(
            **{name: self._get_blob(getattr(metadata, name)) for name in BLOB_FIELDS},
            resolution=record and (str(record.columns), str(record.rows), record.unit),
            texts=earlier.texts or None,
            native=[(name, self._get_blob(data)) for name, data in earlier.native] or None,
        )


def _list_present(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value not in (None, [])}


# All that nonsense can raise in the code that reads it; it becomes one refusal.
_FAULTS = (
    *(LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RecursionError),
    SudokucryptError,
)
# What versions before 1.2 said of a picture, and a frame of it, that is not a plain still.
_LEFT: Final = {"animation": "an animation", "palettes": "a palette"}
_LEFT_OF_FRAME: Final = {
    "palette": "a palette",
    "bits": "samples of fewer than 8 bits",
    "transparent": "a transparent color",
    "place": "an animation",
    "showing": "an animation",
}
_READABLE: Final = ("exif", "icc", "resolution", "xmp")


def parse_description(pixels: AnyArray, description: bytes) -> PictureRecord:
    """Return the record from which `describe` made a description, given the samples.

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
        # The parsed record is written again and compared: only its canonical form is accepted.
        again = describe(record)
    except (DecryptionError, UnsupportedVersionError):
        raise
    except _FAULTS:
        again = None
    same = again is not None and description.startswith(again) and len(description) % PADDED == 0
    if again is None or not same or description[len(again) :].strip(b"\0"):
        raise _fail_to_understand()
    return record


def blank_samples(description: bytes) -> AnyArray:
    """Return samples of the described shape and type that are all zero and take no memory.

    With them `parse_description` reads a description before the samples are restored. `FormatError`
    is raised if the description names no samples, and `UnsupportedVersionError` as for
    `parse_description`.

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
        raise _fail_to_understand() from None


def _fail_to_understand() -> FormatError:
    return FormatError("the header is damaged: its extras cannot be understood")


class _RecordReader:
    """Reads line and blobs; any fault in them raises one of Python's own errors."""

    def __init__(self, description: bytes) -> None:
        line, end, self._blobs = description.partition(b"\n")
        if not end or len(line) > LINE_LIMIT:
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

    def read(self, pixels: AnyArray) -> PictureRecord:
        fields, frame = self._fields, self._frame
        # In the order of writing: each blob takes the next bytes.
        preview = self._get_blob(fields.get("preview"))
        structure = self._get_blob(fields.get("structure"))
        picture, texts, native = self._parse_picture(pixels, format=fields["format"], **frame)
        if self._blobs[self._position :].strip(b"\0"):
            raise ValueError
        readable = _list_readable(picture.metadata, fields.get("readable", []))
        file, earlier = (
            _parse_file(picture, fields.get("file")),
            EarlierMetadata(readable, texts, native),
        )
        if file is not None and earlier != EarlierMetadata():
            raise ValueError
        return PictureRecord(
            picture=picture, file=file, preview=preview, structure=structure, earlier=earlier
        )

    def blank(self) -> AnyArray:
        frame = self._frame
        # NumPy parses other texts as descriptions of structures, with errors of its own.
        if frame["dtype"] not in SAMPLE_TYPES:
            raise ValueError
        array = np.broadcast_to(np.zeros((), dtype=frame["dtype"]), frame["shape"])
        if not array.size or array.ndim not in (2, 3):
            raise ValueError
        return array

    def _get_blob(self, length: int | None) -> bytes | None:
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

    def _parse_picture(
        self,
        pixels: AnyArray,
        *,
        format: str,  # noqa: A002 - the word for it everywhere in this package
        shape: list[int],
        dtype: str,
        mode: Any,
        metadata: dict[str, Any] | None = None,
    ) -> tuple[Picture, tuple[tuple[str, str], ...], tuple[tuple[str, bytes], ...]]:
        """Return the picture, and its texts and native metadata."""
        if (tuple(shape), dtype) != (pixels.shape, pixels.dtype.name):
            raise DecryptionError
        natural = NATURAL_MODES[channels(pixels)]
        known = mode in get_args(Mode) and isinstance(format, str)
        if not known or {"cmyk": "rgba"}.get(mode, mode) != natural:
            raise made_earlier("a palette") if mode == "palette" else ValueError
        kept, texts, native = self._parse_metadata(**({} if metadata is None else metadata))
        return Picture(pixels=pixels, mode=mode, format=format, metadata=kept), texts, native

    def _parse_metadata(
        self,
        *,
        resolution: tuple[str, str, Any] | None = None,
        texts: list[tuple[str, str]] | None = None,
        native: list[tuple[str, int]] | None = None,
        **blobs: int,
    ) -> tuple[Metadata, tuple[tuple[str, str], ...], tuple[tuple[str, bytes], ...]]:
        held = {name: self._get_blob(blobs.pop(name, None)) for name in BLOB_FIELDS}
        if blobs:
            raise ValueError
        kept = Metadata(**held, resolution=resolution and _parse_resolution(*resolution))
        return (
            kept,
            tuple((str(keyword), str(text)) for keyword, text in texts or ()),
            tuple((str(name), self._get_blob(size) or b"") for name, size in native or ()),
        )


def _list_readable(metadata: Metadata, names: list[str]) -> tuple[str, ...]:
    """Return which metadata have a cleartext copy, as versions before 1.2 could make one."""
    held = [name for name in _READABLE if getattr(metadata, name) is not None]
    if names != [name for name in held if name in names]:
        raise ValueError
    return tuple(names)


def _parse_file(picture: Picture, fields: dict[str, Any] | None) -> EmbeddedFile | None:
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
    if picture.format != "PNG" or not same or not is_plain(picture):
        raise ValueError
    return file


def _parse_fraction(text: str) -> "Fraction":
    """Read a fraction as Python writes it; without bounds its size could take for ever."""
    if re.fullmatch(r"[0-9]{1,20}(/[0-9]{1,20})?", text) is None:
        raise ValueError
    from fractions import Fraction

    return Fraction(text)


def _parse_resolution(columns: str, rows: str, unit: Any) -> Resolution:
    if unit not in ("inch", "meter", None):
        raise ValueError
    return Resolution(columns=_parse_fraction(columns), rows=_parse_fraction(rows), unit=unit)
