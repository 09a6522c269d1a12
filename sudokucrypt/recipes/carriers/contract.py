"""What a carrier is: one kind of thing that a file can be protected as.

A carrier recognises what it can protect, and plans how; it recognises what it has protected, and
restores it in memory. Both end in a `Draft`: a result that is settled but not yet written. The four
operations, `protect`, `restore`, `rekey` and `open_plain`, know carriers by nothing else.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from sudokucrypt.ciphers import ENCRYPT, SCRAMBLE, SCRAMBLE_JPEG
from sudokucrypt.errors import DecryptionError, SudokucryptError, UnsupportedError
from sudokucrypt.recipes.opening import OpenedHeader, open_header, required

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sudokucrypt.header import Header
    from sudokucrypt.images import PictureRecord
    from sudokucrypt.keys import Key, MasterKey, RestoringKey
    from sudokucrypt.recipes.options import ContentSettings, OpenSettings, RestoreSettings
    from sudokucrypt.recipes.protection import Protection, Scheme
    from sudokucrypt.recipes.reporting import FileReport
    from sudokucrypt.recipes.transfer import Destination, FileTransfer, SourceFile
    from sudokucrypt.typing import Buffer


@dataclass(frozen=True, eq=False, kw_only=True)
class Product:
    """What a draft becomes.

    Parameters
    ----------
    report : callable
        Makes the `FileReport` of `target`, `kept`, `source_bytes` and `target_bytes`.
    content : iterable of bytes
        The parts of the file; none of a result that was there already.
    header : Header or None
        What a sidecar holds, where there may be one.
    time : int or None
        The time of the result in nanoseconds since 1970; None for that of the input.
    existing_bytes : int or None
        The size of a result that was there already, and is kept.
    """

    report: Callable[..., FileReport]
    content: Iterable[Buffer] = ()
    header: Header | None = None
    time: int | None = None
    existing_bytes: int | None = None


class DifferingResultError(SudokucryptError):
    """A result that exists is not what would be written; the message says in what it differs."""


class Draft(Protocol):
    """A result that is ready to be made, and where it goes."""

    @property
    def destination(self) -> Destination:
        """Where it goes."""
        ...

    def make(self) -> Product:
        """Make it; called once, since it may take the memory of what it is made from."""
        ...

    def compare(self, existing: SourceFile) -> Product:
        """Return the product that an existing file is; any of our errors says that it is not."""
        ...


@dataclass(frozen=True, eq=False, kw_only=True)
class PlainFile:
    """A plain file in memory: its name, its media type if that is known, and its bytes.

    Of a picture whose samples were protected, the name is made from that of the protected file.
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

    def again(self, request: RekeyRequest) -> Draft:
        """Return the same thing, to be protected with another key."""
        ...

    def plain_file(self, stem: str, *, threads: int | None) -> PlainFile:
        """Return the plain file in memory; `stem` begins its name if none is sealed."""
        ...


@dataclass(frozen=True, eq=False, kw_only=True)
class ProtectRequest:
    """How something is to be protected exactly."""

    transfer: FileTransfer
    key: MasterKey
    protection: Protection
    settings: ContentSettings

    def keeps_jpeg(self, source: SourceFile) -> bool:
        """Return whether an input is a JPEG, and nothing asked for stops it from staying one."""
        protection = self.protection
        moves_blocks = protection.scheme in (SCRAMBLE, SCRAMBLE_JPEG) and protection.unit == "pixel"
        return moves_blocks and source.is_jpeg and self.transfer.keeps_jpeg

    @property
    def leaves_mode_open(self) -> bool:
        """Whether the caller left open what is encrypted, and no option needs pixels."""
        return self.settings.as_file is None and self.suits_files

    @property
    def suits_files(self) -> bool:
        """Whether no option needs pixels."""
        sealed = self.settings.metadata == "seal"
        return self.settings.whole and sealed and self.protection.scheme is ENCRYPT


@dataclass(frozen=True, eq=False, kw_only=True)
class RobustRequest:
    """How a picture is to survive recompression, which comes back approximately."""

    transfer: FileTransfer
    key: Key
    profile: str | None = None
    max_side: int | None = None
    quality: int
    max_pixels: int | None = None
    threads: int | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class RekeyRequest:
    """Something restored that is to be protected again."""

    transfer: FileTransfer
    key: MasterKey
    settings: OpenSettings
    sidecar: bool


@dataclass(frozen=True, eq=False, kw_only=True)
class Access:
    """What a recipe restores.

    Parameters
    ----------
    scheme_of : callable
        From a header to the scheme that restores it, or the error for one that the recipe does not.
    context : str or None
        What pictures without header were scrambled under.
    robust : bool
        Whether pictures without header may be robust ones.
    """

    scheme_of: Callable[[Header], Scheme]
    context: str | None = None
    robust: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class RestoreRequest:
    """Something protected that is to be restored."""

    source: SourceFile
    transfer: FileTransfer
    key: RestoringKey
    access: Access
    settings: OpenSettings

    @cached_property
    def embedded(self) -> bytes | None:
        """The header in the file; no sample is decoded."""
        return self.source.header(self.settings.max_pixels)

    @cached_property
    def header(self) -> Header | None:
        """The header that counts: from the sidecar, if there is one, else from the file."""
        return self.transfer.header(self.embedded, self.settings.sidecar)

    @cached_property
    def opened(self) -> OpenedHeader | None:
        """The header behind the one door, none for a file without."""
        if self.header is None:
            return None
        return open_header(
            self.header,
            self.key,
            scheme=self.access.scheme_of(required(self.header)),
            max_rounds=self.settings.max_rounds,
            threads=self.settings.threads,
        )

    @contextmanager
    def sidecar_named(self) -> Iterator[None]:
        """Name a sidecar that may be at fault where decryption fails."""
        try:
            yield
        except DecryptionError as error:
            path = self.transfer.sidecar(self.settings.sidecar)
            used = None if self.header is None else self.header.to_bytes()
            if path is None or self.embedded in (None, used):
                raise
            raise DecryptionError(
                f"{error}; the header is from '{path}', and the picture holds another one",
                hint="move the sidecar away to use the header in the picture",
            ) from None


class Carrier(Protocol):
    """One kind of thing that a file can be protected as."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    def plan(self, source: SourceFile, request: ProtectRequest | RobustRequest) -> Draft | None:
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
