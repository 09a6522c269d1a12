"""Previews without full decoding: scaled JPEG, thumbnails of HEIC, JPEG files in camera raw."""

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
from sudokucrypt.images import decode_picture, get_turn, glance, shrink_picture
from sudokucrypt.images.orientation import TURNS
from tests.images.avif import build_avif, make_size_property, read_coded
from tests.images.builders import build_tiff, make_box, noise, save_image
from tests.images.jpeg.corpus import make_smooth
from tests.images.samples import FILES, REFUSED_FILES, damage_data, read_heif_file


@pytest.mark.parametrize("mode", ["L", "RGB", "CMYK"])
@pytest.mark.parametrize(("side", "scale"), [(240, 2), (241, 1), (121, 2), (60, 8), (9, 8)])
def test_scaled_jpegs(mode: str, side: int, scale: int) -> None:
    """A JPEG is shown at a half, a quarter or an eighth, at least as large as requested."""
    row, column = np.mgrid[:300, :480]
    colors = np.stack([column // 2, row // 2, 255 - column // 2], -1).astype(np.uint8)
    image = Image.fromarray(colors).convert(mode)
    data = save_image(np.asarray(image), "JPEG", mode if mode == "CMYK" else None, quality=95)
    full_picture, preview = decode_picture(data), glance(data, side=side)
    assert preview.pixels == 300 * 480
    assert preview.picture.mode == full_picture.mode
    assert preview.picture.pixels.shape[:2] == (-(-300 // scale), -(-480 // scale))
    reduced_pixels = [
        shrink_picture(picture, side=30).astype(int) for picture in (full_picture, preview.picture)
    ]
    assert np.abs(reduced_pixels[0] - reduced_pixels[1]).max() < 8


def test_orientation_is_kept() -> None:
    """The preview of a JPEG has the orientation of its picture."""
    exif = Image.Exif()
    exif[0x0112] = 6
    preview = glance(save_image(noise(40, 60, 3), "JPEG", exif=exif), side=9)
    assert get_turn(preview.picture) == TURNS[6]


@pytest.mark.parametrize(
    ("rows", "columns", "is_used"), [(120, 160, True), (107, 160, False), (90, 120, False)]
)
def test_thumbnails_of_cameras(rows: int, columns: int, is_used: bool) -> None:
    """The Exif thumbnail is shown if it is large enough and has the proportions of the picture."""
    thumbnail = save_image(np.full((rows, columns, 3), 200, dtype=np.uint8), "JPEG")
    thumbnail = (
        thumbnail[:2] + _make_exif_segment(thumbnail) + thumbnail[2:]
    )  # a thumbnail inside the thumbnail, which must be ignored
    data = save_image(np.zeros((480, 640, 3), dtype=np.uint8), "JPEG")
    preview = glance(data[:2] + _make_exif_segment(thumbnail) + data[2:], side=200)
    assert preview.pixels == 480 * 640
    assert preview.picture.pixels.shape[:2] == ((rows, columns) if is_used else (240, 320))
    assert preview.picture.pixels.mean() == (200 if is_used else 0)


def test_the_thumbnail_of_a_cut_file() -> None:
    """A JPEG that was cut in its samples is shown by its thumbnail, or refused without one."""
    thumbnail = save_image(np.full((120, 160, 3), 200, dtype=np.uint8), "JPEG")
    data = save_image(np.zeros((480, 640, 3), dtype=np.uint8), "JPEG")
    preview = glance(data[:2] + _make_exif_segment(thumbnail) + data[2:-50], side=200)
    assert (preview.pixels, preview.picture.pixels.shape[:2]) == (480 * 640, (120, 160))
    with pytest.raises(InvalidImageError):
        glance(data[:-50], side=200)


def _make_exif_segment(thumbnail: bytes) -> bytes:
    """Return an Exif segment with a thumbnail in its second directory."""
    first = struct.pack("<HHHIII", 1, 0x112, 3, 1, 1, 26)
    pointers = [(0x201, 26 + 2 + 24 + 4), (0x202, len(thumbnail))]
    second = struct.pack("<H", 2) + b"".join(struct.pack("<HHII", n, 4, 1, v) for n, v in pointers)
    body = b"Exif\0\0II*\0\10\0\0\0" + first + second + bytes(4) + thumbnail
    return b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body


def test_limits_and_damage() -> None:
    """Glancing at a damaged or too large JPEG raises the errors of decoding."""
    data = save_image(noise(40, 60, 3), "JPEG")
    with pytest.raises(ImageTooLargeError):
        glance(data, side=9, max_pixels=2399)
    for length in (30, 300, len(data) - 1):
        with pytest.raises(InvalidImageError):
            glance(data[:length], side=9)


def test_scaling_saves_most_of_the_work() -> None:
    """Decoding a large JPEG at an eighth takes much less time than decoding it fully."""
    data = save_image(make_smooth(2000, 3000), "JPEG", quality=90)
    seconds = []
    for read_picture in (lambda: glance(data, side=320), lambda: decode_picture(data)):
        times = []
        for _ in range(3):
            start_time = time.process_time()
            read_picture()
            times.append(time.process_time() - start_time)
        seconds.append(min(times))
    assert seconds[0] < 0.9 * seconds[1]


def _build_heif_with_thumbnail(name: str, thumbnail_file: str) -> bytes:
    """Return a HEIF with another one as its thumbnail."""
    (main_config, main_picture), (thumbnail_config, thumbnail) = (
        read_coded(read_heif_file(each), b"hvcC") for each in (name, thumbnail_file)
    )
    return build_avif(
        [(1, b"hvc1", main_picture), (2, b"hvc1", thumbnail)],
        [(make_size_property(64, 80), [1, 2]), (main_config, [1]), (thumbnail_config, [2])],
        references=make_box(b"iref", b"\0\0\0\0", make_box(b"thmb", struct.pack(">HHH", 2, 1, 1))),
        brand=b"heic",
    )


def test_thumbnails_of_heif() -> None:
    """A HEIF thumbnail of nearly the requested side is shown; otherwise the picture is decoded."""
    data = _build_heif_with_thumbnail("rgb", "lossy")
    assert np.array_equal(decode_picture(data).pixels, decode_picture(read_heif_file("rgb")).pixels)
    for side in (20, 80, 130):
        preview = glance(data, side=side)
        assert preview.pixels == 64 * 80
        assert np.array_equal(
            preview.picture.pixels, decode_picture(read_heif_file("lossy")).pixels
        )
    for heif_file, side in ((data, 140), (read_heif_file("rgb"), 20)):
        assert np.array_equal(
            glance(heif_file, side=side).picture.pixels, decode_picture(heif_file).pixels
        )


def test_thumbnails_with_large_numbers() -> None:
    """A thumbnail whose item number does not fit into the box of the primary item is not shown."""
    number = 70_000
    entry = struct.pack(">IIBB", 1, number, 1, 1)
    references = make_box(
        b"iref", b"\1\0\0\0", make_box(b"thmb", struct.pack(">IHI", number, 1, 1))
    )
    references += make_box(
        b"iprp",
        make_box(b"ipco", make_size_property(64, 80)),
        make_box(b"ipma", b"\1\0\0\0", entry),
    )
    config, content = read_coded(read_heif_file("rgb"), b"hvcC")
    properties = [(make_size_property(64, 80), [1]), (config, [1])]
    data = build_avif([(1, b"hvc1", content)], properties, references=references, brand=b"heic")
    with pytest.raises(InvalidImageError, match="damaged"):
        glance(data, side=20)


def _build_camera_raw(*previews: bytes, orientation: int = 1) -> bytes:
    """Return a camera raw: samples of a sensor, and JPEG previews in directories below."""
    tags = {262: (3, [32803]), 274: (3, [orientation]), 330: (4, [0] * len(previews))}
    data_end, positions, file = len(build_tiff(tags, pixels=noise(60, 80, 1))), [], b""
    for preview in previews:
        values = {254: 1, 513: data_end + len(file), 514: len(preview)}
        file += preview + bytes(len(preview) % 2)
        positions.append(data_end + len(file))
        lines = (struct.pack("<HHII", tag, 4, 1, value) for tag, value in values.items())
        file += struct.pack("<H", 3) + b"".join(lines) + bytes(4)
    return build_tiff({**tags, 330: (4, positions)}, pixels=noise(60, 80, 1)) + file


def test_previews_in_camera_raw() -> None:
    """The smallest JPEG of a camera raw that is large enough is shown, with its orientation."""
    small, middle, large = (save_image(make_smooth(n, 2 * n), "JPEG") for n in (20, 50, 90))
    data = _build_camera_raw(small, large, middle, orientation=8)
    for side, expected in ((30, small), (41, middle), (100, middle), (150, large), (999, large)):
        preview = glance(data, side=side)
        assert preview.pixels == 60 * 80
        scaled = glance(expected, side=side)
        assert np.array_equal(preview.picture.pixels, scaled.picture.pixels)
        assert get_turn(preview.picture) == TURNS[8]
    with pytest.raises(UnsupportedError):
        glance(_build_camera_raw(b"\xff\xd8\xff no JPEG"), side=9)


@pytest.mark.parametrize("orientation", [0, 9, 70_000, 2**32 - 1])
def test_impossible_orientations_in_camera_raw(orientation: int) -> None:
    """A camera raw with an invalid orientation is shown without turning."""
    data = _build_camera_raw(save_image(make_smooth(20, 40), "JPEG"), orientation=8)
    entry = struct.pack("<HHIHH", 274, 3, 1, 8, 0)
    assert data.count(entry) == 1
    data = data.replace(entry, struct.pack("<HHII", 274, 4, 1, orientation))
    assert get_turn(glance(data, side=9).picture) == TURNS[1]


@pytest.mark.parametrize("name", ["JPEG", "JPEG, progressive", "HEIF", "raw"])
def test_changed_files_raise_our_errors(name: str) -> None:
    """Glancing at a file with random changes shows a picture or raises our error."""
    built_files = {
        "raw": _build_camera_raw(FILES["JPEG"], orientation=6),
        "HEIF": _build_heif_with_thumbnail("rgb", "lossy"),
    }
    original = {**FILES, **built_files}[name]
    draw = random.Random(name)  # noqa: S311 - a fixed seed, not a secret
    for _ in range(200):
        with suppress(SudokucryptError):
            glance(damage_data(draw, original), side=draw.choice((9, 60)), max_pixels=2**16)


_FILES_WITHOUT_PREVIEW = (
    *("TIFF, 12 bits", "TIFF, YCbCr", "TIFF, CMYK-JPEG", "TIFF, group3", "TIFF, group4"),
    *("WebP, animation", "GIF, two"),
)


@pytest.mark.parametrize("name", [name for name in FILES if not name.startswith(("JPEG", "HEIF"))])
def test_other_formats_are_decoded(name: str) -> None:
    """Other formats are decoded fully, and of several pictures the first is shown."""
    # Other kinds, and canvases that are too large, are refused.
    if name in _FILES_WITHOUT_PREVIEW:
        with pytest.raises((UnsupportedError, ImageTooLargeError)):
            glance(FILES[name], side=9)
        return
    preview = glance(FILES[name], side=9)
    assert preview.picture.pixels.shape[0] * preview.picture.pixels.shape[1] == preview.pixels
    if name not in REFUSED_FILES:
        assert np.array_equal(preview.picture.pixels, decode_picture(FILES[name]).pixels)
