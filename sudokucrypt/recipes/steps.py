"""The steps that all work on files takes: read, protect or restore, write."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, get_args

import numpy as np

from sudokucrypt.ciphers import ENCRYPT, SCRAMBLE, SCRAMBLE_JPEG, ContextScheme, scheme_named
from sudokucrypt.errors import (
    DecryptionError,
    InvalidParameterError,
    UnsupportedError,
)
from sudokucrypt.header import Header
from sudokucrypt.images import (
    EmbeddedFile,
    Metadata,
    Picture,
    PictureRecord,
    decode_picture,
    default_format,
    extract,
    picture_parts,
    read_file,
    unsupported_metadata,
)
from sudokucrypt.keys import MasterKey, RestoringKey
from sudokucrypt.recipes import embedding, parts, pictures
from sudokucrypt.recipes.embedding import Way
from sudokucrypt.recipes.options import FileOptions, RestoreOptions
from sudokucrypt.recipes.reporting import FileReport, report, require_none, same_result
from sudokucrypt.recipes.routes import Input, Route
from sudokucrypt.storage import FileStatus

if TYPE_CHECKING:
    from sudokucrypt.recipes.jpegs import JpegPlan

SchemeChoice = Callable[[Header | None, Picture, str], tuple[parts.Scheme, Header]]
"""From the header of a picture, if it has one, and what messages call it, to its scheme."""


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
    status, size, way = source.status, len(source.data), None
    recoded = how.scheme in (SCRAMBLE, SCRAMBLE_JPEG) and how.unit == "pixel"
    if recoded and source.is_jpeg and route.keeps_jpeg:
        from sudokucrypt.recipes import recoding

        limit, sidecar = options.max_pixels, options.sidecar
        jpeg = recoding.plan(source, route, options)
        if jpeg is not None:
            done = recoding.store(route, jpeg, key, how, status, sidecar=sidecar, max_pixels=limit)
            return replace(done, source_bytes=size)
        way = recoding.PIXELS
    said, chosen = _to_protect(source, how, options)
    way = way or chosen
    del source
    # Metadata are sealed in the header, which any format holds.
    untagged = said.picture.with_metadata([Metadata()] * len(said.picture.frames))
    file_format, place = route.settle(default_format(untagged), sidecar=options.sidecar)
    plan = _planned(said, how, options, file_format)
    file = said.file
    if (kept := route.kept(place)) is not None:
        limit = options.max_pixels
        done = same_result(route, plan, kept, key, how, sidecar=options.sidecar, max_pixels=limit)
        return replace(done, way=way, file=file, source_bytes=size)
    pixels, header = how.protect(
        plan.parts, key, selection=plan.selection, encrypted_metadata=plan.encrypted_metadata
    )
    result, dropped = plan.carrying(pixels, header), plan.dropped
    del said, plan, pixels  # their memory is needed for the output
    content = picture_parts(result, file_format, compress=options.compress, threads=how.threads)
    written = route.store(place, content, status, header if options.sidecar else None)
    done = report(result, dropped, place, header, size=written)
    return replace(done, way=way, file=file, source_bytes=size)


def _planned(
    said: PictureRecord, how: parts.Protection, options: FileOptions, file_format: str
) -> pictures.Plan:
    selection = None
    if options.selects:
        canvas = pictures.canvas_of(said.picture, options.max_pixels)
        selection = options.selection(canvas, lambda: said.picture)
    return pictures.planned(
        said,
        how.scheme,
        format=file_format,
        selection=selection,
        metadata=options.metadata,
        overwrite=True,
    )


def _to_protect(
    source: Input, how: parts.Protection, options: FileOptions
) -> tuple[PictureRecord, Way | None]:
    """Return what of an input is protected: its pixels or its bytes, and why if nobody said."""
    whole = not options.selects
    sealed, usual = options.metadata == "seal", how.scheme is ENCRYPT
    way, picture = None, None
    as_file = options.as_file
    if as_file:
        embedding.require_file_suits(whole=whole, sealed=sealed, usual_scheme=usual)
    elif as_file is None and whole and sealed and usual:
        way, picture = embedding.chosen_way(source, options.max_pixels)
        as_file = way.as_file
    if as_file:
        preview = options.preview
        if preview is None and how.salt is None:  # libraries of other versions make others
            preview = False
        return embedding.embedded(source, preview=preview, max_pixels=options.max_pixels), way
    picture = picture or source.decoded(options.max_pixels)
    if picture.header is not None:  # there is room for one, and without it this one is lost
        raise UnsupportedError(
            "the picture is protected already",
            hint="change its key, or restore it first to protect it in another way",
            hint_key="protected",
        )
    small = embedding.preview_of(picture) if options.preview else None
    return PictureRecord(picture=picture, preview=small), way


def restore_file(
    route: Route, key: RestoringKey, choose: SchemeChoice, options: RestoreOptions, compress: int
) -> FileReport:
    """Read, restore, and write the plain picture, or the file that it holds."""
    restored = restore(route, key, choose, options)
    if not isinstance(restored.found, PictureRecord) and route.keeps_jpeg:
        from sudokucrypt.recipes import recoding

        done = recoding.store_plain(route, restored.found, restored.status)
        return replace(done, source_bytes=restored.size, tag=restored.header.tag)
    return replace(
        _write_restored(route, restored.said, restored.status, options, compress),
        source_bytes=restored.size,
        tag=restored.header.tag,
    )


def _write_restored(
    route: Route, said: PictureRecord, status: FileStatus, options: RestoreOptions, compress: int
) -> FileReport:
    if said.file is not None:
        return _restore_enclosed(route, said.picture, said.file, status)
    picture = said.picture
    file_format, place = route.settle(default_format(picture))
    lost = [
        unsupported_metadata(frame, file_format, header=False).names() for frame in picture.frames
    ]
    dropped = tuple(dict.fromkeys([*picture.dropped, *chain.from_iterable(lost)]))
    if (kept := route.kept(place)) is not None:
        data = read_file(kept)
        there = decode_picture(data, str(kept))
        require_none([] if pictures.same_pictures(there, picture) else ["its samples differ"], kept)
        return replace(report(picture, dropped, kept, size=len(data)), kept=True)
    content = picture_parts(picture, file_format, compress=compress, threads=options.threads)
    return report(picture, dropped, place, size=route.store(place, content, status))


def _restore_enclosed(
    route: Route, picture: Picture, file: EmbeddedFile, status: FileStatus
) -> FileReport:
    """Write the bytes of a file under its name, with its time."""
    place = route.settle_file(file.name)
    data = extract(picture.pixels, file)
    if (kept := route.kept(place)) is not None:
        require_none([] if read_file(kept) == data else ["its bytes differ"], kept)
        return replace(report(picture, (), kept, size=len(data)), kept=True, file=file)
    status = status if file.time is None else replace(status, time=file.time)
    size = route.store(place, [data], status)
    return replace(report(picture, picture.dropped, place, size=size), file=file)


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
    """What was restored in memory, and how it was stored.

    Parameters
    ----------
    found : PictureRecord or JpegPlan
        A picture, or a JPEG file that was scrambled as one.
    """

    found: "PictureRecord | JpegPlan"
    header: Header
    scheme: parts.Scheme
    format: str
    status: FileStatus
    size: int

    @cached_property
    def said(self) -> PictureRecord:
        """The picture with what is said of it."""
        if isinstance(self.found, PictureRecord):
            return self.found
        rows, columns = self.header.shape[:2]
        return PictureRecord(picture=decode_picture(self.found.plain, max_pixels=rows * columns))


def restore(
    route: Route, key: RestoringKey, choose: SchemeChoice, options: RestoreOptions
) -> Restored:
    """Return a picture restored in memory.

    A sidecar that may be the reason is named if that fails.
    """
    parts.checked_key(key)
    source = route.read()
    status, name, size = source.status, source.name, len(source.data)
    stored = None if source.is_jpeg else source.decoded(options.max_pixels)
    embedded = source.jpeg_header if stored is None else stored.header
    header = route.header(embedded, options.sidecar)
    recoded = header is not None and header.scheme == SCRAMBLE_JPEG.name
    if recoded:
        stored = Picture.plain(np.zeros((1, 1), dtype=np.uint8), format="JPEG")
    elif stored is None:
        stored = source.decoded(options.max_pixels)
    data = source.data if recoded else b""
    del source
    scheme, header = choose(header, stored, name)
    limits = (options.max_pixels, options.max_rounds, options.threads)
    found: PictureRecord | JpegPlan
    try:
        if recoded:
            from sudokucrypt.recipes import jpegs

            found = jpegs.restored(data, key, header, *limits, name=name)
        else:
            found = pictures.restore_picture(stored, key, header, scheme, *limits, overwrite=True)
    except DecryptionError as error:
        place = route.sidecar(options.sidecar)
        if place is None or embedded in (None, header.to_bytes()):
            raise
        raise DecryptionError(
            f"{error}; the header is from '{place}', and the picture holds another one",
            hint="move the sidecar away to use the header in the picture",
        ) from None
    return Restored(
        found=found, header=header, scheme=scheme, format=stored.format, status=status, size=size
    )
