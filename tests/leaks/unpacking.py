"""What bytes stand for in other codes, and which bytes of a picture file are no samples."""

import base64
import re
import struct
import zlib
from collections.abc import Iterator
from typing import Final

_LEAST: Final = 16
_MOST: Final = 2**18
_LETTERS = re.compile(rb"[A-Za-z0-9+/]{24,}")
_DIGITS = re.compile(rb"[0-9A-Fa-f]{32,}")
_STARTS = re.compile(rb"(?=\x1f\x8b\x08|[\x08\x18\x28\x38\x48\x58\x68\x78].)", re.DOTALL)
_FIXED = bytes(byte for byte in range(256) if byte & 6 == 2)
# Bits 3 to 7 count the codes of bytes and lengths, the next five those of distances.
_DYNAMIC = bytes(byte for byte in range(256) if byte & 6 == 4 and byte >> 3 < 30)
_DISTANCES = bytes(byte for byte in range(256) if byte & 31 < 30)
_TEXT = re.compile(rb"[A-Za-z0-9+/]{64,}(?=[A-Za-z0-9+/]{64})")
"""What is base64 all along is no raw stream, and most of what a file holds beside its samples."""

_RAW_STARTS = re.compile(
    b"(?=[%b]|[%b][%b])" % tuple(map(re.escape, (_FIXED, _DYNAMIC, _DISTANCES)))
)
_PIECES: Final = (32, 224, 1024, 2**16, 2**24)
_LINE_ENDS = re.compile(rb"[\s\0]|&#(?:x[aAdD]|1[03]|9);|\\[nrt]")


def texts_in(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield what runs of base64 and of hexadecimal digits stand for, with the name of the code.

    Where letters before a run may belong to it or not, the code is called shifted.
    """
    plain = _LINE_ENDS.sub(b"", data).translate(bytes.maketrans(b"-_", b"+/"))
    for match in _LETTERS.finditer(plain):
        for first in range(4):
            letters = match[0][first:]
            letters = letters[:-1] if len(letters) % 4 == 1 else letters
            name = "shifted base64" if first else "base64"
            yield name, base64.b64decode(letters + b"=" * (-len(letters) % 4))
    for match in _DIGITS.finditer(plain):
        for first in range(2):
            digits = match[0][first:]
            yield "hexadecimal", bytes.fromhex(digits[: len(digits) // 2 * 2].decode())


def streams_in(data: bytes, *, raw: bool) -> Iterator[tuple[str, bytes]]:
    """Yield what streams of zlib and gzip, and raw ones of deflate, hold, from any offset on."""
    for match in _STARTS.finditer(data):
        start = match.start()
        if data[start] == 0x1F:
            yield from _stream("gzip", data, start, 31)
        elif (data[start] << 8 | data[start + 1]) % 31 == 0:
            yield from _stream("zlib", data, start, 15)
    # Raw streams begin with any byte. Those whose first block is stored hold it in plain.
    rest = _TEXT.sub(b"", data) if raw else b""
    for match in _RAW_STARTS.finditer(rest):
        yield from _stream("deflate", rest, match.start(), -15)


def _stream(name: str, data: bytes, start: int, window: int) -> Iterator[tuple[str, bytes]]:
    """Yield what comes out before the end or the first error."""
    engine = zlib.decompressobj(window)
    result = b""
    position = start
    # The smaller the pieces, the more comes out before an error; most have it at once.
    for size in _PIECES:
        piece, position = data[position : position + size], position + size
        try:
            result += engine.decompress(piece, _MOST)
        except zlib.error:
            break
        if engine.eof or position >= len(data):
            break
    if len(result) >= _LEAST:
        yield name, result


def beside_samples(data: bytes) -> bytes:
    """Return a picture file without its coded samples; other bytes as they are."""
    if data.startswith(b"\x89PNG"):
        return b"".join(_png(data))
    if data.startswith(b"RIFF"):
        return b"".join(_webp(data))
    if data[:4] in (b"II*\0", b"MM\0*"):
        return _tiff(data)
    if data.startswith(b"GIF8"):
        return b"".join(_gif(data))
    if data.startswith(b"\xff\xd8"):
        return b"".join(_jpeg(data))
    return data


def _png(data: bytes) -> Iterator[bytes]:
    position = 8
    while position + 12 <= len(data):
        size, kind = struct.unpack_from(">I4s", data, position)
        end = position + 12 + size
        if kind not in (b"IDAT", b"fdAT"):
            yield data[position:end]
        position = end
    yield data[position:]


def _webp(data: bytes) -> Iterator[bytes]:
    position = 12
    while position + 8 <= len(data):
        kind, size = struct.unpack_from("<4sI", data, position)
        end = position + 8 + size + size % 2
        if kind not in (b"VP8L", b"ANMF"):
            yield data[position:end]
        position = end
    yield data[position:]


def _tiff(data: bytes) -> bytes:
    order = "<" if data[:1] == b"I" else ">"
    rest = bytearray(data)
    (position,) = struct.unpack_from(order + "I", data, 4)
    while position:
        (count,) = struct.unpack_from(order + "H", data, position)
        positions: dict[int, list[int]] = {}
        for entry in range(position + 2, position + 2 + 12 * count, 12):
            tag, _, number, value = struct.unpack_from(order + "HHII", data, entry)
            if tag in (273, 279):
                listed = struct.unpack_from(f"{order}{number}I", data, value) if number > 1 else ()
                positions[tag] = list(listed) or [value]
        for start, size in zip(positions.get(273, ()), positions.get(279, ()), strict=True):
            rest[start : start + size] = bytes(size)
        (position,) = struct.unpack_from(order + "I", data, position + 2 + 12 * count)
    return re.sub(rb"\0{32,}", bytes(32), bytes(rest))


def _jpeg(data: bytes) -> Iterator[bytes]:
    position = 2
    while position + 4 <= len(data):
        kind, size = struct.unpack_from(">HH", data, position)
        end = position + 2 + size
        yield data[position:end]
        if kind == 0xFFDA:
            result = re.compile(rb"\xff[^\0\xd0-\xd7]", re.DOTALL).search(data, end)
            end = result.start() if result else len(data)
        if data[end : end + 2] == b"\xff\xd9":
            end += 2
            break
        position = end
    yield data[end:]


def _gif(data: bytes) -> Iterator[bytes]:
    def blocks(start: int) -> tuple[bytes, int]:
        result = b""
        while data[start]:
            result += data[start + 1 : start + 1 + data[start]]
            start += 1 + data[start]
        return result, start + 1

    def palette(flags: int) -> int:
        return 6 << (flags & 7) if flags & 0x80 else 0

    position = 13 + palette(data[10])
    yield data[:position]
    while data[position] in b"!,":
        if data[position] == ord("!"):
            body, position = blocks(position + 2)
            yield body
        else:
            start = position + 10 + palette(data[position + 9])
            yield data[position:start]
            _, position = blocks(start + 1)
    yield data[position:]
