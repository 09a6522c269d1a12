"""TIFF files that lie: always our error, soon, in little memory, and without a word on stderr."""

from __future__ import annotations

import io
import struct
import tracemalloc
import zlib
from contextlib import suppress
from typing import Literal

import numpy as np
import pytest
from PIL import Image

from sudokucrypt.errors import InvalidImageError, SudokucryptError, UnsupportedError
from sudokucrypt.images import Picture, decode_picture, encode_picture
from tests.images.builders import HEADER, noise, saved, tiff

_EXIF = Image.Exif()
_EXIF.update({271: "Maker", 274: 6})
_EXIF.get_ifd(0x8769).update({36867: "2026:11:21 10:20:30"})
_GRAY, _RGB, _BITS = noise(9, 11, 1), noise(9, 11, 3), noise(9, 11, 1) > 128


def _pages() -> bytes:
    first, *others = [Image.fromarray(a) for a in (_RGB, _GRAY, _BITS)]
    buffer = io.BytesIO()
    first.save(buffer, "TIFF", save_all=True, append_images=others, exif=_EXIF, dpi=(300, 300))
    return buffer.getvalue()


_FILES = {
    "ours": encode_picture(Picture.plain(_RGB, header=HEADER), "TIFF"),
    "pages": _pages(),
    "ours, pages": encode_picture(decode_picture(_pages()), "TIFF"),
    "palette": saved(_GRAY, "TIFF", "P"),
    "big": tiff(pixels=_RGB, big=True, order=">"),
    **{
        name: saved(_BITS if "group" in name else _RGB, "TIFF", compression=name)
        for name in ("tiff_lzw", "tiff_adobe_deflate", "packbits", "group3", "group4", "jpeg")
    },
}


def _try(data: bytes) -> Picture | None:
    with suppress(SudokucryptError):
        return decode_picture(data, max_pixels=2**20)
    return None


def _refused(data: bytes, reason: str) -> None:
    with pytest.raises(InvalidImageError, match=reason):
        decode_picture(data)


def test_rings_of_pages() -> None:
    """A page that follows itself, or the one before, ends the reading."""
    page = tiff()
    (start,) = struct.unpack_from("<I", page, 4)
    _refused(tiff(following=start), "ring")
    moved = tiff(following=start)[start:]
    _refused(tiff(following=len(page)) + moved, "ring")


def test_many_pages() -> None:
    """More pages than anybody looks at are refused before the last is read."""
    count = 10_001
    page = struct.pack("<HHHII", 1, 256, 4, 1, 1)
    size = len(page) + 4
    pages = b"".join(
        page + struct.pack("<I", 8 + (n + 1) * size if n + 1 < count else 0) for n in range(count)
    )
    aside = pages.replace(struct.pack("<HHII", 256, 4, 1, 1), struct.pack("<HHII", 254, 4, 1, 1))
    with pytest.raises(UnsupportedError, match="10000 pages"):
        decode_picture(b"II*\0\x08\0\0\0" + aside)


def test_many_scans() -> None:
    """A JPEG stream of few bytes may not go over its pixels again and again."""
    stream = saved(np.zeros((8, 8), np.uint8), "JPEG", progressive=True)
    last = stream.rindex(b"\xff\xda")
    for times in (1, 40):
        repeated = stream[:last] + stream[last:-2] * times + stream[-2:]
        changes = {256: (4, [8]), 257: (4, [8]), 259: (3, [7]), 278: (4, [8])}
        data = tiff(changes, pixels=np.frombuffer(repeated, np.uint8)[np.newaxis])
        if times == 1:
            assert not decode_picture(data).pixels.any()
            continue
        with pytest.raises(UnsupportedError, match="many scans"):
            decode_picture(data)


def test_volumes() -> None:
    """A page of several slices is no picture, and its first slice is not taken for one."""
    assert np.array_equal(decode_picture(tiff({32997: (4, [1])}, pixels=_GRAY)).pixels, _GRAY)
    with pytest.raises(UnsupportedError, match="volume"):
        decode_picture(tiff({32997: (4, [2])}, pixels=_GRAY))


@pytest.mark.parametrize("count", [65536, 10**6, 2**63])
def test_many_tags(count: int) -> None:
    """No directory has more tags than classic TIFF can count."""
    head = struct.pack("<2sHHHQQ", b"II", 43, 8, 0, 16, count)
    entries = b"".join(struct.pack("<HHQQ", n % 65536, 3, 1, 0) for n in range(min(count, 70000)))
    _refused(head + entries + bytes(8), "tags")


def test_values_on_top_of_each_other() -> None:
    """Tags that all claim the same megabyte are not copied a thousand times."""
    tags = 2000
    entries = b"".join(struct.pack("<HHII", 1000 + n, 7, 2**20, 8) for n in range(tags))
    start = 8 + 2**20
    data = bytearray(tiff(pixels=_GRAY))
    (page,) = struct.unpack_from("<I", data, 4)
    count = struct.unpack_from("<H", data, page)[0]
    body = bytes(data[page + 2 : page + 2 + 12 * count])
    bomb = (
        b"II*\0"
        + struct.pack("<I", start)
        + bytes(data[8:page]).ljust(2**20, b"\0")
        + struct.pack("<H", count + tags)
        + body
        + entries
        + bytes(4)
    )
    tracemalloc.start()
    _refused(bomb, "overlap")
    assert tracemalloc.get_traced_memory()[1] < 20 * 2**20
    tracemalloc.stop()


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("pointer", [330, 34665, 34853])
def test_loops_of_directories(pointer: int, order: Literal["<", ">"]) -> None:
    """A tag that leads back to its own directory does no harm."""
    (start,) = struct.unpack_from(order + "I", tiff(order=order), 4)
    picture = _try(tiff({pointer: (4, [start])}, order=order))
    assert picture is None or np.array_equal(picture.pixels, noise(5, 3, 3))


def test_bombs_in_strips() -> None:
    """A strip gets the memory of its samples, whatever it expands to."""
    strip = np.frombuffer(zlib.compress(bytes(10**8), 9), np.uint8)[np.newaxis]
    tags = {256: (4, [10]), 257: (4, [10]), 278: (4, [10]), 259: (3, [8])}
    data = tiff(tags, pixels=strip)
    tracemalloc.start()
    assert not decode_picture(data).pixels.any()
    assert tracemalloc.get_traced_memory()[1] < 10**6
    tracemalloc.stop()


def test_tiles_beyond_the_picture() -> None:
    """A pixel in a tile of 4 gigapixels counts as what it takes to decode."""
    tags = {256: (4, [1]), 257: (4, [1]), 259: (3, [8]), 322: (4, [2**16]), 323: (4, [2**16])}
    tags |= {324: (4, [8]), 325: (4, [45])}
    _refused(tiff(tags), "65536 rows of 65536 pixels, more than")


def test_pages_share_the_limit() -> None:
    """Many pages are as much as one large one."""
    data = encode_picture(
        Picture(frames=Picture.plain(noise(10, 10, 1)).frames * 5, format="TIFF"), "TIFF"
    )
    assert len(decode_picture(data, max_pixels=500).frames) == 5
    with pytest.raises(InvalidImageError, match="499"):
        decode_picture(data, max_pixels=499)


@pytest.mark.slow
def test_large_pictures_need_little_memory() -> None:
    """100 megapixels take their file, their samples and a few megabytes."""
    data = encode_picture(Picture.plain(np.zeros((10_000, 10_000), np.uint8)), "TIFF")
    tracemalloc.start()
    picture = decode_picture(data)
    assert tracemalloc.get_traced_memory()[1] < picture.pixels.nbytes + 2**23
    tracemalloc.stop()
