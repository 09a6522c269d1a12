"""Where files come from and where their results go: a source that is read, a sink that stores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

import numpy as np

from sudokucrypt import images
from sudokucrypt.errors import (
    FormatError,
    InvalidParameterError,
    OutputExistsError,
    UnsupportedError,
    reason_of,
)
from sudokucrypt.header import HEADER_LIMIT, Header, parse_sidecar, sidecar_bytes
from sudokucrypt.images.attachments import attachment
from sudokucrypt.recipes.contents import Content, open_content, read_stream
from sudokucrypt.recipes.naming import PathName, ResultNaming, name_sidecar, safe_name
from sudokucrypt.remote import Url
from sudokucrypt.storage import (
    FileStatus,
    Location,
    can_hide,
    exists,
    in_every_locale,
    name_here,
    parse_location,
    read_limited,
    require_free,
    same_file,
    sweep_once,
    write_atomically,
)

if TYPE_CHECKING:
    from sudokucrypt.recipes.options import StoreOptions
    from sudokucrypt.typing import Buffer

PATH_NAMES = (str, os.PathLike, Url)
# What is read: the path of a file, or its URL as text, or a binary stream to its end.
FileSource: TypeAlias = PathName | BinaryIO

# What is written: a path or URL, a stream, or how suffix and sealed name give a path.
FileTarget: TypeAlias = (
    PathName | BinaryIO | ResultNaming | Callable[[str, str | None], Location] | None
)

# Where a result goes, once that is settled.
Destination: TypeAlias = Location | BinaryIO

_JPEG, _JPEG_START = "JPEG", b"\xff\xd8\xff"


@dataclass(eq=False, kw_only=True)
class SourceFile:
    """What was read, and what is known of it."""

    content: Content  # its bytes
    name: str  # what messages call it
    file_name: str  # what the file is called, if its bytes are protected
    location: Location | None  # where it is; None for a stream, which is not read twice
    _data: bytes | None = field(default=None, init=False)
    _picture: images.Picture | None = field(default=None, init=False)

    @classmethod
    def read(
        cls, source: FileSource, name: str | None = None, *, spooled: bool = False
    ) -> SourceFile:
        """Open a file, called `name` if not as its path says, or read a stream to its end.

        A stream is `spooled` to a file if it is large and protected.
        """
        if isinstance(source, PATH_NAMES):
            location = parse_location(source)
            file_name = name or in_every_locale(location.name)
            content = open_content(location)
            return cls(content=content, name=str(location), file_name=file_name, location=location)
        content = read_stream(source, spooled=spooled)
        return cls(content=content, name="the input", file_name=name or "input", location=None)

    @property
    def data(self) -> bytes:
        """All of its bytes, which are read when they are first asked for."""
        if self._data is None:
            self._data = self.content.load()
        return self._data

    @property
    def size(self) -> int:
        """How many bytes it has."""
        return self.content.size

    @property
    def status(self) -> FileStatus:
        """Its permissions and time."""
        return self.content.status

    def read_start(self, size: int = 4096) -> bytes:
        """Return its first bytes."""
        start = np.empty(min(size, self.size), dtype=np.uint8)
        return start[: self.content.read_into(0, start)].tobytes()

    @property
    def is_jpeg(self) -> bool:
        """Whether it begins as a JPEG."""
        return self.read_start(len(_JPEG_START)) == _JPEG_START

    def find_header(self, max_pixels: int | None) -> bytes | None:
        """Return the header in it; no sample is decoded."""
        content, most = self.content, self._most(max_pixels)
        found, header = images.header_in_file(content.file, self.size, self.name, max_pixels=most)
        return header if found else images.header_of(self.data, self.name, max_pixels=most)

    def stream(self, max_pixels: int | None) -> images.PngStream | None:
        """Return its picture to be read in pieces, if it is one that was made of a file."""
        source = images.Source(b"", self.name, self._most(max_pixels))
        return images.PngStream.open(source, self.content.file, self.size)

    def find_header_in_rows(self, max_pixels: int | None) -> bytes | None:
        """Return the header in rows below the samples, for a file that has it nowhere else.

        Of a redacted picture, which anyone may have made as large as they like, none is decoded.
        """
        if (stream := self.stream(max_pixels)) is not None:
            return stream.find_header_in_rows()
        may_have = images.may_have_header_rows(self.data) and attachment(self.data) is None
        return self.decode(max_pixels).header if may_have else None

    def decode(self, max_pixels: int | None) -> images.Picture:
        """Return its picture; by default a large file may have a pixel for each of its bytes."""
        if self._picture is None:
            most = self._most(max_pixels)
            self._picture = images.decode_picture(self.data, self.name, max_pixels=most)
        return self._picture

    def glance(self, max_pixels: int | None, side: int) -> tuple[images.Picture, int]:
        """Return what it shows, perhaps no larger than asked for, and its pixels in full size."""
        most = self._most(max_pixels)
        if self._picture is not None:
            rows, columns = self._picture.pixels.shape[:2]
            return self._picture, rows * columns
        # Not kept, as what is made of the file takes its memory.
        return images.glance(self.data, self.name, side=side, max_pixels=most)

    def take(self, max_pixels: int | None) -> images.Picture:
        """Return its picture, and keep nothing: its memory is needed for the result."""
        picture = self.decode(max_pixels)
        self.release()
        return picture

    def release(self) -> None:
        """Let go of bytes and picture, which can be read again."""
        self._data = self._picture = None

    def _most(self, max_pixels: int | None) -> int:
        return max(images.MAX_PIXELS, self.size) if max_pixels is None else max_pixels


@dataclass(frozen=True, eq=False, kw_only=True)
class Sink:
    """Where the result of one input goes: its name is found, seen to be free, and written to."""

    source: Location | None  # the input, which the result may not replace; None for a stream
    target: Location | BinaryIO | ResultNaming | Callable[[str, str | None], Location]
    options: StoreOptions  # whether results may be replaced or are kept
    format: str | None = None  # the format that was asked for
    sidecar: bool = False  # whether the result has a file next to it: its header, or its layers

    @classmethod
    def of(cls, source: FileSource, target: FileTarget, options: StoreOptions) -> Sink:
        """Return the sink of a target, which is not written if the input is there and it exists."""
        location = parse_location(source) if isinstance(source, PATH_NAMES) else None
        if target is None:
            if location is None:
                raise InvalidParameterError("a stream has no name: say where to write")
            target = ResultNaming(source=location, word=options.word)
        elif isinstance(target, PATH_NAMES):
            target = parse_location(target)
        sink = cls(
            source=location,
            target=target,
            options=options,
            format=getattr(options, "format", None),
            sidecar=options.sealing and getattr(options, "sidecar", False),
        )
        # Nobody waits for a long reading to hear that the output exists, unless there is no input.
        if isinstance(target, Path | Url) and not sink._is_missing():
            sink._require_writable(target)
        return sink

    def settle(self, suiting: str) -> tuple[str, Destination]:
        """Return the format of a picture, given the one that suits it, and where it goes."""
        chosen = self.format or suiting
        destination = self.settle_suffix(images.suffix_of(chosen))
        if self.format is None and isinstance(destination, Path | Url):
            chosen = images.output_format(destination)
        return chosen, destination

    def settle_jpeg(self) -> Destination:
        """Return where a picture goes that stays a JPEG; see `keeps_jpeg`."""
        destination = self.settle_suffix(images.suffix_of(_JPEG))
        if isinstance(destination, Path | Url) and not _is_jpeg(destination):
            raise UnsupportedError(
                f"'{destination}' cannot be written: its suffix is not that of a JPEG, "
                "which this is",
                hint="use the suffix .jpg, or choose a format",
            )
        return destination

    def settle_suffix(self, suffix: str) -> Destination:
        """Return where a result with this suffix goes, which may be written there."""
        destination = self._settle(suffix)
        if not isinstance(destination, Path | Url):
            if self.sidecar:
                raise InvalidParameterError("a stream has no sidecar", hint="write to a file")
        elif self.sidecar and not (self.options.replace or self.options.resume):
            require_free(self._name_sidecar(destination))
        return destination

    def settle_name(self, name: str) -> Destination:
        """Return where a file goes that is restored under its sealed name.

        The reader has chosen neither the name nor what it would replace.
        """
        name = name_here(name)
        return self._settle(Path(name).suffix, name)

    @property
    def keeps_jpeg(self) -> bool:
        """Whether no other format than JPEG is asked for."""
        other = isinstance(self.target, Path | Url) and not _is_jpeg(self.target)
        return not other and self.format in (None, _JPEG)

    @property
    def names_format(self) -> bool:
        """Whether the caller chose the format of the result, by its name or otherwise."""
        return self.format is not None or isinstance(self.target, Path | Url)

    @property
    def takes_sealed_names(self) -> bool:
        """Whether a sealed name is that of a result."""
        return isinstance(self.target, ResultNaming) and self.target.takes_sealed_names

    def require_free_name(self, suffix: str | None, sealed: str | None = None) -> None:
        """Raise an error at once if the result exists that this suffix or sealed name leads to.

        Nobody waits for a long work to hear that; it is asked again where the result is settled.
        """
        naming = self.target
        if suffix is None or self.options.resume or not isinstance(naming, ResultNaming):
            return
        if self._is_missing():
            return
        path = naming.path(suffix, sealed)
        if isinstance(path, Url):  # each question is a request
            return
        if sealed is not None and naming.takes_sealed_names:
            naming.claims.check(path, naming.source, sealed=True)
            self._require_new(path)
            return
        naming.claims.check(path, naming.source)
        if not self.options.replace:
            require_free(path)

    def find_kept(self, destination: Destination) -> Location | None:
        """Return the path of a result that is there already and is to be kept, or None."""
        if isinstance(destination, Path | Url) and self._is_kept(destination):
            return destination if exists(destination) else None
        return None

    def is_shared(self, location: Location) -> bool:
        """Return whether another input of the run is restored under the same sealed name."""
        naming = self.target
        return isinstance(naming, ResultNaming) and naming.claims.is_shared(location, naming.source)

    def store(
        self,
        destination: Destination,
        parts: Iterable[Buffer],
        like: FileStatus,
        sidecar: Header | bytes | None = None,
        *,
        new: bool,
        hidden: bool,
    ) -> int:
        """Write the result with permissions and time of the input, and its sidecar before it.

        Return the bytes of the result, which replaces nothing if it is to be a `new` file. With
        `hidden`, see `can_hide`, nothing is seen of plain bytes before they are proved.
        """
        # Parts are made while they are written, so that their size is known at the end.
        counted = _Counted(parts)
        if not isinstance(destination, Path | Url):
            for part in counted:
                destination.write(part)
            destination.flush()
            return counted.size
        outputs: dict[Location, Iterable[Buffer]] = {destination: counted}
        sidecars: dict[Location, Iterable[Buffer]] = {}
        if sidecar is not None and self.sidecar:
            content = sidecar if isinstance(sidecar, bytes) else sidecar_bytes(sidecar)
            sidecars[self._name_sidecar(destination)] = [content]
        # A sidecar that is there is left from a run that was stopped, and may be replaced once the
        # picture is ours: another run at the same time may be the one that writes it.
        left = self.options.resume and any(map(exists, sidecars))
        replace = self.options.replace and not new
        hidden = hidden and not self.options.sealing
        write_atomically(
            outputs if left else sidecars | outputs, replace=replace, like=like, hidden=hidden
        )
        if left:
            write_atomically(sidecars, replace=True, like=like)
        return counted.size

    @staticmethod
    def can_hide(destination: Destination) -> bool:
        """Return whether nothing is seen of a plain result before all of it is written."""
        return isinstance(destination, Path) and can_hide(destination.parent)

    def keep_sidecar(self, destination: Location, header: Header) -> None:
        """Write the sidecar of a picture that is kept, unless it is there."""
        path = self._name_sidecar(destination)
        with suppress(OutputExistsError):  # another run may write it now
            write_atomically({path: [sidecar_bytes(header)]}, replace=False)
        if read_sidecar(path) != header:
            require_free(path)

    def _name_sidecar(self, destination: Location) -> Location:
        return name_sidecar(destination, layers=self.options.layered)

    def _settle(self, suffix: str, sealed: str | None = None) -> Destination:
        """Return where a result goes, after seeing that it may be written there."""
        target = self.target
        if isinstance(target, ResultNaming):
            target = target.claim(suffix, sealed)
        elif callable(target):
            target = target(suffix, sealed and safe_name(sealed))
        if isinstance(target, Path | Url):
            if sealed is not None and self.takes_sealed_names:
                self._require_new(target)
            self._require_writable(target)
        return target

    def _require_new(self, path: Location) -> None:
        if not self._is_kept(path) and exists(path):
            raise OutputExistsError(
                f"'{path}' exists, and a file under its sealed name replaces no other",
                hint="name the output, or another folder for it",
                hint_key="sealed",
                of_many="exist, and a file under its sealed name replaces no other",
            )

    def _require_writable(self, path: Location) -> None:
        """Raise an error if a path may not be written; unfinished files next to it are removed."""
        if self.source is not None and same_file(self.source, path):
            raise InvalidParameterError(
                "input and output are the same file", hint="name another output"
            )
        if not (self.options.replace or self._is_kept(path)):
            require_free(path)
        sweep_once(path.parent)

    def _is_kept(self, location: Location) -> bool:
        return self.options.resume or self.is_shared(location)

    def _is_missing(self) -> bool:
        """Return whether there is no input, which counts for more than a result in the way."""
        return isinstance(self.source, Path) and not exists(self.source)


def find_sidecar(
    source: Location | None, named: PathName | None, *, layers: bool = False
) -> Location | None:
    """Return the sidecar that was named, else the one next to the source, if it is there."""
    if named is not None:
        return parse_location(named)
    if source is None:
        return None
    # With the suffix a name may be too long, which is not an error here.
    path = name_sidecar(source, layers=layers)
    there = exists(path) if isinstance(path, Url) else os.path.isfile(path)
    return path if there else None


def read_sidecar(sidecar: Location) -> Header:
    """Return the header in a sidecar; `FormatError` if it is damaged or cannot be read."""
    try:
        return parse_sidecar(read_limited(sidecar, HEADER_LIMIT + 1))
    except OSError as error:
        reason = reason_of(error)
        raise FormatError(
            f"cannot read the sidecar '{sidecar}': {reason}",
            hint="the picture usually holds the same: leave the sidecar out",
            hint_key="sidecar",
        ) from None
    except FormatError as error:
        text = f"'{sidecar}': {error}"
        raise type(error)(text, hint=error.hint, hint_key=error.hint_key) from None


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
