"""Finding pictures in bytes by how their files begin, at any position.

Short signatures are followed as far as a decoder follows them before it gives up, so that numbers
which look alike do no harm.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final

from sudokucrypt.errors import SudokucryptError
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
_MOST_SEGMENTS: Final = 256
# SOF of every kind, that of JPEG-LS among them; DHT, JPG and DAC are none.
_FRAMES: Final = (set(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}) | {0xF7}
_MOST_DECODED: Final = 2**22


def find_picture(data: bytes) -> int | None:
    """Return where in some bytes a picture begins, or none."""
    if found := _LONG.search(data):
        return found.start()
    for match in _SHORT.finditer(data):
        start = match.start()
        if _FOLLOWED[data[start : start + 2]](data, start):
            return start
    return None


def _is_jpeg(data: bytes, start: int) -> bool:
    """Tell whether segments lead from here to a frame."""
    position = start + 2
    for _ in range(_MOST_SEGMENTS):
        while data[position : position + 2] == b"\xff\xff":
            position += 1
        head = data[position : position + 4]
        if len(head) < 4 or head[0] != 0xFF:
            return False
        if head[1] in _FRAMES:
            return True
        length = int.from_bytes(head[2:], "big")
        if length < 2 or head[1] < 0xC0:
            return False
        position += 2 + length
    return True


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
    b"\xff\xd8": _is_jpeg,
    b"\xff\x4f": _is_jpeg_2000,
    b"\xff\x0a": _is_jpeg_xl,
    b"BM": _is_bmp,
}
