"""Where results go: what they never replace, and how they are stored."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, TypeAlias

from sudokucrypt import images
from sudokucrypt.errors import (
    FormatError,
    InvalidParameterError,
    OutputExistsError,
    UnsupportedError,
    format_reason,
)
from sudokucrypt.header import HEADER_LIMIT, Header, make_sidecar, parse_sidecar
from sudokucrypt.recipes.naming import ResultNaming, fold_name, name_sidecar, safe_name
from sudokucrypt.recipes.sources import PATH_NAMES, FileSource
from sudokucrypt.remote import Url
from sudokucrypt.storage import (
    FileStatus,
    Location,
    PathName,
    can_hide,
    exists,
    ignores_case,
    is_folder,
    make_folder,
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


class Claims:
    """The files of a run that none of its results may replace: what it reads, and has written.

    `secrets` are key and passphrase files, and `inputs` what `identities` returns of all else that
    is read, if results may replace files at all. Unless the run is `alone`, other processes name
    results too, and who gathers them compares.
    """

    def __init__(
        self,
        secrets: Sequence[Path] = (),
        inputs: frozenset[object] = frozenset(),
        alone: bool = True,  # noqa: FBT001, FBT002 - what `__reduce__` gives has no names
    ) -> None:
        self._secrets, self._inputs, self._alone = tuple(secrets), inputs, alone
        # Of each result, as the file system compares names: where it goes, and its input.
        self._results: dict[Location, tuple[Location, Location]] = {}
        self._shared: set[Location] = set()  # those of several inputs
        self._folds: dict[Location, bool] = {}
        self._lock = Lock()

    def __reduce__(self) -> Any:
        """Let other processes have all but the results, which each knows of its own alone."""
        return Claims, ([path.absolute() for path in self._secrets], self._inputs, False)

    def claim(self, location: Location, source: Location, *, sealed: bool = False) -> None:
        """Keep a location for the result of one input; raise an error if it is not free.

        Several inputs may have one `sealed` name, if their contents turn out to be equal.
        """
        with self._lock:
            self._require_unclaimed(location, source, sealed=sealed)
            if self._alone:
                _, owner = self._results.setdefault(
                    self._fold_location(location), (location, source)
                )
                if owner != source:
                    self._shared.add(location)
        self.require_other(location)

    def check(self, location: Location, source: Location, *, sealed: bool = False) -> None:
        """Raise an error if a location is not free for the result of an input."""
        with self._lock:
            self._require_unclaimed(location, source, sealed=sealed)
        self.require_other(location)

    def is_shared(self, location: Location, source: Location) -> bool:
        """Return whether a location was given to the result of another input, too."""
        with self._lock:
            _, owner = self._results.get(self._fold_location(location), (location, source))
            return owner != source or location in self._shared

    def require_other(self, location: Location) -> None:
        """Raise an error for a location of a file that the run reads."""
        self.require_no_secret(location)
        # By what the file is and not by its name, so that links and other spellings count too.
        if self._inputs and not self._inputs.isdisjoint(identities([location])):
            raise InvalidParameterError(
                f"'{location}' is read by this run, which replaces no input",
                hint="write to another folder, or under another name",
                hint_key="input",
            )

    def _require_unclaimed(self, location: Location, source: Location, *, sealed: bool) -> None:
        there, owner = self._results.get(self._fold_location(location), (location, source))
        if owner != source and not (sealed and there == location):
            raise claimed_twice(location)

    def require_no_secret(self, location: Location) -> None:
        """Raise `OutputExistsError` for a secret: all would be lost without it."""
        if any(same_file(location, secret) for secret in self._secrets):
            require_free(location, secret=True)

    def _fold_location(self, location: Location) -> Location:
        """Return the location as the file system compares names."""
        if isinstance(location, Url):  # each question is a request, and stores never fold names
            return location
        folder = location.parent
        if folder not in self._folds and is_folder(folder):  # one that is yet to be made is empty
            self._folds[folder] = ignores_case(folder)
        return Path(fold_name(str(location))) if self._folds.get(folder) else location


def identities(locations: Iterable[Location]) -> frozenset[object]:
    """Return values that identify files, and also the targets of links."""
    seen: set[object] = set()
    for location in locations:
        if isinstance(location, Url):
            seen.add(location)
            continue
        for look in (os.stat, os.lstat):
            with suppress(OSError, ValueError):
                status = look(location)
                seen.add((status.st_dev, status.st_ino))
    return frozenset(seen)


def claimed_twice(location: object) -> InvalidParameterError:
    """Return the error for a second input that would lead to one output."""
    return InvalidParameterError(
        f"another input is written to '{location}' too",
        hint="name another output for one of them",
        hint_key="claimed",
    )


class RunTarget(NamedTuple):
    """Where one of many results goes, and what none of them may replace."""

    target: Location | ResultNaming
    claims: Claims


# What is written: a path or URL, a stream, or how suffix and sealed name give a path.
FileTarget: TypeAlias = (
    PathName | BinaryIO | ResultNaming | RunTarget | Callable[[str, str | None], Location] | None
)

# Where a result goes, once that is settled.
Destination: TypeAlias = Location | BinaryIO

_JPEG = "JPEG"


@dataclass(frozen=True, eq=False, kw_only=True)
class Sink:
    """Where the result of one input goes: its name is found, seen to be free, and written to."""

    source: Location | None  # the input, which the result may not replace; None for a stream
    target: Location | BinaryIO | ResultNaming | Callable[[str, str | None], Location]
    options: StoreOptions  # whether results may be replaced or are kept
    claims: Claims = field(default_factory=Claims)  # what the result may not replace
    format: str | None = None  # the format that was asked for
    sidecar: bool = False  # whether the result has a file next to it: its header, or its layers

    @classmethod
    def of(cls, source: FileSource, target: FileTarget, options: StoreOptions) -> Sink:
        """Return the sink of a target, which is not written if the input is there and it exists."""
        location = parse_location(source) if isinstance(source, PATH_NAMES) else None
        claims = Claims()
        if isinstance(target, RunTarget):
            target, claims = target
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
            claims=claims,
            format=getattr(options, "format", None),
            sidecar=options.sealing and getattr(options, "sidecar", False),
        )
        # Nobody waits for a long reading to hear that the output exists, unless there is no input.
        if isinstance(target, Path | Url) and not sink._is_missing():
            claims.require_no_secret(target)
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
        path = naming.make_path(suffix, sealed)
        if isinstance(path, Url):  # each question is a request
            return
        if sealed is not None and naming.takes_sealed_names:
            self.claims.check(path, naming.source, sealed=True)
            self._require_new(path)
            return
        self.claims.check(path, naming.source)
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
        return isinstance(naming, ResultNaming) and self.claims.is_shared(location, naming.source)

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
            content = sidecar if isinstance(sidecar, bytes) else make_sidecar(sidecar)
            sidecars[self._name_sidecar(destination)] = [content]
        # A sidecar that is there is left from a run that was stopped, and may be replaced once the
        # picture is ours: another run at the same time may be the one that writes it.
        left = self.options.resume and any(map(exists, sidecars))
        replace = self.options.replace and not new
        write_atomically(
            outputs if left else sidecars | outputs, replace=replace, like=like, hidden=hidden
        )
        if left:
            write_atomically(sidecars, replace=True, like=like)
        return counted.size

    def can_hide(self, destination: Destination) -> bool:
        """Return whether nothing is seen of a plain result before all of it is written."""
        if self.options.sealing or not isinstance(destination, Path):
            return False
        return can_hide(destination.parent)

    def keep_sidecar(self, destination: Location, header: Header) -> None:
        """Write the sidecar of a picture that is kept, unless it is there."""
        path = self._name_sidecar(destination)
        with suppress(OutputExistsError):  # another run may write it now
            write_atomically({path: [make_sidecar(header)]}, replace=False)
        if read_sidecar(path) != header:
            require_free(path)

    def _name_sidecar(self, destination: Location) -> Location:
        return name_sidecar(destination, layers=self.options.layered)

    def _settle(self, suffix: str, sealed: str | None = None) -> Destination:
        """Return where a result goes, after seeing that it may be written there."""
        target, named = self.target, sealed is not None and self.takes_sealed_names
        if isinstance(target, ResultNaming):
            naming, target = target, target.make_path(suffix, sealed)
            if isinstance(naming.folder, Path):
                make_folder(naming.folder)
            self.claims.claim(target, naming.source, sealed=named)
        elif callable(target):
            target = target(suffix, sealed and safe_name(sealed))
        if isinstance(target, Path | Url):
            if named:
                self._require_new(target)
            self._require_writable(target)
        return target

    def _require_new(self, path: Location) -> None:
        if not self._is_kept(path) and exists(path):
            raise OutputExistsError(
                f"'{path}' exists, and a file under its sealed name replaces no other",
                hint="name the output, or another folder for it",
                hint_key="sealed",
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
        reason = format_reason(error)
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
