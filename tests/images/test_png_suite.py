"""PNG files of every kind, put together bit by bit: whatever libpng shows is read and kept."""

import io
import struct
import zlib
from collections.abc import Sequence

import imagecodecs
import numpy as np
import pytest
from PIL import Image

from sudokucrypt.errors import InvalidImageError, UnsupportedError, UnsupportedVersionError
from sudokucrypt.images import Picture, decode_picture, encode_picture
from sudokucrypt.typing import AnyArray
from tests.images import builders as b

SIZES = [(1, 1), (1, 40), (40, 1), (2, 3), (5, 7), (9, 17)]
NAMES = {0: "gray", 2: "rgb", 3: "rgb", 4: "gray-alpha", 6: "rgba"}
COLORS = np.random.default_rng(3).integers(0, 256, 768, dtype=np.uint8).tobytes()
GAMMA = b.png_chunk(b"gAMA", struct.pack(">I", 45455))
TEXTS = [
    b.png_text(b"tEXt", "Title", b"caf\xe9"),
    b.png_text(b"iTXt", "Author", "\u5c71\u7530".encode()),
    b.png_chunk(b"zTXt", b"Comment\0\0" + zlib.compress(b"long " * 99)),
    b.png_chunk(b"iTXt", b"Comment\0\1\0de\0Bemerkung\0" + zlib.compress(b"lang " * 99)),
]

every_mode = pytest.mark.parametrize(("color", "bits"), b.PNG_MODES)


def build_file(
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


def get_meant_samples(
    pixels: AnyArray, color: int, bits: int, colors: int | None = None
) -> AnyArray:
    """The samples that stored ones mean: colors of a palette, and grays that fill 8 bits."""
    if color == 3:
        count = 2**bits if colors is None else colors
        table = np.zeros((256, 3), dtype=np.uint8)
        table[:count] = np.frombuffer(COLORS, np.uint8).reshape(-1, 3)[:count]
        return table[pixels.astype(np.uint8)]
    return pixels * np.uint8(255 // (2**bits - 1)) if bits in (2, 4) else pixels


def require_kept(
    data: bytes, pixels: AnyArray, color: int, bits: int, colors: int | None = None
) -> Picture:
    """Check that the samples are read, and that nothing changes when they are written again."""
    picture, expected = decode_picture(data), get_meant_samples(pixels, color, bits, colors)
    assert picture.mode == NAMES[color]
    assert picture.pixels.dtype == expected.dtype
    assert np.array_equal(picture.pixels, expected)
    again = encode_picture(picture, "PNG", compress=len(pixels) % 2)
    if bits == 16:  # Pillow shows only half of it
        assert np.array_equal(imagecodecs.png_decode(again), expected)
        assert np.array_equal(imagecodecs.png_decode(data), expected)
    else:
        assert np.array_equal(b.open_picture(again), expected)
        with Image.open(io.BytesIO(data)) as image:
            seen = np.asarray(image.convert("RGB") if image.mode == "P" else image)
        assert colors is not None or np.array_equal(seen, expected)
    back = decode_picture(again)
    assert vars(back) | {"pixels": 0, "dropped": ()} == vars(picture) | {"pixels": 0, "dropped": ()}
    assert np.array_equal(back.pixels, expected)
    return picture


@every_mode
def test_every_mode_and_size(color: int, bits: int) -> None:
    """Every color type, depth and odd size, interlaced or not, comes back as Pillow sees it."""
    for interlace in (0, 1):
        for rows, columns in SIZES:
            pixels = b.png_noise(rows, columns, color, bits)
            data = build_file(pixels, color, bits, interlace=interlace)
            assert require_kept(data, pixels, color, bits).dropped == ()


@every_mode
def test_every_filter(color: int, bits: int) -> None:
    """Each filter alone, and all of them in turn, are undone."""
    for interlace in (0, 1):
        pixels = np.cumsum(b.png_noise(15, 13, color, bits), axis=0, dtype=np.uint32)
        pixels = (pixels % 2**bits).astype(b.png_noise(1, 1, color, bits).dtype)
        for kinds in ((1,), (2,), (3,), (4,), (0, 4, 1, 3, 2))[-2 if interlace else 0 :]:
            lines = b.png_stream(pixels, color, bits, interlace=interlace, kinds=kinds)
            data = build_file(pixels, color, bits, lines=lines, interlace=interlace)
            assert require_kept(data, pixels, color, bits).dropped == ()


@pytest.mark.parametrize(("color", "bits"), [mode for mode in b.PNG_MODES if mode[0] < 4])
def test_transparency(color: int, bits: int) -> None:
    """What is transparent gets an opacity of zero, or that of its color."""
    pixels = b.png_noise(6, 5, color, bits)
    most = 2**bits - 1
    stored = np.atleast_3d(pixels).astype(np.uint16)
    chosen = [int(value) for value in stored[2, 3]]
    body = struct.pack(f">{len(chosen)}H", *chosen)
    if color == 3:
        body = bytes(range(2 ** min(bits, 8) // 2))
    chunk = b.png_chunk(b"tRNS", body)
    picture = decode_picture(build_file(pixels, color, bits, before=[chunk]))
    full = 65535 if bits == 16 else 255
    expected = get_meant_samples(pixels, color, bits)
    if color == 3:
        opacity = np.full(256, 255, np.uint8)
        opacity[: len(body)] = range(len(body))
        alpha = opacity[pixels.astype(np.uint8)]
    else:
        alpha = np.where((stored == stored[2, 3]).all(axis=2), 0, full)
    assert picture.mode == ("gray-alpha" if color == 0 else "rgba")
    assert picture.pixels.dtype == (np.uint16 if bits == 16 else np.uint8)
    assert np.array_equal(picture.pixels[..., -1], alpha)
    colors = expected * np.uint8(255) if most == 1 and color == 0 else expected
    assert np.array_equal(picture.pixels[..., :-1], np.atleast_3d(colors))


def test_notes() -> None:
    """What is not kept is named, unless it holds without being said."""
    pixels = b.png_noise(4, 4, 2, 8)
    sharp = b.png_chunk(b"gAMA", struct.pack(">I", 100_000))
    for chunks, names in (
        ([GAMMA, b.png_chunk(b"sRGB", b"\0")], ()),
        ([sharp], ("color space",)),
        ([b.png_chunk(b"bKGD", bytes(6))], ("background color",)),
        (TEXTS, ("text",)),
        ([b.png_chunk(b"tIME", bytes(7)), b.png_chunk(b"PLTE", b"abc")], ("other data",)),
    ):
        assert decode_picture(build_file(pixels, 2, 8, before=chunks)).dropped == names


@pytest.mark.parametrize("bits", [1, 2, 4, 8])
def test_palettes_of_any_length(bits: int) -> None:
    """Palettes may have too few or too many colors; samples that have none are black."""
    for colors in (1, 2, 3, 16, 200, 256):
        pixels = b.png_noise(7, 9, 3, bits)
        require_kept(build_file(pixels, 3, bits, colors=colors), pixels, 3, bits, colors)


def animate(*, frames: int = 1, before: bool = True, more: bool = False) -> bytes:
    """A PNG that says it is animated."""
    control = [b.png_control(0, 4, 4)] if before else []
    plan = [b.png_chunk(b"acTL", struct.pack(">II", frames, 0)), *control]
    pixels = b.png_noise(4, 4, 0, 8)
    after = [b.png_control(1, 4, 4), b.png_frame(pixels, 2)] if more else []
    return build_file(pixels, 0, 8, before=plan, after=after)


def test_animations() -> None:
    """One frame that is the picture itself makes a still; anything else is refused."""
    assert np.array_equal(decode_picture(animate()).pixels, b.png_noise(4, 4, 0, 8))
    for data in (animate(frames=2, more=True), animate(before=False, more=True)):
        with pytest.raises(UnsupportedError, match="is an animation"):
            decode_picture(data)
    header = b.png_text(b"iTXt", "sudokucrypt", b.HEADER)
    data = animate(frames=2, more=True)
    with pytest.raises(UnsupportedVersionError, match="with an animation"):
        decode_picture(data[:33] + header + data[33:])


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
            whole = build_file(pixels, 2, 8)
            head, tail = whole[:33], b.png_chunk(b"IEND")
            assert np.array_equal(decode_picture(head + b"".join(chunks) + tail).pixels, pixels)


def test_chunks_that_libpng_overlooks() -> None:
    """What does not belong to the mode is left out, by name, and the samples are read."""
    pixels = b.png_noise(4, 4, 0, 8)
    for color, chunk, name in (
        (0, b.png_chunk(b"tRNS", b"\0"), "transparency"),
        (0, b.png_chunk(b"PLTE", b"abc"), "other data"),
        (3, b.png_chunk(b"tRNS", bytes(257)), "transparency"),
    ):
        picture = decode_picture(build_file(pixels, color, 8, before=[chunk]))
        assert picture.dropped == (name,)
        assert np.array_equal(picture.pixels, get_meant_samples(pixels, color, 8))


@pytest.mark.slow
def test_absurd_counts_and_bombs() -> None:
    """Bombs in profiles are never inflated beyond the limit; too many chunks are one."""
    bomb = zlib.compress(bytes(2**25), 9)
    pixels = b.png_noise(2, 2, 0, 8)
    chunks = [b.png_chunk(b"iCCP", b"a\0\0" + bomb)] * 99
    chunks += [b.png_chunk(b"zTXt", b"a\0\0" + bomb)] * 99
    picture = decode_picture(build_file(pixels, 0, 8, before=chunks))
    assert (picture.metadata.icc, picture.dropped) == (None, ("ICC profile", "text"))
    for kind in (b"IDAT", b"tEXt"):
        with pytest.raises(InvalidImageError, match="chunks"):
            decode_picture(build_file(pixels, 0, 8, before=[b.png_chunk(kind) * 10**6]))
