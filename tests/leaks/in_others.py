"""WebP, GIF, BMP, PNG, AVIF and JPEG XL files with a hidden preview."""

import base64
import struct
import zlib
from collections.abc import Iterator
from functools import partial
from typing import Any

import imagecodecs
from PIL import features

from tests.images import builders as b
from tests.images.avif import build_avif, make_size_property, read_coded
from tests.images.builders import (
    make_box,
    make_png,
    make_png_chunk,
    make_png_control,
    make_png_lines,
    make_png_text,
    noise,
)
from tests.leaks.blocks import (
    PROFILE_WITH_PREVIEW,
    build_content_credentials,
    build_exif,
    build_thumbnail_packet,
)
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
_CODED_WEBP = b.save_image(MAIN, "WEBP", lossless=True)[20:]
_GRAY_PALETTE = bytes(value for value in range(256) for _ in range(3))
_CANVAS_SIDES = struct.pack("<I", 63)[:3] + struct.pack("<I", 47)[:3]


def list_cases() -> Iterator[Case]:
    """Yield all files for which codecs are installed."""
    yield from _hide_in_webp()
    yield from _hide_in_gif()
    yield from _hide_in_bmp()
    data = b.save_image(MAIN, "PPM")
    comment = data[:3] + b"# " + _JPEG64 + b"\n" + data[3:]
    yield hide_preview("netpbm-comment", comment)
    yield from _hide_in_chunks()
    yield from _hide_outside_the_samples()
    if imagecodecs.AVIF.available and features.check("avif"):
        yield from _hide_in_avif()
    if imagecodecs.JPEGXL.available:
        yield from _hide_in_jpeg_xl()


def _hide_in_webp() -> Iterator[Case]:
    def case(place: str, *chunks: tuple[bytes, bytes], flags: int = 0, end: bytes = b"") -> Case:
        canvas = (b"VP8X", bytes([flags, 0, 0, 0]) + _CANVAS_SIDES)
        return hide_preview(
            f"webp-{place}", b.build_webp(canvas, (b"VP8L", _CODED_WEBP), *chunks) + end
        )

    yield case("exif-thumbnail", (b"EXIF", build_exif(thumbnail=JPEG.data)), flags=8)
    yield case("exif-wrapped", (b"EXIF", b"Exif\0\0" + build_exif(thumbnail=JPEG.data)), flags=8)
    yield case("exif-maker-note", (b"EXIF", build_exif(photo=[(37500, 7, JPEG.data)])), flags=8)
    yield case("exif-broken", (b"EXIF", JPEG.data), flags=8)
    yield case("xmp-thumbnails", (b"XMP ", build_thumbnail_packet(JPEG.data)), flags=4)
    yield case("xmp-broken", (b"XMP ", JPEG.data), flags=4)
    yield case("icc-private-tag", (b"ICCP", PROFILE_WITH_PREVIEW), flags=32)
    yield case("icc-broken", (b"ICCP", JPEG.data), flags=32)
    yield case("unknown-chunk", (b"prvt", JPEG.data))
    yield case("c2pa", (b"C2PA", build_content_credentials(JPEG.data)))
    yield case("trailing", end=JPEG.data)
    frame = bytes(6) + _CANVAS_SIDES + bytes(4)
    for body in (_CODED_WEBP, JPEG.data):
        kind = b"VP8L" if body is _CODED_WEBP else b"prvt"
        frame += kind + struct.pack("<I", len(body)) + body + b"\0" * (len(body) % 2)
    canvas = (b"VP8X", b"\2\0\0\0" + _CANVAS_SIDES)
    animation = b.build_webp(canvas, (b"ANIM", bytes(6)), (b"ANMF", frame))
    yield hide_preview("webp-in-frame", animation)


def _hide_in_gif() -> Iterator[Case]:
    image = b.make_gif_image(MAIN_NUMBERS)

    def case(place: str, *blocks: bytes, end: bytes = b";", palette: bytes = _GRAY_PALETTE) -> Case:
        data = b.build_gif(*blocks, columns=64, rows=48, palette=palette, file_end=end)
        return hide_preview(f"gif-{place}", data)

    yield case("comment", b"!\xfe" + b.make_gif_blocks(_JPEG64), image)
    yield case("comment-plain", b"!\xfe" + b.make_gif_blocks(JPEG.data), image)
    yield case("comment-behind", image, b"!\xfe" + b.make_gif_blocks(_JPEG64))
    jpeg_parts = [JPEG.data[i : i + 255] for i in range(0, len(JPEG.data), 255)]
    yield case("application", b.make_gif_application(b"PRIVATE 1.0", *jpeg_parts), image)
    yield case("application-odd", b"!\xff" + b.make_gif_blocks(JPEG.data), image)
    packet = build_thumbnail_packet(JPEG.data)
    magic = b"\1" + bytes(range(255, -1, -1)) + b"\0"
    yield case("xmp", b"!\xff\x0bXMP DataXMP" + packet + magic, image)
    pieces = [PROFILE_WITH_PREVIEW[i : i + 255] for i in range(0, len(PROFILE_WITH_PREVIEW), 255)]
    yield case("icc", b.make_gif_application(b"ICCRGBG1012", *pieces), image)
    text = bytes(12) + RAW[:200]
    yield case("samples-letters", b.make_gif_control(), b"!\x01" + b.make_gif_blocks(text), image)
    yield case("unknown-extension", b"!\x42" + b.make_gif_blocks(JPEG.data), image)
    yield case("trailing", image, end=b";" + JPEG.data)


def _hide_in_bmp() -> Iterator[Case]:
    lines = MAIN[::-1, :, ::-1].tobytes()
    plain = b.build_bmp(24, lines, columns=64, rows=48)
    yield hide_preview("bmp-trailing", plain + JPEG.data)
    file_with_gap = b.build_bmp(24, lines, columns=64, rows=48, extra=RAW)
    yield hide_preview("bmp-gap", file_with_gap, SAMPLES)
    header_end = bytearray(84)
    header_end[16:20] = b"DEBM"
    profile_header = struct.pack("<II", 124 + len(lines), len(PROFILE_WITH_PREVIEW))
    header_end[72:80] = profile_header
    data = b.build_bmp(24, lines, columns=64, rows=48, header_size=124, extra=bytes(header_end))
    yield hide_preview("bmp-icc", data + PROFILE_WITH_PREVIEW)


# PNG files with a preview in chunks before and after the samples.


_XMP = "XML:com.adobe.xmp"


def _make_png_case(place_name: str, *chunks: bytes, after_samples: bool = False) -> Case:
    options = {"chunks_after" if after_samples else "chunks_before": chunks}
    return hide_preview(f"png-{place_name}", make_png(MAIN, **options))


def _hide_in_chunks() -> Iterator[Case]:
    compressed = b"Comment\0\0" + zlib.compress(_JPEG64)
    yield _make_png_case("text", make_png_text(b"tEXt", "Comment", _JPEG64))
    yield _make_png_case(
        "text-behind", make_png_text(b"tEXt", "Thumb::Image", _JPEG64), after_samples=True
    )
    yield _make_png_case(
        "samples-text", make_png_text(b"tEXt", "Comment", RAW.replace(b"\0", b"\1"))
    )
    yield _make_png_case("compressed-text", make_png_chunk(b"zTXt", compressed))
    yield _make_png_case(
        "compressed-picture", make_png_chunk(b"zTXt", b"a\0\0" + zlib.compress(JPEG.data))
    )
    yield _make_png_case(
        "international-text", make_png_text(b"iTXt", "Comment", "é".encode() + _JPEG64)
    )
    compressed_text = b"Comment\0\1\0\0\0" + zlib.compress(_JPEG64)
    yield _make_png_case("international-compressed", make_png_chunk(b"iTXt", compressed_text))
    raw = f"\nexif\n{len(JPEG.data):8}\n{JPEG.data.hex()}\n".encode()
    yield _make_png_case("raw-profile", make_png_text(b"tEXt", "Raw profile type exif", raw))
    yield _make_png_case(
        "xmp-thumbnails", make_png_text(b"iTXt", _XMP, build_thumbnail_packet(JPEG.data))
    )
    yield _make_png_case("exif-thumbnail", make_png_chunk(b"eXIf", build_exif(thumbnail=JPEG.data)))
    yield _make_png_case(
        "exif-behind", make_png_chunk(b"eXIf", build_exif(thumbnail=JPEG.data)), after_samples=True
    )
    yield _make_png_case(
        "exif-wrapped", make_png_chunk(b"eXIf", b"Exif\0\0" + build_exif(thumbnail=JPEG.data))
    )
    yield _make_png_case(
        "exif-maker-note",
        make_png_chunk(b"eXIf", build_exif(photo=[(37500, 7, JPEG.data)])),
    )
    icc = b"name\0\0" + zlib.compress(PROFILE_WITH_PREVIEW)
    yield _make_png_case("icc-private-tag", make_png_chunk(b"iCCP", icc))
    yield _make_png_case("icc-broken", make_png_chunk(b"iCCP", b"name\0\0" + JPEG.data))
    yield _make_png_case("private-chunk", make_png_chunk(b"prVt", JPEG.data))
    yield _make_png_case(
        "private-chunk-behind", make_png_chunk(b"prVt", JPEG.data), after_samples=True
    )
    yield _make_png_case("private-packed", make_png_chunk(b"prVt", zlib.compress(JPEG.data)))
    yield _make_png_case("unsafe-chunk", make_png_chunk(b"prVT", JPEG.data))
    yield _make_png_case("fireworks", make_png_chunk(b"mkBT", JPEG.data))
    yield _make_png_case("c2pa", make_png_chunk(b"caBX", build_content_credentials(JPEG.data)))
    yield _make_png_case(
        "samples-suggested-palette", make_png_chunk(b"sPLT", b"name\0\x08" + RAW[:600])
    )
    yield _make_png_case("samples-palette", make_png_chunk(b"PLTE", RAW[:768]))
    yield _make_png_case(
        "samples-histogram", make_png_chunk(b"PLTE", bytes(768)), make_png_chunk(b"hIST", RAW[:512])
    )
    name = b"name" + bytes(5) + RAW[:900]
    yield _make_png_case("samples-calibration", make_png_chunk(b"pCAL", name))


def _hide_outside_the_samples() -> Iterator[Case]:
    yield hide_preview("png-trailing", make_png(MAIN) + JPEG.data)
    longer_stream = zlib.compress(make_png_lines(MAIN)) + JPEG.data
    head, tail = make_png(MAIN)[:33], make_png_chunk(b"IEND")
    yield hide_preview("png-behind-stream", head + make_png_chunk(b"IDAT", longer_stream) + tail)
    # Frames of an animation without the chunk that announces it.
    stream = zlib.compress(make_png_lines(noise(24, 32, 3)))
    frame = make_png_control(0, 32, 24) + make_png_chunk(
        b"fdAT", struct.pack(">I", 1) + stream + JPEG.data
    )
    yield hide_preview("png-hidden-frame", make_png(MAIN, chunks_after=[frame]))


# AVIF and JPEG XL files with a preview, if a codec is installed.


_START = b"\0\0\0\x0cJXL \r\n\x87\n" + make_box(b"ftyp", b"jxl \0\0\0\0jxl ")


def _hide_in_avif() -> Iterator[Case]:
    def case(place_name: str, **options: Any) -> Case:
        return hide_preview(f"avif-{place_name}", _save_picture(MAIN, **options))

    yield case("xmp-thumbnails", xmp=build_thumbnail_packet(JPEG.data))
    yield case("icc-private-tag", icc_profile=PROFILE_WITH_PREVIEW)
    plain = _save_picture(MAIN)
    yield hide_preview(
        "avif-c2pa",
        plain + make_box(b"uuid", bytes(range(16)), build_content_credentials(JPEG.data)),
    )
    yield hide_preview("avif-trailing", plain + make_box(b"free", JPEG.data))
    small_picture = _save_picture(PIXELS)
    item = read_coded(small_picture)
    secret = Preview(small_picture, (item[1], RAW))
    yield hide_preview("avif-thumbnail", _build_avif_with_item(item, b"thmb", b""), secret)
    kind = b"urn:mpeg:mpegB:cicp:systems:auxiliary:depth\0"
    yield hide_preview("avif-auxiliary", _build_avif_with_item(item, b"auxl", kind), secret)
    block = bytes(4) + build_exif(
        thumbnail=JPEG.data
    )  # added here, since Pillow would write EXIF of its own
    exif_item = _build_avif_with_item((b"", block), b"cdsc", b"", kind=b"Exif")
    yield hide_preview("avif-exif-thumbnail", exif_item)
    yield hide_preview(
        "avif-item", _build_avif_with_item((b"", JPEG.data), b"cdsc", b"", kind=b"jpeg")
    )


_save_picture = partial(b.save_image, file_format="AVIF", quality=80, subsampling="4:4:4")


def _build_avif_with_item(
    small: tuple[bytes, bytes], reference: bytes, auxiliary: bytes, *, kind: bytes = b"av01"
) -> bytes:
    """Return an AVIF with a second item that refers to the picture."""
    config, samples = read_coded(_save_picture(MAIN))
    properties = [(make_size_property(48, 64), [1]), (config, [1])]
    properties += [(make_size_property(24, 32), [2]), (small[0], [2])] if small[0] else []
    if auxiliary:
        properties.append((make_box(b"auxC", bytes(4), auxiliary), [2]))
    references = make_box(b"iref", bytes(4), make_box(reference, struct.pack(">HHH", 2, 1, 1)))
    items = [(1, b"av01", samples), (2, kind, small[1])]
    return build_avif(items, properties, references=references)


def _hide_in_jpeg_xl() -> Iterator[Case]:
    codestream = bytes(imagecodecs.jpegxl_encode(MAIN, lossless=True, usecontainer=False))

    def case(place_name: str, kind: bytes, body: bytes, preview: Preview = JPEG) -> Case:
        data = _START + make_box(kind, body) + make_box(b"jxlc", codestream)
        return hide_preview(f"jxl-{place_name}", data, preview)

    yield case("exif-thumbnail", b"Exif", bytes(4) + build_exif(thumbnail=JPEG.data))
    yield case("xmp-thumbnails", b"xml ", build_thumbnail_packet(JPEG.data))
    yield case("jumbf", b"jumb", build_content_credentials(JPEG.data)[8:])
    yield case("gain-map", b"jhgm", JPEG_XL.data, JPEG_XL)
    yield case("unknown-box", b"prvt", JPEG.data)
    boxed_file = _START + make_box(b"jxlc", codestream)
    yield hide_preview("jxl-trailing", boxed_file + make_box(b"free", JPEG.data))
