"""What a TIFF page says beside its samples, as `Metadata`.

Texts, resolution, profile and packet have tags of their own, EXIF is a few tags and the directories
below. Every other tag is kept as native: ``("TIFF <number>", ...)`` with its type as two bytes and
its values, lower byte first.
"""

from __future__ import annotations

import struct
from fractions import Fraction
from typing import TYPE_CHECKING, Final, Literal

from sudokucrypt.errors import SudokucryptError
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
    numbers,
    reordered,
)

if TYPE_CHECKING:
    from sudokucrypt.images.tiff.directory import Directory, Order

EXTRA_SAMPLES: Final = "TIFF extra samples"
"""Native metadata of a channel that is no plain alpha: TIFF's number for it, or nothing."""

OTHER_EXTRA_SAMPLES: Final = (b"", b"\0\0", b"\1\0")
"""The values it may have: not said, anything, alpha that the colors are multiplied with."""

DESCRIPTION: Final = 270
XMP, PROFILE = 700, 34675
COLUMN_DENSITY, ROW_DENSITY, DENSITY_UNIT = 282, 283, 296
TEXT_TAGS: Final = {
    "Title": 269,
    "Description": DESCRIPTION,
    "Software": 305,
    "Author": 315,
    "Copyright": 33432,
}
"""Where texts stand, by their keywords."""

_KEYWORDS = {tag: keyword for keyword, tag in TEXT_TAGS.items()}
CENTIMETERS: Final = 100
"""TIFF counts pixels per centimeter where `Resolution` has the meter."""

UNITS: Final[dict[int, Literal["inch", "meter"] | None]] = {1: None, 2: "inch", 3: "meter"}
"""Units of a resolution by their TIFF numbers."""

STRUCTURE: Final = frozenset(
    {
        *range(254, 263),
        *(266, 273, 277, 278, 279, 284, 288, 289, 292, 293, 317, 320, 338, 339, 347),
        *range(322, 326),
        *(330, *range(512, 522)),
    }
)
"""Tags that say how the samples are stored, or where something is."""

_COLOR_MIXING: Final = frozenset(range(529, 533))
# Values of samples and curves over them, which inverted samples would belie.
_OF_SAMPLES: Final = frozenset({280, 281, 290, 291, 301, 340, 341})


class PageMetadata:
    """What one page says, as it is read.

    `metadata` is what is kept, `headers` what may be our header, and `left_out` names the rest.

    Parameters
    ----------
    page : Directory
        Its tags.
    order : {"<", ">"}
        Their byte order.
    converted : bool
        Whether its colors were converted from YCbCr.
    inverted : bool
        Whether its samples were inverted.
    """

    def __init__(
        self, page: Directory, order: Order, *, converted: bool = False, inverted: bool = False
    ) -> None:
        self.headers: list[bytes] = []
        self.left_out: list[str] = []
        self._page, self._order = page, order
        unread = set(page) - STRUCTURE - (_COLOR_MIXING if converted else set())
        block = self._read_exif(unread)
        unread -= exif.PAGE_TAGS | exif.BRANCHES.keys()
        if inverted and unread & _OF_SAMPLES:
            self.left_out.append("other data")
            unread -= _OF_SAMPLES
        texts = [text for tag in sorted(unread & _KEYWORDS.keys()) for text in self._texts(tag)]
        unread -= {TEXT_TAGS[keyword] for keyword, _ in texts}
        if self.headers:
            unread.discard(DESCRIPTION)
        resolution = self._read_resolution()
        unread -= {COLUMN_DENSITY, ROW_DENSITY, DENSITY_UNIT} if resolution else set()
        profile, packet = self._bytes(PROFILE, UNDEFINED), self._bytes(XMP, BYTE)
        unread -= {tag for tag, found in ((PROFILE, profile), (XMP, packet)) if found}
        self.metadata = Metadata(
            exif=block,
            icc=profile,
            xmp=packet,
            resolution=resolution,
            texts=tuple(texts),
            native=tuple(native for tag in sorted(unread) for native in self._native(tag)),
        )

    def _read_exif(self, tags: set[int]) -> bytes | None:
        """Return the tags about camera, shot and place as a block."""
        try:
            tree = exif.read_tree(self._page, exif.PAGE_TAGS & tags, exif.BRANCHES)
            return exif.build(self._order, tree)
        except SudokucryptError:
            # A picture is worth more than a broken note on its back.
            self.left_out.append("EXIF")
            return exif.build(self._order, exif.read_tree(self._page, exif.PAGE_TAGS & tags, {}))

    def _texts(self, tag: int) -> list[tuple[str, str]]:
        """Return the texts of a tag, if they can be written back to the same bytes."""
        fields = self._page.fields(tag)
        parts = b"\0".join(f.data.removesuffix(b"\0") for f in fields).split(b"\0")
        if tag == DESCRIPTION:
            self.headers += [part for part in parts if part.startswith(HEADER_START)]
            if self.headers:
                parts = [part for part in parts if part and not part.startswith(HEADER_START)]
        try:
            texts = [(_KEYWORDS[tag], part.decode()) for part in parts]
        except UnicodeDecodeError:
            return []
        return texts if all(parts) and fields[0].kind == ASCII else []

    def _read_resolution(self) -> Resolution | None:
        """Return the resolution, if it is a plain one."""
        page = self._page
        densities = []
        for tag in (COLUMN_DENSITY, ROW_DENSITY):
            fields = page.fields(tag)
            if len(fields) != 1 or fields[0].kind != RATIONAL or len(fields[0].data) != 8:
                return None
            numerator, denominator = struct.unpack(self._order + "II", fields[0].data)
            if not denominator:
                return None
            densities.append(Fraction(numerator, denominator))
        units = page.fields(DENSITY_UNIT) or [numbers(SHORT, 2, order=self._order)]
        known = [numbers(SHORT, number, order=self._order) for number in UNITS]
        if units[0] not in known:
            return None
        unit = UNITS[1 + known.index(units[0])]
        scale = CENTIMETERS if unit == "meter" else 1
        return Resolution(columns=densities[0] * scale, rows=densities[1] * scale, unit=unit)

    def _bytes(self, tag: int, kind: int) -> bytes | None:
        fields = self._page.fields(tag)
        return (fields[0].data or None) if fields and fields[0].kind in (BYTE, kind) else None

    def _native(self, tag: int) -> list[tuple[str, bytes]]:
        """Return a tag that has no other place, unless it holds offsets."""
        field = self._page.fields(tag)[0]
        if field.kind not in SIZES or len(self._page.fields(tag)) > 1:
            self.left_out.append("other data")
        if field.kind not in SIZES:
            return []
        data = reordered(field, self._order, "<").data
        return [(f"TIFF {tag}", struct.pack("<H", field.kind) + data)]
