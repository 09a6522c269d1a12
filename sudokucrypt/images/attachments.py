"""Bytes that travel in a picture file and are no part of the picture: the layers of a redaction.

::

    PNG: a chunk suRd | JPEG: segments APP11, numbered | WebP: a chunk suRd
    GIF: an application extension | TIFF: behind the file, with a length and a mark at the end

What knows a format is imported where it is used: every picture is searched, and needs one of them.
"""

import struct
from collections.abc import Callable, Iterator
from typing import Final

from sudokucrypt.errors import FormatError
from sudokucrypt.images import registry
from sudokucrypt.images.source import Source

# Ancillary, private and safe to copy: editors that do not know the chunk keep it.
_KIND: Final = b"suRd"
_APPLICATION: Final = b"\x0bSUDOKURDCT1"
_MARK: Final = b"sudokucrypt redaction\0"
_APP11: Final = 0xEB
_NUMBER: Final = struct.Struct(">HH")  # of a segment, and how many there are
_LENGTH: Final = struct.Struct(">Q")
_PNG_END: Final = 12  # bytes of IEND


def with_attachment(data: bytes, attached: bytes) -> bytes:
    """Return a PNG, JPEG, TIFF, WebP or GIF, written here without an attachment, with one.

    It may be any bytes that the format has room for, at least one.
    """
    return _FORMATS[_format(data)][0](data, attached)


def attachment(data: bytes, name: str = "the picture") -> bytes | None:
    """Return the bytes that `with_attachment` put into a file, none if there are none.

    Raises `FormatError` if there are several, or pieces are missing; and `InvalidImageError` if the
    file is damaged on the way.
    """
    pieces = _FORMATS.get(_format(data))
    if pieces is None:
        return None
    attachments = list(pieces[1](Source(data, name, 0)))
    if len(attachments) > 1:
        raise FormatError(f"'{name}' holds the layers of {len(attachments)} redactions")
    return attachments[0] if attachments else None


def _format(data: bytes) -> str:
    driver = registry.known_format(data)
    return "" if driver is None else driver.name


def _with_png(data: bytes, attached: bytes) -> bytes:
    from sudokucrypt.images.png import chunks as png

    chunk = b"".join(png.assemble([(_KIND, attached)]))[len(png.SIGNATURE) :]
    return data[:-_PNG_END] + chunk + data[-_PNG_END:]


def _in_png(source: Source) -> Iterator[bytes]:
    from sudokucrypt.images.png import chunks as png

    for kind, body in png.walk_chunks(source):
        if kind == png.UNSOUND:
            raise source.damaged("one of its chunks has a wrong checksum")
        if kind == _KIND:
            yield bytes(body)


def _with_jpeg(data: bytes, attached: bytes) -> bytes:
    from sudokucrypt.images.jpeg import segments as jpeg

    room = jpeg.LONGEST_BODY - len(_MARK) - _NUMBER.size
    parts = [attached[at : at + room] for at in range(0, len(attached), room)]
    if len(parts) > 0xFFFF:
        raise FormatError("the layers do not fit into a JPEG", hint="write them to a sidecar")
    bodies = (_MARK + _NUMBER.pack(n, len(parts)) + part for n, part in enumerate(parts))
    ours = b"".join(jpeg.Segment(_APP11, body).to_bytes() for body in bodies)
    # JFIF comes first in a file.
    start = 2 + (2 + int.from_bytes(data[4:6], "big")) * (data[2:4] == b"\xff\xe0")
    return data[:start] + ours + data[start:]


def _in_jpeg(source: Source) -> Iterator[bytes]:
    from sudokucrypt.images.jpeg import segments as jpeg

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


def _with_webp(data: bytes, attached: bytes) -> bytes:
    from sudokucrypt.images.webp import frames as webp

    return b"".join(webp.riff([data[12:], *webp.chunk(_KIND, attached)]))


def _in_webp(source: Source) -> Iterator[bytes]:
    from sudokucrypt.images.webp import frames as webp

    return (bytes(body) for kind, body in webp.walk(source) if kind == _KIND)


def _with_gif(data: bytes, attached: bytes) -> bytes:
    from sudokucrypt.images.gif import data_stream as gif

    raw = _APPLICATION + gif.split(attached) + b"\0"
    extension = gif.Extension(label=gif.APPLICATION, raw=raw)
    return data[:-1] + extension.to_bytes() + gif.TRAILER


def _in_gif(source: Source) -> Iterator[bytes]:
    from sudokucrypt.images.gif import data_stream as gif

    _, start = gif.read_screen(source)
    for block in gif.walk_blocks(source, start):
        if isinstance(block, gif.Extension) and block.raw[: len(_APPLICATION)] == _APPLICATION:
            yield block.content(len(_APPLICATION))


def _with_tiff(data: bytes, attached: bytes) -> bytes:
    return data + attached + _LENGTH.pack(len(attached)) + _MARK


def _in_tiff(source: Source) -> Iterator[bytes]:
    data = source.data
    if data.endswith(_MARK):
        end = len(data) - len(_MARK) - _LENGTH.size
        (length,) = _LENGTH.unpack_from(data, max(end, 0))
        if length > end:
            raise source.cut_short()
        yield data[end - length : end]


# How a format takes an attachment, and gives those in it.
_FORMATS: Final[
    dict[str, tuple[Callable[[bytes, bytes], bytes], Callable[[Source], Iterator[bytes]]]]
] = {
    "PNG": (_with_png, _in_png),
    "JPEG": (_with_jpeg, _in_jpeg),
    "WebP": (_with_webp, _in_webp),
    "GIF": (_with_gif, _in_gif),
    "TIFF": (_with_tiff, _in_tiff),
}
