"""AVIF and HEIF: the samples that were coded, and nothing that is not a whole still."""

import io
import struct
from contextlib import suppress
from typing import Any

import imagecodecs
import numpy as np
import pytest
from PIL import Image, ImageOps

from sudokucrypt.errors import InvalidImageError, UnsupportedError
from sudokucrypt.images import Metadata, decode_picture, encode_picture, turn_of
from sudokucrypt.images.orientation import TURNS
from tests.images.avif import avif, ispe, read_coded
from tests.images.builders import box, meaning, noise, open_picture, save_image
from tests.images.samples import heif, heif_samples

_RGBA = save_image(noise(9, 11, 4), "AVIF", quality=100)
_HEIF = heif("rgb")
_RGB = save_image(noise(9, 11, 3), "AVIF")
_CONFIG, _DATA = read_coded(_RGB)


def _grid(rows: int = 128, columns: int = 128) -> tuple[bytes, Any]:
    """A picture of two tiles side by side, and its samples."""
    halves = (noise(64, 64, 3), noise(64, 65, 3)[:, 1:])
    tiles = [save_image(half, "AVIF", quality=100, subsampling="4:4:4") for half in halves]
    (config, first), (_, second) = map(read_coded, tiles)
    shape = b"\0\0\0\1" + struct.pack(">HH", columns, rows)
    pixi = box(b"pixi", b"\0\0\0\0\3\x08\x08\x08")
    data = avif(
        [(1, b"grid", shape), (2, b"av01", first), (3, b"av01", second)],
        [(ispe(64, 128), [1]), (ispe(64, 64), [2, 3]), (config, [2, 3]), (pixi, [1, 2, 3])],
        references=box(b"iref", b"\0\0\0\0", box(b"dimg", struct.pack(">HHHH", 1, 2, 2, 3))),
    )
    return data, np.hstack([open_picture(tile) for tile in tiles])


@pytest.mark.parametrize("bits", [10, 12])
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_deep_samples(channels: int, bits: int) -> None:
    """10 and 12 bits become 16 by repeating the highest bits; shifting back gives the samples."""
    pixels = noise(9, 11, channels, "uint16") >> (16 - bits)
    pixels[0, 0], pixels[0, 1] = 0, (1 << bits) - 1
    data = bytes(imagecodecs.avif_encode(pixels, level=100, bitspersample=bits))
    result = decode_picture(data).pixels
    assert np.array_equal(result >> (16 - bits), imagecodecs.avif_decode(data))
    assert (result.min(), result.max()) == (0, 65535)
    assert result.dtype == np.uint16


@pytest.mark.parametrize("orientation", range(1, 9))
def test_metadata(orientation: int) -> None:
    """EXIF, profile and XMP are kept; the orientation is in EXIF and nothing is turned."""
    exif = Image.Exif()
    exif[0x0112], exif[0x010E] = orientation, "hello"
    data = save_image(noise(9, 11, 3), "AVIF", exif=exif, icc_profile=b"p" * 200, xmp=b"<x/>")
    picture = decode_picture(data)
    assert picture.pixels.shape == (9, 11, 3)
    assert picture.dropped == ()
    assert turn_of(picture) == TURNS[orientation]
    assert np.array_equal(*(_upright(file) for file in (data, encode_picture(picture, "PNG"))))
    metadata = picture.metadata
    assert metadata == Metadata(exif=metadata.exif, icc=b"p" * 200, xmp=b"<x/>")
    read = Image.Exif()
    read.load(metadata.exif or b"")
    assert read[0x010E] == "hello"


def _upright(data: bytes) -> Any:
    """The samples that a viewer shows."""
    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(ImageOps.exif_transpose(image))


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [((), 1), ((b"irot\3",), 6), ((b"imir\0",), 4), ((b"irot\1", b"imir\1"), 7)],
)
def test_the_container_says_how_to_turn(kinds: tuple[bytes, ...], expected: int) -> None:
    """Viewers overlook the orientation in EXIF, and so it gives way."""
    exif = b"MM\0*\0\0\0\x08\0\1\x01\x12\0\3\0\0\0\1\0\x08\0\0" + bytes(4)
    turns = [(box(kind[:4], kind[4:]), [1]) for kind in kinds]
    items = [(1, b"av01", _DATA), (2, b"Exif", bytes(4) + exif)]
    picture = decode_picture(avif(items, [(ispe(9, 11), [1]), (_CONFIG, [1]), *turns]))
    assert np.array_equal(picture.pixels, open_picture(_RGB))
    assert turn_of(picture) == TURNS[expected]


def test_tiles() -> None:
    """A picture of several tiles is put together."""
    data, pixels = _grid(64)
    assert np.array_equal(decode_picture(data).pixels, pixels)
    for rows, columns in ((65, 128), (64, 127), (60000, 60000)):
        with pytest.raises(InvalidImageError, match="size"):
            decode_picture(_grid(rows, columns)[0])


def test_samples_in_the_description() -> None:
    """An item may lie in the meta box itself."""
    properties = [(ispe(9, 11), [1]), (_CONFIG, [1])]
    for method in (0, 1):
        data = avif([(1, b"av01", _DATA)], properties, method=method)
        assert np.array_equal(decode_picture(data).pixels, open_picture(_RGB))


def test_what_is_left_out() -> None:
    """Crop, shape of pixels, foreign colors and previews are named."""
    colors = box(b"colr", b"nclx", struct.pack(">HHHB", 9, 16, 6, 0x80))
    data = avif(
        [(1, b"av01", _DATA), (2, b"av01", _DATA)],
        [
            (ispe(9, 11), [1, 2]),
            (_CONFIG, [1, 2]),
            (box(b"pasp", struct.pack(">II", 2, 1)), [1]),
            (colors, [1]),
            (box(b"imir", b"\1"), [1]),
        ],
        references=box(b"iref", b"\0\0\0\0", box(b"thmb", struct.pack(">HHH", 2, 1, 1))),
    )
    assert decode_picture(data).dropped == ("shape of pixels", "color space", "previews")
    assert turn_of(decode_picture(data)) == TURNS[2]


@pytest.mark.parametrize(
    ("kind", "auxiliary", "named"),
    [
        (b"av01", b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0", ()),
        (b"av01", b"urn:mpeg:mpegB:cicp:systems:auxiliary:depth\0", ("other pictures",)),
        (b"tmap", b"", ("other pictures",)),
        (b"jpeg", b"", ("other data",)),
        (b"uri ", b"", ("other data",)),
    ],
)
def test_other_items_are_named(kind: bytes, auxiliary: bytes, named: tuple[str, ...]) -> None:
    """Depth, gain maps and items of other kinds are left out, with a note."""
    properties = [(ispe(9, 11), [1, 2]), (_CONFIG, [1, 2])]
    if auxiliary:
        properties.append((box(b"auxC", bytes(4), auxiliary), [2]))
    reference = box(b"iref", bytes(4), box(b"auxl", struct.pack(">HHH", 2, 1, 1)))
    items = [(1, b"av01", _DATA), (2, kind, _DATA)]
    assert decode_picture(avif(items, properties, references=reference)).dropped == named


def test_other_boxes_are_named() -> None:
    """Boxes beside the picture are left out; one of zeros says nothing."""
    assert decode_picture(_RGBA + box(b"free", bytes(9))).dropped == ()
    for kind in (b"uuid", b"jumb", b"free"):
        assert decode_picture(_RGBA + box(kind, b"data")).dropped == ("other data",)


def test_other_brands() -> None:
    """A file that names AVIF second is one all the same."""
    data = _RGBA.replace(b"ftypavif", b"ftypmif1", 1)
    assert np.array_equal(decode_picture(data).pixels, open_picture(_RGBA))


@pytest.mark.parametrize("brand", [b"avis", b"avif", b"msf1"])
def test_refuses_animations(brand: bytes) -> None:
    """Whatever the brand, a file with a track is refused: the codec would leave its array."""
    buffer = io.BytesIO()
    frames = [Image.fromarray(noise(n, 16, 3)[:8]) for n in (8, 9)]
    frames[0].save(buffer, "AVIF", save_all=True, append_images=frames[1:])
    data = buffer.getvalue()
    assert data[8:12] == b"avis"
    with pytest.raises(UnsupportedError, match="is an animation"):
        decode_picture(data[:8] + brand + data[12:])


@pytest.mark.parametrize(
    ("data", "size", "claims"),
    [
        (_RGBA, (9, 11), [(9, 10), (8, 11), (1, 1), (900, 1100), (60000, 60000), (0, 5)]),
        (_HEIF, (64, 80), [(64, 79), (63, 80), (8, 8), (640, 800), (0, 5)]),
        (heif("tiles"), (64, 128), [(32, 128)]),
        (heif("tiles"), (64, 64), [(32, 64)]),
    ],
)
def test_sizes_that_are_not_true(
    data: bytes, size: tuple[int, int], claims: list[tuple[int, int]]
) -> None:
    """Decoders scale to the size that is claimed; such a picture or tile is refused before."""
    stated = struct.pack(">II", *size[::-1])
    assert stated in data
    for claim in claims:
        with pytest.raises(InvalidImageError, match=r"size|more than|no pixels"):
            decode_picture(data.replace(stated, struct.pack(">II", *claim[::-1])))


def test_more_pictures_than_layers() -> None:
    """All that a file makes its decoder work on counts, whether it is shown or not."""
    items = [(n, b"av01", _DATA) for n in range(1, 5)]
    data = avif(items, [(ispe(9, 11), [1, 2, 3, 4]), (_CONFIG, [1, 2, 3, 4])])
    assert decode_picture(data, max_pixels=132).dropped == ("other pictures",)
    with pytest.raises(InvalidImageError, match="larger than the picture"):
        decode_picture(data, max_pixels=131)


def test_endless_descriptions() -> None:
    """Counts that take no room, and contents that overlap, do not fill the memory."""
    positions = b"\1\0\0\0\0\0" + struct.pack(">HHHHH", 1, 1, 0, 0, 65535)
    meta = box(b"meta", bytes(4), box(b"pitm", bytes(4), b"\0\1"), box(b"iloc", positions))
    whole = b"".join(struct.pack(">II", 0, 10000) for _ in range(1000))
    positions = b"\0\0\0\0\x44\0" + struct.pack(">HHHH", 1, 1, 0, 1000) + whole
    for body in (meta, box(b"meta", bytes(4), box(b"iloc", positions))):
        with pytest.raises(InvalidImageError):
            decode_picture(box(b"ftyp", b"avif\0\0\0\0avif") + body + bytes(10000))


@pytest.mark.parametrize("name", ["rgb", "cropped", "two"])
def test_heif_samples_come_back(name: str) -> None:
    """What an encoder coded without loss is read exactly: whole, in tiles, and cropped."""
    picture = decode_picture(heif(name))
    assert np.array_equal(picture.pixels, heif_samples(name))
    assert picture.format == "HEIF"
    assert picture.dropped == (("other pictures",) if name == "two" else ())
    again = decode_picture(encode_picture(picture, "PNG"))
    assert meaning(again) == meaning(picture) | {"format": "PNG", "dropped": again.dropped}


@pytest.mark.parametrize("orientation", [4, 6])
def test_heif_turned(orientation: int) -> None:
    """The samples stay as they are stored, EXIF says how to turn them, and its rest stays."""
    picture = decode_picture(heif(f"turned{orientation}"))
    assert np.array_equal(picture.pixels, heif_samples("turned"))
    assert turn_of(picture) == TURNS[orientation]
    upright = TURNS[orientation].upright(heif_samples("turned"))
    assert np.array_equal(_upright(encode_picture(picture, "PNG")), upright)
    metadata = picture.metadata
    assert (metadata.icc, metadata.xmp) == (b"p" * 200, b"<x/>")
    exif = Image.Exif()
    exif.load(metadata.exif or b"")
    assert dict(exif) == {0x0112: orientation, 0x010E: "hello"}


@pytest.mark.parametrize("layers", [1, 4])
def test_heif_samples_that_are_missing(layers: int) -> None:
    """A picture whose samples end early inside a whole file is refused or exact."""
    start = _HEIF.index(b"mdat") + 4
    size = len(_HEIF) - start
    claim = struct.pack(">I", size)
    assert claim in _HEIF
    whole = decode_picture(_HEIF).pixels
    short = _HEIF.replace(claim, struct.pack(">I", size * layers // 5))
    with suppress(InvalidImageError):
        assert np.array_equal(decode_picture(short).pixels, whole)


def test_heif_deep_samples_count_twice() -> None:
    """10 bits become 16, which take more than four bytes a pixel, and are limited as such."""
    data = heif("deep")
    with pytest.raises(InvalidImageError, match="more than the 20480 bytes"):
        decode_picture(data, max_pixels=64 * 80)
    pixels = decode_picture(data, max_pixels=2 * 64 * 80).pixels
    assert pixels.dtype == np.uint16
    assert np.array_equal(pixels >> 6, heif_samples("deep"))


def test_what_pi_heif_takes_on_trust() -> None:
    """Depths that are not those of the samples, and kinds that are no text, reach no decoder."""
    config = _HEIF.index(b"hvcC") + 4
    for position, value in ((16, 0xFD), (17, 0xFF), (18, 0xFA)):
        changed = bytearray(_HEIF)
        changed[config + position] = value
        with pytest.raises(InvalidImageError, match="other samples than it claims"):
            decode_picture(bytes(changed))
    with pytest.raises(InvalidImageError, match="no kind"):
        decode_picture(heif("turned6").replace(b"Exif", b"Exi\xff"))
