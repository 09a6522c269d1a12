"""Protect and restore pictures: frames of samples, and what gives them their meaning."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from sudokucrypt.ciphers import ENCRYPT, SCRAMBLE_JPEG, Part, TaggedScheme
from sudokucrypt.errors import DecryptionError, FormatError, InvalidImageError, UnsupportedError
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
    described,
    extract,
    unsupported_reason,
    writable_formats,
)
from sudokucrypt.keys import RestoringKey
from sudokucrypt.recipes.parts import MAX_ROUNDS, Scheme, one_refusal, require_rounds, unlocked
from sudokucrypt.recipes.selection import Selection
from sudokucrypt.typing import AnyArray
from sudokucrypt.workers import Workers

MetadataChoice: TypeAlias = Literal["seal", "keep", "strip"]
"""What becomes of metadata: they are sealed, sealed with a readable copy beside, or dropped."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Plan:
    """A picture that is ready to be protected."""

    stored: Picture
    parts: Sequence[Part]
    selection: Selection | None
    encrypted_metadata: bytes | None
    dropped: tuple[str, ...]

    def carrying(self, pixels: Sequence[AnyArray], header: Header) -> Picture:
        """Return the picture with protected frames and their header."""
        return replace(self.stored.with_pixels(pixels), header=header.to_bytes())


def planned(
    said: PictureRecord,
    scheme: Scheme,
    *,
    format: str,  # noqa: A002 - the word for it everywhere in this package
    selection: Selection | None = None,
    metadata: MetadataChoice = "seal",
    cleartext: Collection[str] | None = None,
    overwrite: bool = False,
) -> Plan:
    """Return how a picture is protected as a format can hold it.

    Scrambled frames keep palette and mode where the format has them. Encrypted ones are samples
    alone, unless only regions are encrypted: then the rest of the picture has to look the same.
    Metadata are sealed unless they are stripped; `cleartext` limits which of them a cleartext copy
    may have. The preview and what is known of a file are sealed too. With `overwrite`, protecting
    may take the memory of the samples.
    """
    picture = said.picture
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
    kept = picture if tagged and metadata != "strip" else picture.with_metadata(nothing)
    if not tagged:
        said = replace(said, preview=None)
    dropped = picture.dropped
    if not tagged and metadata != "strip":  # there is nowhere to seal them
        names = (name for frame in picture.frames for name in frame.metadata.names())
        dropped = tuple(dict.fromkeys([*dropped, *names]))
    if metadata == "keep":
        pairs = zip(picture.frames, copies, strict=True)
        if any(frame.metadata.icc and not copy.icc for frame, copy in pairs):
            # Viewers show other colors; the profile itself is sealed.
            dropped = (*dropped, "readable ICC profile")
    beside = [name for name in CLEARTEXT_FIELDS if any(getattr(copy, name) for copy in copies)]
    return Plan(
        stored=stored.with_metadata(copies),
        parts=parts_of(picture, selection, overwrite=overwrite),
        selection=selection,
        encrypted_metadata=describe(
            replace(said, picture=kept, cleartext=tuple(beside) if tagged else ())
        ),
        dropped=dropped,
    )


def restore_picture(
    stored: Picture,
    key: RestoringKey,
    header: Header,
    scheme: Scheme,
    max_pixels: int | None = None,
    max_rounds: int = MAX_ROUNDS,
    threads: int | None = None,
    *,
    overwrite: bool = False,
) -> PictureRecord:
    """Return the plain picture, or raise `DecryptionError` if anything is not what it was.

    Everything but the samples comes from the header; whatever else stands in the file is named
    in `dropped` of the picture. With `overwrite`, its samples may take the memory of those stored.
    """
    require_rounds(header, max_rounds)
    working = unlocked(key, header)
    work = sum(frame.pixels.nbytes for frame in stored.frames)
    with Workers(threads, work=work) as workers:
        opened = scheme.opened(working, header, workers)
        with one_refusal(scheme):
            said = described_in(stored, opened, scheme)
            picture = said.picture
            selection = described_selection(picture, opened, max_pixels)
        if (opened.shape, opened.dtype) != (picture.pixels.shape, picture.pixels.dtype.name):
            raise DecryptionError
        parts = parts_of(picture, selection, overwrite=overwrite)
        pixels = scheme.restore(parts, working, opened, workers)
    if said.file is not None:
        extract(pixels[0], said.file)
    return replace(said, picture=picture.with_pixels(pixels))


def same_pictures(first: Picture, second: Picture) -> bool:
    """Tell whether two pictures have equal frames; metadata may differ."""
    if len(first.frames) != len(second.frames):
        return False
    return all(
        {**vars(one), "pixels": None, "metadata": None}
        == {**vars(other), "pixels": None, "metadata": None}
        and same_samples(one.pixels, other.pixels)
        for one, other in zip(first.frames, second.frames, strict=True)
    )


def same_samples(first: AnyArray, second: AnyArray) -> bool:
    """Tell whether two arrays are equal in every bit, shape and type."""
    return first.dtype == second.dtype and np.array_equal(_bits_of(first), _bits_of(second))


def described_selection(
    picture: Picture, header: Header, max_pixels: int | None
) -> Selection | None:
    """Return what a header says was selected on the canvas of a picture."""
    if header.regions is None and header.mask is None:
        return None
    return Selection.described(canvas_of(picture, max_pixels), header)


def canvas_of(picture: Picture, max_pixels: int | None) -> tuple[int, ...]:
    """Return rows and columns of what regions and masks refer to."""
    if picture.animation is None:
        return picture.pixels.shape[:2]
    rows, columns = picture.animation.rows, picture.animation.columns
    most = MAX_PIXELS if max_pixels is None else max_pixels
    if rows * columns > most:
        raise InvalidImageError(
            f"the canvas has {rows} rows of {columns} pixels, more than the {most} that are read",
            hint="if the file is meant to be that large, raise max_pixels",
            hint_key="max_pixels",
        )
    return rows, columns


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
        wish = picture.with_full_palettes()
    if unsupported_reason(wish, file_format) is None:
        return wish
    samples = picture.samples_only()
    if reason := unsupported_reason(samples, file_format):
        raise UnsupportedError(
            f"{file_format} cannot hold {reason}", hint=f"write {default_format(picture)}"
        )
    return samples


def described_in(stored: Picture, header: Header, scheme: Scheme) -> PictureRecord:
    """Return what an authentic header says of a stored picture, whose samples it gets."""
    if header.encrypted_metadata is None:
        if len(stored.frames) > 1:
            raise DecryptionError
        said = PictureRecord(picture=stored.without_meaning())
    else:
        said = described(stored.frames, header.encrypted_metadata)
    picture = said.picture
    if not isinstance(scheme, TaggedScheme) and (
        said.cleartext
        or said.file
        or said.preview
        or any(frame.metadata for frame in picture.frames)
    ):
        raise FormatError(
            "the header is damaged: a context seals neither metadata nor files nor previews"
        )
    if (said.structure is not None) != (scheme is SCRAMBLE_JPEG):
        raise FormatError("the header is damaged: only a JPEG has the structure of one")
    if said.file and (scheme is not ENCRYPT or header.regions or header.mask):
        raise FormatError("the header is damaged: only a whole file is encrypted")
    beside = (f"{name} that is not sealed" for name in _beside_the_seal(stored, said))
    dropped = tuple(dict.fromkeys([*stored.dropped, *beside]))
    return replace(said, picture=replace(picture, dropped=dropped))


def _beside_the_seal(stored: Picture, said: PictureRecord) -> Iterator[str]:
    """Name what stands in a file and is no readable copy of what is sealed."""
    copied = said.cleartext and stored.format in writable_formats()
    for before, after in zip(stored.frames, said.picture.frames, strict=True):
        rest = before.metadata
        if copied:
            copy = cleartext_metadata(replace(before, metadata=after.metadata), stored.format)
            # A format may round a resolution, so that the copy is not known to the last digit.
            rest = rest.without(
                name
                for name in said.cleartext
                if name == "resolution" or getattr(copy, name) == getattr(rest, name)
            )
        yield from rest.names()
        if before.transparent not in (None, after.transparent):
            yield "transparency"


def _bits_of(pixels: AnyArray) -> AnyArray:
    """View floats as integers, so that equal means equal in every bit."""
    return pixels.view(f"u{pixels.dtype.itemsize}") if pixels.dtype.kind == "f" else pixels
