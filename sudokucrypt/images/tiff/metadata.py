"""Metadata of a TIFF page, read from its tags and written to them.

Resolution, profile and packet have tags of their own, EXIF is a few tags and the directories below.
"""

import struct
from fractions import Fraction
from typing import Final, Literal

from sudokucrypt.errors import SudokucryptError
from sudokucrypt.images.driver import HEADER_START
from sudokucrypt.images.picture import Metadata, Resolution
from sudokucrypt.images.tiff import directory as d

_TEXTS: Final = frozenset({269, d.DESCRIPTION, 305, 315, 33432})
_DENSITY: Final = frozenset({d.COLUMN_DENSITY, d.ROW_DENSITY, d.DENSITY_UNIT})
_UNITS: Final[dict[int, Literal["inch", "meter"] | None]] = {1: None, 2: "inch", 3: "meter"}
_UNIT_NUMBERS = {unit: code for code, unit in _UNITS.items()}
# TIFF counts pixels per centimeter where `Resolution` has the meter.
_SCALES: Final = {None: 1, "inch": 1, "meter": 100}
_LARGEST: Final = 2**32 - 1
_COLOR_MIXING: Final = frozenset(range(529, 533))


def read_metadata(page: d.Directory, order: d.ByteOrder) -> tuple[Metadata, list[str]]:
    """Return the metadata of a page, and the names of what is left out."""
    dropped = []
    mixing = _COLOR_MIXING if page.integer(d.PHOTOMETRIC) == d.YCBCR else frozenset()
    unread = set(page) - d.STRUCTURE - mixing
    try:
        tree = d.read_tree(page, d.PAGE_TAGS & unread, d.BRANCHES)
    except SudokucryptError:
        # A picture is worth more than a broken note on its back.
        dropped.append("EXIF")
        tree = d.read_tree(page, d.PAGE_TAGS & unread, {})
    unread -= d.PAGE_TAGS | d.BRANCHES.keys()
    if len(list_page_headers(page)) == len(_split_descriptions(page)):
        unread.discard(d.DESCRIPTION)
    if unread & _TEXTS:
        dropped.append("text")
    if resolution := _read_resolution(page, order):
        unread -= _DENSITY
    profile, packet = _bytes(page, d.PROFILE, d.UNDEFINED), _bytes(page, d.XMP, d.BYTE)
    unread -= _TEXTS | {tag for tag, entry in ((d.PROFILE, profile), (d.XMP, packet)) if entry}
    if unread:
        dropped.append("other data")
    metadata = Metadata(exif=d.build(order, tree), icc=profile, xmp=packet, resolution=resolution)
    return metadata, dropped


def _read_resolution(page: d.Directory, order: d.ByteOrder) -> Resolution | None:
    densities = []
    for tag in (d.COLUMN_DENSITY, d.ROW_DENSITY):
        fields = page.fields(tag)
        if len(fields) != 1 or fields[0].kind != d.RATIONAL or len(fields[0].data) != 8:
            return None
        numerator, denominator = struct.unpack(order + "II", fields[0].data)
        if not denominator:
            return None
        densities.append(Fraction(numerator, denominator))
    known = {d.numbers(d.SHORT, code, order=order): code for code in _UNITS}
    units = page.fields(d.DENSITY_UNIT)
    code = known.get(units[0]) if units else _UNIT_NUMBERS["inch"]
    if code is None:
        return None
    columns, rows = (density * _SCALES[_UNITS[code]] for density in densities)
    return Resolution(columns=columns, rows=rows, unit=_UNITS[code])


def _bytes(page: d.Directory, tag: int, kind: int) -> bytes | None:
    fields = page.fields(tag)
    return (fields[0].data or None) if fields and fields[0].kind in (d.BYTE, kind) else None


def list_page_headers(page: d.Directory) -> list[bytes]:
    """Return the parts of a page's description that may be our header."""
    return [part for part in _split_descriptions(page) if part.startswith(HEADER_START)]


def _split_descriptions(page: d.Directory) -> list[bytes]:
    """Return the parts of a page's description: a zero byte ends each, and some repeat the tag."""
    texts = (field.data for field in page.fields(d.DESCRIPTION))
    return [part for part in b"\0".join(texts).split(b"\0") if part]


def list_metadata_tags(metadata: Metadata) -> tuple[d.ByteOrder, d.Tree, tuple[str, ...]]:
    """Return the byte order and tags of metadata, and the names of what finds no place among them.

    The byte order is that of the EXIF, whose maker's note may rely on it.
    """
    block, lost = d.Block.parse(metadata.exif), []
    order: d.ByteOrder = block.order if block else "<"
    fields = _make_density_fields(metadata.resolution, order)
    if metadata.resolution and not fields:
        lost.append("resolution")
    if metadata.icc is not None:
        fields[d.PROFILE] = d.Field(d.UNDEFINED, metadata.icc)
    if metadata.xmp is not None:
        fields[d.XMP] = d.Field(d.BYTE, metadata.xmp)
    if block is None:
        return order, d.Tree(fields), (*(["EXIF"] if metadata.exif else []), *lost)
    if block.thumbnail:
        lost.append("EXIF thumbnail")
    # The tags about the file in the block, which a page may have as well.
    own = {tag: field for tag, field in block.tree.fields.items() if _suits_page(tag, field)}
    return order, d.Tree(own | fields, block.tree.branches), tuple(lost)


def _suits_page(tag: int, field: d.Field) -> bool:
    """Return whether a tag of an EXIF block says nothing of samples, and is not like our header."""
    if tag in d.PAGE_TAGS:
        return True
    like_header = any(part.startswith(HEADER_START) for part in field.data.split(b"\0"))
    return tag not in d.STRUCTURE and not (tag == d.DESCRIPTION and like_header)


def _make_density_fields(resolution: Resolution | None, order: d.ByteOrder) -> dict[int, d.Field]:
    """Return the tags of a resolution, or none if no 32-bit fractions come near it."""
    if resolution is None:
        return {}
    code = _UNIT_NUMBERS[resolution.unit]
    fields = {d.DENSITY_UNIT: d.numbers(d.SHORT, code, order=order)}
    densities = {d.COLUMN_DENSITY: resolution.columns, d.ROW_DENSITY: resolution.rows}
    for tag, density in densities.items():
        value = Fraction(density) / _SCALES[resolution.unit]
        if not 0 <= value <= _LARGEST:
            return {}
        near = value.limit_denominator(int(_LARGEST / max(value, Fraction(1))))
        data = struct.pack(order + "II", near.numerator, near.denominator)
        fields[tag] = d.Field(d.RATIONAL, data)
    return fields
