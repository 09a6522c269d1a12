"""Scramble picture files into robust ones, restore them, and read what they say."""

import hashlib
from typing import cast

from sudokucrypt.keys import ProtectingKey, RestoringKey
from sudokucrypt.options import checked_integer
from sudokucrypt.recipes import operations
from sudokucrypt.recipes.carriers.contract import RobustReport
from sudokucrypt.recipes.carriers.robust import (
    DEFAULT_QUALITY,
    draft_sheet,
    fit_sheet,
    match_in,
    restore_sheet,
    restored_format,
    sheet_format,
)
from sudokucrypt.recipes.options import DecryptOptions, RobustOptions, UnscrambleRobustOptions
from sudokucrypt.recipes.robust import master_key
from sudokucrypt.recipes.sinks import FileTarget, Sink
from sudokucrypt.recipes.sources import FileSource, SourceFile
from sudokucrypt.recipes.verbs import file_verb
from sudokucrypt.robust import CarrierMatch, profile_named


@file_verb(RobustOptions)
def scramble_robust_file(
    source: FileSource, target: FileTarget, key: ProtectingKey, options: RobustOptions
) -> RobustReport:
    """Scramble a picture file into a JPEG or PNG that survives recompression.

    With `resume`, a sheet is kept if its salt gives the very same file.

    Parameters
    ----------
    source : path or binary file
        Any picture of one frame that can be read. It is turned upright, and what is transparent
        lies on white; its metadata are left out.
    <target>
    key : Key
        A master key, as for `scramble_robust`.
    <options>

    Raises
    ------
    OutputExistsError, InvalidImageError, UnsupportedError, InvalidParameterError, InvalidKeyError
        As for `scramble_file` and `scramble_robust`.
    """
    key = master_key(key)
    service = None if options.profile is None else profile_named(options.profile)
    usual = service.quality if service else DEFAULT_QUALITY
    sink = sheet_format(Sink.of(source, target, options))
    quality = checked_integer("quality", options.quality or usual, most=100)
    file = SourceFile.read(source)
    # The digest of the file in place of that of its samples: it has a tenth of their bytes.
    digest = hashlib.sha256(file.load()).digest()
    samples, number, known = fit_sheet(
        file.take(options.max_pixels), options.profile, options.max_side
    )
    draft = draft_sheet(
        sink,
        samples,
        known,
        key=key,
        digests=[digest],
        profile=number,
        quality=quality,
        threads=options.threads,
    )
    return cast("RobustReport", operations.write(sink, lambda: (draft, file)))


@file_verb(UnscrambleRobustOptions)
def unscramble_robust_file(
    source: FileSource, target: FileTarget, key: RestoringKey, options: UnscrambleRobustOptions
) -> RobustReport:
    """Restore a picture file that a service recompressed.

    The suffix of `target` chooses JPEG, written at quality 95, or a format that keeps all samples,
    which is PNG by default.

    Parameters
    ----------
    source : path or binary file
        What was received, of any format that can be read.
    <target>
    key : Key or PictureKey
        As for `unscramble_robust`.
    <options>

    Raises
    ------
    FormatError, DecryptionError
        As for `unscramble_robust`; nothing is written.
    OutputExistsError, InvalidImageError, UnsupportedError, InvalidParameterError
        As for `unscramble_file`.
    """
    sink = restored_format(Sink.of(source, target, options))
    file = SourceFile.read(source)
    received, match = match_in(file, options.max_pixels)
    restored = restore_sheet(received, match, key, options.threads)
    draft = restored.draft(sink, DecryptOptions(threads=options.threads))
    return cast("RobustReport", operations.write(sink, lambda: (draft, file)))


def find_robust(source: FileSource, *, max_pixels: int | None = None) -> CarrierMatch:
    """Read the cells of a received picture file; no key is needed.

    ``find_robust(path).header.opened(key)`` returns the key of this picture, to share it.

    Raises
    ------
    FormatError
        If it is not a robust picture.
    DecryptionError
        If it is one, but its header is too damaged.
    InvalidImageError, UnsupportedError
        If the file cannot be read.
    """
    return match_in(SourceFile.read(source), max_pixels)[1]
