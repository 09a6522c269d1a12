"""Protected files on their way in: read first, then the header is found, then it is opened.

The order is explicit, since each step relies on the one before. `receive` reads the file once, so
that it may be a stream. `find_header` decides which header counts while the bytes are held.
`open_received` checks the seal at the one door. Carriers get the `ReceivedFile` that comes out: its
fields are values, and nothing is read when they are used.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from sudokucrypt.errors import FormatError, InvalidImageError
from sudokucrypt.header import Header
from sudokucrypt.images import default_format, suffix_of
from sudokucrypt.keys import RestoringKey
from sudokucrypt.recipes.opening import OpenedHeader, open_header, require_header_of_file
from sudokucrypt.recipes.options import OpenOptions
from sudokucrypt.recipes.protection import Scheme, checked_key
from sudokucrypt.recipes.transfer import FileSource, Sink, SourceFile, find_sidecar, read_sidecar
from sudokucrypt.storage import Location, name_here


@dataclass(frozen=True, eq=False, kw_only=True)
class RestoreRequest:
    """How something protected is to be restored."""

    source: FileSource
    key: RestoringKey
    options: OpenOptions
    # From a header to the scheme that restores it, or the error for one that the recipe does not.
    scheme_of: Callable[[Header], Scheme]
    robust: bool = False  # whether pictures without header may be robust ones


@dataclass(frozen=True, eq=False, kw_only=True)
class ReceivedFile:
    """A protected file that was read, and its header once that was found and opened."""

    request: RestoreRequest
    source: SourceFile
    sidecar: Location | None  # where the header is, if not in the file
    inside_only: bool  # whether only a header in the file counts, wherever a sidecar is
    header: Header | None = None
    opened: OpenedHeader | None = None  # the header behind the one door
    bare: bool = False  # whether there is no header, not even a damaged one

    def require_free_name(self, sink: Sink) -> None:
        """Raise an error if the plain file exists, before any sample is decoded.

        The seal covers its name or its format.
        """
        if self.opened is None or sink.options.resume or sink.names_format:
            return
        record = self.opened.record
        if record.file is not None:
            name = name_here(record.file.name)
            sink.require_free_name(Path(name).suffix, name)
            return
        stays_jpeg = record.structure is not None and sink.keeps_jpeg
        usual = "JPEG" if stays_jpeg else default_format(record.picture)
        sink.require_free_name(suffix_of(usual))


def receive(request: RestoreRequest, *, inside_only: bool = False) -> ReceivedFile:
    """Read a protected file, and see whether a sidecar was named or is next to it."""
    checked_key(request.key)
    source = SourceFile.read(request.source)
    return ReceivedFile(
        request=request,
        sidecar=None if inside_only else find_sidecar(source.location, request.options.sidecar),
        source=source,
        inside_only=inside_only,
    )


def find_header(file: ReceivedFile) -> Header | None:
    """Return the header that counts: from the sidecar, if there is one, else from the file.

    It needs the bytes of the file, and decodes no sample before the file proved to have its header
    nowhere else.
    """
    source, limit = file.source, file.request.options.max_pixels
    embedded = source.find_header(limit)  # a sidecar does not make a picture of what is none
    if file.sidecar is not None:
        return require_header_of_file(read_sidecar(file.sidecar))
    if embedded is None and not file.inside_only:
        # Last, since nothing has proved these samples yet.
        embedded = source.find_header_in_rows(limit)
    return None if embedded is None else require_header_of_file(Header.from_bytes(embedded))


def open_received(file: ReceivedFile) -> ReceivedFile:
    """Return a file with its header, whose seal holds."""
    request, header = file.request, find_header(file)
    if header is None:
        return replace(file, bare=True)
    opened = open_header(
        header,
        request.key,
        scheme=request.scheme_of(header),
        max_rounds=request.options.max_rounds,
        threads=request.options.threads,
    )
    return replace(file, header=header, opened=opened)


def receive_without_sidecar(file: ReceivedFile) -> ReceivedFile | None:
    """Read a file again for the header in it, if its sidecar hides another one."""
    if file.sidecar is None:
        return None
    used = None
    with suppress(FormatError):
        used = read_sidecar(file.sidecar)
    with suppress(FormatError, InvalidImageError):  # a stream is not read twice
        other = receive(file.request, inside_only=True)
        if find_header(other) not in (None, used):
            return other
    return None
