"""What programs such as ExifTool add to a file that somebody else protected."""

import struct
import zlib
from collections.abc import Callable

from tests.images.builders import png_chunk, png_text
from tests.images.profiles import SRGB
from tests.leaks.blocks import exif, packet

MARK = b"FORGED by a stranger"
"""Stands in every addition that has room for it."""

_EXIF = exif(file=[(315, 2, MARK + b"\0")])
_XMP = packet(f"<xmp:Label>{MARK.decode()}</xmp:Label>")
_PROFILE = SRGB[:-8] + MARK[:8]
_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1, 13: 4}


def to_png(kind: bytes, body: bytes, *, behind: bool = False) -> Callable[[bytes], bytes]:
    """Return what puts a chunk before, or behind, the samples."""

    def add(data: bytes) -> bytes:
        position = len(data) - 12 if behind else data.index(b"IDAT") - 4
        return data[:position] + png_chunk(kind, body) + data[position:]

    return add


def _tiff(tag: int, kind: int, body: bytes, *, appended: bool = False) -> Callable[[bytes], bytes]:
    """Return what writes the first directory again at the end, with one tag more or changed."""

    def add(data: bytes) -> bytes:
        (start,) = struct.unpack_from("<I", data, 4)
        (count,) = struct.unpack_from("<H", data, start)
        lines = {
            struct.unpack_from("<H", data, entry)[0]: data[entry : entry + 12]
            for entry in range(start + 2, start + 2 + 12 * count, 12)
        }
        following = data[start + 2 + 12 * count : start + 6 + 12 * count]
        value = body
        if appended and tag in lines:
            number, position = struct.unpack_from("<II", lines[tag], 4)
            value = data[position : position + number] + body
        data += bytes(len(data) % 2)
        stored = struct.pack("<I", len(data)) if len(value) > 4 else value.ljust(4, b"\0")
        data += value + bytes(len(value) % 2) if len(value) > 4 else b""
        lines[tag] = struct.pack("<HHI", tag, kind, len(value) // _SIZES[kind]) + stored
        directory = struct.pack("<H", len(lines)) + b"".join(lines[t] for t in sorted(lines))
        return data[:4] + struct.pack("<I", len(data)) + data[8:] + directory + following

    return add


_COMPRESSED = zlib.compress(MARK)
PNG_ADDITIONS: dict[str, Callable[[bytes], bytes]] = {
    "eXIf": to_png(b"eXIf", _EXIF),
    "eXIf behind": to_png(b"eXIf", _EXIF, behind=True),
    "XMP": to_png(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + _XMP),
    "tEXt": to_png(b"tEXt", b"Comment\0" + MARK),
    "tEXt behind": to_png(b"tEXt", b"Title\0" + MARK, behind=True),
    "zTXt": to_png(b"zTXt", b"Comment\0\0" + _COMPRESSED),
    "iTXt": to_png(b"iTXt", b"Comment\0\0\0\0\0" + MARK),
    "iTXt compressed": to_png(b"iTXt", b"Comment\0\1\0\0\0" + _COMPRESSED),
    "gAMA": to_png(b"gAMA", struct.pack(">I", 100000)),
    "cHRM": to_png(b"cHRM", struct.pack(">8I", *range(1, 9))),
    "sRGB": to_png(b"sRGB", b"\x09"),  # no intent: the four that there are say nothing new
    "iCCP": to_png(b"iCCP", b"forged\0\0" + zlib.compress(_PROFILE)),
    "pHYs": to_png(b"pHYs", struct.pack(">IIB", 1234, 4321, 1)),
    "bKGD": to_png(b"bKGD", struct.pack(">3H", 1, 2, 3)),
    "sPLT": to_png(b"sPLT", MARK + b"\0\x08" + bytes(6)),
    "tIME": to_png(b"tIME", b"\x07\xea\1\1\1\1\1"),
    "sBIT": to_png(b"sBIT", b"\5\6\5"),
    "cICP": to_png(b"cICP", b"\x09\x10\0\1"),
    "private": to_png(b"prVt", MARK),
    "text wrapped as a profile": to_png(b"tEXt", b"Raw profile type iptc\0\niptc\n 1\n00\n" + MARK),
    "behind the end": lambda data: data + MARK,
}
PNG_MEANING: dict[str, Callable[[bytes], bytes]] = {
    "tRNS": to_png(b"tRNS", struct.pack(">3H", 1, 2, 3)),
    "PLTE": to_png(b"PLTE", bytes(range(30))),
}
"""Chunks that change how the samples look."""

TIFF_ADDITIONS: dict[str, Callable[[bytes], bytes]] = {
    "270 appended": _tiff(270, 2, MARK + b"\0", appended=True), "269": _tiff(269, 2, MARK + b"\0"),
    "274": _tiff(274, 3, struct.pack("<H", 3)), "282": _tiff(282, 5, struct.pack("<II", 1234, 7)),
    "305": _tiff(305, 2, MARK + b"\0"), "315": _tiff(315, 2, MARK + b"\0"),
    "700": _tiff(700, 1, _XMP), "33432": _tiff(33432, 2, MARK + b"\0"),
    "33723": _tiff(33723, 7, b"\x1c\2\x78\0\x14" + MARK),
    "34377": _tiff(34377, 1, b"8BIM\4\4\0\0\0\0\0\x14" + MARK), "34675": _tiff(34675, 7, _PROFILE),
    "37724": _tiff(37724, 7, b"Adobe Photoshop Document Data Block\0" + MARK),
    "40091": _tiff(40091, 1, MARK.decode().encode("utf-16-le")), "65000": _tiff(65000, 7, MARK),
}  # fmt: skip
ADDITIONS = {"PNG": PNG_ADDITIONS, "TIFF": TIFF_ADDITIONS}


def text_chunk(keyword: str, text: bytes) -> bytes:
    """A text of the owner, for the files that are protected."""
    return png_text(b"tEXt", keyword, text)
