"""Pictures: their samples are protected, and their meaning is sealed in a header."""

from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import cache

from sudokucrypt import images
from sudokucrypt.ciphers import Part
from sudokucrypt.errors import InvalidParameterError, UnsupportedError
from sudokucrypt.header import Header
from sudokucrypt.images import Metadata, Picture, PictureRecord
from sudokucrypt.keys import Key, ProtectingKey
from sudokucrypt.recipes import records
from sudokucrypt.recipes.carriers.contract import (
    DifferingResultError,
    Draft,
    Made,
    ProtectRequest,
    protected_already,
)
from sudokucrypt.recipes.carriers.receiving import ReceivedFile
from sudokucrypt.recipes.opening import OpenedHeader, no_header
from sudokucrypt.recipes.options import DecryptOptions, OpenOptions
from sudokucrypt.recipes.protection import Protection
from sudokucrypt.recipes.reporting import FileReport
from sudokucrypt.recipes.transfer import Sink, SourceFile
from sudokucrypt.workers import Workers

# What is named when it is dropped, and is no part of what a picture shows.
_BESIDE = {
    *("previews", "other pictures", "layers", "masks", "background color"),
    *("text", "IPTC", "other data", "damaged data", "data after the picture"),
}

# Longest side in pixels and quality, from the best preview to the smallest.
_PREVIEWS = ((320, 75), (256, 65), (192, 55), (128, 45), (96, 40))

# Longest side of the best preview, in pixels.
PREVIEW_SIDE = _PREVIEWS[0][0]


class PictureCarrier:
    """Any picture that can be read, whatever its format."""

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
        small = preview_of(picture) if options.preview else None
        record = PictureRecord(picture=picture, preview=small)
        return draft_record(record, request, pixels_because=_reason_for_pixels(source, request))

    def recognises(self, file: ReceivedFile) -> bool:
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
    record = records.record_of(stored, opened)
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
    plan = records.planned_picture(
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


@dataclass(frozen=True, eq=False, kw_only=True)
class ProtectedPicture(Draft):
    """A picture that is ready to be protected, and how."""

    format: str
    plan: records.PicturePlan
    key: ProtectingKey
    protection: Protection
    compress: int = 0
    max_pixels: int | None = None

    def make(self) -> Made:
        """Protect the picture."""
        plan = self.plan
        threads = self.protection.threads
        (pixels,), header = self.protection.protect(
            [plan.part], self.key, encrypted_metadata=plan.encrypted_metadata
        )
        picture = plan.carrying(pixels, header)
        content = images.picture_parts(
            picture, self.format, compress=self.compress, threads=threads
        )
        return content, header

    def compare(self, existing: SourceFile) -> Header:
        """Return the header of an existing file that differs in its random salt at most."""
        from sudokucrypt.recipes.carriers.comparing import open_result, require_same_salt

        stored = existing.take(self.max_pixels)
        if stored.header is None:
            raise DifferingResultError("it is not a protected picture")
        header = Header.from_bytes(stored.header)
        opened, key, draft = open_result(
            header, self.protection.scheme, self.key, self._header, self.protection.threads
        )
        self._require_same(stored, opened, draft)
        plain = self.plan.part.pixels
        require_same_salt(header, key, draft, [plain], self.protection)
        protected = replace(self.plan.part, pixels=stored.pixels)
        with Workers(self.protection.threads) as workers:
            (pixels,) = opened.scheme.restore([protected], key, opened.header, workers)
        if not records.same_samples(pixels, plain):
            raise DifferingResultError("its samples differ")
        return header

    def _header(self, key: Key) -> Header:
        """Return the header before anything secret is known."""
        plan = self.plan
        return self.protection.draft([plan.part], key, encrypted_metadata=plan.encrypted_metadata)

    def _require_same(self, stored: Picture, opened: OpenedHeader, draft: Header) -> None:
        """Raise `DifferingResultError` if a picture has another shape, or other metadata sealed."""
        one, other = self.plan.part.pixels, stored.pixels
        if (one.shape, one.dtype) != (other.shape, other.dtype):
            raise DifferingResultError("its shape differs")
        if _without_preview(stored, opened.header) != _without_preview(stored, draft):
            raise DifferingResultError("its metadata differ")


def _without_preview(stored: Picture, header: Header) -> bytes | None:
    """Return the description without the preview, which libraries may make in several ways."""
    if header.encrypted_metadata is None:
        return None
    record = images.described(stored.pixels, header.encrypted_metadata)
    return images.describe(replace(record, preview=None))


@dataclass(frozen=True, eq=False, kw_only=True)
class RestoredPicture:
    """A picture in memory, and how it was stored."""

    record: PictureRecord
    opened: OpenedHeader
    format: str
    header_rows: bool = False

    def draft(self, sink: Sink, options: DecryptOptions) -> Draft:
        """Return the plain picture in the format that suits it, unless another was asked for."""
        picture = self.record.picture
        file_format, destination = sink.settle(images.default_format(picture))
        report = FileReport(
            shape=picture.pixels.shape,
            dropped=_dropped(picture, file_format),
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
        plan = records.planned_picture(
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


@dataclass(frozen=True, eq=False, kw_only=True)
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
        if not records.same_pictures(existing.take(images.MAX_PIXELS), self.picture):
            raise DifferingResultError("its samples differ")


def _dropped(picture: Picture, file_format: str) -> tuple[str, ...]:
    """Return what a picture carries, or carried, and a file of this format does not."""
    return tuple(dict.fromkeys([*picture.dropped, *images.lost_metadata(picture, file_format)]))


def _reason_for_pixels(source: SourceFile, request: ProtectRequest) -> str | None:
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


def preview_of(picture: Picture, *, most: int | None = None) -> bytes:
    """Return a small picture of a picture, of `most` bytes if one of our sizes allows that."""
    shown = Picture.plain(images.reduced(picture, side=PREVIEW_SIDE))

    @cache
    def coded(index: int) -> bytes:
        side, quality = _PREVIEWS[index]
        return images.thumbnail(shown, side=side, quality=quality)

    if most is None:
        return coded(0)
    # Halving tries two or three sizes, mostly small ones; the smallest need not fit.
    others = range(len(_PREVIEWS) - 1)
    return coded(bisect_left(others, x=True, key=lambda index: len(coded(index)) <= most))
