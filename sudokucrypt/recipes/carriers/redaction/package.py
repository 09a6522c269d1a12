"""The data that a redacted picture carries: a readable index, and the sealed layers.

::

    {"redaction":2,...} LF [lengths] LF layer | layer | ... | rest
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from sudokucrypt.errors import FormatError, SudokucryptError, UnsupportedVersionError, format_reason
from sudokucrypt.images import FILE_LIMIT
from sudokucrypt.images.attachments import find_attachment
from sudokucrypt.recipes.carriers.redaction.areas import Area
from sudokucrypt.recipes.carriers.redaction.covers import normalize_cover
from sudokucrypt.recipes.carriers.redaction.medium import Mask
from sudokucrypt.recipes.sinks import find_sidecar
from sudokucrypt.recipes.sources import SourceFile
from sudokucrypt.storage import LocationLike, read_limited_file

# The number of layers is limited, since opening each layer may take a key derivation, and an
# attacker may have written the index.
MAX_LAYERS: Final = 64
# Maximum number of layers times pixels, since an attacker may have written the index: making masks
# of some 700 million pixels takes a second.
MAX_MASKED_PIXELS: Final = 2**31
# The version that is written, and an earlier one that is still read.
VERSION: Final = 2
FIRST_VERSION: Final = 1
# Maximum lengths of lines of a package in bytes: of the index, and of the list of part lengths.
MAX_INDEX_BYTES: Final = 16 * 2**20
_MAX_LENGTHS_BYTES: Final = 2**12
# Maximum numbers of rectangles and fields of an index: without these limits, 16 MiB of JSON could
# become a gigabyte of objects.
MAX_RECTANGLES: Final = 2**16
_MAX_FIELDS: Final = 7
# Errors that are raised when valid JSON does not have the form of an index.
_PARSING_ERRORS: Final = (
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    OverflowError,
    RecursionError,
)


@dataclass(frozen=True, eq=False, kw_only=True)
class Index:
    """The public facts about a redaction: its areas and its cover."""

    id: bytes  # 16 random bytes that tell redactions apart
    medium: Literal["jpeg", "samples"]  # whether coefficients or samples were covered
    canvas: tuple[int, int]  # rows and columns
    cover: str  # ``#rrggbb`` or ``surroundings``
    layers: tuple[Area, ...]  # the areas of each layer; an overlap belongs to the first
    permanent: Area | None = None  # the pixels that were removed for good
    version: int = VERSION

    def iterate_masks(self) -> Iterator[Mask]:
        """Yield a mask for each layer, without the pixels of the layers before it."""
        earlier_mask = np.zeros(self.canvas, dtype=np.bool_)
        for area in self.layers:
            mask = area.mask()
            mask &= ~earlier_mask
            yield mask
            earlier_mask |= mask

    def to_line(self) -> bytes:
        """Return the canonical JSON of this index, without a line feed."""
        fields: dict[str, Any] = {
            "redaction": self.version,
            "id": self.id.hex(),
            "medium": self.medium,
            "canvas": list(self.canvas),
            "cover": self.cover,
            "layers": [area.field for area in self.layers],
        }
        if self.permanent is not None:
            fields["permanent"] = self.permanent.field
        return json.dumps(fields, separators=(",", ":")).encode()

    @classmethod
    def from_line(cls, line: bytes, *, max_pixels: int) -> "Index":
        """Parse the canonical JSON of an index; `FormatError` if it is invalid or too large."""
        # Checked before parsing, since an attacker may have written the line.
        rectangles, fields = line.count(b"["), line.count(b":")
        if rectangles > MAX_RECTANGLES + MAX_LAYERS + 3 or fields > _MAX_FIELDS:
            raise _make_damage_error()
        try:
            fields = json.loads(line)
            if fields["redaction"] not in (FIRST_VERSION, VERSION):
                raise UnsupportedVersionError(
                    "the layers were written by a newer version", hint="update sudokucrypt"
                )
            rows, columns = canvas = tuple(fields["canvas"])
            is_valid = all(type(side) is int and side > 0 for side in (rows, columns))
            if not is_valid or rows * columns > max_pixels or len(fields["layers"]) > MAX_LAYERS:
                raise _make_damage_error()
            if len(fields["layers"]) * rows * columns > MAX_MASKED_PIXELS:
                raise _make_damage_error()
            permanent_field = fields.get("permanent")
            index = cls(
                id=bytes.fromhex(fields["id"]),
                medium=fields["medium"],
                canvas=canvas,
                cover=normalize_cover(fields["cover"]),
                layers=tuple(Area.from_field(area, canvas) for area in fields["layers"]),
                permanent=None
                if permanent_field is None
                else Area.from_field(permanent_field, canvas),
                version=int(fields["redaction"]),  # JSON may have true or 1.0, which equal 1
            )
            is_canonical = index.to_line() == line and len(index.id) == 16
        except UnsupportedVersionError:
            raise
        except (SudokucryptError, *_PARSING_ERRORS):
            raise _make_damage_error() from None
        if not is_canonical or index.medium not in ("jpeg", "samples") or not index.layers:
            raise _make_damage_error()
        return index


@dataclass(frozen=True, eq=False)
class Package:
    """The line of an index with the sealed parts: one for each layer, and the rest."""

    line: bytes  # the index, whose digest is in each layer
    layers: tuple[bytes, ...]  # encrypted files, each of one layer
    sealed_restoration_data: bytes  # another encrypted file, which only all layers together open

    @property
    def digest(self) -> bytes:
        """The SHA-256 of the index."""
        return hashlib.sha256(self.line).digest()

    def index(self, max_pixels: int) -> Index:
        """Return the index; `FormatError` if it is damaged."""
        index = Index.from_line(self.line, max_pixels=max_pixels)
        if len(index.layers) != len(self.layers):
            raise _make_damage_error()
        return index

    @property
    def head(self) -> bytes:
        """The two lines before the sealed parts: the index, and the lengths of the parts."""
        lengths = [len(part) for part in (*self.layers, self.sealed_restoration_data)]
        lengths_line = json.dumps(lengths, separators=(",", ":")).encode()
        return b"".join([self.line, b"\n", lengths_line, b"\n"])

    def to_bytes(self) -> bytes:
        """Return the encoded package, as it is attached to a picture or written to a sidecar."""
        return b"".join([self.head, *self.layers, self.sealed_restoration_data])

    @classmethod
    def from_bytes(cls, data: bytes) -> "Package":
        """Parse an encoded package; `FormatError` if it is damaged."""
        index_end = data.find(b"\n", 0, MAX_INDEX_BYTES + 1)
        start = data.find(b"\n", index_end + 1, index_end + 1 + _MAX_LENGTHS_BYTES) + 1
        sealed_parts = []
        try:
            lengths = json.loads(data[index_end + 1 : max(start - 1, 0)])
            if index_end < 0 or not start or {*map(type, lengths)} != {int} or min(lengths) < 0:
                raise _make_damage_error()
            package_head = data[:start]
            for length in lengths:
                sealed_parts.append(data[start : start + length])
                start += length
        except _PARSING_ERRORS:
            raise _make_damage_error() from None
        package = cls(data[:index_end], tuple(sealed_parts[:-1]), sealed_parts[-1])
        if start != len(data) or package.head != package_head:
            raise _make_damage_error()
        return package


def find_package(file: SourceFile, sidecar_name: LocationLike | None = None) -> Package | None:
    """Return the package of a picture: from `sidecar_name`, the file, or a sidecar next to it.

    The file comes before the sidecar next to it, which anyone may have put there.
    """
    data = find_attachment(file.load(), file.name) if sidecar_name is None else None
    sidecar = find_sidecar(file.location, sidecar_name, layers=True) if data is None else None
    if sidecar is not None:
        try:
            data = read_limited_file(sidecar, FILE_LIMIT)
        except OSError as error:
            reason = format_reason(error)
            raise FormatError(f"cannot read the layers in '{sidecar}': {reason}") from None
    return None if data is None else Package.from_bytes(data)


def _make_damage_error() -> FormatError:
    return FormatError("the layers of the redaction are damaged", hint="get a fresh copy")
