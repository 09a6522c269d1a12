"""Pictures: their samples are protected, and mode, format and metadata are sealed in a record."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from sudokucrypt import images
from sudokucrypt.ciphers import ENCRYPT, Part, sample_digests
from sudokucrypt.errors import DecryptionError, InvalidParameterError, UnsupportedError
from sudokucrypt.frozen import FrozenObject
from sudokucrypt.header import Header
from sudokucrypt.images import (
    METADATA_NAMES,
    EarlierMetadata,
    EmbeddedFile,
    Metadata,
    Picture,
    PictureRecord,
    default_format,
    describe,
    find_unsupported_reason,
    remove_caption_rows,
)
from sudokucrypt.keys import Key, ProtectingKey
from sudokucrypt.recipes.carriers.contract import (
    BytesDraft,
    DifferingResultError,
    Draft,
    FileReport,
    PartsAndSidecar,
    ProtectRequest,
    ReceivedFile,
    make_protected_error,
)
from sudokucrypt.recipes.opening import OpenedHeader, make_no_header_error
from sudokucrypt.recipes.options import DecryptOptions, MetadataChoice, OpenOptions
from sudokucrypt.recipes.protection import Protection, Scheme
from sudokucrypt.recipes.sinks import Destination, Sink
from sudokucrypt.recipes.sources import SourceFile
from sudokucrypt.storage import decode_in_this_locale
from sudokucrypt.typing import AnyArray
from sudokucrypt.workers import Workers


class PicturePlan(FrozenObject):
    """A picture that is ready to be protected."""

    stored_picture: Picture
    part: Part
    encrypted_metadata: bytes | None
    dropped: tuple[str, ...]
    has_segments: bool = False  # whether the samples, which are the bytes of a file, have segments

    def make_protected_picture(self, pixels: AnyArray, header: Header) -> Picture:
        """Return the picture with protected samples and their header."""
        return replace(self.stored_picture, pixels=pixels, header=header.to_bytes())


def plan_picture(
    record: PictureRecord,
    scheme: Scheme,
    *,
    format: str,  # noqa: A002 - the word for it everywhere in this package
    metadata: MetadataChoice = "seal",
    with_header_rows: bool,
    overwrite: bool = False,
) -> PicturePlan:
    """Return a plan to protect a picture and to store it in a file format.

    A scrambled picture keeps its mode if the format supports it, and an encrypted picture is stored
    as samples only. Metadata are sealed unless they are stripped; a preview and the name, size and
    time of a file are always sealed. With `with_header_rows`, a copy of the header is stored in
    rows below the picture. With `overwrite`, protecting may overwrite the samples in memory.
    """
    picture = record.picture
    sealed_picture = replace(picture, metadata=Metadata()) if metadata == "strip" else picture
    stored_picture = _fit_to_format(picture, format, is_encrypted=scheme.encrypts)
    return PicturePlan(
        stored_picture=replace(stored_picture, metadata=Metadata(), header_rows=with_header_rows),
        part=Part(pixels=picture.pixels, overwrite=overwrite),
        encrypted_metadata=describe(
            replace(record, picture=sealed_picture, earlier=EarlierMetadata())
        ),
        dropped=picture.dropped,
        has_segments=record.file is not None,
    )


def complete_record(stored_picture: Picture, opened_header: OpenedHeader) -> PictureRecord:
    """Return the record in an opened header with the samples of a stored picture.

    Everything except the samples comes from the header. Other metadata of the file, and sealed
    metadata that cannot be restored, are named in `dropped_names` of the picture.

    Raises `DecryptionError` if shape or type of the samples differ from the header, and the errors
    of `OpenedHeader.record`.
    """
    record = opened_header.record
    blank_samples = record.picture.pixels
    pixels = stored_picture.pixels
    if opened_header.scheme is ENCRYPT:
        pixels = remove_caption_rows(pixels, len(blank_samples))
    if (pixels.shape, pixels.dtype) != (blank_samples.shape, blank_samples.dtype):
        raise _make_shape_error(pixels, opened_header.header)
    picture = replace(record.picture, pixels=pixels)
    if opened_header.header.encrypted_metadata is None:  # the header names no format
        picture = replace(picture, format=stored_picture.format)
    unsealed_names = (
        f"{name} that is not sealed" for name in _name_unsealed_metadata(stored_picture, record)
    )
    dropped_names = dict.fromkeys([*unsealed_names, *record.earlier.names()])
    return replace(record, picture=replace(picture, dropped=tuple(dropped_names)))


def _make_shape_error(stored_samples: AnyArray, header: Header) -> DecryptionError:
    """Return the error for samples whose shape differs from the header; both shapes are public."""
    actual_shape, expected_shape = (shape[:2] for shape in (stored_samples.shape, header.shape))
    if actual_shape == expected_shape or len(expected_shape) != 2:
        return DecryptionError()
    rows, columns = actual_shape
    return DecryptionError(
        f"the picture has {columns} x {rows} pixels, and its header says "
        f"{expected_shape[1]} x {expected_shape[0]}: it was resized, cropped or turned",
        hint="use the file that was written",
    )


def are_same_pictures(picture: Picture, other_picture: Picture) -> bool:
    """Return whether two pictures have equal samples of equal mode; metadata may differ."""
    return picture.mode == other_picture.mode and are_same_samples(
        picture.pixels, other_picture.pixels
    )


def are_same_samples(picture: AnyArray, other_picture: AnyArray) -> bool:
    """Return whether two arrays have the same shape and type, and are equal in every bit."""
    return picture.dtype == other_picture.dtype and np.array_equal(
        _view_bits(picture), _view_bits(other_picture)
    )


def _fit_to_format(picture: Picture, file_format: str, *, is_encrypted: bool) -> Picture:
    """Return the picture in the form in which it will be written."""
    if not is_encrypted and find_unsupported_reason(picture, file_format) is None:
        return picture
    samples = picture.reset_mode()
    if reason := find_unsupported_reason(samples, file_format):
        raise UnsupportedError(
            f"{file_format} cannot hold {reason}", hint=f"write {default_format(picture)}"
        )
    return samples


def _name_unsealed_metadata(stored_picture: Picture, record: PictureRecord) -> Iterator[str]:
    """Yield the names of unencrypted metadata in the file that are not copies of sealed ones."""
    yield from stored_picture.dropped
    sealed_names = [METADATA_NAMES.get(name, name) for name in record.earlier.readable]
    for name in stored_picture.metadata.names():
        if name not in sealed_names:
            yield name


def _view_bits(pixels: AnyArray) -> AnyArray:
    """View floats as integers, so that comparing them compares every bit."""
    return pixels.view(f"u{pixels.dtype.itemsize}") if pixels.dtype.kind == "f" else pixels


# Names of contents that a picture can lose without looking different.
_INVISIBLE_CONTENTS = {
    *("previews", "other pictures", "layers", "masks", "background color"),
    *("text", "IPTC", "other data", "damaged data", "data after the picture"),
}


class PictureCarrier:
    """The carrier of pictures in any format that can be read."""

    def plan_draft(self, source: SourceFile, request: ProtectRequest) -> Draft | None:
        """Return the draft that protects the samples of a picture."""
        options = request.options
        if options.pad:
            raise InvalidParameterError(
                "only a file that is encrypted as a file can be padded",
                hint="leave out the padding, or the options that need pixels",
            )
        picture = source.decode(options.max_pixels)
        if picture.header is not None:
            raise make_protected_error()
        if options.as_file is False and request.can_protect_whole_file():
            _require_no_loss(source, picture)
        preview = images.make_preview(picture) if options.preview else None
        record = PictureRecord(picture=picture, preview=preview)
        return draft_record(record, request, pixels_because=_explain_pixels(source, request))

    def recognizes(self, file: ReceivedFile) -> bool:
        """Return whether the file has a header that was opened."""
        return file.opened_header is not None

    def restore(self, file: ReceivedFile) -> "RestoredPicture":
        """Restore the samples of the picture."""
        options, opened_header = file.request.options, file.opened_header
        if opened_header is None:
            raise make_no_header_error(file.source.name)
        stored_picture = file.source.pop_picture(options.max_pixels)
        return RestoredPicture(
            record=restore_picture(stored_picture, opened_header, options.threads, overwrite=True),
            opened_header=opened_header,
            format=stored_picture.format,
            header_rows=stored_picture.header_rows,
        )


def restore_picture(
    stored_picture: Picture,
    opened_header: OpenedHeader,
    threads: int | None = None,
    *,
    overwrite: bool = False,
) -> PictureRecord:
    """Return the plain picture, or raise `DecryptionError` if the protected one was changed.

    With `overwrite`, the plain samples may overwrite the stored samples in memory.
    """
    record = complete_record(stored_picture, opened_header)
    part = Part(pixels=record.picture.pixels, overwrite=overwrite)
    with Workers(threads, work_bytes=part.pixels.nbytes) as workers:
        (pixels,) = opened_header.scheme.restore(
            [part], opened_header.key, opened_header.header, workers
        )
    if record.file is not None:
        images.extract(pixels, record.file)  # checks that only zeros follow the file
    return replace(record, picture=replace(record.picture, pixels=pixels))


def draft_record(
    record: PictureRecord, request: ProtectRequest, *, pixels_because: str | None = None
) -> Draft:
    """Return the draft that protects a picture with its record as requested."""
    options = request.options
    # Metadata are sealed in the header, so the format need not support them.
    plain_picture = replace(record.picture, metadata=Metadata())
    file_format, destination = request.sink.choose_destination(images.default_format(plain_picture))
    plan = plan_picture(
        record,
        request.protection.scheme,
        format=file_format,
        metadata=options.metadata,
        with_header_rows=options.header_rows,
        overwrite=True,
    )
    return ProtectedPictureDraft(
        destination=destination,
        report=FileReport(
            shape=plan.part.pixels.shape,
            dropped=plan.dropped,
            pixels_because=pixels_because,
            file=record.file,
        ),
        format=file_format,
        plan=plan,
        key=request.key,
        protection=request.protection,
        compress=options.compress,
        max_pixels=options.max_pixels,
    )


class ProtectedPictureDraft(Draft):
    """A picture that is ready to be protected."""

    format: str
    plan: PicturePlan
    key: ProtectingKey
    protection: Protection
    compress: int = 0
    max_pixels: int | None = None

    def make_parts(self) -> PartsAndSidecar:
        """Protect the picture."""
        plan = self.plan
        threads = self.protection.threads
        (pixels,), header = self.protection.protect(
            [plan.part],
            self.key,
            encrypted_metadata=plan.encrypted_metadata,
            has_segments=plan.has_segments,
        )
        picture = plan.make_protected_picture(pixels, header)
        content = images.picture_parts(
            picture, self.format, compress=self.compress, threads=threads
        )
        return content, header

    def compare(self, existing_file: SourceFile) -> Header:
        """Return the header of an existing file that equals this result except for the salt."""
        from sudokucrypt.recipes.carriers.contract import open_result, require_same_salt

        stored_picture = existing_file.pop_picture(self.max_pixels)
        if stored_picture.header is None:
            raise DifferingResultError("it is not a protected picture")
        header = Header.from_bytes(stored_picture.header)
        opened_header, key, draft_header = open_result(
            header,
            self.protection.scheme,
            self.key,
            # Version 1.1 did not divide large files into segments; its results are kept too.
            lambda key: self._draft_header(key, has_segments=header.segment is not None),
            self.protection.threads,
        )
        self._require_same_contents(stored_picture, opened_header, draft_header)
        plain = self.plan.part.pixels
        with Workers(self.protection.threads) as workers:
            digests = sample_digests([plain], workers)
        require_same_salt(header, key, draft_header, digests, self.protection)
        protected_part = replace(self.plan.part, pixels=stored_picture.pixels)
        with Workers(self.protection.threads) as workers:
            (pixels,) = opened_header.scheme.restore(
                [protected_part], key, opened_header.header, workers
            )
        if not are_same_samples(pixels, plain):
            raise DifferingResultError("its samples differ")
        return header

    def _draft_header(self, key: Key, *, has_segments: bool) -> Header:
        """Return the header without tag and seal, and with its metadata in plain form."""
        plan = self.plan
        return self.protection.make_draft_header(
            [plan.part], key, encrypted_metadata=plan.encrypted_metadata, has_segments=has_segments
        )

    def _require_same_contents(
        self, stored_picture: Picture, opened_header: OpenedHeader, draft_header: Header
    ) -> None:
        """Raise `DifferingResultError` if shape, type or sealed metadata differ from the plan."""
        planned_samples = self.plan.part.pixels
        if (planned_samples.shape, planned_samples.dtype) != (
            stored_picture.pixels.shape,
            stored_picture.pixels.dtype,
        ):
            raise DifferingResultError("its shape differs")
        if drop_preview_from_metadata(opened_header.header) != drop_preview_from_metadata(
            draft_header
        ):
            raise DifferingResultError("its metadata differ")


def drop_preview_from_metadata(header: Header) -> bytes | None:
    """Return the metadata in a header without the preview, which depends on Pillow's version."""
    if (metadata := header.encrypted_metadata) is None:
        return None
    record = images.parse_description(images.blank_samples(metadata), metadata)
    return images.describe(replace(record, preview=None))


class RestoredPicture(FrozenObject):
    """A restored picture in memory; its samples may be the bytes of a file."""

    record: PictureRecord
    opened_header: OpenedHeader
    format: str
    header_rows: bool = False

    def get_record(self) -> PictureRecord:
        """Return the picture with its sealed metadata."""
        return self.record

    def extract(self) -> memoryview:
        """Return the bytes of the file; `DecryptionError` if the picture contains no file."""
        if self.record.file is None:
            raise DecryptionError
        return images.extract(self.record.picture.pixels, self.record.file)

    def make_draft(self, sink: Sink, options: DecryptOptions) -> Draft:
        """Return the draft of the file, or of the picture in the requested or a suitable format."""
        picture = self.record.picture
        if (file := self.record.file) is not None:
            report, destination = report_file(file, self.record, sink, self.opened_header)
            return BytesDraft(
                destination=destination,
                report=report,
                time=file.time,
                must_be_new=sink.takes_sealed_names,
                content=self.extract(),
            )
        file_format, destination = sink.choose_destination(images.default_format(picture))
        report = FileReport(
            shape=picture.pixels.shape,
            dropped=_list_dropped_metadata(picture, file_format),
            tag=self.opened_header.header.tag,
        )
        return PlainPictureDraft(
            destination=destination,
            report=report,
            picture=picture,
            format=file_format,
            options=options,
        )

    def reprotect(self, sink: Sink, key: ProtectingKey, options: OpenOptions) -> Draft:
        """Return the draft of the same picture under another key, with all other choices kept."""
        file_format, destination = sink.choose_destination(self.format)
        plan = plan_picture(
            self.record,
            self.opened_header.scheme,
            format=file_format,
            with_header_rows=self.header_rows,
            overwrite=True,
        )
        return ProtectedPictureDraft(
            destination=destination,
            report=FileReport(shape=plan.part.pixels.shape, dropped=plan.dropped),
            format=file_format,
            plan=plan,
            key=key,
            protection=self.opened_header.protection(options.threads),
            max_pixels=options.max_pixels,
        )


def report_file(
    file: EmbeddedFile, record: PictureRecord, sink: Sink, opened_header: OpenedHeader
) -> tuple[FileReport, Destination]:
    """Return the report and the destination of a restored file."""
    destination, name = sink.make_sealed_destination(file.name), file.name
    output_name = getattr(destination, "name", name)
    is_unchanged = output_name in (name, decode_in_this_locale(name))
    report = FileReport(
        renamed=name if sink.takes_sealed_names and not is_unchanged else None,
        shape=record.picture.pixels.shape,
        dropped=record.picture.dropped,
        file=file,
        tag=opened_header.header.tag,
    )
    return report, destination


class PlainPictureDraft(Draft):
    """A plain picture that is ready to be written."""

    picture: Picture
    format: str
    options: DecryptOptions

    def make_parts(self) -> PartsAndSidecar:
        """Encode the picture."""
        options = self.options
        file_parts = images.picture_parts(
            self.picture, self.format, compress=options.compress, threads=options.threads
        )
        return file_parts, None

    def compare(self, existing_file: SourceFile) -> None:
        """Raise `DifferingResultError` if the existing picture has other samples."""
        # The pixel limit of the caller is meant for files of unknown origin. This file is a result
        # of the caller, so only the general limit applies.
        if not are_same_pictures(existing_file.pop_picture(images.MAX_PIXELS), self.picture):
            raise DifferingResultError("its samples differ")


def _list_dropped_metadata(picture: Picture, file_format: str) -> tuple[str, ...]:
    """Return the names of a picture's metadata that a file of this format does not keep."""
    return tuple(dict.fromkeys([*picture.dropped, *images.lost_metadata(picture, file_format)]))


def _explain_pixels(source: SourceFile, request: ProtectRequest) -> str | None:
    """Return why the pixels of a JPEG are protected instead of its coefficients, or None."""
    if request.keeps_jpeg(source):  # but `JpegCarrier` declined it
        return "JPEG that cannot stay one"
    return None


def _require_no_loss(source: SourceFile, picture: Picture) -> None:
    """Raise `UnsupportedError` for a picture with visible contents that its pixels do not keep."""
    if lost_contents := [name for name in picture.dropped if name not in _INVISIBLE_CONTENTS]:
        raise UnsupportedError(
            f"'{source.name}' holds more than its pixels keep: {', '.join(lost_contents)}",
            hint="encrypt it as a file to get the very same file back",
            hint_key="as_file",
        )
