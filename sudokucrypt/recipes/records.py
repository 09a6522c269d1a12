"""Pictures and their records: samples, and the sealed meaning that they are given."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from sudokucrypt.ciphers import ENCRYPT, Part
from sudokucrypt.errors import DecryptionError, UnsupportedError
from sudokucrypt.header import Header
from sudokucrypt.images import (
    METADATA_NAMES,
    EarlierMetadata,
    Metadata,
    Picture,
    PictureRecord,
    default_format,
    describe,
    unsupported_reason,
    without_caption_rows,
)
from sudokucrypt.recipes.opening import OpenedHeader
from sudokucrypt.recipes.options import MetadataChoice
from sudokucrypt.recipes.protection import Scheme
from sudokucrypt.typing import AnyArray


@dataclass(frozen=True, eq=False, kw_only=True)
class PicturePlan:
    """A picture that is ready to be protected."""

    stored: Picture
    part: Part
    encrypted_metadata: bytes | None
    dropped: tuple[str, ...]
    of_file: bool = False  # whether the samples are the bytes of a file

    def carrying(self, pixels: AnyArray, header: Header) -> Picture:
        """Return the picture with protected samples and their header."""
        return replace(self.stored, pixels=pixels, header=header.to_bytes())


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

    A scrambled picture keeps its mode where the format has it, an encrypted one is samples only.
    Metadata are sealed unless they are stripped; the preview and what is known of a file are sealed
    too. With `header_rows`, the picture gets a copy of its header there. With `overwrite`,
    protecting may take the memory of the samples.
    """
    picture = record.picture
    sealed = replace(picture, metadata=Metadata()) if metadata == "strip" else picture
    stored = _stored(picture, format, encrypted=scheme.encrypts)
    return PicturePlan(
        stored=replace(stored, metadata=Metadata(), header_rows=header_rows),
        part=Part(pixels=picture.pixels, overwrite=overwrite),
        encrypted_metadata=describe(replace(record, picture=sealed, earlier=EarlierMetadata())),
        dropped=picture.dropped,
        of_file=record.file is not None,
    )


def record_of(stored: Picture, opened: OpenedHeader) -> PictureRecord:
    """Return the record in an opened header with the samples of a stored picture.

    Everything but the samples comes from the header; whatever else is in the file, or was sealed
    and is not restored, is named in `dropped` of the picture.

    Raises `DecryptionError` if the samples are not those that the header describes; also what
    `OpenedHeader.record` raises.
    """
    record = opened.record
    other = record.picture.pixels
    one = stored.pixels
    if opened.scheme is ENCRYPT:
        one = without_caption_rows(one, len(other))
    if (one.shape, one.dtype) != (other.shape, other.dtype):
        raise _other_shape(one, opened.header)
    picture = replace(record.picture, pixels=one)
    if opened.header.encrypted_metadata is None:  # nothing but the file says what suits it
        picture = replace(picture, format=stored.format)
    unsealed = (f"{name} that is not sealed" for name in _unsealed(stored, record))
    dropped = dict.fromkeys([*unsealed, *record.earlier.names()])
    return replace(record, picture=replace(picture, dropped=tuple(dropped)))


def _other_shape(stored: AnyArray, header: Header) -> DecryptionError:
    """Return the error for samples of another shape, which both the file and the header show."""
    actual, expected = (shape[:2] for shape in (stored.shape, header.shape))
    if actual == expected or len(expected) != 2:
        return DecryptionError()
    rows, columns = actual
    return DecryptionError(
        f"the picture has {columns} x {rows} pixels, and its header says "
        f"{expected[1]} x {expected[0]}: it was resized, cropped or turned",
        hint="use the file that was written",
    )


def same_pictures(first: Picture, second: Picture) -> bool:
    """Return whether two pictures have equal samples of equal mode; metadata may differ."""
    return first.mode == second.mode and same_samples(first.pixels, second.pixels)


def same_samples(first: AnyArray, second: AnyArray) -> bool:
    """Return whether two arrays are equal in every bit, shape and type."""
    return first.dtype == second.dtype and np.array_equal(_bits_of(first), _bits_of(second))


def _stored(picture: Picture, file_format: str, *, encrypted: bool) -> Picture:
    """Return the picture in the form in which it will be written."""
    if not encrypted and unsupported_reason(picture, file_format) is None:
        return picture
    samples = picture.samples_only()
    if reason := unsupported_reason(samples, file_format):
        raise UnsupportedError(
            f"{file_format} cannot hold {reason}", hint=f"write {default_format(picture)}"
        )
    return samples


def _unsealed(stored: Picture, record: PictureRecord) -> Iterator[str]:
    """Name what a file carries that is no readable copy of what is sealed."""
    yield from stored.dropped
    copied = [METADATA_NAMES.get(name, name) for name in record.earlier.readable]
    for name in stored.metadata.names():
        if name not in copied:
            yield name


def _bits_of(pixels: AnyArray) -> AnyArray:
    """View floats as integers, so that equal means equal in every bit."""
    return pixels.view(f"u{pixels.dtype.itemsize}") if pixels.dtype.kind == "f" else pixels
