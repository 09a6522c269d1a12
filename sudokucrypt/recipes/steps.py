"""The steps that all work on files takes: read, protect or restore, write."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.ciphers import ENCRYPT, ContextScheme, scheme_named
from sudokucrypt.errors import (
    DecryptionError,
    InvalidParameterError,
    UnsupportedError,
)
from sudokucrypt.header import Header
from sudokucrypt.images import (
    Described,
    EnclosedFile,
    Metadata,
    Picture,
    decode_picture,
    default_format,
    leftover,
    picture_parts,
    read_file,
    released,
)
from sudokucrypt.keys import MasterKey, RestoringKey
from sudokucrypt.recipes import enclosing, parts, pictures
from sudokucrypt.recipes.enclosing import Way
from sudokucrypt.recipes.reporting import FileReport, report, require_none, same_result
from sudokucrypt.recipes.routes import Input, Name, Route
from sudokucrypt.recipes.selection import Selection
from sudokucrypt.storage import FileStatus
from sudokucrypt.typing import Region

SchemeChoice = Callable[[Header | None, Picture, str], tuple[parts.Scheme, Header]]
"""From the header of a picture, if it has one, and what messages call it, to its scheme."""

Regions: TypeAlias = Sequence[Region] | Callable[[Picture], Sequence[Region]]
"""Rectangles, or what finds them in a picture."""


@dataclass(frozen=True, eq=False, kw_only=True)
class FileOptions:
    """How a file is read, selected from and written, as for `scramble_file` and `encrypt_file`."""

    as_file: bool | None = False
    preview: bool | None = False
    name: str | None = None
    regions: Regions | None = None
    mask: NDArray[np.bool_] | None = None
    allow_none: bool = False
    metadata: pictures.MetadataChoice = "seal"
    sidecar: bool = False
    max_pixels: int | None = None
    compress: int = 0

    @property
    def selects(self) -> bool:
        """Whether regions or a mask are chosen."""
        return self.regions is not None or self.mask is not None


@dataclass(frozen=True, eq=False, kw_only=True)
class RestoreOptions:
    """How a protected picture file is read and restored, as for `unscramble_file`."""

    sidecar: Name | None = None
    max_pixels: int | None = None
    max_rounds: int = parts.MAX_ROUNDS
    threads: int | None = None


def protect_file(
    route: Route, key: MasterKey, how: parts.Protection, options: FileOptions
) -> FileReport:
    """Read, protect, and write picture and sidecar."""
    parts.checked_key(key, protecting=True)
    how.require_suiting(key)
    if options.metadata not in get_args(pictures.MetadataChoice):
        choices = ", ".join(get_args(pictures.MetadataChoice))
        raise InvalidParameterError(f"metadata must be one of {choices}, not {options.metadata!r}")
    source = route.read(name=options.name)
    said, way = _to_protect(source, how, options)
    status = source.status
    del source
    # Metadata are sealed in the header, which any format holds.
    untagged = said.picture.with_metadata([Metadata()] * len(said.picture.frames))
    file_format, place = route.settle(default_format(untagged), sidecar=options.sidecar)
    selection = None
    if options.selects:
        canvas = pictures.canvas_of(said.picture, options.max_pixels)
        found = options.regions(said.picture) if callable(options.regions) else options.regions
        selection = Selection.chosen(canvas, found, options.mask, allow_none=options.allow_none)
    plan = pictures.planned(
        said,
        how.scheme,
        format=file_format,
        selection=selection,
        metadata=options.metadata,
        overwrite=True,
    )
    file = said.file
    if (kept := route.kept(place)) is not None:
        limit = options.max_pixels
        done = same_result(route, plan, kept, key, how, sidecar=options.sidecar, max_pixels=limit)
        return replace(done, way=way, file=file)
    pixels, header = how.protect(plan.parts, key, selection=plan.selection, extras=plan.extras)
    result, left_out = plan.carrying(pixels, header), plan.left_out
    del said, plan, pixels  # their memory is needed for the output
    content = picture_parts(result, file_format, compress=options.compress, threads=how.threads)
    route.store(place, content, status, header if options.sidecar else None)
    return replace(report(result, left_out, place, header), way=way, file=file)


def _to_protect(
    source: Input, how: parts.Protection, options: FileOptions
) -> tuple[Described, Way | None]:
    """Return what of an input is protected: its pixels or its bytes, and why if nobody said."""
    whole = not options.selects
    sealed, usual = options.metadata == "seal", how.scheme is ENCRYPT
    way, picture = None, None
    as_file = options.as_file
    if as_file:
        enclosing.require_file_suits(whole=whole, sealed=sealed, usual_scheme=usual)
    elif as_file is None and whole and sealed and usual:
        way, picture = enclosing.chosen_way(source, options.max_pixels)
        as_file = way.as_file
    if as_file:
        preview = options.preview
        if preview is None and how.salt is None:  # libraries of other versions make others
            preview = False
        return enclosing.enclosed(source, preview=preview, max_pixels=options.max_pixels), way
    picture = picture or source.decoded(options.max_pixels)
    if picture.header is not None:  # there is room for one, and without it this one is lost
        raise UnsupportedError(
            "the picture is protected already",
            hint="change its key, or restore it first to protect it in another way",
            hint_key="protected",
        )
    small = enclosing.preview_of(picture) if options.preview else None
    return Described(picture=picture, preview=small), way


def restore_file(
    route: Route, key: RestoringKey, choose: SchemeChoice, options: RestoreOptions, compress: int
) -> FileReport:
    """Read, restore, and write the plain picture, or the file that it holds."""
    restored = restore(route, key, choose, options)
    said, status = restored.said, restored.status
    if said.file is not None:
        return _restore_enclosed(route, said.picture, said.file, status)
    picture = said.picture
    del restored, said
    file_format, place = route.settle(default_format(picture))
    lost = [leftover(frame, file_format, header=False).names() for frame in picture.frames]
    left_out = tuple(dict.fromkeys([*picture.left_out, *chain.from_iterable(lost)]))
    if (kept := route.kept(place)) is not None:
        there = decode_picture(read_file(kept), str(kept))
        require_none([] if pictures.same_pictures(there, picture) else ["its samples differ"], kept)
        return FileReport(picture.pixels.shape, left_out, kept, kept=True)
    content = picture_parts(picture, file_format, compress=compress, threads=options.threads)
    route.store(place, content, status)
    return report(picture, left_out, place)


def _restore_enclosed(
    route: Route, picture: Picture, file: EnclosedFile, status: FileStatus
) -> FileReport:
    """Write the bytes of a file under its name, with its time."""
    place = route.settle_file(file.name)
    data = released(picture.pixels, file)
    if (kept := route.kept(place)) is not None:
        require_none([] if read_file(kept) == data else ["its bytes differ"], kept)
        return replace(report(picture, (), kept), kept=True, file=file)
    status = status if file.time is None else replace(status, time=file.time)
    route.store(place, [data], status)
    return replace(report(picture, picture.left_out, place), file=file)


def tagged_choice(
    header: Header | None, _stored: Picture, name: str
) -> tuple[parts.Scheme, Header]:
    """Return the scheme that a header names, whichever has a tag."""
    header = parts.required(header, name)
    if header.scheme == ContextScheme.name:
        raise InvalidParameterError(
            f"a picture of scheme {header.scheme} has no tag, so nothing shows which key is right",
            hint="unscramble it with its context, and scramble the result",
        )
    return scheme_named(header.scheme), header


@dataclass(frozen=True, eq=False, kw_only=True)
class Restored:
    """A picture restored in memory, and how it was stored."""

    said: Described
    header: Header
    scheme: parts.Scheme
    format: str
    status: FileStatus


def restore(
    route: Route, key: RestoringKey, choose: SchemeChoice, options: RestoreOptions
) -> Restored:
    """Return a picture restored in memory.

    A sidecar that may be the reason is named if that fails.
    """
    parts.checked_key(key)
    source = route.read()
    stored, status, name = source.decoded(options.max_pixels), source.status, source.name
    del source
    embedded, stored_format = stored.header, stored.format
    scheme, header = choose(route.header(embedded, options.sidecar), stored, name)
    try:
        limits = (options.max_pixels, options.max_rounds, options.threads)
        said = pictures.restore_picture(stored, key, header, scheme, *limits, overwrite=True)
    except DecryptionError as error:
        place = route.sidecar(options.sidecar)
        if place is None or embedded in (None, header.to_bytes()):
            raise
        raise DecryptionError(
            f"{error}; the header is from '{place}', and the picture holds another one",
            hint="move the sidecar away to use the header in the picture",
        ) from None
    return Restored(said=said, header=header, scheme=scheme, format=stored_format, status=status)
