"""Robust pictures: sheets that survive recompression, and come back approximately.

Their header stands in cells of the samples, so that samples are decoded before it is checked.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt import images
from sudokucrypt.errors import DecryptionError, FormatError, UnsupportedError
from sudokucrypt.images import Picture, PictureRecord
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
from sudokucrypt.recipes.opening import no_header
from sudokucrypt.recipes.records import same_pictures
from sudokucrypt.recipes.reporting import RobustReport
from sudokucrypt.remote import Url
from sudokucrypt.storage import parse_location

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sudokucrypt.keys import Key, RestoringKey
    from sudokucrypt.recipes.options import RestoreSettings
    from sudokucrypt.recipes.robust import RobustPicture
    from sudokucrypt.recipes.transfer import Destination, FileTransfer, SourceFile
    from sudokucrypt.robust import CarrierMatch
    from sudokucrypt.typing import Buffer, Samples

# What finds and restores sheets is imported where it is used: other pictures need not load it.

DEFAULT_QUALITY = 92
"""Of the JPEG that is sent, where neither profile nor caller chooses another."""

RESTORED_QUALITY = 95
"""Of a restored picture that is written as JPEG: what recompression took is lost already."""


class RobustCarrier:
    """Pictures of one frame, for services that recompress what they are sent."""

    name = "robust"

    def plan(
        self, source: SourceFile, request: ProtectRequest | RobustRequest
    ) -> SheetDraft | None:
        """Return the sheet of a picture, where an approximate result was asked for."""
        if isinstance(request, ProtectRequest):
            return None
        from sudokucrypt.recipes.robust import prepared

        picture = source.decoded(request.max_pixels)
        if picture.header is not None:
            raise protected_already(exactly=False)
        samples, dropped = images.shown(picture)
        if _is_sheet(samples):
            raise protected_already(exactly=False)
        fitted, profile = prepared(samples, request.profile, request.max_side)
        file_format, destination = request.transfer.settle("JPEG")
        return SheetDraft(
            destination=destination,
            format=file_format,
            samples=fitted,
            key=request.key,
            # The digest of the file stands for that of its samples, of which it has a tenth.
            digests=[hashlib.sha256(source.data).digest()],
            profile=profile,
            quality=request.quality,
            dropped=dropped,
            shrunk=fitted.shape != samples.shape,
            threads=request.threads,
        )

    def recognises(self, request: RestoreRequest) -> bool:
        """Return whether there is no header, so that only the cells of a sheet may hold one."""
        return request.access.robust and request.header is None

    def restore(self, request: RestoreRequest) -> RestoredSheet:
        """Restore a sheet, if the picture is one."""
        settings, name = request.settings, request.source.name
        try:
            received, found = found_in(request.source, settings.max_pixels)
        except FormatError:
            raise no_header(name) from None
        return restored_sheet(received, found, request.key, settings.threads)


def restored_sheet(
    received: Samples, found: CarrierMatch, key: RestoringKey, threads: int | None
) -> RestoredSheet:
    """Restore a sheet that was found."""
    from sudokucrypt.recipes.robust import unscrambled

    picture = unscrambled(received, found, key, threads)
    return RestoredSheet(restored=picture, found=found)


def found_in(source: SourceFile, max_pixels: int | None) -> tuple[Samples, CarrierMatch]:
    """Return the luma of a received picture, and the sheet that was found in it."""
    from sudokucrypt.recipes.robust import luma_of
    from sudokucrypt.robust import find_carrier

    received = luma_of(images.shown(source.taken(max_pixels))[0])
    return received, find_carrier(received)


@dataclass(frozen=True, eq=False, kw_only=True)
class SheetDraft:
    """A sheet that is to be written."""

    destination: Destination
    format: str
    samples: Samples
    key: Key
    digests: Sequence[bytes]
    profile: int
    quality: int
    dropped: tuple[str, ...] = ()
    shrunk: bool = False
    threads: int | None = None

    def make(self) -> Product:
        """Scramble the picture under a fresh salt."""
        from sudokucrypt.recipes.robust import fresh_salt

        sent, content = self._sheet(fresh_salt(self.key, self.digests))
        return self._product(sent, content)

    def compare(self, existing: SourceFile) -> Product:
        """Return what an existing file is, if its salt makes the same sheet of the picture."""
        data = existing.data
        _, found = found_in(existing, None)
        found.header.opened(self.key)
        sent, content = self._sheet(found.header.salt)
        # Encoding loses samples, but always the same ones: equal bytes are the only proof.
        if found.header.profile != self.profile or b"".join(content) != data:
            raise DifferingResultError("it is that of another picture or profile")
        return self._product(sent)

    def _sheet(self, salt: bytes) -> tuple[tuple[int, int], Iterable[Buffer]]:
        from sudokucrypt.robust import scramble_robustly

        made = scramble_robustly(
            self.samples, self.key, salt=salt, profile=self.profile, threads=self.threads
        )
        rows, columns = made.samples.shape
        return (rows, columns), _encoded(made.samples, self.format, self.quality)

    def _product(self, sent: tuple[int, int], content: Iterable[Buffer] = ()) -> Product:
        report = partial(
            RobustReport,
            shape=self.samples.shape,
            dropped=self.dropped,
            sent=sent,
            shrunk=self.shrunk,
        )
        return Product(report=report, content=content)


@dataclass(frozen=True, eq=False, kw_only=True)
class RestoredSheet:
    """A picture that came back approximately."""

    restored: RobustPicture
    found: CarrierMatch

    @property
    def record(self) -> PictureRecord:
        """The picture; nothing is sealed about it."""
        return PictureRecord(picture=Picture.plain(self.restored.pixels))

    def draft(self, transfer: FileTransfer, settings: RestoreSettings) -> RestoredSheetDraft:
        """Return the picture as PNG, JPEG or what else the target says."""
        file_format, destination = restored_format(transfer).settle("PNG")
        return RestoredSheetDraft(
            destination=destination,
            format=file_format,
            sheet=self,
            compress=settings.compress,
        )

    def again(self, request: RekeyRequest) -> SheetDraft:
        """Return the approximate picture for another key, as a sheet of the same size."""
        from sudokucrypt.recipes.robust import master_key
        from sudokucrypt.robust import profile_numbered

        profile = profile_numbered(self.found.header.profile)
        file_format, destination = sheet_format(request.transfer).settle("JPEG")
        pixels = self.restored.pixels
        return SheetDraft(
            destination=destination,
            format=file_format,
            samples=pixels,
            key=master_key(request.key),
            digests=[hashlib.sha256(pixels.tobytes()).digest()],
            profile=self.found.header.profile,
            quality=profile.quality if profile else DEFAULT_QUALITY,
            threads=request.settings.threads,
        )

    def plain_file(self, stem: str, *, threads: int | None) -> PlainFile:
        """Return the picture as PNG."""
        picture = self.record.picture
        content = b"".join(images.picture_parts(picture, "PNG", compress=1, threads=threads))
        return PlainFile(name=f"{stem}.png", type="image/png", content=content)


@dataclass(frozen=True, eq=False, kw_only=True)
class RestoredSheetDraft:
    """A picture that came back approximately and is to be written."""

    destination: Destination
    format: str
    sheet: RestoredSheet
    compress: int

    def make(self) -> Product:
        """Encode the picture."""
        pixels = self.sheet.restored.pixels
        return self._product(_encoded(pixels, self.format, RESTORED_QUALITY, self.compress))

    def compare(self, existing: SourceFile) -> Product:
        """Return what an existing file is: the same bytes as JPEG, else the same samples."""
        pixels = self.sheet.restored.pixels
        if self.format == "JPEG":
            content = _encoded(pixels, self.format, RESTORED_QUALITY)
            same = existing.data == b"".join(content)
        else:
            same = same_pictures(existing.taken(images.MAX_PIXELS), Picture.plain(pixels))
        if not same:
            raise DifferingResultError("its samples differ")
        return self._product()

    def _product(self, content: Iterable[Buffer] = ()) -> Product:
        restored, found = self.sheet.restored, self.sheet.found
        report = partial(
            RobustReport,
            shape=restored.pixels.shape,
            sent=found.carrier.shape,
            expected_psnr=restored.expected_psnr,
            missing=restored.missing,
        )
        return Product(report=report, content=content)


def sheet_format(transfer: FileTransfer) -> FileTransfer:
    """Return a transfer with the format of a sheet, which is JPEG or PNG."""
    chosen = transfer.format or _format_of_target(transfer) or "JPEG"
    if chosen not in ("JPEG", "PNG"):
        raise UnsupportedError(
            f"a robust picture is written as JPEG or PNG, not {chosen}",
            hint="use the suffix .jpg or .png",
        )
    return replace(transfer, format=chosen)


def restored_format(transfer: FileTransfer) -> FileTransfer:
    """Return a transfer with the format of a restored picture, PNG unless another was asked for."""
    chosen = transfer.format or _format_of_target(transfer) or "PNG"
    if chosen == "JPEG" or chosen in images.writable_formats():
        return replace(transfer, format=chosen)
    raise UnsupportedError(
        f"pictures cannot be written as {chosen}",
        hint=f"use JPEG, {', '.join(images.writable_formats())}",
    )


def _format_of_target(transfer: FileTransfer) -> str | None:
    """Return the format that the suffix of a path names; the suffix, if it is not known."""
    target = transfer.target
    if not isinstance(target, str | os.PathLike | Url):
        return None
    suffix = parse_location(target).suffix.lower()
    driver = images.driver_of(suffix)
    return driver.name if driver else suffix or "a file without suffix"


def _is_sheet(samples: Samples) -> bool:
    from sudokucrypt.robust import PREAMBLE_ROWS, find_carrier

    try:
        # One color shows it as well as the luma, and takes no time.
        find_carrier(np.atleast_3d(samples[:PREAMBLE_ROWS])[..., -1])
    except DecryptionError:
        return True
    except FormatError:
        return False
    return True


def _encoded(
    samples: Samples, file_format: str, quality: int, compress: int = 1
) -> Iterable[Buffer]:
    if file_format == "JPEG":
        return [images.jpeg_bytes(samples, quality=quality)]
    return images.picture_parts(Picture.plain(samples), file_format, compress=compress)
