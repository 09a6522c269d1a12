"""What files show without decoding all of it: scaled JPEG, thumbnails of HEIC, previews in raw."""

import random
import struct
import time
from contextlib import suppress

import numpy as np
import pytest
from PIL import Image

from sudokucrypt.errors import (
    ImageTooLargeError,
    InvalidImageError,
    SudokucryptError,
    UnsupportedError,
)
from sudokucrypt.images import decode_picture, glance, shrink_picture, turn_of
from sudokucrypt.images.orientation import TURNS
from tests.images.avif import avif, ispe, read_coded
from tests.images.builders import box, noise, saved, tiff
from tests.images.jpeg.corpus import smooth
from tests.images.samples import FILES, REFUSED_FILES, damage_data, heif


@pytest.mark.parametrize("mode", ["L", "RGB", "CMYK"])
@pytest.mark.parametrize(("side", "scale"), [(240, 2), (241, 1), (121, 2), (60, 8), (9, 8)])
def test_scaled_jpegs(mode: str, side: int, scale: int) -> None:
    """A half, a quarter or an eighth: as large as asked for, and the same to look at."""
    row, column = np.mgrid[:300, :480]
    colors = np.stack([column // 2, row // 2, 255 - column // 2], -1).astype(np.uint8)
    image = Image.fromarray(colors).convert(mode)
    data = saved(np.asarray(image), "JPEG", mode if mode == "CMYK" else None, quality=95)
    whole, shown = decode_picture(data), glance(data, side=side)
    assert shown.pixels == 300 * 480
    assert shown.picture.mode == whole.mode
    assert shown.picture.pixels.shape[:2] == (-(-300 // scale), -(-480 // scale))
    small = [shrink_picture(picture, side=30).astype(int) for picture in (whole, shown.picture)]
    assert np.abs(small[0] - small[1]).max() < 8


def test_orientation_is_kept() -> None:
    """The small picture is to be turned as the large one is."""
    exif = Image.Exif()
    exif[0x0112] = 6
    shown = glance(saved(noise(40, 60, 3), "JPEG", exif=exif), side=9)
    assert turn_of(shown.picture) == TURNS[6]


@pytest.mark.parametrize(
    ("high", "wide", "taken"), [(120, 160, True), (107, 160, False), (90, 120, False)]
)
def test_thumbnails_of_cameras(high: int, wide: int, taken: bool) -> None:
    """That in the Exif block is taken if it is large enough and has the picture's proportions."""
    small = saved(np.full((high, wide, 3), 200, dtype=np.uint8), "JPEG")
    small = small[:2] + _in_exif(small) + small[2:]  # whose own thumbnail nobody looks at
    data = saved(np.zeros((480, 640, 3), dtype=np.uint8), "JPEG")
    shown = glance(data[:2] + _in_exif(small) + data[2:], side=200)
    assert shown.pixels == 480 * 640
    assert shown.picture.pixels.shape[:2] == ((high, wide) if taken else (240, 320))
    assert shown.picture.pixels.mean() == (200 if taken else 0)


def test_the_thumbnail_of_a_cut_file() -> None:
    """The thumbnail is shown if the file was cut in its samples, and nothing if it has none."""
    small = saved(np.full((120, 160, 3), 200, dtype=np.uint8), "JPEG")
    data = saved(np.zeros((480, 640, 3), dtype=np.uint8), "JPEG")
    shown = glance(data[:2] + _in_exif(small) + data[2:-50], side=200)
    assert (shown.pixels, shown.picture.pixels.shape[:2]) == (480 * 640, (120, 160))
    with pytest.raises(InvalidImageError):
        glance(data[:-50], side=200)


def _in_exif(small: bytes) -> bytes:
    """A segment of Exif whose second directory leads to a thumbnail."""
    first = struct.pack("<HHHIII", 1, 0x112, 3, 1, 1, 26)
    pointers = [(0x201, 26 + 2 + 24 + 4), (0x202, len(small))]
    second = struct.pack("<H", 2) + b"".join(struct.pack("<HHII", n, 4, 1, v) for n, v in pointers)
    body = b"Exif\0\0II*\0\10\0\0\0" + first + second + bytes(4) + small
    return b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body


def test_limits_and_damage() -> None:
    """Both hold as they do for decoding."""
    data = saved(noise(40, 60, 3), "JPEG")
    with pytest.raises(ImageTooLargeError):
        glance(data, side=9, max_pixels=2399)
    for length in (30, 300, len(data) - 1):
        with pytest.raises(InvalidImageError):
            glance(data[:length], side=9)


def test_scaling_saves_most_of_the_work() -> None:
    """An eighth of a large JPEG takes much less time than all of it."""
    data = saved(smooth(2000, 3000), "JPEG", quality=90)
    took = []
    for read in (lambda: glance(data, side=320), lambda: decode_picture(data)):
        times = []
        for _ in range(3):
            start = time.process_time()
            read()
            times.append(time.process_time() - start)
        took.append(min(times))
    assert took[0] < 0.9 * took[1]


def _with_thumbnail(name: str, small: str) -> bytes:
    """A HEIF with another as its thumbnail."""
    (large_config, large), (small_config, thumbnail) = (
        read_coded(heif(each), b"hvcC") for each in (name, small)
    )
    return avif(
        [(1, b"hvc1", large), (2, b"hvc1", thumbnail)],
        [(ispe(64, 80), [1, 2]), (large_config, [1]), (small_config, [2])],
        references=box(b"iref", b"\0\0\0\0", box(b"thmb", struct.pack(">HHH", 2, 1, 1))),
        brand=b"heic",
    )


def test_thumbnails_of_heif() -> None:
    """A thumbnail of nearly the size is decoded alone; without one there is nothing to save."""
    data = _with_thumbnail("rgb", "lossy")
    assert np.array_equal(decode_picture(data).pixels, decode_picture(heif("rgb")).pixels)
    for side in (20, 80, 130):
        shown = glance(data, side=side)
        assert shown.pixels == 64 * 80
        assert np.array_equal(shown.picture.pixels, decode_picture(heif("lossy")).pixels)
    for whole, side in ((data, 140), (heif("rgb"), 20)):
        assert np.array_equal(glance(whole, side=side).picture.pixels, decode_picture(whole).pixels)


def test_thumbnails_with_large_numbers() -> None:
    """A thumbnail whose number has no place as that of the picture is damage to libheif too."""
    number = 70_000
    entry = struct.pack(">IIBB", 1, number, 1, 1)
    references = box(b"iref", b"\1\0\0\0", box(b"thmb", struct.pack(">IHI", number, 1, 1)))
    references += box(b"iprp", box(b"ipco", ispe(64, 80)), box(b"ipma", b"\1\0\0\0", entry))
    config, content = read_coded(heif("rgb"), b"hvcC")
    properties = [(ispe(64, 80), [1]), (config, [1])]
    data = avif([(1, b"hvc1", content)], properties, references=references, brand=b"heic")
    with pytest.raises(InvalidImageError, match="damaged"):
        glance(data, side=20)


def _raw(*previews: bytes, orientation: int = 1) -> bytes:
    """A camera raw: the samples of a sensor, and JPEG pictures in directories below."""
    tags = {262: (3, [32803]), 274: (3, [orientation]), 330: (4, [0] * len(previews))}
    end, positions, file = len(tiff(tags, pixels=noise(60, 80, 1))), [], b""
    for preview in previews:
        values = {254: 1, 513: end + len(file), 514: len(preview)}
        file += preview + bytes(len(preview) % 2)
        positions.append(end + len(file))
        lines = (struct.pack("<HHII", tag, 4, 1, value) for tag, value in values.items())
        file += struct.pack("<H", 3) + b"".join(lines) + bytes(4)
    return tiff({**tags, 330: (4, positions)}, pixels=noise(60, 80, 1)) + file


def test_previews_in_camera_raw() -> None:
    """Of the pictures in it the smallest that is large enough, turned as the raw file says."""
    small, middle, large = (saved(smooth(n, 2 * n), "JPEG") for n in (20, 50, 90))
    data = _raw(small, large, middle, orientation=8)
    for side, expected in ((30, small), (41, middle), (100, middle), (150, large), (999, large)):
        shown = glance(data, side=side)
        assert shown.pixels == 60 * 80
        scaled = glance(expected, side=side)
        assert np.array_equal(shown.picture.pixels, scaled.picture.pixels)
        assert turn_of(shown.picture) == TURNS[8]
    with pytest.raises(UnsupportedError):
        glance(_raw(b"\xff\xd8\xff no JPEG"), side=9)


@pytest.mark.parametrize("orientation", [0, 9, 70_000, 2**32 - 1])
def test_impossible_orientations_in_camera_raw(orientation: int) -> None:
    """A number that means nothing turns nothing, even one that takes more than 16 bits."""
    data = _raw(saved(smooth(20, 40), "JPEG"), orientation=8)
    entry = struct.pack("<HHIHH", 274, 3, 1, 8, 0)
    assert data.count(entry) == 1
    data = data.replace(entry, struct.pack("<HHII", 274, 4, 1, orientation))
    assert turn_of(glance(data, side=9).picture) == TURNS[1]


@pytest.mark.parametrize("name", ["JPEG", "JPEG, progressive", "HEIF", "raw"])
def test_changed_files_raise_our_errors(name: str) -> None:
    """Whatever is changed or cut off, no foreign error comes out."""
    own = {"raw": _raw(FILES["JPEG"], orientation=6), "HEIF": _with_thumbnail("rgb", "lossy")}
    whole = {**FILES, **own}[name]
    draw = random.Random(name)  # noqa: S311 - a fixed seed, not a secret
    for _ in range(200):
        with suppress(SudokucryptError):
            glance(damage_data(draw, whole), side=draw.choice((9, 60)), max_pixels=2**16)


_UNSEEN = (
    *("TIFF, 12 bits", "TIFF, YCbCr", "TIFF, CMYK-JPEG", "TIFF, group3", "TIFF, group4"),
    *("WebP, animation", "GIF, two"),
)


@pytest.mark.parametrize("name", [name for name in FILES if not name.startswith(("JPEG", "HEIF"))])
def test_other_formats_are_decoded(name: str) -> None:
    """There is nothing to save; of several pictures the first is seen."""
    # Of other kinds, and canvases that are too large, nothing is seen.
    if name in _UNSEEN:
        with pytest.raises((UnsupportedError, ImageTooLargeError)):
            glance(FILES[name], side=9)
        return
    shown = glance(FILES[name], side=9)
    assert shown.picture.pixels.shape[0] * shown.picture.pixels.shape[1] == shown.pixels
    if name not in REFUSED_FILES:
        assert np.array_equal(shown.picture.pixels, decode_picture(FILES[name]).pixels)
