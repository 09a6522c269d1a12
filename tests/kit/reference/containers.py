"""Section 8: the place of the header in a file, and which of several headers is used.

Each reader returns the bytes of the header, or None if the file has no header.
"""

import struct
import zlib
from collections.abc import Callable, Iterator

from tests.kit.reference import RefusedError
from tests.kit.reference.header import MAX_HEADER_BYTES

HEADER_START = b'{"sudokucrypt":'
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
PNG_KEYWORD = b"sudokucrypt\x00"
# Compression flag and method, no language, no translated keyword.
PNG_FORM = b"\x00\x00\x00\x00"
TIFF_ORDERS = {b"II*\x00": "<", b"MM\x00*": ">"}
TIFF_TAG = 270
TIFF_ASCII = 2
GIF_SIGNATURES = (b"GIF87a", b"GIF89a")
LINE_FEED = b"\n"


def _require_one_header(headers: list[bytes]) -> bytes | None:
    if len(headers) > 1:
        raise RefusedError("two headers in one picture")
    return headers[0] if headers else None


def _iterate_png_chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    offset = len(PNG_SIGNATURE)
    while True:
        length = int.from_bytes(data[offset : offset + 4], "big")
        chunk_type, body = data[offset + 4 : offset + 8], data[offset + 8 : offset + 8 + length]
        checksum = data[offset + 8 + length : offset + 12 + length]
        if checksum != zlib.crc32(chunk_type + body).to_bytes(4, "big"):
            raise RefusedError("PNG: a damaged chunk")
        if chunk_type == b"IEND":
            return
        yield chunk_type, body
        offset += length + 12


def read_png(data: bytes) -> bytes | None:
    """Return the header in the `iTXt` chunk before `IEND`."""
    headers = []
    for chunk_type, body in _iterate_png_chunks(data):
        if chunk_type == b"iTXt" and body.startswith(PNG_KEYWORD):
            content = body.removeprefix(PNG_KEYWORD)
            if not content.startswith(PNG_FORM):
                raise RefusedError("PNG: a header in another form")
            headers.append(content.removeprefix(PNG_FORM))
    return _require_one_header(headers)


def read_tiff(data: bytes) -> bytes | None:
    """Return the header among the texts of tag 270 of the only page."""
    order = TIFF_ORDERS[data[:4]]
    headers = []
    (page,) = struct.unpack_from(f"{order}L", data, 4)
    (entries,) = struct.unpack_from(f"{order}H", data, page)
    for offset in range(page + 2, page + 2 + 12 * entries, 12):
        tag, field_type, count, value = struct.unpack_from(f"{order}HHLL", data, offset)
        if tag == TIFF_TAG and field_type == TIFF_ASCII:
            value_start = value if count > 4 else offset + 8
            texts = data[value_start : value_start + count].split(b"\x00")
            headers += [text for text in texts if text.startswith(HEADER_START)]
    (following,) = struct.unpack_from(f"{order}L", data, page + 2 + 12 * entries)
    return refuse_earlier(data) if following else _require_one_header(headers)


def refuse_earlier(data: bytes) -> bytes | None:
    """Return None; refuse a header that an earlier version wrote into another kind of file."""
    if HEADER_START in data:
        raise RefusedError("an earlier version: a file of another kind")
    return None


def read_picture(data: bytes) -> bytes | None:
    """Return the header in a picture file, or None; JPEG files are left to the page."""
    reader: Callable[[bytes], bytes | None] | None = None
    if data.startswith(PNG_SIGNATURE):
        reader = read_png
    elif data[:4] in TIFF_ORDERS:
        reader = read_tiff
    elif data.startswith(GIF_SIGNATURES) or (data[:4] == b"RIFF" and data[8:12] == b"WEBP"):
        reader = refuse_earlier
    if reader is None:
        return None
    try:
        header = reader(data)
    except (IndexError, struct.error) as error:
        raise RefusedError("a damaged picture") from error
    if header is not None and not _is_plausible(header):
        raise RefusedError("what stands in the place of a header is none")
    return header


def _is_plausible(header: bytes) -> bool:
    """Return whether bytes could be a header; a sidecar may replace a damaged one."""
    printable = all(32 <= byte <= 126 for byte in header)
    return len(header) <= MAX_HEADER_BYTES and printable and header.startswith(HEADER_START)


def read_sidecar(data: bytes) -> bytes:
    """Return the header in a sidecar, which is everything before the line feed at its end."""
    if not data.endswith(LINE_FEED):
        raise RefusedError("a sidecar ends with a line feed")
    return data.removesuffix(LINE_FEED)


def choose_header(
    picture: bytes, *, named_header: bytes | None = None, neighbor_header: bytes | None = None
) -> bytes | None:
    """Return the header in the named sidecar, else in the one next to the picture, else in it."""
    header_within = read_picture(picture)
    for sidecar in (named_header, neighbor_header):
        if sidecar is not None:
            return read_sidecar(sidecar)
    return header_within
