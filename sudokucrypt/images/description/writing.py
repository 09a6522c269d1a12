"""Put the meaning of a picture into a line, blobs and padding.

A file of any kind may be a picture too: its bytes are the samples of a gray frame of about 4:3.
"""

import json
import re
from dataclasses import dataclass, field
from math import isqrt
from typing import Any, Final

import numpy as np

from sudokucrypt.errors import DecryptionError, InvalidParameterError
from sudokucrypt.images.picture import NATURAL_MODES, Metadata, Picture, channels
from sudokucrypt.typing import AnyArray

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
    """What is known of a file besides its bytes."""

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
    """Return the bytes of a file from its picture, if the samples behind them are zero.

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
    """What versions before 1.2 sealed besides, which is read, but neither restored nor written."""

    #: Which of the metadata have a cleartext copy in the file.
    readable: tuple[str, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    native: tuple[tuple[str, bytes], ...] = ()

    def names(self) -> tuple[str, ...]:
        """Return what people call the things that are there."""
        return ("text",) * bool(self.texts) + ("other data",) * bool(self.native)


@dataclass(frozen=True, kw_only=True, eq=False)
class PictureRecord:
    """A picture with what its description says of it.

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
    """Return the description of a picture, or none if its samples speak for themselves.

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
        fields = _present(
            format=picture.format,
            file=file and _present(**vars(file) | {"time": time}),
            preview=self._blob(record.preview),
            structure=self._blob(record.structure),
            readable=list(record.earlier.readable),
            frames=[
                _present(
                    shape=picture.pixels.shape,
                    dtype=picture.pixels.dtype.name,
                    mode=picture.mode,
                    metadata=self._metadata(picture.metadata, record.earlier) or None,
                )
            ],
        )
        line = json.dumps(fields, separators=(",", ":")).encode("ascii")
        data = b"".join([line, b"\n", *self._blobs])
        return data + bytes(-len(data) % PADDED)

    def _blob(self, data: bytes | None) -> int | None:
        if data is not None:
            self._blobs.append(data)
        return None if data is None else len(data)

    def _metadata(self, metadata: Metadata, earlier: EarlierMetadata) -> dict[str, Any]:
        record = metadata.resolution
        return _present(
            **{name: self._blob(getattr(metadata, name)) for name in BLOB_FIELDS},
            resolution=record and (str(record.columns), str(record.rows), record.unit),
            texts=earlier.texts or None,
            native=[(name, self._blob(data)) for name, data in earlier.native] or None,
        )


def _present(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value not in (None, [])}
