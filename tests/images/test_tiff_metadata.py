"""Metadata of TIFF pages are kept, and other programs read them."""

import io
from dataclasses import replace
from typing import Any

import pytest
from PIL import Image, TiffImagePlugin

from sudokucrypt.images import decode_picture, encode_picture
from tests.images.builders import HEADER, build_tiff, noise

_STORAGE_TAGS = {256, 257, 258, 259, 262, 273, 277, 278, 279, 284, 338, 339}
_POINTER_TAGS = {34665, 34853}
_LEFT_OUT = {269, 270, 285, 297, 305, 315, 33432, 65000, 65001, 65002}


def _read_by_pillow(data: bytes) -> dict[str, Any]:
    """Return the metadata that Pillow reads."""
    with Image.open(io.BytesIO(data)) as image:
        assert isinstance(image, TiffImagePlugin.TiffImageFile)
        exif = image.getexif()
        return {
            "tags": {
                tag: value
                for tag, value in dict(image.tag_v2).items()
                if tag not in _STORAGE_TAGS | _POINTER_TAGS
            },
            "info": {name: image.info.get(name) for name in ("dpi", "icc_profile", "xmp")},
            "shot": dict(exif.get_ifd(0x8769)),
            "place": dict(exif.get_ifd(0x8825)),
        }


def _write_by_pillow(**options: Any) -> bytes:
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
    for pointer in _POINTER_TAGS:
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
def test_pillow_reads_equal_tags(options: dict[str, Any]) -> None:
    """Decoding and encoding a TIFF keeps resolution, profile, XMP and EXIF that Pillow reads."""
    data = _write_by_pillow(**options)
    picture = decode_picture(data)
    assert picture.dropped == ("text", "other data")
    rewritten_file = encode_picture(picture, "TIFF")
    actual, expected = _read_by_pillow(rewritten_file), _read_by_pillow(data)
    assert actual["tags"] == {
        tag: value for tag, value in expected["tags"].items() if tag not in _LEFT_OUT
    }
    assert {**actual, "tags": {}} == {**expected, "tags": {}}
    result = decode_picture(rewritten_file)
    assert (result.metadata, result.dropped) == (picture.metadata, ())


def test_the_header_is_the_description() -> None:
    """The header is written as description, in addition to the metadata."""
    picture = replace(decode_picture(_write_by_pillow(dpi=(300, 300))), header=HEADER)
    result = decode_picture(encode_picture(picture, "TIFF"))
    assert (result.header, result.metadata, result.dropped) == (HEADER, picture.metadata, ())


def test_dropped_tags_are_named() -> None:
    """Texts, offsets of unknown data and other tags are named as dropped."""
    for tags, name in (([(305, 2, b"x\0")], "text"), ([(65010, 7, b"a")], "other data")):
        assert decode_picture(build_tiff(more_tags=tags)).dropped == (name,)
    assert decode_picture(build_tiff({65010: (4, [8])})).dropped == ("other data",)
