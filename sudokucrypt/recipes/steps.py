"""The steps that all work on picture files takes: read, protect or restore, write."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from sudokucrypt.errors import InvalidParameterError, UnsupportedError
from sudokucrypt.formats import Header
from sudokucrypt.recipes.parts import checked_key, no_header
from sudokucrypt.recipes.pictures import canvas_of, protect_picture, restore_picture
from sudokucrypt.recipes.selection import Selection

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from sudokucrypt.images import Picture
    from sudokucrypt.keys import Key, Passphrase
    from sudokucrypt.recipes.parts import Protection, Scheme
    from sudokucrypt.recipes.pictures import MetadataChoice
    from sudokucrypt.recipes.routes import Name, Route
    from sudokucrypt.typing import Region

    Regions = Sequence[Region] | Callable[[Picture], Sequence[Region]]
    SchemeChoice = Callable[[Header | None, Picture], tuple[Scheme, Header]]


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
    """

    shape: tuple[int, ...]
    left_out: tuple[str, ...]
    target: Path | None
    regions: tuple[Region, ...] | None = None


def protect_file(
    route: Route,
    key: Key | Passphrase,
    how: Protection,
    *,
    regions: Regions | None,
    mask: NDArray[np.bool_] | None,
    allow_none: bool,
    metadata: MetadataChoice,
    sidecar: bool,
    compress: int,
    max_pixels: int | None,
) -> FileReport:
    """Read, protect, and write picture and sidecar."""
    from sudokucrypt.images import default_format

    checked_key(key)
    choices = ("keep", "strip", "seal") if how.scheme.encrypts else ("keep", "strip")
    if metadata not in choices:
        raise InvalidParameterError(
            f"metadata must be one of {', '.join(choices)}, not {metadata!r}",
            hint=None if how.scheme.encrypts else "only encryption seals them",
        )
    picture = route.load(max_pixels)
    if picture.header is not None:  # there is room for one, and without it this one is lost
        raise UnsupportedError(
            "the picture is protected already",
            hint="'rekey' changes its key; restore it first to protect it in another way",
        )
    file_format, place = route.settle(default_format(picture), sidecar=sidecar)
    selection = None
    if regions is not None or mask is not None:
        canvas = canvas_of(picture, max_pixels)
        rectangles = regions(picture) if callable(regions) else regions
        selection = Selection.chosen(canvas, rectangles, mask, allow_none=allow_none)
    result = protect_picture(
        picture, key, how, format=file_format, selection=selection, metadata=metadata
    )
    left_out = picture.left_out
    del picture  # its memory is needed for the output
    return write_picture(
        route, place, result, file_format, left_out, sidecar=sidecar, compress=compress
    )


def restore_file(
    route: Route,
    key: Key | Passphrase,
    choose: SchemeChoice,
    *,
    sidecar: Name | None,
    compress: int,
    max_pixels: int | None,
    threads: int | None,
) -> FileReport:
    """Read, restore, and write the plain picture."""
    from sudokucrypt.images import default_format, leftover

    checked_key(key)
    stored = route.load(max_pixels)
    scheme, header = choose(route.header(stored.header, sidecar), stored)
    picture = restore_picture(stored, key, header, scheme, max_pixels=max_pixels, threads=threads)
    del stored
    file_format, place = route.settle(default_format(picture))
    lost = [leftover(frame, file_format, header=False).names() for frame in picture.frames]
    left_out = dict.fromkeys([*picture.left_out, *(name for names in lost for name in names)])
    return write_picture(route, place, picture, file_format, tuple(left_out), compress=compress)


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


def required(header: Header | None) -> Header:
    """Return the header, or raise `FormatError` if there is none."""
    if header is None:
        raise no_header()
    return header
