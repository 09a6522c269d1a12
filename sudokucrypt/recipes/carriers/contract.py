"""What a carrier is: one kind of thing that a file can be protected as.

A carrier recognises what it can protect, and plans how; it recognises what it has protected, and
restores it in memory. Both end in a `Draft`: a report, and what makes the bytes. The four
operations, `protect`, `restore`, `rekey` and `open_plain`, know carriers by nothing else.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from sudokucrypt.ciphers import ENCRYPT, SCRAMBLE, SCRAMBLE_JPEG
from sudokucrypt.errors import SudokucryptError, UnsupportedError
from sudokucrypt.header import Header
from sudokucrypt.images import PictureRecord, suffix_of
from sudokucrypt.keys import ProtectingKey
from sudokucrypt.recipes.carriers.receiving import ReceivedFile
from sudokucrypt.recipes.options import (
    DecryptOptions,
    EncryptOptions,
    OpenOptions,
    ScrambleOptions,
)
from sudokucrypt.recipes.protection import Protection
from sudokucrypt.recipes.reporting import FileReport
from sudokucrypt.recipes.transfer import Destination, Sink, SourceFile
from sudokucrypt.typing import Buffer

# The parts of a file, and its header, which only a protected one has, or the layers of a redaction
# that are written next to it.
Made: TypeAlias = tuple[Iterable[Buffer], Header | bytes | None]


class DifferingResultError(SudokucryptError):
    """A result that exists is not what would be written; the message says in what it differs."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Draft:
    """A result that is ready to be made; carriers have classes of their own below this one."""

    destination: Destination  # where it goes
    report: FileReport  # what is known of it before it is made
    # The time of the result in nanoseconds since 1970; None for that of the input.
    time: int | None = None
    new: bool = False  # whether it must be a new file, whatever the caller allows to be replaced

    def make(self) -> Made:
        """Return the parts of the result; called once, since it may take the memory of the input.

        Parts may be made while they are written, from an input that is read again.
        """
        raise NotImplementedError

    def compare(self, existing: SourceFile) -> Header | None:
        """Return the header of an existing file that is this result, asked for to resume only.

        Any of our errors says that it is another one.
        """
        raise NotImplementedError


@dataclass(frozen=True, eq=False, kw_only=True)
class BytesDraft(Draft):
    """A result whose bytes are there already."""

    content: Buffer

    def make(self) -> Made:
        """Return the bytes."""
        return [self.content], None

    def compare(self, existing: SourceFile) -> None:
        """Raise `DifferingResultError` for other bytes."""
        if existing.data != self.content:
            raise DifferingResultError("its bytes differ")


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

    def draft(self, sink: Sink, options: DecryptOptions) -> Draft:
        """Return the plain file that is to be written."""
        ...

    def again(self, sink: Sink, key: ProtectingKey, options: OpenOptions) -> Draft:
        """Return the same thing, to be protected with another key."""
        ...


@dataclass(frozen=True, eq=False, kw_only=True)
class ProtectRequest:
    """How something is to be protected."""

    sink: Sink
    key: ProtectingKey
    protection: Protection
    options: EncryptOptions | ScrambleOptions

    def keeps_jpeg(self, source: SourceFile) -> bool:
        """Return whether an input is a JPEG, and nothing asked for stops it from staying one."""
        protection = self.protection
        moves_blocks = protection.scheme in (SCRAMBLE, SCRAMBLE_JPEG) and protection.unit == "pixel"
        return moves_blocks and source.is_jpeg and self.sink.keeps_jpeg

    def guess_suffix(self) -> str | None:
        """Return the suffix that the result has, if the name of the input makes it all but sure."""
        if self.sink.format is not None:
            return suffix_of(self.sink.format)
        suffix = "" if self.sink.source is None else self.sink.source.suffix.lower()
        if suffix == ".png" or self.options.as_file or self.leaves_mode_open():
            return ".png"
        scrambles = self.protection.scheme is SCRAMBLE and self.protection.unit == "pixel"
        return suffix if scrambles and suffix == ".jpg" else None

    def leaves_mode_open(self) -> bool:
        """Return whether the caller left open what is encrypted, and no option needs pixels."""
        return self.options.as_file is None and self.suits_files()

    def suits_files(self) -> bool:
        """Return whether no option needs pixels."""
        return self.options.metadata == "seal" and self.protection.scheme is ENCRYPT


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
