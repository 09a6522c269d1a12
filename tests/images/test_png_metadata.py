"""What a PNG says beside its samples is kept, in whichever chunk it stands."""

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
    Frame,
    Metadata,
    Picture,
    Resolution,
    decode_picture,
    encode_picture,
    lost_metadata,
)
from sudokucrypt.images.png.chunks import walk_chunks
from sudokucrypt.images.source import Source
from tests.images.builders import HEADER, noise, png_chunk, png_of, png_text, saved, seen_in_pillow

PIXELS = noise(5, 3, 3)
EXIF = b"II*\0\x08\0\0\0\0\0"
PROFILE = zlib.compress(b"profile")
XMP = png_text(b"iTXt", "XML:com.adobe.xmp", b"<x/>")


def read(*before: bytes, after: tuple[bytes, ...] = ()) -> Metadata:
    """What a picture says that has these chunks."""
    return decode_picture(png_of(PIXELS, before=before, after=after)).metadata


def written(metadata: Metadata, **changes: Any) -> bytes:
    """The file that is written of a picture with these metadata."""
    frame = Frame(pixels=PIXELS, mode="rgb", metadata=metadata, **changes)
    return encode_picture(Picture(frames=(frame,), format="PNG"), "PNG")


def kinds(data: bytes) -> list[str]:
    return [kind.decode() for kind, _ in walk_chunks(Source(data, "x", 99))]


def test_fields() -> None:
    """EXIF, profile, XMP, resolution and texts are found before and behind the samples."""
    exif, text = png_chunk(b"eXIf", EXIF), png_text(b"tEXt", "Title", b"caf\xe9")
    density = png_chunk(b"pHYs", struct.pack(">IIB", 2835, 5669, 1))
    profile = png_chunk(b"iCCP", b"name\0\0" + PROFILE)
    expected = Metadata(
        exif=EXIF,
        icc=b"profile",
        xmp=b"<x/>",
        resolution=Resolution(columns=Fraction(2835), rows=Fraction(5669), unit="meter"),
        texts=(("Title", "caf\xe9"),),
    )
    assert read(exif, text, density, profile, XMP) == expected
    assert read(density, profile, after=(exif, text, XMP)) == expected
    ratio = read(png_chunk(b"pHYs", struct.pack(">IIB", 3, 4, 0))).resolution
    assert ratio == Resolution(columns=Fraction(3), rows=Fraction(4), unit=None)


def test_pillow_sees_the_same() -> None:
    """A file with everything that Pillow writes shows the same after a round trip."""
    text = PngImagePlugin.PngInfo()
    text.add_text("Comment", "hello")
    text.add_text("Long", "again " * 99, zip=True)
    text.add_itxt("Author", "\u5c71\u7530", "ja", "\u8457\u8005")
    exif = Image.Exif()
    exif[0x010E] = "a description"
    for mode in ("L", "LA", "RGB", "RGBA"):
        data = saved(
            noise(5, 3, len(mode)),
            "PNG",
            pnginfo=text,
            exif=exif,
            dpi=(72, 300),
            icc_profile=b"profile",
        )
        picture = decode_picture(data)
        assert picture.dropped == ()
        assert seen_in_pillow(encode_picture(picture, "PNG")) == seen_in_pillow(data)


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
        (b"tEXt", b"no separator"),
        (b"tEXt", b"two  spaces\0text"),
        (b"tEXt", b"x" * 80 + b"\0text"),
        (b"tEXt", b"key\0te\0xt"),
        (b"iTXt", b"key\0\0\0\0\0\xff"),
        (b"iTXt", b"key\0\0\0en\0\0text"),
        (b"iTXt", b"XML:com.adobe.xmp\0\1\0\0\0" + PROFILE),
        (b"zTXt", b"key\0\0" + PROFILE),
        (b"bKGD", bytes(6)),
        (b"sBIT", b"\5\6\5"),
        (b"hIST", bytes(6)),
        (b"PLTE", bytes(9)),
        (b"tIME", bytes(7)),
        (b"sPLT", b"x\0\x08"),
        (b"cICP", b"\1\2\0\1"),
        (b"prVt", b""),
    ],
)
def test_what_is_kept_as_it_is(kind: bytes, body: bytes) -> None:
    """Chunks that say nothing we understand come back byte for byte, in their place."""
    data = png_of(PIXELS, before=[png_chunk(kind, body)])
    picture = decode_picture(data)
    native = ((f"PNG {kind.decode()}", body),)
    assert (picture.metadata, picture.dropped) == (Metadata(native=native), ())
    assert png_chunk(kind, body) in encode_picture(picture, "PNG")
    behind = decode_picture(png_of(PIXELS, after=[png_chunk(kind, body)]))
    if kind != b"PLTE":
        assert behind.metadata.native == ((f"PNG {kind.decode()} behind", body),)
        assert kinds(encode_picture(behind, "PNG")) == ["IHDR", "IDAT", kind.decode(), "IEND", ""]


def test_order() -> None:
    """Chunks stand where PNG wants them, whatever the order in which they are kept."""
    names = ("bKGD", "tIME", "sBIT", "hIST", "PLTE", "gAMA", "cHRM")
    bodies = {"sBIT": 3, "PLTE": 9, "bKGD": 6}
    native = [(f"PNG {name}", bytes(bodies.get(name, 4))) for name in names]
    metadata = Metadata(
        exif=EXIF,
        icc=b"p",
        xmp=b"x",
        texts=(("A", "b"), ("B", "\u5c71")),
        resolution=Resolution(columns=Fraction(1), rows=Fraction(1), unit="inch"),
        native=(("PNG prVt behind", b""), *native),
    )
    assert kinds(written(metadata, transparent=(1, 2, 3))) == [
        *("IHDR", "iCCP", "sBIT", "gAMA", "cHRM", "PLTE", "tRNS", "eXIf", "pHYs", "iTXt", "tEXt"),
        *("iTXt", "bKGD", "tIME", "hIST", "IDAT", "prVt", "IEND", ""),
    ]


def test_unknown_chunks() -> None:
    """Of the unknown chunks, those that may be copied are kept; the others are named."""
    for kind, dropped in ((b"prVt", ()), (b"prVT", ("other data",)), (b"caBX", ("other data",))):
        data = png_of(PIXELS, before=[png_chunk(kind, b"x")])
        assert decode_picture(data).dropped == dropped
    again = png_of(PIXELS, before=[png_chunk(b"eXIf", EXIF), png_chunk(b"eXIf", EXIF), XMP, XMP])
    picture = decode_picture(again)
    assert (picture.metadata.exif, picture.dropped) == (EXIF, ("EXIF", "XMP"))


@pytest.mark.parametrize("block", [b"hello world", b"II*\0", b"MM", b"Exif\0\0II*\0\x08\0\0\0"])
def test_pillow_reads_the_exif(block: bytes) -> None:
    """A block that it would fail at is not written, and named."""
    jpeg = saved(PIXELS, "JPEG", exif=b"Exif\0\0" + block)
    picture = decode_picture(jpeg)
    assert lost_metadata(picture, "PNG", header=False) == Metadata(exif=block)
    with Image.open(io.BytesIO(encode_picture(picture, "PNG"))) as image:
        assert not image.getexif()


@pytest.mark.parametrize("behind", [False, True])
def test_notes_that_were_changed(behind: bool) -> None:
    """A chunk that viewers can do without is left out and named if its checksum is wrong."""
    for kind, body in (
        (b"tEXt", b"Title\0x"),
        (b"eXIf", EXIF),
        (b"gAMA", bytes(4)),
        (b"prVt", b"x"),
    ):
        chunk = png_chunk(kind, body)
        changed = [chunk[:-1] + bytes([chunk[-1] ^ 1])]
        data = png_of(PIXELS, **({"after": changed} if behind else {"before": changed}))
        picture = decode_picture(data)
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
def test_chunks_that_count(kind: bytes, body: bytes) -> None:
    """Our header, frames and transparency are damaged and not left out."""
    chunk = png_chunk(kind, body)
    with pytest.raises(InvalidImageError, match=f"its {kind.decode()} chunk has a wrong checksum"):
        decode_picture(png_of(PIXELS, before=[chunk[:-1] + bytes([chunk[-1] ^ 1])]))


def test_leftover() -> None:
    """What depends on the mode, belongs to other formats or is no PNG text stays behind."""
    fits = {"gray": (2, 1), "gray-alpha": (2, 2), "rgb": (6, 3), "rgba": (6, 4), "palette": (1, 3)}
    for mode, lengths in fits.items():
        native = tuple(zip(("PNG bKGD", "PNG sBIT"), map(bytes, lengths), strict=True))
        for other, expected in fits.items():
            frame = Frame(pixels=PIXELS, mode=other, metadata=Metadata(native=native))  # type: ignore[arg-type]
            kept = [have == want for have, want in zip(lengths, expected, strict=True)]
            left = tuple(item for item, keep in zip(native, kept, strict=True) if not keep)
            assert lost_metadata(frame, "PNG", header=True) == Metadata(native=left), (
                mode,
                other,
            )
    lost = Metadata(
        exif=b"Exif\0\0" + EXIF,
        icc=bytes(2**24 + 1),
        resolution=Resolution(columns=Fraction(1, 99), rows=Fraction(1), unit="meter"),
        texts=(("", "x"), ("a\n", "x"), ("a", "\0"), ("sudokucrypt", "\u5c71"), ("a", "\ud800")),
        native=(
            *(("TIFF 33432", b"x"), ("PNG IDAT", b"x"), ("PNG tRNS", b"x"), ("PNG fcTL", b"x")),
            *(("PNG tEXt", b"a\0b"), ("PNG gAMA ", b"x"), ("PNG PLTE", b"x"), ("PNG prVT", b"")),
        ),
    )
    frame = Frame(pixels=PIXELS, mode="rgb", metadata=lost)
    assert lost_metadata(frame, "PNG", header=False) == lost
    assert kinds(written(lost)) == ["IHDR", "IDAT", "IEND", ""]


def test_resolution() -> None:
    """Inches become meters, and a ratio becomes whole numbers."""
    for given_, expected in (
        ((Fraction(72), Fraction(300), "inch"), (2835, 11811, 1)),
        ((Fraction(2835), Fraction(5, 2), "meter"), (2835, 2, 1)),
        ((Fraction(1, 3), Fraction(3, 4), None), (4, 9, 0)),
    ):
        columns, rows, unit = given_
        metadata = Metadata(resolution=Resolution(columns=columns, rows=rows, unit=unit))  # type: ignore[arg-type]
        assert png_chunk(b"pHYs", struct.pack(">IIB", *expected)) in written(metadata)


def test_what_may_be_there_once() -> None:
    """A second chunk of such a kind is left over instead of written."""
    metadata = Metadata(icc=b"profile", native=(("PNG PLTE", b"abc"), ("PNG PLTE", b"xyz")))
    frame = Frame(pixels=noise(2, 2, 3), mode="rgb", metadata=metadata)
    assert lost_metadata(frame, "PNG", header=False) == Metadata(native=(("PNG PLTE", b"xyz"),))


@pytest.mark.parametrize("size", [16 * 2**20, 16 * 2**20 + 1])
def test_profiles_up_to_the_limit(size: int) -> None:
    """A profile of 16 MiB is read and written; of a longer one the chunk is kept as it is."""
    chunk = png_chunk(b"iCCP", b"name\0\0" + zlib.compress(bytes(size)))
    metadata = decode_picture(png_of(noise(2, 2, 1), before=[chunk])).metadata
    assert (metadata.icc == bytes(size)) == (size == 16 * 2**20)
    assert len(metadata.native) == (0 if metadata.icc else 1)
    frame = Frame(pixels=noise(2, 2, 1), mode="gray", metadata=Metadata(icc=bytes(size)))
    assert bool(lost_metadata(frame, "PNG", header=False).icc) == (size > 16 * 2**20)
