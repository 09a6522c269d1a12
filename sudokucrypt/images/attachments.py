"""Bytes that travel in a picture file and are no part of the picture: the layers of a redaction.

::

    PNG: a chunk suRd | JPEG: segments APP11, numbered

Modules of formats are imported where they are used: a picture that is searched needs only one.
"""

import os
import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import BinaryIO, Final

from sudokucrypt.errors import FormatError, InvalidImageError, made_earlier
from sudokucrypt.images import driver as formats
from sudokucrypt.images.driver import Source

# Ancillary, private and safe to copy: editors that do not know the chunk keep it.
_KIND: Final = b"suRd"
_APPLICATION: Final = b"\x0bSUDOKURDCT1"
_MARK: Final = b"sudokucrypt redaction\0"
_APP11: Final = 0xEB
_NUMBER: Final = struct.Struct(">HH")  # of a segment, and how many there are
_PNG_END: Final = 12  # bytes of IEND


def attach(data: bytes, attached: bytes) -> bytes:
    """Return a PNG or JPEG, written here without an attachment, with one.

    It may be any bytes that the format has room for, at least one.
    """
    return _FORMATS[_format(data)][0](data, attached)


def find_attachment(data: bytes, name: str = "the picture") -> bytes | None:
    """Return the bytes that `attach` put into a file, none if there are none.

    Raises `FormatError` if there are several, or pieces are missing; `InvalidImageError` if the
    file is damaged on the way; and `UnsupportedVersionError` if it is in a format that only earlier
    versions redacted.
    """
    name_of_format = _format(data)
    pieces = _FORMATS.get(name_of_format)
    if pieces is None:
        if name_of_format in _EARLIER and _EARLIER[name_of_format](data):
            raise made_earlier(f"a {name_of_format} result")
        return None
    attachments = list(pieces[1](Source(data, name, 0)))
    if len(attachments) > 1:
        raise FormatError(f"'{name}' holds the layers of {len(attachments)} redactions")
    return attachments[0] if attachments else None


def _format(data: bytes) -> str:
    driver = formats.known_format(data)
    return "" if driver is None else driver.name


def _attach_to_png(data: bytes, attached: bytes) -> bytes:
    from sudokucrypt.images.png import file as png

    chunk = b"".join(png.assemble([(_KIND, attached)]))[len(png.SIGNATURE) :]
    return data[:-_PNG_END] + chunk + data[-_PNG_END:]


def _read_from_png(source: Source) -> Iterator[bytes]:
    from sudokucrypt.images.png import file as png

    for kind, body in png.walk_chunks(source):
        if kind == png.UNSOUND:
            raise source.report_damage("one of its chunks has a wrong checksum")
        if kind == _KIND:
            yield bytes(body)


def _attach_to_jpeg(data: bytes, attached: bytes) -> bytes:
    from sudokucrypt.images.jpeg import file as jpeg

    room = jpeg.LONGEST_BODY - len(_MARK) - _NUMBER.size
    parts = [attached[at : at + room] for at in range(0, len(attached), room)]
    if len(parts) > 0xFFFF:
        raise FormatError("the layers do not fit into a JPEG", hint="write them to a sidecar")
    bodies = (_MARK + _NUMBER.pack(n, len(parts)) + part for n, part in enumerate(parts))
    ours = b"".join(jpeg.Segment(_APP11, body).to_bytes() for body in bodies)
    # JFIF comes first in a file.
    start = 2 + (2 + int.from_bytes(data[4:6], "big")) * (data[2:4] == b"\xff\xe0")
    return data[:start] + ours + data[start:]


def _read_from_jpeg(source: Source) -> Iterator[bytes]:
    from sudokucrypt.images.jpeg import file as jpeg

    pieces: list[bytes] = []
    for segment in jpeg.walk_segments(source, whole=False):
        body = bytes(segment.body)
        if segment.marker == _APP11 and body.startswith(_MARK):
            pieces.append(body[len(_MARK) :])
    heads = [_NUMBER.pack(n, len(pieces)) for n in range(len(pieces))]
    if [piece[: _NUMBER.size] for piece in pieces] != heads:
        raise FormatError(f"'{source.name}' lacks some of the segments that hold its layers")
    if pieces:
        yield b"".join(piece[_NUMBER.size :] for piece in pieces)


def _marks_webp(data: bytes) -> bool:
    """Return whether one of the chunks of a WebP is ours."""
    from sudokucrypt.images.foreign.codestreams import walk_webp

    with suppress(InvalidImageError):  # it is damaged
        return any(kind == _KIND for kind, _ in walk_webp(Source(data, "the picture", 0)))
    return False


# How a format takes an attachment, and gives those in it.
_FORMATS: Final[
    dict[str, tuple[Callable[[bytes, bytes], bytes], Callable[[Source], Iterator[bytes]]]]
] = {
    "PNG": (_attach_to_png, _read_from_png),
    "JPEG": (_attach_to_jpeg, _read_from_jpeg),
}

# Whether a file in a format that earlier versions redacted has the layers of a redaction.
_EARLIER: Final[dict[str, Callable[[bytes], bool]]] = {
    "WebP": _marks_webp,
    "GIF": lambda data: _APPLICATION in data,
    "TIFF": lambda data: data.endswith(_MARK),
}


_PNG: Final = b"\x89PNG\r\n\x1a\n"
_JPEG: Final = b"\xff\xd8\xff"
_SCAN: Final = b"\xff\xda"
# Most chunks or segments that are looked at: a hostile file may have one for each of its bytes.
_MOST_PARTS: Final = 2**14


def may_have_attachment(file: BinaryIO) -> bool:
    """Return whether an open file may have an attachment, by the names of chunks and segments.

    A folder of photographs is searched in a moment. Of formats other than PNG and JPEG, and where
    the structure is not understood, a file may have one.
    """
    start = file.read(len(_PNG))
    if start == _PNG:
        return _may_have_in_png(file)
    if start.startswith(_JPEG):
        file.seek(len(_JPEG) - 1)
        return _may_have_in_jpeg(file)
    return True


def _may_have_in_png(file: BinaryIO) -> bool:
    for _ in range(_MOST_PARTS):
        head = file.read(8)
        if len(head) < 8:
            return False
        if head[4:] == _KIND:
            return True
        file.seek(int.from_bytes(head[:4], "big") + 4, os.SEEK_CUR)  # the CRC follows the data
    return True


def _may_have_in_jpeg(file: BinaryIO) -> bool:
    """Look at the segments before the first scan, where `attach` writes its own."""
    for _ in range(_MOST_PARTS):
        head = file.read(4)
        if len(head) < 4 or head[:2] == _SCAN:
            return False
        if head[1] == _APP11 or head[0] != 0xFF or head[1] == 0xFF:
            return True
        file.seek(int.from_bytes(head[2:], "big") - 2, os.SEEK_CUR)  # it counts its own length
    return True
