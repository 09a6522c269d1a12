"""Pictures: their samples are protected, and their meaning is sealed in a header."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from sudokucrypt import images
from sudokucrypt.ciphers import TaggedScheme, sample_digests, tag_message
from sudokucrypt.header import Header
from sudokucrypt.images import EmbeddedFile, Metadata, Picture, PictureRecord
from sudokucrypt.keys import Key, MasterKey
from sudokucrypt.recipes import records
from sudokucrypt.recipes.arrays import context_header
from sudokucrypt.recipes.carriers.contract import (
    DifferingResultError,
    PlainFile,
    Product,
    ProtectRequest,
    RekeyRequest,
    RestoreRequest,
    RobustRequest,
    protected_already,
)
from sudokucrypt.recipes.opening import OpenedHeader, open_header, resolve_key
from sudokucrypt.recipes.reporting import EncryptionMode, FileReport
from sudokucrypt.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sudokucrypt.recipes.options import RestoreSettings
    from sudokucrypt.recipes.protection import Protection
    from sudokucrypt.recipes.transfer import Destination, FileTransfer, SourceFile
    from sudokucrypt.typing import Buffer

_COMPARED = ("scheme", "unit", "block_size", "rounds", "shape", "dtype", "regions", "mask")
"""What a result says of itself before it is opened, in the order in which differences are named."""

_PREVIEWS = ((320, 75), (256, 65), (192, 55), (128, 45), (96, 40))
"""Longest side in pixels and quality, from the best preview to the smallest."""


class PictureCarrier:
    """Any picture that can be read, whatever its format."""

    name = "picture"

    def plan(
        self, source: SourceFile, request: ProtectRequest | RobustRequest
    ) -> PictureDraft | None:
        """Return how the samples of any picture are protected."""
        if isinstance(request, RobustRequest):
            return None
        settings = request.settings
        picture = source.decoded(settings.max_pixels)
        if picture.header is not None:
            raise protected_already()
        small = preview_of(picture) if settings.preview else None
        record = PictureRecord(picture=picture, preview=small)
        return planned_record(record, request, encryption=_mode_of(source, request))

    def recognises(self, request: RestoreRequest) -> bool:
        """Return whether there is a header, or a context that needs none."""
        return request.opened is not None or request.access.context is not None

    def restore(self, request: RestoreRequest) -> RestoredPicture:
        """Restore its samples."""
        settings, opened = request.settings, request.opened
        stored = request.source.taken(settings.max_pixels)
        if opened is None:
            # Under a context with default options the header says nothing that is not known.
            name, context = request.source.name, request.access.context
            header = context_header(stored.pixels, request.key, context, name)
            scheme = request.access.scheme_of(header)
            opened = open_header(header, request.key, scheme=scheme)
        record = restore_picture(
            stored, opened, settings.max_pixels, settings.threads, overwrite=True
        )
        return RestoredPicture(record=record, opened=opened, format=stored.format)


def restore_picture(
    stored: Picture,
    opened: OpenedHeader,
    max_pixels: int | None = None,
    threads: int | None = None,
    *,
    overwrite: bool = False,
) -> PictureRecord:
    """Return the plain picture, or raise `DecryptionError` if anything is not what it was.

    With `overwrite`, its samples may take the memory of those stored.
    """
    record = records.record_of(stored, opened)
    picture = record.picture
    selection = records.recorded_selection(picture, opened, max_pixels)
    parts = records.parts_of(picture, selection, overwrite=overwrite)
    with Workers(threads, work=sum(part.pixels.nbytes for part in parts)) as workers:
        pixels = opened.scheme.restore(parts, opened.key, opened.header, workers)
    if record.file is not None:
        images.extract(pixels[0], record.file)  # the zeros behind a file are checked too
    return replace(record, picture=picture.with_pixels(pixels))


def planned_record(
    record: PictureRecord, request: ProtectRequest, *, encryption: EncryptionMode | None
) -> PictureDraft:
    """Return how a picture with its record is protected as the request says."""
    settings, picture = request.settings, record.picture
    # Metadata are sealed in the header, which any format holds.
    untagged = picture.with_metadata([Metadata()] * len(picture.frames))
    suiting = images.default_format(untagged)
    file_format, destination = request.transfer.settle(suiting, sidecar=settings.sidecar)
    selection = None
    if not settings.whole:
        canvas = records.canvas_of(picture, settings.max_pixels)
        selection = settings.selection(canvas, lambda: picture)
    plan = records.planned(
        record,
        request.protection.scheme,
        format=file_format,
        selection=selection,
        metadata=settings.metadata,
        overwrite=True,
    )
    return PictureDraft(
        destination=destination,
        format=file_format,
        plan=plan,
        key=request.key,
        protection=request.protection,
        compress=settings.compress,
        max_pixels=settings.max_pixels,
        encryption=encryption,
        file=record.file,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class PictureDraft:
    """A protected picture that is to be written."""

    destination: Destination
    format: str
    plan: records.PicturePlan
    key: MasterKey
    protection: Protection
    compress: int = 0
    max_pixels: int | None = None
    encryption: EncryptionMode | None = None
    file: EmbeddedFile | None = None

    def make(self) -> Product:
        """Protect the picture."""
        plan = self.plan
        pixels, header = self.protection.protect(
            plan.parts,
            self.key,
            selection=plan.selection,
            encrypted_metadata=plan.encrypted_metadata,
        )
        picture = plan.carrying(pixels, header)
        threads = self.protection.threads
        content = images.picture_parts(
            picture, self.format, compress=self.compress, threads=threads
        )
        return self._product(header, content)

    def compare(self, existing: SourceFile) -> Product:
        """Return what an existing file is, if it differs in its random salt at most."""
        stored = existing.taken(self.max_pixels)
        if stored.header is None:
            raise DifferingResultError("it is not a protected picture")
        header = Header.from_bytes(stored.header)
        if differing := self._differences(stored, header):
            raise DifferingResultError(", ".join(differing))
        return self._product(header)

    def _product(self, header: Header, content: Iterable[Buffer] = ()) -> Product:
        report = partial(
            FileReport,
            shape=header.shape,
            dropped=self.plan.dropped,
            regions=header.regions,
            encryption=self.encryption,
            file=self.file,
            tag=header.tag,
        )
        return Product(report=report, content=content, header=header)

    def _differences(self, stored: Picture, header: Header) -> list[str]:
        """Return in what a stored picture differs from the plan, in the words of a message."""
        plan, protection = self.plan, self.protection
        if header.scheme != protection.scheme.name:
            return [f"its scheme is {header.scheme}"]
        key = resolve_key(self.key, header)
        if not isinstance(key, Key) or (header.kdf is None) != isinstance(self.key, Key):
            return ["it takes a passphrase" if header.kdf else "it takes a key"]
        draft = protection.draft(
            plan.parts, key, selection=plan.selection, encrypted_metadata=plan.encrypted_metadata
        )
        differing = [
            f"its {name.replace('_', ' ')} {'differ' if name.endswith('s') else 'differs'}"
            for name in _COMPARED
            if getattr(header, name) != getattr(draft, name)
        ]
        shapes = [
            [(each.pixels.shape, each.pixels.dtype) for each in of]
            for of in (plan.parts, stored.frames)
        ]
        if not differing and shapes[0] != shapes[1]:
            differing.append("its frames differ")
        return differing or self._hidden_differences(stored, key, header, draft)

    def _hidden_differences(
        self, stored: Picture, key: Key, header: Header, draft: Header
    ) -> list[str]:
        """Return in what it differs behind its seal."""
        scheme, threads = self.protection.scheme, self.protection.threads
        plain = [part.pixels for part in self.plan.parts]
        pairs = zip(self.plan.parts, stored.frames, strict=True)
        protected = [replace(part, pixels=frame.pixels) for part, frame in pairs]
        # They are those of the plan by now, so that the caller chose them.
        rounds = header.rounds
        opened = open_header(header, key, scheme=scheme, max_rounds=rounds, threads=threads).header
        if _without_preview(stored, opened) != _without_preview(stored, draft):
            return ["its metadata differ"]
        with Workers(threads) as workers:
            if isinstance(scheme, TaggedScheme):
                unsalted = replace(draft, kdf=None, salt=None)
                message = tag_message(unsalted, sample_digests(plain, workers))
                random = self.protection.salt is not None
                if (header.salt == key.synthetic_salt(message)) == random:
                    return ["its salt is deterministic" if random else "its salt is random"]
            frames = scheme.restore(protected, key, opened, workers)
        same = all(records.same_samples(*both) for both in zip(frames, plain, strict=True))
        return [] if same else ["its samples differ"]


def _without_preview(stored: Picture, header: Header) -> bytes | None:
    """Return the description without the preview, which libraries may make in several ways."""
    if header.encrypted_metadata is None:
        return None
    record = images.described(stored.frames, header.encrypted_metadata)
    return images.describe(replace(record, preview=None))


@dataclass(frozen=True, eq=False, kw_only=True)
class RestoredPicture:
    """A picture in memory, and how it was stored."""

    record: PictureRecord
    opened: OpenedHeader
    format: str

    def draft(self, transfer: FileTransfer, settings: RestoreSettings) -> PlainPictureDraft:
        """Return the plain picture in the format that suits it, unless another was asked for."""
        picture = self.record.picture
        file_format, destination = transfer.settle(images.default_format(picture))
        return PlainPictureDraft(
            destination=destination,
            format=file_format,
            picture=picture,
            tag=self.opened.header.tag,
            compress=settings.compress,
            threads=settings.threads,
        )

    def again(self, request: RekeyRequest) -> PictureDraft:
        """Return the picture for another key: all else that was chosen for it stays."""
        settings, record, opened = request.settings, self.record, self.opened
        file_format, destination = request.transfer.settle(self.format, sidecar=request.sidecar)
        plan = records.planned(
            record,
            opened.scheme,
            format=file_format,
            selection=records.recorded_selection(record.picture, opened, settings.max_pixels),
            metadata="keep" if record.cleartext else "seal",
            cleartext=record.cleartext,
            overwrite=True,
        )
        return PictureDraft(
            destination=destination,
            format=file_format,
            plan=plan,
            key=request.key,
            protection=opened.protection(settings.threads),
            max_pixels=settings.max_pixels,
        )

    def plain_file(self, stem: str, *, threads: int | None) -> PlainFile:
        """Return the picture as a file of the format that suits it."""
        chosen = images.default_format(self.record.picture)
        name = f"{stem}{images.suffix_of(chosen)}"
        parts = images.picture_parts(self.record.picture, chosen, compress=1, threads=threads)
        content = b"".join(parts)
        return PlainFile(name=name, type=images.media_type(content, name), content=content)


@dataclass(frozen=True, eq=False, kw_only=True)
class PlainPictureDraft:
    """A plain picture that is to be written."""

    destination: Destination
    format: str
    picture: Picture
    tag: bytes | None
    compress: int
    threads: int | None

    def make(self) -> Product:
        """Encode the picture."""
        content = images.picture_parts(
            self.picture, self.format, compress=self.compress, threads=self.threads
        )
        return self._product(content)

    def compare(self, existing: SourceFile) -> Product:
        """Return what an existing file is, if it has the same frames."""
        # It is ours to judge, whatever was allowed for what a stranger sent.
        if not records.same_pictures(existing.taken(images.MAX_PIXELS), self.picture):
            raise DifferingResultError("its samples differ")
        return self._product()

    def _product(self, content: Iterable[Buffer] = ()) -> Product:
        picture = self.picture
        lost = [
            images.unsupported_metadata(frame, self.format, header=False).names()
            for frame in picture.frames
        ]
        dropped = tuple(dict.fromkeys([*picture.dropped, *chain.from_iterable(lost)]))
        report = partial(FileReport, shape=picture.pixels.shape, dropped=dropped, tag=self.tag)
        return Product(report=report, content=content)


def _mode_of(source: SourceFile, request: ProtectRequest) -> EncryptionMode | None:
    """Return why pixels are protected, unless the caller chose them."""
    if request.keeps_jpeg(
        source
    ):  # it would be one no more if the carrier of JPEG files had taken it
        return EncryptionMode(mode="pixels", reason="JPEG that cannot stay one")
    known = images.known_format(source.data)
    if request.leaves_mode_open and known is not None:
        return EncryptionMode(mode="pixels", reason=f"lossless {known.called}")
    return None


def preview_of(picture: Picture, *, most: int | None = None) -> bytes:
    """Return a small picture of a picture, of `most` bytes if one of our sizes allows that."""
    shown = Picture.plain(images.reduced(picture, side=_PREVIEWS[0][0]))
    small = b""
    for side, quality in _PREVIEWS:
        small = images.thumbnail(shown, side=side, quality=quality)
        if most is None or len(small) <= most:
            break
    return small
