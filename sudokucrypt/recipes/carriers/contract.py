"""The interface of carriers, each of which protects files in one form.

A carrier plans how to protect an input, and recognizes and restores its own results in memory. Both
give a `Draft`: a report and a method that makes the bytes. The four operations, `protect`,
`restore`, `rekey` and `open_plain_file`, use carriers only through this interface.

A protected file is read in fixed steps, each of which relies on the one before. `receive_file`
reads the file once, so that it may be a stream. `find_header` chooses the header of the file or its
sidecar. `open_received_file` checks the seal, and returns a `ReceivedFile` for the carriers, whose
fields are values: using them reads nothing.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from sudokucrypt.ciphers import ENCRYPT, SCRAMBLE, SCRAMBLE_JPEG, tag_message
from sudokucrypt.errors import FormatError, InvalidImageError, SudokucryptError, UnsupportedError
from sudokucrypt.frozen import FrozenObject, FrozenValue
from sudokucrypt.header import Header
from sudokucrypt.images import EmbeddedFile, PictureRecord, default_format, get_suffix
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
from sudokucrypt.storage import Location, make_usable_name
from sudokucrypt.typing import Buffer

Mode: TypeAlias = Literal["file", "pixels", "areas"]


class FileReport(FrozenValue):
    """The result of protecting or restoring a file: its shape, target and lost metadata."""

    shape: tuple[int, ...]  #: (M, N) or (M, N, C) of the picture.
    #: Names of metadata that the input has and the output lacks.
    dropped: tuple[str, ...] = ()
    target: Location | None = None  #: The file that was written; None for a stream.
    #: Whether the output existed already, with the contents that would have been written.
    kept: bool = False
    #: Why the pixels of a JPEG were protected, so that the result is not a JPEG; None otherwise.
    pixels_because: str | None = None
    #: Name, size, time and type of a file that was encrypted as a file, or restored.
    file: EmbeddedFile | None = None
    #: The sealed name of a restored file, if a harmless name replaced it.
    renamed: str | None = None
    source_bytes: int | None = None  #: Size of the input.
    target_bytes: int | None = None  #: Size of the output.
    tag: bytes | None = None  #: The tag of the protected picture, if it has one.
    layers: int = 0  #: Number of layers of a redacted picture.
    #: The numbers, from 1, of the layers that stay covered because no key opened them.
    covered: tuple[int, ...] = ()

    @property
    def mode(self) -> Mode:
        """What was protected or restored: `file` or `pixels`."""
        return "pixels" if self.file is None else "file"


class RobustReport(FileReport):
    """The report on a robust picture, with the fields of `FileReport`."""

    sent: tuple[int, int] = (0, 0)  #: Rows and columns of the carrier image.
    shrunk: bool = False  #: Whether the picture was made smaller first.
    #: Estimated PSNR of a restored picture in dB, as in `RobustPicture`; None after scrambling.
    expected_psnr: float | None = None
    #: Share of the carrier image that was cropped off, 0..1; None after scrambling.
    missing: float | None = None


class RedactionReport(FileReport):
    """The report on redacting or lifting, with the fields of `FileReport`."""

    #: Whether no area was selected, so that the result is a copy of the input, byte for byte.
    copied: bool = False
    #: The names of the lifted layers; for a layer without a name, its number from 1.
    lifted: tuple[str, ...] = ()
    #: The version of the format. If only some layers of a picture of version 1 were lifted, an
    #: attacker may have changed its orientation or colors.
    version: int = 2

    @property
    def mode(self) -> Mode:
        """`areas`: areas of a picture were covered or restored."""
        return "areas"


class RestoreRequest(FrozenObject):
    """A protected file with the key and the options to restore it."""

    source: FileSource
    key: RestoringKey
    options: OpenOptions
    # Returns the scheme of a header, or raises an error if the operation does not restore it.
    find_scheme: Callable[[Header], Scheme]
    robust: bool = False  # whether a picture without header may be a robust one


class ReceivedFile(FrozenObject):
    """A protected file that was read, with its header after the header was found and opened."""

    request: RestoreRequest
    source: SourceFile
    sidecar: Location | None  # the sidecar with the header, or None without a sidecar
    ignores_sidecars: bool  # whether sidecars are ignored
    header: Header | None = None
    opened_header: OpenedHeader | None = None  # the header after its seal was checked
    has_no_header: bool = False  # whether there is no header, not even a damaged one

    def require_free_name(self, sink: Sink) -> None:
        """Raise an error if the plain file exists, before any sample is decoded.

        Its name or format is known from the sealed header.
        """
        if self.opened_header is None or sink.options.resume or sink.has_chosen_format:
            return
        record = self.opened_header.record
        if record.file is not None:
            name = make_usable_name(record.file.name)
            sink.require_free_name(Path(name).suffix, name)
            return
        usual_format = "JPEG" if record.structure is not None else default_format(record.picture)
        sink.require_free_name(get_suffix(usual_format))


def receive_file(request: RestoreRequest, *, ignore_sidecars: bool = False) -> ReceivedFile:
    """Read a protected file, and find its sidecar: the requested one, or one next to the file."""
    require_key(request.key)
    source = SourceFile.read(request.source, spooled=True)
    return ReceivedFile(
        request=request,
        sidecar=None if ignore_sidecars else find_sidecar(source.location, request.options.sidecar),
        source=source,
        ignores_sidecars=ignore_sidecars,
    )


def find_header(file: ReceivedFile) -> Header | None:
    """Return the header in the sidecar if there is one, else the header in the file, or None.

    Samples are decoded only if the file has no header in its metadata.
    """
    source, limit = file.source, file.request.options.max_pixels
    embedded_header = source.find_header(limit)  # also refuses a file that is not a picture
    if file.sidecar is not None:
        return require_header_of_file(read_sidecar(file.sidecar))
    if embedded_header is None and not file.ignores_sidecars:
        # Last, since this decodes samples that are not authenticated yet.
        embedded_header = source.find_header_in_rows(limit)
    return (
        None
        if embedded_header is None
        else require_header_of_file(Header.from_bytes(embedded_header))
    )


def open_received_file(file: ReceivedFile) -> ReceivedFile:
    """Return the file with its opened header, whose seal was checked."""
    request, header = file.request, find_header(file)
    if header is None:
        return replace(file, has_no_header=True)
    opened_header = open_header(
        header,
        request.key,
        scheme=request.find_scheme(header),
        max_rounds=request.options.max_rounds,
        threads=request.options.threads,
    )
    return replace(file, header=header, opened_header=opened_header)


def receive_without_sidecar(file: ReceivedFile) -> ReceivedFile | None:
    """Read a file again without its sidecar, or return None if the file has no other header."""
    if file.sidecar is None:
        return None
    sidecar_header = None
    with suppress(FormatError):
        sidecar_header = read_sidecar(file.sidecar)
    with suppress(FormatError, InvalidImageError):  # a stream cannot be read twice
        file_without_sidecar = receive_file(file.request, ignore_sidecars=True)
        if find_header(file_without_sidecar) not in (None, sidecar_header):
            return file_without_sidecar
    return None


# The parts of a result, and one of three values: the header of a protected result, the layers of a
# redacted picture for its sidecar, or None.
PartsAndSidecar: TypeAlias = tuple[Iterable[Buffer], Header | bytes | None]


class DifferingResultError(SudokucryptError):
    """An existing result differs from the result to write; the message names the difference."""


class Draft(FrozenObject):
    """A result that is ready to be made; carriers define subclasses."""

    destination: Destination
    report: FileReport  # as far as it is known before the result is made
    # The time of the result in nanoseconds since 1970; None for the time of the input.
    time: int | None = None
    must_be_new: bool = (
        False  # whether the result must be a new file, even if the options allow replacing
    )

    @property
    def reuses_memory(self) -> bool:
        """Whether each part is overwritten by a later one."""
        return False

    def verify(self) -> None:
        """Raise the error that iterating over the parts would raise at its end.

        Called before parts are written where a caller could already read them.
        """

    def make_parts(self) -> PartsAndSidecar:
        """Return the parts of the result; called once, since it may overwrite the input in memory.

        Parts may be made while they are written, from an input that is read again.
        """
        raise NotImplementedError

    def compare(self, existing_file: SourceFile) -> Header | None:
        """Return the header of an existing file that equals this result, so that a run can resume.

        Any `SudokucryptError` means that the file is another result.
        """
        raise NotImplementedError


class BytesDraft(Draft):
    """A result whose bytes are in memory."""

    content: Buffer

    def make_parts(self) -> PartsAndSidecar:
        """Return the bytes as one part."""
        return [self.content], None

    def compare(self, existing_file: SourceFile) -> None:
        """Raise `DifferingResultError` if the existing file has other bytes."""
        if existing_file.load() != self.content:
            raise DifferingResultError("its bytes differ")


class PlainFile(FrozenObject):
    """A plain file in memory: its name, its media type or None, and its bytes.

    A sealed name is made harmless, as `decrypt_file` does. If samples of a picture were protected,
    its name is made from the name of the protected file.
    """

    name: str
    type: str | None
    content: Buffer


class RestoredResult(Protocol):
    """A restored picture or file in memory, authenticated if its scheme has a tag."""

    def get_record(self) -> PictureRecord:
        """Return the plain picture with its sealed metadata, after checking all of it."""
        ...

    def make_draft(self, sink: Sink, options: DecryptOptions) -> Draft:
        """Return the draft of the plain file."""
        ...

    def reprotect(self, sink: Sink, key: ProtectingKey, options: OpenOptions) -> Draft:
        """Return the draft of the same contents under another key."""
        ...


class ProtectRequest(FrozenObject):
    """The key, the options and the destination for protecting one input."""

    sink: Sink
    key: ProtectingKey
    protection: Protection
    options: EncryptOptions | ScrambleOptions

    def keeps_jpeg(self, source: SourceFile) -> bool:
        """Return whether an input is a JPEG, and all options allow the result to be a JPEG."""
        protection = self.protection
        moves_blocks = protection.scheme in (SCRAMBLE, SCRAMBLE_JPEG) and protection.unit == "pixel"
        return moves_blocks and source.is_jpeg() and self.sink.keeps_jpeg

    def guess_suffix(self) -> str | None:
        """Return the likely suffix of the result, or None if the input does not tell it."""
        if self.sink.format is not None:
            return get_suffix(self.sink.format)
        suffix = "" if self.sink.source is None else self.sink.source.suffix.lower()
        if suffix == ".png" or self.options.as_file or self.leaves_as_file_open():
            return ".png"
        scrambles_pixels = self.protection.scheme is SCRAMBLE and self.protection.unit == "pixel"
        return suffix if scrambles_pixels and suffix == ".jpg" else None

    def leaves_as_file_open(self) -> bool:
        """Return whether the caller did not choose `as_file`, and no option needs pixels."""
        return self.options.as_file is None and self.can_protect_whole_file()

    def can_protect_whole_file(self) -> bool:
        """Return whether a file can be protected as a whole, since no option needs pixels."""
        return self.options.metadata == "seal" and self.protection.scheme is ENCRYPT


class Carrier(Protocol):
    """A kind of protected file, such as an encrypted file, a picture or a scrambled JPEG."""

    def plan_draft(self, source: SourceFile, request: ProtectRequest) -> Draft | None:
        """Return the draft that protects an input, or None to leave it to other carriers.

        The draft keeps what it needs from the source, which is released after this call.
        """
        ...

    def recognizes(self, file: ReceivedFile) -> bool:
        """Return whether this carrier protected the input, according to the header of the input.

        The seal of `file.opened_header` was checked, and no sample was decoded. If the header could
        not be opened, `file.opened_header` is None; the carrier may still recognize the bytes.
        """
        ...

    def restore(self, file: ReceivedFile) -> RestoredResult:
        """Restore a recognized file in memory."""
        ...


def make_protected_error(*, is_restorable: bool = True) -> UnsupportedError:
    """Return the error for an input that is already protected.

    A file has room for one header, and losing the first header would make the picture unrestorable.
    The hint mentions rekeying if the picture can be restored `is_restorable`.
    """
    rekey_advice = "change its key, or " if is_restorable else ""
    return UnsupportedError(
        "the picture is protected already",
        hint=f"{rekey_advice}restore it first to protect it in another way",
        hint_key="protected",
    )


# Unencrypted header fields in which an existing result is compared with its draft, in the order in
# which messages name them.
_COMPARED_FIELDS = ("unit", "block_size", "rounds", "segment", "shape", "dtype")


def open_result(
    header: Header,
    scheme: Scheme,
    key: ProtectingKey,
    make_header: Callable[[Key], Header],
    threads: int | None,
) -> tuple[OpenedHeader, Key, Header]:
    """Open the header of an existing result; return it, the master key and the draft of the header.

    Raises `DifferingResultError` if scheme, kind of key, recipients or another open field differ
    from the draft.
    """
    if header.scheme != scheme.name:
        raise DifferingResultError(f"its scheme is {header.scheme}")
    master_key = find_result_key(key, header)
    resolved_key = resolve_key(master_key, header)
    if not isinstance(resolved_key, Key) or (header.kdf is None) != isinstance(master_key, Key):
        raise DifferingResultError("it takes a passphrase" if header.kdf else "it takes a key")
    draft_header = make_header(resolved_key)
    if differences := [
        f"its {name.replace('_', ' ')} {'differ' if name.endswith('s') else 'differs'}"
        for name in _COMPARED_FIELDS
        if getattr(header, name) != getattr(draft_header, name)
    ]:
        raise DifferingResultError(", ".join(differences))
    # The rounds equal the rounds that the caller chose for the draft, so no other limit is needed.
    rounds = header.rounds
    opened_header = open_header(
        header, resolved_key, scheme=scheme, max_rounds=rounds, threads=threads
    )
    return opened_header, resolved_key, draft_header


def require_same_salt(
    header: Header, key: Key, draft_header: Header, digests: Sequence[bytes], protection: Protection
) -> None:
    """Raise `DifferingResultError` unless the salt is random or deterministic, as requested."""
    # A deterministic salt depends on all other fields, so that equal input gives equal results.
    unsalted_header = replace(draft_header, kdf=None, recipients=None, salt=None)
    message = tag_message(unsalted_header, digests)
    wants_random_salt = protection.salt is not None
    if (header.salt == key.derive_salt(message)) == wants_random_salt:
        raise DifferingResultError(
            f"its salt is {'deterministic' if wants_random_salt else 'random'}"
        )


def find_result_key(key: ProtectingKey, header: Header) -> MasterKey:
    """Return the master key that opens an existing result.

    Raises `DifferingResultError` if there is no master key, or if number and kinds of the
    recipients differ; the header does not tell who they are.
    """
    master_key, recipients = divide_key(key)
    if master_key is None:
        raise DifferingResultError("only its recipients can open it, so it cannot be compared")
    kinds = []
    if header.recipients is not None:
        kinds = [stanza.arguments[0] for stanza in AgeFile.from_bytes(header.recipients).stanzas]
    if kinds != [recipient.kind for recipient in recipients]:
        raise DifferingResultError("it has other recipients")
    return master_key
