"""The tags of a TIFF page that hold the metadata of a frame: `tiff_metadata` turned round."""

from __future__ import annotations

import re
import struct
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from sudokucrypt.images.header import HEADER_START
from sudokucrypt.images.metadata import Metadata, Resolution
from sudokucrypt.images.tiff import exif
from sudokucrypt.images.tiff.directory import (
    ASCII,
    BYTE,
    RATIONAL,
    SHORT,
    SIZES,
    UNDEFINED,
    Field,
    Order,
    Tree,
    numbers,
    reordered,
)
from sudokucrypt.images.tiff.metadata import (
    CENTIMETERS,
    COLUMN_DENSITY,
    DENSITY_UNIT,
    DESCRIPTION,
    EXTRA_SAMPLES,
    OTHER_EXTRA_SAMPLES,
    PROFILE,
    ROW_DENSITY,
    STRUCTURE,
    TEXT_TAGS,
    UNITS,
    XMP,
)

if TYPE_CHECKING:
    from sudokucrypt.images.picture import Frame

_MOST: Final = 2**32 - 1
_NATIVE = re.compile(r"TIFF (\d{1,5})")
_PER_CHANNEL: Final = frozenset({280, 281, 340, 341})
_OF_GRAY: Final = frozenset({290, 291})
_OF_INKS: Final = frozenset({332, 333, 334, 336, 337})
_TRANSFER: Final = 301


def page_tags(frame: Frame, order: Order, *, header: bool) -> tuple[Tree, Metadata]:
    """Return the tags of a frame's metadata, and what finds no place among them.

    Parameters
    ----------
    frame : Frame
        The frame as it is written.
    order : {"<", ">"}
        Byte order.
    header : bool
        Whether the file carries our header. It takes the place of the description.

    Returns
    -------
    tree : Tree
        The tags.
    rest : Metadata
        What is left. An EXIF block is both written and left if there is a header and the block
        has another form than the one that comes back: programs find it, and no byte is lost.
    """
    metadata = frame.metadata
    fields, texts = _text_fields(metadata.texts, header=header)
    density = _density_fields(metadata.resolution, order)
    fields |= density
    if metadata.icc is not None:
        fields[PROFILE] = Field(UNDEFINED, metadata.icc)
    if metadata.xmp is not None:
        fields[XMP] = Field(BYTE, metadata.xmp)
    native: list[tuple[str, bytes]] = []
    left_block, branches = metadata.exif, {}
    block = None if left_block is None else exif.Block.parse(left_block)
    if block is not None:
        tree = _reordered_tree(block.tree, block.order, order)
        branches = tree.branches
        fields = _exif_fields(tree, header=header) | fields
        if block.thumbnail and not header:
            native.append(("EXIF thumbnail", b""))
        if not header or block.canonical() == left_block:
            left_block = None
    for name, data in metadata.native:
        with_alpha = frame.mode in ("gray-alpha", "rgba")
        if name == EXTRA_SAMPLES and with_alpha and data in OTHER_EXTRA_SAMPLES:
            continue
        found = _native_field(name, data, frame)
        if found is None or found[0] in fields or (header and found[0] == DESCRIPTION):
            native.append((name, data))
        else:
            fields[found[0]] = reordered(found[1], "<", order)
    rest = Metadata(
        exif=left_block,
        resolution=None if density else metadata.resolution,
        texts=texts,
        native=tuple(native),
    )
    return Tree(fields, branches), rest


def _text_fields(
    texts: tuple[tuple[str, str], ...], *, header: bool
) -> tuple[dict[int, Field], tuple[tuple[str, str], ...]]:
    """Return the tags of some texts, and the texts that have none."""
    parts: dict[int, list[bytes]] = {}
    rest = []
    for keyword, text in texts:
        tag = TEXT_TAGS.get(keyword)
        data = text.encode(errors="surrogatepass")
        # A zero byte would end the text, and half a surrogate is no text for anybody else.
        whole = data and b"\0" not in data and data == text.encode(errors="replace")
        if tag is None or not whole or (tag == DESCRIPTION and (header or _like_header(data))):
            rest.append((keyword, text))
        else:
            parts.setdefault(tag, []).append(data)
    fields = {tag: Field(ASCII, b"\0".join(data) + b"\0") for tag, data in parts.items()}
    return fields, tuple(rest)


def _like_header(data: bytes) -> bool:
    return any(part.startswith(HEADER_START) for part in data.split(b"\0"))


def _density_fields(resolution: Resolution | None, order: Order) -> dict[int, Field]:
    """Return the tags of a resolution, or none if no 32-bit fractions come near it."""
    if resolution is None:
        return {}
    scale = CENTIMETERS if resolution.unit == "meter" else 1
    fields = {}
    for tag, density in ((COLUMN_DENSITY, resolution.columns), (ROW_DENSITY, resolution.rows)):
        value = Fraction(density) / scale
        if not 0 <= value <= _MOST:
            return {}
        near = value.limit_denominator(int(_MOST / max(value, Fraction(1))))
        data = struct.pack(order + "II", near.numerator, near.denominator)
        fields[tag] = Field(RATIONAL, data)
    number = next(number for number, unit in UNITS.items() if unit == resolution.unit)
    fields[DENSITY_UNIT] = numbers(SHORT, number, order=order)
    return fields


def _exif_fields(tree: Tree, *, header: bool) -> dict[int, Field]:
    """Return the tags about the file in an EXIF block that a page may have as well.

    Beside a header these are only the ones that come back as EXIF: others would come back twice,
    from the page and from the block in the header.
    """
    return {
        tag: field
        for tag, field in tree.fields.items()
        if tag in exif.PAGE_TAGS
        or not (header or tag in STRUCTURE or (tag == DESCRIPTION and _like_header(field.data)))
    }


def _reordered_tree(tree: Tree, before: Order, after: Order) -> Tree:
    fields = {tag: reordered(field, before, after) for tag, field in tree.fields.items()}
    branches = {tag: _reordered_tree(t, before, after) for tag, t in tree.branches.items()}
    return Tree(fields, branches)


def _native_field(name: str, data: bytes, frame: Frame) -> tuple[int, Field] | None:
    """Return tag and values of native metadata, if this frame can have them."""
    match = _NATIVE.fullmatch(name)
    if match is None or len(data) < 2:
        return None
    tag, kind = int(match[1]), int.from_bytes(data[:2], "little")
    field = Field(kind, data[2:])
    if tag > 65535 or tag in STRUCTURE | exif.PAGE_TAGS | exif.BRANCHES.keys():
        return None
    if kind not in SIZES or len(field.data) % SIZES[kind]:
        return None
    if tag == DESCRIPTION and _like_header(field.data):
        return None
    return (tag, field) if _suits(tag, len(field.data) // SIZES[kind], frame) else None


def _suits(tag: int, count: int, frame: Frame) -> bool:
    """Tell whether values for channels, levels or inks have their place beside these samples."""
    channels = 1 if frame.pixels.ndim == 2 else frame.pixels.shape[2]
    if tag in _PER_CHANNEL:
        return count == channels
    if tag == _TRANSFER:
        return frame.depth <= 16 and count in (2**frame.depth, 3 * 2**frame.depth)
    if tag in _OF_GRAY:
        return frame.mode == "gray"
    return frame.mode == "cmyk" or tag not in _OF_INKS
