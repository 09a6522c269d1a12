"""Pictures: their samples are protected, and their meaning is sealed in a record."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from sudokucrypt import images
from sudokucrypt.ciphers import ENCRYPT, Part, sample_digests
from sudokucrypt.errors import DecryptionError, InvalidParameterError, UnsupportedError
from sudokucrypt.frozen import Frozen
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
    unsupported_reason,
    without_caption_rows,
)
from sudokucrypt.keys import Key, ProtectingKey
from sudokucrypt.recipes.carriers.contract import (
    BytesDraft,
    DifferingResultError,
    Draft,
    FileReport,
    Made,
    ProtectRequest,
    ReceivedFile,
    protected_already,
)
from sudokucrypt.recipes.opening import OpenedHeader, no_header
from sudokucrypt.recipes.options import DecryptOptions, MetadataChoice, OpenOptions
from sudokucrypt.recipes.protection import Protection, Scheme
from sudokucrypt.recipes.sinks import Destination, Sink
from sudokucrypt.recipes.sources import SourceFile
from sudokucrypt.storage import decode_in_this_locale
from sudokucrypt.typing import AnyArray
from sudokucrypt.workers import Workers


class PicturePlan(Frozen):
    """A picture that is ready to be protected."""

    stored: Picture
    part: Part
    encrypted_metadata: bytes | None
    dropped: tuple[str, ...]
    of_file: bool = False  # whether the samples are the bytes of a file

    def carrying(self, pixels: AnyArray, header: Header) -> Picture:
        """Return the picture with protected samples and their header."""
        return replace(self.stored, pixels=pixels, header=header.to_bytes())


def plan_picture(
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
    stored = _fit_to_format(picture, format, encrypted=scheme.encrypts)
    return PicturePlan(
        stored=replace(stored, metadata=Metadata(), header_rows=header_rows),
        part=Part(pixels=picture.pixels, overwrite=overwrite),
        encrypted_metadata=describe(replace(record, picture=sealed, earlier=EarlierMetadata())),
        dropped=picture.dropped,
        of_file=record.file is not None,
    )


def complete_record(stored: Picture, opened: OpenedHeader) -> PictureRecord:
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
        raise _make_shape_error(one, opened.header)
    picture = replace(record.picture, pixels=one)
    if opened.header.encrypted_metadata is None:  # nothing but the file says what suits it
        picture = replace(picture, format=stored.format)
    unsealed = (f"{name} that is not sealed" for name in _name_unsealed(stored, record))
    dropped = dict.fromkeys([*unsealed, *record.earlier.names()])
    return replace(record, picture=replace(picture, dropped=tuple(dropped)))


def _make_shape_error(stored: AnyArray, header: Header) -> DecryptionError:
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
    return first.dtype == second.dtype and np.array_equal(_view_bits(first), _view_bits(second))


def _fit_to_format(picture: Picture, file_format: str, *, encrypted: bool) -> Picture:
    """Return the picture in the form in which it will be written."""
    if not encrypted and unsupported_reason(picture, file_format) is None:
        return picture
    samples = picture.samples_only()
    if reason := unsupported_reason(samples, file_format):
        raise UnsupportedError(
            f"{file_format} cannot hold {reason}", hint=f"write {default_format(picture)}"
        )
    return samples


def _name_unsealed(stored: Picture, record: PictureRecord) -> Iterator[str]:
    """Name what a file carries that is not a readable copy of what is sealed."""
    yield from stored.dropped
    copied = [METADATA_NAMES.get(name, name) for name in record.earlier.readable]
    for name in stored.metadata.names():
        if name not in copied:
            yield name


def _view_bits(pixels: AnyArray) -> AnyArray:
    """View floats as integers, so that equal means equal in every bit."""
    return pixels.view(f"u{pixels.dtype.itemsize}") if pixels.dtype.kind == "f" else pixels


# What is named when it is dropped, and is no part of what a picture shows.
_BESIDE = {
    *("previews", "other pictures", "layers", "masks", "background color"),
    *("text", "IPTC", "other data", "damaged data", "data after the picture"),
}


class PictureCarrier:
    """Any picture that can be read, regardless of its format."""

    def plan(self, source: SourceFile, request: ProtectRequest) -> Draft | None:
        """Return how the samples of any picture are protected."""
        options = request.options
        if options.pad:
            raise InvalidParameterError(
                "only a file that is encrypted as it is can be padded",
                hint="leave out the padding, or what needs pixels",
            )
        picture = source.decode(options.max_pixels)
        if picture.header is not None:
            raise protected_already()
        if options.as_file is False and request.suits_files():
            _require_kept(source, picture)
        small = images.make_preview(picture) if options.preview else None
        record = PictureRecord(picture=picture, preview=small)
        return draft_record(record, request, pixels_because=_explain_pixels(source, request))

    def recognizes(self, file: ReceivedFile) -> bool:
        """Return whether there is a header."""
        return file.opened is not None

    def restore(self, file: ReceivedFile) -> "RestoredPicture":
        """Restore its samples."""
        options, opened = file.request.options, file.opened
        if opened is None:
            raise no_header(file.source.name)
        stored = file.source.take(options.max_pixels)
        return RestoredPicture(
            record=restore_picture(stored, opened, options.threads, overwrite=True),
            opened=opened,
            format=stored.format,
            header_rows=stored.header_rows,
        )


def restore_picture(
    stored: Picture,
    opened: OpenedHeader,
    threads: int | None = None,
    *,
    overwrite: bool = False,
) -> PictureRecord:
    """Return the plain picture, or raise `DecryptionError` if anything is not what it was.

    With `overwrite`, its samples may take the memory of those stored.
    """
    record = complete_record(stored, opened)
    part = Part(pixels=record.picture.pixels, overwrite=overwrite)
    with Workers(threads, work=part.pixels.nbytes) as workers:
        (pixels,) = opened.scheme.restore([part], opened.key, opened.header, workers)
    if record.file is not None:
        images.extract(pixels, record.file)  # the zeros behind a file are checked too
    return replace(record, picture=replace(record.picture, pixels=pixels))


def draft_record(
    record: PictureRecord, request: ProtectRequest, *, pixels_because: str | None = None
) -> Draft:
    """Return how a picture with its record is protected as the request says."""
    options = request.options
    # Metadata are sealed in the header, which any format holds.
    untagged = replace(record.picture, metadata=Metadata())
    file_format, destination = request.sink.settle(images.default_format(untagged))
    plan = plan_picture(
        record,
        request.protection.scheme,
        format=file_format,
        metadata=options.metadata,
        header_rows=options.header_rows,
        overwrite=True,
    )
    return ProtectedPicture(
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


class ProtectedPicture(Draft):
    """A picture that is ready to be protected, and how."""

    format: str
    plan: PicturePlan
    key: ProtectingKey
    protection: Protection
    compress: int = 0
    max_pixels: int | None = None

    def make(self) -> Made:
        """Protect the picture."""
        plan = self.plan
        threads = self.protection.threads
        (pixels,), header = self.protection.protect(
            [plan.part],
            self.key,
            encrypted_metadata=plan.encrypted_metadata,
            of_file=plan.of_file,
        )
        picture = plan.carrying(pixels, header)
        content = images.picture_parts(
            picture, self.format, compress=self.compress, threads=threads
        )
        return content, header

    def compare(self, existing: SourceFile) -> Header:
        """Return the header of an existing file that differs in its random salt at most."""
        from sudokucrypt.recipes.carriers.contract import open_result, require_same_salt

        stored = existing.take(self.max_pixels)
        if stored.header is None:
            raise DifferingResultError("it is not a protected picture")
        header = Header.from_bytes(stored.header)
        opened, key, draft = open_result(
            header,
            self.protection.scheme,
            self.key,
            # Version 1.1 moved large files as a whole: such results are kept.
            lambda key: self._draft_header(key, of_file=header.segment is not None),
            self.protection.threads,
        )
        self._require_same(stored, opened, draft)
        plain = self.plan.part.pixels
        with Workers(self.protection.threads) as workers:
            digests = sample_digests([plain], workers)
        require_same_salt(header, key, draft, digests, self.protection)
        protected = replace(self.plan.part, pixels=stored.pixels)
        with Workers(self.protection.threads) as workers:
            (pixels,) = opened.scheme.restore([protected], key, opened.header, workers)
        if not same_samples(pixels, plain):
            raise DifferingResultError("its samples differ")
        return header

    def _draft_header(self, key: Key, *, of_file: bool) -> Header:
        """Return the header before anything secret is known."""
        plan = self.plan
        return self.protection.draft(
            [plan.part], key, encrypted_metadata=plan.encrypted_metadata, of_file=of_file
        )

    def _require_same(self, stored: Picture, opened: OpenedHeader, draft: Header) -> None:
        """Raise `DifferingResultError` if a picture has another shape, or other metadata sealed."""
        one, other = self.plan.part.pixels, stored.pixels
        if (one.shape, one.dtype) != (other.shape, other.dtype):
            raise DifferingResultError("its shape differs")
        if describe_without_preview(opened.header) != describe_without_preview(draft):
            raise DifferingResultError("its metadata differ")


def describe_without_preview(header: Header) -> bytes | None:
    """Return the description without the preview, which libraries may make in several ways."""
    if (metadata := header.encrypted_metadata) is None:
        return None
    record = images.parse_description(images.blank_samples(metadata), metadata)
    return images.describe(replace(record, preview=None))


class RestoredPicture(Frozen):
    """A picture in memory, and how it was stored; its samples may be the bytes of a file."""

    record: PictureRecord
    opened: OpenedHeader
    format: str
    header_rows: bool = False

    def inspect(self) -> PictureRecord:
        """Return the picture, and what was sealed about it."""
        return self.record

    def extract(self) -> memoryview:
        """Return all bytes of the file, or raise `DecryptionError` if it is none."""
        if self.record.file is None:
            raise DecryptionError
        return images.extract(self.record.picture.pixels, self.record.file)

    def draft(self, sink: Sink, options: DecryptOptions) -> Draft:
        """Return the file, or the plain picture in the format that suits it or was asked for."""
        picture = self.record.picture
        if (file := self.record.file) is not None:
            report, destination = report_file(file, self.record, sink, self.opened)
            return BytesDraft(
                destination=destination,
                report=report,
                time=file.time,
                new=sink.takes_sealed_names,
                content=self.extract(),
            )
        file_format, destination = sink.settle(images.default_format(picture))
        report = FileReport(
            shape=picture.pixels.shape,
            dropped=_name_dropped(picture, file_format),
            tag=self.opened.header.tag,
        )
        return PlainPicture(
            destination=destination,
            report=report,
            picture=picture,
            format=file_format,
            options=options,
        )

    def again(self, sink: Sink, key: ProtectingKey, options: OpenOptions) -> Draft:
        """Return the picture for another key: all else that was chosen for it stays."""
        file_format, destination = sink.settle(self.format)
        plan = plan_picture(
            self.record,
            self.opened.scheme,
            format=file_format,
            header_rows=self.header_rows,
            overwrite=True,
        )
        return ProtectedPicture(
            destination=destination,
            report=FileReport(shape=plan.part.pixels.shape, dropped=plan.dropped),
            format=file_format,
            plan=plan,
            key=key,
            protection=self.opened.protection(options.threads),
            max_pixels=options.max_pixels,
        )


def report_file(
    file: EmbeddedFile, record: PictureRecord, sink: Sink, opened: OpenedHeader
) -> tuple[FileReport, Destination]:
    """Return the report of a restored file, and where it goes."""
    destination, name = sink.settle_name(file.name), file.name
    given = getattr(destination, "name", name)
    changed = sink.takes_sealed_names and given not in (name, decode_in_this_locale(name))
    report = FileReport(
        renamed=name if changed else None,
        shape=record.picture.pixels.shape,
        dropped=record.picture.dropped,
        file=file,
        tag=opened.header.tag,
    )
    return report, destination


class PlainPicture(Draft):
    """A plain picture that is ready to be written."""

    picture: Picture
    format: str
    options: DecryptOptions

    def make(self) -> Made:
        """Encode the picture."""
        options = self.options
        parts = images.picture_parts(
            self.picture, self.format, compress=options.compress, threads=options.threads
        )
        return parts, None

    def compare(self, existing: SourceFile) -> None:
        """Raise `DifferingResultError` for other samples."""
        # It is ours to judge, whatever was allowed for what a stranger sent.
        if not same_pictures(existing.take(images.MAX_PIXELS), self.picture):
            raise DifferingResultError("its samples differ")


def _name_dropped(picture: Picture, file_format: str) -> tuple[str, ...]:
    """Return what a picture carries, or carried, and a file of this format does not."""
    return tuple(dict.fromkeys([*picture.dropped, *images.lost_metadata(picture, file_format)]))


def _explain_pixels(source: SourceFile, request: ProtectRequest) -> str | None:
    """Return why pixels are protected of a file that usually stays what it is."""
    if request.keeps_jpeg(source):  # but the carrier of JPEG files has not taken it
        return "JPEG that cannot stay one"
    return None


def _require_kept(source: SourceFile, picture: Picture) -> None:
    """Raise `UnsupportedError` for a picture of which decrypted pixels would lack something."""
    if lost := [name for name in picture.dropped if name not in _BESIDE]:
        raise UnsupportedError(
            f"'{source.name}' holds more than its pixels keep: {', '.join(lost)}",
            hint="encrypt it as a file to get the very same file back",
            hint_key="as_file",
        )
