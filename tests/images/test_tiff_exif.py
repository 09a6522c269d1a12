"""EXIF blocks are stored in the tags of TIFF pages, where other programs read them."""

import io
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from PIL.TiffImagePlugin import IFDRational

from sudokucrypt.images import Picture, decode_picture, encode_picture, lost_metadata
from sudokucrypt.images.driver import Source
from sudokucrypt.images.picture import Metadata
from sudokucrypt.images.tiff.directory import (
    BRANCHES,
    ByteOrder,
    ExifBlock,
    Field,
    TiffReader,
    Tree,
    build_exif_block,
    read_tree,
    serialize_tree,
)
from tests.images.builders import HEADER, build_tiff, noise, save_image

_ORDERS: tuple[ByteOrder, ...] = ("<", ">")
_PAGE_TAGS = {271: "Maker", 272: "Model 1", 274: 6, 306: "2026:11:21 10:20:30"}
_PHOTOGRAPH_TAGS = {
    33434: IFDRational(1, 125),
    36864: b"0232",
    36867: "2026:11:21 10:20:30",
    37386: IFDRational(50),
    37500: b"MAKER\0\1\2\3\xff" * 9,
    40962: 4000,
}
_POSITION_TAGS: dict[int, Any] = {1: "N", 2: (47.0, 22.0, 0.0), 29: "2026:11:21"}


def _make_exif(order: str = "<") -> Image.Exif:
    """Return the EXIF of a camera as Pillow writes it."""
    exif = Image.Exif()
    exif.endian = order
    exif.update(_PAGE_TAGS)
    exif.get_ifd(0x8769).update(_PHOTOGRAPH_TAGS)
    exif.get_ifd(0x8825).update(_POSITION_TAGS)
    exif.get_ifd(0x8769)[40965] = {1: "R98", 2: b"0100"}
    return exif


def _make_block(order: str = "<") -> bytes:
    return _make_exif(order).tobytes().removeprefix(b"Exif\0\0")


def _read_by_pillow(data: bytes) -> dict[str, dict[int, Any]]:
    """Return all tags that Pillow reads in the directories of a file."""
    with Image.open(io.BytesIO(data)) as image:
        exif = image.getexif()
        positions = {"shot": 0x8769, "place": 0x8825, "interoperability": 0xA005}
        result = {name: dict(exif.get_ifd(number)) for name, number in positions.items()}
        for pointer in (0x8769, 0x8825, 0xA005):
            for tags in result.values():
                tags.pop(pointer, None)
        result["file"] = {tag: exif[tag] for tag in _PAGE_TAGS if tag in exif}
    return result


def _make_picture(block: bytes, header: bytes | None = None) -> Picture:
    return Picture(
        pixels=noise(5, 3, 3),
        mode="rgb",
        format="TIFF",
        metadata=Metadata(exif=block),
        header=header,
    )


@pytest.mark.parametrize("order", _ORDERS)
@pytest.mark.parametrize("header", [None, HEADER])
def test_pillow_reads_exif_of_a_jpeg_in_a_tiff(header: bytes | None, order: str) -> None:
    """Pillow reads the same EXIF values in a written TIFF as in the JPEG of the EXIF block."""
    block = _make_block(order)
    jpeg = save_image(noise(5, 3, 3), "JPEG", exif=b"Exif\0\0" + block)
    tiff_file = encode_picture(_make_picture(block, header), "TIFF")
    expected = _read_by_pillow(jpeg)
    assert expected["shot"][37500] == _PHOTOGRAPH_TAGS[37500]
    assert expected["place"][1] == "N"
    assert expected["interoperability"]
    assert _read_by_pillow(tiff_file) == expected
    assert tiff_file[:2] == (b"II" if order == "<" else b"MM")


@pytest.mark.parametrize("order", _ORDERS)
@pytest.mark.parametrize("header", [None, HEADER])
def test_exif_is_stable_after_one_conversion(header: bytes | None, order: str) -> None:
    """Converting a block to a TIFF page and back a second time changes nothing."""
    first_result = decode_picture(encode_picture(_make_picture(_make_block(order), header), "TIFF"))
    block = first_result.metadata.exif
    assert block is not None
    second_result = decode_picture(encode_picture(_make_picture(block, header), "TIFF"))
    assert second_result.metadata == Metadata(exif=block)
    assert not lost_metadata(_make_picture(block), "TIFF")


_FIELDS = st.dictionaries(
    st.integers(1, 30000),
    st.one_of(
        st.builds(lambda data: Field(7, data), st.binary(max_size=40)),
        st.builds(lambda text: Field(2, text.encode() + b"\0"), st.text("ab", max_size=9)),
        st.builds(lambda n, k: Field(k, bytes(8 * n)), st.integers(0, 3), st.sampled_from([3, 10])),
    ),
    max_size=6,
)


@settings(max_examples=15, deadline=None)
@given(_FIELDS, _FIELDS, _FIELDS, st.sampled_from(_ORDERS))
def test_any_directory_tree_is_kept(
    shot: dict[int, Field], place: dict[int, Field], deeper: dict[int, Field], order: ByteOrder
) -> None:
    """Any tree of directories is read from a page byte for byte."""
    branches = {34665: Tree(shot, {40965: Tree(deeper)}), 34853: Tree(place)}
    block = build_exif_block(order, Tree({271: Field(2, b"Maker\0")}, branches))
    assert block is not None
    result = decode_picture(encode_picture(_make_picture(block), "TIFF"))
    assert result.metadata == Metadata(exif=block)


@pytest.mark.parametrize("order", _ORDERS)
def test_orientation_is_kept_and_not_applied(order: str) -> None:
    """A turned TIFF keeps its orientation tag, and its samples are not turned."""
    data = save_image(noise(20, 30, 3), "TIFF", exif=_make_exif(order))
    picture = decode_picture(data)
    assert picture.pixels.shape == (20, 30, 3)
    with Image.open(io.BytesIO(encode_picture(picture, "TIFF"))) as image:
        assert image.getexif()[274] == 6


_DAMAGED_BLOCKS = (
    b"",
    b"II*\0",
    b"hello",
    b"II*\0\x08\0\0\0\xff\xff",
    _make_block()[:40],
    # A pointer beyond the end of the block, and one to its own directory.
    build_exif_block("<", Tree({34665: Field(4, b"\xff\xff\0\0")})),
    build_exif_block("<", Tree({34665: Field(4, b"\x08\0\0\0")})),
)


@pytest.mark.parametrize("block", _DAMAGED_BLOCKS)
@pytest.mark.parametrize("header", [False, True])
def test_damaged_blocks_are_lost(header: bool, block: bytes) -> None:
    """A block that cannot be read is not written, and is named as lost."""
    picture = _make_picture(block, HEADER if header else None)
    result = decode_picture(encode_picture(picture, "TIFF"))
    if ExifBlock.parse(block) is None:
        assert lost_metadata(picture, "TIFF") == (("EXIF",) if block else ())
        assert result.metadata == Metadata()


def test_damaged_directories_are_dropped() -> None:
    """A damaged EXIF directory is dropped by name; the picture and tags of its page are read."""
    data = build_tiff({34665: (4, [0xFFFFFF])}, more_tags=[(271, 2, b"Maker\0")])
    picture = decode_picture(data)
    assert picture.dropped == ("EXIF",)
    block = ExifBlock.parse(picture.metadata.exif or b"")
    assert block is not None
    assert block.tree == Tree({271: Field(2, b"Maker\0")})


def test_page_tags_in_a_block() -> None:
    """Tags of a block that belong to a page are written to the page."""
    exif = _make_exif()
    exif[305] = "Firmware 3"
    exif[282], exif[283], exif[296] = 72.0, 72.0, 2
    block = exif.tobytes().removeprefix(b"Exif\0\0")
    assert not lost_metadata(_make_picture(block), "TIFF")
    decoded_picture = decode_picture(encode_picture(_make_picture(block), "TIFF"))
    assert decoded_picture.dropped == ("text",)
    assert decoded_picture.metadata.resolution is not None
    assert decoded_picture.metadata.resolution.columns == 72


def test_thumbnails_are_named() -> None:
    """The thumbnail of an EXIF block is not written to a TIFF, and named as lost."""
    block = _make_block()
    count = int.from_bytes(block[8:10], "little")
    directory_end = 10 + 12 * count
    following = len(block).to_bytes(4, "little")
    with_thumbnail = block[:directory_end] + following + block[directory_end + 4 :] + bytes(6)
    assert lost_metadata(_make_picture(with_thumbnail), "TIFF") == ("EXIF thumbnail",)


@pytest.mark.parametrize("order", _ORDERS)
def test_directories_of_bigtiff(order: ByteOrder) -> None:
    """A tree of directories written with offsets of eight bytes is read unchanged."""
    shot = Tree({37500: Field(7, b"note" * 5)}, {40965: Tree({1: Field(2, b"R98\0")})})
    tree = Tree({271: Field(2, b"A maker of cameras\0")}, {34665: shot, 34853: Tree()})
    magic = b"II+\0\x08\0\0\0" if order == "<" else b"MM\0+\0\x08\0\0"
    directory_start = (16).to_bytes(8, "little" if order == "<" else "big")
    data = magic + directory_start + serialize_tree(tree, 16, order=order, is_bigtiff=True)
    (page,) = TiffReader(Source(data, "a file", 0)).chain()
    assert read_tree(page, page, BRANCHES) == tree
