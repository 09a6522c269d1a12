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
    extra_hint,
)
from sudokucrypt.images import EmbeddedFile, Picture, PictureRecord
from sudokucrypt.recipes.carriers.contract import (
    Draft,
    FileReport,
    ProtectRequest,
    ReceivedFile,
    protected_already,
)
from sudokucrypt.recipes.carriers.picture import (
    PictureCarrier,
    RestoredPicture,
    draft_record,
)
from sudokucrypt.recipes.carriers.segments import (
    InputFile,
    ProtectedFile,
    StreamedFile,
    open_stream,
)
from sudokucrypt.recipes.sources import SourceFile

# Most bytes of a file: the stream that masks its picture ends at 256 GiB, and its sides are whole.
MOST_BYTES = 274_877_783_565

# From how many pixels on a picture gets a preview unasked: decoding a larger one takes a while.
_PREVIEW_FROM = 1_000_000

# Up to how many bytes a file does, since all of it is read for that.
_PREVIEW_TO = 1 << 26


class FileCarrier:
    """Any file, restored to the byte; for `encrypt_file` alone."""

    def plan(self, source: SourceFile, request: ProtectRequest) -> Draft | None:
        """Return how the bytes of a file are protected, unless its pixels were asked for."""
        options = request.options
        if options.as_file:
            _require_suiting(request)
        elif not request.leaves_mode_open():
            return None
        elif _is_protected(source, options.max_pixels):
            raise protected_already()
        preview = options.preview
        if preview is None and request.protection.salt is None:
            preview = False  # libraries make others, and equal files are to give equal results
        record = _describe(source, pad=options.pad)
        if options.resume and preview is not False:
            # Previews are not compared, so that a result that may be kept needs none.
            draft = _draft(source, record, request)
            if request.sink.find_kept(draft.destination) is not None:
                return draft
        if preview is not False:
            small, missing = _make_preview(source, asked=bool(preview), most=options.max_pixels)
            picture = replace(record.picture, dropped=missing)
            record = replace(record, picture=picture, preview=small)
        return _draft(source, record, request)

    def recognizes(self, file: ReceivedFile) -> bool:
        """Return whether the header describes a file."""
        return file.opened is not None and file.opened.record.file is not None

    def restore(self, file: ReceivedFile) -> RestoredPicture | StreamedFile:
        """Restore it, in pieces as it is written if its picture has the form that is written."""
        options, opened = file.request.options, file.opened
        if opened is not None:
            streamed = open_stream(file.source, opened, options.max_pixels, options.threads)
            if streamed is not None:
                return streamed
        return PictureCarrier().restore(file)


def _is_protected(source: SourceFile, max_pixels: int | None) -> bool:
    """Return whether a file is a protected picture; one that cannot be read is none."""
    try:
        return source.find_header(max_pixels) is not None
    except UnsupportedVersionError:
        return True
    except SudokucryptError:
        return False


def _describe(source: SourceFile, *, pad: bool) -> PictureRecord:
    """Return what is sealed about a file, with the picture of its bytes, whose samples are blank.

    Raises `InvalidImageError` if no picture has room for it.
    """
    size, time = source.size, source.status.time
    padded = images.padded_size(size) if pad else None
    if max(size, padded or 0) > MOST_BYTES:
        raise InvalidImageError(
            f"'{source.name}' has {size} bytes, more than the {MOST_BYTES} that one picture holds",
            hint="split it into several files first",
        )
    file = EmbeddedFile(
        name=images.kept_name(source.file_name),
        size=size,
        padded=padded,
        type=images.media_type(source.read_start(), source.file_name) if source.typed else None,
        time=time if time is not None and -(2**63) <= time < 2**63 else None,
    )
    blank = np.broadcast_to(np.uint8(0), file.shape)
    return PictureRecord(picture=Picture.plain(blank), file=file)


def _draft(source: SourceFile, record: PictureRecord, request: ProtectRequest) -> Draft:
    """Return how a file is protected: in a PNG, which is written in pieces, or in a TIFF."""
    options, file = request.options, record.file
    file_format, destination = request.sink.settle("PNG")
    if file is None or file_format != "PNG":
        pixels = images.embed(source.load(), file) if file else record.picture.pixels
        picture = replace(record.picture, pixels=pixels)
        return draft_record(replace(record, picture=picture), request)
    return ProtectedFile(
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
    source: SourceFile, *, asked: bool, most: int | None
) -> tuple[bytes | None, tuple[str, ...]]:
    """Return the preview of what a file shows, if it is a picture, and what is said if it has none.

    Unless it was asked for, it is for large pictures, and for a result that is at most a
    hundredth larger than the file, or as near to that as our smallest preview comes.
    """
    size = source.size
    if not asked and (size > _PREVIEW_TO or _is_small(source)):
        return None, ()
    try:
        picture, pixels = source.glance(most, images.PREVIEW_SIDE)
        if asked:
            return images.make_preview(picture), ()
        if pixels >= _PREVIEW_FROM:
            # Two copies of the header, and zeros up to a rectangle and to whole header rows, come
            # on top; base64 adds a third.
            room = (size // 100 - 2800 - isqrt(8 * size)) * 3 // 8
            return images.make_preview(picture, most=room), ()
    except SudokucryptError as error:
        command = extra_hint("formats")
        if (error.hint or "").startswith(command):
            return None, (f"a preview, which needs: {command}",)
    return None, ()


def _is_small(source: SourceFile) -> bool:
    """Return whether a file is a picture that gets no preview unasked; no sample is decoded."""
    try:
        rows, columns = images.shape_in(source.load(), source.name)
    except SudokucryptError:  # a glance may show something all the same
        return False
    return rows * columns < _PREVIEW_FROM


def _require_suiting(request: ProtectRequest) -> None:
    """Raise `InvalidParameterError` for options that only pixels know."""
    if request.suits_files():
        return
    reason = "other schemes take pixels"
    if request.options.metadata != "seal":
        reason = "nothing of a file is stripped"
    raise InvalidParameterError(
        f"a file is encrypted as a whole: {reason}",
        hint="encrypt the pixels, or leave this option out",
    )
