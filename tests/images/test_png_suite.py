"""PNG files of every kind, put together bit by bit: whatever libpng shows is read and kept."""

import io
import struct
import zlib
from collections.abc import Sequence

import imagecodecs
import numpy as np
import pytest
from PIL import Image

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.images import Picture, decode_picture, encode_picture
from sudokucrypt.typing import AnyArray
from tests.images import builders as b

SIZES = [(1, 1), (1, 40), (40, 1), (2, 3), (5, 7), (9, 17)]
NAMES = {0: "gray", 2: "rgb", 3: "palette", 4: "gray-alpha", 6: "rgba"}
COLORS = np.random.default_rng(3).integers(0, 256, 768, dtype=np.uint8).tobytes()
GAMMA = b.png_chunk(b"gAMA", struct.pack(">I", 45455))
TEXTS = [
    b.png_text(b"tEXt", "Title", b"caf\xe9"),
    b.png_text(b"iTXt", "Author", "\u5c71\u7530".encode()),
    b.png_chunk(b"zTXt", b"Comment\0\0" + zlib.compress(b"long " * 99)),
    b.png_chunk(b"iTXt", b"Comment\0\1\0de\0Bemerkung\0" + zlib.compress(b"lang " * 99)),
]

every_mode = pytest.mark.parametrize(("color", "bits"), b.PNG_MODES)


def built(
    pixels: AnyArray,
    color: int,
    bits: int,
    *,
    lines: bytes | None = None,
    interlace: int = 0,
    before: Sequence[bytes] = (),
    after: Sequence[bytes] = (),
    colors: int | None = None,
) -> bytes:
    """A PNG of these samples, with a palette where it needs one."""
    count = 2**bits if colors is None else colors
    palette = [b.png_chunk(b"PLTE", COLORS[: 3 * count])] if color == 3 else []
    stream = b.png_stream(pixels, color, bits, interlace=interlace) if lines is None else lines
    rows, columns = pixels.shape[:2]
    return b.png(
        columns,
        rows,
        stream,
        bits=bits,
        color=color,
        interlace=interlace,
        before=[*palette, *before],
        after=after,
    )


def require_kept(data: bytes, pixels: AnyArray, color: int, bits: int) -> Picture:
    """Check that the samples are read, and that nothing changes when they are written again."""
    picture = decode_picture(data)
    frame = picture.frames[0]
    assert (frame.mode, frame.depth) == (NAMES[color], bits)
    assert frame.pixels.dtype == pixels.dtype
    assert np.array_equal(frame.pixels, pixels)
    again = encode_picture(picture, "PNG", compress=len(pixels) % 2)
    assert b.seen_in_pillow(again) == b.seen_in_pillow(data)
    back = decode_picture(again).frames[0]
    assert vars(back) | {"pixels": 0} == vars(frame) | {"pixels": 0}
    assert np.array_equal(back.pixels, pixels)
    if bits == 16:  # Pillow shows only half of it
        assert np.array_equal(imagecodecs.png_decode(again), imagecodecs.png_decode(data))
    return picture


@every_mode
def test_every_mode_and_size(color: int, bits: int) -> None:
    """Every color type, depth and odd size, interlaced or not, comes back as Pillow sees it."""
    for interlace in (0, 1):
        for rows, columns in SIZES:
            pixels = b.png_noise(rows, columns, color, bits)
            data = built(pixels, color, bits, interlace=interlace)
            assert require_kept(data, pixels, color, bits).dropped == ()


@every_mode
def test_every_filter(color: int, bits: int) -> None:
    """Each filter alone, and all of them in turn, are undone."""
    for interlace in (0, 1):
        pixels = np.cumsum(b.png_noise(15, 13, color, bits), axis=0, dtype=np.uint32)
        pixels = (pixels % 2**bits).astype(b.png_noise(1, 1, color, bits).dtype)
        for kinds in ((1,), (2,), (3,), (4,), (0, 4, 1, 3, 2))[-2 if interlace else 0 :]:
            lines = b.png_stream(pixels, color, bits, interlace=interlace, kinds=kinds)
            data = built(pixels, color, bits, lines=lines, interlace=interlace)
            assert require_kept(data, pixels, color, bits).dropped == ()


@every_mode
def test_transparency_gamma_and_texts(color: int, bits: int) -> None:
    """Every set of tRNS, gamma, background and texts is kept."""
    pixels = b.png_noise(6, 5, color, bits)
    transparency = {
        0: struct.pack(">H", 2**bits - 1),
        2: struct.pack(">HHH", 1, 2, 2**bits - 1),
        3: bytes(range(2 ** min(bits, 8) // 2)),
    }
    background = {0: bytes(2), 2: bytes(6), 3: bytes(1), 4: bytes(2), 6: bytes(6)}[color]
    trns = [b.png_chunk(b"tRNS", transparency[color])] if color in transparency else []
    for number in (0, 3, 5, 10, 12, 15):
        before = [*trns] if number & 1 else []
        before += [GAMMA] if number & 2 else []
        before += [b.png_chunk(b"bKGD", background)] if number & 4 else []
        after = TEXTS if number & 8 else []
        picture = require_kept(
            built(pixels, color, bits, before=before, after=after), pixels, color, bits
        )
        frame = picture.frames[0]
        assert picture.dropped == ()
        assert (len(frame.metadata.texts), len(frame.metadata.native)) == (
            2 * bool(number & 8),
            bool(number & 2) + bool(number & 4) + 2 * bool(number & 8),
        )
        if number & 1 and color == 3:
            assert frame.palette is not None
            assert frame.palette.alphas == transparency[3]
        elif number & 1 and trns:
            assert frame.transparent == (2**bits - 1,) if color == 0 else (1, 2, 2**bits - 1)


@pytest.mark.parametrize("bits", [1, 2, 4, 8])
def test_palettes_of_any_length(bits: int) -> None:
    """Palettes with too few or too many colors are kept, and samples that have none."""
    for colors in (1, 2, 3, 16, 200, 256):
        pixels = b.png_noise(7, 9, 3, bits)
        data = built(pixels, 3, bits, colors=colors)
        palette = require_kept(data, pixels, 3, bits).frames[0].palette
        assert palette is not None
        assert palette.colors == COLORS[: 3 * colors]


@pytest.mark.parametrize(
    "window", [9, *(pytest.param(n, marks=pytest.mark.slow) for n in range(10, 16))]
)
def test_deflated_in_any_way(window: int) -> None:
    """Small windows, stored and fixed blocks, and samples in many IDAT chunks are read."""
    pixels = b.png_noise(21, 40, 2, 8)
    for level, strategy in ((0, 0), (9, 0), (6, zlib.Z_FIXED), (6, zlib.Z_HUFFMAN_ONLY)):
        engine = zlib.compressobj(level, wbits=window, strategy=strategy)
        stream = engine.compress(b.png_stream(pixels, 2, 8)) + engine.flush()
        for size in (7, 100, len(stream)):
            chunks = [b.png_chunk(b"IDAT")]
            for start in range(0, len(stream), size):
                chunks += [b.png_chunk(b"IDAT", stream[start : start + size]), b.png_chunk(b"IDAT")]
            whole = built(pixels, 2, 8)
            head, tail = whole[:33], b.png_chunk(b"IEND")
            assert np.array_equal(decode_picture(head + b"".join(chunks) + tail).pixels, pixels)


def test_chunks_that_libpng_overlooks() -> None:
    """What does not belong to the mode is left out, by name, and the samples are read."""
    pixels = b.png_noise(4, 4, 0, 8)
    for color, chunk, name in (
        (0, b.png_chunk(b"tRNS", b"\0"), "transparency"),
        (0, b.png_chunk(b"PLTE", b"abc"), "palette"),
        (0, b.png_chunk(b"bKGD", b"\0"), "background color"),
        (3, b.png_chunk(b"tRNS", bytes(257)), "transparency"),
    ):
        data = built(pixels, color, 8, before=[chunk])
        picture = decode_picture(data)
        assert (picture.dropped, picture.frames[0].transparent) == ((name,), None)
        with Image.open(io.BytesIO(encode_picture(picture, "PNG"))) as image:
            assert np.array_equal(np.asarray(image), pixels)


@pytest.mark.slow
def test_absurd_counts_and_bombs() -> None:
    """Bombs in profiles and texts are never inflated beyond the limit; too many chunks are one."""
    bomb = zlib.compress(bytes(2**25), 9)
    pixels = b.png_noise(2, 2, 0, 8)
    chunks = [b.png_chunk(b"iCCP", b"a\0\0" + bomb)] * 99
    chunks += [b.png_chunk(b"zTXt", b"a\0\0" + bomb)] * 99
    picture = decode_picture(built(pixels, 0, 8, before=chunks))
    assert len(picture.frames[0].metadata.native) == 100
    assert (picture.frames[0].metadata.icc, picture.dropped) == (None, ("ICC profile",))
    chunks = [b.png_chunk(b"tEXt", b"a\0b")] * 70_000
    picture = decode_picture(built(pixels, 0, 8, before=chunks))
    assert (len(picture.frames[0].metadata.texts), picture.dropped) == (65536, ("text",))
    for kind in (b"IDAT", b"tEXt"):
        with pytest.raises(UnsupportedError, match="chunks"):
            decode_picture(built(pixels, 0, 8, before=[b.png_chunk(kind) * 10**6]))
