"""Files of any kind: their bytes are the samples of a picture, and name and time are sealed."""

from dataclasses import replace
from math import isqrt

import numpy as np

from sudokucrypt import images
from sudokucrypt.errors import (
    InvalidImageError,
    InvalidParameterError,
    SudokucryptError,
    UnsupportedVersionError,
    format_extra_hint,
)
from sudokucrypt.images import EmbeddedFile, Picture, PictureRecord
from sudokucrypt.recipes.carriers.contract import (
    Draft,
    FileReport,
    ProtectRequest,
    ReceivedFile,
    make_protected_error,
)
from sudokucrypt.recipes.carriers.picture import (
    PictureCarrier,
    RestoredPicture,
    draft_record,
)
from sudokucrypt.recipes.carriers.segments import (
    InputFile,
    ProtectedFileDraft,
    StreamedFile,
    open_stream,
)
from sudokucrypt.recipes.sources import SourceFile

# Maximum size of a file in bytes: its picture is a full rectangle, and may use at most the 256 GiB
# of the key stream.
MAX_FILE_BYTES = 274_877_783_565

# By default, only a picture of at least this number of pixels gets a preview: smaller pictures are
# opened quickly without one.
_MIN_PREVIEW_PIXELS = 1_000_000

# By default, only a file of at most this size in bytes gets a preview: to make a preview, the
# whole file is read into memory.
_MAX_PREVIEW_BYTES = 1 << 26


class FileCarrier:
    """The carrier of files of any kind, restored byte for byte; used by `encrypt_file` only."""

    def plan_draft(self, source: SourceFile, request: ProtectRequest) -> Draft | None:
        """Return the draft that protects the bytes of a file, or None if pixels are requested."""
        options = request.options
        if options.as_file:
            _require_no_pixel_options(request)
        elif not request.leaves_as_file_open():
            return None
        elif _is_protected(source, options.max_pixels):
            raise make_protected_error()
        preview = options.preview
        if preview is None and request.protection.salt is None:
            # A deterministic result must not depend on the version of Pillow, as previews do.
            preview = False
        record = _describe_file(source, pad=options.pad)
        if options.resume and preview is not False:
            # Existing results are compared without previews, so no preview is made.
            draft = _draft_file(source, record, request)
            if request.sink.find_kept_result(draft.destination) is not None:
                return draft
        if preview is not False:
            thumbnail, missing_preview_reason = _make_preview(
                source, is_requested=bool(preview), max_pixels=options.max_pixels
            )
            picture = replace(record.picture, dropped=missing_preview_reason)
            record = replace(record, picture=picture, preview=thumbnail)
        return _draft_file(source, record, request)

    def recognizes(self, file: ReceivedFile) -> bool:
        """Return whether the header describes a file."""
        return file.opened_header is not None and file.opened_header.record.file is not None

    def restore(self, file: ReceivedFile) -> RestoredPicture | StreamedFile:
        """Restore the file: in pieces if its picture is an unchanged PNG, otherwise in memory."""
        options, opened_header = file.request.options, file.opened_header
        if opened_header is not None:
            streamed_file = open_stream(
                file.source, opened_header, options.max_pixels, options.threads
            )
            if streamed_file is not None:
                return streamed_file
        return PictureCarrier().restore(file)


def _is_protected(source: SourceFile, max_pixels: int | None) -> bool:
    """Return whether a file is a protected picture; return False if it is no readable picture."""
    try:
        return source.find_header(max_pixels) is not None
    except UnsupportedVersionError:
        return True
    except SudokucryptError:
        return False


def _describe_file(source: SourceFile, *, pad: bool) -> PictureRecord:
    """Return the record to seal: name, size, time and type of a file, and blank samples.

    Raises `InvalidImageError` if the file is too large for a picture.
    """
    size, time = source.size, source.status.time
    padded_size = images.padded_size(size) if pad else None
    if max(size, padded_size or 0) > MAX_FILE_BYTES:
        raise InvalidImageError(
            f"'{source.name}' has {size} bytes, more than the {MAX_FILE_BYTES} that one picture "
            "holds",
            hint="split it into several files first",
        )
    file = EmbeddedFile(
        name=images.kept_name(source.file_name),
        size=size,
        padded=padded_size,
        type=images.media_type(source.read_start(), source.file_name)
        if source.detects_type
        else None,
        time=time if time is not None and -(2**63) <= time < 2**63 else None,
    )
    blank_samples = np.broadcast_to(np.uint8(0), file.shape)
    return PictureRecord(picture=Picture.plain(blank_samples), file=file)


def _draft_file(source: SourceFile, record: PictureRecord, request: ProtectRequest) -> Draft:
    """Return the draft that protects a file: as a PNG, written in pieces, or as a TIFF."""
    options, file = request.options, record.file
    file_format, destination = request.sink.choose_destination("PNG")
    if file is None or file_format != "PNG":
        pixels = images.embed(source.load(), file) if file else record.picture.pixels
        picture = replace(record.picture, pixels=pixels)
        return draft_record(replace(record, picture=picture), request)
    return ProtectedFileDraft(
        destination=destination,
        report=FileReport(shape=file.shape, dropped=record.picture.dropped, file=file),
        source=InputFile(source, file),
        record=record,
        key=request.key,
        protection=request.protection,
        header_rows=options.header_rows,
        max_pixels=options.max_pixels,
    )


def _make_preview(
    source: SourceFile, *, is_requested: bool, max_pixels: int | None
) -> tuple[bytes | None, tuple[str, ...]]:
    """Return the preview of a picture file, or None, and a note if a package for it is missing.

    Unless requested, only large pictures get one, and it is so small that the result is at most
    about 1 % larger than the file.
    """
    size = source.size
    if not is_requested and (size > _MAX_PREVIEW_BYTES or _is_small(source)):
        return None, ()
    try:
        picture, pixels = source.decode_reduced(max_pixels, images.PREVIEW_SIDE)
        if is_requested:
            return images.make_preview(picture), ()
        if pixels >= _MIN_PREVIEW_PIXELS:
            # The result has two copies of the preview, each longer by a third in base64, and
            # padding to a rectangle and to whole header rows.
            size_limit = (size // 100 - 2800 - isqrt(8 * size)) * 3 // 8
            return images.make_preview(picture, max_bytes=size_limit), ()
    except SudokucryptError as error:
        command = format_extra_hint("formats")
        if (error.hint or "").startswith(command):
            return None, (f"a preview, which needs: {command}",)
    return None, ()


def _is_small(source: SourceFile) -> bool:
    """Return whether a picture is too small for a preview by default, without decoding samples."""
    try:
        rows, columns = images.read_shape(source.load(), source.name)
    except SudokucryptError:  # the size is unknown until the picture is decoded
        return False
    return rows * columns < _MIN_PREVIEW_PIXELS


def _require_no_pixel_options(request: ProtectRequest) -> None:
    """Raise `InvalidParameterError` if an option needs pixels."""
    if request.can_protect_whole_file():
        return
    reason = "the chosen scheme protects only pixels"
    if request.options.metadata != "seal":
        reason = "the metadata of a file cannot be stripped"
    raise InvalidParameterError(
        f"a file is encrypted as a whole: {reason}",
        hint="encrypt the pixels, or leave this option out",
    )
