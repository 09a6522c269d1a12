"""JPEG 2000, ICO, PSD, QOI and TGA: known samples, and those of another decoder."""

import io
import struct

import imagecodecs
import numpy as np
import pytest
from PIL import Image

from sudokucrypt.errors import InvalidImageError, UnsupportedError
from sudokucrypt.images import Metadata, decode_picture, encode_picture
from tests.images.builders import box, encoded, meaning, noise, opened, saved
from tests.images.samples import FILES, jpeg2000, packed, psd, psd_resource, shown

_RGB = noise(9, 11, 3)
_SIDES = struct.pack(">8I", 11, 9, 0, 0, 11, 9, 0, 0)


@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_jpeg2000(channels: int, dtype: str) -> None:
    """What was coded without loss comes out, and Pillow sees it too as far as it can."""
    pixels = noise(20, 31, channels, dtype)
    for container in ("jp2", "j2k"):
        data = jpeg2000(pixels, codecformat=container)
        picture = decode_picture(data)
        assert np.array_equal(picture.pixels, pixels)
        assert picture.pixels.dtype == dtype
        if dtype == "uint8":
            assert np.array_equal(opened(data), pixels)
    assert meaning(decode_picture(encode_picture(picture, "PNG"))) == meaning(picture)


@pytest.mark.parametrize("irreversible", [False, True])
def test_jpeg2000_of_pillow(irreversible: bool) -> None:
    """Two wrappers of OpenJPEG get the same samples, with and without loss."""
    data = saved(noise(40, 50, 3), "JPEG2000", irreversible=irreversible)
    assert np.array_equal(decode_picture(data).pixels, opened(data))


@pytest.mark.parametrize("bits", [1, 4, 10, 12])
def test_jpeg2000_of_other_depths(bits: int) -> None:
    """Samples are spread over 8 or 16 bits; which they were can be told."""
    pixels = noise(9, 11, 1, "uint16") >> (16 - bits)
    pixels[0, :2] = 0, 2**bits - 1
    data = jpeg2000(pixels.astype("uint8" if bits <= 8 else "uint16"), bitspersample=bits)
    found = decode_picture(data).pixels
    assert np.array_equal(found >> (8 * found.dtype.itemsize - bits), pixels)
    assert (found.min(), found.max()) == (0, np.iinfo(found.dtype).max)


def test_jpeg2000_metadata() -> None:
    """Profile, XMP and EXIF come from their boxes; others are named."""
    data = jpeg2000(_RGB)
    plain = box(b"colr", b"\1\0\0\0\0\0\x10")
    assert plain in data
    profile = box(b"colr", b"\2\0\0" + b"p" * 200)
    head = data.index(b"jp2h") - 4
    size = int.from_bytes(data[head : head + 4], "big") + len(profile) - len(plain)
    with_profile = data[:head] + size.to_bytes(4, "big") + data[head + 4 :].replace(plain, profile)
    more = (
        box(b"uuid", bytes.fromhex("be7acfcb97a942e89c71999491e3afac"), b"<x/>"),
        box(b"uuid", b"JpgTiffExif->JP2", b"MM\0*"),
        box(b"xml ", b"<y/>"),
    )
    picture = decode_picture(with_profile + b"".join(more))
    assert picture.frames[0].metadata == Metadata(exif=b"MM\0*", icc=b"p" * 200, xmp=b"<x/>")
    assert picture.dropped == ("other data",)
    inked = jpeg2000(noise(9, 11, 4)).replace(plain, plain[:-1] + b"\x0c")
    inks = decode_picture(inked)
    assert inks.frames[0].mode == "cmyk"


@pytest.mark.parametrize("kept", [0.2, 0.5, 0.99])
def test_jpeg2000_cut_and_closed(kept: float) -> None:
    """A codestream that was cut and given an end is refused."""
    data = jpeg2000(noise(40, 50, 3), codecformat="j2k")
    cut = data[: int(kept * len(data))]
    with pytest.raises(InvalidImageError):
        decode_picture(cut + b"\xff\xd9")
    with pytest.raises(InvalidImageError, match="ends in the middle"):
        decode_picture(cut)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (b"\0\3\7\1\1\7\1\1\7\1\1", b"\0\3\7\1\1\7\2\2\7\2\2", "several sizes"),
        (b"\0\3\7\1\1\7\1\1\7\1\1", b"\0\3\7\1\1\7\1\1\6\1\1", "alike"),
        (b"\0\3\7\1\1\7\1\1\7\1\1", b"\0\3\x87\1\1\x87\1\1\x87\1\1", "alike"),
        (b"\1\0\0\0\0\0\x10", b"\1\0\0\0\0\0\x12", "color space 18"),
        (b"\1\0\0\0\0\0\x10", b"\1\0\0\0\0\0\x0c", "inks and more"),
        (b"colr", b"pclr", "palette"),
        (b"jp2c", b"jp2d", "of none"),
        (_SIDES, struct.pack(">8I", 11, 9, 0, 0, 0, 9, 0, 0), "no pixels"),
        (_SIDES, struct.pack(">8I", 11, 9, 11, 0, 11, 9, 0, 0), "no pixels"),
        (_SIDES, struct.pack(">8I", 999, 999, 0, 0, 1, 1, 0, 0), "more tiles"),
        (b"\xff\x51", b"\xff\x50", "no start"),
    ],
)
def test_jpeg2000_of_other_kinds(old: bytes, new: bytes, reason: str) -> None:
    """Subsampled, signed and uneven channels, other colors and odd sizes are named."""
    data = jpeg2000(_RGB)
    assert old in data
    with pytest.raises((InvalidImageError, UnsupportedError), match=reason):
        decode_picture(data.replace(old, new))


@pytest.mark.parametrize("bits", [1, 4, 8])
def test_icons_with_palettes(bits: int) -> None:
    """Colors are looked up, and the mask says what is not seen; Pillow agrees."""
    columns, rows = 32, 9
    colors = noise(1, 2**bits, 4).reshape(-1, 4).copy()
    colors[:, 3] = 0
    numbers = (noise(rows, columns, 1) >> (8 - bits)).astype(np.uint8)
    mask = noise(rows, columns, 3)[..., 0] > 100
    head = struct.pack("<IiiHHIIiiII", 40, columns, 2 * rows, 1, bits, 0, 0, 0, 0, 0, 0)
    body = head + colors.tobytes() + packed(numbers[::-1], bits)
    body += packed(mask[::-1], 1)
    start = struct.pack("<HHHBBBBHHII", 0, 1, 1, columns, rows, 0, 0, 1, bits, len(body), 22)
    found = decode_picture(start + body).pixels
    assert np.array_equal(found[..., :3], colors[numbers][..., 2::-1])
    assert np.array_equal(found[..., 3] == 0, mask)
    assert np.array_equal(shown(start + body, "RGBA"), found)


@pytest.mark.parametrize("options", [{}, {"bitmap_format": "bmp"}])
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_icons_of_pillow(channels: int, options: dict[str, str]) -> None:
    """The largest picture is read; that there are others is said."""
    pixels = noise(32, 64, channels)
    data = saved(pixels, "ICO", sizes=[(64, 32)], **options)
    found = decode_picture(data).pixels
    mode = {2: "L", 3: "RGB" if channels == 3 else "RGBA"}[found.ndim]
    assert np.array_equal(found, shown(data, "RGBA" if found.shape[-1] == 4 else mode))
    # Pillow fills the rows of a mask up to whole bytes, and does not read them so.
    narrow = decode_picture(saved(pixels, "ICO", sizes=[(40, 20)], **options)).pixels
    if options and channels < 4:
        assert narrow[..., 3].all()
    several = saved(noise(64, 64, channels), "ICO", sizes=[(16, 16), (64, 64)])
    picture = decode_picture(several)
    assert picture.pixels.shape[:2] == (64, 64)
    assert picture.dropped == ("other pictures",)


def test_icons_around_protected_pictures() -> None:
    """A header is not looked for where it was never written."""
    inner = encoded(noise(9, 11, 4), "PNG", header=b'{"sudokucrypt":1}')
    data = FILES["ICO"][:14] + struct.pack("<II", len(inner), 22) + inner
    with pytest.raises(UnsupportedError, match="protected"):
        decode_picture(data)


@pytest.mark.parametrize(
    ("kind", "channels", "mode"),
    [(1, 1, "gray"), (1, 2, "gray-alpha"), (3, 3, "rgb"), (3, 4, "rgba"), (4, 4, "cmyk"),
     (8, 1, "gray")],
)  # fmt: skip
def test_photoshop(kind: int, channels: int, mode: str) -> None:
    """Samples come back as they were put in, inks as much as there is of them."""
    for dtype in ("uint8", "uint16"):
        for short in (False, True):
            pixels = noise(20, 31, channels, dtype)
            data = psd(pixels, kind, packed=short)
            picture = decode_picture(data)
            assert np.array_equal(picture.pixels, ~pixels if mode == "cmyk" else pixels)
            assert (picture.frames[0].mode, picture.dropped) == (mode, ())
            if dtype == "uint8" and channels != 2:
                assert np.array_equal(opened(data), picture.pixels)


@pytest.mark.parametrize("packed", [False, True])
def test_photoshop_with_more(packed: bool) -> None:
    """Profile, EXIF and XMP are kept; layers, previews and further channels are named."""
    pixels = noise(20, 31, 6)
    resources = b"".join(
        psd_resource(number, data)
        for number, data in (
            (1039, b"profile"),
            (1058, b"MM\0*"),
            (1060, b"<x/>"),
            (1036, b"?"),
            (1028, b"?"),
        )
    )
    data = psd(pixels, 3, packed=packed, resources=resources, layers=bytes(8))
    picture = decode_picture(data)
    assert np.array_equal(picture.pixels, pixels[..., :4])
    assert picture.frames[0].metadata == Metadata(exif=b"MM\0*", icc=b"profile", xmp=b"<x/>")
    assert picture.dropped == ("layers", "extra channels", "previews", "IPTC")


def test_photoshop_palettes() -> None:
    """All reds stand before all greens and blues, as Pillow reads them."""
    numbers, colors = noise(20, 31, 1), noise(3, 256, 1)
    data = psd(numbers, 2, colors=colors.tobytes())
    frame = decode_picture(data).frames[0]
    assert np.array_equal(frame.pixels, numbers)
    assert frame.palette is not None
    assert frame.palette.colors == colors.T.tobytes()
    with Image.open(io.BytesIO(data)) as image:
        assert bytes(image.getpalette() or ()) == frame.palette.colors


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (psd(noise(1, 5, 1), 1)[:-7] + b"\0\1\0\2\0a", "fewer samples"),
        (psd(_RGB, 4), "fewer channels"),
        (psd(_RGB[..., 0], 2), "another size"),
        (psd(_RGB, 3, resources=psd_resource(1057, b"\0\0\0\1\0")), "without a flattened copy"),
        (psd(_RGB, 9), "not gray, RGB or CMYK"),
        (psd(noise(9, 11, 1, "uint32"), 1), "8 or 16 bits"),
        (psd(_RGB, 3).replace(b"8BPS\0\1", b"8BPS\0\2"), "8 or 16 bits"),
    ],
)
def test_photoshop_of_other_kinds(data: bytes, reason: str) -> None:
    """Damage and other modes; a white page in place of layers is not taken for the picture."""
    with pytest.raises((InvalidImageError, UnsupportedError), match=reason):
        decode_picture(data)


@pytest.mark.parametrize("channels", [3, 4])
@pytest.mark.parametrize("repeated", [1, 9, 200])
def test_qoi(repeated: int, channels: int) -> None:
    """What was coded comes out, and Pillow sees it too."""
    pixels = np.repeat(noise(9, 11, channels), repeated, axis=1)
    data = bytes(imagecodecs.qoi_encode(pixels))
    assert np.array_equal(decode_picture(data).pixels, pixels)
    assert np.array_equal(opened(data), pixels)


@pytest.mark.parametrize("channels", [3, 4])
def test_qoi_cut_and_closed(channels: int) -> None:
    """A file that was cut anywhere and given an end is refused, whatever code was cut."""
    pixels = np.repeat(noise(9, 11, channels) // 16 * 3, 2, axis=1)
    data = bytes(imagecodecs.qoi_encode(pixels))
    for length in range(14, len(data) - 8):
        with pytest.raises(InvalidImageError):
            decode_picture(data[:length] + data[-8:])


@pytest.mark.parametrize("mode", ["L", "LA", "P", "RGB", "RGBA"])
def test_tga(mode: str) -> None:
    """What was put in comes out, whichever row stands first."""
    for options in ({}, {"compression": "tga_rle"}, {"orientation": 1}):
        pixels = noise(20, 31, {"LA": 2, "RGB": 3, "RGBA": 4}.get(mode, 1))
        image = Image.frombytes(mode, (31, 20), pixels.tobytes())
        if mode == "P":
            image.putpalette(noise(1, 256, 3).tobytes())
        buffer = io.BytesIO()
        image.save(buffer, "TGA", **options)
        frame = decode_picture(buffer.getvalue()).frames[0]
        assert np.array_equal(frame.pixels, pixels)
        if mode == "P":
            assert frame.palette is not None
            assert frame.palette.colors == noise(1, 256, 3).tobytes()


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("backwards", [False, True])
def test_tga_by_hand(backwards: bool, descending: bool) -> None:
    """Rows from the bottom up, and pixels from the right, with a text in front."""
    flags = 0x10 * backwards | 0x20 * descending
    head = struct.pack("<BBBHHBHHHHBB", 5, 0, 2, 0, 0, 0, 0, 0, 11, 9, 24, flags)
    stored = _RGB[:: 1 if descending else -1, :: -1 if backwards else 1, ::-1]
    picture = decode_picture(head + b"hello" + stored.tobytes())
    assert np.array_equal(picture.pixels, _RGB)
    assert picture.frames[0].metadata.texts == (("Comment", "hello"),)


def test_tga_of_15_bits() -> None:
    """Five bits of a channel become eight, zero and the largest ones themselves."""
    levels = np.arange(32, dtype="<u2").reshape(4, 8)
    head = struct.pack("<BBBHHBHHHHBB", 0, 0, 2, 0, 0, 0, 0, 0, 8, 4, 16, 0x20)
    pixels = decode_picture(head + (levels << 10).tobytes()).pixels
    assert np.array_equal(pixels[..., 0].astype(int), levels.astype(int) * 255 // 31)
    assert not pixels[..., 1:3].any()


def test_no_signature_is_needed_to_be_none() -> None:
    """Bytes that only happen to begin like numbers are not taken for a TGA."""
    draw = np.random.default_rng(1)
    for data in (bytes(100), b"\0\0\2" + bytes(97), b"\0\0\2\0" * 25, draw.bytes(100)):
        with pytest.raises(InvalidImageError, match="is not a picture"):
            decode_picture(data)
