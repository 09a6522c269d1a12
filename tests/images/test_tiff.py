"""TIFF: plain samples and headers are read exactly, unusual and hostile files are refused."""

import io
import itertools
import struct
import tracemalloc
import zlib
from typing import Literal

import imagecodecs
import numpy as np
import pytest
from PIL import TiffImagePlugin

from sudokucrypt.errors import InvalidImageError, UnsupportedError, UnsupportedVersionError
from sudokucrypt.images import Picture, decode_picture, encode_picture
from sudokucrypt.images.picture import Metadata
from tests.images.builders import (
    CHANNELS,
    DTYPES,
    HEADER,
    build_tiff,
    encode_array,
    noise,
    read_by_pillow,
    save_image,
)

_DESCRIPTION = 270
_GRAY = noise(9, 11, 1)
_ORDERS: tuple[Literal["<", ">"], ...] = ("<", ">")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("channels", CHANNELS)
@pytest.mark.parametrize("size", [(1, 1), (1, 7), (48, 64)])
def test_plain_strips(size: tuple[int, int], channels: int, dtype: str) -> None:
    """A strip in any byte order and offset size is read exactly."""
    pixels = noise(*size, channels, dtype)
    for order, is_big in itertools.product(_ORDERS, (False, True)):
        picture = decode_picture(build_tiff(pixels=pixels, order=order, is_big=is_big))
        assert np.array_equal(picture.pixels, pixels)
        assert picture.pixels.dtype == dtype
        assert (picture.header, picture.format, picture.dropped) == (None, "TIFF", ())
        assert picture.metadata == Metadata()


@pytest.mark.parametrize("mode", ["L", "LA", "RGB", "RGBA", "I;16"])
def test_pillow_finds_the_header(mode: str) -> None:
    """Pillow reads the header as the description of the picture."""
    pixels = noise(13, 11, 1, "uint16") if mode == "I;16" else noise(13, 11, len(mode))
    data = encode_array(pixels, "TIFF", header=HEADER)
    assert np.array_equal(read_by_pillow(data), pixels)
    with TiffImagePlugin.TiffImageFile(io.BytesIO(data)) as image:
        assert image.mode == mode
        tags = image.tag_v2
        assert tags[_DESCRIPTION] == HEADER.decode()
        assert tags[259] == 1
        assert tags.get(338) == ((2,) if mode in ("LA", "RGBA") else None)


def test_text_that_is_no_header() -> None:
    """A description that is no header is named as a dropped text."""
    plain = decode_picture(build_tiff(more_tags=[(_DESCRIPTION, 2, b"ImageJ=1.53\0")]))
    assert (plain.header, plain.dropped) == (None, ("text",))
    picture_with_both = decode_picture(
        build_tiff(more_tags=[(_DESCRIPTION, 2, HEADER + b"\0ImageJ=1.53\0")])
    )
    assert (picture_with_both.header, picture_with_both.metadata) == (HEADER, Metadata())


def test_several_pages() -> None:
    """A TIFF of several pages is refused; the error for a protected one names the version."""
    for header, error, reason in (
        (b"some text", UnsupportedError, "a stack of pages"),
        (HEADER, UnsupportedVersionError, "with several pages"),
    ):
        descriptions = [(_DESCRIPTION, 2, header + b"\0")]
        first_page = build_tiff(
            more_tags=descriptions, following=len(build_tiff(more_tags=descriptions))
        )
        (directory_start,) = struct.unpack_from("<I", build_tiff(), 4)
        with pytest.raises(error, match=reason):
            decode_picture(first_page + build_tiff()[directory_start:])


@pytest.mark.parametrize(("kind", "name"), [(1, "previews"), (4, "masks"), (5, "masks")])
def test_previews_and_masks_are_left_out(kind: int, name: str) -> None:
    """A preview or mask next to a page is named as dropped, and the page is read."""
    pixels = noise(5, 3, 3)
    length = len(build_tiff(pixels=pixels))
    for page, position, dropped_names in (
        (build_tiff(pixels=pixels, following=length), length, name),
        (build_tiff({330: (4, [length + 12])}, pixels=pixels), length + 12, "other pictures"),
    ):
        (directory_start,) = struct.unpack_from("<I", page, 4)
        assert len(page) == position
        # The values before the directory are equal in both files, so the directory can be appended.
        directory = build_tiff({254: (4, [kind])}, pixels=pixels)[directory_start:]
        picture = decode_picture(page + directory)
        assert np.array_equal(picture.pixels, pixels)
        assert picture.dropped == (dropped_names,)


@pytest.mark.parametrize("compression", ["lzw", "deflate", "packbits"])
def test_cut_strips_are_refused(compression: str) -> None:
    """A compressed strip that is too short is refused."""
    smooth = np.arange(48 * 64, dtype=np.uint8).reshape(48, 64) // 7
    data = bytes(imagecodecs.tiff_encode(smooth, compression=compression))
    size = data.rindex(b"\x17\x01")
    length = int.from_bytes(data[size + 8 : size + 12], "little")
    # A file without the last byte of its checksum is refused too.
    last_lengths = [length - 1] if compression == "deflate" else []
    for shorter in (*range(1, length - 4, 9), *last_lengths):
        cut_file = data[: size + 8] + shorter.to_bytes(4, "little") + data[size + 12 :]
        with pytest.raises(InvalidImageError):
            decode_picture(cut_file)


def _require_refusal(data: bytes, reason: str) -> None:
    with pytest.raises(InvalidImageError, match=reason):
        decode_picture(data)


def test_rings_of_pages() -> None:
    """A TIFF whose pages form a ring is refused."""
    page = build_tiff()
    (directory_start,) = struct.unpack_from("<I", page, 4)
    _require_refusal(build_tiff(following=directory_start), "ring")
    second_page = build_tiff(following=directory_start)[directory_start:]
    _require_refusal(build_tiff(following=len(page)) + second_page, "ring")


def test_too_many_pages_are_refused() -> None:
    """A TIFF with more than the maximum number of pages is refused before the last is read."""
    count = 10_001
    page = struct.pack("<HHHII", 1, 256, 4, 1, 1)
    size = len(page) + 4
    pages = b"".join(
        page + struct.pack("<I", 8 + (n + 1) * size if n + 1 < count else 0) for n in range(count)
    )
    aside = pages.replace(struct.pack("<HHII", 256, 4, 1, 1), struct.pack("<HHII", 254, 4, 1, 1))
    with pytest.raises(UnsupportedError, match="10000 pages"):
        decode_picture(b"II*\0\x08\0\0\0" + aside)


def test_too_many_scans_are_refused() -> None:
    """A TIFF with a JPEG stream of many scans is refused."""
    stream = save_image(np.zeros((8, 8), np.uint8), "JPEG", progressive=True)
    scan = stream.rindex(b"\xff\xda")
    tag_changes = {256: (4, [8]), 257: (4, [8]), 259: (3, [7]), 278: (4, [8])}
    few_scans, many_scans, cut_stream = (
        build_tiff(tag_changes, pixels=np.frombuffer(repeated, np.uint8)[np.newaxis])
        for repeated in (stream, stream[:scan] + stream[scan:-2] * 40 + stream[-2:], stream[:-2])
    )
    assert not decode_picture(few_scans).pixels.any()
    _require_refusal(cut_stream, "ends in the middle")
    with pytest.raises(UnsupportedError, match="many scans"):
        decode_picture(many_scans)


def test_volumes_are_refused() -> None:
    """A page of several slices is refused."""
    assert np.array_equal(decode_picture(build_tiff({32997: (4, [1])}, pixels=_GRAY)).pixels, _GRAY)
    with pytest.raises(UnsupportedError, match="several slices"):
        decode_picture(build_tiff({32997: (4, [2])}, pixels=_GRAY))


@pytest.mark.parametrize("count", [65536, 10**6, 2**63])
def test_too_many_tags_are_refused(count: int) -> None:
    """A directory with more tags than classic TIFF allows is refused."""
    file_head = struct.pack("<2sHHHQQ", b"II", 43, 8, 0, 16, count)
    entries = b"".join(struct.pack("<HHQQ", n % 65536, 3, 1, 0) for n in range(min(count, 70000)))
    _require_refusal(file_head + entries + bytes(8), "tags")


def test_overlapping_values_are_refused() -> None:
    """Thousands of tags with the same megabyte as their value are refused."""
    tags = 2000
    entries = b"".join(struct.pack("<HHII", 1000 + n, 7, 2**20, 8) for n in range(tags))
    directory_start = 8 + 2**20
    data = bytearray(build_tiff(pixels=_GRAY))
    (page,) = struct.unpack_from("<I", data, 4)
    count = struct.unpack_from("<H", data, page)[0]
    body = bytes(data[page + 2 : page + 2 + 12 * count])
    overlapping_file = (
        b"II*\0"
        + struct.pack("<I", directory_start)
        + bytes(data[8:page]).ljust(2**20, b"\0")
        + struct.pack("<H", count + tags)
        + body
        + entries
        + bytes(4)
    )
    tracemalloc.start()
    assert decode_picture(overlapping_file).dropped == ("other data",)
    assert tracemalloc.get_traced_memory()[1] < 20 * 2**20
    tracemalloc.stop()


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("pointer", [34665, 34853])
def test_loops_of_directories(pointer: int, order: Literal["<", ">"]) -> None:
    """A directory that is its own EXIF or GPS block is read; deeper loops are left out."""
    (directory_start,) = struct.unpack_from(order + "I", build_tiff(order=order), 4)
    data = build_tiff({pointer: (4, [directory_start])}, order=order)
    picture = decode_picture(data)
    assert np.array_equal(picture.pixels, noise(5, 3, 3))
    assert picture.metadata.names() == ("EXIF",)


def test_strips_are_not_inflated_further() -> None:
    """A strip is inflated only to the size of its samples."""
    strip = np.frombuffer(zlib.compress(bytes(10**7), 9), np.uint8)[np.newaxis]
    tags = {256: (4, [10]), 257: (4, [10]), 278: (4, [10]), 259: (3, [8])}
    data = build_tiff(tags, pixels=strip)
    tracemalloc.start()
    assert not decode_picture(data).pixels.any()
    assert tracemalloc.get_traced_memory()[1] < 10**6
    tracemalloc.stop()


def test_huge_tiles_are_refused() -> None:
    """A small picture in a tile of 4 gigapixels counts as a picture of that size."""
    tags = {256: (4, [1]), 257: (4, [1]), 259: (3, [8]), 322: (4, [2**16]), 323: (4, [2**16])}
    tags |= {324: (4, [8]), 325: (4, [45])}
    _require_refusal(build_tiff(tags), "65536 rows of 65536 pixels, more than")


@pytest.mark.slow
def test_large_pictures_need_little_memory() -> None:
    """Reading 100 megapixels takes a few megabytes more than the file and the samples."""
    data = encode_picture(Picture.plain(np.zeros((10_000, 10_000), np.uint8)), "TIFF")
    tracemalloc.start()
    picture = decode_picture(data)
    assert tracemalloc.get_traced_memory()[1] < picture.pixels.nbytes + 2**23
    tracemalloc.stop()
