"""Files of any kind: their bytes are the samples of a picture, and name and time are sealed."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from math import isqrt
from typing import TYPE_CHECKING

from sudokucrypt import images
from sudokucrypt.errors import (
    DecryptionError,
    ImageTooLargeError,
    InvalidImageError,
    InvalidParameterError,
    SudokucryptError,
    UnsupportedError,
)
from sudokucrypt.images import EmbeddedFile, Picture, PictureRecord
from sudokucrypt.recipes.carriers.contract import (
    DifferingResultError,
    PlainFile,
    Product,
    ProtectRequest,
    RekeyRequest,
    RestoreRequest,
    RobustRequest,
)
from sudokucrypt.recipes.carriers.picture import (
    PictureCarrier,
    PictureDraft,
    RestoredPicture,
    planned_record,
    preview_of,
)
from sudokucrypt.recipes.reporting import EncryptionMode, FileReport

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sudokucrypt.recipes.options import RestoreSettings
    from sudokucrypt.recipes.transfer import Destination, FileTransfer, SourceFile
    from sudokucrypt.typing import Buffer

MOST_BYTES = images.FILE_LIMIT - (1 << 26)
"""Most bytes of a file that is encrypted as it is, so that the result can be read again: header and
preview come on top of them."""

_PREVIEW_FROM = 1_000_000
"""From how many pixels on a picture gets a preview unasked: decoding a larger one takes a while."""


class FileCarrier:
    """Any file, restored to the byte; for `encrypt_file` alone."""

    name = "file"

    def plan(
        self, source: SourceFile, request: ProtectRequest | RobustRequest
    ) -> PictureDraft | None:
        """Return how the bytes of a file are protected, if that was asked for or suits it best."""
        if isinstance(request, RobustRequest):
            return None
        settings, encryption = request.settings, None
        if settings.as_file:
            _require_suiting(request)
        elif request.leaves_mode_open:
            encryption = _chosen_mode(source, settings.max_pixels)
        if not (settings.as_file or encryption):
            return None
        preview = settings.preview
        if preview is None and request.protection.salt is None:
            preview = (
                False  # libraries of other versions make others, and equal files are to be equal
            )
        record = _embedded(source, preview=preview, max_pixels=settings.max_pixels)
        return planned_record(record, request, encryption=encryption)

    def recognises(self, request: RestoreRequest) -> bool:
        """Return whether the header describes a file."""
        return request.opened is not None and request.opened.record.file is not None

    def restore(self, request: RestoreRequest) -> RestoredFile:
        """Restore the picture of its bytes."""
        return RestoredFile(picture=PictureCarrier().restore(request))


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

    @property
    def content(self) -> memoryview:
        """Its bytes."""
        return images.extract(self.record.picture.pixels, self.file)

    def draft(self, transfer: FileTransfer, settings: RestoreSettings) -> PlainFileDraft:
        """Return the file under its sealed name, if the target names no other."""
        del settings
        return PlainFileDraft(destination=transfer.settle_file(self.file.name), restored=self)

    def again(self, request: RekeyRequest) -> PictureDraft:
        """Return the file for another key."""
        return self.picture.again(request)

    def plain_file(self, stem: str, *, threads: int | None) -> PlainFile:
        """Return the file as it was."""
        del stem, threads
        return PlainFile(name=self.file.name, type=self.file.type, content=self.content)


@dataclass(frozen=True, eq=False, kw_only=True)
class PlainFileDraft:
    """A plain file that is to be written."""

    destination: Destination
    restored: RestoredFile

    def make(self) -> Product:
        """Return its bytes and its time."""
        return self._product(self.restored.record.picture.dropped, [self.restored.content])

    def compare(self, existing: SourceFile) -> Product:
        """Return what an existing file is, if it has the same bytes."""
        if existing.data != self.restored.content:
            raise DifferingResultError("its bytes differ")
        return self._product(())

    def _product(self, dropped: tuple[str, ...], content: Iterable[Buffer] = ()) -> Product:
        file, opened = self.restored.file, self.restored.picture.opened
        shape = self.restored.record.picture.pixels.shape
        report = partial(FileReport, shape=shape, dropped=dropped, file=file, tag=opened.header.tag)
        return Product(report=report, content=content, time=file.time)


def _chosen_mode(source: SourceFile, max_pixels: int | None) -> EncryptionMode | None:
    """Return why the bytes of a file are encrypted, none if its pixels are better.

    Pixels are for pictures that decoding and encoding leave as they are. Of any other file the
    bytes are encrypted: decoded, a lossy picture takes many times its size, and does not come
    back as the file that it was.
    """
    known = images.known_format(source.data)
    if known is None:
        return EncryptionMode(mode="file", reason="no picture")
    if known.decode is None:
        return EncryptionMode(mode="file", reason=f"{known.called} file")
    if lossy := images.coded_lossily(source.data):
        return EncryptionMode(mode="file", reason=f"lossy {lossy}")
    try:
        source.decoded(max_pixels)
    except UnsupportedError as error:
        return EncryptionMode(mode="file", reason=str(error))
    except ImageTooLargeError:  # a limit of the caller's, and no damage
        raise
    except InvalidImageError as error:
        hint = "encrypt it as a file to get the very same file back"
        raise InvalidImageError(str(error), hint=hint, hint_key="as_file") from error
    return None


def _embedded(
    source: SourceFile, *, preview: bool | None = None, max_pixels: int | None = None
) -> PictureRecord:
    """Return a file as the picture of its bytes, with what is sealed about it.

    Raises
    ------
    InvalidImageError
        If it has more than `MOST_BYTES`.
    """
    data = source.data
    if len(data) > MOST_BYTES:
        raise InvalidImageError(
            f"'{source.name}' has {len(data)} bytes, more than the {MOST_BYTES} that one picture "
            "holds",
            hint="split it into several files first",
        )
    time = source.status.time
    file = EmbeddedFile(
        name=images.kept_name(source.file_name),
        size=len(data),
        type=images.media_type(data, source.file_name),
        time=time if time is not None and -(2**63) <= time < 2**63 else None,
    )
    small = None if preview is False else _preview(source, asked=bool(preview), most=max_pixels)
    picture = Picture.plain(images.embed(data, file))
    return PictureRecord(picture=picture, file=file, preview=small)


def _preview(source: SourceFile, *, asked: bool, most: int | None) -> bytes | None:
    """Return the preview of what a file shows, if it is a picture.

    Unless it was asked for, it is for large pictures, and for a result that is at most a
    hundredth larger than the file, or as near to that as our smallest preview comes.
    """
    size = len(source.data)
    with suppress(SudokucryptError):
        picture = source.decoded(most)
        rows, columns = picture.pixels.shape[:2]
        if asked:
            return preview_of(picture)
        if rows * columns >= _PREVIEW_FROM:
            # Header, and zeros up to a rectangle, come on top; base64 adds a third.
            room = (size // 100 - 1400 - isqrt(2 * size)) * 3 // 4
            return preview_of(picture, most=room)
    return None


def _require_suiting(request: ProtectRequest) -> None:
    """Raise `InvalidParameterError` for options that only pixels know."""
    settings, usual = request.settings, request.suits_files
    if usual:
        return
    reason = "other schemes take pixels"
    if settings.metadata != "seal":
        reason = "nothing of a file is left readable or stripped"
    if not settings.whole:
        reason = "regions and masks choose pixels"
    raise InvalidParameterError(
        f"a file is encrypted as a whole: {reason}",
        hint="encrypt the pixels, or leave this option out",
    )
