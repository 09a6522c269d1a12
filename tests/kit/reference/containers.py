"""Section 8: where the header is in a file, and which one counts.

Each reader returns the header's bytes, or None where the file has none.
"""

import struct
import zlib
from collections.abc import Callable, Iterator

from tests.kit.reference import RefusedError
from tests.kit.reference.header import MAX_HEADER_BYTES

START = b'{"sudokucrypt":'
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
PNG_KEYWORD = b"sudokucrypt\x00"
PNG_FORM = b"\x00\x00\x00\x00"  # compression flag and method, no language, no translated keyword
TIFF_ORDERS = {b"II*\x00": "<", b"MM\x00*": ">"}
TIFF_TAG = 270
TIFF_ASCII = 2
GIF_SIGNATURES = (b"GIF87a", b"GIF89a")
LINE_FEED = b"\n"


def _only(headers: list[bytes]) -> bytes | None:
    if len(headers) > 1:
        raise RefusedError("two headers in one picture")
    return headers[0] if headers else None


def _png_chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    offset = len(PNG_SIGNATURE)
    while True:
        length = int.from_bytes(data[offset : offset + 4], "big")
        kind, body = data[offset + 4 : offset + 8], data[offset + 8 : offset + 8 + length]
        check = data[offset + 8 + length : offset + 12 + length]
        if check != zlib.crc32(kind + body).to_bytes(4, "big"):
            raise RefusedError("PNG: a damaged chunk")
        if kind == b"IEND":
            return
        yield kind, body
        offset += length + 12


def from_png(data: bytes) -> bytes | None:
    """The header in one `iTXt` chunk before `IEND`."""
    headers = []
    for kind, body in _png_chunks(data):
        if kind == b"iTXt" and body.startswith(PNG_KEYWORD):
            rest = body.removeprefix(PNG_KEYWORD)
            if not rest.startswith(PNG_FORM):
                raise RefusedError("PNG: a header in another form")
            headers.append(rest.removeprefix(PNG_FORM))
    return _only(headers)


def from_tiff(data: bytes) -> bytes | None:
    """The header among the texts of tag 270 of the only page."""
    order = TIFF_ORDERS[data[:4]]
    headers = []
    (page,) = struct.unpack_from(f"{order}L", data, 4)
    (entries,) = struct.unpack_from(f"{order}H", data, page)
    for offset in range(page + 2, page + 2 + 12 * entries, 12):
        tag, kind, count, value = struct.unpack_from(f"{order}HHLL", data, offset)
        if tag == TIFF_TAG and kind == TIFF_ASCII:
            start = value if count > 4 else offset + 8
            texts = data[start : start + count].split(b"\x00")
            headers += [text for text in texts if text.startswith(START)]
    (following,) = struct.unpack_from(f"{order}L", data, page + 2 + 12 * entries)
    return from_earlier(data) if following else _only(headers)


def from_earlier(data: bytes) -> bytes | None:
    """None; a header that an earlier version wrote into another kind of file is refused."""
    if START in data:
        raise RefusedError("an earlier version: a file of another kind")
    return None


def from_picture(data: bytes) -> bytes | None:
    """The header in a picture file, or None; those of JPEG files are left to the page."""
    reader: Callable[[bytes], bytes | None] | None = None
    if data.startswith(PNG_SIGNATURE):
        reader = from_png
    elif data[:4] in TIFF_ORDERS:
        reader = from_tiff
    elif data.startswith(GIF_SIGNATURES) or (data[:4] == b"RIFF" and data[8:12] == b"WEBP"):
        reader = from_earlier
    if reader is None:
        return None
    try:
        header = reader(data)
    except (IndexError, struct.error) as error:
        raise RefusedError("a damaged picture") from error
    if header is not None and not _may_be(header):
        raise RefusedError("what stands in the place of a header is none")
    return header


def _may_be(header: bytes) -> bool:
    """Whether this could be a header, so that a sidecar may stand in for it if it is damaged."""
    printable = all(32 <= byte <= 126 for byte in header)
    return len(header) <= MAX_HEADER_BYTES and printable and header.startswith(START)


def from_sidecar(data: bytes) -> bytes:
    """The header in a sidecar: all but the line feed at its end."""
    if not data.endswith(LINE_FEED):
        raise RefusedError("a sidecar ends with a line feed")
    return data.removesuffix(LINE_FEED)


def header_that_counts(
    picture: bytes, *, named: bytes | None = None, beside: bytes | None = None
) -> bytes | None:
    """The header in the sidecar that was named, else the one beside the picture, else in it."""
    within = from_picture(picture)
    for sidecar in (named, beside):
        if sidecar is not None:
            return from_sidecar(sidecar)
    return within
