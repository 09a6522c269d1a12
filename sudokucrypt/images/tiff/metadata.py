"""What a TIFF page says besides its samples, as `Metadata`, and back.

Texts, resolution, profile and packet have tags of their own, EXIF is a few tags and the directories
below. Every other tag is kept as native: ``("TIFF <number>", ...)`` with its type as two bytes and
its values, lower byte first.
"""

import re
import struct
from fractions import Fraction
from typing import Final, Literal

from sudokucrypt.errors import SudokucryptError
from sudokucrypt.images.picture import Frame, Metadata, Resolution, channels
from sudokucrypt.images.source import HEADER_START
from sudokucrypt.images.tiff import directory as d
from sudokucrypt.images.tiff import exif
from sudokucrypt.images.tiff import tags as t

# Native metadata of a channel that is no plain alpha: TIFF's number for it, or nothing.
EXTRA_SAMPLES: Final = "TIFF extra samples"
# The values it may have: not said, anything, alpha that the colors are multiplied with.
OTHER_EXTRAS: Final = (b"", b"\0\0", b"\1\0")

_KEYWORDS: Final = {
    269: "Title",
    t.DESCRIPTION: "Description",
    305: "Software",
    315: "Author",
    33432: "Copyright",
}
_TEXT_TAGS = {keyword: tag for tag, keyword in _KEYWORDS.items()}
_UNITS: Final[dict[int, Literal["inch", "meter"] | None]] = {1: None, 2: "inch", 3: "meter"}
_UNIT_NUMBERS = {unit: code for code, unit in _UNITS.items()}
# TIFF counts pixels per centimeter where `Resolution` has the meter.
_SCALES: Final = {None: 1, "inch": 1, "meter": 100}
_LARGEST: Final = 2**32 - 1
_NATIVE = re.compile(r"TIFF (\d{1,5})")
# Limits and curves of samples, and what inks are: they mean nothing with other samples.
_PER_CHANNEL: Final = frozenset({280, 281, 340, 341})
_OF_GRAY: Final = frozenset({290, 291})
_OF_INKS: Final = frozenset({332, 333, 334, 336, 337})
_OF_SAMPLES: Final = _PER_CHANNEL | _OF_GRAY | {t.TRANSFER}
_COLOR_MIXING: Final = frozenset(range(529, 533))


class PageMetadata:
    """What one page says, as it is read.

    `metadata` is what is kept, `headers` what may be our header, and `dropped` names the rest.
    Colors are no longer YCbCr, and samples no longer white at zero.
    """

    def __init__(self, page: d.Directory, order: d.ByteOrder, photometric: int) -> None:
        self.headers = page_headers(page)
        self.dropped: list[str] = []
        self._page, self._order = page, order
        unread = set(page) - t.STRUCTURE - (_COLOR_MIXING if photometric == t.YCBCR else set())
        try:
            tree = exif.read_tree(page, exif.PAGE_TAGS & unread, exif.BRANCHES)
        except SudokucryptError:
            # A picture is worth more than a broken note on its back.
            self.dropped.append("EXIF")
            tree = exif.read_tree(page, exif.PAGE_TAGS & unread, {})
        unread -= exif.PAGE_TAGS | exif.BRANCHES.keys()
        if photometric == t.WHITE_IS_ZERO and unread & _OF_SAMPLES:
            self.dropped.append("other data")
            unread -= _OF_SAMPLES
        texts = [text for tag in sorted(unread & _KEYWORDS.keys()) for text in self._texts(tag)]
        unread -= {_TEXT_TAGS[keyword] for keyword, _ in texts}
        if self.headers:
            unread.discard(t.DESCRIPTION)
        resolution = self._read_resolution()
        if resolution:
            unread -= {t.COLUMN_DENSITY, t.ROW_DENSITY, t.DENSITY_UNIT}
        profile, packet = self._bytes(t.PROFILE, d.UNDEFINED), self._bytes(t.XMP, d.BYTE)
        unread -= {tag for tag, entry in ((t.PROFILE, profile), (t.XMP, packet)) if entry}
        self.metadata = Metadata(
            exif=exif.build(order, tree),
            icc=profile,
            xmp=packet,
            resolution=resolution,
            texts=tuple(texts),
            native=tuple(native for tag in sorted(unread) for native in self._native(tag)),
        )

    def _texts(self, tag: int) -> list[tuple[str, str]]:
        """Return the texts of a tag, if they can be written back to the same bytes."""
        fields = self._page.fields(tag)
        parts = _text_parts(fields)
        if tag == t.DESCRIPTION and self.headers:
            parts = [part for part in parts if part and not part.startswith(HEADER_START)]
        try:
            texts = [(_KEYWORDS[tag], part.decode()) for part in parts]
        except UnicodeDecodeError:
            return []
        return texts if all(parts) and fields[0].kind == d.ASCII else []

    def _read_resolution(self) -> Resolution | None:
        densities = []
        for tag in (t.COLUMN_DENSITY, t.ROW_DENSITY):
            fields = self._page.fields(tag)
            if len(fields) != 1 or fields[0].kind != d.RATIONAL or len(fields[0].data) != 8:
                return None
            numerator, denominator = struct.unpack(self._order + "II", fields[0].data)
            if not denominator:
                return None
            densities.append(Fraction(numerator, denominator))
        known = {d.numbers(d.SHORT, code, order=self._order): code for code in _UNITS}
        units = self._page.fields(t.DENSITY_UNIT)
        code = known.get(units[0]) if units else _UNIT_NUMBERS["inch"]
        if code is None:
            return None
        columns, rows = (density * _SCALES[_UNITS[code]] for density in densities)
        return Resolution(columns=columns, rows=rows, unit=_UNITS[code])

    def _bytes(self, tag: int, kind: int) -> bytes | None:
        fields = self._page.fields(tag)
        return (fields[0].data or None) if fields and fields[0].kind in (d.BYTE, kind) else None

    def _native(self, tag: int) -> list[tuple[str, bytes]]:
        """Return a tag that has no other place, unless it holds offsets."""
        field = self._page.fields(tag)[0]
        if field.kind not in d.SIZES or len(self._page.fields(tag)) > 1:
            self.dropped.append("other data")
        if field.kind not in d.SIZES:
            return []
        data = d.reordered(field, self._order, "<").data
        return [(f"TIFF {tag}", struct.pack("<H", field.kind) + data)]


def page_headers(page: d.Directory) -> list[bytes]:
    """Return the parts of a page's description that may be our header."""
    parts = _text_parts(page.fields(t.DESCRIPTION))
    return [part for part in parts if part.startswith(HEADER_START)]


def _text_parts(fields: list[d.Field]) -> list[bytes]:
    """Return the texts of a tag: a zero byte ends each, and some programs repeat the tag."""
    return b"\0".join(field.data.removesuffix(b"\0") for field in fields).split(b"\0")


def page_tags(frame: Frame, order: d.ByteOrder, *, header: bool) -> tuple[d.Tree, Metadata]:
    """Return the tags of a frame's metadata, and what finds no place among them.

    Our `header` takes the place of the description. An EXIF block is then both written and left
    over if it has another form than the one that comes back: programs find it, and no byte is
    lost.
    """
    metadata = frame.metadata
    fields, texts = _text_fields(metadata.texts, header=header)
    density = _density_fields(metadata.resolution, order)
    fields |= density
    if metadata.icc is not None:
        fields[t.PROFILE] = d.Field(d.UNDEFINED, metadata.icc)
    if metadata.xmp is not None:
        fields[t.XMP] = d.Field(d.BYTE, metadata.xmp)
    native: list[tuple[str, bytes]] = []
    left_block, branches = metadata.exif, {}
    if block := exif.Block.parse(metadata.exif):
        tree = _reordered_tree(block.tree, block.order, order)
        branches = tree.branches
        fields = _exif_fields(tree, header=header) | fields
        if block.thumbnail and not header:
            native.append(("EXIF thumbnail", b""))
        if not header or block.canonical() == left_block:
            left_block = None
    for name, data in metadata.native:
        with_alpha = frame.mode in ("gray-alpha", "rgba")
        if name == EXTRA_SAMPLES and with_alpha and data in OTHER_EXTRAS:
            continue
        entry = _native_field(name, data, frame)
        if entry is None or entry[0] in fields or (header and entry[0] == t.DESCRIPTION):
            native.append((name, data))
        else:
            fields[entry[0]] = d.reordered(entry[1], "<", order)
    rest = Metadata(
        exif=left_block,
        resolution=None if density else metadata.resolution,
        texts=texts,
        native=tuple(native),
    )
    return d.Tree(fields, branches), rest


def _text_fields(
    texts: tuple[tuple[str, str], ...], *, header: bool
) -> tuple[dict[int, d.Field], tuple[tuple[str, str], ...]]:
    """Return the tags of some texts, and the texts that have none."""
    parts: dict[int, list[bytes]] = {}
    rest = []
    for keyword, text in texts:
        tag = _TEXT_TAGS.get(keyword)
        data = text.encode(errors="surrogatepass")
        # A zero byte would end the text, and half a surrogate is no text for anybody else.
        whole = data and b"\0" not in data and data == text.encode(errors="replace")
        if tag is None or not whole or (tag == t.DESCRIPTION and (header or _like_header(data))):
            rest.append((keyword, text))
        else:
            parts.setdefault(tag, []).append(data)
    fields = {tag: d.Field(d.ASCII, b"\0".join(data) + b"\0") for tag, data in parts.items()}
    return fields, tuple(rest)


def _like_header(data: bytes) -> bool:
    return any(part.startswith(HEADER_START) for part in data.split(b"\0"))


def _density_fields(resolution: Resolution | None, order: d.ByteOrder) -> dict[int, d.Field]:
    """Return the tags of a resolution, or none if no 32-bit fractions come near it."""
    if resolution is None:
        return {}
    code = _UNIT_NUMBERS[resolution.unit]
    fields = {t.DENSITY_UNIT: d.numbers(d.SHORT, code, order=order)}
    densities = {t.COLUMN_DENSITY: resolution.columns, t.ROW_DENSITY: resolution.rows}
    for tag, density in densities.items():
        value = Fraction(density) / _SCALES[resolution.unit]
        if not 0 <= value <= _LARGEST:
            return {}
        near = value.limit_denominator(int(_LARGEST / max(value, Fraction(1))))
        data = struct.pack(order + "II", near.numerator, near.denominator)
        fields[tag] = d.Field(d.RATIONAL, data)
    return fields


def _exif_fields(tree: d.Tree, *, header: bool) -> dict[int, d.Field]:
    """Return the tags about the file in an EXIF block that a page may have as well.

    Beside a header these are only the ones that come back as EXIF: others would come back twice,
    from the page and from the block in the header.
    """
    return {
        tag: field
        for tag, field in tree.fields.items()
        if tag in exif.PAGE_TAGS
        or not (header or tag in t.STRUCTURE or (tag == t.DESCRIPTION and _like_header(field.data)))
    }


def _reordered_tree(tree: d.Tree, before: d.ByteOrder, after: d.ByteOrder) -> d.Tree:
    fields = {tag: d.reordered(field, before, after) for tag, field in tree.fields.items()}
    branches = {tag: _reordered_tree(b, before, after) for tag, b in tree.branches.items()}
    return d.Tree(fields, branches)


def _native_field(name: str, data: bytes, frame: Frame) -> tuple[int, d.Field] | None:
    """Return tag and values of native metadata, if this frame can have them."""
    match = _NATIVE.fullmatch(name)
    if match is None or len(data) < 2:
        return None
    tag, kind, values = int(match[1]), int.from_bytes(data[:2], "little"), data[2:]
    taken = tag > 65535 or tag in t.STRUCTURE | exif.PAGE_TAGS | exif.BRANCHES.keys()
    if taken or kind not in d.SIZES or (tag == t.DESCRIPTION and _like_header(values)):
        return None
    count, rest = divmod(len(values), d.SIZES[kind])
    return (tag, d.Field(kind, values)) if not rest and _suits(tag, count, frame) else None


def _suits(tag: int, count: int, frame: Frame) -> bool:
    """Return whether values for channels, levels or inks belong to these samples."""
    if tag in _PER_CHANNEL:
        return count == channels(frame.pixels)
    if tag == t.TRANSFER:
        return frame.depth <= 16 and count in (2**frame.depth, 3 * 2**frame.depth)
    if tag in _OF_GRAY:
        return frame.mode == "gray"
    return frame.mode == "cmyk" or tag not in _OF_INKS
