"""JPEG files whose coefficients are scrambled: the result is a JPEG, and is restored exactly."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sudokucrypt.ciphers import SCRAMBLE_JPEG, sample_digests
from sudokucrypt.errors import ImageTooLargeError, InvalidImageError, UnsupportedError
from sudokucrypt.frozen import FrozenObject
from sudokucrypt.header import Header
from sudokucrypt.images import PictureRecord, decode_picture
from sudokucrypt.recipes.carriers.contract import (
    BytesDraft,
    DifferingResultError,
    Draft,
    FileReport,
    ProtectRequest,
    make_protected_error,
)
from sudokucrypt.recipes.carriers.picture import RestoredPicture
from sudokucrypt.recipes.opening import OpenedHeader, make_no_header_error, require_header
from sudokucrypt.workers import Workers

if TYPE_CHECKING:
    from sudokucrypt.keys import ProtectingKey
    from sudokucrypt.recipes import jpegs
    from sudokucrypt.recipes.carriers.contract import PartsAndSidecar, ReceivedFile
    from sudokucrypt.recipes.options import DecryptOptions, OpenOptions
    from sudokucrypt.recipes.protection import Protection
    from sudokucrypt.recipes.sinks import Sink
    from sudokucrypt.recipes.sources import SourceFile


class JpegCarrier:
    """JPEG files that can be encoded again exactly from their coefficients."""

    def plan_draft(self, source: SourceFile, request: ProtectRequest) -> Draft | None:
        """Return the draft that scrambles a JPEG into a JPEG, or None if that is impossible.

        Raises `UnsupportedError` or `InvalidImageError` if the JPEG is scrambled already or too
        large, or if that is impossible although the caller chose JPEG as format.
        """
        if not request.keeps_jpeg(source):
            return None
        from sudokucrypt.recipes import jpegs  # imported here, since it loads kernels

        sink, options = request.sink, request.options
        limit = options.max_pixels
        if source.find_header(limit) is not None:
            raise make_protected_error()
        try:
            plan = jpegs.plan_jpeg(
                source.load(),
                name=source.name,
                max_pixels=limit,
                metadata=options.metadata,
            )
        except ImageTooLargeError:
            raise
        except (UnsupportedError, InvalidImageError):
            if sink.has_chosen_format:
                raise
            return None
        return ProtectedJpegDraft(
            destination=sink.choose_jpeg_destination(),
            report=FileReport(shape=plan.shape),
            plan=plan,
            key=request.key,
            protection=request.protection,
            max_pixels=limit,
        )

    def recognizes(self, file: ReceivedFile) -> bool:
        """Return whether the file is a JPEG with scrambled coefficients."""
        return file.opened_header is not None and file.opened_header.scheme is SCRAMBLE_JPEG

    def restore(self, file: ReceivedFile) -> RestoredJpeg:
        """Restore the coefficients of the JPEG."""
        from sudokucrypt.recipes import jpegs

        opened_header, source, options = file.opened_header, file.source, file.request.options
        if opened_header is None:
            raise make_no_header_error(source.name)
        plan = jpegs.restore_jpeg(
            source.load(), opened_header, options.max_pixels, options.threads, name=source.name
        )
        return RestoredJpeg(plan=plan, opened_header=opened_header)


class ProtectedJpegDraft(Draft):
    """A JPEG that is ready to be scrambled."""

    plan: jpegs.JpegPlan
    key: ProtectingKey
    protection: Protection
    max_pixels: int | None

    def make_parts(self) -> PartsAndSidecar:
        """Scramble the file."""
        data, header = self.plan.protect(self.key, self.protection)
        return [data], header

    def compare(self, existing_file: SourceFile) -> Header:
        """Return the header of an existing file that equals this result except for the salt."""
        from sudokucrypt.recipes import jpegs
        from sudokucrypt.recipes.carriers.contract import open_result, require_same_salt

        embedded_header = existing_file.find_header(self.max_pixels)
        stored_header = require_header(
            None if embedded_header is None else Header.from_bytes(embedded_header),
            existing_file.name,
        )
        protection = self.protection
        opened_header, key, draft_header = open_result(
            stored_header,
            SCRAMBLE_JPEG,
            self.key,
            lambda key: self.plan.make_draft_header(key, protection),
            protection.threads,
        )
        result = jpegs.restore_jpeg(
            existing_file.load(),
            opened_header,
            self.max_pixels,
            protection.threads,
            name=existing_file.name,
        )
        if result.plain_file != self.plan.plain_file:
            raise DifferingResultError("its samples differ")
        draft_header = replace(
            draft_header, encrypted_metadata=jpegs.describe_structure(result.structure)
        )
        with Workers(protection.threads) as workers:
            digests = sample_digests([jpegs.view_bytes_as_samples(result.plain_file)], workers)
        require_same_salt(stored_header, key, draft_header, digests, protection)
        return stored_header


class RestoredJpeg(FrozenObject):
    """A restored JPEG file in memory, with the plan that would scramble it again."""

    plan: jpegs.JpegPlan
    opened_header: OpenedHeader

    def get_record(self) -> PictureRecord:
        """Return the decoded picture."""
        rows, columns = self.opened_header.header.shape[:2]
        return PictureRecord(
            picture=decode_picture(self.plan.plain_file, max_pixels=rows * columns)
        )

    def make_draft(self, sink: Sink, options: DecryptOptions) -> Draft:
        """Return the draft of the original file, or of its picture in another format."""
        if not sink.keeps_jpeg:
            picture = RestoredPicture(
                record=self.get_record(), opened_header=self.opened_header, format="JPEG"
            )
            return picture.make_draft(sink, options)
        header = self.opened_header.header
        return BytesDraft(
            destination=sink.choose_jpeg_destination(),
            report=FileReport(shape=header.shape, tag=header.tag, dropped=self.plan.added_segments),
            content=self.plan.plain_file,
        )

    def reprotect(self, sink: Sink, key: ProtectingKey, options: OpenOptions) -> Draft:
        """Return the draft of the same file under another key."""
        return ProtectedJpegDraft(
            destination=sink.choose_jpeg_destination(),
            report=FileReport(shape=self.plan.shape),
            plan=self.plan.renew(options.max_pixels),
            key=key,
            protection=self.opened_header.protection(options.threads),
            max_pixels=options.max_pixels,
        )
