"""Scramble picture files into robust ones, restore them, and read what they say."""

import hashlib
from typing import cast

from sudokucrypt.checks import checked_integer
from sudokucrypt.keys import ProtectingKey, RestoringKey
from sudokucrypt.recipes import operations
from sudokucrypt.recipes.carriers.robust import (
    DEFAULT_QUALITY,
    match_in,
    restored_format,
    restored_sheet,
    sheet_format,
    sheet_of,
)
from sudokucrypt.recipes.options import RestoreSettings
from sudokucrypt.recipes.reporting import RobustReport
from sudokucrypt.recipes.robust import master_key
from sudokucrypt.recipes.transfer import FileSource, FileTarget, FileTransfer
from sudokucrypt.robust import CarrierMatch, profile_named


def scramble_robust_file(
    source: FileSource,
    target: FileTarget,
    key: ProtectingKey,
    *,
    profile: str | None = None,
    max_side: int | None = None,
    quality: int | None = None,
    format: str | None = None,  # noqa: A002 - the word for it everywhere in this package
    max_pixels: int | None = None,
    threads: int | None = None,
    replace: bool = False,
    resume: bool = False,
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
        Of the JPEG, 1..100; by default 92, or that of the profile.
    format : {"JPEG", "PNG"}, optional
        What to write, whatever the suffix says.
    max_pixels, threads, replace, resume
        As for `scramble_file`. A sheet is kept if its salt gives the very same file.

    Raises
    ------
    OutputExistsError, InvalidImageError, UnsupportedError, InvalidParameterError, InvalidKeyError
        As for `scramble_file` and `scramble_robust`.
    """
    key = master_key(key)
    service = None if profile is None else profile_named(profile)
    usual = service.quality if service else DEFAULT_QUALITY
    transfer = sheet_format(
        FileTransfer(source, target, "scrambled", format=format, replace=replace, resume=resume)
    )
    quality = checked_integer("quality", quality or usual, most=100)
    source_file = transfer.read()
    # The digest of the file in place of that of its samples: it has a tenth of their bytes.
    digest = hashlib.sha256(source_file.data).digest()
    sheet, known = sheet_of(
        source_file.taken(max_pixels),
        key,
        digest,
        profile=profile,
        max_side=max_side,
        quality=quality,
        threads=threads,
    )
    draft = sheet.draft(transfer, **known)
    report = operations.written(transfer, lambda: (draft, source_file))
    return cast("RobustReport", report)


def unscramble_robust_file(
    source: FileSource,
    target: FileTarget,
    key: RestoringKey,
    *,
    format: str | None = None,  # noqa: A002 - as above
    max_pixels: int | None = None,
    threads: int | None = None,
    replace: bool = False,
    resume: bool = False,
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
    format, max_pixels, threads, replace, resume
        As for `scramble_robust_file` and `unscramble_file`.

    Raises
    ------
    FormatError, DecryptionError
        As for `unscramble_robust`; nothing is written.
    OutputExistsError, InvalidImageError, UnsupportedError, InvalidParameterError
        As for `unscramble_file`.
    """
    transfer = restored_format(
        FileTransfer(source, target, "restored", format=format, replace=replace, resume=resume)
    )
    source_file = transfer.read()
    received, match = match_in(source_file, max_pixels)
    restored = restored_sheet(received, match, key, threads)
    draft = restored.draft(transfer, RestoreSettings(threads=threads))
    return cast("RobustReport", operations.written(transfer, lambda: (draft, source_file)))


def find_robust(source: FileSource, *, max_pixels: int | None = None) -> CarrierMatch:
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
    return match_in(FileTransfer(source).read(), max_pixels)[1]
