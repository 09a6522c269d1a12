"""What a carrier is: one kind of thing that a file can be protected as.

A carrier recognises what it can protect, and plans how; it recognises what it has protected, and
restores it in memory. Both end in a `Draft`: a result that is settled but not yet made. The four
operations, `protect`, `restore`, `rekey` and `open_plain`, know carriers by nothing else.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Protocol, TypeAlias

from sudokucrypt.ciphers import ENCRYPT, SCRAMBLE, SCRAMBLE_JPEG
from sudokucrypt.errors import FormatError, InvalidImageError, SudokucryptError, UnsupportedError
from sudokucrypt.header import Header
from sudokucrypt.images import PictureRecord, default_format, suffix_of
from sudokucrypt.keys import ProtectingKey, RestoringKey
from sudokucrypt.recipes.opening import (
    OpenedHeader,
    open_header,
    require_header_of_file,
    required_header,
)
from sudokucrypt.recipes.options import ContentSettings, OpenSettings, RestoreSettings
from sudokucrypt.recipes.protection import Protection, Scheme
from sudokucrypt.recipes.reporting import FileReport
from sudokucrypt.recipes.source_files import SourceFile
from sudokucrypt.recipes.transfer import Destination, FileTransfer
from sudokucrypt.storage import Location, name_here
from sudokucrypt.typing import Buffer

# The parts of a file, and its header, which only a protected one has, or the layers of a redaction
# that are written next to it.
Made: TypeAlias = tuple[Iterable[Buffer], Header | bytes | None]


class DifferingResultError(SudokucryptError):
    """A result that exists is not what would be written; the message says in what it differs."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Draft:
    """A result that is ready to be made."""

    destination: Destination  # where it goes
    report: FileReport  # what is known of it before it is made
    # It is called once, since it may take the memory of what the result is made from.
    make: Callable[[], Made]
    # Returns the header of an existing file that is this result; any of our errors says that it is
    # another one.
    compare: Callable[[SourceFile], Header | None]
    # The time of the result in nanoseconds since 1970; None for that of the input.
    time: int | None = None
    new: bool = False  # whether it must be a new file, whatever the caller allows to be replaced


@dataclass(frozen=True, eq=False, kw_only=True)
class PlainFile:
    """A plain file in memory: its name, its media type if that is known, and its bytes.

    A sealed name is made harmless, as `decrypt_file` does. Of a picture whose samples were
    protected, the name is made from that of the protected file.
    """

    name: str
    type: str | None
    content: Buffer


class Restored(Protocol):
    """Something that was restored in memory, and proved authentic where its scheme can."""

    @property
    def record(self) -> PictureRecord:
        """The plain picture, and what was sealed about it."""
        ...

    def draft(self, transfer: FileTransfer, settings: RestoreSettings) -> Draft:
        """Return the plain file that is to be written."""
        ...

    def again(self, transfer: FileTransfer, key: ProtectingKey, settings: OpenSettings) -> Draft:
        """Return the same thing, to be protected with another key."""
        ...


@dataclass(frozen=True, eq=False, kw_only=True)
class ProtectRequest:
    """How something is to be protected."""

    transfer: FileTransfer
    key: ProtectingKey
    protection: Protection
    settings: ContentSettings

    def keeps_jpeg(self, source: SourceFile) -> bool:
        """Return whether an input is a JPEG, and nothing asked for stops it from staying one."""
        protection = self.protection
        moves_blocks = protection.scheme in (SCRAMBLE, SCRAMBLE_JPEG) and protection.unit == "pixel"
        return moves_blocks and source.is_jpeg and self.transfer.keeps_jpeg

    @property
    def usual_suffix(self) -> str | None:
        """The suffix that the result of a file with such a name has, if that is all but certain."""
        transfer = self.transfer
        if transfer.format is not None:
            return suffix_of(transfer.format)
        suffix = transfer.source_suffix
        if suffix == ".png" or self.settings.as_file or self.leaves_mode_open:
            return ".png"
        scrambles = self.protection.scheme is SCRAMBLE and self.protection.unit == "pixel"
        return suffix if scrambles and suffix == ".jpg" else None

    @property
    def leaves_mode_open(self) -> bool:
        """Whether the caller left open what is encrypted, and no option needs pixels."""
        return self.settings.as_file is None and self.suits_files

    @property
    def suits_files(self) -> bool:
        """Whether no option needs pixels."""
        sealed = self.settings.metadata == "seal"
        return sealed and self.protection.scheme is ENCRYPT


@dataclass(frozen=True, eq=False, kw_only=True)
class RestoreRequest:
    """Something protected that is to be restored."""

    transfer: FileTransfer
    key: RestoringKey
    settings: OpenSettings
    # From a header to the scheme that restores it, or the error for one that the recipe does not.
    scheme_of: Callable[[Header], Scheme]
    robust: bool = False  # whether pictures without header may be robust ones
    beside: bool = True  # whether a sidecar next to the file counts, if none is named

    @cached_property
    def source(self) -> SourceFile:
        """The protected file."""
        return self.transfer.read()

    @cached_property
    def embedded(self) -> bytes | None:
        """The header in the file; no sample is decoded."""
        return self.source.header(self.settings.max_pixels)

    @cached_property
    def header(self) -> Header | None:
        """The header that counts: from the sidecar, if there is one, else from the file."""
        sidecar, embedded = self.sidecar, self.embedded  # now, while the bytes of the file are held
        if sidecar is not None:
            return require_header_of_file(self.transfer.header_in(sidecar))
        if embedded is None and self.beside:
            # Last, since nothing has proved these samples yet.
            embedded = self.source.header_in_rows(self.settings.max_pixels)
        return None if embedded is None else require_header_of_file(Header.from_bytes(embedded))

    @cached_property
    def sidecar(self) -> Location | None:
        """The sidecar that was named, or that is next to the file."""
        named = self.settings.sidecar
        return self.transfer.sidecar(named) if self.beside or named is not None else None

    @cached_property
    def opened(self) -> OpenedHeader | None:
        """The header behind the one door, none for a file without."""
        if self.header is None:
            return None
        return open_header(
            self.header,
            self.key,
            scheme=self.scheme_of(required_header(self.header)),
            max_rounds=self.settings.max_rounds,
            threads=self.settings.threads,
        )

    def require_free_name(self) -> None:
        """Raise an error if the plain file exists, before any sample is decoded.

        The seal covers its name or its format.
        """
        transfer, opened = self.transfer, None
        with suppress(InvalidImageError, UnsupportedError):  # a carrier may know what we do not
            opened = None if transfer.resume or transfer.names_format else self.opened
        if opened is None:
            return
        record = opened.record
        if record.file is not None:
            name = name_here(record.file.name)
            transfer.require_free_name(Path(name).suffix, name)
            return
        stays_jpeg = record.structure is not None and transfer.keeps_jpeg
        usual = "JPEG" if stays_jpeg else default_format(record.picture)
        transfer.require_free_name(suffix_of(usual))

    def without_sidecar(self) -> "RestoreRequest | None":
        """Return the request that takes the header in the file, if a sidecar hides another one."""
        if self.sidecar is None:
            return None
        used, inside = None, None
        other = replace(self, beside=False, settings=replace(self.settings, sidecar=None))
        with suppress(FormatError):
            used = self.header
        with suppress(FormatError, InvalidImageError):  # a stream is not read twice
            inside = other.header
        return None if inside in (None, used) else other


class Carrier(Protocol):
    """One kind of thing that a file can be protected as."""

    def plan(self, source: SourceFile, request: ProtectRequest) -> Draft | None:
        """Return what protecting gives, or none for an input that this carrier leaves to others.

        The draft may keep what it needs of the source, which is released after this.
        """
        ...

    def recognises(self, request: RestoreRequest) -> bool:
        """Return whether this carrier protected the input, by what its header says.

        `RestoreRequest.opened` checks the seal; nothing is decoded before it was asked for.
        """
        ...

    def restore(self, request: RestoreRequest) -> Restored:
        """Restore what was recognised, in memory."""
        ...


def protected_already(*, exactly: bool = True) -> UnsupportedError:
    """Return the error for an input that is a protected picture.

    There is room for one header, and without it the first protection could not be undone.
    """
    rekey = "change its key, or " if exactly else ""
    return UnsupportedError(
        "the picture is protected already",
        hint=f"{rekey}restore it first to protect it in another way",
        hint_key="protected",
    )
