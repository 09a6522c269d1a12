"""What TIFF pages say beside their samples is kept, and programs find it again."""

import io
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PIL import Image, TiffImagePlugin

from sudokucrypt.images import Frame, decode_picture, encode_picture
from sudokucrypt.images.picture import Metadata
from sudokucrypt.images.tiff import file as tiff_format
from tests.images.builders import HEADER, noise, tiff

_PLUMBING = {256, 257, 258, 259, 262, 273, 277, 278, 279, 284, 338, 339}
_POINTERS = {34665, 34853}


def _pillow(data: bytes) -> dict[str, Any]:
    """What Pillow finds beside the samples."""
    with Image.open(io.BytesIO(data)) as image:
        assert isinstance(image, TiffImagePlugin.TiffImageFile)
        exif = image.getexif()
        return {
            "tags": {
                tag: value
                for tag, value in dict(image.tag_v2).items()
                if tag not in _PLUMBING | _POINTERS
            },
            "info": {name: image.info.get(name) for name in ("dpi", "icc_profile", "xmp")},
            "shot": dict(exif.get_ifd(0x8769)),
            "place": dict(exif.get_ifd(0x8825)),
        }


def _written_by_pillow(**options: Any) -> bytes:
    tags = TiffImagePlugin.ImageFileDirectory_v2()
    tags[269], tags[270], tags[285] = "Name of the document", "What it shows", "Page one"
    tags[305], tags[315], tags[33432] = "Program 2.0", "Somebody", "2026 somebody"
    tags[306], tags[271], tags[274], tags[297] = "2026:11:21 10:20:30", "Maker", 8, (0, 1)
    tags[700] = b"<x:xmpmeta/>"
    tags[65000], tags.tagtype[65000] = b"private\0\1", 7
    tags[65001], tags.tagtype[65001] = (1.5, -2.0), 12
    tags[65002], tags.tagtype[65002] = (-3, 70000), 9
    exif = Image.Exif()
    exif.get_ifd(0x8769).update({33434: 0.5, 37500: b"note\0\1"})
    exif.get_ifd(0x8825).update({1: "S", 2: (1.0, 2.0, 3.5)})
    for tag, value in exif.items():
        tags[tag] = value
    for pointer in _POINTERS:
        tags[pointer] = exif.get_ifd(pointer)
    buffer = io.BytesIO()
    Image.fromarray(noise(7, 5, 3)).save(
        buffer, "TIFF", tiffinfo=tags, icc_profile=b"profile" * 9, **options
    )
    return buffer.getvalue()


@pytest.mark.parametrize(
    "options",
    [
        {"dpi": (300, 150)},
        {"resolution_unit": 3, "x_resolution": 118.11, "y_resolution": 59},
        {"resolution_unit": 1, "x_resolution": 2, "y_resolution": 1},
        {},
    ],
)
def test_pillow_finds_the_same_tags(options: dict[str, Any]) -> None:
    """TIFF -> decode -> encode keeps resolution, profile, texts, EXIF and every other tag."""
    data = _written_by_pillow(**options)
    picture = decode_picture(data)
    assert picture.dropped == ()
    metadata = picture.metadata
    assert dict(metadata.texts) == {
        "Title": "Name of the document",
        "Description": "What it shows",
        "Software": "Program 2.0",
        "Author": "Somebody",
        "Copyright": "2026 somebody",
    }
    again = encode_picture(picture, "TIFF")
    assert _pillow(again) == _pillow(data)
    result = decode_picture(again)
    assert (result.metadata, result.dropped) == (metadata, ())


def test_the_header_takes_the_place_of_the_description() -> None:
    """The text goes with the header then, and everything else stays."""
    data = _written_by_pillow(dpi=(300, 300))
    picture = replace(decode_picture(data), header=HEADER)
    frame = picture
    text = ("Description", "What it shows")
    rest = tiff_format.lost_metadata(frame, header=True)
    assert rest == Metadata(texts=(text,))
    again = encode_picture(picture, "TIFF")
    actual, expected = _pillow(again), _pillow(data)
    assert actual["tags"].pop(270) == HEADER.decode()
    del expected["tags"][270]
    assert actual == expected
    result = decode_picture(again)
    assert result.header == HEADER
    assert set(result.metadata.joined(rest).texts) == set(frame.metadata.texts)


@pytest.mark.parametrize(
    "values",
    [
        b"not ended",
        b"two\0texts\0",
        b"padded\0\0\0",
        b"\xe9t\xe9\0",
        b"\0",
        b"",
        "Größe\0".encode(),
    ],
)
def test_odd_texts_come_back(values: bytes) -> None:
    """Texts of any form have the same bytes again, but for a missing end."""
    data = tiff(more=[(305, 2, values)])
    picture = decode_picture(data)
    again = decode_picture(encode_picture(picture, "TIFF"))
    assert again.metadata == picture.metadata
    stored = values if values.endswith(b"\0") or not values else values + b"\0"
    entry = b"\x31\x01\x02\0" + len(stored).to_bytes(4, "little")
    assert entry in encode_picture(picture, "TIFF")


def test_tags_that_cannot_be_kept_are_named() -> None:
    """Offsets to unknown things and second values of a tag are other data."""
    offset = tiff({65010: (4, [8])}, more=[(65011, 13, b"\x08\0\0\0" * 4)])
    picture = decode_picture(offset)
    assert picture.dropped == ("other data",)
    assert [name for name, _ in picture.metadata.native] == ["TIFF 65010"]
    twice = decode_picture(tiff(more=[(65010, 7, b"a"), (65010, 7, b"b")]))
    assert twice.dropped == ("other data",)


def test_values_of_inverted_samples_are_left_out() -> None:
    """Curves and limits of samples would be wrong beside inverted ones."""
    pixels = noise(5, 3, 1)
    data = tiff({262: (3, [0]), 280: (3, [3]), 65010: (3, [1])}, pixels=pixels)
    picture = decode_picture(data)
    assert picture.dropped == ("other data",)
    assert picture.metadata.names() == ("TIFF 65010",)


def test_values_of_samples_stay_with_their_samples() -> None:
    """Curves, limits and inks are left over beside samples that they do not fit."""
    curve = ("TIFF 301", b"\3\0" + bytes(512))
    limits = ("TIFF 280", b"\3\0" + bytes(8))
    inks = ("TIFF 333", b"\2\0" + b"C\0M\0Y\0K\0")
    metadata = Metadata(native=(curve, limits, inks))
    pixels = noise(3, 4, 4)
    cmyk = Frame(pixels=pixels, mode="cmyk", metadata=metadata)
    assert not tiff_format.lost_metadata(cmyk, header=True)
    assert tiff_format.lost_metadata(cmyk.samples_only(), header=True).native == (inks,)
    deeper = replace(cmyk, pixels=pixels.astype(np.uint16))
    assert tiff_format.lost_metadata(deeper, header=True).native == (curve,)
    gray = replace(cmyk, pixels=pixels[..., 0], mode="gray")
    assert tiff_format.lost_metadata(gray, header=True).native == (limits, inks)
