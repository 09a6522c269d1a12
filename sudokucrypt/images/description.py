"""Descriptions: the metadata of a picture as bytes, which its header contains encrypted.

::

    {"format": ..., "preview": ..., "frames": [{...}]} LF blobs zeros

The first line is ASCII JSON without spaces and without absent fields. A field that is a size in
bytes stands for a blob of that size; the blobs follow in the order of these fields. Zeros pad the
whole to a multiple of 256 bytes. docs/spec/pictures-v1.md defines the format. Each description has
only one valid form; any other form of the same content is refused.

A file of any kind may be stored as a picture: its bytes are the samples of a gray frame whose sides
are about 4:3.
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
    make_version_error,
)
from sudokucrypt.images.picture import (
    DEFAULT_MODES,
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

# 256 GiB, far more than any picture has. A size is checked before memory is reserved for it.
MAX_FILE_BYTES: Final = 1 << 38
_MAX_NAME_BYTES = 255
# Characters that have a meaning in paths of some system, or that terminals or file systems refuse.
_FORBIDDEN_CHARACTER = re.compile(r"[/\\:\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_MEDIA_TYPE_PATTERN = re.compile(r"[a-z0-9][a-z0-9.+-]{0,63}/[a-z0-9][a-z0-9.+-]{0,63}")
BLOB_FIELDS: Final = ("exif", "icc", "xmp")  # the metadata that are stored as blobs
LINE_LIMIT: Final = 4 * 2**20  # maximum number of bytes of the line of JSON
PADDING_UNIT: Final = 256  # the length of a description in bytes is a multiple of this
PREVIEW_LIMIT: Final = 2**20  # maximum number of bytes of a preview


@dataclass(frozen=True, kw_only=True)
class EmbeddedFile:
    """Facts about an enclosed file that are encrypted with its bytes: name, size, type and time."""

    #: One component of a path, 1 to 255 bytes in UTF-8: no slash, backslash, colon or control
    #: character, and not ``.`` or ``..``.
    name: str
    size: int  #: Bytes, 0..2**38.
    #: Bytes including the zeros that hide the size, at least `size`; see `padded_size`.
    padded: int | None = None
    type: str | None = None  #: Its media type in lower case, such as ``image/jpeg``.
    #: When it was last changed, in nanoseconds since the start of 1970 (UTC).
    time: int | None = None

    def __post_init__(self) -> None:
        is_valid_name = not _FORBIDDEN_CHARACTER.search(self.name) and self.name not in (".", "..")
        if not is_valid_name or not 1 <= len(self.name.encode()) <= _MAX_NAME_BYTES:
            raise InvalidParameterError("the file name is empty, too long, or not allowed")
        if not 0 <= self.size <= MAX_FILE_BYTES:
            raise InvalidParameterError(f"a file has at most {MAX_FILE_BYTES} bytes")
        if self.padded is not None and not self.size <= self.padded <= MAX_FILE_BYTES:
            raise InvalidParameterError("the padded size must be at least the size of the file")
        if self.type is not None and not _MEDIA_TYPE_PATTERN.fullmatch(self.type):
            raise InvalidParameterError("the type of the file is not a media type in lower case")
        if self.time is not None and not -(2**63) <= self.time < 2**63:
            raise InvalidParameterError("the time of the file is out of range")

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the smallest gray picture of about 4:3 that can contain the file."""
        size = self.size if self.padded is None else self.padded
        columns = max(1, isqrt(4 * size // 3))
        while -(-3 * columns // 4) * columns < size:
            columns += 1
        return -(-3 * columns // 4), columns


def padded_size(size: int) -> int:
    """Return the size of a file rounded up by at most 12 %, to reveal little about the file.

    This is Padmé: the result has about log2(log2(size)) significant bits, and zeros after them.
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
    cleared_bits = exponent - exponent.bit_length()
    return -(-size >> cleared_bits) << cleared_bits if cleared_bits > 0 else size


def kept_name(name: str) -> str:
    """Return a valid name for an `EmbeddedFile`: each forbidden character becomes ``_``.

    Parameters
    ----------
    name : str
        The name of the file.

    Examples
    --------
    >>> kept_name("12:30.jpg")
    '12_30.jpg'
    """
    cleaned_name = (
        _FORBIDDEN_CHARACTER.sub("_", name).encode()[:_MAX_NAME_BYTES].decode(errors="ignore")
    )
    return cleaned_name if cleaned_name not in ("", ".", "..") else "_"


def embed(data: bytes, file: EmbeddedFile) -> AnyArray:
    """Return the samples of a picture that contains a file: the bytes of the file, then zeros.

    Parameters
    ----------
    data : bytes
        The bytes of the file.
    file : EmbeddedFile
        Its size and name.
    """
    if len(data) != file.size:
        raise InvalidParameterError(
            f"there are {len(data)} bytes, but the size of the file is {file.size}"
        )
    pixels = np.zeros(file.shape, dtype=np.uint8)
    pixels.reshape(-1)[: len(data)] = np.frombuffer(data, dtype=np.uint8)
    return pixels


def extract(pixels: AnyArray, file: EmbeddedFile) -> memoryview:
    """Return the bytes of the file that a picture contains.

    `DecryptionError` is raised if the samples after these bytes are not zero.

    Parameters
    ----------
    pixels : ndarray of uint8
        The samples of the picture.
    file : EmbeddedFile
        The size and name of the file.
    """
    sample_bytes = np.ascontiguousarray(pixels).reshape(-1)
    if sample_bytes[file.size :].any():
        raise DecryptionError
    return sample_bytes[: file.size].data


@dataclass(frozen=True)
class EarlierMetadata:
    """Metadata that only versions before 1.2 encrypted: they are read, but never restored."""

    #: The fields of `Metadata` that have a cleartext copy in the file.
    readable: tuple[str, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    native: tuple[tuple[str, bytes], ...] = ()

    def names(self) -> tuple[str, ...]:
        """Return the common names of the metadata that are present."""
        return ("text",) * bool(self.texts) + ("other data",) * bool(self.native)


@dataclass(frozen=True, kw_only=True, eq=False)
class PictureRecord:
    """A picture, and the facts about it that are encrypted with its samples.

    If a `file` is given, the samples are the bytes of that file. The `preview` is a small WebP for
    viewers that have the key; `InvalidParameterError` is raised if it is no WebP or has more than
    `PREVIEW_LIMIT` bytes. A JPEG that is protected as a JPEG has a `structure`: everything in the
    file except its coefficients.
    """

    picture: Picture
    file: EmbeddedFile | None = None
    preview: bytes | None = None
    structure: bytes | None = None
    earlier: EarlierMetadata = field(default_factory=EarlierMetadata)

    def __post_init__(self) -> None:
        data = self.preview
        is_webp = data is None or (data[:4], data[8:12]) == (b"RIFF", b"WEBP")
        if not is_webp or len(data or b"") > PREVIEW_LIMIT:
            raise InvalidParameterError(
                f"a preview must be a WebP file of at most {PREVIEW_LIMIT} bytes"
            )


def describe(record: PictureRecord) -> bytes | None:
    """Return the description of a picture, or None if nothing is known except its samples.

    Parameters
    ----------
    record : PictureRecord
        The picture and the facts about it.
    """
    has_extra_facts = record.file or record.preview or record.structure or record.earlier.names()
    return (
        _RecordWriter().write(record) if has_extra_facts or not is_plain(record.picture) else None
    )


def is_plain(picture: Picture) -> bool:
    """Return whether a picture has no metadata, and the usual mode for its number of channels."""
    return not picture.metadata and picture.mode == DEFAULT_MODES[channels(picture.pixels)]


class _RecordWriter:
    def __init__(self) -> None:
        self._blobs: list[bytes] = []

    def write(self, record: PictureRecord) -> bytes:
        picture, file = record.picture, record.file
        time = None if file is None or file.time is None else str(file.time)
        # The order of these fields is the order of the blobs, which `_add_blob` collects.
        fields = _list_present_fields(
            format=picture.format,
            file=file and _list_present_fields(**vars(file) | {"time": time}),
            preview=self._add_blob(record.preview),
            structure=self._add_blob(record.structure),
            readable=list(record.earlier.readable),
            frames=[
                _list_present_fields(
                    shape=picture.pixels.shape,
                    dtype=picture.pixels.dtype.name,
                    mode=picture.mode,
                    metadata=self._list_metadata(picture.metadata, record.earlier) or None,
                )
            ],
        )
        line = json.dumps(fields, separators=(",", ":")).encode("ascii")
        data = b"".join([line, b"\n", *self._blobs])
        return data + bytes(-len(data) % PADDING_UNIT)

    def _add_blob(self, data: bytes | None) -> int | None:
        """Add a blob, and return its size."""
        if data is not None:
            self._blobs.append(data)
        return None if data is None else len(data)

    def _list_metadata(
        self, metadata: Metadata, earlier_metadata: EarlierMetadata
    ) -> dict[str, Any]:
        stored_resolution = metadata.resolution
        return _list_present_fields(
            **{name: self._add_blob(getattr(metadata, name)) for name in BLOB_FIELDS},
            resolution=stored_resolution
            and (
                str(stored_resolution.columns),
                str(stored_resolution.rows),
                stored_resolution.unit,
            ),
            texts=earlier_metadata.texts or None,
            native=[(name, self._add_blob(data)) for name, data in earlier_metadata.native] or None,
        )


def _list_present_fields(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value not in (None, [])}


# All exceptions that invalid data can raise in the code that reads it. They are reported as
# `FormatError`.
_PARSING_ERRORS = (
    *(LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RecursionError),
    SudokucryptError,
)
# Fields of a picture, and of a frame, that only versions before 1.2 wrote, and their meaning.
_EARLIER_FIELDS: Final = {"animation": "an animation", "palettes": "a palette"}
_EARLIER_FRAME_FIELDS: Final = {
    "palette": "a palette",
    "bits": "samples of fewer than 8 bits",
    "transparent": "a transparent color",
    "place": "an animation",
    "showing": "an animation",
}
_READABLE_FIELDS: Final = ("exif", "icc", "resolution", "xmp")


def parse_description(pixels: AnyArray, description: bytes) -> PictureRecord:
    """Return the record from which `describe` made a description, given the samples.

    Raises `FormatError` if the description is invalid, `DecryptionError` if it describes other
    samples, and `UnsupportedVersionError` if only earlier versions restore such a picture.

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
        canonical_form = describe(record)
    except (DecryptionError, UnsupportedVersionError):
        raise
    except _PARSING_ERRORS:
        canonical_form = None
    if (
        canonical_form is None
        or not description.startswith(canonical_form)
        or len(description) % PADDING_UNIT
        or description[len(canonical_form) :].strip(b"\0")
    ):
        raise _make_damage_error()
    return record


def blank_samples(description: bytes) -> AnyArray:
    """Return samples of the described shape and type that are all zero and take no memory.

    `parse_description` needs them to read a description before the true samples are restored.

    Raises `FormatError` if the description is invalid, and `UnsupportedVersionError` if only
    earlier versions restore such a picture.

    Parameters
    ----------
    description : bytes
        The description, from `describe`.
    """
    try:
        return _RecordReader(description).make_blank_image()
    except UnsupportedVersionError:
        raise
    except _PARSING_ERRORS:
        raise _make_damage_error() from None


def _make_damage_error() -> FormatError:
    return FormatError("the header is damaged: its extras cannot be understood")


class _RecordReader:
    """Reads the line of JSON and the blobs of a description.

    Any fault in them raises one of `_PARSING_ERRORS`.
    """

    def __init__(self, description: bytes) -> None:
        line, line_end, self._blobs = description.partition(b"\n")
        if not line_end or len(line) > LINE_LIMIT:
            raise ValueError
        self._fields = json.loads(line.decode("ascii"))
        self._position = 0
        frames = self._fields["frames"]
        kinds = [kind for name, kind in _EARLIER_FIELDS.items() if name in self._fields]
        kinds += ["several pages"] if len(frames) > 1 else []
        kinds += [kind for name, kind in _EARLIER_FRAME_FIELDS.items() if name in frames[0]]
        if kinds:
            raise make_version_error(kinds[0])
        (self._frame_fields,) = frames

    def read(self, pixels: AnyArray) -> PictureRecord:
        fields, frame = self._fields, self._frame_fields
        # Blobs are read in the order of writing, since each begins where the previous one ends.
        preview = self._take_blob(fields.get("preview"))
        structure = self._take_blob(fields.get("structure"))
        picture, texts, native_metadata = self._parse_picture(
            pixels, format=fields["format"], **frame
        )
        if self._blobs[self._position :].strip(b"\0"):
            raise ValueError
        readable_names = _check_readable_names(picture.metadata, fields.get("readable", []))
        file, earlier_metadata = (
            _parse_file(picture, fields.get("file")),
            EarlierMetadata(readable_names, texts, native_metadata),
        )
        if file is not None and earlier_metadata != EarlierMetadata():
            raise ValueError
        return PictureRecord(
            picture=picture,
            file=file,
            preview=preview,
            structure=structure,
            earlier=earlier_metadata,
        )

    def make_blank_image(self) -> AnyArray:
        frame = self._frame_fields
        # NumPy would parse other texts as structured types, and raise errors of its own.
        if frame["dtype"] not in SAMPLE_TYPES:
            raise ValueError
        array = np.broadcast_to(np.zeros((), dtype=frame["dtype"]), frame["shape"])
        if not array.size or array.ndim not in (2, 3):
            raise ValueError
        return array

    def _take_blob(self, length: int | None) -> bytes | None:
        if length is None:
            return None
        # In Python a boolean is an integer, and would be a second form of 0 and 1.
        if type(length) is not int or not 0 <= length < 2**32:
            raise ValueError
        blob_end = self._position + length
        blob = self._blobs[self._position : blob_end]
        if len(blob) != length:
            raise ValueError
        self._position = blob_end
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
        """Return the picture, and its texts and native metadata from earlier versions."""
        if (tuple(shape), dtype) != (pixels.shape, pixels.dtype.name):
            raise DecryptionError
        default_mode = DEFAULT_MODES[channels(pixels)]
        is_known_mode = mode in get_args(Mode) and isinstance(format, str)
        if not is_known_mode or {"cmyk": "rgba"}.get(mode, mode) != default_mode:
            raise make_version_error("a palette") if mode == "palette" else ValueError
        parsed_metadata, texts, native_metadata = self._parse_metadata(
            **({} if metadata is None else metadata)
        )
        return (
            Picture(pixels=pixels, mode=mode, format=format, metadata=parsed_metadata),
            texts,
            native_metadata,
        )

    def _parse_metadata(
        self,
        *,
        resolution: tuple[str, str, Any] | None = None,
        texts: list[tuple[str, str]] | None = None,
        native: list[tuple[str, int]] | None = None,
        **blob_sizes: int,
    ) -> tuple[Metadata, tuple[tuple[str, str], ...], tuple[tuple[str, bytes], ...]]:
        fields = {name: self._take_blob(blob_sizes.pop(name, None)) for name in BLOB_FIELDS}
        if blob_sizes:
            raise ValueError
        parsed_resolution = None if resolution is None else _parse_resolution(*resolution)
        return (
            Metadata(**fields, resolution=parsed_resolution),
            tuple((str(keyword), str(text)) for keyword, text in texts or ()),
            tuple((str(name), self._take_blob(size) or b"") for name, size in native or ()),
        )


def _check_readable_names(metadata: Metadata, names: list[str]) -> tuple[str, ...]:
    """Return the names of metadata with a cleartext copy, which versions before 1.2 could make.

    `ValueError` is raised if they are out of order, or one of these metadata is absent.
    """
    present_names = [name for name in _READABLE_FIELDS if getattr(metadata, name) is not None]
    if names != [name for name in present_names if name in names]:
        raise ValueError
    return tuple(names)


def _parse_file(picture: Picture, fields: dict[str, Any] | None) -> EmbeddedFile | None:
    """Return the facts about a file in a picture, or None; `ValueError` if they are invalid."""
    if fields is None:
        return None
    time = fields.pop("time", None)
    is_valid_time = time is None or re.fullmatch(r"0|-?[1-9][0-9]{0,18}", time)
    numbers = [fields["size"], fields.get("padded", 0)]
    if not is_valid_time or any(type(number) is not int for number in numbers):
        raise ValueError
    file = EmbeddedFile(**fields, time=None if time is None else int(time))
    is_file_frame = picture.pixels.dtype.name == "uint8" and picture.pixels.shape == file.shape
    if picture.format != "PNG" or not is_file_frame or not is_plain(picture):
        raise ValueError
    return file


def _parse_fraction(text: str) -> "Fraction":
    """Parse a fraction as `str(Fraction)` writes it; long numbers, slow to reduce, are refused."""
    if re.fullmatch(r"[0-9]{1,20}(/[0-9]{1,20})?", text) is None:
        raise ValueError
    from fractions import Fraction

    return Fraction(text)


def _parse_resolution(columns: str, rows: str, unit: Any) -> Resolution:
    if unit not in ("inch", "meter", None):
        raise ValueError
    return Resolution(columns=_parse_fraction(columns), rows=_parse_fraction(rows), unit=unit)
