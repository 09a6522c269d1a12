"""The length of a redacted file tells nothing of what is covered: pairs that differ only there."""

import io
import struct
import zlib
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import imagecodecs
import numpy as np
import pytest
from PIL import Image, ImageDraw

from sudokucrypt import Layer
from sudokucrypt.recipes.carriers.redaction import layers as contents
from sudokucrypt.recipes.carriers.redaction.media import open_medium
from tests.images import builders as b
from tests.recipes.redacting import KEYS, lifted, package_of, redacted

ROWS, COLUMNS = 240, 320
#: Column, row, columns and rows of a line of text, and of a larger part.
SMALL, LARGE = (200, 100, 64, 16), (48, 48, 200, 140)


def _scene(seed: int) -> Image.Image:
    """A screenshot for odd seeds, a photograph for even ones."""
    rng = np.random.default_rng(seed)
    if seed % 2:
        image = Image.new("RGB", (COLUMNS, ROWS), (245, 245, 245))
        for line in range(14):
            text = f"Statement line {line}: paid {line * 977 + seed} EUR to {line * seed * 7919:08}"
            ImageDraw.Draw(image).text((8, 8 + 16 * line), text, fill=(20, 20, 20))
        return image
    soft = rng.integers(0, 256, (8, 10, 3), dtype=np.uint8)
    image = Image.fromarray(soft).resize((COLUMNS, ROWS), Image.Resampling.BICUBIC)
    noisy = np.asarray(image).astype(int) + rng.integers(-6, 7, (ROWS, COLUMNS, 3))
    return Image.fromarray(np.clip(noisy, 0, 255).astype(np.uint8))


def _hiding(seed: int, kind: int, box: tuple[int, int, int, int]) -> Image.Image:
    """The scene with nothing, a text or a photograph in a box."""
    image, (column, row, columns, rows) = _scene(seed), box
    draw = ImageDraw.Draw(image)
    draw.rectangle((column, row, column + columns - 1, row + rows - 1), fill=(255, 255, 255))
    if kind == 1:
        draw.text((column + 2, row + 2), f"PIN {seed * 37 % 9999}", fill=(0, 0, 0))
    if kind == 2:
        noise = np.random.default_rng(seed).integers(0, 256, (rows, columns, 3), dtype=np.uint8)
        image.paste(Image.fromarray(noise), (column, row))
    return image


def _saved(image: Image.Image, kind: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def _thumbnail(image: Image.Image) -> bytes:
    """An Exif block with a thumbnail of the picture."""
    small = _saved(image.resize((160, 120)), "JPEG", quality=85)
    first = struct.pack("<HHHIHHI", 1, 0x112, 3, 1, 1, 0, 26)
    second = struct.pack("<HHHIIHHIII", 2, 0x201, 4, 1, 56, 0x202, 4, 1, len(small), 0)
    return b"II*\0\x08\0\0\0" + first + second + small


def _png(image: Image.Image, level: int, strategy: int, kind: int) -> bytes:
    """A PNG of other programs: one kind of filter, any strategy, chunks of 8 KiB."""
    pixels = np.asarray(image)
    before = np.concatenate([np.zeros_like(pixels[:1]), pixels[:-1]])
    lines = (pixels - before if kind == 2 else pixels).reshape(ROWS, -1)
    engine = zlib.compressobj(level, strategy=strategy)
    raw = b"".join(bytes([kind]) + line.tobytes() for line in lines)
    packed = engine.compress(raw) + engine.flush()
    pieces = [packed[n : n + 8192] for n in range(0, len(packed), 8192)]
    parts = [b.png_chunk(b"IDAT", piece) for piece in pieces]
    head = b.png_chunk(b"IHDR", struct.pack(">IIBBBBB", COLUMNS, ROWS, 8, 2, 0, 0, 0))
    return b"".join([b"\x89PNG\r\n\x1a\n", head, *parts, b.png_chunk(b"IEND", b"")])


def _kinds() -> dict[str, Callable[[Image.Image], bytes]]:
    kinds: dict[str, Callable[[Image.Image], bytes]] = {
        "JPEG, baseline": lambda image: _saved(image, "JPEG", quality=90),
        "JPEG, optimized": lambda image: _saved(image, "JPEG", quality=90, optimize=True),
        "JPEG, progressive": lambda image: _saved(image, "JPEG", progressive=True),
        "JPEG, thumbnail": lambda image: _saved(
            image, "JPEG", optimize=True, exif=b"Exif\0\0" + _thumbnail(image)
        ),
        "PNG, thumbnail": lambda image: _saved(image, "PNG", exif=_thumbnail(image)),
        "PNG, interlaced": lambda image: b.png(
            COLUMNS, ROWS, b.png_stream(np.asarray(image), 2, 8, interlace=1, kinds=range(5)),
            bits=8, color=2, interlace=1,
        ),
    }  # fmt: skip
    for level in range(10):
        kinds[f"PNG, Pillow, {level}"] = partial(_saved, kind="PNG", compress_level=level)
    for level, strategy, kind in product((1, 6, 9), range(5), (0, 2)):
        name = f"PNG, {level} {strategy} {kind}"
        kinds[name] = partial(_png, level=level, strategy=strategy, kind=kind)
    return kinds


def _lossless() -> dict[str, Callable[[Image.Image], bytes]]:
    return {
        "WebP, lossless": partial(_saved, kind="WEBP", lossless=True),
        "TIFF": partial(_saved, kind="TIFF"),
        "TIFF, LZW": partial(_saved, kind="TIFF", compression="tiff_lzw"),
        "TIFF, deflate": partial(_saved, kind="TIFF", compression="tiff_adobe_deflate"),
        "BMP": partial(_saved, kind="BMP"),
    }


def _lossy() -> dict[str, Callable[[Image.Image], bytes]]:
    return {
        "AVIF": lambda image: imagecodecs.avif_encode(np.asarray(image), level=60, speed=10),
        "WebP": partial(_saved, kind="WEBP", quality=80),
    }


LOSSY = _lossy()
KINDS = {**_kinds(), **_lossless(), **LOSSY}
QUICK = (
    *("JPEG, optimized", "JPEG, thumbnail", "PNG, thumbnail", "PNG, Pillow, 6", "PNG, 9 2 0"),
    "TIFF, LZW",
)
UNUSUAL = [f"PNG, {level} {how} {kind}" for level, how, kind in product((1, 6, 9), (2, 3), (0, 2))]
"""Files that no program writes by itself, such as runs without filters: 38 of 40 pass."""


def _different(make: Callable[[Image.Image], bytes], seeds: range) -> list[tuple[int, ...]]:
    """Return seed and lengths of the rests of each pair of files that are not of one length."""
    found: list[tuple[int, ...]] = []
    for box in (SMALL, LARGE):
        column, row, columns, rows = box
        area = (row - 8, column - 8, rows + 16, columns + 16)
        for seed in seeds:
            rests, wholes = [], []
            for kind in (seed % 3, (seed + 1) % 3):
                data = make(_hiding(seed, kind, box))
                covered = redacted(data, [Layer(KEYS[0], [area])])
                assert lifted(covered, KEYS[0]) == data
                rests.append(len(package_of(covered).rest))
                wholes.append(len(covered))
            # What a codec with loss shows beside the box may differ.
            if rests[0] != rests[1] or (wholes[0] != wholes[1] and make not in LOSSY.values()):
                found.append((seed, *rests, *wholes))
    return found


@pytest.mark.parametrize("count", [3, pytest.param(20, marks=pytest.mark.nightly)])
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n in QUICK else pytest.mark.slow) for n in KINDS]
)
def test_files_have_one_length(name: str, count: int) -> None:
    """Files of every kind are the same bytes long, whatever a small or large box hides.

    PNG and JPEG are padded by what is visible, other formats in powers of two.
    """
    different = _different(KINDS[name], range(1, 1 + count))
    assert len(different) <= (max(1, count // 10) if name in UNUSUAL else 0)


def test_parts_have_the_length_of_their_areas() -> None:
    """A layer has its head and its pixels, in steps of 256 bytes, and at least 4 KiB of content."""
    for side, expected in ((8, 4096), (64, 13_056), (100, 30_720)):
        data = b.png_of(b.noise(128, 128, 3))
        part = package_of(redacted(data, [Layer(KEYS[0], [(0, 0, side, side)])])).layers[0]
        assert expected <= len(part) < expected + 2000
        assert expected == -(-max(4096, 531 + 3 * side * side) // 256) * 256


def test_a_rest_that_is_longer_than_foreseen_is_doubled() -> None:
    """What follows a PNG counts in powers of two, and a file that still does not fit comes back."""
    data = _saved(_scene(1), "PNG") + bytes(70_000)
    covered = redacted(data, [Layer(KEYS[0], [(0, 0, 16, 16)])])
    assert lifted(covered, KEYS[0]) == data
    medium, hidden = open_medium(data, "x", None), np.zeros((ROWS, COLUMNS), dtype=bool)
    rest = contents.padded_rest(data, (b"F", bytes(10**6), None), bytes(32), data, hidden, 0)
    assert len(rest) > 10**6
    assert contents.rest_of(data, medium) == (b"F", data, None)
