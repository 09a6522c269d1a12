"""Where files come from and where their results go: by name, and binary streams."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import BinaryIO, TypeAlias

from sudokucrypt import images
from sudokucrypt.errors import (
    FormatError,
    InvalidParameterError,
    OutputExistsError,
    UnsupportedError,
    reason_of,
)
from sudokucrypt.header import HEADER_LIMIT, Header, parse_sidecar, sidecar_bytes, sidecar_name
from sudokucrypt.recipes.naming import LAYERS_SUFFIX, ResultNaming, safe_name
from sudokucrypt.recipes.source_files import SourceFile
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

_JPEG = "JPEG"

PATH_NAMES = (str, os.PathLike, Url)
PathName: TypeAlias = str | os.PathLike[str] | Url
# What is read: the path of a file, or its URL as text, or a binary stream to its end.
FileSource: TypeAlias = PathName | BinaryIO

# What is written: a path or URL, a stream, or how suffix and sealed name give a path.
FileTarget: TypeAlias = (
    PathName | BinaryIO | ResultNaming | Callable[[str, str | None], Location] | None
)

# Where a result goes, once that is settled.
Destination: TypeAlias = Location | BinaryIO


@dataclass(frozen=True)
class FileTransfer:
    """One file from where it is read to where its result is written."""

    # As for `scramble_file`.
    source: FileSource
    target: FileTarget = None
    # What is done, as in "scrambled": part of the name of a result without a given name.
    word: str = ""
    _: KW_ONLY
    format: str | None = None  # the format that was asked for
    replace: bool = False  # whether a result that exists may be replaced
    resume: bool = False  # whether it is kept
    with_sidecar: bool = False  # whether the result has a file next to it: its header or layers
    layered: bool = False  # whether that file holds the layers of a redaction
    file_name: str | None = None  # what the file is called, if not as its path says

    def read(self) -> SourceFile:
        """Read the input, after seeing whether a named target may be written at all."""
        # Nobody waits for a long reading to hear that the output exists.
        if isinstance(self.target, PATH_NAMES) and not self._is_missing:
            self._require_writable(parse_location(self.target))
        if isinstance(self.source, PATH_NAMES):
            return SourceFile.at(parse_location(self.source), self.file_name)
        return SourceFile.of_stream(self.source, self.file_name)

    def settle(self, suiting: str) -> tuple[str, Destination]:
        """Return the format of a picture, given the one that suits it, and where it goes."""
        chosen = self.format or suiting
        destination = self.settled(images.suffix_of(chosen))
        if self.format is None and isinstance(destination, Path | Url):
            chosen = images.output_format(destination)
        return chosen, destination

    def settle_jpeg(self) -> Destination:
        """Return where a picture goes that stays a JPEG; see `keeps_jpeg`."""
        destination = self.settled(images.suffix_of(_JPEG))
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
        if isinstance(self.target, PATH_NAMES) and not _is_jpeg(parse_location(self.target)):
            return False
        return self.format in (None, _JPEG)

    @property
    def names_format(self) -> bool:
        """Whether the caller chose the format of the result, by its name or otherwise."""
        return self.format is not None or isinstance(self.target, PATH_NAMES)

    def settled(self, suffix: str) -> Destination:
        """Return where a result with this suffix goes, which may be written there."""
        destination = self._destination(suffix)
        if not isinstance(destination, Path | Url):
            if self.with_sidecar:
                raise InvalidParameterError("a stream has no sidecar", hint="write to a file")
        elif self.with_sidecar and not (self.replace or self.resume):
            require_free(self.sidecar_path(destination))
        return destination

    def settle_file(self, name: str) -> Destination:
        """Return where a file goes that comes back under its sealed name.

        The reader has chosen neither the name nor what it would replace.
        """
        name = name_here(name)
        return self._destination(Path(name).suffix, name)

    @property
    def takes_sealed_names(self) -> bool:
        """Whether a sealed name is that of a result."""
        if isinstance(self.target, ResultNaming):
            return self.target.takes_sealed_names
        return self.target is None

    def _require_new(self, path: Location) -> None:
        if not self._is_kept(path) and exists(path):
            raise OutputExistsError(
                f"'{path}' exists, and a file under its sealed name replaces no other",
                hint="name the output, or another folder for it",
                hint_key="sealed",
                of_many="exist, and a file under its sealed name replaces no other",
            )

    def _destination(self, suffix: str, sealed: str | None = None) -> Destination:
        """Return where a result goes; without a target, next to the source."""
        target = self.target
        if target is None:
            if self._path is None:
                raise InvalidParameterError("a stream has no name: say where to write")
            target = ResultNaming(source=self._path, word=self.word)
        if isinstance(target, ResultNaming):
            target = target.location(suffix, sealed)
        elif isinstance(target, PATH_NAMES):
            target = parse_location(target)
        elif callable(target):
            target = target(suffix, sealed and safe_name(sealed))
        if isinstance(target, Path | Url):
            if sealed is not None and self.takes_sealed_names:
                self._require_new(target)
            self._require_writable(target)
        return target

    def _require_writable(self, path: Location) -> None:
        """Raise an error if a path may not be written; unfinished files next to it are removed."""
        if self._path is not None and same_file(self._path, path):
            raise InvalidParameterError(
                "input and output are the same file", hint="name another output"
            )
        if not (self.replace or self._is_kept(path)):
            require_free(path)
        sweep_once(path.parent)

    def kept(self, destination: Destination) -> Location | None:
        """Return the path of a result that is there already and is to be kept, if there is one."""
        if isinstance(destination, Path | Url) and self._is_kept(destination):
            return destination if exists(destination) else None
        return None

    def is_shared(self, location: Location) -> bool:
        """Return whether another input of the run is restored under the same sealed name."""
        naming = self.target
        return isinstance(naming, ResultNaming) and naming.claims.is_shared(location, naming.source)

    def _is_kept(self, location: Location) -> bool:
        return self.resume or self.is_shared(location)

    def appeared(self, destination: Destination) -> bool:
        """Return whether another run has made a result that is to be kept, and ours can be redone.

        A stream is not read twice.
        """
        return self._path is not None and self.kept(destination) is not None

    def require_free_name(self, suffix: str | None, sealed: str | None = None) -> None:
        """Raise an error at once if the result exists that this suffix or sealed name leads to.

        Nobody waits for a long work to hear that; it is asked again where the result is settled.
        """
        naming = self.target
        if naming is None and self._path is not None:
            naming = ResultNaming(source=self._path, word=self.word)
        if suffix is None or self.resume or self._is_missing:
            return
        if not isinstance(naming, ResultNaming):
            return
        path = naming.path(suffix, sealed)
        if isinstance(path, Url):  # each question is a request
            return
        if sealed is not None and naming.takes_sealed_names:
            naming.claims.check(path, naming.source, sealed=True)
            self._require_new(path)
            return
        naming.claims.check(path, naming.source)
        if not self.replace:
            require_free(path)

    def store(
        self,
        destination: Destination,
        parts: Iterable[Buffer],
        like: FileStatus,
        sidecar: Header | bytes | None = None,
        *,
        new: bool = False,
    ) -> int:
        """Write the result with permissions and time of the input, and its sidecar before it.

        Return the bytes of the result, which replaces nothing if it is to be a `new` file.
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
        if sidecar is not None:
            content = sidecar if isinstance(sidecar, bytes) else sidecar_bytes(sidecar)
            sidecars[self.sidecar_path(destination)] = [content]
        # A sidecar that is there is left from a run that was stopped, and may be replaced once the
        # picture is ours: another run at the same time may be the one that writes it.
        left = self.resume and any(map(exists, sidecars))
        replace = self.replace and not new
        write_atomically(outputs if left else sidecars | outputs, replace=replace, like=like)
        if left:
            write_atomically(sidecars, replace=True, like=like)
        return counted.size

    def sidecar_path(self, destination: Location) -> Location:
        """Return the path of the sidecar that a result has."""
        return layers_sidecar_of(destination) if self.layered else sidecar_of(destination)

    def keep_sidecar(self, destination: Location, header: Header) -> None:
        """Write the sidecar of a picture that is kept, unless it is there."""
        path = sidecar_of(destination)
        with suppress(OutputExistsError):  # another run may write it now
            write_atomically({path: [sidecar_bytes(header)]}, replace=False)
        if self.header_in(path) != header:
            require_free(path)

    @staticmethod
    def header_in(sidecar: Location) -> Header:
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

    def header(self, embedded: bytes | None, sidecar: PathName | None) -> Header | None:
        """Take the header from the sidecar that was named, that next to the source, or inside."""
        path = self.sidecar(sidecar)
        if path is not None:
            return self.header_in(path)
        return None if embedded is None else Header.from_bytes(embedded)

    def sidecar(
        self, named: PathName | None, name: Callable[[Location], Location] | None = None
    ) -> Location | None:
        """Return the path of the sidecar that was named, else of the one next to the source.

        Without another `name` it is the one that holds a header.
        """
        if named is not None:
            return parse_location(named)
        # With the suffix a name may be too long, which is not an error here.
        if self._path is None:
            return None
        path = (name or sidecar_of)(self._path)
        there = exists(path) if isinstance(path, Url) else os.path.isfile(path)
        return path if there else None

    @property
    def source_suffix(self) -> str:
        """The suffix of the input in lower case, which says of what kind it usually is."""
        return "" if self._path is None else self._path.suffix.lower()

    @property
    def _is_missing(self) -> bool:
        """Whether there is no input, which counts for more than a result in the way."""
        return isinstance(self._path, Path) and not exists(self._path)

    @property
    def _path(self) -> Location | None:
        return parse_location(self.source) if isinstance(self.source, PATH_NAMES) else None


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


def layers_sidecar_of(picture: Location) -> Location:
    """Return where the layers of a redacted picture are that does not hold them."""
    return picture.with_name(f"{picture.name}{LAYERS_SUFFIX}")
