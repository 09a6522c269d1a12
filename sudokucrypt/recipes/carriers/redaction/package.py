"""What travels with a redacted picture: an index in clear, and the sealed layers.

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
from sudokucrypt.storage import PathName, read_limited

# Each layer may take a derivation to open, and anyone can write the index.
MOST_LAYERS: Final = 64
# Layers times pixels: a mask is made of each, which takes a second for some 700 million, whatever
# the areas are, and the index is that of anybody.
MOST_MASKED: Final = 2**31
# What is written, and what is read besides.
VERSION: Final = 2
FIRST_VERSION: Final = 1
# Bytes of the two lines of a package.
LONGEST_INDEX: Final = 16 * 2**20
_LONGEST_LENGTHS: Final = 2**12
# Rectangles of all layers, and fields: JSON of 16 MiB would else become objects of a gigabyte.
MOST_RECTANGLES: Final = 2**16
_MOST_FIELDS: Final = 7
# Errors that other JSON values cause.
_NO_INDEX: Final = (
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    OverflowError,
    RecursionError,
)


@dataclass(frozen=True, eq=False, kw_only=True)
class Index:
    """What everybody may know of a redaction."""

    id: bytes  # 16 random bytes that tell redactions apart
    medium: Literal["jpeg", "samples"]  # what the areas were covered in
    canvas: tuple[int, int]  # rows and columns
    cover: str  # ``#rrggbb`` or ``surroundings``
    layers: tuple[Area, ...]  # the areas of each layer; an overlap belongs to the first
    permanent: Area | None = None  # what was covered for good
    version: int = VERSION

    def masks(self) -> Iterator[Mask]:
        """Yield the pixels of each layer, which are disjoint; one mask at a time takes memory."""
        taken = np.zeros(self.canvas, dtype=np.bool_)
        for area in self.layers:
            mask = area.mask()
            mask &= ~taken
            yield mask
            taken |= mask

    def to_line(self) -> bytes:
        """Return the one form of this index, without a line feed."""
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
    def of_line(cls, line: bytes, *, max_pixels: int) -> "Index":
        """Return the index with this form; `FormatError` if it is not that of any."""
        # Counted before it is parsed: anyone may have written it.
        if line.count(b"[") > MOST_RECTANGLES + MOST_LAYERS + 3 or line.count(b":") > _MOST_FIELDS:
            raise _make_error()
        try:
            fields = json.loads(line)
            if fields["redaction"] not in (FIRST_VERSION, VERSION):
                raise UnsupportedVersionError(
                    "the layers were written by a newer version", hint="update sudokucrypt"
                )
            rows, columns = canvas = tuple(fields["canvas"])
            sides = all(type(side) is int and side > 0 for side in (rows, columns))
            if not sides or rows * columns > max_pixels or len(fields["layers"]) > MOST_LAYERS:
                raise _make_error()
            if len(fields["layers"]) * rows * columns > MOST_MASKED:
                raise _make_error()
            permanent = fields.get("permanent")
            index = cls(
                id=bytes.fromhex(fields["id"]),
                medium=fields["medium"],
                canvas=canvas,
                cover=normalize_cover(fields["cover"]),
                layers=tuple(Area.of_field(area, canvas) for area in fields["layers"]),
                permanent=None if permanent is None else Area.of_field(permanent, canvas),
                version=int(fields["redaction"]),  # not true, nor 1.0
            )
            same = index.to_line() == line and len(index.id) == 16
        except UnsupportedVersionError:
            raise
        except (SudokucryptError, *_NO_INDEX):
            raise _make_error() from None
        if not same or index.medium not in ("jpeg", "samples") or not index.layers:
            raise _make_error()
        return index


@dataclass(frozen=True, eq=False)
class Package:
    """An index, its line, and the sealed parts: one for each layer, and the rest."""

    line: bytes  # the index as it is bound to the layers
    layers: tuple[bytes, ...]  # files of `encrypt-v1`
    rest: bytes  # another one, which all layers open together

    @property
    def digest(self) -> bytes:
        """The SHA-256 of the index."""
        return hashlib.sha256(self.line).digest()

    def index(self, max_pixels: int) -> Index:
        """Return the index; `FormatError` if it is damaged."""
        index = Index.of_line(self.line, max_pixels=max_pixels)
        if len(index.layers) != len(self.layers):
            raise _make_error()
        return index

    @property
    def head(self) -> bytes:
        """Both lines, before the sealed parts."""
        lengths = [len(part) for part in (*self.layers, self.rest)]
        form = json.dumps(lengths, separators=(",", ":")).encode()
        return b"".join([self.line, b"\n", form, b"\n"])

    def to_bytes(self) -> bytes:
        """Return the form in which it travels."""
        return b"".join([self.head, *self.layers, self.rest])

    @classmethod
    def of_bytes(cls, data: bytes) -> "Package":
        """Return the package of this form; `FormatError` if it is not that of any."""
        end = data.find(b"\n", 0, LONGEST_INDEX + 1)
        start = data.find(b"\n", end + 1, end + 1 + _LONGEST_LENGTHS) + 1
        parts = []
        try:
            lengths = json.loads(data[end + 1 : max(start - 1, 0)])
            if end < 0 or not start or {*map(type, lengths)} != {int} or min(lengths) < 0:
                raise _make_error()
            head = data[:start]
            for length in lengths:
                parts.append(data[start : start + length])
                start += length
        except _NO_INDEX:
            raise _make_error() from None
        package = cls(data[:end], tuple(parts[:-1]), parts[-1])
        if start != len(data) or package.head != head:
            raise _make_error()
        return package


def find_package(file: SourceFile, named: PathName | None = None) -> Package | None:
    """Return the package of a picture: from the sidecar that was named, the file, or next to it.

    What is in the file comes before what anyone may have put next to it.
    """
    data = find_attachment(file.load(), file.name) if named is None else None
    sidecar = find_sidecar(file.location, named, layers=True) if data is None else None
    if sidecar is not None:
        try:
            data = read_limited(sidecar, FILE_LIMIT)
        except OSError as error:
            reason = format_reason(error)
            raise FormatError(f"cannot read the layers in '{sidecar}': {reason}") from None
    return None if data is None else Package.of_bytes(data)


def _make_error() -> FormatError:
    return FormatError("the layers of the redaction are damaged", hint="get a fresh copy")
