"""Pictures and their records: frames of samples, and the sealed meaning that they are given."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sudokucrypt.ciphers import Part
from sudokucrypt.errors import DecryptionError, UnsupportedError
from sudokucrypt.header import Header
from sudokucrypt.images import (
    Metadata,
    Picture,
    PictureRecord,
    default_format,
    describe,
    unsupported_reason,
)
from sudokucrypt.recipes.opening import OpenedHeader
from sudokucrypt.recipes.options import MetadataChoice
from sudokucrypt.recipes.protection import Scheme
from sudokucrypt.typing import AnyArray


@dataclass(frozen=True, eq=False, kw_only=True)
class PicturePlan:
    """A picture that is ready to be protected."""

    stored: Picture
    parts: Sequence[Part]
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
    metadata: MetadataChoice = "seal",
    header_rows: bool = False,
    overwrite: bool = False,
) -> PicturePlan:
    """Return how a picture is protected as a format can hold it.

    Scrambled frames keep palette and mode where the format has them. Encrypted ones are only
    samples. Metadata are sealed unless they are stripped. The preview and what is known of a file
    are sealed too. With `header_rows`, the picture gets a copy of its header there. With
    `overwrite`, protecting may take the memory of the samples.
    """
    picture = record.picture
    stored = _stored(picture, format, encrypted=scheme.encrypts)
    nothing = [Metadata()] * len(picture.frames)
    sealed = picture.with_metadata(nothing) if metadata == "strip" else picture
    return PicturePlan(
        stored=replace(stored.with_metadata(nothing), header_rows=header_rows),
        parts=parts_of(picture, overwrite=overwrite),
        encrypted_metadata=describe(replace(record, picture=sealed)),
        dropped=picture.dropped,
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
    unsealed = (f"{name} that is not sealed" for name in _unsealed(stored, picture))
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


def parts_of(picture: Picture, *, overwrite: bool = False) -> list[Part]:
    """Return what a scheme gets of each frame: samples and bits."""
    return [
        Part(pixels=frame.pixels, bits=frame.bits, overwrite=overwrite) for frame in picture.frames
    ]


def _stored(picture: Picture, file_format: str, *, encrypted: bool) -> Picture:
    """Return the picture in the form in which it will be written."""
    wish = picture.samples_only() if encrypted else picture
    if unsupported_reason(wish, file_format) is None:
        return wish
    samples = picture.samples_only()
    if reason := unsupported_reason(samples, file_format):
        raise UnsupportedError(
            f"{file_format} cannot hold {reason}", hint=f"write {default_format(picture)}"
        )
    return samples


def _unsealed(stored: Picture, picture: Picture) -> Iterator[str]:
    """Name what is in a file and is not sealed."""
    for before, after in zip(stored.frames, picture.frames, strict=True):
        yield from before.metadata.names()
        if before.transparent not in (None, after.transparent):
            yield "transparency"


def _bits_of(pixels: AnyArray) -> AnyArray:
    """View floats as integers, so that equal means equal in every bit."""
    return pixels.view(f"u{pixels.dtype.itemsize}") if pixels.dtype.kind == "f" else pixels
