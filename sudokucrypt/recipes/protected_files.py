"""Open and inspect protected files of any kind, whatever carried them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sudokucrypt.errors import FormatError
from sudokucrypt.recipes import operations
from sudokucrypt.recipes.carriers.contract import find_header, receive
from sudokucrypt.recipes.carriers.redacted import RedactionCarrier
from sudokucrypt.recipes.carriers.redaction.package import find_package
from sudokucrypt.recipes.carriers.robust import match_in
from sudokucrypt.recipes.opening import no_header, require_header_of_file
from sudokucrypt.recipes.options import OpenOptions
from sudokucrypt.recipes.robust import open_sheet
from sudokucrypt.recipes.sealed import find_header_beside
from sudokucrypt.recipes.sources import PATH_NAMES, FileSource, SourceFile
from sudokucrypt.storage import parse_location

if TYPE_CHECKING:
    from sudokucrypt.header import Header
    from sudokucrypt.images import PictureRecord
    from sudokucrypt.keys import RestoringKey
    from sudokucrypt.recipes.carriers.contract import PlainFile
    from sudokucrypt.recipes.redaction_info import Redaction
    from sudokucrypt.robust import CarrierMatch

_USUAL = OpenOptions()


def open_file(
    source: FileSource, key: RestoringKey, options: OpenOptions = _USUAL, *, name: str = "input"
) -> PlainFile:
    """Return the plain file of a protected file in memory, after checking all of it.

    Errors are those of `decrypt_file`, for any scheme with a tag, and for robust pictures, which
    are restored approximately. A picture has the format that suits it. A stream is called `name`.
    """
    location = parse_location(source) if isinstance(source, PATH_NAMES) else Path(name)
    return operations.open_plain(source, key, options, location)


@dataclass(frozen=True, kw_only=True, eq=False)
class Inspection:
    """Facts about a protected file: public ones, and with a key its plain content."""

    header: Header | None = None  #: Its header, none for a robust picture.
    #: Whether the file holds another header than the sidecar that was read, without a key.
    other: bool = False
    sheet: CarrierMatch | None = None  #: What the cells of a robust picture say.
    #: The plain picture and what was sealed about it, if there was a key, and a header or layers.
    record: PictureRecord | None = None
    redaction: Redaction | None = None  #: What is covered in a redacted picture.


def inspect_file(
    source: FileSource, key: RestoringKey | None = None, options: OpenOptions = _USUAL
) -> Inspection:
    """Return facts about a protected file of any kind, and check that the key restores it.

    Of a robust picture the key is compared with its header alone; of a redacted one it must lift
    a cover.

    Raises
    ------
    DecryptionError
        If the key is wrong, or the picture or its header was changed.
    FormatError, InvalidImageError, UnsupportedError
        As for `read_header`.
    """
    limit, received = options.max_pixels, None
    if key is None:
        file = SourceFile.read(source)
        embedded = file.find_header(limit)
        if embedded is not None or find_package(file) is None:
            # Without a key nothing but its decoding shows whether a picture is whole.
            embedded = file.decode(limit).header
        header = find_header_beside(file.location, embedded, options.sidecar)
        if header is not None:
            other = embedded not in (None, header.to_bytes())
            return Inspection(header=require_header_of_file(header), other=other)
    else:
        received = receive(operations.make_request(source, key, options))
        file = received.source
        if received.sidecar is not None or find_header(received) is not None:
            restored, received = operations.restore_in_memory(received)
            return Inspection(header=received.header, record=restored.inspect())
    if (package := find_package(file)) is not None:
        from sudokucrypt.recipes.redaction_info import describe_redaction  # with all that redacts

        record = None if received is None else RedactionCarrier().restore(received).inspect()
        return Inspection(record=record, redaction=describe_redaction(file, package, limit))
    return Inspection(sheet=_read_carrier_image(file, key, limit))


def _read_carrier_image(
    file: SourceFile, key: RestoringKey | None, max_pixels: int | None
) -> CarrierMatch:
    """Read the cells of a robust picture, and require that a key fits their header."""
    try:
        _, match = match_in(file, max_pixels)
    except FormatError:
        raise no_header(file.name) from None
    if key is not None:
        open_sheet(match, key)
    return match
