"""WebP, GIF, BMP and Netpbm files in which a preview hides."""

import base64
import struct
from collections.abc import Iterator

from tests.images import builders as b
from tests.leaks.blocks import HIDING, c2pa, exif, thumbnails
from tests.leaks.previews import JPEG, MAIN, MAIN_NUMBERS, RAW, SAMPLES, Case, hidden

_JPEG64 = base64.b64encode(JPEG.data)
_CODED = b.saved(MAIN, "WEBP", lossless=True)[20:]
_GRAYS = bytes(value for value in range(256) for _ in range(3))
_SIDES = struct.pack("<I", 63)[:3] + struct.pack("<I", 47)[:3]


def cases() -> Iterator[Case]:
    """Yield all of them."""
    yield from _in_webp()
    yield from _in_gif()
    yield from _in_bmp()
    data = b.saved(MAIN, "PPM")
    comment = data[:3] + b"# " + _JPEG64 + b"\n" + data[3:]
    yield hidden("netpbm-comment", comment)


def _in_webp() -> Iterator[Case]:
    def case(place: str, *chunks: tuple[bytes, bytes], flags: int = 0, end: bytes = b"") -> Case:
        canvas = (b"VP8X", bytes([flags, 0, 0, 0]) + _SIDES)
        return hidden(f"webp-{place}", b.riff(canvas, (b"VP8L", _CODED), *chunks) + end)

    yield case("exif-thumbnail", (b"EXIF", exif(thumbnail=JPEG.data)), flags=8)
    yield case("exif-wrapped", (b"EXIF", b"Exif\0\0" + exif(thumbnail=JPEG.data)), flags=8)
    yield case("exif-maker-note", (b"EXIF", exif(shot=[(37500, 7, JPEG.data)])), flags=8)
    yield case("exif-broken", (b"EXIF", JPEG.data), flags=8)
    yield case("xmp-thumbnails", (b"XMP ", thumbnails(JPEG.data)), flags=4)
    yield case("xmp-broken", (b"XMP ", JPEG.data), flags=4)
    yield case("icc-private-tag", (b"ICCP", HIDING), flags=32)
    yield case("icc-broken", (b"ICCP", JPEG.data), flags=32)
    yield case("unknown-chunk", (b"prvt", JPEG.data))
    yield case("c2pa", (b"C2PA", c2pa(JPEG.data)))
    yield case("trailing", end=JPEG.data)
    frame = bytes(6) + _SIDES + bytes(4)
    for body in (_CODED, JPEG.data):
        kind = b"VP8L" if body is _CODED else b"prvt"
        frame += kind + struct.pack("<I", len(body)) + body + b"\0" * (len(body) % 2)
    canvas = (b"VP8X", b"\2\0\0\0" + _SIDES)
    animation = b.riff(canvas, (b"ANIM", bytes(6)), (b"ANMF", frame))
    yield hidden("webp-in-frame", animation)


def _in_gif() -> Iterator[Case]:
    image = b.gif_image(MAIN_NUMBERS)

    def case(place: str, *blocks: bytes, end: bytes = b";", palette: bytes = _GRAYS) -> Case:
        data = b.gif(*blocks, columns=64, rows=48, palette=palette, end=end)
        return hidden(f"gif-{place}", data)

    yield case("comment", b"!\xfe" + b.gif_blocks(_JPEG64), image)
    yield case("comment-plain", b"!\xfe" + b.gif_blocks(JPEG.data), image)
    yield case("comment-behind", image, b"!\xfe" + b.gif_blocks(_JPEG64))
    parts = [JPEG.data[i : i + 255] for i in range(0, len(JPEG.data), 255)]
    yield case("application", b.gif_application(b"PRIVATE 1.0", *parts), image)
    yield case("application-odd", b"!\xff" + b.gif_blocks(JPEG.data), image)
    packet = thumbnails(JPEG.data)
    magic = b"\1" + bytes(range(255, -1, -1)) + b"\0"
    yield case("xmp", b"!\xff\x0bXMP DataXMP" + packet + magic, image)
    pieces = [HIDING[i : i + 255] for i in range(0, len(HIDING), 255)]
    yield case("icc", b.gif_application(b"ICCRGBG1012", *pieces), image)
    text = bytes(12) + RAW[:200]
    yield case("samples-letters", b.gif_control(), b"!\x01" + b.gif_blocks(text), image)
    yield case("unknown-extension", b"!\x42" + b.gif_blocks(JPEG.data), image)
    yield case("trailing", image, end=b";" + JPEG.data)


def _in_bmp() -> Iterator[Case]:
    lines = MAIN[::-1, :, ::-1].tobytes()
    plain = b.bmp(24, lines, columns=64, rows=48)
    yield hidden("bmp-trailing", plain + JPEG.data)
    gap = b.bmp(24, lines, columns=64, rows=48, extra=RAW)
    yield hidden("bmp-gap", gap, SAMPLES)
    rest = bytearray(84)
    rest[16:20] = b"DEBM"
    head = struct.pack("<II", 124 + len(lines), len(HIDING))
    rest[72:80] = head
    data = b.bmp(24, lines, columns=64, rows=48, header_size=124, extra=bytes(rest))
    yield hidden("bmp-icc", data + HIDING)
