"""What a carrier is: one kind of thing that a file can be protected as.

A carrier recognizes what it can protect, and plans how; it recognizes what it has protected, and
restores it in memory. Both end in a `Draft`: a report, and what makes the bytes. The four
operations, `protect`, `restore`, `rekey` and `open_plain`, know carriers by nothing else.

The order in which protected files come in is explicit, since each step relies on the one before.
`receive` reads the file once, so that it may be a stream. `find_header` decides which header counts
while the bytes are held. `open_received` checks the seal at the one door. Carriers get the
`ReceivedFile` that comes out: its fields are values, and nothing is read when they are used.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from sudokucrypt.ciphers import ENCRYPT, SCRAMBLE, SCRAMBLE_JPEG, tag_message
from sudokucrypt.errors import FormatError, InvalidImageError, SudokucryptError, UnsupportedError
from sudokucrypt.frozen import Frozen, FrozenValue
from sudokucrypt.header import Header
from sudokucrypt.images import EmbeddedFile, PictureRecord, default_format, suffix_of
from sudokucrypt.keys import AgeFile, Key, MasterKey, ProtectingKey, RestoringKey
from sudokucrypt.recipes.opening import (
    OpenedHeader,
    open_header,
    require_header_of_file,
    resolve_key,
)
from sudokucrypt.recipes.options import (
    DecryptOptions,
    EncryptOptions,
    OpenOptions,
    ScrambleOptions,
)
from sudokucrypt.recipes.protection import Protection, Scheme, divide_key, require_key
from sudokucrypt.recipes.sinks import Destination, Sink, find_sidecar, read_sidecar
from sudokucrypt.recipes.sources import FileSource, SourceFile
from sudokucrypt.storage import Location, name_here
from sudokucrypt.typing import Buffer

Mode: TypeAlias = Literal["file", "pixels", "areas"]


class FileReport(FrozenValue):
    """The report on a file."""

    shape: tuple[int, ...]  #: (M, N) or (M, N, C) of the picture.
    #: What the input carries besides its samples, and the output does not.
    dropped: tuple[str, ...] = ()
    target: Location | None = None  #: What was written; none for a stream.
    #: Whether the output was already there, and is what would have been written.
    kept: bool = False
    #: Why pixels were protected of a file that could have stayed what it is: a JPEG.
    pixels_because: str | None = None
    #: What is known of the file that was encrypted as it is, or restored.
    file: EmbeddedFile | None = None
    #: The sealed name of a restored file, if it was changed so that it does no harm.
    renamed: str | None = None
    source_bytes: int | None = None  #: How many were read.
    target_bytes: int | None = None  #: How many the picture or file has that was written or kept.
    tag: bytes | None = None  #: The tag of the protected picture, if it has one.
    layers: int = 0  #: How many layers the picture has, if it is redacted.
    #: The numbers, from 1, of the layers that stay covered: no key opened them.
    covered: tuple[int, ...] = ()

    @property
    def mode(self) -> Mode:
        """What was protected or restored: the bytes of a file, or pixels."""
        return "pixels" if self.file is None else "file"


class RobustReport(FileReport):
    """The report on a robust picture, besides what `FileReport` says."""

    sent: tuple[int, int] = (0, 0)  #: Rows and columns of the sheet.
    shrunk: bool = False  #: Whether the picture was made smaller first.
    expected_psnr: float | None = None  #: As for `RobustPicture`; None for a scrambled picture.
    missing: float | None = None  #: The same.


class RedactionReport(FileReport):
    """The report on redacting or lifting, besides what `FileReport` says."""

    #: Whether nothing was selected, so that the result is a copy of the input, byte for byte.
    copied: bool = False
    #: What the lifted layers are called: their names, or their numbers from 1.
    lifted: tuple[str, ...] = ()
    #: The version of the format; what it lifts in part of version 1 may be shown as a stranger
    #: wants it: turned, or in other colors.
    version: int = 2

    @property
    def mode(self) -> Mode:
        """The areas of a picture, of which the very file is restored."""
        return "areas"


class RestoreRequest(Frozen):
    """How something protected is to be restored."""

    source: FileSource
    key: RestoringKey
    options: OpenOptions
    # From a header to the scheme that restores it, or the error for one that the recipe does not.
    scheme_of: Callable[[Header], Scheme]
    robust: bool = False  # whether pictures without header may be robust ones


class ReceivedFile(Frozen):
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
    require_key(request.key)
    source = SourceFile.read(request.source, spooled=True)
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


# The parts of a file, and its header, which only a protected one has, or the layers of a redaction
# that are written next to it.
Made: TypeAlias = tuple[Iterable[Buffer], Header | bytes | None]


class DifferingResultError(SudokucryptError):
    """A result that exists is not what would be written; the message says in what it differs."""


class Draft(Frozen):
    """A result that is ready to be made; carriers have classes of their own below this one."""

    destination: Destination  # where it goes
    report: FileReport  # what is known of it before it is made
    # The time of the result in nanoseconds since 1970; None for that of the input.
    time: int | None = None
    new: bool = False  # whether it must be a new file, whatever the caller allows to be replaced

    @property
    def in_pieces(self) -> bool:
        """Whether the parts are not kept: each is overwritten by the next one."""
        return False

    def verify(self) -> None:
        """Raise the error that otherwise comes at the end of the parts, if any comes there.

        It is called before parts are given to anyone who cannot take them back.
        """

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


class BytesDraft(Draft):
    """A result whose bytes are there already."""

    content: Buffer

    def make(self) -> Made:
        """Return the bytes."""
        return [self.content], None

    def compare(self, existing: SourceFile) -> None:
        """Raise `DifferingResultError` for other bytes."""
        if existing.load() != self.content:
            raise DifferingResultError("its bytes differ")


class PlainFile(Frozen):
    """A plain file in memory: its name, its media type if that is known, and its bytes.

    A sealed name is made harmless, as `decrypt_file` does. Of a picture whose samples were
    protected, the name is made from that of the protected file.
    """

    name: str
    type: str | None
    content: Buffer


class Restored(Protocol):
    """Something that was restored in memory, and proved authentic where its scheme can."""

    def inspect(self) -> PictureRecord:
        """Return the plain picture, and what was sealed about it, after checking all of it."""
        ...

    def draft(self, sink: Sink, options: DecryptOptions) -> Draft:
        """Return the plain file that is to be written."""
        ...

    def again(self, sink: Sink, key: ProtectingKey, options: OpenOptions) -> Draft:
        """Return the same thing, to be protected with another key."""
        ...


class ProtectRequest(Frozen):
    """How something is to be protected."""

    sink: Sink
    key: ProtectingKey
    protection: Protection
    options: EncryptOptions | ScrambleOptions

    def keeps_jpeg(self, source: SourceFile) -> bool:
        """Return whether an input is a JPEG, and nothing asked for stops it from staying one."""
        protection = self.protection
        moves_blocks = protection.scheme in (SCRAMBLE, SCRAMBLE_JPEG) and protection.unit == "pixel"
        return moves_blocks and source.is_jpeg() and self.sink.keeps_jpeg

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

    def recognizes(self, file: ReceivedFile) -> bool:
        """Return whether this carrier protected the input, by what its header says.

        The seal of `ReceivedFile.opened` holds; nothing was decoded before. A file whose header
        cannot be opened has none there, and may still be recognized by its bytes.
        """
        ...

    def restore(self, file: ReceivedFile) -> Restored:
        """Restore what was recognized, in memory."""
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


# What a result says of itself before it is opened, in the order in which differences are named.
_COMPARED = ("unit", "block_size", "rounds", "segment", "shape", "dtype")


def open_result(
    header: Header,
    scheme: Scheme,
    key: ProtectingKey,
    draft_of: Callable[[Key], Header],
    threads: int | None,
) -> tuple[OpenedHeader, Key, Header]:
    """Open the header of a result, and return with it the master key and the draft of the header.

    Raises `DifferingResultError` if scheme, kind of key, recipients or another open field are not
    those of the draft.
    """
    if header.scheme != scheme.name:
        raise DifferingResultError(f"its scheme is {header.scheme}")
    own = comparing_key(key, header)
    resolved = resolve_key(own, header)
    if not isinstance(resolved, Key) or (header.kdf is None) != isinstance(own, Key):
        raise DifferingResultError("it takes a passphrase" if header.kdf else "it takes a key")
    draft = draft_of(resolved)
    if differing := [
        f"its {name.replace('_', ' ')} {'differ' if name.endswith('s') else 'differs'}"
        for name in _COMPARED
        if getattr(header, name) != getattr(draft, name)
    ]:
        raise DifferingResultError(", ".join(differing))
    # The rounds are those of the draft by now, so that the caller chose them.
    rounds = header.rounds
    opened = open_header(header, resolved, scheme=scheme, max_rounds=rounds, threads=threads)
    return opened, resolved, draft


def require_same_salt(
    header: Header, key: Key, draft: Header, digests: Sequence[bytes], protection: Protection
) -> None:
    """Raise `DifferingResultError` unless a salt is random, or derived, as the draft would be."""
    # A synthetic salt depends on all but these, so that equal input gives equal results.
    unsalted = replace(draft, kdf=None, recipients=None, salt=None)
    message = tag_message(unsalted, digests)
    random = protection.salt is not None
    if (header.salt == key.synthetic_salt(message)) == random:
        raise DifferingResultError(f"its salt is {'deterministic' if random else 'random'}")


def comparing_key(key: ProtectingKey, header: Header) -> MasterKey:
    """Return the key that opens a result, if it has as many recipients of the same kinds.

    Nothing shows who they are.
    """
    own, recipients = divide_key(key)
    if own is None:
        raise DifferingResultError("only its recipients can open it, and compare it")
    stored = header.recipients
    kinds = (
        [] if stored is None else [one.arguments[0] for one in AgeFile.from_bytes(stored).stanzas]
    )
    if kinds != [recipient.kind for recipient in recipients]:
        raise DifferingResultError("it has other recipients")
    return own
