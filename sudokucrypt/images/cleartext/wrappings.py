"""Looking for pictures in bytes and texts, at any position, and in what they hold in other codes.

Pictures are known by how their files begin. Short signatures are followed as far as a decoder
follows them before it gives up, so that numbers which look alike do no harm.

Codes may be nested: base64 of a stream of zlib that holds base64. The work is bounded; bytes that
need more are taken for a picture, as nobody can tell.
"""

import re
import zlib
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from sudokucrypt.errors import SudokucryptError
from sudokucrypt.images.jpeg.file import find_frame
from sudokucrypt.images.source import Source

_LONG = re.compile(
    rb"\x89PNG\r\n|\r\n\x1a\n\0\0\0\x0d|IHDR.{8}[\x01\x02\x04\x08\x10][\0\x02-\x04\x06]\0\0[\0\1]"
    rb"|GIF8[79]a|RIFF.{4}WEBP|VP8[ LX].{3}\0"
    rb"|II[*+]\0|MM\0[*+]|II\xbc\x01"
    rb"|JXL \r\n\x87\n|jP  \r\n\x87\n|ftyp[ -~]{4}"
    rb"|8BPS\0|8BIM|\x76\x2f\x31\x01|qoif|#\?RADIANCE|%PDF-"
    rb"|P[1-7Ff](?:[ \t\r\n]|#[^\n]{0,80}+\n)++\d++[ \t\r\n]++\d++[ \t\r\n]",
    re.DOTALL,
)
_SHORT = re.compile(rb"\xff(?=\xd8\xff)|\xff(?=\x0a)|\xff(?=\x4f\xff\x51)|B(?=M)")
_INFORMATION_SIZES: Final = (12, 16, 40, 52, 56, 64, 108, 124)
_MOST_DECODED: Final = 2**22
MOST_CHARACTERS: Final = 1024  # most characters of a text that is copied
_DEEPEST: Final = 3
_MOST_BYTES: Final = 8 * 2**20
_MOST_UNPACKED: Final = 2**20
_ATTEMPT: Final = 32  # what trying to inflate costs, in bytes that are looked at
_PIECE: Final = 256
_RAW: Final = -zlib.MAX_WBITS
_LEAST: Final = 24  # fewest bytes that can be a picture, in whatever code
_SPACE: Final = b" \t\r\n\v\f\0"
_URL_SAFE = bytes.maketrans(b"-_", b"+/")
_BASE64 = re.compile(rb"[A-Za-z0-9+/]{32,}")
_HEXADECIMAL = re.compile(rb"[0-9A-Fa-f]{48,}")
# 15 bits of window, and a checksum of the head that is right for each of the levels.
_ZLIB = re.compile(rb"[\x08\x18\x28\x38\x48\x58\x68\x78](?=.)", re.DOTALL)
_GZIP = re.compile(rb"\x1f\x8b\x08")
# No word is that long; lines of base64 and of hexadecimal digits are.
_CODED = re.compile(r"[A-Za-z0-9+/=_-]{64}")


def find_picture(data: bytes) -> int | None:
    """Return where in some bytes a picture begins, or none."""
    if found := _LONG.search(data):
        return found.start()
    for match in _SHORT.finditer(data):
        start = match.start()
        if _FOLLOWED[data[start : start + 2]](data, start):
            return start
    return None


def _is_jpeg_2000(data: bytes, start: int) -> bool:
    """Tell whether the size segment has the length that its number of components asks for."""
    length = int.from_bytes(data[start + 4 : start + 6], "big")
    components = int.from_bytes(data[start + 40 : start + 42], "big")
    return components > 0 and length == 38 + 3 * components


def _is_jpeg_xl(data: bytes, start: int) -> bool:
    """Tell whether a codestream begins here: of two bytes, only a decoder knows for sure."""
    from sudokucrypt.images.foreign.jxl import HEADING_LIMIT, read_heading

    stream = data[start:]
    source = Source(stream, "a field", _MOST_DECODED)
    try:
        heading = read_heading(source, stream[:HEADING_LIMIT])
        source.shape(heading.rows, heading.columns, 4)
    except SudokucryptError:
        return False
    from imagecodecs import JPEGXL, jpegxl_decode

    if not JPEGXL.available:
        return True
    try:
        source.call(jpegxl_decode, stream)
    except (SudokucryptError, MemoryError):
        return False
    return True


def _is_bmp(data: bytes, start: int) -> bool:
    head = data[start : start + 18]
    size = int.from_bytes(head[14:18], "little")
    offset = int.from_bytes(head[10:14], "little")
    return len(head) == 18 and size in _INFORMATION_SIZES and 14 + size <= offset <= len(data)


_FOLLOWED: Final[Mapping[bytes, Callable[[bytes, int], bool]]] = {
    b"\xff\xd8": lambda data, start: find_frame(data, start) is not None,
    b"\xff\x4f": _is_jpeg_2000,
    b"\xff\x0a": _is_jpeg_xl,
    b"BM": _is_bmp,
}


def holds_picture(data: bytes) -> bool:
    """Tell whether a picture is found in some bytes, plain, or in base64, zlib, gzip or deflate."""
    return _Search().finds(data, _DEEPEST)


class _Search:
    """One search, with the bytes that it may still look at."""

    def __init__(self) -> None:
        self._left = _MOST_BYTES

    def finds(self, data: bytes, depth: int) -> bool:
        """Tell whether a picture is here or at most so many codes deeper."""
        self._left -= len(data)
        if self._left < 0 or find_picture(data) is not None:
            return True
        if not depth:
            return False
        if any(self.finds(inner, depth - 1) for inner in self._unwrapped(data)):
            return True
        # A raw stream has no start to be known by, and most of what comes out is chance.
        starts = (start for start in range(len(data) - _LEAST) if _may_be_deflated(data, start))
        return any(self.finds(self._inflated(data, start, _RAW), 0) for start in starts)

    def _unwrapped(self, data: bytes) -> Iterator[bytes]:
        """Yield what these bytes may stand for in some other code."""
        yield from _from_text(data)
        for match in _ZLIB.finditer(data):
            start = match.start()
            if (data[start] << 8 | data[start + 1]) % 31 == 0:
                yield self._inflated(data, start, zlib.MAX_WBITS)
        for match in _GZIP.finditer(data):
            yield self._inflated(data, match.start(), 16 + zlib.MAX_WBITS)

    def _inflated(self, data: bytes, start: int, window: int) -> bytes:
        """Return what a stream from here on holds, as far as it goes."""
        self._left -= _ATTEMPT
        engine = zlib.decompressobj(window)
        found = bytearray()
        view = memoryview(data)[start:]
        # Piece by piece: what came before an error counts.
        for first in range(0, len(view), _PIECE):
            try:
                found += engine.decompress(view[first : first + _PIECE], _MOST_UNPACKED)
            except zlib.error:
                break
            if engine.eof or len(found) >= _MOST_UNPACKED:
                break
        return bytes(found)


def _may_be_deflated(data: bytes, start: int) -> bool:
    """Tell whether the first bits are those of a block: stored, or with codes fixed or its own."""
    head = data[start]
    kind = head >> 1 & 3
    if kind == 0:
        size, check = data[start + 1 : start + 3], data[start + 3 : start + 5]
        return all(one ^ other == 0xFF for one, other in zip(size, check, strict=True))
    return kind == 1 or (kind == 2 and head >> 3 <= 29 and data[start + 1] & 31 <= 29)


def _from_text(data: bytes) -> Iterator[bytes]:
    """Yield what runs of base64 and hexadecimal digits stand for, line ends left out of account."""
    letters = data.translate(_URL_SAFE, _SPACE)
    for match in _BASE64.finditer(letters):
        run = match[0]
        # Letters before the first one that counts may belong to the run or not.
        for first in range(4):
            # One letter alone at the end stands for nothing.
            whole = run[first : len(run) - ((len(run) - first) % 4 == 1)]
            yield b64decode(whole + b"=" * (-len(whole) % 4))
    for match in _HEXADECIMAL.finditer(letters):
        run = match[0]
        for first in range(2):
            whole = run[first : first + (len(run) - first) // 2 * 2]
            yield bytes.fromhex(whole.decode())


def is_plain(text: str) -> bool:
    """Tell whether a text may be copied."""
    if not 0 < len(text) <= MOST_CHARACTERS or _CODED.search(text):
        return False
    if not text.translate(dict.fromkeys(map(ord, "\t\n\r"))).isprintable():
        return False
    return not holds_picture(text.encode())
