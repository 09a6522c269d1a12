"""Scramble picture files into robust ones, restore them, and read what they say."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from sudokucrypt import images
from sudokucrypt.checks import checked_integer
from sudokucrypt.errors import DecryptionError, FormatError, UnsupportedError
from sudokucrypt.keys import MasterKey, RestoringKey
from sudokucrypt.recipes.reporting import FileReport
from sudokucrypt.recipes.robust import luma_of, master_key, scrambled, unscrambled
from sudokucrypt.recipes.routes import Input, Name, Route, Source, Target
from sudokucrypt.remote import Url
from sudokucrypt.robust import PREAMBLE_ROWS, CarrierMatch, find_carrier, profile_named
from sudokucrypt.storage import Location, parse_location
from sudokucrypt.typing import Buffer, Samples

DEFAULT_QUALITY = 92
"""Of the JPEG that is sent, where neither profile nor caller says another."""


RESTORED_QUALITY = 95
"""Of a restored picture that is written as JPEG."""


@dataclass(frozen=True)
class RobustReport(FileReport):
    """What came of a file, beside what `FileReport` says.

    Parameters
    ----------
    sent : tuple of int
        Rows and columns of the sheet.
    shrunk : bool
        Whether the picture was made smaller first.
    expected_psnr, missing : float or None
        As for `RobustPicture`; None where a picture was scrambled.
    """

    sent: tuple[int, int] = (0, 0)
    shrunk: bool = False
    expected_psnr: float | None = None
    missing: float | None = None


def scramble_robust_file(
    source: Source,
    target: Target,
    key: MasterKey,
    *,
    profile: str | None = None,
    max_side: int | None = None,
    quality: int | None = None,
    format: str | None = None,  # noqa: A002 - the word for it everywhere in this package
    max_pixels: int | None = None,
    threads: int | None = None,
    replace: bool = False,
) -> RobustReport:
    """Scramble a picture file into a JPEG or PNG that survives recompression.

    Parameters
    ----------
    source : path or binary file
        Any picture of one frame that can be read. It is turned upright, and what is transparent
        lies on white; its metadata are left out.
    target : path, binary file, callable or None
        As for `scramble_file`; the suffix chooses JPEG or PNG.
    key, profile, max_side
        As for `scramble_robust`.
    quality : int, optional
        Of the JPEG, 1..100; by default 92, or what the profile says.
    format : {"JPEG", "PNG"}, optional
        What to write, whatever the suffix says.
    max_pixels, threads, replace
        As for `scramble_file`.

    Raises
    ------
    OutputExistsError, InvalidImageError, UnsupportedError, InvalidParameterError, InvalidKeyError
        As for `scramble_file` and `scramble_robust`.
    """
    key = master_key(key)
    said = None if profile is None else profile_named(profile)
    quality = checked_integer(
        "quality", quality or (said.quality if said else DEFAULT_QUALITY), most=100
    )
    route = Route(
        source, target, "scrambled", format=_sheet_format(target, format), replace=replace
    )
    source_read = route.read()
    samples, dropped = _shown(source_read, max_pixels)
    if _is_sheet(samples):
        raise UnsupportedError(
            "the picture is protected already",
            hint="restore it first to protect it in another way",
            hint_key="protected",
        )
    # The digest of the file stands for that of its samples, of which it has ten times as many.
    digests = [hashlib.sha256(source_read.data).digest()]
    made = scrambled(samples, key, digests, profile=profile, max_side=max_side, threads=threads)
    place = _written(made.samples, route, source_read, quality)
    return RobustReport(
        shape=made.header.shape,
        sent=_two(made.samples.shape),
        target=place,
        dropped=dropped,
        shrunk=made.header.shape[:2] != samples.shape[:2],
    )


def unscramble_robust_file(
    source: Source,
    target: Target,
    key: RestoringKey,
    *,
    format: str | None = None,  # noqa: A002 - as above
    max_pixels: int | None = None,
    threads: int | None = None,
    replace: bool = False,
) -> RobustReport:
    """Restore a picture file that a service recompressed.

    Parameters
    ----------
    source : path or binary file
        What was received, of any format that can be read.
    target : path, binary file, callable or None
        As for `scramble_file`; the suffix chooses JPEG, written at quality 95, or a format that
        keeps all samples. By default PNG.
    key : Key or PictureKey
        As for `unscramble_robust`.
    format, max_pixels, threads, replace
        As for `scramble_robust_file`.

    Raises
    ------
    FormatError, DecryptionError
        As for `unscramble_robust`; nothing is written.
    OutputExistsError, InvalidImageError, UnsupportedError, InvalidParameterError
        As for `unscramble_file`.
    """
    route = Route(
        source, target, "restored", format=_restored_format(target, format), replace=replace
    )
    source_read = route.read()
    received, found = _found(source_read, max_pixels)
    picture = unscrambled(received, found, key, threads)
    place = _written(picture.pixels, route, source_read, RESTORED_QUALITY)
    return RobustReport(
        shape=picture.pixels.shape,
        dropped=(),
        sent=found.carrier.shape,
        target=place,
        expected_psnr=picture.expected_psnr,
        missing=picture.missing,
    )


def find_robust(source: Name | BinaryIO, *, max_pixels: int | None = None) -> CarrierMatch:
    """Return what the cells of a received picture file say; no key is needed.

    ``find_robust(path).header.opened(key)`` returns the key of this picture, to share it.

    Raises
    ------
    FormatError
        If it is no robust picture.
    DecryptionError
        If it is one, but its header is too damaged.
    InvalidImageError, UnsupportedError
        If the file cannot be read.
    """
    return _found(Route(source, None, "").read(), max_pixels)[1]


def _shown(source: Input, max_pixels: int | None) -> tuple[Samples, tuple[str, ...]]:
    picture = source.decoded(max_pixels)
    if picture.header is not None:
        raise UnsupportedError(
            "the picture is protected already",
            hint="restore it first to protect it in another way",
            hint_key="protected",
        )
    return images.shown(picture)


def _found(source: Input, max_pixels: int | None) -> tuple[Samples, CarrierMatch]:
    received = luma_of(images.shown(source.decoded(max_pixels))[0])
    return received, find_carrier(received)


def _is_sheet(samples: Samples) -> bool:
    try:
        # One color shows it as well as the light, and takes no time.
        find_carrier(np.atleast_3d(samples[:PREAMBLE_ROWS])[..., -1])
    except DecryptionError:
        return True
    except FormatError:
        return False
    return True


def _sheet_format(target: Target, format: str | None) -> str:  # noqa: A002 - as above
    chosen = format or _said_by(target) or "JPEG"
    if chosen not in ("JPEG", "PNG"):
        raise UnsupportedError(
            f"a robust picture is written as JPEG or PNG, not {chosen}",
            hint="use the suffix .jpg or .png",
        )
    return chosen


def _restored_format(target: Target, format: str | None) -> str:  # noqa: A002 - as above
    chosen = format or _said_by(target)
    if chosen is None or chosen == "JPEG" or chosen in images.writable_formats():
        return chosen or "PNG"
    raise UnsupportedError(
        f"pictures cannot be written as {chosen}",
        hint=f"use JPEG, {', '.join(images.writable_formats())}",
    )


def _said_by(target: Target) -> str | None:
    """Return the format that the suffix of a path asks for; what it is, if it is not known."""
    if not isinstance(target, str | os.PathLike | Url):
        return None
    suffix = parse_location(target).suffix.lower()
    driver = images.driver_of(suffix)
    return driver.name if driver else suffix or "a file without suffix"


def _written(samples: Samples, route: Route, source: Input, quality: int) -> Location | None:
    file_format, place = route.settle("JPEG")
    if file_format == "JPEG":
        content: Iterable[Buffer] = [images.jpeg_bytes(samples, quality=quality)]
    else:
        content = images.picture_parts(images.Picture.plain(samples), file_format, compress=1)
    route.store(place, content, source.status)
    return place if isinstance(place, Path | Url) else None


def _two(shape: tuple[int, ...]) -> tuple[int, int]:
    return shape[0], shape[1]
