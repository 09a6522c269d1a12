"""Pictures and their records: frames of samples, and the sealed meaning that they are given."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sudokucrypt.ciphers import Part, TaggedScheme
from sudokucrypt.errors import DecryptionError, ImageTooLargeError, UnsupportedError
from sudokucrypt.header import Header
from sudokucrypt.images import (
    CLEARTEXT_FIELDS,
    MAX_PIXELS,
    Metadata,
    Picture,
    PictureRecord,
    cleartext_metadata,
    default_format,
    describe,
    unsupported_reason,
    writable_formats,
)
from sudokucrypt.recipes.opening import OpenedHeader
from sudokucrypt.recipes.options import MetadataChoice
from sudokucrypt.recipes.protection import Scheme
from sudokucrypt.recipes.selection import Selection
from sudokucrypt.typing import AnyArray


@dataclass(frozen=True, eq=False, kw_only=True)
class PicturePlan:
    """A picture that is ready to be protected."""

    stored: Picture
    parts: Sequence[Part]
    selection: Selection | None
    encrypted_metadata: bytes | None
    dropped: tuple[str, ...]

    def carrying(self, pixels: Sequence[AnyArray], header: Header) -> Picture:
        """Return the picture with protected frames and their header."""
        return replace(self.stored.with_pixels(pixels), header=header.to_bytes())


def planned_picture(
    record: PictureRecord,
    scheme: Scheme,
    *,
    format: str,  # noqa: A002 - the word for it everywhere in this package
    selection: Selection | None = None,
    metadata: MetadataChoice = "seal",
    cleartext: Collection[str] | None = None,
    header_rows: bool = False,
    overwrite: bool = False,
) -> PicturePlan:
    """Return how a picture is protected as a format can hold it.

    Scrambled frames keep palette and mode where the format has them. Encrypted ones are samples
    alone, unless only regions are encrypted: then the rest of the picture has to look the same.
    Metadata are sealed unless they are stripped; `cleartext` limits which of them a cleartext copy
    may have. The preview and what is known of a file are sealed too. With `header_rows`, a picture
    that is protected as a whole gets a copy of its header there, unless nothing seals it. With
    `overwrite`, protecting may take the memory of the samples.
    """
    picture = record.picture
    stored = _stored(picture, format, encrypted=scheme.encrypts, whole=selection is None)
    nothing = [Metadata()] * len(picture.frames)
    copies: Sequence[Metadata] = nothing
    if metadata == "keep":
        hidden = set(CLEARTEXT_FIELDS) - set(CLEARTEXT_FIELDS if cleartext is None else cleartext)
        copies = [
            cleartext_metadata(replace(written, metadata=frame.metadata.without(hidden)), format)
            for frame, written in zip(picture.frames, stored.frames, strict=True)
        ]
    tagged = isinstance(scheme, TaggedScheme)
    sealed = picture if tagged and metadata != "strip" else picture.with_metadata(nothing)
    if not tagged:
        record = replace(record, preview=None)
    dropped = picture.dropped
    if not tagged and metadata != "strip":  # there is nowhere to seal them
        names = (name for frame in picture.frames for name in frame.metadata.names())
        dropped = tuple(dict.fromkeys([*dropped, *names]))
    if metadata == "keep":
        pairs = zip(picture.frames, copies, strict=True)
        if any(frame.metadata.icc and not copy.icc for frame, copy in pairs):
            # Viewers show other colors; the profile itself is sealed.
            dropped = (*dropped, "readable ICC profile")
    copied = [name for name in CLEARTEXT_FIELDS if any(getattr(copy, name) for copy in copies)]
    return PicturePlan(
        stored=replace(
            stored.with_metadata(copies), header_rows=header_rows and tagged and selection is None
        ),
        parts=parts_of(picture, selection, overwrite=overwrite),
        selection=selection,
        encrypted_metadata=describe(
            replace(record, picture=sealed, cleartext=tuple(copied) if tagged else ())
        ),
        dropped=dropped,
    )


def record_of(stored: Picture, opened: OpenedHeader) -> PictureRecord:
    """Return the record in an opened header with the samples of a stored picture.

    Everything but the samples comes from the header; whatever else is in the file is named in
    `dropped` of the picture.

    Raises `DecryptionError` if the frames are not those that the header describes; also what
    `OpenedHeader.record` raises.
    """
    record = opened.record
    frames, expected = stored.frames, record.picture.frames
    shapes = [[(f.pixels.shape, f.pixels.dtype.name) for f in each] for each in (frames, expected)]
    if shapes[0] != shapes[1]:
        raise _other_shape(stored, opened.header)
    picture = record.picture.with_pixels([frame.pixels for frame in frames])
    if opened.header.encrypted_metadata is None:  # nothing but the file says what suits it
        picture = replace(picture, format=stored.format)
    unsealed = (f"{name} that is not sealed" for name in _unsealed(stored, record))
    dropped = tuple(dict.fromkeys([*stored.dropped, *unsealed]))
    return replace(record, picture=replace(picture, dropped=dropped))


def _other_shape(stored: Picture, header: Header) -> DecryptionError:
    """Return the error for samples of another shape, which both the file and the header show."""
    actual, expected = (pixels[:2] for pixels in (stored.pixels.shape, header.shape))
    if len(stored.frames) != 1 or actual == expected or len(expected) != 2:
        return DecryptionError()
    rows, columns = actual
    return DecryptionError(
        f"the picture has {columns} x {rows} pixels, and its header says "
        f"{expected[1]} x {expected[0]}: it was resized, cropped or turned",
        hint="use the file that was written",
    )


def same_pictures(first: Picture, second: Picture) -> bool:
    """Return whether two pictures have equal frames; metadata may differ."""
    if len(first.frames) != len(second.frames):
        return False
    return all(
        {**vars(one), "pixels": None, "metadata": None}
        == {**vars(other), "pixels": None, "metadata": None}
        and same_samples(one.pixels, other.pixels)
        for one, other in zip(first.frames, second.frames, strict=True)
    )


def same_samples(first: AnyArray, second: AnyArray) -> bool:
    """Return whether two arrays are equal in every bit, shape and type."""
    return first.dtype == second.dtype and np.array_equal(_bits_of(first), _bits_of(second))


def canvas_of(picture: Picture, max_pixels: int | None) -> tuple[int, ...]:
    """Return rows and columns of what regions and masks refer to."""
    if picture.animation is None:
        return picture.pixels.shape[:2]
    rows, columns = picture.animation.rows, picture.animation.columns
    most = MAX_PIXELS if max_pixels is None else max_pixels
    # A canvas may be larger than all of its frames, and a selection takes a byte for each pixel.
    if rows * columns > most:
        raise ImageTooLargeError(
            f"the canvas has {rows} rows of {columns} pixels, more than the {most} that are read",
            hint="if the file is meant to be that large, raise max_pixels",
            hint_key="max_pixels",
        )
    return rows, columns


def recorded_selection(
    picture: Picture, opened: OpenedHeader, max_pixels: int | None
) -> Selection | None:
    """Return what a header says was selected on the canvas of its picture."""
    if opened.header.regions is None and opened.header.mask is None:
        return None
    return opened.selection(canvas_of(picture, max_pixels))


def parts_of(
    picture: Picture, selection: Selection | None, *, overwrite: bool = False
) -> list[Part]:
    """Return what a scheme gets of each frame: samples, bits and which pixels take part."""
    return [
        Part(
            pixels=frame.pixels,
            bits=frame.bits,
            where=None
            if selection is None
            else selection.within(frame.row, frame.column, frame.pixels.shape),
            overwrite=overwrite,
        )
        for frame in picture.frames
    ]


def _stored(picture: Picture, file_format: str, *, encrypted: bool, whole: bool) -> Picture:
    """Return the picture in the form in which it will be written."""
    wish = picture.samples_only() if encrypted and whole else picture
    if encrypted and not whole:
        # Encrypted indices may be any number, and viewers refuse one without a color.
        wish = picture.with_full_palettes()
    if unsupported_reason(wish, file_format) is None:
        return wish
    samples = picture.samples_only()
    if reason := unsupported_reason(samples, file_format):
        raise UnsupportedError(
            f"{file_format} cannot hold {reason}", hint=f"write {default_format(picture)}"
        )
    return samples


def _unsealed(stored: Picture, record: PictureRecord) -> Iterator[str]:
    """Name what is in a file and is no cleartext copy of what is sealed."""
    copied = record.cleartext and stored.format in writable_formats()
    for before, after in zip(stored.frames, record.picture.frames, strict=True):
        rest = before.metadata
        if copied:
            copy = cleartext_metadata(replace(before, metadata=after.metadata), stored.format)
            # A format may round a resolution, so that the copy is not known to the last digit.
            rest = rest.without(
                name
                for name in record.cleartext
                if name == "resolution" or getattr(copy, name) == getattr(rest, name)
            )
        yield from rest.names()
        if before.transparent not in (None, after.transparent):
            yield "transparency"


def _bits_of(pixels: AnyArray) -> AnyArray:
    """View floats as integers, so that equal means equal in every bit."""
    return pixels.view(f"u{pixels.dtype.itemsize}") if pixels.dtype.kind == "f" else pixels
