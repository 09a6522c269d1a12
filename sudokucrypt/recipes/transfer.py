"""Where files come from and where their results go: by name, and binary streams."""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import BinaryIO, TypeAlias

from sudokucrypt import images
from sudokucrypt.errors import (
    FormatError,
    InvalidImageError,
    InvalidParameterError,
    OutputExistsError,
    UnsupportedError,
    reason_of,
)
from sudokucrypt.header import HEADER_LIMIT, Header, parse_sidecar, sidecar_bytes, sidecar_name
from sudokucrypt.remote import Url
from sudokucrypt.storage import (
    FileStatus,
    Location,
    exists,
    name_here,
    parse_location,
    read_limited,
    require_free,
    same_file,
    sweep_once,
    write_atomically,
)
from sudokucrypt.typing import Buffer

_PIECE = 1 << 20
_JPEG = "JPEG"
_JPEG_START = b"\xff\xd8\xff"

PathName: TypeAlias = str | os.PathLike[str] | Url
FileSource: TypeAlias = PathName | BinaryIO
"""What is read: the path of a file, or its URL as text, or a binary stream to its end."""

FileTarget: TypeAlias = PathName | BinaryIO | Callable[[str, str | None], Location] | None
"""What is written: a path or URL, a stream, or a function from suffix and file name to path."""

Destination: TypeAlias = Location | BinaryIO
"""Where a result goes, once that is settled."""


@dataclass(eq=False, kw_only=True)
class SourceFile:
    """What was read, and what is known of it.

    Parameters
    ----------
    data : bytes
        The whole file; nothing once it was released.
    name : str
        What messages call it.
    file_name : str
        What the file is called, if its bytes are protected.
    status : FileStatus
        Its permissions and time.
    """

    data: bytes
    name: str
    file_name: str
    status: FileStatus
    size: int = field(init=False)
    _picture: images.Picture | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.size = len(self.data)

    @property
    def is_jpeg(self) -> bool:
        """Whether it begins as a JPEG."""
        return self.data.startswith(_JPEG_START)

    def header(self, max_pixels: int | None) -> bytes | None:
        """Return the header in it; no sample is decoded."""
        return images.header_of(self.data, self.name, max_pixels=self._most(max_pixels))

    def decoded(self, max_pixels: int | None) -> images.Picture:
        """Return its picture; by default a large file may have a pixel for each of its bytes."""
        if self._picture is None:
            most = self._most(max_pixels)
            self._picture = images.decode_picture(self.data, self.name, max_pixels=most)
        return self._picture

    def taken(self, max_pixels: int | None) -> images.Picture:
        """Return its picture, and keep nothing: its memory is needed for the result."""
        picture = self.decoded(max_pixels)
        self.release()
        return picture

    def release(self) -> None:
        """Let go of bytes and picture; name, size and status stay."""
        self.data, self._picture = b"", None

    def _most(self, max_pixels: int | None) -> int:
        return max(images.MAX_PIXELS, len(self.data)) if max_pixels is None else max_pixels


@dataclass(frozen=True)
class FileTransfer:
    """One file from where it is read to where its result is written.

    Parameters
    ----------
    source, target
        As for `scramble_file`.
    word : str
        What is done, as in "scrambled": part of the name of a result that nobody named.
    format : str or None
        The format that was asked for.
    replace, resume : bool
        Whether a result that exists may be replaced, or is kept.
    """

    source: FileSource
    target: FileTarget = None
    word: str = ""
    _: KW_ONLY
    format: str | None = None
    replace: bool = False
    resume: bool = False

    def read(self, *, name: str | None = None) -> SourceFile:
        """Read the input, after seeing whether a named target may be written at all.

        `name` is what the file is called, if not as its path says.
        """
        # Nobody waits for a long reading to hear that the output exists.
        if isinstance(self.target, str | os.PathLike | Url):
            self._require_writable(parse_location(self.target))
        if isinstance(self.source, str | os.PathLike | Url):
            path = parse_location(self.source)
            data, status = images.read_file_status(path)
            return SourceFile(data=data, name=str(path), file_name=name or path.name, status=status)
        return SourceFile(
            data=_read_stream(self.source),
            name="the input",
            file_name=name or "input",
            status=FileStatus(),
        )

    def settle(self, suiting: str, *, sidecar: bool = False) -> tuple[str, Destination]:
        """Return the format of a picture, given the one that suits it, and where it goes."""
        chosen = self.format or suiting
        destination = self._settled(images.suffix_of(chosen), sidecar=sidecar)
        if self.format is None and isinstance(destination, Path | Url):
            chosen = images.output_format(destination)
        return chosen, destination

    def settle_jpeg(self, *, sidecar: bool = False) -> Destination:
        """Return where a picture goes that stays a JPEG; see `keeps_jpeg`."""
        destination = self._settled(images.suffix_of(_JPEG), sidecar=sidecar)
        if isinstance(destination, Path | Url) and not _is_jpeg(destination):
            raise UnsupportedError(
                f"'{destination}' cannot be written: its suffix is not that of a JPEG, "
                "which this is",
                hint="use the suffix .jpg, or choose a format",
            )
        return destination

    @property
    def keeps_jpeg(self) -> bool:
        """Whether no other format than JPEG is asked for."""
        if isinstance(self.target, str | os.PathLike | Url) and not _is_jpeg(
            parse_location(self.target)
        ):
            return False
        return self.format in (None, _JPEG)

    @property
    def names_format(self) -> bool:
        """Whether the caller chose the format of the result, by its name or otherwise."""
        return self.format is not None or isinstance(self.target, str | os.PathLike | Url)

    def _settled(self, suffix: str, *, sidecar: bool) -> Destination:
        """Return where a result with this suffix goes, which may be written there."""
        stem = "" if self._path is None else plain_stem(self._path)
        destination = self._destination(suffix, None, f"{stem}.{self.word}{suffix}")
        if isinstance(destination, Path | Url):
            self._require_writable(destination)
            if sidecar and not (self.replace or self.resume):
                require_free(sidecar_of(destination))
        elif sidecar:
            raise InvalidParameterError("a stream has no sidecar", hint="write to a file")
        return destination

    def settle_file(self, name: str) -> Destination:
        """Return where a file goes that comes back under its sealed name."""
        name = name_here(name)
        destination = self._destination(Path(name).suffix, name, name)
        if isinstance(destination, Path | Url):
            self._require_writable(destination)
        return destination

    def _destination(self, suffix: str, sealed: str | None, beside: str) -> Destination:
        """Return where a result goes; without a target, under the name `beside` the source."""
        if callable(self.target):
            return self.target(suffix, sealed)
        if isinstance(self.target, str | os.PathLike | Url):
            return parse_location(self.target)
        if self.target is not None:
            return self.target
        if self._path is None:
            raise InvalidParameterError("a stream has no name: say where to write")
        if sealed is not None:
            return sealed_path(self._path.parent, sealed, resume=self.resume)
        return self._path.with_name(beside)

    def _require_writable(self, path: Location) -> None:
        """Raise an error if a path may not be written; unfinished files beside it are removed."""
        if self._path is not None and same_file(self._path, path):
            raise InvalidParameterError(
                "input and output are the same file", hint="name another output"
            )
        if not (self.replace or self.resume):
            require_free(path)
        sweep_once(path.parent)

    def kept(self, destination: Destination) -> Location | None:
        """Return the path of a result that is there already and is to be kept, if there is one."""
        there = self.resume and isinstance(destination, Path | Url) and exists(destination)
        return destination if there and isinstance(destination, Path | Url) else None

    def store(
        self,
        destination: Destination,
        parts: Iterable[Buffer],
        like: FileStatus,
        sidecar: Header | None = None,
    ) -> int:
        """Write the result with permissions and time of the input, and its sidecar before it.

        Return the bytes of the result.
        """
        counted = _Counted(parts)
        if not isinstance(destination, Path | Url):
            for part in counted:
                destination.write(part)
            destination.flush()
            return counted.size
        outputs: dict[Location, Iterable[Buffer]] = {destination: counted}
        beside: dict[Location, Iterable[Buffer]] = {}
        if sidecar is not None:
            beside[sidecar_of(destination)] = [sidecar_bytes(sidecar)]
        # A sidecar that is there is left from a run that was stopped, and may be replaced once the
        # picture is ours: another run at the same time may be the one that writes it.
        left = self.resume and any(map(exists, beside))
        write_atomically(outputs if left else beside | outputs, replace=self.replace, like=like)
        if left:
            write_atomically(beside, replace=True, like=like)
        return counted.size

    def keep_sidecar(self, destination: Location, header: Header) -> None:
        """Write the sidecar of a picture that is kept, unless it is there."""
        beside = sidecar_of(destination)
        if not exists(beside):
            write_atomically({beside: [sidecar_bytes(header)]}, replace=False)
        elif self.header_in(beside) != header:
            require_free(beside)

    @staticmethod
    def header_in(sidecar: Location) -> Header:
        """Return the header in a sidecar; `FormatError` if it is damaged or cannot be read."""
        try:
            return parse_sidecar(read_limited(sidecar, HEADER_LIMIT + 1))
        except OSError as error:
            reason = reason_of(error)
            raise FormatError(f"cannot read the sidecar '{sidecar}': {reason}") from None
        except FormatError as error:
            text = f"'{sidecar}': {error}"
            raise type(error)(text, hint=error.hint, hint_key=error.hint_key) from None

    def header(self, embedded: bytes | None, sidecar: PathName | None) -> Header | None:
        """Take the header from the sidecar that was named, that beside the source, or inside."""
        path = self.sidecar(sidecar)
        if path is not None:
            return self.header_in(path)
        return None if embedded is None else Header.from_bytes(embedded)

    def sidecar(self, named: PathName | None) -> Location | None:
        """Return the path of the sidecar that was named, else of the one beside the source."""
        if named is not None:
            return parse_location(named)
        # With the suffix a name may be too long, which is not an error here.
        if self._path is None:
            return None
        beside = sidecar_of(self._path)
        there = exists(beside) if isinstance(beside, Url) else os.path.isfile(beside)
        return beside if there else None

    @property
    def _path(self) -> Location | None:
        return (
            parse_location(self.source)
            if isinstance(self.source, str | os.PathLike | Url)
            else None
        )


class _Counted:
    """Parts of a file, and how many bytes of them were asked for."""

    def __init__(self, parts: Iterable[Buffer]) -> None:
        self._parts = parts
        self.size = 0

    def __iter__(self) -> Iterator[Buffer]:
        for part in self._parts:
            self.size += memoryview(part).nbytes
            yield part


def _is_jpeg(path: Location) -> bool:
    driver = images.driver_of(path.suffix.lower())
    return driver is not None and driver.name == _JPEG


def sidecar_of(path: Location) -> Location:
    """Return the path of the sidecar of a picture."""
    return path.with_name(sidecar_name(path.name))


def _read_stream(stream: BinaryIO) -> bytes:
    """Return what a stream holds; piece by piece, as asking for much may reserve as much."""
    pieces, size, limit = [], 0, images.FILE_LIMIT
    while piece := stream.read(_PIECE):
        pieces.append(piece)
        size += len(piece)
        if size > limit:
            raise InvalidImageError(f"the input has more than the {limit} bytes that are read")
    return b"".join(pieces)


def sealed_path(folder: Location, name: str, *, resume: bool) -> Location:
    """Return the path of a file that comes back under its sealed name, beside what it came from.

    Whoever protected the file chose the name. So it replaces nothing there, and is not hidden:
    programs read hidden files of a folder by themselves.
    """
    if name.startswith("."):
        raise InvalidParameterError(
            f"the file inside is called '{name}', a hidden file",
            hint="name the output, or a folder for it",
            hint_key="hidden",
        )
    if not resume and exists(folder / name):
        raise OutputExistsError(
            f"'{folder / name}' exists, and a sealed name replaces nothing",
            hint="name the output, or a folder for it",
            hint_key="hidden",
        )
    return folder / name


def plain_stem(source: Location) -> str:
    """Return the name of a file without suffix and without what was done to it before."""
    stem = source.stem
    for done in (".scrambled", ".encrypted", ".rekeyed"):
        stem = stem.removesuffix(done)
    return stem
