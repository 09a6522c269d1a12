"""What a carrier is: one kind of thing that a file can be protected as.

A carrier recognises what it can protect, and plans how; it recognises what it has protected, and
restores it in memory. Both end in a `Draft`: a result that is settled but not yet made. The four
operations, `protect`, `restore`, `rekey` and `open_plain`, know carriers by nothing else.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from sudokucrypt.ciphers import ENCRYPT, SCRAMBLE, SCRAMBLE_JPEG
from sudokucrypt.errors import SudokucryptError, UnsupportedError
from sudokucrypt.header import Header
from sudokucrypt.images import PictureRecord, suffix_of
from sudokucrypt.keys import ProtectingKey
from sudokucrypt.recipes.carriers.receiving import ReceivedFile
from sudokucrypt.recipes.options import ContentSettings, OpenSettings, RestoreSettings
from sudokucrypt.recipes.protection import Protection
from sudokucrypt.recipes.reporting import FileReport
from sudokucrypt.recipes.source_files import SourceFile
from sudokucrypt.recipes.transfer import Destination, FileTransfer
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


class Carrier(Protocol):
    """One kind of thing that a file can be protected as."""

    def plan(self, source: SourceFile, request: ProtectRequest) -> Draft | None:
        """Return what protecting gives, or none for an input that this carrier leaves to others.

        The draft may keep what it needs of the source, which is released after this.
        """
        ...

    def recognises(self, file: ReceivedFile) -> bool:
        """Return whether this carrier protected the input, by what its header says.

        The seal of `ReceivedFile.opened` holds; nothing was decoded before. A file whose header
        cannot be opened has none there, and may still be recognised by its bytes.
        """
        ...

    def restore(self, file: ReceivedFile) -> Restored:
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
