"""Open and inspect protected files of any kind."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sudokucrypt.errors import FormatError
from sudokucrypt.recipes import operations
from sudokucrypt.recipes.carriers.contract import find_header, receive_file
from sudokucrypt.recipes.carriers.redacted import RedactionCarrier
from sudokucrypt.recipes.carriers.redaction.package import find_package
from sudokucrypt.recipes.carriers.robust import find_carrier_match
from sudokucrypt.recipes.opening import make_no_header_error, require_header_of_file
from sudokucrypt.recipes.options import OpenOptions
from sudokucrypt.recipes.robust import open_picture_key
from sudokucrypt.recipes.sealed import find_sidecar_or_file_header
from sudokucrypt.recipes.sources import PATH_NAMES, FileSource, SourceFile
from sudokucrypt.storage import parse_location

if TYPE_CHECKING:
    from sudokucrypt.header import Header
    from sudokucrypt.images import PictureRecord
    from sudokucrypt.keys import RestoringKey
    from sudokucrypt.recipes.carriers.contract import PlainFile
    from sudokucrypt.recipes.redaction_info import Redaction
    from sudokucrypt.robust import CarrierMatch

_DEFAULT_OPTIONS = OpenOptions()


def open_file(
    source: FileSource,
    key: RestoringKey,
    options: OpenOptions = _DEFAULT_OPTIONS,
    *,
    name: str = "input",
) -> PlainFile:
    """Restore a protected file of any scheme in memory, after checking all of it.

    Robust pictures are restored approximately. A picture is encoded in a format that suits it.
    `name` stands in for the name of a stream. Errors are those of `decrypt_file`.
    """
    location = parse_location(source) if isinstance(source, PATH_NAMES) else Path(name)
    return operations.open_plain_file(source, key, options, location)


@dataclass(frozen=True, kw_only=True, eq=False)
class Inspection:
    """Facts about a protected file: public facts and, if a key was given, its plain content."""

    header: Header | None = None  #: Its header; None for a robust picture.
    #: Without a key: whether the file itself contains another header than the sidecar. The facts
    #: are from the header in the sidecar.
    other: bool = False
    carrier: CarrierMatch | None = None  #: The carrier image of a robust picture, with its header.
    #: With a key: the plain picture with its sealed metadata; None for a robust picture.
    record: PictureRecord | None = None
    redaction: Redaction | None = None  #: Public facts about a redacted picture.


def inspect_file(
    source: FileSource, key: RestoringKey | None = None, options: OpenOptions = _DEFAULT_OPTIONS
) -> Inspection:
    """Return facts about a protected file of any kind, and check that the key restores it.

    For a robust picture, only its header is checked with the key. For a redacted picture, the key
    must open a layer.

    Raises
    ------
    DecryptionError
        If the key is wrong, or the picture or its header was changed.
    FormatError, InvalidImageError, UnsupportedError
        As for `read_header`.
    """
    limit, received_file = options.max_pixels, None
    if key is None:
        file = SourceFile.read(source)
        embedded_header = file.find_header(limit)
        if embedded_header is not None or find_package(file) is None:
            # Without a key, only decoding shows whether a picture is damaged.
            embedded_header = file.decode(limit).header
        header = find_sidecar_or_file_header(file.location, embedded_header, options.sidecar)
        if header is not None:
            has_other_header = embedded_header not in (None, header.to_bytes())
            return Inspection(header=require_header_of_file(header), other=has_other_header)
    else:
        received_file = receive_file(operations.make_request(source, key, options))
        file = received_file.source
        if received_file.sidecar is not None or find_header(received_file) is not None:
            restored_result, received_file = operations.restore_in_memory(received_file)
            return Inspection(header=received_file.header, record=restored_result.get_record())
    if (package := find_package(file)) is not None:
        from sudokucrypt.recipes.redaction_info import describe_redaction

        record = (
            None
            if received_file is None
            else RedactionCarrier().restore(received_file).get_record()
        )
        return Inspection(record=record, redaction=describe_redaction(file, package, limit))
    return Inspection(carrier=_read_carrier_image(file, key, limit))


def _read_carrier_image(
    file: SourceFile, key: RestoringKey | None, max_pixels: int | None
) -> CarrierMatch:
    """Find the carrier image of a robust picture, and check its header with the key, if any."""
    try:
        _, carrier_match = find_carrier_match(file, max_pixels)
    except FormatError:
        raise make_no_header_error(file.name) from None
    if key is not None:
        open_picture_key(carrier_match, key)
    return carrier_match
