"""What the arguments of a command name: files, and what folders hold."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from hashlib import sha256
from pathlib import Path, PurePath, PurePosixPath

import click

from sudokucrypt.cli.messages import say
from sudokucrypt.cli.options import Item
from sudokucrypt.errors import (
    DecryptionError,
    FormatError,
    InvalidImageError,
    SudokucryptError,
    UnsupportedError,
    format_reason,
)
from sudokucrypt.frozen import Frozen
from sudokucrypt.remote import Url, walk
from sudokucrypt.storage import Location, is_folder, name_here, same_file

_NAMED = 3  # how many names a note has room for
_SIDECARS = (".sudokucrypt.json", ".redaction")
_COVERING = ("redacted", "outlined")  # what `redact` calls its results
_START = 16_384  # bytes of a file that are searched for a header
DEEPEST = 200
"""How far below the folder that was named others are entered: Python's own walk is recursive."""
# What macOS and Windows keep in folders for themselves, in lower case.
_SYSTEM_FILES = {".ds_store", "thumbs.db", "desktop.ini"}


class LeftOutReason(Enum):
    """Why something in a folder is left out: what it is called, and what to do about it."""

    HIDDEN = "hidden file", "hidden files", "--all-files includes hidden files"
    HIDDEN_FOLDER = "hidden folder", "hidden folders", "--all-files -r enters hidden folders"
    FOLDER = "folder that was not entered", "folders that were not entered", "-r enters folders"
    LINK = "symbolic link", "symbolic links", "links are not followed"
    SPECIAL = "pipe, socket or device", "pipes, sockets or devices", ""
    OUTPUT = "folder of results", "folders of results", ""
    RESULT = "result of this command", "results of this command", ""
    PROTECTED = "protected file", "protected files", "none is protected twice"
    UNFINISHED = "unfinished result of another run", "unfinished results of another run", ""
    SIDECAR = "sidecar, read with its picture", "sidecars, read with their pictures", ""
    KEY = "key file", "key files", "keep a key apart from what it opens"
    PLAIN = "picture that is not protected", "pictures that are not protected", ""
    BARE = "picture without layers to lift", "pictures without layers to lift", ""
    CLOSED = "file that the key does not open", "files that the key does not open", ""
    SYSTEM = (
        "file that Windows or macOS made for its own use",
        "files that Windows or macOS made for its own use",
        "name one in the command to include it",
    )
    OTHER = (
        "file that is not a picture",
        "files that are not pictures",
        "--all-files includes files of any kind",
    )

    def count_in_words(self, count: int) -> str:
        """Return how many there are, in words."""
        return f"{count} {self.value[count != 1]}"


class FileSearch(Frozen):
    """What is looked for in folders."""

    word: str  # what the command does, as in "scrambled"; results carry it in their names
    recursive: bool = False  # whether folders in folders are entered
    # Whether files of any kind are taken, hidden ones too; none for a command that takes pictures
    # alone.
    all_files: bool | None = None
    # Whether protected pictures are looked for; they are taken where they are hidden, too.
    restoring: bool = False
    lifting: bool = False  # whether only redacted pictures are looked for, hidden ones too
    excluded: tuple[Location, ...] = ()  # folders that are not entered, as the one of results
    secrets: tuple[Path, ...] = ()  # key and passphrase files, which are never taken
    manifest: Path | None = None  # the list of what was done, which is never taken either
    # Which part of the files is taken, of how many. Two files whose results could get one name are
    # in one part, and a part is the same wherever the folder lies.
    shard: tuple[int, int] | None = None

    def takes(self, item: Item) -> bool:
        """Tell whether an input is in the part that is taken; faults are in every part."""
        if self.shard is None or item.fault:
            return True
        from sudokucrypt.recipes.naming import fold_name, plain_stem

        part, parts = self.shard
        name = fold_name((item.folder / plain_stem(item.source)).as_posix())
        digest = sha256(name.encode("utf-8", "surrogateescape")).digest()
        return int.from_bytes(digest[:8], "big") % parts == part - 1


@dataclass
class InputFiles:
    """Files to work on, and what was left out of folders."""

    items: list[Item] = field(default_factory=list)
    left_out: list[tuple[Location, LeftOutReason]] = field(default_factory=list)

    def list_left_out(self) -> None:
        """Print everything that was left out, and why."""
        for path, reason in self.left_out:
            shown = click.format_filename(path) if isinstance(path, Path) else path
            click.echo(f"{shown}: {reason.value[0]}")

    def say_left_out(self, *, all_files: bool | None) -> None:
        """Say how much was left out, by reason, with the first names and what takes it in."""
        if not self.left_out:
            return
        for line in self.lines(all_files=all_files):
            say("note", f"left out {line}")
        counts = Counter(reason for _, reason in self.left_out)
        if any(count > _NAMED for count in counts.values()):
            say("hint", "--list prints all that was left out")

    def lines(self, *, all_files: bool | None) -> Iterator[str]:
        """Yield a line for each reason for which something was left out."""
        by_reason: dict[LeftOutReason, list[Location]] = {reason: [] for reason in LeftOutReason}
        for path, reason in self.left_out:
            by_reason[reason].append(path)
        for reason, paths in by_reason.items():
            remedy = reason.value[2]
            useless = "--all-files" in remedy and all_files is not False
            after = f"; {remedy}" if remedy and not useless else ""
            if paths:
                yield f"{reason.count_in_words(len(paths))}: {list_first_names(paths)}{after}"


def list_first_names(paths: Sequence[object]) -> str:
    """Return the first few paths for a message, and how many more there are."""
    names = ", ".join(f"'{path}'" for path in paths[:_NAMED])
    return names + (f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else "")


def split_sidecar(path: Location) -> Location:
    """Return the picture that a sidecar belongs to, by its name."""
    name = next((path.name.removesuffix(end) for end in _SIDECARS if path.name.endswith(end)), "")
    return path.with_name(name or path.name)


def find_items(sources: Sequence[Location], search: FileSearch) -> InputFiles:
    """Return the files that the arguments name, and those in the folders that they name.

    A folder that gives nothing, or that cannot be read, is an item with a fault.
    """
    inputs = InputFiles()
    for source in sources:
        if isinstance(source, Url):
            if is_folder(source):
                _enter(source, search, inputs)
            elif search.takes(item := Item(source)):
                inputs.items.append(item)
        elif os.path.isdir(source):  # a method would not take any name
            _enter(source, search, inputs)
        elif _is_any(source, search.secrets):
            fault = f"'{source}' is the key itself; keep it apart from what it opens"
            inputs.items.append(Item(source, fault=fault))
        elif search.takes(item := Item(source)):
            inputs.items.append(item)
    if sum(item.piped for item in inputs.items) > 1:
        raise click.UsageError("stdin can be read only once")
    return inputs


def _enter(folder: Location, search: FileSearch, inputs: InputFiles) -> None:
    """Take the files below a folder, on this machine or elsewhere."""
    items: list[Item] = []
    faults: list[Item] = []
    taken = False
    for parent, inner, below, names in _walk_folder(folder, faults):
        if len(inner.parts) == DEEPEST:
            fault = f"more than {DEEPEST} folders deep; name it in the command to enter it"
            faults += [Item(parent / name, fault=fault) for name in below]
            below.clear()
        reasons = {name: _find_folder_reason(parent / name, search) for name in below}
        below[:] = sorted(name for name, reason in reasons.items() if reason is None)
        here: list[Item] = []
        for name, is_file in sorted([(n, False) for n in reasons] + [(n, True) for n in names]):
            path = parent / name
            reason = _find_file_reason(path, inner / name, search) if is_file else reasons[name]
            if reason is not None:
                inputs.left_out.append((path, reason))
            elif is_file:
                here.append(Item(path, inner))
        taken = taken or bool(here)
        items += filter(search.takes, here)
    if not (taken or faults):
        faults.append(_make_empty_item(folder, search))
    inputs.items += [*sorted(items, key=lambda item: item.source), *faults]


def _walk_folder(
    folder: Location, faults: list[Item]
) -> Iterator[tuple[Location, Path, list[str], list[str]]]:
    """Yield each folder, where it is in the first, and the names of folders and files in it.

    As with `os.walk`, the list of folders says which are entered. What cannot be read, or has no
    usable name, is added to `faults`.
    """

    def add_fault(error: OSError, path: Location) -> None:
        fault = f"cannot read the folder '{path}': {format_reason(error)}"
        faults.append(Item(path, fault=fault))

    if isinstance(folder, Path):
        for path, below, names in os.walk(folder, onerror=lambda e: add_fault(e, Path(e.filename))):
            yield Path(path), Path(path).relative_to(folder), below, names
        return
    try:
        for parent, below, names in walk(folder):
            for name in filter(_leads_out, [*below, *names]):
                fault = f"the name of '{parent}/{name}' leads out of its folder"
                if not name:
                    fault = f"names in '{parent}' have an empty part, which no folder can have"
                faults.append(Item(parent / name, fault=fault))
            below[:] = [name for name in below if not _leads_out(name)]
            inner = Path(PurePosixPath(parent.path).relative_to(folder.path))
            yield parent, inner, below, [name for name in names if not _leads_out(name)]
    except OSError as error:
        add_fault(error, folder)


def _leads_out(name: str) -> bool:
    """Tell whether results would land elsewhere under this name: stores allow any."""
    taken_apart = "\0" in name or os.sep in name or "\\" in name
    return name in ("", ".", "..") or taken_apart or name != name_here(name)


def _make_empty_item(folder: Location, search: FileSearch) -> Item:
    """Return the item of a folder that gives nothing."""
    kind = "file" if search.all_files else "redacted picture" if search.lifting else "picture"
    deeper = "" if search.recursive else "; -r looks into its folders too"
    return Item(folder, fault=f"there is no {kind} in '{folder}'{deeper}")


def _find_folder_reason(path: Location, search: FileSearch) -> LeftOutReason | None:
    """Tell why a folder is not entered."""
    if _is_any(path, search.excluded):
        return LeftOutReason.OUTPUT
    if isinstance(path, Path) and os.path.islink(path):  # a method may raise an error
        return LeftOutReason.LINK
    wanted = search.all_files or search.restoring or search.lifting
    if path.name.startswith(".") and not wanted:
        return LeftOutReason.HIDDEN_FOLDER
    return None if search.recursive else LeftOutReason.FOLDER


def _find_file_reason(path: Location, inner: PurePath, search: FileSearch) -> LeftOutReason | None:
    """Tell why a file in a folder is not taken."""
    from sudokucrypt.images import driver_of, may_be_picture
    from sudokucrypt.storage import PART_SUFFIX

    driver = driver_of(path.suffix.lower())
    written = driver is not None and (driver.writer is not None or driver.name == "JPEG")
    any_kind, here = bool(search.all_files), isinstance(path, Path)
    hidden = any(part.startswith(".") for part in inner.parts)

    def is_wanted() -> bool:
        if search.lifting:
            return _is_redacted(path)
        return search.restoring and _is_protected(path)

    def is_protected() -> bool:
        if search.word in _COVERING and _has_layers(path):
            return True
        return here and not (search.restoring or search.lifting) and _has_header(path)

    rules: tuple[tuple[LeftOutReason, Callable[[], bool]], ...] = (
        (LeftOutReason.LINK, lambda: here and os.path.islink(str(path))),
        (LeftOutReason.SPECIAL, lambda: here and _is_special(str(path))),
        (LeftOutReason.UNFINISHED, lambda: path.name.endswith(PART_SUFFIX)),
        (LeftOutReason.SYSTEM, lambda: path.name.lower() in _SYSTEM_FILES),
        (LeftOutReason.HIDDEN, lambda: hidden and not (any_kind or is_wanted())),
        (LeftOutReason.RESULT, lambda: _is_result(path, search, written=written)),
        (LeftOutReason.PROTECTED, is_protected),
        (
            LeftOutReason.RESULT,
            lambda: search.manifest is not None and same_file(path, search.manifest),
        ),
        (LeftOutReason.KEY, lambda: _is_any(path, search.secrets)),
        (LeftOutReason.SIDECAR, lambda: path.name.endswith(_SIDECARS) and not any_kind),
        (LeftOutReason.OTHER, lambda: not any_kind and not may_be_picture(path)),
        (LeftOutReason.BARE, lambda: search.lifting and not _is_redacted(path)),
    )
    return next((reason for reason, holds in rules if holds()), None)


def _is_result(path: Location, search: FileSearch, *, written: bool) -> bool:
    """Return whether an earlier run made a file: its name suggests it, and its content says so.

    Only few have such a name, so that few are looked into. Of what `redact` and `unredact` write
    the name is enough: what was covered for good, copied or lifted has nothing that shows it.
    """
    words = _COVERING if search.word in _COVERING else (search.word,)
    if not path.stem.endswith(tuple(f".{word}" for word in words)):
        return False
    if search.word in (*_COVERING, "unredacted"):
        return True
    if not written:
        return False
    protected = _is_protected(path)
    if search.restoring and search.word != "rekeyed":
        return not protected
    return protected or (search.word == "scrambled" and _is_sheet(path))


def _is_sheet(path: Location) -> bool:
    from sudokucrypt.recipes import find_robust

    try:
        find_robust(path)
    except (FormatError, InvalidImageError, UnsupportedError):
        return False
    except DecryptionError:  # one that is damaged
        return True
    return True


def _is_special(path: str) -> bool:
    return os.path.exists(path) and not os.path.isfile(path)


def _is_protected(path: Location) -> bool:
    """Return whether there is a header, in the file or in a sidecar."""
    from sudokucrypt.recipes import find_header

    try:
        return find_header(path) is not None
    except FormatError:
        return True  # a damaged one
    except SudokucryptError:
        return False


def _is_redacted(path: Location) -> bool:
    """Return whether there are layers, in the file or in a sidecar."""
    from sudokucrypt.recipes.redaction_info import is_redacted

    try:
        return is_redacted(path)
    except FormatError:
        return True  # damaged ones
    except SudokucryptError:
        return False


def _has_layers(path: Location) -> bool:
    """Return whether there are layers in a file; damaged ones do not count, as for headers."""
    from sudokucrypt.recipes.redaction_info import is_redacted

    with suppress(SudokucryptError):
        return is_redacted(path, sidecar=False)
    return False


def _has_header(path: Location) -> bool:
    """Return whether a file is protected, whatever it is called.

    What we write has its header at the start. A header that is damaged, or of a version that is not
    read, does not count: anybody could keep a file from being protected by one.
    """
    from sudokucrypt.recipes import find_header

    with suppress(OSError, SudokucryptError), open(str(path), "rb") as file:
        return b"sudokucrypt" in file.read(_START) and find_header(path) is not None
    return False


def _is_any(path: Location, others: Iterable[Location]) -> bool:
    return any(same_file(path, other) for other in others)
