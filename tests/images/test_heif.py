"""AVIF and HEIF: coded samples are read, and files that are no complete still are refused."""

import io
import struct
from contextlib import suppress
from typing import Any

import imagecodecs
import numpy as np
import pytest
from PIL import Image, ImageOps

from sudokucrypt.errors import InvalidImageError, UnsupportedError
from sudokucrypt.images import Metadata, decode_picture, encode_picture, get_turn
from sudokucrypt.images.orientation import TURNS
from tests.images.avif import build_avif, make_size_property, read_coded
from tests.images.builders import list_picture_fields, make_box, noise, read_by_pillow, save_image
from tests.images.samples import make_heif_samples, read_heif_file

_RGBA = save_image(noise(9, 11, 4), "AVIF", quality=100)
_HEIF = read_heif_file("rgb")
_RGB = save_image(noise(9, 11, 3), "AVIF")
_CONFIG, _DATA = read_coded(_RGB)


def _build_grid(rows: int = 128, columns: int = 128) -> tuple[bytes, Any]:
    """Return an AVIF of two tiles side by side, and its samples."""
    halves = (noise(64, 64, 3), noise(64, 65, 3)[:, 1:])
    tiles = [
        save_image(half_pixels, "AVIF", quality=100, subsampling="4:4:4") for half_pixels in halves
    ]
    (config, first_tile), (_, second_tile) = map(read_coded, tiles)
    shape = b"\0\0\0\1" + struct.pack(">HH", columns, rows)
    pixi = make_box(b"pixi", b"\0\0\0\0\3\x08\x08\x08")
    data = build_avif(
        [(1, b"grid", shape), (2, b"av01", first_tile), (3, b"av01", second_tile)],
        [
            (make_size_property(64, 128), [1]),
            (make_size_property(64, 64), [2, 3]),
            (config, [2, 3]),
            (pixi, [1, 2, 3]),
        ],
        references=make_box(
            b"iref", b"\0\0\0\0", make_box(b"dimg", struct.pack(">HHHH", 1, 2, 2, 3))
        ),
    )
    return data, np.hstack([read_by_pillow(tile) for tile in tiles])


@pytest.mark.parametrize("bits", [10, 12])
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_deep_samples(channels: int, bits: int) -> None:
    """AVIF samples of 10 and 12 bits are scaled to 16 bits; a shift restores them."""
    pixels = noise(9, 11, channels, "uint16") >> (16 - bits)
    pixels[0, 0], pixels[0, 1] = 0, (1 << bits) - 1
    data = bytes(imagecodecs.avif_encode(pixels, level=100, bitspersample=bits))
    result = decode_picture(data).pixels
    assert np.array_equal(result >> (16 - bits), imagecodecs.avif_decode(data))
    assert (result.min(), result.max()) == (0, 65535)
    assert result.dtype == np.uint16


@pytest.mark.parametrize("orientation", range(1, 9))
def test_metadata(orientation: int) -> None:
    """EXIF, profile and XMP of an AVIF are kept, EXIF has the orientation, nothing is turned."""
    exif = Image.Exif()
    exif[0x0112], exif[0x010E] = orientation, "hello"
    data = save_image(noise(9, 11, 3), "AVIF", exif=exif, icc_profile=b"p" * 200, xmp=b"<x/>")
    picture = decode_picture(data)
    assert picture.pixels.shape == (9, 11, 3)
    assert picture.dropped == ()
    assert get_turn(picture) == TURNS[orientation]
    assert np.array_equal(*(_read_upright(file) for file in (data, encode_picture(picture, "PNG"))))
    metadata = picture.metadata
    assert metadata == Metadata(exif=metadata.exif, icc=b"p" * 200, xmp=b"<x/>")
    read_exif = Image.Exif()
    read_exif.load(metadata.exif or b"")
    assert read_exif[0x010E] == "hello"


def _read_upright(data: bytes) -> Any:
    """Return the samples that a viewer shows."""
    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(ImageOps.exif_transpose(image))


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [((), 1), ((b"irot\3",), 6), ((b"imir\0",), 4), ((b"irot\1", b"imir\1"), 7)],
)
def test_container_orientation_replaces_exif(kinds: tuple[bytes, ...], expected: int) -> None:
    """Rotation and mirroring in the container replace the orientation in EXIF."""
    exif = b"MM\0*\0\0\0\x08\0\1\x01\x12\0\3\0\0\0\1\0\x08\0\0" + bytes(4)
    turns = [(make_box(kind[:4], kind[4:]), [1]) for kind in kinds]
    items = [(1, b"av01", _DATA), (2, b"Exif", bytes(4) + exif)]
    picture = decode_picture(
        build_avif(items, [(make_size_property(9, 11), [1]), (_CONFIG, [1]), *turns])
    )
    assert np.array_equal(picture.pixels, read_by_pillow(_RGB))
    assert get_turn(picture) == TURNS[expected]


def test_tiles() -> None:
    """An AVIF of several tiles is read as one picture."""
    data, pixels = _build_grid(64)
    assert np.array_equal(decode_picture(data).pixels, pixels)
    for rows, columns in ((65, 128), (64, 127), (60000, 60000)):
        with pytest.raises(InvalidImageError, match="size"):
            decode_picture(_build_grid(rows, columns)[0])


def test_samples_in_the_meta_box() -> None:
    """An item whose content is in the meta box is read."""
    properties = [(make_size_property(9, 11), [1]), (_CONFIG, [1])]
    for method in (0, 1):
        data = build_avif([(1, b"av01", _DATA)], properties, method=method)
        assert np.array_equal(decode_picture(data).pixels, read_by_pillow(_RGB))


def test_dropped_properties_are_named() -> None:
    """Crop, aspect ratio, color spaces and previews of an AVIF are named as dropped."""
    colors = make_box(b"colr", b"nclx", struct.pack(">HHHB", 9, 16, 6, 0x80))
    data = build_avif(
        [(1, b"av01", _DATA), (2, b"av01", _DATA)],
        [
            (make_size_property(9, 11), [1, 2]),
            (_CONFIG, [1, 2]),
            (make_box(b"pasp", struct.pack(">II", 2, 1)), [1]),
            (colors, [1]),
            (make_box(b"imir", b"\1"), [1]),
        ],
        references=make_box(b"iref", b"\0\0\0\0", make_box(b"thmb", struct.pack(">HHH", 2, 1, 1))),
    )
    assert decode_picture(data).dropped == ("shape of pixels", "color space", "previews")
    assert get_turn(decode_picture(data)) == TURNS[2]


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
    """Depth maps, gain maps and other items are named as dropped."""
    properties = [(make_size_property(9, 11), [1, 2]), (_CONFIG, [1, 2])]
    if auxiliary:
        properties.append((make_box(b"auxC", bytes(4), auxiliary), [2]))
    reference = make_box(b"iref", bytes(4), make_box(b"auxl", struct.pack(">HHH", 2, 1, 1)))
    items = [(1, b"av01", _DATA), (2, kind, _DATA)]
    assert decode_picture(build_avif(items, properties, references=reference)).dropped == named


def test_other_boxes_are_named() -> None:
    """Boxes besides the picture are named as dropped, unless they contain only zeros."""
    assert decode_picture(_RGBA + make_box(b"free", bytes(9))).dropped == ()
    for kind in (b"uuid", b"jumb", b"free"):
        assert decode_picture(_RGBA + make_box(kind, b"data")).dropped == ("other data",)


def test_other_brands() -> None:
    """A file whose second brand is AVIF is read as AVIF."""
    data = _RGBA.replace(b"ftypavif", b"ftypmif1", 1)
    assert np.array_equal(decode_picture(data).pixels, read_by_pillow(_RGBA))


@pytest.mark.parametrize("brand", [b"avis", b"avif", b"msf1"])
def test_refuses_animations(brand: bytes) -> None:
    """A file of any brand with a track is refused, as its codec would write beyond its array."""
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
        (read_heif_file("tiles"), (64, 128), [(32, 128)]),
        (read_heif_file("tiles"), (64, 64), [(32, 64)]),
    ],
)
def test_wrong_sizes_are_refused(
    data: bytes, size: tuple[int, int], claims: list[tuple[int, int]]
) -> None:
    """A picture or tile with another coded size than stated is refused."""
    stated_size = struct.pack(">II", *size[::-1])
    assert stated_size in data
    for claim in claims:
        with pytest.raises(InvalidImageError, match=r"size|more than|no pixels"):
            decode_picture(data.replace(stated_size, struct.pack(">II", *claim[::-1])))


def test_too_many_coded_pictures_are_refused() -> None:
    """Pictures that are decoded but not shown count towards the limit of pixels."""
    items = [(n, b"av01", _DATA) for n in range(1, 5)]
    data = build_avif(items, [(make_size_property(9, 11), [1, 2, 3, 4]), (_CONFIG, [1, 2, 3, 4])])
    assert decode_picture(data, max_pixels=132).dropped == ("other pictures",)
    with pytest.raises(InvalidImageError, match="larger than the picture"):
        decode_picture(data, max_pixels=131)


def test_huge_item_lists_are_refused() -> None:
    """Huge counts of items that take no bytes, and overlapping contents, are refused."""
    positions = b"\1\0\0\0\0\0" + struct.pack(">HHHHH", 1, 1, 0, 0, 65535)
    meta = make_box(
        b"meta", bytes(4), make_box(b"pitm", bytes(4), b"\0\1"), make_box(b"iloc", positions)
    )
    extents = b"".join(struct.pack(">II", 0, 10000) for _ in range(1000))
    positions = b"\0\0\0\0\x44\0" + struct.pack(">HHHH", 1, 1, 0, 1000) + extents
    for body in (meta, make_box(b"meta", bytes(4), make_box(b"iloc", positions))):
        with pytest.raises(InvalidImageError):
            decode_picture(make_box(b"ftyp", b"avif\0\0\0\0avif") + body + bytes(10000))


@pytest.mark.parametrize("name", ["rgb", "cropped", "two"])
def test_heif_samples_are_exact(name: str) -> None:
    """A HEIF coded without loss is read exactly: as a whole, in tiles, and cropped."""
    picture = decode_picture(read_heif_file(name))
    assert np.array_equal(picture.pixels, make_heif_samples(name))
    assert picture.format == "HEIF"
    assert picture.dropped == (("other pictures",) if name == "two" else ())
    decoded_png = decode_picture(encode_picture(picture, "PNG"))
    assert list_picture_fields(decoded_png) == list_picture_fields(picture) | {
        "format": "PNG",
        "dropped": decoded_png.dropped,
    }


@pytest.mark.parametrize("orientation", [4, 6])
def test_heif_is_not_turned(orientation: int) -> None:
    """The samples of a turned HEIF are read as stored, and EXIF states the orientation."""
    picture = decode_picture(read_heif_file(f"turned{orientation}"))
    assert np.array_equal(picture.pixels, make_heif_samples("turned"))
    assert get_turn(picture) == TURNS[orientation]
    upright_pixels = TURNS[orientation].make_upright(make_heif_samples("turned"))
    assert np.array_equal(_read_upright(encode_picture(picture, "PNG")), upright_pixels)
    metadata = picture.metadata
    assert (metadata.icc, metadata.xmp) == (b"p" * 200, b"<x/>")
    exif = Image.Exif()
    exif.load(metadata.exif or b"")
    assert dict(exif) == {0x0112: orientation, 0x010E: "hello"}


@pytest.mark.parametrize("layers", [1, 4])
def test_cut_heif_samples_are_refused(layers: int) -> None:
    """A HEIF whose samples end early inside a complete file is refused or read exactly."""
    data_start = _HEIF.index(b"mdat") + 4
    size = len(_HEIF) - data_start
    size_bytes = struct.pack(">I", size)
    assert size_bytes in _HEIF
    original_size = decode_picture(_HEIF).pixels
    cut_file = _HEIF.replace(size_bytes, struct.pack(">I", size * layers // 5))
    with suppress(InvalidImageError):
        assert np.array_equal(decode_picture(cut_file).pixels, original_size)


def test_heif_deep_samples_count_twice() -> None:
    """HEIF samples of 10 bits become 16 bits, and count as two bytes for the limit of memory."""
    data = read_heif_file("deep")
    with pytest.raises(InvalidImageError, match="more than the 20480 bytes"):
        decode_picture(data, max_pixels=64 * 80)
    pixels = decode_picture(data, max_pixels=2 * 64 * 80).pixels
    assert pixels.dtype == np.uint16
    assert np.array_equal(pixels >> 6, make_heif_samples("deep"))


def test_wrong_heif_configurations_are_refused() -> None:
    """A HEIF with a wrong depth, or an item kind that is no text, is refused before decoding."""
    config = _HEIF.index(b"hvcC") + 4
    for position, value in ((16, 0xFD), (17, 0xFF), (18, 0xFA)):
        changed_file = bytearray(_HEIF)
        changed_file[config + position] = value
        with pytest.raises(
            InvalidImageError,
            match="the stated and the actual sample type of a picture in it differ",
        ):
            decode_picture(bytes(changed_file))
    with pytest.raises(InvalidImageError, match="is not ASCII"):
        decode_picture(read_heif_file("turned6").replace(b"Exif", b"Exi\xff"))
