"""PNG files of every kind, built bit by bit: everything that libpng shows is read and kept."""

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
GAMMA = b.make_png_chunk(b"gAMA", struct.pack(">I", 45455))
TEXTS = [
    b.make_png_text(b"tEXt", "Title", b"caf\xe9"),
    b.make_png_text(b"iTXt", "Author", "\u5c71\u7530".encode()),
    b.make_png_chunk(b"zTXt", b"Comment\0\0" + zlib.compress(b"long " * 99)),
    b.make_png_chunk(b"iTXt", b"Comment\0\1\0de\0Bemerkung\0" + zlib.compress(b"lang " * 99)),
]

every_mode = pytest.mark.parametrize(("color", "bits"), b.PNG_MODES)


def build_file(
    pixels: AnyArray,
    color: int,
    bits: int,
    *,
    lines: bytes | None = None,
    interlace: int = 0,
    chunks_before: Sequence[bytes] = (),
    chunks_after: Sequence[bytes] = (),
    colors: int | None = None,
) -> bytes:
    """Return a PNG of samples, with a palette if the color type needs one."""
    count = 2**bits if colors is None else colors
    palette = [b.make_png_chunk(b"PLTE", COLORS[: 3 * count])] if color == 3 else []
    stream = b.make_png_stream(pixels, color, bits, interlace=interlace) if lines is None else lines
    rows, columns = pixels.shape[:2]
    return b.build_png(
        columns,
        rows,
        stream,
        bits=bits,
        color=color,
        interlace=interlace,
        chunks_before=[*palette, *chunks_before],
        chunks_after=chunks_after,
    )


def expand_samples(pixels: AnyArray, color: int, bits: int, colors: int | None = None) -> AnyArray:
    """Return the samples for stored ones: colors of a palette, or grays scaled to 8 bits."""
    if color == 3:
        count = 2**bits if colors is None else colors
        table = np.zeros((256, 3), dtype=np.uint8)
        table[:count] = np.frombuffer(COLORS, np.uint8).reshape(-1, 3)[:count]
        return table[pixels.astype(np.uint8)]
    return pixels * np.uint8(255 // (2**bits - 1)) if bits in (2, 4) else pixels


def require_exact(
    data: bytes, pixels: AnyArray, color: int, bits: int, colors: int | None = None
) -> Picture:
    """Check that the samples are read, and are unchanged after writing and reading them again."""
    picture, expected = decode_picture(data), expand_samples(pixels, color, bits, colors)
    assert picture.mode == NAMES[color]
    assert picture.pixels.dtype == expected.dtype
    assert np.array_equal(picture.pixels, expected)
    rewritten_file = encode_picture(picture, "PNG", compress=len(pixels) % 2)
    if bits == 16:  # Pillow shows only the higher byte
        assert np.array_equal(imagecodecs.png_decode(rewritten_file), expected)
        assert np.array_equal(imagecodecs.png_decode(data), expected)
    else:
        assert np.array_equal(b.read_by_pillow(rewritten_file), expected)
        with Image.open(io.BytesIO(data)) as image:
            pillow_samples = np.asarray(image.convert("RGB") if image.mode == "P" else image)
        assert colors is not None or np.array_equal(pillow_samples, expected)
    decoded_picture = decode_picture(rewritten_file)
    assert vars(decoded_picture) | {"pixels": 0, "dropped": ()} == vars(picture) | {
        "pixels": 0,
        "dropped": (),
    }
    assert np.array_equal(decoded_picture.pixels, expected)
    return picture


@every_mode
def test_every_mode_and_size(color: int, bits: int) -> None:
    """Every color type, depth and odd size, interlaced or not, is read as Pillow reads it."""
    for interlace in (0, 1):
        for rows, columns in SIZES:
            pixels = b.make_png_noise(rows, columns, color, bits)
            data = build_file(pixels, color, bits, interlace=interlace)
            assert require_exact(data, pixels, color, bits).dropped == ()


@every_mode
def test_every_filter(color: int, bits: int) -> None:
    """Files with each filter only, and with all filters in turn, are read exactly."""
    for interlace in (0, 1):
        pixels = np.cumsum(b.make_png_noise(15, 13, color, bits), axis=0, dtype=np.uint32)
        pixels = (pixels % 2**bits).astype(b.make_png_noise(1, 1, color, bits).dtype)
        for kinds in ((1,), (2,), (3,), (4,), (0, 4, 1, 3, 2))[-2 if interlace else 0 :]:
            lines = b.make_png_stream(pixels, color, bits, interlace=interlace, kinds=kinds)
            data = build_file(pixels, color, bits, lines=lines, interlace=interlace)
            assert require_exact(data, pixels, color, bits).dropped == ()


@pytest.mark.parametrize(("color", "bits"), [mode for mode in b.PNG_MODES if mode[0] < 4])
def test_transparency(color: int, bits: int) -> None:
    """A transparent color gets an opacity of zero, and colors of a palette get their opacity."""
    pixels = b.make_png_noise(6, 5, color, bits)
    largest_sample = 2**bits - 1
    stored_samples = np.atleast_3d(pixels).astype(np.uint16)
    transparent_color = [int(value) for value in stored_samples[2, 3]]
    body = struct.pack(f">{len(transparent_color)}H", *transparent_color)
    if color == 3:
        body = bytes(range(2 ** min(bits, 8) // 2))
    chunk = b.make_png_chunk(b"tRNS", body)
    picture = decode_picture(build_file(pixels, color, bits, chunks_before=[chunk]))
    full = 65535 if bits == 16 else 255
    expected = expand_samples(pixels, color, bits)
    if color == 3:
        opacity = np.full(256, 255, np.uint8)
        opacity[: len(body)] = range(len(body))
        alpha = opacity[pixels.astype(np.uint8)]
    else:
        alpha = np.where((stored_samples == stored_samples[2, 3]).all(axis=2), 0, full)
    assert picture.mode == ("gray-alpha" if color == 0 else "rgba")
    assert picture.pixels.dtype == (np.uint16 if bits == 16 else np.uint8)
    assert np.array_equal(picture.pixels[..., -1], alpha)
    colors = expected * np.uint8(255) if largest_sample == 1 and color == 0 else expected
    assert np.array_equal(picture.pixels[..., :-1], np.atleast_3d(colors))


def test_dropped_metadata_are_named() -> None:
    """Metadata that are not kept are named, unless they state the default."""
    pixels = b.make_png_noise(4, 4, 2, 8)
    sharp = b.make_png_chunk(b"gAMA", struct.pack(">I", 100_000))
    for chunks, names in (
        ([GAMMA, b.make_png_chunk(b"sRGB", b"\0")], ()),
        ([sharp], ("color space",)),
        ([b.make_png_chunk(b"bKGD", bytes(6))], ("background color",)),
        (TEXTS, ("text",)),
        ([b.make_png_chunk(b"tIME", bytes(7)), b.make_png_chunk(b"PLTE", b"abc")], ("other data",)),
    ):
        assert decode_picture(build_file(pixels, 2, 8, chunks_before=chunks)).dropped == names


@pytest.mark.parametrize("bits", [1, 2, 4, 8])
def test_palettes_of_any_length(bits: int) -> None:
    """Palettes with too few or too many colors are read; missing colors are black."""
    for colors in (1, 2, 3, 16, 200, 256):
        pixels = b.make_png_noise(7, 9, 3, bits)
        require_exact(build_file(pixels, 3, bits, colors=colors), pixels, 3, bits, colors)


def build_animation(*, frames: int = 1, frame_before: bool = True, more: bool = False) -> bytes:
    """Return a PNG with the chunks of an animation."""
    control = [b.make_png_control(0, 4, 4)] if frame_before else []
    first_chunks = [b.make_png_chunk(b"acTL", struct.pack(">II", frames, 0)), *control]
    pixels = b.make_png_noise(4, 4, 0, 8)
    last_chunks = [b.make_png_control(1, 4, 4), b.make_png_frame(pixels, 2)] if more else []
    return build_file(pixels, 0, 8, chunks_before=first_chunks, chunks_after=last_chunks)


def test_animations() -> None:
    """An animation whose only frame is the still picture is read; any other is refused."""
    assert np.array_equal(decode_picture(build_animation()).pixels, b.make_png_noise(4, 4, 0, 8))
    for data in (
        build_animation(frames=2, more=True),
        build_animation(frame_before=False, more=True),
    ):
        with pytest.raises(UnsupportedError, match="is an animation"):
            decode_picture(data)
    header = b.make_png_text(b"iTXt", "sudokucrypt", b.HEADER)
    data = build_animation(frames=2, more=True)
    with pytest.raises(UnsupportedVersionError, match="with an animation"):
        decode_picture(data[:33] + header + data[33:])


@pytest.mark.parametrize(
    "window_bits", [9, *(pytest.param(n, marks=pytest.mark.slow) for n in range(10, 16))]
)
def test_any_deflate_stream(window_bits: int) -> None:
    """Small windows, stored and fixed blocks, and samples in many IDAT chunks are read."""
    pixels = b.make_png_noise(21, 40, 2, 8)
    for level, strategy in ((0, 0), (9, 0), (6, zlib.Z_FIXED), (6, zlib.Z_HUFFMAN_ONLY)):
        engine = zlib.compressobj(level, wbits=window_bits, strategy=strategy)
        stream = engine.compress(b.make_png_stream(pixels, 2, 8)) + engine.flush()
        for size in (7, 100, len(stream)):
            chunks = [b.make_png_chunk(b"IDAT")]
            for start in range(0, len(stream), size):
                chunks += [
                    b.make_png_chunk(b"IDAT", stream[start : start + size]),
                    b.make_png_chunk(b"IDAT"),
                ]
            original = build_file(pixels, 2, 8)
            head, tail = original[:33], b.make_png_chunk(b"IEND")
            assert np.array_equal(decode_picture(head + b"".join(chunks) + tail).pixels, pixels)


def test_chunks_that_libpng_ignores() -> None:
    """Chunks that do not suit the color type are named as dropped, and the samples are read."""
    pixels = b.make_png_noise(4, 4, 0, 8)
    for color, chunk, name in (
        (0, b.make_png_chunk(b"tRNS", b"\0"), "transparency"),
        (0, b.make_png_chunk(b"PLTE", b"abc"), "other data"),
        (3, b.make_png_chunk(b"tRNS", bytes(257)), "transparency"),
    ):
        picture = decode_picture(build_file(pixels, color, 8, chunks_before=[chunk]))
        assert picture.dropped == (name,)
        assert np.array_equal(picture.pixels, expand_samples(pixels, color, 8))


@pytest.mark.slow
def test_bombs_are_refused() -> None:
    """A profile is not inflated beyond its limit, and a file of too many chunks is refused."""
    large_stream = zlib.compress(bytes(2**25), 9)
    pixels = b.make_png_noise(2, 2, 0, 8)
    chunks = [b.make_png_chunk(b"iCCP", b"a\0\0" + large_stream)] * 99
    chunks += [b.make_png_chunk(b"zTXt", b"a\0\0" + large_stream)] * 99
    picture = decode_picture(build_file(pixels, 0, 8, chunks_before=chunks))
    assert (picture.metadata.icc, picture.dropped) == (None, ("ICC profile", "text"))
    for kind in (b"IDAT", b"tEXt"):
        with pytest.raises(InvalidImageError, match="chunks"):
            decode_picture(build_file(pixels, 0, 8, chunks_before=[b.make_png_chunk(kind) * 10**6]))
