"""Redact picture files, lift their covers again, and say what is covered."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from sudokucrypt import images
from sudokucrypt.errors import FormatError, InvalidParameterError, UnsupportedError
from sudokucrypt.header import Header
from sudokucrypt.images.attachments import attachment, with_attachment
from sudokucrypt.recipes.redaction.covers import checked_cover
from sudokucrypt.recipes.redaction.index import Package
from sudokucrypt.recipes.redaction.layers import (
    Layer,
    lifted,
    medium_of,
    package_in,
    redacted,
)
from sudokucrypt.recipes.redaction.samples import SampleMedium
from sudokucrypt.recipes.reporting import FileReport
from sudokucrypt.recipes.transfer import FileTransfer
from sudokucrypt.remote import Url
from sudokucrypt.storage import parse_location, read_limited, require_free, write_atomically

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudokucrypt.keys import RestoringKey
    from sudokucrypt.recipes.source import SourceFile
    from sudokucrypt.recipes.transfer import Destination, FileSource, FileTarget, PathName
    from sudokucrypt.storage import Location
    from sudokucrypt.typing import Region

# What follows the name of a picture in that of the file with its layers.
SIDECAR_SUFFIX = ".redaction"


@dataclass(frozen=True, kw_only=True)
class RedactionReport(FileReport):
    """What came of redacting or lifting, besides what `FileReport` says.

    Parameters
    ----------
    layers : int
        How many layers the picture has.
    lifted : tuple of str
        What the lifted layers are called: their names, or their numbers from 1.
    """

    layers: int = 0
    lifted: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class RedactedLayer:
    """What everybody may know of a layer.

    Parameters
    ----------
    regions : tuple of (row, column, rows, columns) or None
        Its rectangles; none of a mask.
    pixels : int
        How many pixels it covers.
    kind : {"key", "passphrase", "recipient"}
        What lifts it.
    key_id : str or None
        The id of a key, 8 hexadecimal digits.
    size : int
        Bytes of the sealed layer.
    """

    regions: tuple[Region, ...] | None
    pixels: int
    kind: Literal["key", "passphrase", "recipient"]
    key_id: str | None
    size: int


@dataclass(frozen=True, kw_only=True)
class Redaction:
    """What everybody may know of a redacted picture; nothing of it is authenticated.

    Parameters
    ----------
    canvas : tuple of int
        Rows and columns.
    cover : str
        ``#rrggbb`` or ``surroundings``.
    layers : tuple of RedactedLayer
        What can be lifted.
    permanent : int
        How many pixels are covered for good.
    """

    canvas: tuple[int, int]
    cover: str
    layers: tuple[RedactedLayer, ...]
    permanent: int


def redact_file(
    source: FileSource,
    target: FileTarget,
    layers: Sequence[Layer],
    *,
    cover: str = "black",
    sidecar: bool = False,
    replace: bool = False,
    max_pixels: int | None = None,
    threads: int | None = None,
) -> RedactionReport:
    """Cover areas of a picture so that their keys, and nobody else, can lift the covers.

    A JPEG stays a JPEG, of which covered units are flat and all other coefficients are the same;
    PNG, TIFF, GIF and lossless WebP stay what they are; other stills become a PNG or TIFF. Metadata
    are sealed, except that orientation, a usual color profile and, where the format has one, the
    resolution are written anew.

    Parameters
    ----------
    source, target
        As for `scramble_file`.
    layers : sequence of Layer
        At most 64 with a key. Areas are rounded out to whole units of a JPEG; an overlap belongs
        to the first layer. What a layer without key covers is nowhere in the result, nor is any
        metadata then.
    cover : str
        ``black``, ``white``, ``gray``, a color such as ``#ff8800``, or ``surroundings``: a smooth
        fill from pixels that are not covered.
    sidecar : bool
        Write the layers to ``TARGET.redaction`` and not into the picture.
    replace, max_pixels, threads
        As for `scramble_file`.

    Returns
    -------
    RedactionReport
        What was written.

    Raises
    ------
    InvalidParameterError
        If areas are not in the picture, or the cover is none.
    UnsupportedError
        If the picture has several frames, is redacted already, or would not come back exactly.
    InvalidImageError, OutputExistsError
        As for `scramble_file`.
    """
    cover = checked_cover(cover)
    transfer = FileTransfer(source, target, "redacted", replace=replace)
    file = transfer.read()
    if attachment(file.data, file.name) is not None:
        raise UnsupportedError(
            f"'{file.name}' is redacted already",
            hint="lift its covers first, and cover everything at once",
        )
    medium = medium_of(file.data, file.name, max_pixels)
    if isinstance(medium, SampleMedium):
        chosen, destination = transfer.settle(medium.format)
        medium = medium.in_format(chosen)
    else:
        destination = transfer.settle_jpeg()
    data, package = redacted(
        file.data,
        medium,
        layers,
        cover=cover,
        name=file.name,
        max_pixels=max_pixels,
        threads=threads,
    )
    beside = None
    if package is not None and sidecar:
        beside = package.to_bytes()
    elif package is not None:
        data = with_attachment(data, package.to_bytes())
    _store(destination, data, file, beside, replace=replace)
    return RedactionReport(
        shape=medium.canvas,
        target=destination if isinstance(destination, Path | Url) else None,
        layers=0 if package is None else len(package.layers),
        source_bytes=file.size,
        target_bytes=len(data),
    )


def unredact_file(
    source: FileSource,
    target: FileTarget,
    *keys: RestoringKey,
    sidecar: PathName | None = None,
    replace: bool = False,
    max_pixels: int | None = None,
    threads: int | None = None,
) -> RedactionReport:
    """Lift the covers of a picture that `redact_file` wrote.

    Parameters
    ----------
    source, target
        As for `scramble_file`.
    *keys : Key, Passphrase, PictureKey or KeyRing
        If they lift all layers, the result is the very file that was redacted. Otherwise it is a
        redacted picture in which only the other areas are covered.
    sidecar : path, optional
        The file of the layers; by default ``SOURCE.redaction`` if there is one, else the picture.
    replace, max_pixels, threads
        As for `scramble_file`.

    Raises
    ------
    DecryptionError
        If no layer opens, or the picture was edited outside its covered areas.
    FormatError, InvalidImageError
        If the layers are missing or damaged, or the picture is.
    """
    transfer = FileTransfer(source, target, "unredacted", replace=replace)
    file = transfer.read()
    result = lifted(
        file.data,
        keys,
        name=file.name,
        package=_beside(source, sidecar),
        max_pixels=max_pixels,
        threads=threads,
    )
    driver = images.known_format(result.data)
    destination = transfer.settled("" if driver is None else driver.suffixes[0])
    _store(destination, result.data, file, None, replace=replace)
    names = (name or f"{number + 1}" for number, name in sorted(result.names.items()))
    return RedactionReport(
        shape=(),
        target=destination if isinstance(destination, Path | Url) else None,
        layers=result.layers,
        lifted=tuple(names),
        source_bytes=file.size,
        target_bytes=len(result.data),
    )


def redactions(
    source: FileSource, *, sidecar: PathName | None = None, max_pixels: int | None = None
) -> Redaction:
    """Return what is covered in a picture, and which keys lift it; no key is needed.

    Parameters and errors are those of `unredact_file`.
    """
    file = FileTransfer(source).read()
    package = _beside(source, sidecar) or package_in(file.data, file.name)
    index = package.index(images.MAX_PIXELS if max_pixels is None else max_pixels)
    layers = []
    for area, mask, part in zip(index.layers, index.masks(), package.layers, strict=True):
        header = Header.from_bytes(images.header_of(part, "a layer") or b"")
        kind: Literal["key", "passphrase", "recipient"] = "key"
        if header.recipients is not None:
            kind = "recipient"
        elif header.kdf is not None:
            kind = "passphrase"
        layers.append(
            RedactedLayer(
                regions=area.regions,
                pixels=int(mask.sum()),
                kind=kind,
                key_id=header.key_id if kind == "key" else None,
                size=len(part),
            )
        )
    permanent = 0 if index.permanent is None else int(index.permanent.where.sum())
    return Redaction(
        canvas=index.canvas, cover=index.cover, layers=tuple(layers), permanent=permanent
    )


def _beside(source: FileSource, named: PathName | None) -> Package | None:
    """Return the package in a sidecar, which is named or beside the picture."""
    if named is None:
        if not isinstance(source, str | Path):
            return None
        path = parse_location(source)
        path = path.with_name(path.name + SIDECAR_SUFFIX)
        if isinstance(path, Url) or not path.is_file():
            return None
    else:
        path = parse_location(named)
    try:
        return Package.of_bytes(read_limited(path, images.FILE_LIMIT))
    except OSError:
        raise FormatError(f"cannot read the layers in '{path}'") from None


def _store(
    destination: Destination,
    data: bytes,
    file: SourceFile,
    beside: bytes | None,
    *,
    replace: bool,
) -> None:
    if not isinstance(destination, Path | Url):
        if beside is not None:
            raise InvalidParameterError("a stream has no sidecar", hint="write to a file")
        destination.write(data)
        destination.flush()
        return
    outputs: dict[Location, list[bytes]] = {destination: [data]}
    if beside is not None:
        path = destination.with_name(destination.name + SIDECAR_SUFFIX)
        if not replace:
            require_free(path)
        outputs = {path: [beside], **outputs}
    write_atomically(outputs, replace=replace, like=file.status)
