"""Robust pictures: sheets that survive recompression, and come back approximately.

Their header is in cells of the samples, so that samples are decoded before it is checked.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from sudokucrypt import images
from sudokucrypt.errors import DecryptionError, FormatError, UnsupportedError
from sudokucrypt.images import Picture, PictureRecord
from sudokucrypt.recipes.carriers.contract import (
    DifferingResultError,
    Draft,
    ProtectRequest,
    protected_already,
)
from sudokucrypt.recipes.opening import no_header
from sudokucrypt.recipes.records import same_pictures
from sudokucrypt.recipes.reporting import RobustReport
from sudokucrypt.recipes.transfer import PATH_NAMES
from sudokucrypt.storage import parse_location

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sudokucrypt.keys import Key, ProtectingKey, RestoringKey
    from sudokucrypt.recipes.carriers.contract import Made
    from sudokucrypt.recipes.carriers.receiving import ReceivedFile
    from sudokucrypt.recipes.options import OpenSettings, RestoreSettings
    from sudokucrypt.recipes.robust import RobustPicture
    from sudokucrypt.recipes.source_files import SourceFile
    from sudokucrypt.recipes.transfer import FileTransfer
    from sudokucrypt.robust import CarrierMatch
    from sudokucrypt.typing import Buffer, Samples

# What finds and restores sheets is imported where it is used: other pictures need not load it.

# Of the JPEG that is sent, where neither profile nor caller chooses another.
DEFAULT_QUALITY = 92

# Of a restored picture that is written as JPEG: what recompression took is lost already.
RESTORED_QUALITY = 95


class RobustCarrier:
    """Pictures of one frame, for services that recompress what they are sent."""

    def plan(self, source: SourceFile, request: ProtectRequest) -> None:
        """Leave every input to others: these options never ask for an approximate result."""

    def recognises(self, file: ReceivedFile) -> bool:
        """Return whether there is no header, so that only the cells of a sheet may hold one."""
        return file.request.robust and file.bare

    def restore(self, file: ReceivedFile) -> RestoredSheet:
        """Restore a sheet, if the picture is one."""
        request, name = file.request, file.source.name
        try:
            received, match = match_in(file.source, request.settings.max_pixels)
        except FormatError:
            raise no_header(name) from None
        return restored_sheet(received, match, request.key, request.settings.threads)


def restored_sheet(
    received: Samples, match: CarrierMatch, key: RestoringKey, threads: int | None
) -> RestoredSheet:
    """Restore a sheet that was found."""
    from sudokucrypt.recipes.robust import unscrambled

    picture = unscrambled(received, match, key, threads)
    return RestoredSheet(restored=picture, match=match)


def match_in(source: SourceFile, max_pixels: int | None) -> tuple[Samples, CarrierMatch]:
    """Return the luma of a received picture, and the sheet that was found in it."""
    from sudokucrypt.robust import PREAMBLE_ROWS, find_carrier

    picture = source.taken(max_pixels)
    if picture.pixels.dtype not in (np.bool_, np.uint8, np.uint16):
        raise no_header(source.name)
    with suppress(DecryptionError):  # raised for the whole picture, too
        # A large picture of a stranger that is no sheet costs no more than its first rows.
        find_carrier(images.luma(picture, rows=PREAMBLE_ROWS))
    received = images.luma(picture)
    return received, find_carrier(received)


@dataclass(frozen=True, eq=False, kw_only=True)
class ProtectedSheet:
    """A picture that is ready to become a sheet, and how."""

    samples: Samples  # the picture, small enough
    key: Key
    digests: Sequence[bytes]  # what the salt depends on for the plain picture
    profile: int  # the number of a profile, 0 for none
    quality: int  # that of a JPEG, 1..100
    threads: int | None = None

    def draft(self, transfer: FileTransfer, **known: Any) -> Draft:
        """Return the draft of it, with what else is `known` for the report."""
        from sudokucrypt.robust import CarrierImage

        file_format, destination = transfer.settle("JPEG")
        rows, columns = CarrierImage.of(self.samples.shape).shape
        return Draft(
            destination=destination,
            report=RobustReport(shape=self.samples.shape, sent=(rows, columns), **known),
            make=partial(self.make, file_format),
            compare=partial(self.compare, file_format),
        )

    def make(self, file_format: str) -> Made:
        """Scramble the picture under a fresh salt."""
        from sudokucrypt.recipes.robust import fresh_salt

        return self._encoded(file_format, fresh_salt(self.key, self.digests)), None

    def compare(self, file_format: str, existing: SourceFile) -> None:
        """Raise an error unless the salt of an existing file makes the same sheet."""
        data = existing.data
        _, match = match_in(existing, None)
        match.header.open_key(self.key)
        # Encoding loses samples, but always the same ones: equal bytes are the only proof.
        same = match.header.profile == self.profile
        if not same or b"".join(self._encoded(file_format, match.header.salt)) != data:
            raise DifferingResultError("it is that of another picture or profile")

    def _encoded(self, file_format: str, salt: bytes) -> Iterable[Buffer]:
        from sudokucrypt.robust import scramble_robustly

        sheet = scramble_robustly(
            self.samples, self.key, salt=salt, profile=self.profile, threads=self.threads
        )
        return _encoded(sheet.samples, file_format, self.quality)


def sheet_of(
    picture: Picture, key: Key, digest: bytes, *, profile: str | None, max_side: int | None,
    quality: int, threads: int | None,
) -> tuple[ProtectedSheet, dict[str, Any]]:  # fmt: skip
    """Return the sheet of a picture, and notes on how it was made."""
    from sudokucrypt.recipes.robust import prepared

    if picture.header is not None:
        raise protected_already(exactly=False)
    samples, dropped = images.shown(picture)
    if _is_sheet(samples):
        raise protected_already(exactly=False)
    fitted, number = prepared(samples, profile, max_side)
    sheet = ProtectedSheet(
        samples=fitted, key=key, digests=[digest], profile=number, quality=quality, threads=threads
    )
    return sheet, {"dropped": dropped, "shrunk": fitted.shape != samples.shape}


@dataclass(frozen=True, eq=False, kw_only=True)
class RestoredSheet:
    """A picture that came back approximately."""

    restored: RobustPicture
    match: CarrierMatch

    @property
    def record(self) -> PictureRecord:
        """The picture; nothing is sealed about it."""
        return PictureRecord(picture=Picture.plain(self.restored.pixels))

    def draft(self, transfer: FileTransfer, settings: RestoreSettings) -> Draft:
        """Return the picture as PNG, JPEG or what else the target says."""
        file_format, destination = restored_format(transfer).settle("PNG")
        pixels, match = self.restored.pixels, self.match
        encoded = partial(_encoded, pixels, file_format, RESTORED_QUALITY, settings.compress)

        def compare(existing: SourceFile) -> None:
            if file_format == "JPEG":
                same = existing.data == b"".join(encoded())
            else:
                same = same_pictures(existing.taken(images.MAX_PIXELS), Picture.plain(pixels))
            if not same:
                raise DifferingResultError("its samples differ")

        report = RobustReport(
            shape=pixels.shape,
            sent=match.carrier.shape,
            expected_psnr=self.restored.expected_psnr,
            missing=self.restored.missing,
        )
        return Draft(
            destination=destination,
            report=report,
            make=lambda: (encoded(), None),
            compare=compare,
        )

    def again(self, transfer: FileTransfer, key: ProtectingKey, settings: OpenSettings) -> Draft:
        """Return the approximate picture for another key, as a sheet of the same size."""
        from sudokucrypt.recipes.robust import master_key
        from sudokucrypt.robust import profile_numbered

        number, pixels = self.match.header.profile, self.restored.pixels
        profile = profile_numbered(number)
        sheet = ProtectedSheet(
            samples=pixels,
            key=master_key(key),
            digests=[hashlib.sha256(pixels.tobytes()).digest()],
            profile=number,
            quality=profile.quality if profile else DEFAULT_QUALITY,
            threads=settings.threads,
        )
        return sheet.draft(sheet_format(transfer))


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
    if not isinstance(target, PATH_NAMES):
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
