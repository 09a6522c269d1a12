"""Public facts about redacted pictures: their covered areas, and the keys that lift the covers."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sudokucrypt import images
from sudokucrypt.header import Header
from sudokucrypt.images.attachments import find_attachment, may_have_attachment
from sudokucrypt.images.orientation import TURNS
from sudokucrypt.options import add_call_hints, document_options
from sudokucrypt.recipes.carriers.redaction import lifting
from sudokucrypt.recipes.carriers.redaction.areas import Area, count_pixels
from sudokucrypt.recipes.carriers.redaction.package import Package, find_package
from sudokucrypt.recipes.naming import name_sidecar
from sudokucrypt.recipes.options import UnredactOptions
from sudokucrypt.recipes.sources import FileSource, SourceFile
from sudokucrypt.storage import Location, LocationLike, exists
from sudokucrypt.typing import Region


@dataclass(frozen=True, kw_only=True)
class RedactedLayer:
    """Public facts about a layer."""

    #: Its rectangles in the upright picture; None if it has a mask.
    regions: tuple[Region, ...] | None
    pixels: int  #: Number of pixels that it covers.
    kind: Literal["key", "passphrase", "recipient"]  #: The kind of secret that lifts its cover.
    key_id: str | None  #: The id of its key, 8 hexadecimal digits; None for other kinds.
    size: int  #: Number of bytes of the sealed layer.

    def __str__(self) -> str:
        count = len(self.regions or ())
        areas_text = f"{count} rectangle{'s' * (count > 1)}" if count else "a mask"
        key = f"key {self.key_id}" if self.kind == "key" else f"a {self.kind}"
        if not self.pixels and self.regions is None:
            return f"metadata only; {key} lifts it"
        return f"{areas_text}, {self.pixels} pixels; {key} lifts it"


@dataclass(frozen=True, kw_only=True)
class Redaction:
    """Public facts about a redacted picture, none of which is authenticated."""

    canvas: tuple[int, int]  #: Rows and columns of the upright picture.
    cover: str  #: The color of the covers as ``#rrggbb``, or ``surroundings``.
    layers: tuple[RedactedLayer, ...]  #: The layers, whose covers can be lifted.
    permanent: int  #: Number of pixels that are removed for good.
    #: The version of the format; version 1 does not authenticate orientation and colors.
    version: int


@add_call_hints
@document_options(UnredactOptions)
def redactions(
    source: FileSource, *, sidecar: LocationLike | None = None, max_pixels: int | None = None
) -> Redaction:
    """Return the covered areas of a picture, and the ids of the keys that lift the covers.

    No key is needed.

    Errors are those of `unredact_file`.

    Parameters
    ----------
    source : path or binary file
        IN: a picture that `redact_file` wrote.
    <sidecar>
    <max_pixels>
    """
    file = SourceFile.read(source)
    package = lifting.require_package(find_package(file, sidecar), file.name)
    return describe_redaction(file, package, max_pixels)


def is_redacted(location: Location, *, sidecar: bool = True) -> bool:
    """Return whether a file has layers, or with `sidecar`, a sidecar with layers next to it.

    For damaged files, raises the errors of `redactions`.
    """
    if sidecar and exists(name_sidecar(location, layers=True)):
        return True
    if isinstance(location, Path):
        # `SourceFile.read` raises a better error for a file that cannot be opened.
        with suppress(OSError), location.open("rb") as stream:
            if not may_have_attachment(stream):
                return False
    file = SourceFile.read(location)
    return find_attachment(file.load(), file.name) is not None


def describe_redaction(file: SourceFile, package: Package, max_pixels: int | None) -> Redaction:
    """Return public facts about a redacted file and its package.

    Raises `FormatError` if the package is damaged, and `DecryptionError` if it belongs to a picture
    of another size. No sample is decoded, and no whole mask is made.
    """
    index = package.index(images.MAX_PIXELS if max_pixels is None else max_pixels)
    lifting.require_canvas(index, file.load(), file.name)
    turn = TURNS[images.stored_orientation(file.load())]
    canvas = turn.get_upright_shape(index.canvas)

    def turn_upright(area: Area) -> tuple[Region, ...] | None:
        return area.regions and tuple(
            turn.locate_shown_region(region, canvas) for region in area.regions
        )

    layers = zip(index.layers, count_pixels(index.layers), package.layers, strict=True)
    return Redaction(
        canvas=canvas,
        cover=index.cover,
        layers=tuple(
            _describe_layer(turn_upright(area), count, part) for area, count, part in layers
        ),
        permanent=0 if index.permanent is None else count_pixels([index.permanent])[0],
        version=index.version,
    )


def _describe_layer(
    regions: tuple[Region, ...] | None, pixels: int, sealed_layer: bytes
) -> RedactedLayer:
    header = Header.from_bytes(images.extract_header(sealed_layer, "a layer") or b"")
    kind: Literal["key", "passphrase", "recipient"] = "key"
    if header.recipients is not None:
        kind = "recipient"
    elif header.kdf is not None:
        kind = "passphrase"
    return RedactedLayer(
        regions=regions,
        pixels=pixels,
        kind=kind,
        key_id=header.key_id if kind == "key" else None,
        size=len(sealed_layer),
    )
