"""Netpbm: text and binary, bits and floats, to the last digit."""

import numpy as np
import pytest

from sudokucrypt.errors import InvalidImageError, UnsupportedError
from sudokucrypt.images import decode_picture, default_format, encode_picture
from sudokucrypt.images.picture import Metadata
from tests.images.builders import SIZES, noise, opened, saved
from tests.images.samples import shown


def _write(pixels: np.ndarray, kind: int, largest: int = 255, comment: bytes = b"") -> bytes:
    rows, columns = pixels.shape[:2]
    head = b"P%d\n%s%d %d\n%d\n" % (kind, comment, columns, rows, largest)
    if kind > 3:
        return head + pixels.astype(pixels.dtype.newbyteorder(">")).tobytes()
    return head + b"\n".join(b"%d" % sample for sample in pixels.ravel()) + b"\n"


@pytest.mark.parametrize(("kind", "channels"), [(2, 1), (3, 3), (5, 1), (6, 3)])
def test_reads_exactly(kind: int, channels: int) -> None:
    """Largest values that fill whole bits are exact, and Pillow's levels are multiples.

    So are the colors of few bits here: few programs read such a TIFF, and PNG has none.
    """
    for largest in (1, 3, 15, 255, 65535):
        dtype = "uint16" if largest > 255 else "uint8"
        for size in ((1, 1), (1, 7), (5, 3)):
            pixels = noise(*size, channels, dtype) & largest
            data = _write(pixels, kind, largest)
            picture = decode_picture(data)
            wide = largest <= 15 and channels > 1
            assert np.array_equal(picture.pixels, pixels * (255 // largest if wide else 1))
            assert picture.pixels.dtype == (bool if largest == 1 and not wide else dtype)
            assert picture.frames[0].depth == (8 if wide else largest.bit_length())
            assert (picture.header, picture.format, picture.dropped) == (None, "PPM", ())
            if largest <= 255:
                levels = pixels * (255 // largest)
                assert np.array_equal(opened(data), levels)
                for kept in ("TIFF", default_format(picture)):
                    seen = shown(encode_picture(picture, kept), "L" if channels == 1 else "RGB")
                    assert np.array_equal(seen, levels)


def test_comments_are_texts() -> None:
    """A comment in the head is kept as text."""
    pixels = noise(5, 3, 3)
    picture = decode_picture(_write(pixels, 6, comment=b"# by hand\n#\n#two\n"))
    assert np.array_equal(picture.pixels, pixels)
    assert picture.frames[0].metadata == Metadata(texts=(("Comment", "by hand\ntwo"),))
    odd = decode_picture(b"P5 #\xe9t\xe9\n1 1 255 a")
    assert odd.frames[0].metadata.texts == (("Comment", "\xe9t\xe9"),)


@pytest.mark.parametrize("size", [*SIZES, (3, 17)])
def test_bitmaps(size: tuple[int, int]) -> None:
    """One is black, as Pillow sees it, in text with and without spaces too."""
    pixels = noise(*size, 1) > 128
    binary = saved(pixels, "PPM")
    assert binary.startswith(b"P4")
    digits = ["01"[not sample] for sample in pixels.ravel()]
    texts = [f"P1\n{size[1]} {size[0]}\n{gap.join(digits)}\n".encode() for gap in ("", " ", "\n")]
    for data in (binary, *texts):
        frame = decode_picture(data).frames[0]
        assert np.array_equal(frame.pixels, pixels)
        assert (frame.mode, frame.depth) == ("gray", 1)
        assert np.array_equal(opened(data), pixels)


@pytest.mark.parametrize("kind", [b"Pf", b"PF"])
@pytest.mark.parametrize("scale", [b"-1.0", b"1", b"-2.5e0"])
def test_floats(scale: bytes, kind: bytes) -> None:
    """Floats stand from the bottom up in the byte order that the scale has for a sign."""
    channels = 1 if kind == b"Pf" else 3
    shape = (4, 5) if channels == 1 else (4, 5, 3)
    pixels = np.random.default_rng(1).normal(size=shape).astype(np.float32)
    order = "<f4" if scale.startswith(b"-") else ">f4"
    data = kind + b"\n5 4\n" + scale + b"\n" + pixels[::-1].astype(order).tobytes()
    picture = decode_picture(data)
    assert np.array_equal(picture.pixels, pixels)
    assert picture.pixels.dtype == np.float32
    assert picture.dropped == (() if b"1" in scale else ("scale",))
    if channels == 1 and b"1" in scale:
        assert np.array_equal(opened(data), pixels)


@pytest.mark.parametrize("largest", [1, 255, 65535])
def test_arrays(largest: int) -> None:
    """PAM has one to four channels, whose kind may have a name."""
    for channels in (1, 2, 3, 4):
        for named in (False, True):
            dtype = ">u2" if largest > 255 else "u1"
            pixels = noise(4, 5, channels, "uint16" if largest > 255 else "uint8")
            if largest == 1:
                pixels = pixels % 2
            gray = "BLACKANDWHITE" if largest == 1 else "GRAYSCALE"
            kinds = {1: gray, 2: f"{gray}_ALPHA", 3: "RGB", 4: "RGB_ALPHA"}
            kind = f"TUPLTYPE {kinds[channels]}\n" if named else ""
            head = (
                f"P7\n# note\nWIDTH 5\nHEIGHT 4\nDEPTH {channels}\nMAXVAL {largest}\n{kind}ENDHDR\n"
            )
            picture = decode_picture(head.encode() + pixels.astype(dtype).tobytes())
            wide = largest == 1 and channels > 1
            assert np.array_equal(picture.pixels, pixels * (255 if wide else 1))
            assert picture.pixels.itemsize == (2 if largest > 255 else 1)
            if largest < 256 or channels == 1:  # Pillow shows no colors of 16 bits
                opened(encode_picture(picture, default_format(picture)))
            assert picture.frames[0].metadata.texts == (("Comment", "note"),)


@pytest.mark.parametrize(
    "data",
    [
        b"P5 2 1 7 ab", b"P5 2 1 1023 abcd", b"P5 2 1 255 abP5 2 1 255 ab", b"P5 2 1 255\r\nab",
        b"P7\nWIDTH 1\nHEIGHT 1\nDEPTH 5\nMAXVAL 255\nENDHDR\nabcde",
        b"P7\nWIDTH 1\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE CMYK\nENDHDR\nabcd",
        b"P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 100\nENDHDR\na",
    ],
)  # fmt: skip
def test_refuses_other_kinds(data: bytes) -> None:
    """Other depths and channels, and several pictures raise `UnsupportedError`."""
    with pytest.raises(UnsupportedError):
        decode_picture(data)


@pytest.mark.parametrize(
    "data",
    [
        b"P5\n2 1\n", b"P5 x 1 255 ab", b"P5 -2 1 255 ab", b"P5 0 1 255 ", b"P5 2 1 255 a",
        b"P2 2 1 255 1 2 3\n", b"P2 2 1 255 1\n", b"P2 2 1 255 1 256\n",
        b"P2 2 1 255 1 99999999999999999999999\n", b"P2 2 1 255 1 -2\n", b"P2 2 1 255 1 2.0\n",
        b"P2 2 1 255 1 2 # two\n", b"P2 2 1 255 12 25", b"P2 2 1 255 \n", b"P1\n2 1\n0 2\n",
        b"P1\n2 1\n0\n", b"P4\n9 1\n\0", b"P5 2 1 15 a\x10", b"P7\nWIDTH 1\n",
        b"P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nENDHDR\na",
        b"P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\n!\nENDHDR\na", b"Pf\n1 1\n0\n\0\0\0\0",
        b"Pf\n1 1\n-\n\0\0\0\0", b"Pf\n1 1\n-1.0\n\0\0\0",
    ],
)  # fmt: skip
def test_refuses_damage(data: bytes) -> None:
    """Anything but the promised numbers raises `InvalidImageError`."""
    with pytest.raises(InvalidImageError, match="is damaged"):
        decode_picture(data)
