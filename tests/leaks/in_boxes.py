"""AVIF and JPEG XL files in which a preview hides, where there is a codec."""

import io
import struct
from collections.abc import Iterator, Sequence

import imagecodecs
from PIL import Image, features

from sudokucrypt.typing import AnyArray
from tests.images.builders import box
from tests.leaks.blocks import c2pa, exif, profile, thumbnails
from tests.leaks.case import Case, hidden
from tests.leaks.previews import JPEG, JPEG_XL, MAIN, PIXELS, RAW, Preview

_START = b"\0\0\0\x0cJXL \r\n\x87\n" + box(b"ftyp", b"jxl \0\0\0\0jxl ")
_ICC = profile({b"prvt": b"data" + bytes(4) + JPEG.data})


def cases() -> Iterator[Case]:
    """Yield those for which the codecs are there."""
    if imagecodecs.AVIF.available and features.check("avif"):
        yield from _in_avif()
    if imagecodecs.JPEGXL.available:
        yield from _in_jpeg_xl()


def _in_avif() -> Iterator[Case]:
    def case(place: str, **options: bytes) -> Case:
        return hidden(f"avif-{place}", _saved(MAIN, **options), JPEG)

    yield case("xmp-thumbnails", xmp=thumbnails(JPEG.data))
    yield case("icc-private-tag", icc_profile=_ICC)
    plain = _saved(MAIN)
    yield hidden("avif-c2pa", plain + box(b"uuid", bytes(range(16)), c2pa(JPEG.data)), JPEG)
    yield hidden("avif-trailing", plain + box(b"free", JPEG.data), JPEG)
    small = _saved(PIXELS)
    coded = _coded(small)
    secret = Preview(small, (coded[1], RAW))
    yield hidden("avif-thumbnail", _with_item(coded, b"thmb", b""), secret)
    kind = b"urn:mpeg:mpegB:cicp:systems:auxiliary:depth\0"
    yield hidden("avif-auxiliary", _with_item(coded, b"auxl", kind), secret)
    block = bytes(4) + exif(thumbnail=JPEG.data)  # Pillow would write one of its own
    exif_item = _with_item((b"", block), b"cdsc", b"", kind=b"Exif")
    yield hidden("avif-exif-thumbnail", exif_item, JPEG)
    yield hidden("avif-item", _with_item((b"", JPEG.data), b"cdsc", b"", kind=b"jpeg"), JPEG)


def _saved(pixels: AnyArray, **options: bytes) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "AVIF", quality=80, subsampling="4:4:4", **options)
    return buffer.getvalue()


def _coded(data: bytes) -> tuple[bytes, bytes]:
    """The configuration and the samples of the only picture in a file."""
    start = data.index(b"av1C") - 4
    length = int.from_bytes(data[start : start + 4], "big")
    return data[start : start + length], data[data.index(b"mdat") + 4 :]


def _with_item(
    small: tuple[bytes, bytes], reference: bytes, auxiliary: bytes, *, kind: bytes = b"av01"
) -> bytes:
    """An AVIF with a second item that refers to the picture."""
    config, samples = _coded(_saved(MAIN))
    of_small = [_size(24, 32), small[0]] if small[0] else []
    if auxiliary:
        of_small.append(box(b"auxC", bytes(4), auxiliary))
    properties = [_size(48, 64), config, *of_small]
    tied = [(1, [1, 0x82]), (2, list(range(3, 3 + len(of_small))))]
    items = [(1, b"av01", samples), (2, kind, small[1])]
    ftyp = box(b"ftyp", b"avif\0\0\0\0avifmif1miaf")
    references = box(b"iref", bytes(4), box(reference, struct.pack(">HHH", 2, 1, 1)))
    size = len(_meta(items, properties, tied, references, 0))
    meta = _meta(items, properties, tied, references, len(ftyp) + size + 8)
    return ftyp + meta + box(b"mdat", *(content for *_, content in items))


def _size(rows: int, columns: int) -> bytes:
    return box(b"ispe", bytes(4), struct.pack(">II", columns, rows))


def _meta(
    items: Sequence[tuple[int, bytes, bytes]],
    properties: Sequence[bytes],
    tied: Sequence[tuple[int, Sequence[int]]],
    references: bytes,
    start: int,
) -> bytes:
    """What says where the items are and what they are."""
    places, infos = b"", []
    for number, kind, content in items:
        places += struct.pack(">HHHHII", number, 0, 0, 1, start, len(content))
        start += len(content)
        infos.append(box(b"infe", b"\2\0\0\0", struct.pack(">HH", number, 0), kind, b"\0"))
    ties = b"".join(struct.pack(">HB", item, len(held)) + bytes(held) for item, held in tied)
    count = struct.pack(">H", len(items))
    return box(
        b"meta",
        bytes(4),
        box(b"hdlr", bytes(8), b"pict", bytes(13)),
        box(b"pitm", b"\0\0\0\0\0\1"),
        box(b"iloc", b"\1\0\0\0\x44\0", count, places),
        box(b"iinf", bytes(4), count, *infos),
        references,
        box(
            b"iprp",
            box(b"ipco", *properties),
            box(b"ipma", bytes(4), struct.pack(">I", len(tied)), ties),
        ),
    )


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
    yield hidden("jxl-trailing", whole + box(b"free", JPEG.data), JPEG)
