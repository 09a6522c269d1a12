"""Where results go: what they are called, what they never replace, and how they are stored."""

from __future__ import annotations

import os
import re
import secrets
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path, PurePath
from threading import Lock
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

from sudokucrypt import images
from sudokucrypt.errors import (
    FormatError,
    InvalidParameterError,
    OutputExistsError,
    UnsupportedError,
    reason_of,
)
from sudokucrypt.header import HEADER_LIMIT, Header, parse_sidecar, sidecar_bytes, sidecar_name
from sudokucrypt.recipes.sources import PATH_NAMES, FileSource
from sudokucrypt.remote import Url
from sudokucrypt.storage import (
    DEVICE_NAME,
    FileStatus,
    Location,
    PathName,
    can_hide,
    exists,
    ignores_case,
    in_this_locale,
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


DEFAULT_NAME = "{name}.{word}{suffix}"

# Commands that protect a file name the result after the full name of the file. Other commands
# first drop what such a command has added, so that names do not grow.
_PROTECTING = ("encrypted", "redacted", "scrambled")
_ADDED = re.compile(r"(?<=.)\.(encrypted|redacted|rekeyed|scrambled)(\.[^.]+)?\Z", re.DOTALL)

# Categories of control characters, invisible ones, and those that turn or end a line.
_UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}

# Joiners are invisible too, but shape words of Persian and Indian languages, and join emoji: they
# stay between such characters, and at the end of a word after a sign that removes a vowel.
_SHAPED = (
    "\u0600-\u1cff\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\ua800-\uabff\ufe0f"
    "\U00010a00-\U00011fff\U0001f000-\U0001faff"
)
_VOWELLESS = "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca"
_JOINERS = "\u200c\u200d"
_LOOSE_JOINER = re.compile(
    f"(?<![{_SHAPED}])[{_JOINERS}]|(?<![{_VOWELLESS}])[{_JOINERS}](?![{_SHAPED}])"
)

# What Windows obeys where it finds it, by its usual name.
_OBEYED = ("autorun.inf", "desktop.ini")

LAYERS_SUFFIX = ".redaction"
"""What follows the name of a redacted picture in the name of the file of its layers."""

_ENDS = re.compile(r"[. ]+\Z")  # Windows drops them, so that the name would become another one
# The longest name that the usual file systems take.
_NAME_BYTES = 255


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
                _, owner = self._results.setdefault(self._fold(location), (location, source))
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
            _, owner = self._results.get(self._fold(location), (location, source))
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
        there, owner = self._results.get(self._fold(location), (location, source))
        if owner != source and not (sealed and there == location):
            raise claimed_twice(location)

    def require_no_secret(self, location: Location) -> None:
        """Raise `OutputExistsError` for a secret: all would be lost without it."""
        if any(same_file(location, secret) for secret in self._secrets):
            require_free(location, secret=True)

    def _fold(self, location: Location) -> Location:
        """Return the location as the file system compares names."""
        if isinstance(location, Url):  # each question is a request, and stores never fold names
            return location
        folder = location.parent
        if folder not in self._folds and is_folder(folder):  # one that is yet to be made is empty
            self._folds[folder] = ignores_case(folder)
        return Path(fold_name(str(location))) if self._folds.get(folder) else location


def identities(locations: Iterable[Location]) -> frozenset[object]:
    """Return what tells files from all others: of links, also what they lead to."""
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


@dataclass(frozen=True, eq=False, kw_only=True)
class ResultNaming:
    """How the result of one input is named."""

    source: Location  # the input, or what is taken for its name
    word: str  # what is done, as in "scrambled"
    folder: Location | None = None  # where the result goes; none for the folder of the input
    # A name with ``{name}``, ``{stem}``, ``{word}`` and ``{suffix}``, or with ``{random}``, which
    # shows nothing of the input and gets a suffix in any case. A file that is restored has the name
    # that is sealed in it, unless a template was chosen.
    template: str = DEFAULT_NAME
    claims: Claims = field(default_factory=Claims)  # what the result may not replace

    @property
    def takes_sealed_names(self) -> bool:
        """Whether a file that is restored gets the name that is sealed in it."""
        return self.template == DEFAULT_NAME

    def claim(self, suffix: str, sealed: str | None = None) -> Location:
        """Return the path of a result after making its folder and claiming it."""
        location = self.path(suffix, sealed)
        if isinstance(self.folder, Path):
            make_folder(self.folder)
        is_sealed = sealed is not None and self.takes_sealed_names
        self.claims.claim(location, self.source, sealed=is_sealed)
        return location

    def path(self, suffix: str, sealed: str | None = None) -> Location:
        """Return where it goes without any claim to it; the end of a long name is cut off."""
        folder = self.source.parent if self.folder is None else self.folder
        if sealed is not None and self.takes_sealed_names:
            return folder / in_this_locale(safe_name(sealed))
        whole = self.source.name if self.word in _PROTECTING else original_name(self.source)
        # Two random names of a billion differ.
        fields = {"word": self.word, "suffix": suffix, "random": secrets.token_hex(8)}
        for length in range(len(whole), -1, -1):
            shown = whole
            if length < len(whole):  # two long names that differ in their ends still do
                shown = f"{whole[:length]}~{sha256(os.fsencode(whole)).hexdigest()[:8]}"
            name = self.template.format(name=shown, stem=PurePath(shown).stem, **fields)
            if "{random}" in self.template and not Path(name).suffix:
                name += suffix  # whoever types {random} alone wants a picture of no name
            if len(os.fsencode(name)) <= _NAME_BYTES:
                break
        return folder / name


def name_sidecar(path: Location, *, layers: bool = False) -> Location:
    """Return the path of the sidecar of a picture: its header, or its layers."""
    return path.with_name(f"{path.name}{LAYERS_SUFFIX}" if layers else sidecar_name(path.name))


def claimed_twice(location: object) -> InvalidParameterError:
    """Return the error for a second input that would lead to one output."""
    return InvalidParameterError(
        f"another input is written to '{location}' too",
        hint="name another output for one of them",
        hint_key="claimed",
    )


def fold_name(name: str) -> str:
    """Return the form that names have in common which a file system may take for one."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def safe_name(sealed: str) -> str:
    """Return the name that a file gets whose sealed name its sender chose.

    It is a name that the reader sees whole and that nothing takes for more than a file: not hidden,
    since programs read hidden files of a folder by themselves; no option, as which ``*`` would pass
    it to a program; not our sidecar, nor layers; no device; not ``desktop.ini`` and its like;
    without characters that are invisible or turn the direction of writing. ``_`` replaces what is
    not so.
    """
    name = "".join(
        "_" if unicodedata.category(c) in _UNSEEN and c not in _JOINERS else c
        for c in name_here(sealed)
    )
    name = _ENDS.sub(lambda end: "_" * len(end[0]), name)
    folded = fold_name(name)
    if name.startswith((".", "-")) or DEVICE_NAME.match(name) or folded in _OBEYED:
        name = f"_{name}"
    if folded.endswith((sidecar_name(""), LAYERS_SUFFIX)):
        name = "_".join(name.rsplit(".", 1))
    while len(name.encode()) > _NAME_BYTES:  # what was put before it may be too much
        stem, dot, suffix = name.rpartition(".")
        name = f"{stem[:-1]}{dot}{suffix}" if stem else name[:-1]
    return _LOOSE_JOINER.sub("_", name)


def original_name(source: Location) -> str:
    """Return the name of a file without what was added to it when it was protected.

    >>> original_name(Path("photo.jpg.encrypted.png"))
    'photo.jpg'
    """
    return _ADDED.sub("", source.name)


def plain_stem(source: Location) -> str:
    """Return the name of a file without its suffix and without what protecting it has added."""
    return PurePath(original_name(source)).stem


# What is written: a path or URL, a stream, or how suffix and sealed name give a path.
FileTarget: TypeAlias = (
    PathName | BinaryIO | ResultNaming | Callable[[str, str | None], Location] | None
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
