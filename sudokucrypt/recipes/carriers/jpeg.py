"""JPEG files that stay JPEG files: coefficients are scrambled, and the same file comes back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from sudokucrypt.ciphers import SCRAMBLE_JPEG
from sudokucrypt.errors import ImageTooLargeError, InvalidImageError, UnsupportedError
from sudokucrypt.header import Header
from sudokucrypt.images import PictureRecord, decode_picture
from sudokucrypt.recipes.carriers.comparing import open_result, require_same_salt
from sudokucrypt.recipes.carriers.contract import (
    DifferingResultError,
    Draft,
    ProtectRequest,
    protected_already,
)
from sudokucrypt.recipes.carriers.picture import RestoredPicture
from sudokucrypt.recipes.opening import OpenedHeader, no_header, required_header
from sudokucrypt.recipes.reporting import FileReport

if TYPE_CHECKING:
    from sudokucrypt.keys import ProtectingKey
    from sudokucrypt.recipes import jpegs
    from sudokucrypt.recipes.carriers.contract import Made
    from sudokucrypt.recipes.carriers.receiving import ReceivedFile
    from sudokucrypt.recipes.options import OpenSettings, RestoreSettings
    from sudokucrypt.recipes.protection import Protection
    from sudokucrypt.recipes.source_files import SourceFile
    from sudokucrypt.recipes.transfer import Destination, FileTransfer


class JpegCarrier:
    """JPEG files whose coefficients give them back exactly."""

    def plan(self, source: SourceFile, request: ProtectRequest) -> Draft | None:
        """Return how a JPEG is scrambled as one, if it can be or is named as a JPEG.

        Raises `UnsupportedError` or `InvalidImageError` if it is scrambled already, or too large,
        or the output is named as a JPEG and it cannot become one.
        """
        if not request.keeps_jpeg(source):
            return None
        from sudokucrypt.recipes import jpegs  # kernels that other pictures need not load

        transfer, settings = request.transfer, request.settings
        limit = settings.max_pixels
        if source.header(limit) is not None:
            raise protected_already()
        try:
            plan = jpegs.planned_jpeg(
                source.data, name=source.name, max_pixels=limit, metadata=settings.metadata
            )
        except ImageTooLargeError:
            raise
        except (UnsupportedError, InvalidImageError):
            if transfer.names_format:
                raise
            return None
        protected = ProtectedJpeg(
            plan=plan, key=request.key, protection=request.protection, max_pixels=limit
        )
        return protected.draft(transfer.settle_jpeg())

    def recognises(self, file: ReceivedFile) -> bool:
        """Return whether a JPEG was scrambled as one."""
        return file.opened is not None and file.opened.scheme is SCRAMBLE_JPEG

    def restore(self, file: ReceivedFile) -> RestoredJpeg:
        """Restore its coefficients."""
        from sudokucrypt.recipes import jpegs

        opened, source, settings = file.opened, file.source, file.request.settings
        if opened is None:
            raise no_header(source.name)
        plan = jpegs.restored(
            source.data, opened, settings.max_pixels, settings.threads, name=source.name
        )
        return RestoredJpeg(plan=plan, opened=opened)


@dataclass(frozen=True, eq=False, kw_only=True)
class ProtectedJpeg:
    """A JPEG that is ready to be scrambled, and how."""

    plan: jpegs.JpegPlan
    key: ProtectingKey
    protection: Protection
    max_pixels: int | None

    def draft(self, destination: Destination) -> Draft:
        """Return the draft of it."""
        report = FileReport(shape=self.plan.shape)
        return Draft(destination=destination, report=report, make=self.make, compare=self.compare)

    def make(self) -> Made:
        """Scramble the file."""
        data, header = self.plan.protect(self.key, self.protection)
        return [data], header

    def compare(self, existing: SourceFile) -> Header:
        """Return the header of an existing file that differs in its random salt at most."""
        from sudokucrypt.recipes import jpegs

        embedded = existing.header(self.max_pixels)
        stored = required_header(
            None if embedded is None else Header.from_bytes(embedded), existing.name
        )
        protection = self.protection
        opened, key, draft = open_result(
            stored,
            SCRAMBLE_JPEG,
            self.key,
            lambda key: self.plan.draft(key, protection),
            protection.threads,
        )
        result = jpegs.restored(
            existing.data, opened, self.max_pixels, protection.threads, name=existing.name
        )
        if result.plain != self.plan.plain:
            raise DifferingResultError("its samples differ")
        described = replace(draft, encrypted_metadata=jpegs.description(result.structure))
        require_same_salt(stored, key, described, [jpegs.byte_samples(result.plain)], protection)
        return stored


@dataclass(frozen=True, eq=False, kw_only=True)
class RestoredJpeg:
    """A JPEG file in memory, as the plan of which its scrambled form is the result."""

    plan: jpegs.JpegPlan
    opened: OpenedHeader

    @cached_property
    def record(self) -> PictureRecord:
        """The picture that the file shows."""
        rows, columns = self.opened.header.shape[:2]
        return PictureRecord(picture=decode_picture(self.plan.plain, max_pixels=rows * columns))

    def draft(self, transfer: FileTransfer, settings: RestoreSettings) -> Draft:
        """Return the same file, or its picture if the target has another format."""
        if transfer.keeps_jpeg:
            return Draft(
                destination=transfer.settle_jpeg(),
                report=FileReport(
                    shape=self.opened.header.shape,
                    tag=self.opened.header.tag,
                    dropped=self.plan.added,
                ),
                make=lambda: ([self.plan.plain], None),
                compare=self._compare,
            )
        picture = RestoredPicture(record=self.record, opened=self.opened, format="JPEG")
        return picture.draft(transfer, settings)

    def again(self, transfer: FileTransfer, key: ProtectingKey, settings: OpenSettings) -> Draft:
        """Return the file for another key."""
        protected = ProtectedJpeg(
            plan=self.plan.again(settings.max_pixels),
            key=key,
            protection=self.opened.protection(settings.threads),
            max_pixels=settings.max_pixels,
        )
        return protected.draft(transfer.settle_jpeg())

    def _compare(self, existing: SourceFile) -> None:
        if existing.data != self.plan.plain:
            raise DifferingResultError("its bytes differ")
