"""Robust pictures: sheets that survive recompression, and come back approximately.

Their header is in cells of the samples, so that samples are decoded before it is checked.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sudokucrypt import images
from sudokucrypt.errors import DecryptionError, FormatError, UnsupportedError
from sudokucrypt.frozen import Frozen
from sudokucrypt.images import Picture, PictureRecord
from sudokucrypt.recipes.carriers.contract import (
    DifferingResultError,
    Draft,
    ProtectRequest,
    RobustReport,
    protected_already,
)
from sudokucrypt.recipes.carriers.picture import PlainPicture
from sudokucrypt.recipes.opening import no_header
from sudokucrypt.remote import Url

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sudokucrypt.keys import Key, ProtectingKey, RestoringKey
    from sudokucrypt.recipes.carriers.contract import Made, ReceivedFile
    from sudokucrypt.recipes.options import DecryptOptions, OpenOptions
    from sudokucrypt.recipes.robust import RobustPicture
    from sudokucrypt.recipes.sinks import Sink
    from sudokucrypt.recipes.sources import SourceFile
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

    def recognizes(self, file: ReceivedFile) -> bool:
        """Return whether there is no header, so that only the cells of a sheet may hold one."""
        return file.request.robust and file.bare

    def restore(self, file: ReceivedFile) -> RestoredSheet:
        """Restore a sheet, if the picture is one."""
        request, name = file.request, file.source.name
        try:
            received, match = match_in(file.source, request.options.max_pixels)
        except FormatError:
            raise no_header(name) from None
        return restore_sheet(received, match, request.key, request.options.threads)


def restore_sheet(
    received: Samples, match: CarrierMatch, key: RestoringKey, threads: int | None
) -> RestoredSheet:
    """Restore a sheet that was found."""
    from sudokucrypt.recipes.robust import restore_match

    picture = restore_match(received, match, key, threads)
    return RestoredSheet(restored=picture, match=match)


def match_in(source: SourceFile, max_pixels: int | None) -> tuple[Samples, CarrierMatch]:
    """Return the luma of a received picture, and the sheet that was found in it."""
    from sudokucrypt.robust import PREAMBLE_ROWS, find_carrier

    picture = source.take(max_pixels)
    if picture.pixels.dtype not in (np.bool_, np.uint8, np.uint16):
        raise no_header(source.name)
    with suppress(DecryptionError):  # raised for the whole picture, too
        # A large picture of a stranger that is not a sheet costs no more than its first rows.
        find_carrier(images.luma(picture, rows=PREAMBLE_ROWS))
    received = images.luma(picture)
    return received, find_carrier(received)


class ProtectedSheet(Draft):
    """A picture that is ready to become a sheet, and how."""

    format: str
    samples: Samples  # the picture, small enough
    key: Key
    digests: Sequence[bytes]  # what the salt depends on for the plain picture
    profile: int  # the number of a profile, 0 for none
    quality: int  # that of a JPEG, 1..100
    threads: int | None = None

    def make(self) -> Made:
        """Scramble the picture under a fresh salt."""
        from sudokucrypt.recipes.robust import fresh_salt

        return self._encode(fresh_salt(self.key, self.digests)), None

    def compare(self, existing: SourceFile) -> None:
        """Raise an error unless the salt of an existing file makes the same sheet."""
        data = existing.load()
        _, match = match_in(existing, None)
        match.header.open_key(self.key)
        # Encoding loses samples, but always the same ones: equal bytes are the only proof.
        same = match.header.profile == self.profile
        if not same or b"".join(self._encode(match.header.salt)) != data:
            raise DifferingResultError("it is that of another picture or profile")

    def _encode(self, salt: bytes) -> Iterable[Buffer]:
        from sudokucrypt.robust import scramble_robustly

        sheet = scramble_robustly(
            self.samples, self.key, salt=salt, profile=self.profile, threads=self.threads
        )
        return _encode(sheet.samples, self.format, self.quality)


def draft_sheet(
    sink: Sink, samples: Samples, known: Mapping[str, Any], **settings: Any
) -> ProtectedSheet:
    """Return the draft of a sheet, with what else is `known` for the report."""
    from sudokucrypt.robust import CarrierImage

    file_format, destination = sheet_format(sink).settle("JPEG")
    rows, columns = CarrierImage.for_picture(samples.shape).shape
    return ProtectedSheet(
        destination=destination,
        report=RobustReport(shape=samples.shape, sent=(rows, columns), **known),
        format=file_format,
        samples=samples,
        **settings,
    )


def fit_sheet(
    picture: Picture, profile: str | None, max_side: int | None
) -> tuple[Samples, int, dict[str, Any]]:
    """Return a picture that is small enough, the number of its profile, and what is reported."""
    from sudokucrypt.recipes.robust import fit_picture

    if picture.header is not None:
        raise protected_already(exactly=False)
    samples, dropped = images.flatten_picture(picture)
    if _is_sheet(samples):
        raise protected_already(exactly=False)
    fitted, number = fit_picture(samples, profile, max_side)
    return fitted, number, {"dropped": dropped, "shrunk": fitted.shape != samples.shape}


class RestoredSheet(Frozen):
    """A picture that was restored approximately."""

    restored: RobustPicture
    match: CarrierMatch

    def inspect(self) -> PictureRecord:
        """Return the picture; nothing is sealed about it."""
        return PictureRecord(picture=Picture.plain(self.restored.pixels))

    def draft(self, sink: Sink, options: DecryptOptions) -> Draft:
        """Return the picture as PNG, JPEG or what else the target says."""
        file_format, destination = restored_format(sink).settle("PNG")
        report = RobustReport(
            shape=self.restored.pixels.shape,
            sent=self.match.carrier.shape,
            expected_psnr=self.restored.expected_psnr,
            missing=self.restored.missing,
        )
        return RoughPicture(
            destination=destination,
            report=report,
            picture=Picture.plain(self.restored.pixels),
            format=file_format,
            options=options,
        )

    def again(self, sink: Sink, key: ProtectingKey, options: OpenOptions) -> Draft:
        """Return the approximate picture for another key, as a sheet of the same size."""
        from sudokucrypt.recipes.robust import master_key
        from sudokucrypt.robust import profile_numbered

        number, pixels = self.match.header.profile, self.restored.pixels
        profile = profile_numbered(number)
        return draft_sheet(
            sink,
            pixels,
            {},
            key=master_key(key),
            digests=[hashlib.sha256(pixels.tobytes()).digest()],
            profile=number,
            quality=profile.quality if profile else DEFAULT_QUALITY,
            threads=options.threads,
        )


class RoughPicture(PlainPicture):
    """A picture that was restored approximately, and may become a JPEG."""

    def make(self) -> Made:
        """Encode the picture."""
        encoded = _encode(self.picture.pixels, self.format, RESTORED_QUALITY, self.options.compress)
        return encoded, None

    def compare(self, existing: SourceFile) -> None:
        """Raise `DifferingResultError` for other samples."""
        if self.format != "JPEG":
            super().compare(existing)
        elif existing.load() != b"".join(self.make()[0]):
            raise DifferingResultError("its samples differ")


def sheet_format(sink: Sink) -> Sink:
    """Return a sink with the format of a sheet, which is JPEG or PNG."""
    chosen = sink.format or _format_of_target(sink) or "JPEG"
    if chosen not in ("JPEG", "PNG"):
        raise UnsupportedError(
            f"a robust picture is written as JPEG or PNG, not {chosen}",
            hint="use the suffix .jpg or .png",
        )
    return replace(sink, format=chosen)


def restored_format(sink: Sink) -> Sink:
    """Return a sink with the format of a restored picture, PNG unless another was asked for."""
    chosen = sink.format or _format_of_target(sink) or "PNG"
    if chosen == "JPEG" or chosen in images.writable_formats():
        return replace(sink, format=chosen)
    raise UnsupportedError(
        f"pictures cannot be written as {chosen}",
        hint=f"use JPEG, {', '.join(images.writable_formats())}",
    )


def _format_of_target(sink: Sink) -> str | None:
    """Return the format that the suffix of a path names; the suffix, if it is not known."""
    if not isinstance(sink.target, Path | Url):
        return None
    suffix = sink.target.suffix.lower()
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


def _encode(
    samples: Samples, file_format: str, quality: int, compress: int = 1
) -> Iterable[Buffer]:
    if file_format == "JPEG":
        return [images.jpeg_bytes(samples, quality=quality)]
    return images.picture_parts(Picture.plain(samples), file_format, compress=compress)
