"""Scramble picture files into robust ones, restore them, and read their headers."""

import hashlib
from typing import cast

from sudokucrypt.keys import ProtectingKey, RestoringKey
from sudokucrypt.options import check_integer
from sudokucrypt.recipes import operations
from sudokucrypt.recipes.carriers.contract import RobustReport
from sudokucrypt.recipes.carriers.robust import (
    DEFAULT_QUALITY,
    choose_carrier_format,
    choose_restored_format,
    draft_carrier_image,
    find_carrier_match,
    prepare_robust_picture,
    restore_carrier_image,
)
from sudokucrypt.recipes.options import DecryptOptions, RobustOptions, UnscrambleRobustOptions
from sudokucrypt.recipes.robust import require_master_key
from sudokucrypt.recipes.sinks import FileTarget, Sink
from sudokucrypt.recipes.sources import FileSource, SourceFile
from sudokucrypt.recipes.verbs import wrap_file_function
from sudokucrypt.robust import CarrierMatch, profile_named


@wrap_file_function(RobustOptions)
def scramble_robust_file(
    source: FileSource, target: FileTarget, key: ProtectingKey, options: RobustOptions
) -> RobustReport:
    """Scramble a picture file into a JPEG or PNG that survives recompression.

    With `resume`, an existing result is kept if scrambling with its salt gives exactly this file.

    Parameters
    ----------
    source : path or binary file
        Any still picture that can be read. It is turned upright, transparent pixels are laid on
        white, and metadata are dropped.
    <target>
    key : Key
        A master key, as for `scramble_robust`.
    <options>

    Raises
    ------
    OutputExistsError, InvalidImageError, UnsupportedError, InvalidParameterError, InvalidKeyError
        As for `scramble_file` and `scramble_robust`.
    """
    key = require_master_key(key)
    service_profile = None if options.profile is None else profile_named(options.profile)
    default_quality = service_profile.quality if service_profile else DEFAULT_QUALITY
    sink = choose_carrier_format(Sink.for_target(source, target, options))
    quality = check_integer("quality", options.quality or default_quality, most=100)
    file = SourceFile.read(source)
    # The digest is computed from the file, since the samples have about ten times as many bytes.
    digest = hashlib.sha256(file.load()).digest()
    samples, number, report_fields = prepare_robust_picture(
        file.pop_picture(options.max_pixels), options.profile, options.max_side
    )
    draft = draft_carrier_image(
        sink,
        samples,
        report_fields,
        key=key,
        digests=[digest],
        profile=number,
        quality=quality,
        threads=options.threads,
    )
    return cast("RobustReport", operations.write(sink, lambda: (draft, file)))


@wrap_file_function(UnscrambleRobustOptions)
def unscramble_robust_file(
    source: FileSource, target: FileTarget, key: RestoringKey, options: UnscrambleRobustOptions
) -> RobustReport:
    """Restore a picture file that a service recompressed.

    The suffix of `target` chooses JPEG, written at quality 95, or a format that keeps all samples,
    which is PNG by default.

    Parameters
    ----------
    source : path or binary file
        The received picture, in any format that can be read.
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
    sink = choose_restored_format(Sink.for_target(source, target, options))
    file = SourceFile.read(source)
    received_luma, carrier_match = find_carrier_match(file, options.max_pixels)
    restored_image = restore_carrier_image(received_luma, carrier_match, key, options.threads)
    draft = restored_image.make_draft(sink, DecryptOptions(threads=options.threads))
    return cast("RobustReport", operations.write(sink, lambda: (draft, file)))


def find_robust(source: FileSource, *, max_pixels: int | None = None) -> CarrierMatch:
    """Find the carrier image in a received picture file, and read its header; no key is needed.

    ``find_robust(path).header.open_key(key)`` returns the key of this picture, to share it.

    Raises
    ------
    FormatError
        If it is not a robust picture.
    DecryptionError
        If it is one, but its header is too damaged.
    InvalidImageError, UnsupportedError
        If the file cannot be read.
    """
    return find_carrier_match(SourceFile.read(source), max_pixels)[1]
