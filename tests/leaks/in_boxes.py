"""AVIF and JPEG XL files in which a preview hides, where there is a codec."""

import io
import struct
from collections.abc import Iterator

import imagecodecs
from PIL import Image, features

from sudokucrypt.typing import AnyArray
from tests.images.avif import avif, coded, ispe
from tests.images.builders import box
from tests.leaks.blocks import HIDING, c2pa, exif, thumbnails
from tests.leaks.previews import JPEG, JPEG_XL, MAIN, PIXELS, RAW, Case, Preview, hidden

_START = b"\0\0\0\x0cJXL \r\n\x87\n" + box(b"ftyp", b"jxl \0\0\0\0jxl ")


def cases() -> Iterator[Case]:
    """Yield those for which the codecs are there."""
    if imagecodecs.AVIF.available and features.check("avif"):
        yield from _in_avif()
    if imagecodecs.JPEGXL.available:
        yield from _in_jpeg_xl()


def _in_avif() -> Iterator[Case]:
    def case(place: str, **options: bytes) -> Case:
        return hidden(f"avif-{place}", _saved(MAIN, **options))

    yield case("xmp-thumbnails", xmp=thumbnails(JPEG.data))
    yield case("icc-private-tag", icc_profile=HIDING)
    plain = _saved(MAIN)
    yield hidden("avif-c2pa", plain + box(b"uuid", bytes(range(16)), c2pa(JPEG.data)))
    yield hidden("avif-trailing", plain + box(b"free", JPEG.data))
    small = _saved(PIXELS)
    item = coded(small)
    secret = Preview(small, (item[1], RAW))
    yield hidden("avif-thumbnail", _with_item(item, b"thmb", b""), secret)
    kind = b"urn:mpeg:mpegB:cicp:systems:auxiliary:depth\0"
    yield hidden("avif-auxiliary", _with_item(item, b"auxl", kind), secret)
    block = bytes(4) + exif(thumbnail=JPEG.data)  # Pillow would write one of its own
    exif_item = _with_item((b"", block), b"cdsc", b"", kind=b"Exif")
    yield hidden("avif-exif-thumbnail", exif_item)
    yield hidden("avif-item", _with_item((b"", JPEG.data), b"cdsc", b"", kind=b"jpeg"))


def _saved(pixels: AnyArray, **options: bytes) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "AVIF", quality=80, subsampling="4:4:4", **options)
    return buffer.getvalue()


def _with_item(
    small: tuple[bytes, bytes], reference: bytes, auxiliary: bytes, *, kind: bytes = b"av01"
) -> bytes:
    """An AVIF with a second item that refers to the picture."""
    config, samples = coded(_saved(MAIN))
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
        return hidden(f"jxl-{place}", data, preview)

    yield case("exif-thumbnail", b"Exif", bytes(4) + exif(thumbnail=JPEG.data))
    yield case("xmp-thumbnails", b"xml ", thumbnails(JPEG.data))
    yield case("jumbf", b"jumb", c2pa(JPEG.data)[8:])
    yield case("gain-map", b"jhgm", JPEG_XL.data, JPEG_XL)
    yield case("unknown-box", b"prvt", JPEG.data)
    whole = _START + box(b"jxlc", codestream)
    yield hidden("jxl-trailing", whole + box(b"free", JPEG.data))
