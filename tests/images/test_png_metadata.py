"""Metadata of a PNG are kept, in whichever chunk they are."""

import io
import struct
import zlib
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from PIL import Image, PngImagePlugin

from sudokucrypt.errors import InvalidImageError
from sudokucrypt.images import (
    Metadata,
    Picture,
    Resolution,
    decode_picture,
    encode_picture,
    lost_metadata,
)
from sudokucrypt.images.driver import Source
from sudokucrypt.images.png.file import walk_chunks
from tests.images.builders import (
    HEADER,
    make_png,
    make_png_chunk,
    make_png_text,
    noise,
    read_frames_by_pillow,
    save_image,
)

PIXELS = noise(5, 3, 3)
EXIF = b"II*\0\x08\0\0\0\0\0"
PROFILE = zlib.compress(b"profile")
XMP = make_png_text(b"iTXt", "XML:com.adobe.xmp", b"<x/>")


def read_metadata(*chunks_before: bytes, chunks_after: tuple[bytes, ...] = ()) -> Metadata:
    """Return the metadata of a PNG with the given chunks."""
    return decode_picture(
        make_png(PIXELS, chunks_before=chunks_before, chunks_after=chunks_after)
    ).metadata


def make_picture(metadata: Metadata) -> Picture:
    """Return a picture with the given metadata."""
    return Picture(pixels=PIXELS, mode="rgb", format="PNG", metadata=metadata)


def list_chunk_kinds(data: bytes) -> list[str]:
    return [kind.decode() for kind, _ in walk_chunks(Source(data, "x", 99))]


def test_fields() -> None:
    """EXIF, profile, XMP and resolution are read from chunks before and after the samples."""
    exif = make_png_chunk(b"eXIf", EXIF)
    density = make_png_chunk(b"pHYs", struct.pack(">IIB", 2835, 5669, 1))
    profile = make_png_chunk(b"iCCP", b"name\0\0" + PROFILE)
    expected = Metadata(
        exif=EXIF,
        icc=b"profile",
        xmp=b"<x/>",
        resolution=Resolution(columns=Fraction(2835), rows=Fraction(5669), unit="meter"),
    )
    assert read_metadata(exif, density, profile, XMP) == expected
    assert read_metadata(density, profile, chunks_after=(exif, XMP)) == expected
    aspect_ratio = read_metadata(make_png_chunk(b"pHYs", struct.pack(">IIB", 3, 4, 0))).resolution
    assert aspect_ratio == Resolution(columns=Fraction(3), rows=Fraction(4), unit=None)


def test_pillow_reads_equal_metadata() -> None:
    """Pillow reads the same metadata after reading and writing its PNG, except texts."""
    exif = Image.Exif()
    exif[0x010E] = "a description"
    options: dict[str, Any] = {"exif": exif, "dpi": (72, 300), "icc_profile": b"profile"}
    text = PngImagePlugin.PngInfo()
    text.add_text("Comment", "hello")
    for mode in ("L", "LA", "RGB", "RGBA"):
        picture = decode_picture(save_image(noise(5, 3, len(mode)), "PNG", pnginfo=text, **options))
        assert picture.dropped == ("text",)
        plain = save_image(noise(5, 3, len(mode)), "PNG", **options)
        assert read_frames_by_pillow(encode_picture(picture, "PNG")) == read_frames_by_pillow(plain)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (b"eXIf", b"Exif\0\0" + EXIF),
        (b"eXIf", EXIF[:7]),
        (b"eXIf", b"hello world"),
        (b"eXIf", b""),
        (b"iCCP", b"name\0\0" + PROFILE[:-1]),
        (b"iCCP", b"name\0\1" + PROFILE),
        (b"iCCP", b"\0\0" + PROFILE),
        (b"iCCP", b"name\0\0" + zlib.compress(bytes(16 * 2**20 + 1))),
        (b"pHYs", bytes(8)),
        (b"pHYs", struct.pack(">IIB", 0, 1, 1)),
        (b"pHYs", struct.pack(">IIB", 1, 2**31, 1)),
        (b"pHYs", struct.pack(">IIB", 1, 1, 2)),
        (b"iTXt", b"XML:com.adobe.xmp\0\1\0\0\0" + PROFILE),
    ],
)
def test_invalid_chunks_are_named(kind: bytes, body: bytes) -> None:
    """Metadata chunks with invalid content are named as dropped."""
    names = {b"eXIf": "EXIF", b"iCCP": "ICC profile", b"pHYs": "resolution", b"iTXt": "text"}
    picture = decode_picture(make_png(PIXELS, chunks_before=[make_png_chunk(kind, body)]))
    assert (picture.metadata, picture.dropped) == (Metadata(), (names[kind],))


def test_order() -> None:
    """Chunks of metadata are written in the order that PNG requires."""
    metadata = Metadata(
        exif=EXIF,
        icc=b"p",
        xmp=b"x",
        resolution=Resolution(columns=Fraction(1), rows=Fraction(1), unit="inch"),
    )
    data = encode_picture(make_picture(metadata), "PNG")
    assert list_chunk_kinds(data) == ["IHDR", "iCCP", "eXIf", "pHYs", "iTXt", "IDAT", "IEND", ""]


def test_unknown_chunks() -> None:
    """Unknown and repeated chunks are named as dropped."""
    for kind in (b"prVt", b"prVT", b"caBX"):
        data = make_png(PIXELS, chunks_before=[make_png_chunk(kind, b"x")])
        assert decode_picture(data).dropped == ("other data",)
    rewritten = make_png(
        PIXELS,
        chunks_before=[make_png_chunk(b"eXIf", EXIF), make_png_chunk(b"eXIf", EXIF), XMP, XMP],
    )
    picture = decode_picture(rewritten)
    assert (picture.metadata.exif, picture.dropped) == (EXIF, ("EXIF", "XMP"))


@pytest.mark.parametrize("block", [b"hello world", b"II*\0", b"MM", b"Exif\0\0II*\0\x08\0\0\0"])
def test_pillow_reads_the_exif(block: bytes) -> None:
    """EXIF that Pillow could not read is not written, and named as lost."""
    jpeg = save_image(PIXELS, "JPEG", exif=b"Exif\0\0" + block)
    picture = decode_picture(jpeg)
    assert lost_metadata(picture, "PNG") == ("EXIF",)
    with Image.open(io.BytesIO(encode_picture(picture, "PNG"))) as image:
        assert not image.getexif()


@pytest.mark.parametrize("after_samples", [False, True])
def test_unneeded_chunks_with_wrong_checksums(after_samples: bool) -> None:
    """A chunk with a wrong checksum that viewers do not need is named as damaged data."""
    for kind, body in (
        (b"tEXt", b"Title\0x"),
        (b"eXIf", EXIF),
        (b"gAMA", bytes(4)),
        (b"prVt", b"x"),
    ):
        chunk = make_png_chunk(kind, body)
        changed_chunks = [chunk[:-1] + bytes([chunk[-1] ^ 1])]
        place = "chunks_after" if after_samples else "chunks_before"
        picture = decode_picture(make_png(PIXELS, **{place: changed_chunks}))
        assert np.array_equal(picture.pixels, PIXELS)
        assert (picture.metadata, picture.dropped) == (Metadata(), ("damaged data",))


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        *(
            (b"tRNS", bytes(6)),
            (b"acTL", bytes(8)),
            (b"iTXt", b"Title\0\0\0\0\0x"),
            (b"PLTE", b"abc"),
        ),
        *((kind, b"sudokucrypt\0\0\0\0\0" + HEADER) for kind in (b"iTXt", b"iUXt", b"tEXt")),
    ],
)
def test_needed_chunks_with_wrong_checksums(kind: bytes, body: bytes) -> None:
    """A wrong checksum of a header, frame or transparency chunk raises an error."""
    chunk = make_png_chunk(kind, body)
    with pytest.raises(InvalidImageError, match=f"its {kind.decode()} chunk has a wrong checksum"):
        decode_picture(make_png(PIXELS, chunks_before=[chunk[:-1] + bytes([chunk[-1] ^ 1])]))


def test_lost_metadata_are_named() -> None:
    """Metadata that PNG cannot contain are named as lost, and not written."""
    lost = Metadata(
        exif=b"Exif\0\0" + EXIF,
        icc=bytes(2**24 + 1),
        resolution=Resolution(columns=Fraction(1, 99), rows=Fraction(1), unit="meter"),
    )
    picture = make_picture(lost)
    assert lost_metadata(picture, "PNG") == ("ICC profile", "EXIF", "resolution")
    assert list_chunk_kinds(encode_picture(picture, "PNG")) == ["IHDR", "IDAT", "IEND", ""]


def test_resolution() -> None:
    """A resolution in inches is written in meters, and a ratio as whole numbers."""
    for given_, expected in (
        ((Fraction(72), Fraction(300), "inch"), (2835, 11811, 1)),
        ((Fraction(2835), Fraction(5, 2), "meter"), (2835, 2, 1)),
        ((Fraction(1, 3), Fraction(3, 4), None), (4, 9, 0)),
    ):
        columns, rows, unit = given_
        metadata = Metadata(resolution=Resolution(columns=columns, rows=rows, unit=unit))  # type: ignore[arg-type]
        assert make_png_chunk(b"pHYs", struct.pack(">IIB", *expected)) in encode_picture(
            make_picture(metadata), "PNG"
        )


@pytest.mark.parametrize("size", [16 * 2**20, 16 * 2**20 + 1])
def test_profiles_up_to_the_limit(size: int) -> None:
    """A color profile of 16 MiB is written and read; a longer one is named as lost."""
    chunk = make_png_chunk(b"iCCP", b"name\0\0" + zlib.compress(bytes(size)))
    picture = decode_picture(make_png(noise(2, 2, 1), chunks_before=[chunk]))
    is_written = size == 16 * 2**20
    assert (picture.metadata.icc, picture.dropped) == (
        (bytes(size), ()) if is_written else (None, ("ICC profile",))
    )
    metadata = Metadata(icc=bytes(size))
    assert lost_metadata(make_picture(metadata), "PNG") == (() if is_written else ("ICC profile",))
