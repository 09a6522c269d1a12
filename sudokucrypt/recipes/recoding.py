"""JPEG files that stay JPEG files, from where they are read to where they are written."""

from __future__ import annotations

from pathlib import Path

from sudokucrypt.errors import InvalidImageError, SudokucryptError, UnsupportedError
from sudokucrypt.header import Header
from sudokucrypt.images import read_file
from sudokucrypt.keys import Key, MasterKey
from sudokucrypt.recipes import jpegs
from sudokucrypt.recipes.embedding import Way
from sudokucrypt.recipes.options import FileOptions
from sudokucrypt.recipes.parts import Protection, required, unlocked
from sudokucrypt.recipes.reporting import FileReport, require_none
from sudokucrypt.recipes.routes import Input, Route
from sudokucrypt.remote import Url
from sudokucrypt.storage import FileStatus, Location

PIXELS = Way(as_file=False, reason="JPEG that cannot stay one")
"""Why the pixels of a JPEG are scrambled, and it becomes another format."""


def plan(source: Input, route: Route, options: FileOptions) -> jpegs.JpegPlan | None:
    """Return how a JPEG is scrambled as one, or none if that cannot be and nobody asked for it.

    Raises
    ------
    UnsupportedError, InvalidImageError
        If it is scrambled already, or too large, or the output is named as a JPEG and it cannot
        become one.
    """
    if source.jpeg_header is not None:
        raise UnsupportedError(
            "the picture is protected already",
            hint="change its key, or restore it first to protect it in another way",
            hint_key="protected",
        )
    limit = options.max_pixels
    try:
        found = jpegs.planned(
            source.data, name=source.name, max_pixels=limit, metadata=options.metadata
        )
    except (UnsupportedError, InvalidImageError) as error:
        if error.hint_key is not None or route.names_format:
            raise
        return None
    if not options.selects:
        return found
    return found.selecting(options.selection(found.canvas, lambda: source.decoded(limit)))


def store(
    route: Route,
    plan: jpegs.JpegPlan,
    key: MasterKey,
    how: Protection,
    status: FileStatus,
    *,
    sidecar: bool,
    max_pixels: int | None,
) -> FileReport:
    """Scramble and write a JPEG, unless it is there already and is to be kept."""
    place = route.settle_jpeg(sidecar=sidecar)
    kept = route.kept(place)
    if kept is None:
        data, header = plan.protect(key, how)
        size = route.store(place, [data], status, header if sidecar else None)
    else:
        data, header = _same(plan, kept, key, how, max_pixels=max_pixels)
        size = len(data)
        if sidecar:
            route.keep_sidecar(kept, header)
    return FileReport(
        header.shape,
        (),
        place if isinstance(place, Path | Url) else None,
        header.regions,
        kept=kept is not None,
        target_bytes=size,
        tag=header.tag,
    )


def store_plain(route: Route, found: jpegs.JpegPlan, status: FileStatus) -> FileReport:
    """Write the file that a scrambled JPEG was, unless it is there already."""
    place, data = route.settle_jpeg(), found.plain
    kept = route.kept(place)
    if kept is None:
        route.store(place, [data], status)
    else:
        require_none([] if read_file(kept) == data else ["its bytes differ"], kept)
    return FileReport(
        jpegs.shape_of(found.structure.file),
        (),
        place if isinstance(place, Path | Url) else None,
        kept=kept is not None,
        target_bytes=len(data),
    )


def _same(
    plan: jpegs.JpegPlan,
    place: Location,
    key: MasterKey,
    how: Protection,
    *,
    max_pixels: int | None,
) -> tuple[bytes, Header]:
    """Return a result that is there with its header, if it is what this run would write."""
    route = Route(place, None, "")
    there = route.read()
    try:
        header = required(route.header(there.jpeg_header, None), there.name)
        working = unlocked(key, header)
        found = jpegs.restored(
            there.data, working, header, max_pixels, threads=how.threads, name=there.name
        )
        keyed = (header.kdf is None) == isinstance(key, Key)
        same = keyed and isinstance(working, Key) and plan.is_in(header, found, working, how)
        differing = [] if same else ["it is that of another picture or way"]
    except SudokucryptError as error:
        differing = [str(error)]
    require_none(differing, place)
    return there.data, header
