"""Robust pictures: carrier images that survive recompression, and are restored approximately.

Their header is stored in the samples, so that samples are decoded before the header is checked.
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
from sudokucrypt.frozen import FrozenObject
from sudokucrypt.images import Picture, PictureRecord
from sudokucrypt.recipes.carriers.contract import (
    DifferingResultError,
    Draft,
    ProtectRequest,
    RobustReport,
    make_protected_error,
)
from sudokucrypt.recipes.carriers.picture import PlainPictureDraft
from sudokucrypt.recipes.opening import make_no_header_error
from sudokucrypt.remote import Url

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sudokucrypt.keys import Key, ProtectingKey, RestoringKey
    from sudokucrypt.recipes.carriers.contract import PartsAndSidecar, ReceivedFile
    from sudokucrypt.recipes.options import DecryptOptions, OpenOptions
    from sudokucrypt.recipes.robust import RobustPicture
    from sudokucrypt.recipes.sinks import Sink
    from sudokucrypt.recipes.sources import SourceFile
    from sudokucrypt.robust import CarrierMatch
    from sudokucrypt.typing import Buffer, Samples

# `sudokucrypt.robust` is imported inside functions, since other pictures need not load it.

# Quality of the JPEG that is sent, unless profile or caller chooses another.
DEFAULT_QUALITY = 92

# Quality of a restored picture that is written as JPEG; a higher one would only keep artifacts.
RESTORED_QUALITY = 95


class RobustCarrier:
    """The carrier of still pictures that are sent through services that recompress pictures."""

    def plan_draft(self, source: SourceFile, request: ProtectRequest) -> None:
        """Leave each input to other carriers: a request never asks for an approximate result."""

    def recognizes(self, file: ReceivedFile) -> bool:
        """Return whether the file has no header, except perhaps a header in its samples."""
        return file.request.robust and file.has_no_header

    def restore(self, file: ReceivedFile) -> RestoredCarrierImage:
        """Restore a carrier image, or raise `FormatError` if the picture is not one."""
        request, name = file.request, file.source.name
        try:
            received_luma, carrier_match = find_carrier_match(
                file.source, request.options.max_pixels
            )
        except FormatError:
            raise make_no_header_error(name) from None
        return restore_carrier_image(
            received_luma, carrier_match, request.key, request.options.threads
        )


def restore_carrier_image(
    received_luma: Samples, carrier_match: CarrierMatch, key: RestoringKey, threads: int | None
) -> RestoredCarrierImage:
    """Restore the picture in a carrier image that was found."""
    from sudokucrypt.recipes.robust import restore_matched_picture

    picture = restore_matched_picture(received_luma, carrier_match, key, threads)
    return RestoredCarrierImage(restored_picture=picture, carrier_match=carrier_match)


def find_carrier_match(source: SourceFile, max_pixels: int | None) -> tuple[Samples, CarrierMatch]:
    """Return the luma of a received picture, and the carrier image that was found in it."""
    from sudokucrypt.robust import PREAMBLE_ROWS, find_carrier

    picture = source.pop_picture(max_pixels)
    if picture.pixels.dtype not in (np.bool_, np.uint8, np.uint16):
        raise make_no_header_error(source.name)
    with suppress(DecryptionError):  # the search in the whole picture raises this error again
        # Reject other pictures by their first rows, since the picture may be large.
        find_carrier(images.compute_luma(picture, rows=PREAMBLE_ROWS))
    received_luma = images.compute_luma(picture)
    return received_luma, find_carrier(received_luma)


class CarrierImageDraft(Draft):
    """A picture that is ready to be scrambled into a carrier image."""

    format: str
    samples: Samples  # the picture, reduced to the size that the carrier image allows
    key: Key
    digests: Sequence[bytes]  # of the plain picture, as input of the salt
    profile: int  # the number of a profile, 0 for none
    quality: int  # of a JPEG, 1..100
    threads: int | None = None

    def make_parts(self) -> PartsAndSidecar:
        """Scramble the picture under a new salt."""
        from sudokucrypt.recipes.robust import make_hedged_salt

        return self._encode(make_hedged_salt(self.key, self.digests)), None

    def compare(self, existing_file: SourceFile) -> None:
        """Raise an error unless encoding with the salt of an existing file gives that file."""
        data = existing_file.load()
        _, carrier_match = find_carrier_match(existing_file, None)
        carrier_match.header.open_key(self.key)
        # Encoding is lossy but deterministic: compare files, since pictures differ after decoding.
        has_same_profile = carrier_match.header.profile == self.profile
        if not has_same_profile or b"".join(self._encode(carrier_match.header.salt)) != data:
            raise DifferingResultError("it was made of another picture or for another profile")

    def _encode(self, salt: bytes) -> Iterable[Buffer]:
        from sudokucrypt.robust import scramble_robustly

        carrier = scramble_robustly(
            self.samples, self.key, salt=salt, profile=self.profile, threads=self.threads
        )
        return _encode(carrier.samples, self.format, self.quality)


def draft_carrier_image(
    sink: Sink, samples: Samples, report_fields: Mapping[str, Any], **settings: Any
) -> CarrierImageDraft:
    """Return the draft of a carrier image; `report_fields` go to its report."""
    from sudokucrypt.robust import CarrierImage

    file_format, destination = choose_carrier_format(sink).choose_destination("JPEG")
    rows, columns = CarrierImage.for_picture(samples.shape).shape
    return CarrierImageDraft(
        destination=destination,
        report=RobustReport(shape=samples.shape, sent=(rows, columns), **report_fields),
        format=file_format,
        samples=samples,
        **settings,
    )


def prepare_robust_picture(
    picture: Picture, profile: str | None, max_side: int | None
) -> tuple[Samples, int, dict[str, Any]]:
    """Reduce a picture for a carrier image; return it, the profile number and report fields."""
    from sudokucrypt.recipes.robust import fit_picture

    if picture.header is not None:
        raise make_protected_error(is_restorable=False)
    samples, dropped_names = images.flatten_picture(picture)
    if _is_carrier_image(samples):
        raise make_protected_error(is_restorable=False)
    fitted_samples, number = fit_picture(samples, profile, max_side)
    return (
        fitted_samples,
        number,
        {"dropped": dropped_names, "shrunk": fitted_samples.shape != samples.shape},
    )


class RestoredCarrierImage(FrozenObject):
    """A picture that was restored approximately from a carrier image."""

    restored_picture: RobustPicture
    carrier_match: CarrierMatch

    def get_record(self) -> PictureRecord:
        """Return the picture, without metadata, since a carrier image seals none."""
        return PictureRecord(picture=Picture.plain(self.restored_picture.pixels))

    def make_draft(self, sink: Sink, options: DecryptOptions) -> Draft:
        """Return the draft of the picture, as PNG unless the target names another format."""
        file_format, destination = choose_restored_format(sink).choose_destination("PNG")
        report = RobustReport(
            shape=self.restored_picture.pixels.shape,
            sent=self.carrier_match.carrier.shape,
            expected_psnr=self.restored_picture.expected_psnr,
            missing=self.restored_picture.missing,
        )
        return ApproximatePictureDraft(
            destination=destination,
            report=report,
            picture=Picture.plain(self.restored_picture.pixels),
            format=file_format,
            options=options,
        )

    def reprotect(self, sink: Sink, key: ProtectingKey, options: OpenOptions) -> Draft:
        """Return the draft of a carrier image of the same size under another key."""
        from sudokucrypt.recipes.robust import require_master_key
        from sudokucrypt.robust import profile_numbered

        number, pixels = self.carrier_match.header.profile, self.restored_picture.pixels
        profile = profile_numbered(number)
        return draft_carrier_image(
            sink,
            pixels,
            {},
            key=require_master_key(key),
            digests=[hashlib.sha256(pixels.tobytes()).digest()],
            profile=number,
            quality=profile.quality if profile else DEFAULT_QUALITY,
            threads=options.threads,
        )


class ApproximatePictureDraft(PlainPictureDraft):
    """A picture that was restored approximately, and may be written as JPEG."""

    def make_parts(self) -> PartsAndSidecar:
        """Encode the picture."""
        encoded_picture = _encode(
            self.picture.pixels, self.format, RESTORED_QUALITY, self.options.compress
        )
        return encoded_picture, None

    def compare(self, existing_file: SourceFile) -> None:
        """Raise `DifferingResultError` if the existing picture has other samples."""
        if self.format != "JPEG":
            super().compare(existing_file)
        elif existing_file.load() != b"".join(self.make_parts()[0]):
            raise DifferingResultError("its samples differ")


def choose_carrier_format(sink: Sink) -> Sink:
    """Return the sink with the format of a carrier image: JPEG, or PNG if requested."""
    chosen_format = sink.format or _find_target_format(sink) or "JPEG"
    if chosen_format not in ("JPEG", "PNG"):
        raise UnsupportedError(
            f"a robust picture is written as JPEG or PNG, not {chosen_format}",
            hint="use the suffix .jpg or .png",
        )
    return replace(sink, format=chosen_format)


def choose_restored_format(sink: Sink) -> Sink:
    """Return the sink with the format of a restored picture: the requested one, or PNG."""
    chosen_format = sink.format or _find_target_format(sink) or "PNG"
    if chosen_format == "JPEG" or chosen_format in images.writable_formats():
        return replace(sink, format=chosen_format)
    raise UnsupportedError(
        f"pictures cannot be written as {chosen_format}",
        hint=f"use JPEG, {', '.join(images.writable_formats())}",
    )


def _find_target_format(sink: Sink) -> str | None:
    """Return the format for the suffix of the target, or the suffix if it is unknown, or None."""
    if not isinstance(sink.target, Path | Url):
        return None
    suffix = sink.target.suffix.lower()
    driver = images.find_driver(suffix)
    return driver.name if driver else suffix or "a file without suffix"


def _is_carrier_image(samples: Samples) -> bool:
    from sudokucrypt.robust import PREAMBLE_ROWS, find_carrier

    try:
        # A carrier image is gray, so one channel suffices, and the luma need not be computed.
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
