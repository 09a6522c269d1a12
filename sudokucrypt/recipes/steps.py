"""The steps that all work on picture files takes: read, protect or restore, write."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from sudokucrypt.ciphers import SCHEMES
from sudokucrypt.errors import DecryptionError, InvalidParameterError, UnsupportedError
from sudokucrypt.header import Header
from sudokucrypt.recipes.comparing import require_none, require_same_result
from sudokucrypt.recipes.parts import checked_key, required
from sudokucrypt.recipes.pictures import canvas_of, planned, restore_picture, same_pictures
from sudokucrypt.recipes.routes import Route
from sudokucrypt.recipes.selection import Selection

if TYPE_CHECKING:
    from collections.abc import Callable

    from sudokucrypt.images import Described, Picture
    from sudokucrypt.keys import MasterKey, RestoringKey
    from sudokucrypt.recipes.options import FileOptions
    from sudokucrypt.recipes.parts import Protection, Scheme
    from sudokucrypt.recipes.routes import Name
    from sudokucrypt.typing import Region

    SchemeChoice = Callable[[Header | None, Picture], tuple[Scheme, Header]]

_METADATA_CHOICES = ("seal", "keep", "strip")


@dataclass(frozen=True)
class FileReport:
    """What came of a picture file.

    Parameters
    ----------
    shape : tuple of int
        (M, N) or (M, N, C), of the first frame.
    left_out : tuple of str
        What the input carries beside its samples, and the output does not.
    target : Path or None
        What was written; none for a stream.
    regions : tuple of (int, int, int, int) or None
        The rectangles that were changed, if not the whole picture or a mask.
    kept : bool
        Whether the output was there already, and is what would have been written.
    """

    shape: tuple[int, ...]
    left_out: tuple[str, ...]
    target: Path | None
    regions: tuple[Region, ...] | None = None
    kept: bool = False


def protect_file(route: Route, key: MasterKey, how: Protection, options: FileOptions) -> FileReport:
    """Read, protect, and write picture and sidecar."""
    from sudokucrypt.images import Metadata, default_format

    checked_key(key, protecting=True)
    how.require_suiting(key)
    if options.metadata not in _METADATA_CHOICES:
        raise InvalidParameterError(
            f"metadata must be one of {', '.join(_METADATA_CHOICES)}, not {options.metadata!r}"
        )
    picture = route.load(options.max_pixels)
    if picture.header is not None:  # there is room for one, and without it this one is lost
        raise UnsupportedError(
            "the picture is protected already",
            hint="'rekey' changes its key; restore it first to protect it in another way",
        )
    # Metadata are sealed in the header, which any format holds.
    bare = picture.with_metadata([Metadata()] * len(picture.frames))
    file_format, place = route.settle(default_format(bare), sidecar=options.sidecar)
    selection = None
    if options.regions is not None or options.mask is not None:
        canvas = canvas_of(picture, options.max_pixels)
        found = options.regions(picture) if callable(options.regions) else options.regions
        selection = Selection.chosen(canvas, found, options.mask, allow_none=options.allow_none)
    plan = planned(
        picture, how.scheme, format=file_format, selection=selection, metadata=options.metadata
    )
    if (kept := route.kept(place)) is not None:
        header = require_same_result(plan, kept, key, how, options.max_pixels)
        if options.sidecar:
            route.keep_sidecar(kept, header)
        return FileReport(picture.pixels.shape, plan.left_out, kept, kept=True)
    result = plan.protected(key, how)
    left_out = plan.left_out
    del picture, plan  # their memory is needed for the output
    return write_picture(
        route,
        place,
        result,
        file_format,
        left_out,
        sidecar=options.sidecar,
        compress=options.compress,
    )


def restore_file(
    route: Route,
    key: RestoringKey,
    choose: SchemeChoice,
    *,
    sidecar: Name | None,
    compress: int,
    max_pixels: int | None,
    max_rounds: int,
    threads: int | None,
) -> FileReport:
    """Read, restore, and write the plain picture."""
    from sudokucrypt.images import default_format, leftover

    restored = restore(
        route,
        key,
        choose,
        sidecar=sidecar,
        max_pixels=max_pixels,
        max_rounds=max_rounds,
        threads=threads,
    )
    picture = restored.said.picture
    file_format, place = route.settle(default_format(picture))
    lost = [leftover(frame, file_format, header=False).names() for frame in picture.frames]
    left_out = dict.fromkeys([*picture.left_out, *(name for names in lost for name in names)])
    if (kept := route.kept(place)) is not None:
        there = Route(kept, None, "").load(max_pixels)
        require_none([] if same_pictures(there, picture) else ["its samples differ"], kept)
        return FileReport(picture.pixels.shape, tuple(left_out), kept, kept=True)
    return write_picture(route, place, picture, file_format, tuple(left_out), compress=compress)


def tagged_choice(header: Header | None, stored: Picture) -> tuple[Scheme, Header]:
    """Return the scheme that a header names, whichever has a tag."""
    del stored
    header = required(header)
    scheme = SCHEMES.get(header.scheme)
    if scheme is None:
        raise InvalidParameterError(
            f"a picture of scheme {header.scheme} has no tag, so nothing shows which key is right",
            hint="unscramble it with its context, and scramble the result",
        )
    return scheme, header


@dataclass(frozen=True, eq=False)
class Restored:
    """A picture that was restored in memory, with how it was stored."""

    said: Described
    header: Header
    scheme: Scheme
    stored_format: str


def restore(
    route: Route,
    key: RestoringKey,
    choose: SchemeChoice,
    *,
    sidecar: Name | None,
    max_pixels: int | None,
    max_rounds: int,
    threads: int | None,
) -> Restored:
    """Read and restore a picture, and name a sidecar that may be the reason if that fails."""
    checked_key(key)
    stored = route.load(max_pixels)
    scheme, header = choose(route.header(stored.header, sidecar), stored)
    try:
        said = restore_picture(
            stored,
            key,
            header,
            scheme,
            max_pixels=max_pixels,
            max_rounds=max_rounds,
            threads=threads,
        )
    except DecryptionError as error:
        place = route.sidecar(sidecar)
        if place is None or stored.header in (None, header.to_bytes()):
            raise
        raise DecryptionError(
            f"{error}; the header is from '{place}', and the picture holds another one",
            hint="move the sidecar away to use the header in the picture",
        ) from None
    if said.file is not None:
        raise UnsupportedError("the picture holds a file of another kind, which is not taken out")
    return Restored(said, header, scheme, stored.format)


def write_picture(
    route: Route,
    place: Path | BinaryIO,
    picture: Picture,
    file_format: str,
    left_out: tuple[str, ...],
    *,
    sidecar: bool = False,
    compress: int,
) -> FileReport:
    """Write a picture, and its header once more if there is to be a sidecar."""
    from sudokucrypt.images import picture_parts

    header = None if picture.header is None else Header.from_bytes(picture.header)
    parts = picture_parts(picture, file_format, compress=compress)
    route.store(place, parts, header if sidecar else None)
    return FileReport(
        picture.pixels.shape,
        left_out,
        place if isinstance(place, Path) else None,
        None if header is None else header.regions,
    )
