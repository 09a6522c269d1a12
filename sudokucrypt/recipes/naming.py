"""What results are called and where they go, and what they never replace."""

import os
import re
import secrets
import unicodedata
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.header import sidecar_name
from sudokucrypt.remote import Url
from sudokucrypt.storage import (
    DEVICE_NAME,
    Location,
    ignores_case,
    in_this_locale,
    is_folder,
    make_folder,
    name_here,
    require_free,
    same_file,
)

DEFAULT_NAME = "{stem}.{word}{suffix}"

# Categories of control characters, invisible ones, and those that turn or end a line.
_UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}

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
        self._results: dict[Location, Location] = {}
        self._folds: dict[Location, bool] = {}
        self._lock = Lock()

    def __reduce__(self) -> Any:
        """Let other processes have all but the results, which each knows of its own alone."""
        return Claims, ([path.absolute() for path in self._secrets], self._inputs, False)

    def claim(self, location: Location, source: Location) -> None:
        """Keep a location for the result of one input; raise an error if it is not free."""
        with self._lock:
            self._require_unclaimed(location, source)
            if self._alone:
                self._results[self._folded(location)] = source
        self.require_other(location)

    def check(self, location: Location, source: Location) -> None:
        """Raise an error if a location is not free for the result of an input."""
        with self._lock:
            self._require_unclaimed(location, source)
        self.require_other(location)

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

    def _require_unclaimed(self, location: Location, source: Location) -> None:
        if self._results.get(self._folded(location), source) != source:
            raise claimed_twice(location)

    def require_no_secret(self, location: Location) -> None:
        """Raise `OutputExistsError` for a secret: all would be lost without it."""
        if any(same_file(location, secret) for secret in self._secrets):
            require_free(location, secret=True)

    def _folded(self, location: Location) -> Location:
        """Return the location as the file system compares names."""
        folder = location.parent
        if folder not in self._folds and is_folder(folder):  # one that is yet to be made is empty
            self._folds[folder] = ignores_case(folder)
        if not self._folds.get(folder):
            return location
        name = unicodedata.normalize("NFC", location.name).casefold()
        return folder / unicodedata.normalize("NFC", name)


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
    # A name with ``{stem}``, ``{name}``, ``{word}`` and ``{suffix}``, or with ``{random}``, which
    # shows nothing of the input and gets a suffix in any case. A file that is restored has the name
    # that is sealed in it, unless a template was chosen.
    template: str = DEFAULT_NAME
    # Whether ``{stem}`` is the whole name of the input, since another one has the same stem.
    full_name: bool = False
    claims: Claims = field(default_factory=Claims)  # what the result may not replace

    @property
    def takes_sealed_names(self) -> bool:
        """Whether a file that is restored gets the name that is sealed in it."""
        return self.template == DEFAULT_NAME

    def location(self, suffix: str, sealed: str | None = None) -> Location:
        """Return where a result with this suffix goes, which may be sealed under a name."""
        location = self.path(suffix, sealed)
        if isinstance(self.folder, Path):
            make_folder(self.folder)
        self.claims.claim(location, self.source)
        return location

    def path(self, suffix: str, sealed: str | None = None) -> Location:
        """Return where it goes without any claim to it; the end of a long name is cut off."""
        folder = self.source.parent if self.folder is None else self.folder
        if sealed is None or not self.takes_sealed_names:
            whole = self.source.name
            stem = whole if self.full_name else plain_stem(self.source)
            # Two random names of a billion differ.
            fields = {"word": self.word, "suffix": suffix, "random": secrets.token_hex(8)}
            while True:
                name = self.template.format(stem=stem, name=whole, **fields)
                if "{random}" in self.template and not Path(name).suffix:
                    name += suffix  # whoever types {random} alone wants a picture of no name
                if len(os.fsencode(name)) <= _NAME_BYTES or not (stem and whole):
                    return folder / name
                stem, whole = stem[:-1], whole[:-1]  # what is put behind it has to fit
        return folder / in_this_locale(safe_name(sealed))


def claimed_twice(location: object) -> InvalidParameterError:
    """Return the error for a second input that would lead to one output."""
    return InvalidParameterError(
        f"another input is written to '{location}' too",
        hint="name another output for one of them",
        hint_key="claimed",
    )


def safe_name(sealed: str) -> str:
    """Return the name that a file gets whose sealed name its sender chose.

    It is a name that the reader sees whole and that nothing takes for more than a file: not hidden,
    since programs read hidden files of a folder by themselves; no option, as which ``*`` would pass
    it to a program; not our sidecar; no device; without characters that are invisible or turn the
    direction of writing. ``_`` replaces what is not so.
    """
    name = "".join("_" if unicodedata.category(c) in _UNSEEN else c for c in name_here(sealed))
    name = _ENDS.sub(lambda end: "_" * len(end[0]), name)
    if name.startswith((".", "-")) or DEVICE_NAME.match(name):
        name = f"_{name}"
    folded = unicodedata.normalize("NFC", name).casefold()
    if folded.endswith(sidecar_name("")):
        name = f"{name[:-5]}_{name[-4:]}"
    while len(name.encode()) > _NAME_BYTES:  # what was put before it may be too much
        stem, dot, suffix = name.rpartition(".")
        name = f"{stem[:-1]}{dot}{suffix}" if stem else name[:-1]
    return name


def plain_stem(source: Location) -> str:
    """Return the name of a file without suffix and without what was done to it before."""
    stem = source.stem
    for done in (".scrambled", ".encrypted", ".rekeyed", ".redacted"):
        stem = stem.removesuffix(done)
    return stem
