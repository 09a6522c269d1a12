"""Store the encrypted layers of a redaction in a PNG or JPEG, outside its picture.

::

    PNG: a chunk suRd | JPEG: segments APP11, numbered

The modules of formats are imported inside functions: a search needs only the module of one format.
"""

import os
import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import BinaryIO, Final

from sudokucrypt.errors import FormatError, InvalidImageError, make_version_error
from sudokucrypt.images import driver as formats
from sudokucrypt.images.driver import Source

# Ancillary, private and safe to copy: editors that do not know the chunk keep it.
_CHUNK_KIND: Final = b"suRd"
_GIF_APPLICATION: Final = b"\x0bSUDOKURDCT1"
_REDACTION_MARK: Final = b"sudokucrypt redaction\0"
_APP11_MARKER: Final = 0xEB
# The number of a segment, and the count of segments.
_SEGMENT_NUMBERING: Final = struct.Struct(">HH")
_PNG_END_BYTES: Final = 12  # size of the IEND chunk in bytes


def add_attachment(data: bytes, attachment: bytes) -> bytes:
    """Return a copy of a PNG or JPEG with an attachment of at least one byte.

    The PNG or JPEG must have been written by this package, and have no attachment.
    """
    return _ATTACHMENT_FUNCTIONS[_get_format_name(data)][0](data, attachment)


def find_attachment(data: bytes, name: str = "the picture") -> bytes | None:
    """Return the attachment that `add_attachment` put into a file, or None if the file has none.

    Raises `FormatError` if the file has several attachments, or parts of one are missing;
    `InvalidImageError` if the file is damaged before the attachment; and `UnsupportedVersionError`
    if the file is a redaction in a format that only earlier versions wrote.
    """
    name_of_format = _get_format_name(data)
    functions = _ATTACHMENT_FUNCTIONS.get(name_of_format)
    if functions is None:
        if name_of_format in _EARLIER_FORMAT_TESTS and _EARLIER_FORMAT_TESTS[name_of_format](data):
            raise make_version_error(f"a {name_of_format} result")
        return None
    attachments = list(functions[1](Source(data, name, 0)))
    if len(attachments) > 1:
        raise FormatError(
            f"'{name}' contains the layers of {len(attachments)} redactions, not of one"
        )
    return attachments[0] if attachments else None


def _get_format_name(data: bytes) -> str:
    driver = formats.known_format(data)
    return "" if driver is None else driver.name


def _attach_to_png(data: bytes, attachment: bytes) -> bytes:
    from sudokucrypt.images.png import file as png

    chunk = b"".join(png.assemble_file([(_CHUNK_KIND, attachment)]))[len(png.SIGNATURE) :]
    return data[:-_PNG_END_BYTES] + chunk + data[-_PNG_END_BYTES:]


def _read_png_attachments(source: Source) -> Iterator[bytes]:
    from sudokucrypt.images.png import file as png

    for kind, body in png.walk_chunks(source):
        if kind == png.WRONG_CHECKSUM_KIND:
            raise source.report_damage("one of its chunks has a wrong checksum")
        if kind == _CHUNK_KIND:
            yield bytes(body)


def _attach_to_jpeg(data: bytes, attachment: bytes) -> bytes:
    from sudokucrypt.images.jpeg import file as jpeg

    size = jpeg.MAX_BODY_BYTES - len(_REDACTION_MARK) - _SEGMENT_NUMBERING.size
    parts = [attachment[start : start + size] for start in range(0, len(attachment), size)]
    if len(parts) > 0xFFFF:
        raise FormatError("the layers do not fit into a JPEG", hint="write them to a sidecar")
    segment_bodies = (
        _REDACTION_MARK + _SEGMENT_NUMBERING.pack(n, len(parts)) + part
        for n, part in enumerate(parts)
    )
    segment_bytes = b"".join(
        jpeg.Segment(_APP11_MARKER, body).to_bytes() for body in segment_bodies
    )
    # The position is after a JFIF segment, which must be the first segment of a file.
    position = 2 + (2 + int.from_bytes(data[4:6], "big")) * (data[2:4] == b"\xff\xe0")
    return data[:position] + segment_bytes + data[position:]


def _read_jpeg_attachments(source: Source) -> Iterator[bytes]:
    from sudokucrypt.images.jpeg import file as jpeg

    numbered_pieces: list[bytes] = []
    for segment in jpeg.walk_segments(source, with_scans=False):
        body = bytes(segment.body)
        if segment.marker == _APP11_MARKER and body.startswith(_REDACTION_MARK):
            numbered_pieces.append(body[len(_REDACTION_MARK) :])
    numbers = [
        _SEGMENT_NUMBERING.pack(n, len(numbered_pieces)) for n in range(len(numbered_pieces))
    ]
    if [piece[: _SEGMENT_NUMBERING.size] for piece in numbered_pieces] != numbers:
        raise FormatError(f"'{source.name}' lacks some of the segments that hold its layers")
    if numbered_pieces:
        yield b"".join(piece[_SEGMENT_NUMBERING.size :] for piece in numbered_pieces)


def _has_layers_in_webp(data: bytes) -> bool:
    """Return whether a WebP has the chunk in which earlier versions stored the layers."""
    from sudokucrypt.images.foreign.codestreams import walk_webp_chunks

    with suppress(InvalidImageError):  # a damaged file has no layers
        return any(
            kind == _CHUNK_KIND for kind, _ in walk_webp_chunks(Source(data, "the picture", 0))
        )
    return False


# For each format, the function that stores an attachment, and the one that yields all attachments.
_ATTACHMENT_FUNCTIONS: Final[
    dict[str, tuple[Callable[[bytes, bytes], bytes], Callable[[Source], Iterator[bytes]]]]
] = {
    "PNG": (_attach_to_png, _read_png_attachments),
    "JPEG": (_attach_to_jpeg, _read_jpeg_attachments),
}

# For each format that only earlier versions redacted, a function that tells whether a file of
# the format has the layers of a redaction.
_EARLIER_FORMAT_TESTS: Final[dict[str, Callable[[bytes], bool]]] = {
    "WebP": _has_layers_in_webp,
    "GIF": lambda data: _GIF_APPLICATION in data,
    "TIFF": lambda data: data.endswith(_REDACTION_MARK),
}


_PNG_START: Final = b"\x89PNG\r\n\x1a\n"
_JPEG_START: Final = b"\xff\xd8\xff"
_SCAN_MARKER: Final = b"\xff\xda"
# The maximum number of chunks or segments that are examined: a hostile file may have millions.
_MAX_PARTS: Final = 2**14


def may_have_attachment(file: BinaryIO) -> bool:
    """Return whether an open file may have an attachment, without reading all of it.

    Only the names of chunks and segments are read, so that a folder of photographs is searched in a
    moment. The result is True for a file that is neither PNG nor JPEG, or has an unusual structure.
    """
    file_start = file.read(len(_PNG_START))
    if file_start == _PNG_START:
        return _may_have_png_attachment(file)
    if file_start.startswith(_JPEG_START):
        file.seek(len(_JPEG_START) - 1)
        return _may_have_jpeg_attachment(file)
    return True


def _may_have_png_attachment(file: BinaryIO) -> bool:
    for _ in range(_MAX_PARTS):
        chunk_head = file.read(8)
        if len(chunk_head) < 8:
            return False
        if chunk_head[4:] == _CHUNK_KIND:
            return True
        # The CRC follows the data.
        file.seek(int.from_bytes(chunk_head[:4], "big") + 4, os.SEEK_CUR)
    return True


def _may_have_jpeg_attachment(file: BinaryIO) -> bool:
    """Return whether a JPEG may have an attachment, by the segments before its first scan."""
    for _ in range(_MAX_PARTS):
        segment_head = file.read(4)
        if len(segment_head) < 4 or segment_head[:2] == _SCAN_MARKER:
            return False
        if segment_head[1] == _APP11_MARKER or segment_head[0] != 0xFF or segment_head[1] == 0xFF:
            return True
        file.seek(
            int.from_bytes(segment_head[2:], "big") - 2, os.SEEK_CUR
        )  # the length counts its own two bytes
    return True
