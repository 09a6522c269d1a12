"""Files of every kind that can be redacted, layers over them, and the functions in memory."""

import io
import struct
import zlib
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
from PIL import Image

from sudokucrypt import Key, Layer, redact_file, unredact_file
from sudokucrypt.images.attachments import attachment
from sudokucrypt.keys import RestoringKey
from sudokucrypt.recipes.carriers.redaction.package import Package
from tests.images import builders as b
from tests.images import samples
from tests.images.jpeg import corpus
from tests.images.jpeg.made import PROGRESSION, made
from tests.recipes.memory import result_of

KEYS = tuple(Key(bytes([number]) * 32) for number in range(1, 4))
ROWS, COLUMNS = 93, 117
#: What is no still picture, or has samples that a PNG does not hold.
REFUSED = (
    *(f"TIFF, {kind}" for kind in ("CMYK None", "CMYK tiff_lzw", "uint32", "int16", "float32")),
    *(f"other TIFF, {kind}" for kind in ("group3", "group4", "pages", "12 bits", "YCbCr")),
    "other TIFF, CMYK-JPEG", "TIFF, float64", "other PPM, floats", "other PNG, animation",
    "other WebP, animation", "other GIF, two",
)  # fmt: skip
_SAMPLINGS: tuple[tuple[tuple[int, int], ...], ...] = (
    ((1, 1),),
    ((2, 2), (1, 1), (1, 1)),
    ((2, 1), (1, 2), (1, 1)),
    ((4, 1), (1, 1), (1, 1)),
    ((1, 1), (2, 2), (1, 2)),
    ((2, 2), (1, 1), (1, 1), (2, 2)),
)


def scene(seed: int = 0, rows: int = ROWS, columns: int = COLUMNS) -> Image.Image:
    """A picture of soft colors."""
    pixels = np.random.default_rng(seed).integers(0, 256, (12, 15, 3), dtype=np.uint8)
    return Image.fromarray(pixels).resize((columns, rows), Image.Resampling.BICUBIC)


def saved(file_format: str, mode: str = "RGB", *, seed: int = 0, **options: Any) -> bytes:
    """The file of it that Pillow writes."""
    buffer = io.BytesIO()
    scene(seed).convert(mode).save(buffer, file_format, **options)
    return buffer.getvalue()


@cache
def files() -> dict[str, bytes]:
    """All of the files, by what is special about them, and those that are refused."""
    return dict((*_jpegs(), *_pngs(), *_others()))


def _jpegs() -> Iterator[tuple[str, bytes]]:
    for channels in (1, 3, 4):
        for options in corpus._PILLOW:
            pixels = corpus.smooth(65, 50, channels)
            yield f"JPEG, {channels} {options}", corpus.saved(pixels, exif=b"Exif\0\0", **options)
    for name, data in corpus.from_cjpeg():
        if "33x31" in name:
            yield f"JPEG, {name}", data
    for samplings in _SAMPLINGS:
        for restart in (0, 5):
            file = made(77, 93, samplings, restart=restart)
            yield f"JPEG, {samplings} {restart}", file.to_bytes()
    yield "JPEG, refined", made(77, 93, script=PROGRESSION).to_bytes()
    yield "JPEG, tail", saved("JPEG") + b"data behind the end"


def _pngs() -> Iterator[tuple[str, bytes]]:
    for color, bits in b.PNG_MODES:
        for interlace in (0, 1):
            pixels = b.png_noise(37, 53, color, bits)
            lines = b.png_stream(pixels, color, bits, interlace=interlace, kinds=range(5))
            chunks = []
            if color == 3:
                colors = b.noise(1, 3 << bits, 1).tobytes()
                chunks = [b.png_chunk(b"PLTE", colors), b.png_chunk(b"tRNS", b"\xff\x80")]
            elif color in (0, 2) and interlace:
                unseen = struct.pack(">H", 1) * (1 + color)
                chunks = [b.png_chunk(b"tRNS", unseen)]
            data = b.png(53, 37, lines, bits=bits, color=color, interlace=interlace, before=chunks)
            yield f"PNG, {color} {bits} {interlace}", data


def _others() -> Iterator[tuple[str, bytes]]:
    for mode in ("1", "L", "P", "RGB", "RGBA", "CMYK", "I;16"):
        gray = scene().convert("L").convert(mode) if mode == "I;16" else scene().convert(mode)
        for compression in (None, "tiff_lzw"):
            buffer = io.BytesIO()
            gray.save(buffer, "TIFF", compression=compression)
            yield f"TIFF, {mode} {compression}", buffer.getvalue()
    for dtype in ("uint8", "uint16", "uint32", "int16", "float32", "float64"):
        pixels = b.noise(24, 31, 3, "uint8").astype(dtype)
        yield f"TIFF, {dtype}", b.encoded(pixels, "TIFF")
    for mode in ("RGB", "RGBA"):
        yield f"WebP, {mode}", saved("WEBP", mode, lossless=True)
    yield "GIF, unseen", saved("GIF", "P", transparency=3)
    yield from ((name, samples.heif(name)) for name in ("cropped", "deep", "gray", "turned6"))
    for name, data in samples.FILES.items():
        yield f"other {name}", data


def redact_bytes(data: bytes, layers: Sequence[Layer], **options: Any) -> bytes:
    """What `redact_file` writes."""
    return result_of(redact_file, data, layers, **options)


def lift_covers(data: bytes, *keys: RestoringKey) -> bytes:
    """What `unredact_file` writes."""
    return result_of(unredact_file, data, *keys)


def package_of(data: bytes) -> Package:
    """The package in a redacted file."""
    return Package.of_bytes(attachment(data) or b"")


def random_layers(name: str, canvas: tuple[int, int]) -> list[Layer]:
    """One to three layers of one to twelve areas, which may overlap; by the name of a file."""
    generator = np.random.default_rng(zlib.crc32(name.encode()))
    layers: list[Layer] = []
    for key in KEYS[: generator.integers(1, 4)]:
        areas = []
        for _ in range(generator.integers(1, 13)):
            row, column = (int(generator.integers(side)) for side in canvas)
            most = canvas[0] - row, canvas[1] - column
            rows, columns = (int(generator.integers(1, min(side, 24) + 1)) for side in most)
            areas.append((row, column, rows, columns))
        layers.append(Layer(key, areas, name=f"layer {len(layers)}"))
    return layers
