"""The steps that all work on picture files takes: read, protect or restore, write."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import BinaryIO, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.ciphers import SCHEMES, TaggedScheme, sample_digests, tag_message
from sudokucrypt.errors import (
    DecryptionError,
    InvalidParameterError,
    OutputExistsError,
    SudokucryptError,
    UnsupportedError,
)
from sudokucrypt.header import Header
from sudokucrypt.images import Described, Metadata, Picture, default_format, leftover, picture_parts
from sudokucrypt.keys import Key, MasterKey, RestoringKey
from sudokucrypt.recipes import parts, pictures
from sudokucrypt.recipes.routes import Name, Route
from sudokucrypt.recipes.selection import Selection
from sudokucrypt.storage import REPLACE_HINT
from sudokucrypt.typing import Region
from sudokucrypt.workers import Workers

_COMPARED = ("scheme", "unit", "block_size", "rounds", "shape", "dtype", "regions", "mask")

SchemeChoice = Callable[[Header | None, Picture], tuple[parts.Scheme, Header]]

Regions: TypeAlias = Sequence[Region] | Callable[[Picture], Sequence[Region]]
"""Rectangles, or what finds them in a picture."""


@dataclass(frozen=True, eq=False, kw_only=True)
class FileOptions:
    """How a picture file is read, selected from and written, as for `scramble_file`."""

    regions: Regions | None = None
    mask: NDArray[np.bool_] | None = None
    allow_none: bool = False
    metadata: pictures.MetadataChoice = "seal"
    sidecar: bool = False
    max_pixels: int | None = None
    compress: int = 0


@dataclass(frozen=True, eq=False, kw_only=True)
class RestoreOptions:
    """How a protected picture file is read and restored, as for `unscramble_file`."""

    sidecar: Name | None = None
    max_pixels: int | None = None
    max_rounds: int = parts.MAX_ROUNDS
    threads: int | None = None


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


def protect_file(
    route: Route, key: MasterKey, how: parts.Protection, options: FileOptions
) -> FileReport:
    """Read, protect, and write picture and sidecar."""
    parts.checked_key(key, protecting=True)
    how.require_suiting(key)
    if options.metadata not in get_args(pictures.MetadataChoice):
        choices = ", ".join(get_args(pictures.MetadataChoice))
        raise InvalidParameterError(f"metadata must be one of {choices}, not {options.metadata!r}")
    picture = route.load(options.max_pixels)
    if picture.header is not None:  # there is room for one, and without it this one is lost
        raise UnsupportedError(
            "the picture is protected already",
            hint="'rekey' changes its key; restore it first to protect it in another way",
        )
    # Metadata are sealed in the header, which any format holds.
    untagged = picture.with_metadata([Metadata()] * len(picture.frames))
    file_format, place = route.settle(default_format(untagged), sidecar=options.sidecar)
    selection = None
    if options.regions is not None or options.mask is not None:
        canvas = pictures.canvas_of(picture, options.max_pixels)
        found = options.regions(picture) if callable(options.regions) else options.regions
        selection = Selection.chosen(canvas, found, options.mask, allow_none=options.allow_none)
    plan = pictures.planned(
        picture, how.scheme, format=file_format, selection=selection, metadata=options.metadata
    )
    if (kept := route.kept(place)) is not None:
        return same_result(route, plan, kept, key, how, options.sidecar, options.max_pixels)
    pixels, header = how.protect(plan.parts, key, selection=plan.selection, extras=plan.extras)
    result, left_out = plan.carrying(pixels, header), plan.left_out
    del picture, plan, pixels  # their memory is needed for the output
    content = picture_parts(result, file_format, compress=options.compress, threads=how.threads)
    route.store(place, content, header if options.sidecar else None)
    return report(result, left_out, place, header)


def restore_file(
    route: Route, key: RestoringKey, choose: SchemeChoice, options: RestoreOptions, compress: int
) -> FileReport:
    """Read, restore, and write the plain picture."""
    picture = restore(route, key, choose, options)[0].picture
    file_format, place = route.settle(default_format(picture))
    lost = [leftover(frame, file_format, header=False).names() for frame in picture.frames]
    left_out = tuple(dict.fromkeys([*picture.left_out, *chain.from_iterable(lost)]))
    if (kept := route.kept(place)) is not None:
        there = Route(kept, None, "").load(options.max_pixels)
        require_none([] if pictures.same_pictures(there, picture) else ["its samples differ"], kept)
        return FileReport(picture.pixels.shape, left_out, kept, kept=True)
    content = picture_parts(picture, file_format, compress=compress, threads=options.threads)
    route.store(place, content)
    return report(picture, left_out, place)


def tagged_choice(header: Header | None, _stored: Picture) -> tuple[parts.Scheme, Header]:
    """Return the scheme that a header names, whichever has a tag."""
    header = parts.required(header)
    scheme = SCHEMES.get(header.scheme)
    if scheme is None:
        raise InvalidParameterError(
            f"a picture of scheme {header.scheme} has no tag, so nothing shows which key is right",
            hint="unscramble it with its context, and scramble the result",
        )
    return scheme, header


def restore(
    route: Route, key: RestoringKey, choose: SchemeChoice, options: RestoreOptions
) -> tuple[Described, Header, parts.Scheme, str]:
    """Return a picture restored in memory, and how it is stored: header, scheme and format.

    A sidecar that may be the reason is named if that fails.
    """
    parts.checked_key(key)
    stored = route.load(options.max_pixels)
    scheme, header = choose(route.header(stored.header, options.sidecar), stored)
    try:
        limits = (options.max_pixels, options.max_rounds, options.threads)
        said = pictures.restore_picture(stored, key, header, scheme, *limits)
    except DecryptionError as error:
        place = route.sidecar(options.sidecar)
        if place is None or stored.header in (None, header.to_bytes()):
            raise
        raise DecryptionError(
            f"{error}; the header is from '{place}', and the picture holds another one",
            hint="move the sidecar away to use the header in the picture",
        ) from None
    if said.file is not None:
        raise UnsupportedError("the picture holds a file of another kind, which is not taken out")
    return said, header, scheme, stored.format


def report(
    picture: Picture,
    left_out: tuple[str, ...],
    place: Path | BinaryIO,
    header: Header | None = None,
) -> FileReport:
    """Return what is said of a picture that was written."""
    target = place if isinstance(place, Path) else None
    regions = None if header is None else header.regions
    return FileReport(picture.pixels.shape, left_out, target, regions)


def same_result(
    route: Route,
    plan: pictures.Plan,
    place: Path,
    key: MasterKey,
    how: parts.Protection,
    sidecar: bool,
    max_pixels: int | None,
) -> FileReport:
    """Return what is said of a file that is what this plan would write, but for chance."""
    header = None
    try:
        stored = Route(place, None, "").load(max_pixels)
        if stored.header is None:
            differing = ["it is no protected picture"]
        else:
            header = Header.from_bytes(stored.header)
            differing = _differences(plan, stored, header, key, how)
    except SudokucryptError as error:
        differing = [str(error)]
    require_none(differing, place)
    if sidecar:
        route.keep_sidecar(place, parts.required(header))
    return FileReport(plan.stored.pixels.shape, plan.left_out, place, kept=True)


def require_none(differing: list[str], place: Path) -> None:
    """Raise `OutputExistsError` if a result differs from what a run would write."""
    if differing:
        raise OutputExistsError(
            f"'{place}' exists, and is not what this run would write: {', '.join(differing)}",
            hint=REPLACE_HINT,
            hint_key="replace",
        )


def _differences(
    plan: pictures.Plan, stored: Picture, header: Header, key: MasterKey, how: parts.Protection
) -> list[str]:
    """Return in what a stored picture differs from the plan, in the words of a message."""
    if header.scheme != how.scheme.name:
        return [f"its scheme is {header.scheme}"]
    working = parts.unlocked(key, header)
    if not isinstance(working, Key) or (header.kdf is None) != isinstance(key, Key):
        return ["it takes a passphrase" if header.kdf else "it takes a key"]
    draft = how.draft(plan.parts, working, selection=plan.selection, extras=plan.extras)
    differing = [
        f"its {name.replace('_', ' ')} {'differ' if name.endswith('s') else 'differs'}"
        for name in _COMPARED
        if getattr(header, name) != getattr(draft, name)
    ]
    shapes = [[(p.pixels.shape, p.pixels.dtype) for p in of] for of in (plan.parts, stored.frames)]
    if not differing and shapes[0] != shapes[1]:
        differing.append("its frames differ")
    return differing or _hidden_differences(plan, stored, working, header, draft, how)


def _hidden_differences(
    plan: pictures.Plan,
    stored: Picture,
    key: Key,
    header: Header,
    draft: Header,
    how: parts.Protection,
) -> list[str]:
    plain = [part.pixels for part in plan.parts]
    pairs = zip(plan.parts, stored.frames, strict=True)
    protected = [replace(part, pixels=frame.pixels) for part, frame in pairs]
    with Workers(how.threads) as workers:
        opened = how.scheme.opened(key, header, workers)
        if opened.extras != draft.extras:
            return ["its metadata differ"]
        if isinstance(how.scheme, TaggedScheme):
            message = tag_message(
                replace(draft, kdf=None, salt=None), sample_digests(plain, workers)
            )
            if (header.salt == key.synthetic_salt(message)) != (how.salt is None):
                return ["its salt is random" if how.salt is None else "its salt is deterministic"]
        frames = how.scheme.restore(protected, key, opened, workers)
    same = all(pictures.same_samples(one, other) for one, other in zip(frames, plain, strict=True))
    return [] if same else ["its samples differ"]
