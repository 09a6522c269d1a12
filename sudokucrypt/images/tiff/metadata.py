"""Convert between the tags of a TIFF page and `Metadata`.

Resolution, color profile and XMP packet have tags of their own. EXIF consists of some tags of the
page and the directories to which they point.
"""

import struct
from fractions import Fraction
from typing import Final, Literal

from sudokucrypt.errors import SudokucryptError
from sudokucrypt.images.driver import HEADER_START
from sudokucrypt.images.picture import Metadata, Resolution
from sudokucrypt.images.tiff import directory as d

_TEXT_TAGS: Final = frozenset({269, d.DESCRIPTION, 305, 315, 33432})
_DENSITY_TAGS: Final = frozenset({d.COLUMN_DENSITY, d.ROW_DENSITY, d.DENSITY_UNIT})
_UNITS: Final[dict[int, Literal["inch", "meter"] | None]] = {1: None, 2: "inch", 3: "meter"}
_UNIT_NUMBERS = {unit: code for code, unit in _UNITS.items()}
# The factor that converts a resolution in a TIFF to a `Resolution`. A TIFF may state pixels per
# centimeter instead of pixels per meter.
_UNIT_SCALES: Final = {None: 1, "inch": 1, "meter": 100}
_MAX_UINT32: Final = 2**32 - 1
_YCBCR_TAGS: Final = frozenset(range(529, 533))


def read_metadata(page: d.Directory, order: d.ByteOrder) -> tuple[Metadata, list[str]]:
    """Return the metadata of a page, and the names of metadata that are left out."""
    dropped_names = []
    ycbcr_tags = _YCBCR_TAGS if page.get_integer(d.PHOTOMETRIC) == d.YCBCR else frozenset()
    unread_tags = set(page) - d.STRUCTURE_TAGS - ycbcr_tags
    try:
        field_tree = d.read_tree(page, d.EXIF_PAGE_TAGS & unread_tags, d.BRANCHES)
    except SudokucryptError:
        # Damaged EXIF is left out, so that the picture can still be read.
        dropped_names.append("EXIF")
        field_tree = d.read_tree(page, d.EXIF_PAGE_TAGS & unread_tags, {})
    unread_tags -= d.EXIF_PAGE_TAGS | d.BRANCHES.keys()
    if len(list_page_headers(page)) == len(_split_descriptions(page)):
        unread_tags.discard(d.DESCRIPTION)
    if unread_tags & _TEXT_TAGS:
        dropped_names.append("text")
    if resolution := _read_resolution(page, order):
        unread_tags -= _DENSITY_TAGS
    profile = _get_bytes(page, d.PROFILE, d.UNDEFINED)
    xmp_packet = _get_bytes(page, d.XMP, d.BYTE)
    unread_tags -= _TEXT_TAGS | {
        tag for tag, entry in ((d.PROFILE, profile), (d.XMP, xmp_packet)) if entry
    }
    if unread_tags:
        dropped_names.append("other data")
    metadata = Metadata(
        exif=d.build_exif_block(order, field_tree),
        icc=profile,
        xmp=xmp_packet,
        resolution=resolution,
    )
    return metadata, dropped_names


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
    codes_by_field = {
        d.numbers(d.SHORT, unit_number, order=order): unit_number for unit_number in _UNITS
    }
    units = page.fields(d.DENSITY_UNIT)
    unit_number = codes_by_field.get(units[0]) if units else _UNIT_NUMBERS["inch"]
    if unit_number is None:
        return None
    columns, rows = (density * _UNIT_SCALES[_UNITS[unit_number]] for density in densities)
    return Resolution(columns=columns, rows=rows, unit=_UNITS[unit_number])


def _get_bytes(page: d.Directory, tag: int, kind: int) -> bytes | None:
    """Return the bytes of a tag if its type is `kind` or `BYTE`, otherwise None."""
    fields = page.fields(tag)
    return (fields[0].data or None) if fields and fields[0].kind in (d.BYTE, kind) else None


def list_page_headers(page: d.Directory) -> list[bytes]:
    """Return the parts of a page's description that begin like a header."""
    return [part for part in _split_descriptions(page) if part.startswith(HEADER_START)]


def _split_descriptions(page: d.Directory) -> list[bytes]:
    """Return the texts in a page's description.

    A zero byte ends each text. Some programs write the tag several times.
    """
    texts = (field.data for field in page.fields(d.DESCRIPTION))
    return [part for part in b"\0".join(texts).split(b"\0") if part]


def list_metadata_tags(metadata: Metadata) -> tuple[d.ByteOrder, d.Tree, tuple[str, ...]]:
    """Return the byte order and tags of metadata, and the names of lost metadata.

    The byte order is that of the EXIF block, on which its maker's note may depend.
    """
    block, lost_names = d.ExifBlock.parse(metadata.exif), []
    order: d.ByteOrder = block.order if block else "<"
    fields = _make_density_fields(metadata.resolution, order)
    if metadata.resolution and not fields:
        lost_names.append("resolution")
    if metadata.icc is not None:
        fields[d.PROFILE] = d.Field(d.UNDEFINED, metadata.icc)
    if metadata.xmp is not None:
        fields[d.XMP] = d.Field(d.BYTE, metadata.xmp)
    if block is None:
        return order, d.Tree(fields), (*(["EXIF"] if metadata.exif else []), *lost_names)
    if block.has_thumbnail:
        lost_names.append("EXIF thumbnail")
    page_fields = {tag: f for tag, f in block.tree.fields.items() if _can_be_on_page(tag, f)}
    return order, d.Tree(page_fields | fields, block.tree.branches), tuple(lost_names)


def _can_be_on_page(tag: int, field: d.Field) -> bool:
    """Return whether a tag of an EXIF block may be copied to a page.

    It must not describe how samples are stored, and must not look like a header.
    """
    if tag in d.EXIF_PAGE_TAGS:
        return True
    is_like_header = any(part.startswith(HEADER_START) for part in field.data.split(b"\0"))
    return tag not in d.STRUCTURE_TAGS and not (tag == d.DESCRIPTION and is_like_header)


def _make_density_fields(resolution: Resolution | None, order: d.ByteOrder) -> dict[int, d.Field]:
    """Return the tags of a resolution, or no tags if 32-bit fractions cannot approximate it."""
    if resolution is None:
        return {}
    unit_number = _UNIT_NUMBERS[resolution.unit]
    fields = {d.DENSITY_UNIT: d.numbers(d.SHORT, unit_number, order=order)}
    densities = {d.COLUMN_DENSITY: resolution.columns, d.ROW_DENSITY: resolution.rows}
    for tag, density in densities.items():
        value = Fraction(density) / _UNIT_SCALES[resolution.unit]
        if not 0 <= value <= _MAX_UINT32:
            return {}
        rounded_value = value.limit_denominator(int(_MAX_UINT32 / max(value, Fraction(1))))
        data = struct.pack(order + "II", rounded_value.numerator, rounded_value.denominator)
        fields[tag] = d.Field(d.RATIONAL, data)
    return fields
