"""What the arguments of a command stand for: files, and what folders hold besides."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sudokucrypt.cli.inputs import Item
from sudokucrypt.cli.messages import say
from sudokucrypt.errors import SudokucryptError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_NAMED = 3  # how many names a note has room for
_SIDECAR = ".sudokucrypt.json"


class Reason(Enum):
    """Why something in a folder is left out: what it is called, and what to do about it."""

    HIDDEN = "hidden file", "hidden files", "--all-files includes hidden files"
    HIDDEN_FOLDER = "hidden folder", "hidden folders", "--all-files -r enters hidden folders"
    FOLDER = "folder that was not entered", "folders that were not entered", "-r enters folders"
    LINK = "symbolic link", "symbolic links", "links are not followed"
    SPECIAL = "thing that is no regular file", "things that are no regular files", ""
    OUTPUT = "folder of results", "folders of results", ""
    RESULT = "result of this command", "results of this command", ""
    UNFINISHED = "unfinished result of another run", "unfinished results of another run", ""
    SIDECAR = "sidecar, read with its picture", "sidecars, read with their pictures", ""
    KEY = "key file", "key files", "keep a key apart from what it opens"
    PLAIN = "picture that is not protected", "pictures that are not protected", ""
    CLOSED = "file that the key does not open", "files that the key does not open", ""
    OTHER = (
        "file that is no picture",
        "files that are no pictures",
        "--all-files includes files of any kind",
    )

    def counted(self, count: int) -> str:
        """Return how many there are, in words."""
        return f"{count} {self.value[count != 1]}"


@dataclass(frozen=True)
class Search:
    """What is looked for in folders.

    Parameters
    ----------
    word : str
        What the command does, as in "scrambled"; results carry it in their names.
    recursive : bool
        Whether folders in folders are entered.
    all_files : bool or None
        Whether files of any kind are taken, hidden ones too; none for a command that takes
        pictures alone.
    restoring : bool
        Whether protected pictures are looked for; they are taken where they are hidden, too.
    output : Path or None
        The folder of the results, if they have one.
    secrets : tuple of Path
        Key and passphrase files, which are never taken.
    """

    word: str
    recursive: bool = False
    all_files: bool | None = None
    restoring: bool = False
    output: Path | None = None
    secrets: tuple[Path, ...] = ()


@dataclass
class Found:
    """Files to work on, and what was left out of folders."""

    items: list[Item] = field(default_factory=list)
    left_out: list[tuple[Path, Reason]] = field(default_factory=list)

    def list_left_out(self) -> None:
        """Print everything that was left out, and why."""
        for path, reason in self.left_out:
            click.echo(f"{click.format_filename(path)}: {reason.value[0]}")

    def say_left_out(self, *, all_files: bool | None) -> None:
        """Say how much was left out, by reason, with the first names and what takes it in."""
        by_reason: dict[Reason, list[Path]] = {reason: [] for reason in Reason}
        for path, reason in self.left_out:
            by_reason[reason].append(path)
        for reason, paths in by_reason.items():
            if not paths:
                continue
            remedy = reason.value[2]
            useless = "--all-files" in remedy and all_files is not False
            after = f"; {remedy}" if remedy and not useless else ""
            say("note", f"left out {reason.counted(len(paths))}: {first_names(paths)}{after}")
        if any(len(paths) > _NAMED for paths in by_reason.values()):
            say("hint", "--list prints all that was left out")


def first_names(paths: Sequence[Path]) -> str:
    """Return the first few paths for a message, and how many more there are."""
    names = ", ".join(f"'{path}'" for path in paths[:_NAMED])
    return names + (f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else "")


def find_items(sources: Sequence[Path], search: Search) -> Found:
    """Return the files that the arguments name, and those in the folders that they name.

    A folder that gives nothing, or that cannot be read, is an item with a fault.
    """
    found = Found()
    for source in sources:
        if os.path.isdir(source):  # a method would not take any name
            _enter(source, search, found)
        elif _is_any(source, search.secrets):
            fault = f"'{source}' is the key itself; keep it apart from what it opens"
            found.items.append(Item(source, fault=fault))
        else:
            found.items.append(Item(source))
    if sum(item.piped for item in found.items) > 1:
        raise click.UsageError("stdin can be read only once")
    found.items = list(_uncrowded(found.items, search))
    return found


def _enter(folder: Path, search: Search, found: Found) -> None:
    before = len(found.items)
    closed: list[OSError] = []
    output = None if search.output is None else os.path.realpath(search.output)
    for place, folders, names in os.walk(folder, onerror=closed.append):
        paths = {Path(place, name): _folder_reason(Path(place, name), search) for name in folders}
        if output is not None:
            paths |= {path: Reason.OUTPUT for path in paths if os.path.realpath(path) == output}
        folders[:] = sorted(path.name for path, reason in paths.items() if reason is None)
        for path in sorted([*paths, *(Path(place, name) for name in names)]):
            reason = paths[path] if path in paths else _file_reason(path, folder, search)
            if reason is not None:
                found.left_out.append((path, reason))
            elif path not in paths:
                found.items.append(Item(path, path.parent.relative_to(folder)))
    found.items[before:] = sorted(found.items[before:], key=lambda item: item.source)
    for error in closed:
        why = (error.strerror or str(error)).lower()
        path = Path(error.filename)
        found.items.append(Item(path, fault=f"cannot read the folder '{path}': {why}"))
    if len(found.items) == before:
        kind = "file" if search.all_files else "picture"
        deeper = "" if search.recursive else "; -r looks into its folders too"
        found.items.append(Item(folder, fault=f"there is no {kind} in '{folder}'{deeper}"))


def _folder_reason(path: Path, search: Search) -> Reason | None:
    """Tell why a folder is not entered."""
    if os.path.islink(path):  # a method may raise an error
        return Reason.LINK
    if path.name.startswith(".") and not (search.all_files or search.restoring):
        return Reason.HIDDEN_FOLDER
    return None if search.recursive else Reason.FOLDER


def _file_reason(path: Path, folder: Path, search: Search) -> Reason | None:
    """Tell why a file in a folder is not taken."""
    from sudokucrypt.images import driver_of, may_be_picture
    from sudokucrypt.storage import PART_SUFFIX

    driver = driver_of(path.suffix.lower())
    written = driver is not None and driver.writer is not None
    any_kind = bool(search.all_files)
    hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)

    def wanted() -> bool:
        return search.restoring and _is_protected(path)

    rules = (
        (Reason.LINK, lambda: os.path.islink(path)),
        (Reason.SPECIAL, lambda: os.path.exists(path) and not os.path.isfile(path)),
        (Reason.UNFINISHED, lambda: path.name.endswith(PART_SUFFIX)),
        (Reason.HIDDEN, lambda: hidden and not (any_kind or wanted())),
        (Reason.RESULT, lambda: written and path.stem.endswith(f".{search.word}")),
        (Reason.KEY, lambda: _is_any(path, search.secrets)),
        (Reason.SIDECAR, lambda: path.name.endswith(_SIDECAR) and not any_kind),
        (Reason.OTHER, lambda: not any_kind and not may_be_picture(path)),
    )
    return next((reason for reason, holds in rules if holds()), None)


def _is_protected(path: Path) -> bool:
    from sudokucrypt.images import stored_header

    try:
        return stored_header(path) is not None
    except SudokucryptError:
        return False


def _is_any(path: Path, others: Iterable[Path]) -> bool:
    from sudokucrypt.storage import same_file

    return any(same_file(path, other) for other in others)


def _uncrowded(items: Sequence[Item], search: Search) -> Iterator[Item]:
    """Mark the items whose results would get one name, such as those of 1.jpg and 1.png."""
    from sudokucrypt.recipes.routes import plain_stem

    def place(item: Item) -> tuple[Path, str]:
        folder = item.source.parent if search.output is None else item.folder
        return folder, plain_stem(item.source)

    counts = Counter(place(item) for item in items if not item.fault and not item.piped)
    for item in items:
        yield replace(item, crowded=True) if counts[place(item)] > 1 else item
