"""TIFF of scanners and print shops: packed samples, more channels, YCbCr, CMYK-JPEG and CIELab."""

import io
import struct
from typing import Any

import imagecodecs
import numpy as np
import pytest
from PIL import Image, ImageCms

from sudokucrypt.errors import InvalidImageError, UnsupportedError
from sudokucrypt.images import decode_picture, encode_picture
from tests.images.builders import meaning, noise, opened, saved, tiff
from tests.images.samples import packed

_ROW, _COLUMN = np.mgrid[0:48, 0:64]
_SMOOTH = np.stack([_COLUMN * 3, _ROW * 5, 255 - _COLUMN * 2], -1).astype(np.uint8)


def _strip(data: bytes, rows: int, columns: int, tags: dict[int, Any], **options: Any) -> bytes:
    """A TIFF whose only strip are these bytes."""
    sides = {256: (4, [columns]), 257: (4, [rows]), 278: (4, [rows])}
    return tiff({**sides, **tags}, pixels=np.frombuffer(data, np.uint8).reshape(1, -1), **options)


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("bits", [9, 10, 12, 14, 15])
def test_packed_samples(bits: int, channels: int, order: Any) -> None:
    """9 to 15 bits become 16 by repeating the highest, which undoes to the samples stored."""
    pixels = noise(5, 7, channels, "uint16") >> (16 - bits)
    pixels.flat[:2] = 0, 2**bits - 1
    tags = {
        258: (3, [bits] * channels),
        262: (3, [2 if channels == 3 else 1]),
        277: (3, [channels]),
    }
    for big in (False, True):
        data = _strip(packed(pixels, bits), 5, 7, tags, order=order, big=big)
        result = decode_picture(data).pixels
        assert np.array_equal(result >> (16 - bits), pixels)
        assert result.dtype == np.uint16
        assert (result.min(), result.max()) == (0, 65535)
    with pytest.raises(InvalidImageError, match="fewer samples"):
        decode_picture(_strip(packed(pixels, bits)[:-1], 5, 7, tags, order=order))


def test_packed_samples_with_white_at_zero() -> None:
    """They are inverted in their own range."""
    pixels = noise(5, 7, 1, "uint16") >> 4
    tags = {258: (3, [12]), 262: (3, [0])}
    result = decode_picture(_strip(packed(pixels, 12), 5, 7, tags)).pixels
    assert np.array_equal(result >> 4, 4095 - pixels)


@pytest.mark.parametrize(
    ("photometric", "channels", "extra", "kept", "mode"),
    [
        (2, 6, [2, 0, 0], 4, "rgba"),
        (2, 5, [1, 0], 4, "rgba"),
        (2, 6, [0, 0, 0], 3, "rgb"),
        (2, 5, None, 3, "rgb"),
        (5, 5, [0], 4, "cmyk"),
        (5, 6, [2, 0], 4, "cmyk"),
    ],
)
def test_more_channels(
    photometric: int, channels: int, extra: list[int] | None, kept: int, mode: str
) -> None:
    """Colors and their alpha are read, and what is beyond them is named."""
    pixels = noise(5, 7, channels)
    tags = {258: (3, [8] * channels), 262: (3, [photometric]), 277: (3, [channels])}
    if extra is not None:
        tags[338] = (3, extra)
    picture = decode_picture(_strip(pixels.tobytes(), 5, 7, tags))
    assert np.array_equal(picture.pixels, pixels[..., :kept])
    assert picture.pixels.flags.c_contiguous
    assert (picture.frames[0].mode, picture.dropped) == (mode, ("extra channels",))
    assert meaning(decode_picture(encode_picture(picture, "TIFF"))) == meaning(picture)


def test_many_bands_are_no_picture() -> None:
    """Gray with several more channels is data, of which nothing may be dropped."""
    data = _strip(noise(5, 7, 6).tobytes(), 5, 7, {258: (3, [8] * 6), 277: (3, [6])})
    with pytest.raises(UnsupportedError, match="channels"):
        decode_picture(data)


@pytest.mark.parametrize("quality", [30, 95])
@pytest.mark.parametrize(("mode", "channels"), [("gray", 1), ("rgb", 3), ("cmyk", 4)])
def test_jpeg_streams(mode: str, channels: int, quality: int) -> None:
    """libtiff, behind Pillow, gets the same samples."""
    samples = np.dstack([_SMOOTH, _SMOOTH[..., 0] // 2])[..., :channels].squeeze()
    kind = "CMYK" if channels == 4 else None
    data = saved(samples, "TIFF", kind, compression="jpeg", quality=quality)
    picture = decode_picture(data)
    assert np.array_equal(picture.pixels, opened(data))
    assert picture.frames[0].mode == mode
    for cut in (5, 50, 400):
        with pytest.raises(InvalidImageError):
            decode_picture(data.replace(b"\xff\xd9", b"")[:-cut])


def _grouped(across: int, down: int, seed: int) -> bytes:
    """Groups of luminances and their differences, for 48 rows of 64."""
    generator = np.random.default_rng(seed)
    groups = 48 // down * (64 // across)
    return generator.integers(0, 256, groups * (across * down + 2), dtype=np.uint8).tobytes()


@pytest.mark.parametrize("levels", [None, (16, 235, 128, 240, 128, 240)])
@pytest.mark.parametrize("shared", [(1, 1), (2, 1), (2, 2), (4, 1), (4, 2), (4, 4)])
def test_ycbcr(shared: tuple[int, int], levels: tuple[int, ...] | None) -> None:
    """libtiff, which rounds before it mixes, gets the same colors but for that."""
    tags = {258: (3, [8] * 3), 262: (3, [6]), 277: (3, [3]), 530: (3, shared)}
    more = []
    if levels:
        more.append((532, 5, b"".join(struct.pack("<II", level, 1) for level in levels)))
    data = _strip(_grouped(*shared, seed=1), 48, 64, tags, more=more)
    # The builder counts the values of a tag in bytes; here they are fractions.
    data = data.replace(struct.pack("<HHI", 532, 5, 48), struct.pack("<HHI", 532, 5, 6))
    expected = imagecodecs.tiff_decode(data, asrgb=True)[..., :3].astype(int)
    picture = decode_picture(data)
    assert np.abs(picture.pixels - expected).max() <= 3
    assert (picture.frames[0].mode, picture.dropped) == ("rgb", ("YCbCr colors",))
    with pytest.raises(InvalidImageError, match="fewer samples"):
        decode_picture(_strip(_grouped(*shared, seed=1)[:-1], 48, 64, tags))


@pytest.mark.parametrize("size", [(47, 63), (1, 1), (3, 62)])
def test_ycbcr_with_groups_that_are_cut(size: tuple[int, int]) -> None:
    """Rows and columns of a group that stand outside the picture do not come back."""
    rows, columns = size
    groups = -(-rows // 2) * -(-columns // 2)
    data = noise(1, groups * 6, 1).tobytes()
    tags = {258: (3, [8] * 3), 262: (3, [6]), 277: (3, [3]), 530: (3, [2, 2])}
    file = _strip(data, rows, columns, tags)
    expected = imagecodecs.tiff_decode(file, asrgb=True)[..., :3].astype(int)
    assert np.abs(decode_picture(file).pixels - expected).max() <= 3


@pytest.mark.parametrize("compression", ["tiff_lzw", "packbits", "tiff_adobe_deflate"])
def test_compressed_ycbcr(compression: str) -> None:
    """What Pillow writes in this mode, libtiff and we read alike."""
    image = Image.fromarray(_SMOOTH).convert("YCbCr")
    data = saved(np.asarray(image), "TIFF", "YCbCr", compression=compression)
    expected = imagecodecs.tiff_decode(data, asrgb=True)[..., :3].astype(int)
    assert np.abs(decode_picture(data).pixels - expected).max() <= 3


def _lab() -> Image.Image:
    srgb, lab = ImageCms.createProfile("sRGB"), ImageCms.createProfile("LAB")
    converted = ImageCms.profileToProfile(Image.fromarray(_SMOOTH), srgb, lab, outputMode="LAB")
    assert converted is not None
    return converted


def test_cielab() -> None:
    """It becomes sRGB of 16 bits, as near to what it was as 8 bits of CIELab are."""
    buffer = io.BytesIO()
    _lab().save(buffer, "TIFF", icc_profile=b"of other colors")
    picture = decode_picture(buffer.getvalue())
    assert (picture.dropped, picture.frames[0].metadata.icc) == (("CIELab colors",), None)
    difference = np.abs(picture.pixels / 257 - _SMOOTH)
    assert picture.pixels.dtype == np.uint16
    assert (difference.mean() < 1, difference.max() < 25) == (True, True)


@pytest.mark.parametrize("wide", [False, True])
def test_cielab_of_all_kinds(wide: bool) -> None:
    """Signed or not, in 8 bits or 16, the same colors come out."""
    lab = np.asarray(_lab()).copy()
    unsigned = lab.copy()
    unsigned[..., 1:] ^= 0x80
    if wide:
        lab, unsigned = (each.astype(np.uint16) << 8 for each in (lab, unsigned))
        lab[..., 0] = unsigned[..., 0] = lab[..., 0] // 256 * 257
    bits = 16 if wide else 8
    result = []
    for photometric, pixels in ((8, lab), (9, unsigned)):
        tags = {258: (3, [bits] * 3), 262: (3, [photometric]), 277: (3, [3])}
        result.append(decode_picture(_strip(pixels.tobytes(), 48, 64, tags)).pixels)
    assert np.array_equal(result[0], result[1])
    assert np.abs(result[0] / 257 - _SMOOTH).mean() < 1
