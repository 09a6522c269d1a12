"""Files of any kind: their bytes are the samples of a picture, and name and time are sealed."""

from dataclasses import dataclass, replace
from math import isqrt

from sudokucrypt import images
from sudokucrypt.errors import (
    DecryptionError,
    InvalidImageError,
    InvalidParameterError,
    SudokucryptError,
    UnsupportedVersionError,
    extra_hint,
)
from sudokucrypt.images import EmbeddedFile, Picture, PictureRecord
from sudokucrypt.keys import ProtectingKey
from sudokucrypt.recipes.carriers.contract import (
    BytesDraft,
    Draft,
    ProtectRequest,
    protected_already,
)
from sudokucrypt.recipes.carriers.picture import (
    PREVIEW_SIDE,
    PictureCarrier,
    RestoredPicture,
    draft_record,
    preview_of,
)
from sudokucrypt.recipes.carriers.receiving import ReceivedFile
from sudokucrypt.recipes.options import DecryptOptions, OpenOptions
from sudokucrypt.recipes.reporting import FileReport
from sudokucrypt.recipes.transfer import Sink, SourceFile
from sudokucrypt.storage import in_this_locale

# Most bytes of a file that is encrypted as it is, so that the result can be read again: header and
# preview come on top of them.
MOST_BYTES = images.FILE_LIMIT - (1 << 26)

# From how many pixels on a picture gets a preview unasked: decoding a larger one takes a while.
_PREVIEW_FROM = 1_000_000


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
        if options.resume:
            draft = draft_record(_embed(source, pad=options.pad), request)
            # Previews are not compared, so that a result that may be kept needs none.
            if preview is False or request.sink.find_kept(draft.destination) is not None:
                return draft
            del draft  # no preview is decoded beside its samples
        small: bytes | None = None
        missing: tuple[str, ...] = ()
        if preview is not False:
            small, missing = _make_preview(source, asked=bool(preview), most=options.max_pixels)
        record = _embed(source, pad=options.pad)
        picture = replace(record.picture, dropped=missing)
        return draft_record(replace(record, picture=picture, preview=small), request)

    def recognises(self, file: ReceivedFile) -> bool:
        """Return whether the header describes a file."""
        return file.opened is not None and file.opened.record.file is not None

    def restore(self, file: ReceivedFile) -> "RestoredFile":
        """Restore the picture of its bytes."""
        return RestoredFile(picture=PictureCarrier().restore(file))


@dataclass(frozen=True, eq=False, kw_only=True)
class RestoredFile:
    """A file in memory, as the picture of its bytes."""

    picture: RestoredPicture

    @property
    def file(self) -> EmbeddedFile:
        """What is known of it."""
        file = self.record.file
        if file is None:
            raise DecryptionError
        return file

    @property
    def record(self) -> PictureRecord:
        """The picture of its bytes, and what was sealed about the file."""
        return self.picture.record

    def extract(self) -> memoryview:
        """Return the bytes of the file."""
        return images.extract(self.record.picture.pixels, self.file)

    def draft(self, sink: Sink, options: DecryptOptions) -> Draft:
        """Return the file under its sealed name, if the target names no other."""
        del options
        destination, name = sink.settle_name(self.file.name), self.file.name
        given = getattr(destination, "name", name)
        changed = sink.takes_sealed_names and given not in (name, in_this_locale(name))
        return BytesDraft(
            destination=destination,
            report=FileReport(
                renamed=name if changed else None,
                shape=self.record.picture.pixels.shape,
                dropped=self.record.picture.dropped,
                file=self.file,
                tag=self.picture.opened.header.tag,
            ),
            time=self.file.time,
            new=sink.takes_sealed_names,
            content=self.extract(),
        )

    def again(self, sink: Sink, key: ProtectingKey, options: OpenOptions) -> Draft:
        """Return the file for another key."""
        return self.picture.again(sink, key, options)


def _is_protected(source: SourceFile, max_pixels: int | None) -> bool:
    """Return whether a file is a protected picture; one that cannot be read is none."""
    try:
        return source.find_header(max_pixels) is not None
    except UnsupportedVersionError:
        return True
    except SudokucryptError:
        return False


def _embed(source: SourceFile, *, pad: bool) -> PictureRecord:
    """Return a file as the picture of its bytes, with what is sealed about it.

    Raises `InvalidImageError` if it has more than `MOST_BYTES`.
    """
    data = source.data
    padded = images.padded_size(len(data)) if pad else None
    if max(len(data), padded or 0) > MOST_BYTES:
        raise InvalidImageError(
            f"'{source.name}' has {len(data)} bytes, more than the {MOST_BYTES} that one picture "
            "holds",
            hint="split it into several files first",
        )
    time = source.status.time
    file = EmbeddedFile(
        name=images.kept_name(source.file_name),
        size=len(data),
        padded=padded,
        type=images.media_type(data, source.file_name),
        time=time if time is not None and -(2**63) <= time < 2**63 else None,
    )
    return PictureRecord(picture=Picture.plain(images.embed(data, file)), file=file)


def _make_preview(
    source: SourceFile, *, asked: bool, most: int | None
) -> tuple[bytes | None, tuple[str, ...]]:
    """Return the preview of what a file shows, if it is a picture, and what is said if it has none.

    Unless it was asked for, it is for large pictures, and for a result that is at most a
    hundredth larger than the file, or as near to that as our smallest preview comes.
    """
    size = len(source.data)
    try:
        picture, pixels = source.glance(most, PREVIEW_SIDE)
        if asked:
            return preview_of(picture), ()
        if pixels >= _PREVIEW_FROM:
            # Two copies of the header, and zeros up to a rectangle and to whole header rows, come
            # on top; base64 adds a third.
            room = (size // 100 - 2800 - isqrt(8 * size)) * 3 // 8
            return preview_of(picture, most=room), ()
    except SudokucryptError as error:
        command = extra_hint("formats")
        if (error.hint or "").startswith(command):
            return None, (f"a preview, which needs: {command}",)
    return None, ()


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
