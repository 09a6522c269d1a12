"""PNG files in which a preview hides, in chunks before and behind the samples."""

import base64
import struct
import zlib
from collections.abc import Iterator

from tests.images.builders import noise, png_chunk, png_control, png_lines, png_of, png_text
from tests.leaks.blocks import HIDING, c2pa, exif, thumbnails
from tests.leaks.previews import JPEG, MAIN, RAW, Case, hidden

_JPEG64 = base64.b64encode(JPEG.data)
_XMP = "XML:com.adobe.xmp"


def cases() -> Iterator[Case]:
    """Yield all of them."""
    yield from _in_chunks()
    yield from _beside_the_samples()


def _case(place: str, *chunks: bytes, behind: bool = False) -> Case:
    options = {"after" if behind else "before": chunks}
    return hidden(f"png-{place}", png_of(MAIN, **options))


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
    yield hidden("png-trailing", png_of(MAIN) + JPEG.data)
    two = zlib.compress(png_lines(MAIN)) + JPEG.data
    start, end = png_of(MAIN)[:33], png_chunk(b"IEND")
    yield hidden("png-behind-stream", start + png_chunk(b"IDAT", two) + end)
    # Frames of an animation that is none, as no chunk announces it.
    stream = zlib.compress(png_lines(noise(24, 32, 3)))
    frame = png_control(0, 32, 24) + png_chunk(b"fdAT", struct.pack(">I", 1) + stream + JPEG.data)
    yield hidden("png-hidden-frame", png_of(MAIN, after=[frame]))
