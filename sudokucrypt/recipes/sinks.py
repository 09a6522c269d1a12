"""Destinations of results: which files a result never replaces, and how it is stored."""

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
from sudokucrypt.recipes.naming import ResultNaming, fold_name, make_safe_name, name_sidecar
from sudokucrypt.recipes.sources import PATH_NAMES, FileSource
from sudokucrypt.remote import Url
from sudokucrypt.storage import (
    FileStatus,
    Location,
    LocationLike,
    exists,
    ignores_case,
    is_folder,
    is_same_file,
    make_folder,
    make_usable_name,
    parse_location,
    read_limited_file,
    require_free,
    supports_nameless_files,
    write_atomically,
)

if TYPE_CHECKING:
    from sudokucrypt.recipes.options import StoreOptions
    from sudokucrypt.typing import Buffer


class Claims:
    """The files of one run that its results may not replace: its inputs and earlier results.

    `secret_files` are key and passphrase files. `inputs` are the values of `identify_files` for all
    other inputs, and may be empty if results replace no files at all. Unless the run has a
    `single_process`, other processes claim results too, and their parent compares the results.
    """

    def __init__(
        self,
        secret_files: Sequence[Path] = (),
        inputs: frozenset[object] = frozenset(),
        single_process: bool = True,  # noqa: FBT001, FBT002 - `__reduce__` passes it by position
    ) -> None:
        self._secret_paths, self._input_ids = tuple(secret_files), inputs
        self._single_process = single_process
        # Maps the folded location of each result to its location and its input.
        self._results: dict[Location, tuple[Location, Location]] = {}
        self._shared_locations: set[Location] = set()  # locations that several inputs claimed
        self._folds_names_by_folder: dict[Location, bool] = {}  # for each folder
        self._lock = Lock()

    def __reduce__(self) -> Any:
        """Give other processes everything except the results, which each process tracks itself."""
        return Claims, ([path.absolute() for path in self._secret_paths], self._input_ids, False)

    def claim(self, location: Location, source: Location, *, is_sealed_name: bool = False) -> None:
        """Reserve a location for the result of one input; raise an error if it is not free.

        Several inputs may claim the same sealed name: their contents are compared later.
        """
        with self._lock:
            self._require_unclaimed(location, source, is_sealed_name=is_sealed_name)
            if self._single_process:
                _, claiming_source = self._results.setdefault(
                    self._fold_location(location), (location, source)
                )
                if claiming_source != source:
                    self._shared_locations.add(location)
        self.require_no_input(location)

    def check(self, location: Location, source: Location, *, is_sealed_name: bool = False) -> None:
        """Raise an error if a location is not free for the result of an input."""
        with self._lock:
            self._require_unclaimed(location, source, is_sealed_name=is_sealed_name)
        self.require_no_input(location)

    def is_shared(self, location: Location, source: Location) -> bool:
        """Return whether another input claimed the same location."""
        with self._lock:
            _, claiming_source = self._results.get(
                self._fold_location(location), (location, source)
            )
            return claiming_source != source or location in self._shared_locations

    def require_no_input(self, location: Location) -> None:
        """Raise an error for the location of a file that the run reads."""
        self.require_no_secret(location)
        # Compared by device and inode, so that links and other spellings of a name count too.
        if self._input_ids and not self._input_ids.isdisjoint(identify_files([location])):
            raise InvalidParameterError(
                f"'{location}' is read by this run, which replaces no input",
                hint="write to another folder, or under another name",
                hint_key="input",
            )

    def _require_unclaimed(
        self, location: Location, source: Location, *, is_sealed_name: bool
    ) -> None:
        claimed_location, claiming_source = self._results.get(
            self._fold_location(location), (location, source)
        )
        if claiming_source != source and not (is_sealed_name and claimed_location == location):
            raise make_same_output_error(location)

    def require_no_secret(self, location: Location) -> None:
        """Raise `OutputExistsError` for a key or passphrase file, which must never be lost."""
        if any(is_same_file(location, secret) for secret in self._secret_paths):
            require_free(location, secret=True)

    def _fold_location(self, location: Location) -> Location:
        """Return a location that is equal for names that the file system does not distinguish."""
        if isinstance(location, Url):  # stores never fold names, and asking them costs a request
            return location
        folder = location.parent
        # A folder that does not exist yet cannot be tested.
        if folder not in self._folds_names_by_folder and is_folder(folder):
            self._folds_names_by_folder[folder] = ignores_case(folder)
        return (
            Path(fold_name(str(location))) if self._folds_names_by_folder.get(folder) else location
        )


def identify_files(locations: Iterable[Location]) -> frozenset[object]:
    """Return values that identify files: URLs, or device and inode of a link and of its target."""
    identities: set[object] = set()
    for location in locations:
        if isinstance(location, Url):
            identities.add(location)
            continue
        for read_status in (os.stat, os.lstat):
            with suppress(OSError, ValueError):
                status = read_status(location)
                identities.add((status.st_dev, status.st_ino))
    return frozenset(identities)


def make_same_output_error(location: object) -> InvalidParameterError:
    """Return the error for two inputs with the same output."""
    return InvalidParameterError(
        f"another input is written to '{location}' too",
        hint="name another output for one of them",
        hint_key="claimed",
    )


class RunTarget(NamedTuple):
    """The target of one result of a run, with the claims of the run."""

    target: Location | ResultNaming
    claims: Claims


# A path or URL, a stream, or a rule or function that makes a path from suffix and sealed name.
FileTarget: TypeAlias = (
    LocationLike
    | BinaryIO
    | ResultNaming
    | RunTarget
    | Callable[[str, str | None], Location]
    | None
)

# The final place of a result.
Destination: TypeAlias = Location | BinaryIO

_JPEG = "JPEG"


@dataclass(frozen=True, eq=False, kw_only=True)
class Sink:
    """The destination of the result of one input: methods choose, check and write it."""

    source: Location | None  # the input, which the result may not replace; None for a stream
    target: Location | BinaryIO | ResultNaming | Callable[[str, str | None], Location]
    options: StoreOptions  # whether results may be replaced or are kept
    claims: Claims = field(default_factory=Claims)  # the files that the result may not replace
    format: str | None = None  # the requested format
    sidecar: bool = False  # whether header or layers are written to a file next to the result

    @classmethod
    def for_target(cls, source: FileSource, target: FileTarget, options: StoreOptions) -> Sink:
        """Return the sink for a target; raise an error at once if the target may not be written."""
        location = parse_location(source) if isinstance(source, PATH_NAMES) else None
        claims = Claims()
        if isinstance(target, RunTarget):
            target, claims = target
        if target is None:
            if location is None:
                raise InvalidParameterError("a stream has no name: say where to write")
            target = ResultNaming(source=location, participle=options.participle)
        elif isinstance(target, PATH_NAMES):
            target = parse_location(target)
        sink = cls(
            source=location,
            target=target,
            options=options,
            claims=claims,
            format=getattr(options, "format", None),
            sidecar=options.seals_results and getattr(options, "sidecar", False),
        )
        # The target is checked before a long input is read; but if the input is missing, only that
        # error is reported.
        if isinstance(target, Path | Url) and not sink._is_source_missing():
            claims.require_no_secret(target)
            sink._require_writable(target)
        return sink

    def choose_destination(self, default_format: str) -> tuple[str, Destination]:
        """Return the format and the destination of a picture."""
        chosen_format = self.format or default_format
        destination = self.make_destination(images.get_suffix(chosen_format))
        if self.format is None and isinstance(destination, Path | Url):
            chosen_format = images.output_format(destination)
        return chosen_format, destination

    def choose_jpeg_destination(self) -> Destination:
        """Return the destination of a picture that stays a JPEG; see `keeps_jpeg`."""
        destination = self.make_destination(images.get_suffix(_JPEG))
        if isinstance(destination, Path | Url) and not _is_jpeg(destination):
            raise UnsupportedError(
                f"'{destination}' cannot be written: the result is a JPEG, and the "
                "suffix is of another format",
                hint="use the suffix .jpg, or choose a format",
            )
        return destination

    def make_destination(self, suffix: str) -> Destination:
        """Return the destination of a result with this suffix, after checking that it is free."""
        destination = self._make_destination(suffix)
        if not isinstance(destination, Path | Url):
            if self.sidecar:
                raise InvalidParameterError("a stream has no sidecar", hint="write to a file")
        elif self.sidecar and not (self.options.replace or self.options.resume):
            require_free(self._name_sidecar(destination))
        return destination

    def make_sealed_destination(self, name: str) -> Destination:
        """Return the destination of a file that is restored under its sealed name.

        Such a file replaces no other, since its name was chosen by its sender.
        """
        name = make_usable_name(name)
        return self._make_destination(Path(name).suffix, name)

    @property
    def keeps_jpeg(self) -> bool:
        """Whether the result may be a JPEG: neither target nor options name another format."""
        names_other_format = isinstance(self.target, Path | Url) and not _is_jpeg(self.target)
        return not names_other_format and self.format in (None, _JPEG)

    @property
    def has_chosen_format(self) -> bool:
        """Whether the caller chose the format of the result, by name or by option."""
        return self.format is not None or isinstance(self.target, Path | Url)

    @property
    def takes_sealed_names(self) -> bool:
        """Whether results get the names that are sealed in their headers."""
        return isinstance(self.target, ResultNaming) and self.target.takes_sealed_names

    def require_free_name(self, suffix: str | None, sealed_name: str | None = None) -> None:
        """Raise an error if the result with this suffix or sealed name exists already.

        This early check spares useless work; `choose_destination` checks again.
        """
        naming = self.target
        if suffix is None or self.options.resume or not isinstance(naming, ResultNaming):
            return
        if self._is_source_missing():
            return
        path = naming.make_path(suffix, sealed_name)
        if isinstance(path, Url):  # a check would cost a request
            return
        if sealed_name is not None and naming.takes_sealed_names:
            self.claims.check(path, naming.source, is_sealed_name=True)
            self._require_new_path(path)
            return
        self.claims.check(path, naming.source)
        if not self.options.replace:
            require_free(path)

    def find_kept_result(self, destination: Destination) -> Location | None:
        """Return the location of an existing result that is to be kept, or None."""
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
        source_status: FileStatus,
        sidecar: Header | bytes | None = None,
        *,
        must_be_new: bool,
        is_nameless: bool,
    ) -> int:
        """Write the sidecar and then the result, with permissions and time of the input.

        Return the size of the result in bytes. A `must_be_new` result replaces no file. A
        `is_nameless` result, see `can_stay_nameless`, is invisible to others until all of it is
        written.
        """
        # Parts are made while they are written, so their size is known only at the end.
        counted_parts = _CountedParts(parts)
        if not isinstance(destination, Path | Url):
            for part in counted_parts:
                destination.write(part)
            destination.flush()
            return counted_parts.size
        outputs: dict[Location, Iterable[Buffer]] = {destination: counted_parts}
        sidecars: dict[Location, Iterable[Buffer]] = {}
        if sidecar is not None and self.sidecar:
            content = sidecar if isinstance(sidecar, bytes) else make_sidecar(sidecar)
            sidecars[self._name_sidecar(destination)] = [content]
        # An existing sidecar may belong to an interrupted run, or to another active run, so it is
        # replaced only after this run has written the picture.
        sidecar_exists = self.options.resume and any(map(exists, sidecars))
        replace = self.options.replace and not must_be_new
        write_atomically(
            outputs if sidecar_exists else sidecars | outputs,
            replace=replace,
            source_status=source_status,
            is_nameless=is_nameless,
        )
        if sidecar_exists:
            write_atomically(sidecars, replace=True, source_status=source_status)
        return counted_parts.size

    def can_stay_nameless(self, destination: Destination) -> bool:
        """Return whether a plain result can stay invisible until all of it is written."""
        if self.options.seals_results or not isinstance(destination, Path):
            return False
        return supports_nameless_files(destination.parent)

    def ensure_sidecar(self, destination: Location, header: Header) -> None:
        """Write the sidecar of a kept picture, or raise an error if another sidecar exists."""
        path = self._name_sidecar(destination)
        with suppress(OutputExistsError):  # another run may write it now
            write_atomically({path: [make_sidecar(header)]}, replace=False)
        if read_sidecar(path) != header:
            require_free(path)

    def _name_sidecar(self, destination: Location) -> Location:
        return name_sidecar(destination, layers=self.options.sidecar_has_layers)

    def _make_destination(self, suffix: str, sealed_name: str | None = None) -> Destination:
        """Return the destination of a result, after checking that it may be written."""
        target, uses_sealed_name = self.target, sealed_name is not None and self.takes_sealed_names
        if isinstance(target, ResultNaming):
            naming, target = target, target.make_path(suffix, sealed_name)
            if isinstance(naming.folder, Path):
                make_folder(naming.folder)
            self.claims.claim(target, naming.source, is_sealed_name=uses_sealed_name)
        elif callable(target):
            target = target(suffix, sealed_name and make_safe_name(sealed_name))
        if isinstance(target, Path | Url):
            if uses_sealed_name:
                self._require_new_path(target)
            self._require_writable(target)
        return target

    def _require_new_path(self, path: Location) -> None:
        if not self._is_kept(path) and exists(path):
            raise OutputExistsError(
                f"'{path}' exists, and a file that is restored under its sealed name "
                "replaces no other file",
                hint="name the output, or another folder for it",
                hint_key="sealed",
            )

    def _require_writable(self, path: Location) -> None:
        """Raise an error if a path may not be written."""
        if self.source is not None and is_same_file(self.source, path):
            raise InvalidParameterError(
                "input and output are the same file", hint="name another output"
            )
        if not (self.options.replace or self._is_kept(path)):
            require_free(path)

    def _is_kept(self, location: Location) -> bool:
        return self.options.resume or self.is_shared(location)

    def _is_source_missing(self) -> bool:
        """Return whether the input is missing, an error that is reported before other errors."""
        return isinstance(self.source, Path) and not exists(self.source)


def find_sidecar(
    source: Location | None, sidecar_name: LocationLike | None, *, layers: bool = False
) -> Location | None:
    """Return sidecar `sidecar_name`, else an existing sidecar next to the source, else None."""
    if sidecar_name is not None:
        return parse_location(sidecar_name)
    if source is None:
        return None
    path = name_sidecar(source, layers=layers)
    # Unlike `Path.is_file`, this raises no error for a name that the suffix makes too long.
    is_present = exists(path) if isinstance(path, Url) else os.path.isfile(path)
    return path if is_present else None


def read_sidecar(sidecar: Location) -> Header:
    """Return the header in a sidecar; `FormatError` if it is damaged or cannot be read."""
    try:
        return parse_sidecar(read_limited_file(sidecar, HEADER_LIMIT + 1))
    except OSError as error:
        reason = format_reason(error)
        raise FormatError(
            f"cannot read the sidecar '{sidecar}': {reason}",
            hint="the picture usually contains the same header: omit the sidecar",
            hint_key="sidecar",
        ) from None
    except FormatError as error:
        text = f"'{sidecar}': {error}"
        raise type(error)(text, hint=error.hint, hint_key=error.hint_key) from None


class _CountedParts:
    """Parts of a file, with the number of bytes that were iterated over."""

    def __init__(self, parts: Iterable[Buffer]) -> None:
        self._parts = parts
        self.size = 0

    def __iter__(self) -> Iterator[Buffer]:
        for part in self._parts:
            self.size += memoryview(part).nbytes
            yield part


def _is_jpeg(path: Location) -> bool:
    driver = images.find_driver(path.suffix.lower())
    return driver is not None and driver.name == _JPEG
