"""WebP, GIF, BMP and Netpbm files in which a preview hides."""

import base64
import struct
import zlib
from collections.abc import Iterator
from functools import partial
from typing import Any

import imagecodecs
from PIL import features

from tests.images import builders as b
from tests.images.avif import avif, ispe, read_coded
from tests.images.builders import box, make_png, noise, png_chunk, png_control, png_lines, png_text
from tests.leaks.blocks import HIDING, c2pa, exif, thumbnails
from tests.leaks.previews import (
    JPEG,
    JPEG_XL,
    MAIN,
    MAIN_NUMBERS,
    PIXELS,
    RAW,
    SAMPLES,
    Case,
    Preview,
    hide_preview,
)

_JPEG64 = base64.b64encode(JPEG.data)
_CODED = b.save_image(MAIN, "WEBP", lossless=True)[20:]
_GRAYS = bytes(value for value in range(256) for _ in range(3))
_SIDES = struct.pack("<I", 63)[:3] + struct.pack("<I", 47)[:3]


def cases() -> Iterator[Case]:
    """Yield all of them for which the codecs are there."""
    yield from _in_webp()
    yield from _in_gif()
    yield from _in_bmp()
    data = b.save_image(MAIN, "PPM")
    comment = data[:3] + b"# " + _JPEG64 + b"\n" + data[3:]
    yield hide_preview("netpbm-comment", comment)
    yield from _in_chunks()
    yield from _beside_the_samples()
    if imagecodecs.AVIF.available and features.check("avif"):
        yield from _in_avif()
    if imagecodecs.JPEGXL.available:
        yield from _in_jpeg_xl()


def _in_webp() -> Iterator[Case]:
    def case(place: str, *chunks: tuple[bytes, bytes], flags: int = 0, end: bytes = b"") -> Case:
        canvas = (b"VP8X", bytes([flags, 0, 0, 0]) + _SIDES)
        return hide_preview(f"webp-{place}", b.riff(canvas, (b"VP8L", _CODED), *chunks) + end)

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
    yield hide_preview("webp-in-frame", animation)


def _in_gif() -> Iterator[Case]:
    image = b.gif_image(MAIN_NUMBERS)

    def case(place: str, *blocks: bytes, end: bytes = b";", palette: bytes = _GRAYS) -> Case:
        data = b.gif(*blocks, columns=64, rows=48, palette=palette, end=end)
        return hide_preview(f"gif-{place}", data)

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
    yield hide_preview("bmp-trailing", plain + JPEG.data)
    gap = b.bmp(24, lines, columns=64, rows=48, extra=RAW)
    yield hide_preview("bmp-gap", gap, SAMPLES)
    rest = bytearray(84)
    rest[16:20] = b"DEBM"
    head = struct.pack("<II", 124 + len(lines), len(HIDING))
    rest[72:80] = head
    data = b.bmp(24, lines, columns=64, rows=48, header_size=124, extra=bytes(rest))
    yield hide_preview("bmp-icc", data + HIDING)


# PNG files in which a preview hides, in chunks before and behind the samples.


_XMP = "XML:com.adobe.xmp"


def _case(place: str, *chunks: bytes, behind: bool = False) -> Case:
    options = {"after" if behind else "before": chunks}
    return hide_preview(f"png-{place}", make_png(MAIN, **options))


def _in_chunks() -> Iterator[Case]:
    compressed = b"Comment\0\0" + zlib.compress(_JPEG64)
    yield _case("text", png_text(b"tEXt", "Comment", _JPEG64))
    yield _case("text-behind", png_text(b"tEXt", "Thumb::Image", _JPEG64), behind=True)
    yield _case("samples-text", png_text(b"tEXt", "Comment", RAW.replace(b"\0", b"\1")))
    yield _case("compressed-text", png_chunk(b"zTXt", compressed))
    yield _case("compressed-picture", png_chunk(b"zTXt", b"a\0\0" + zlib.compress(JPEG.data)))
    yield _case("international-text", png_text(b"iTXt", "Comment", "é".encode() + _JPEG64))
    packed = b"Comment\0\1\0\0\0" + zlib.compress(_JPEG64)
    yield _case("international-compressed", png_chunk(b"iTXt", packed))
    raw = f"\nexif\n{len(JPEG.data):8}\n{JPEG.data.hex()}\n".encode()
    yield _case("raw-profile", png_text(b"tEXt", "Raw profile type exif", raw))
    yield _case("xmp-thumbnails", png_text(b"iTXt", _XMP, thumbnails(JPEG.data)))
    yield _case("exif-thumbnail", png_chunk(b"eXIf", exif(thumbnail=JPEG.data)))
    yield _case("exif-behind", png_chunk(b"eXIf", exif(thumbnail=JPEG.data)), behind=True)
    yield _case("exif-wrapped", png_chunk(b"eXIf", b"Exif\0\0" + exif(thumbnail=JPEG.data)))
    yield _case("exif-maker-note", png_chunk(b"eXIf", exif(shot=[(37500, 7, JPEG.data)])))
    icc = b"name\0\0" + zlib.compress(HIDING)
    yield _case("icc-private-tag", png_chunk(b"iCCP", icc))
    yield _case("icc-broken", png_chunk(b"iCCP", b"name\0\0" + JPEG.data))
    yield _case("private-chunk", png_chunk(b"prVt", JPEG.data))
    yield _case("private-chunk-behind", png_chunk(b"prVt", JPEG.data), behind=True)
    yield _case("private-packed", png_chunk(b"prVt", zlib.compress(JPEG.data)))
    yield _case("unsafe-chunk", png_chunk(b"prVT", JPEG.data))
    yield _case("fireworks", png_chunk(b"mkBT", JPEG.data))
    yield _case("c2pa", png_chunk(b"caBX", c2pa(JPEG.data)))
    yield _case("samples-suggested-palette", png_chunk(b"sPLT", b"name\0\x08" + RAW[:600]))
    yield _case("samples-palette", png_chunk(b"PLTE", RAW[:768]))
    yield _case("samples-histogram", png_chunk(b"PLTE", bytes(768)), png_chunk(b"hIST", RAW[:512]))
    name = b"name" + bytes(5) + RAW[:900]
    yield _case("samples-calibration", png_chunk(b"pCAL", name))


def _beside_the_samples() -> Iterator[Case]:
    yield hide_preview("png-trailing", make_png(MAIN) + JPEG.data)
    two = zlib.compress(png_lines(MAIN)) + JPEG.data
    start, end = make_png(MAIN)[:33], png_chunk(b"IEND")
    yield hide_preview("png-behind-stream", start + png_chunk(b"IDAT", two) + end)
    # Frames of an animation that is none, as no chunk announces it.
    stream = zlib.compress(png_lines(noise(24, 32, 3)))
    frame = png_control(0, 32, 24) + png_chunk(b"fdAT", struct.pack(">I", 1) + stream + JPEG.data)
    yield hide_preview("png-hidden-frame", make_png(MAIN, after=[frame]))


# AVIF and JPEG XL files in which a preview hides, where there is a codec.


_START = b"\0\0\0\x0cJXL \r\n\x87\n" + box(b"ftyp", b"jxl \0\0\0\0jxl ")


def _in_avif() -> Iterator[Case]:
    def case(place: str, **options: Any) -> Case:
        return hide_preview(f"avif-{place}", _save_picture(MAIN, **options))

    yield case("xmp-thumbnails", xmp=thumbnails(JPEG.data))
    yield case("icc-private-tag", icc_profile=HIDING)
    plain = _save_picture(MAIN)
    yield hide_preview("avif-c2pa", plain + box(b"uuid", bytes(range(16)), c2pa(JPEG.data)))
    yield hide_preview("avif-trailing", plain + box(b"free", JPEG.data))
    small = _save_picture(PIXELS)
    item = read_coded(small)
    secret = Preview(small, (item[1], RAW))
    yield hide_preview("avif-thumbnail", _with_item(item, b"thmb", b""), secret)
    kind = b"urn:mpeg:mpegB:cicp:systems:auxiliary:depth\0"
    yield hide_preview("avif-auxiliary", _with_item(item, b"auxl", kind), secret)
    block = bytes(4) + exif(thumbnail=JPEG.data)  # Pillow would write one of its own
    exif_item = _with_item((b"", block), b"cdsc", b"", kind=b"Exif")
    yield hide_preview("avif-exif-thumbnail", exif_item)
    yield hide_preview("avif-item", _with_item((b"", JPEG.data), b"cdsc", b"", kind=b"jpeg"))


_save_picture = partial(b.save_image, file_format="AVIF", quality=80, subsampling="4:4:4")


def _with_item(
    small: tuple[bytes, bytes], reference: bytes, auxiliary: bytes, *, kind: bytes = b"av01"
) -> bytes:
    """An AVIF with a second item that refers to the picture."""
    config, samples = read_coded(_save_picture(MAIN))
    properties = [(ispe(48, 64), [1]), (config, [1])]
    properties += [(ispe(24, 32), [2]), (small[0], [2])] if small[0] else []
    if auxiliary:
        properties.append((box(b"auxC", bytes(4), auxiliary), [2]))
    references = box(b"iref", bytes(4), box(reference, struct.pack(">HHH", 2, 1, 1)))
    items = [(1, b"av01", samples), (2, kind, small[1])]
    return avif(items, properties, references=references)


def _in_jpeg_xl() -> Iterator[Case]:
    codestream = bytes(imagecodecs.jpegxl_encode(MAIN, lossless=True, usecontainer=False))

    def case(place: str, kind: bytes, body: bytes, preview: Preview = JPEG) -> Case:
        data = _START + box(kind, body) + box(b"jxlc", codestream)
        return hide_preview(f"jxl-{place}", data, preview)

    yield case("exif-thumbnail", b"Exif", bytes(4) + exif(thumbnail=JPEG.data))
    yield case("xmp-thumbnails", b"xml ", thumbnails(JPEG.data))
    yield case("jumbf", b"jumb", c2pa(JPEG.data)[8:])
    yield case("gain-map", b"jhgm", JPEG_XL.data, JPEG_XL)
    yield case("unknown-box", b"prvt", JPEG.data)
    whole = _START + box(b"jxlc", codestream)
    yield hide_preview("jxl-trailing", whole + box(b"free", JPEG.data))
