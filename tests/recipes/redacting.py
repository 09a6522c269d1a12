"""Files of all kinds that can be redacted, layers for them, and redaction in memory."""

import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
from PIL import Image

from sudokucrypt import Key, Layer, redact_file, unredact_file
from sudokucrypt.images.attachments import find_attachment
from sudokucrypt.keys import RestoringKey
from sudokucrypt.recipes.carriers.redaction.package import Package
from sudokucrypt.typing import RegionLike
from tests.images import builders as b
from tests.images import samples
from tests.images.jpeg import corpus
from tests.images.jpeg.made import PROGRESSION
from tests.images.jpeg.made import make_file as made
from tests.recipes.memory import run_on_bytes, save_image

KEYS = tuple(Key(bytes([number]) * 32) for number in range(1, 4))
ROWS, COLUMNS = 93, 117
AREAS: tuple[tuple[RegionLike, ...], ...] = (
    ((5, 7, 20, 33), (60, 90, 11, 9)),
    ((20, 30, 30, 20), (0, 80, 1, 37), (85, 0, 8, 8), (70, 40, 9, 9)),
)
#: Files that are not still pictures, or have samples that PNG does not support.
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


def draw_scene(seed: int = 0, rows: int = ROWS, columns: int = COLUMNS) -> Image.Image:
    """Return a picture of smooth random colors."""
    pixels = np.random.default_rng(seed).integers(0, 256, (12, 15, 3), dtype=np.uint8)
    return Image.fromarray(pixels).resize((columns, rows), Image.Resampling.BICUBIC)


def save_scene(file_format: str, mode: str = "RGB", *, seed: int = 0, **options: Any) -> bytes:
    """Return the scene as a file that Pillow writes."""
    scene = draw_scene(seed).convert("L") if mode == "I;16" else draw_scene(seed)
    return save_image(scene.convert(mode), file_format, **options)


Maker = Callable[[], bytes]


@cache
def list_makers() -> dict[str, Maker]:
    """Return a function that makes each file, by the name of the file."""
    return dict((*_list_jpegs(), *_list_pngs(), *_list_others()))


@cache
def make_file(name: str) -> bytes:
    """Return the file with this name."""
    return list_makers()[name]()


def _list_jpegs() -> Iterator[tuple[str, Maker]]:
    for channels in (1, 3, 4):
        for options in corpus._PILLOW_OPTIONS:
            yield f"JPEG, {channels} {options}", partial(_save_smooth, channels, options)
    for name, data in corpus.iterate_cjpeg_files():
        if "33x31" in name:
            yield f"JPEG, {name}", partial(bytes, data)
    for samplings in _SAMPLINGS:
        for restart in (0, 5):
            name = f"JPEG, {samplings} {restart}"
            yield name, partial(_make_jpeg, samplings=samplings, restart=restart)
    yield "JPEG, refined", partial(_make_jpeg, script=PROGRESSION)
    yield "JPEG, tail", lambda: save_scene("JPEG") + b"trailing bytes"


def _save_smooth(channels: int, options: dict[str, Any]) -> bytes:
    return corpus.save_image(corpus.make_smooth(65, 50, channels), exif=b"Exif\0\0", **options)


def _make_jpeg(**options: Any) -> bytes:
    return made(77, 93, **options).to_bytes()


def _list_pngs() -> Iterator[tuple[str, Maker]]:
    for color, bits in b.PNG_MODES:
        for interlace in (0, 1):
            yield f"PNG, {color} {bits} {interlace}", partial(_make_png, color, bits, interlace)


def _make_png(color: int, bits: int, interlace: int) -> bytes:
    pixels = b.make_png_noise(37, 53, color, bits)
    lines = b.make_png_stream(pixels, color, bits, interlace=interlace, kinds=range(5))
    chunks = []
    if color == 3:
        colors = b.noise(1, 3 << bits, 1).tobytes()
        chunks = [b.make_png_chunk(b"PLTE", colors), b.make_png_chunk(b"tRNS", b"\xff\x80")]
    elif color in (0, 2) and interlace:
        chunks = [b.make_png_chunk(b"tRNS", struct.pack(">H", 1) * (1 + color))]
    return b.build_png(
        53, 37, lines, bits=bits, color=color, interlace=interlace, chunks_before=chunks
    )


def _list_others() -> Iterator[tuple[str, Maker]]:
    for mode in ("1", "L", "P", "RGB", "RGBA", "CMYK", "I;16"):
        for compression in (None, "tiff_lzw"):
            maker = partial(save_scene, "TIFF", mode, compression=compression)
            yield f"TIFF, {mode} {compression}", maker
    for dtype in ("uint8", "uint16", "uint32", "int16", "float32", "float64"):
        yield f"TIFF, {dtype}", partial(_make_tiff, dtype)
    for mode in ("RGB", "RGBA"):
        yield f"WebP, {mode}", partial(save_scene, "WEBP", mode, lossless=True)
    yield "GIF, unseen", partial(save_scene, "GIF", "P", transparency=3)
    for name in ("cropped", "deep", "gray", "turned6"):
        yield name, partial(samples.read_heif_file, name)
    for name, data in samples.FILES.items():
        yield f"other {name}", partial(bytes, data)


def _make_tiff(dtype: str) -> bytes:
    return b.encode_array(b.noise(24, 31, 3, "uint8").astype(dtype), "TIFF")


def redact_bytes(data: bytes, layers: Sequence[Layer], **options: Any) -> bytes:
    """Redact a file in memory."""
    return run_on_bytes(redact_file, data, layers, **options)


def lift_covers(data: bytes, *keys: RestoringKey) -> bytes:
    """Lift the covers of a redacted file in memory."""
    return run_on_bytes(unredact_file, data, *keys)


def read_package(data: bytes) -> Package:
    """Return the package in a redacted file."""
    return Package.from_bytes(find_attachment(data) or b"")


def make_layers(count: int) -> list[Layer]:
    """Return layers over the areas, each with its own key."""
    return [Layer(KEYS[n], AREAS[n], name=f"layer {n}") for n in range(count)]


def draw_layers(name: str, canvas: tuple[int, int]) -> list[Layer]:
    """Return one to three random layers of one to twelve areas; the name of a file is the seed."""
    generator = np.random.default_rng(zlib.crc32(name.encode()))
    layers: list[Layer] = []
    for key in KEYS[: generator.integers(1, 4)]:
        areas = []
        for _ in range(generator.integers(1, 13)):
            row, column = (int(generator.integers(side)) for side in canvas)
            limits = canvas[0] - row, canvas[1] - column
            rows, columns = (int(generator.integers(1, min(limit, 24) + 1)) for limit in limits)
            areas.append((row, column, rows, columns))
        layers.append(Layer(key, areas, name=f"layer {len(layers)}"))
    return layers
