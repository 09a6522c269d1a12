"""What travels with a redacted picture: an index in clear, and the sealed layers.

::

    {"redaction":1,...} LF [lengths] LF layer | layer | ... | rest
"""

import base64
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from sudokucrypt.errors import FormatError, SudokucryptError, UnsupportedVersionError, reason_of
from sudokucrypt.images import FILE_LIMIT
from sudokucrypt.images.attachments import attachment
from sudokucrypt.recipes.carriers.redaction.covers import checked_cover
from sudokucrypt.recipes.carriers.redaction.masks import pack_mask, unpack_mask
from sudokucrypt.recipes.carriers.redaction.medium import Mask
from sudokucrypt.recipes.carriers.redaction.selection import Selection
from sudokucrypt.recipes.source_files import SourceFile
from sudokucrypt.recipes.transfer import FileTransfer, PathName, layers_sidecar_of
from sudokucrypt.storage import read_limited

# Each layer may take a derivation to open, and anyone can write the index.
MOST_LAYERS: Final = 64
# Layers times pixels: a mask is made of each, which takes a second for some 700 million, whatever
# the areas are, and the index is that of anybody.
MOST_MASKED: Final = 2**31
_VERSION: Final = 1
# Bytes of the two lines of a package; the second is never longer than 4 kB.
_LONGEST_LINES: Final = 16 * 2**20
LONGEST_INDEX: Final = _LONGEST_LINES - 2**12
# What comes of JSON that is anything else.
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
    layers: tuple[Selection, ...]  # the areas of each layer; an overlap belongs to the first
    permanent: Selection | None = None  # what was covered for good

    def masks(self) -> Iterator[Mask]:
        """Yield the pixels of each layer, which are disjoint; one mask at a time takes memory."""
        taken = np.zeros(self.canvas, dtype=np.bool_)
        for area in self.layers:
            yield area.where & ~taken
            taken |= area.where

    def to_line(self) -> bytes:
        """Return the one form of this index, without a line feed."""
        fields: dict[str, Any] = {
            "redaction": _VERSION,
            "id": self.id.hex(),
            "medium": self.medium,
            "canvas": list(self.canvas),
            "cover": self.cover,
            "layers": [_area(selection) for selection in self.layers],
        }
        if self.permanent is not None:
            fields["permanent"] = _area(self.permanent)
        return json.dumps(fields, separators=(",", ":")).encode()

    @classmethod
    def of_line(cls, line: bytes, *, max_pixels: int) -> "Index":
        """Return the index with this form; `FormatError` if it is not that of any."""
        try:
            fields = json.loads(line)
            if fields["redaction"] != _VERSION:
                raise UnsupportedVersionError(
                    "the layers were written by a newer version", hint="update sudokucrypt"
                )
            rows, columns = canvas = tuple(fields["canvas"])
            sides = all(type(side) is int and side > 0 for side in (rows, columns))
            if not sides or rows * columns > max_pixels or len(fields["layers"]) > MOST_LAYERS:
                raise _damaged()
            if len(fields["layers"]) * rows * columns > MOST_MASKED:
                raise _damaged()
            permanent = fields.get("permanent")
            index = cls(
                id=bytes.fromhex(fields["id"]),
                medium=fields["medium"],
                canvas=canvas,
                cover=checked_cover(fields["cover"]),
                layers=tuple(_selection(area, canvas) for area in fields["layers"]),
                permanent=None if permanent is None else _selection(permanent, canvas),
            )
            same = index.to_line() == line and len(index.id) == 16
        except UnsupportedVersionError:
            raise
        except (SudokucryptError, *_NO_INDEX):
            raise _damaged() from None
        if not same or index.medium not in ("jpeg", "samples") or not index.layers:
            raise _damaged()
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
            raise _damaged()
        return index

    def to_bytes(self) -> bytes:
        """Return the form in which it travels."""
        parts = [*self.layers, self.rest]
        lengths = json.dumps([len(part) for part in parts], separators=(",", ":")).encode()
        return b"".join([self.line, b"\n", lengths, b"\n", *parts])

    @classmethod
    def of_bytes(cls, data: bytes) -> "Package":
        """Return the package of this form; `FormatError` if it is not that of any."""
        line, _, others = data[:_LONGEST_LINES].partition(b"\n")
        lengths, _, _ = others.partition(b"\n")
        start, parts = len(line) + len(lengths) + 2, []
        try:
            for length in json.loads(lengths):
                if type(length) is not int or length < 0:
                    raise _damaged()
                parts.append(data[start : start + length])
                start += length
        except _NO_INDEX:
            raise _damaged() from None
        package = cls(line, tuple(parts[:-1]), parts[-1] if parts else b"")
        if package.to_bytes() != data:
            raise _damaged()
        return package


def union(canvas: tuple[int, int], areas: Sequence[Selection]) -> Mask:
    """Return the pixels of all areas."""
    where = np.zeros(canvas, dtype=np.bool_)
    for area in areas:
        where |= area.where
    return where


def find_package(
    file: SourceFile, transfer: FileTransfer, named: PathName | None = None
) -> Package | None:
    """Return the package of a picture: from the sidecar that was named, the file, or next to it.

    What is in the file comes before what anyone may have put next to it.
    """
    data = attachment(file.data, file.name) if named is None else None
    sidecar = transfer.sidecar(named, layers_sidecar_of) if data is None else None
    if sidecar is not None:
        try:
            data = read_limited(sidecar, FILE_LIMIT)
        except OSError as error:
            reason = reason_of(error)
            raise FormatError(f"cannot read the layers in '{sidecar}': {reason}") from None
    return None if data is None else Package.of_bytes(data)


def _damaged() -> FormatError:
    return FormatError("the layers of the redaction are damaged", hint="get a fresh copy")


def _area(selection: Selection) -> list[list[int]] | str:
    if selection.regions is not None:
        return [list(region) for region in selection.regions]
    return base64.b64encode(pack_mask(selection.where)).decode()


def _selection(area: str | Sequence[Sequence[int]], canvas: tuple[int, int]) -> Selection:
    if isinstance(area, str):
        return Selection(unpack_mask(base64.b64decode(area, validate=True), canvas))
    regions = [(row, column, rows, columns) for row, column, rows, columns in area]
    if sum(rows * columns for *_, rows, columns in regions) > 4 * canvas[0] * canvas[1]:
        raise _damaged()  # filling them takes time
    return Selection.chosen(canvas, regions, None) or Selection(np.zeros(canvas, dtype=np.bool_))
