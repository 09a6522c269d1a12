"""Find the files to work on: files that arguments name, and files in folders."""

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
from sudokucrypt.cli.options import InputItem
from sudokucrypt.errors import (
    DecryptionError,
    FormatError,
    InvalidImageError,
    SudokucryptError,
    UnsupportedError,
    format_reason,
)
from sudokucrypt.frozen import FrozenObject
from sudokucrypt.remote import Url, walk
from sudokucrypt.storage import Location, is_folder, is_same_file, make_usable_name

_MAX_NAMES = 3  # maximum number of names in a note; further names are only counted
_SIDECAR_SUFFIXES = (".sudokucrypt.json", ".redaction")
_REDACTION_WORDS = ("redacted", "outlined")  # words in the names of results of `redact`
_HEADER_SEARCH_BYTES = 16_384  # bytes of a file that are searched for a header
MAX_DEPTH = 200
"""Depth of subfolders that are entered; `os.walk` is recursive, and would fail much deeper."""
# Files that macOS and Windows create in folders, in lower case.
_SYSTEM_FILES = {".ds_store", "thumbs.db", "desktop.ini"}


class LeftOutReason(Enum):
    """Reason for skipping a file in a folder: a description in singular and plural, and a hint."""

    HIDDEN = "hidden file", "hidden files", "--all-files includes hidden files"
    HIDDEN_FOLDER = "hidden folder", "hidden folders", "--all-files -r enters hidden folders"
    UNENTERED_FOLDER = (
        "folder that was not entered",
        "folders that were not entered",
        "-r enters folders",
    )
    LINK = "symbolic link", "symbolic links", "links are not followed"
    SPECIAL = "pipe, socket or device", "pipes, sockets or devices", ""
    RESULT_FOLDER = "folder of results", "folders of results", ""
    RESULT = "result of this command", "results of this command", ""
    PROTECTED = "protected file", "protected files", "none is protected twice"
    UNFINISHED = "unfinished result of another run", "unfinished results of another run", ""
    SIDECAR = "sidecar, read with its picture", "sidecars, read with their pictures", ""
    KEY = "key file", "key files", "keep a key apart from what it opens"
    NOT_PROTECTED = "picture that is not protected", "pictures that are not protected", ""
    NOT_REDACTED = "picture without layers to lift", "pictures without layers to lift", ""
    WRONG_KEY = "file that the key does not open", "files that the key does not open", ""
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

    def format_count(self, count: int) -> str:
        """Return a count with the description, such as "2 hidden files"."""
        return f"{count} {self.value[count != 1]}"


class FileSearch(FrozenObject):
    """The rules that select files in folders."""

    participle: str  # what the command does, such as "scrambled"; part of the names of its results
    recursive: bool = False  # whether subfolders are searched
    # Whether files of any kind are selected, also hidden ones. None for commands that only work on
    # pictures.
    all_files: bool | None = None
    # Whether protected pictures are selected, also hidden ones.
    is_restoring: bool = False
    only_redacted: bool = False  # whether only redacted pictures are selected, also hidden ones
    # Folders that are not searched, such as the folder of results.
    excluded_folders: tuple[Location, ...] = ()
    secret_files: tuple[Path, ...] = ()  # key and passphrase files, which are never selected
    manifest: Path | None = None  # the manifest of the run, which is never selected
    # The number of the part of the files that is selected, and the number of parts. Parts depend
    # only on names below the folder. Files whose results could have the same name share a part.
    shard: tuple[int, int] | None = None

    def is_in_shard(self, item: InputItem) -> bool:
        """Return whether an input is in the selected part; inputs with faults are in every part."""
        if self.shard is None or item.fault:
            return True
        from sudokucrypt.recipes.naming import fold_name, get_plain_stem

        part, parts = self.shard
        name = fold_name((item.folder / get_plain_stem(item.source)).as_posix())
        path_digest = sha256(name.encode("utf-8", "surrogateescape")).digest()
        return int.from_bytes(path_digest[:8], "big") % parts == part - 1


@dataclass
class InputFiles:
    """The files to work on, and the files in folders that were skipped, with the reason."""

    items: list[InputItem] = field(default_factory=list)
    left_out_files: list[tuple[Location, LeftOutReason]] = field(default_factory=list)

    def print_left_out_files(self) -> None:
        """Print every file that was skipped, and why."""
        for path, reason in self.left_out_files:
            path_text = click.format_filename(path) if isinstance(path, Path) else path
            click.echo(f"{path_text}: {reason.value[0]}")

    def print_left_out_counts(self, *, all_files: bool | None) -> None:
        """Print how many files were skipped for each reason, with some names and a hint."""
        if not self.left_out_files:
            return
        for line in self.describe_left_out_files(all_files=all_files):
            say("note", f"left out {line}")
        counts = Counter(reason for _, reason in self.left_out_files)
        if any(count > _MAX_NAMES for count in counts.values()):
            say("hint", "--list prints all that was left out")

    def describe_left_out_files(self, *, all_files: bool | None) -> Iterator[str]:
        """Yield a line for each reason for which files were skipped."""
        paths_by_reason: dict[LeftOutReason, list[Location]] = {
            reason: [] for reason in LeftOutReason
        }
        for path, reason in self.left_out_files:
            paths_by_reason[reason].append(path)
        for reason, paths in paths_by_reason.items():
            remedy = reason.value[2]
            is_remedy_in_effect = "--all-files" in remedy and all_files is not False
            suffix = f"; {remedy}" if remedy and not is_remedy_in_effect else ""
            if paths:
                yield f"{reason.format_count(len(paths))}: {join_first_paths(paths)}{suffix}"


def join_first_paths(paths: Sequence[object]) -> str:
    """Join the first few paths for a message, and the number of further paths."""
    names = ", ".join(f"'{path}'" for path in paths[:_MAX_NAMES])
    return names + (f" and {len(paths) - _MAX_NAMES} more" if len(paths) > _MAX_NAMES else "")


def find_sidecar_picture(path: Location) -> Location:
    """Return the path of the picture that a sidecar belongs to, by the name of the sidecar."""
    name = next(
        (
            path.name.removesuffix(suffix)
            for suffix in _SIDECAR_SUFFIXES
            if path.name.endswith(suffix)
        ),
        "",
    )
    return path.with_name(name or path.name)


def find_items(sources: Sequence[Location], search: FileSearch) -> InputFiles:
    """Return the files that arguments name, and the selected files in folders that they name.

    A folder that cannot be read or has no such files becomes an item with a fault.
    """
    inputs = InputFiles()
    for source in sources:
        if isinstance(source, Url):
            if is_folder(source):
                _search_folder(source, search, inputs)
            elif search.is_in_shard(item := InputItem(source)):
                inputs.items.append(item)
        elif os.path.isdir(source):  # a method of `Path` would raise an error for some names
            _search_folder(source, search, inputs)
        elif _is_same_as_any(source, search.secret_files):
            fault = f"'{source}' is the key itself; keep it apart from what it opens"
            inputs.items.append(InputItem(source, fault=fault))
        elif search.is_in_shard(item := InputItem(source)):
            inputs.items.append(item)
    if sum(item.is_stdin for item in inputs.items) > 1:
        raise click.UsageError("stdin can be read only once")
    return inputs


def _search_folder(folder: Location, search: FileSearch, inputs: InputFiles) -> None:
    """Add the files in a local folder or a store to the inputs or to the skipped files."""
    items: list[InputItem] = []
    faulty_items: list[InputItem] = []
    has_selected_items = False
    for parent, relative_path, subfolders, names in _walk_folder(folder, faulty_items):
        if len(relative_path.parts) == MAX_DEPTH:
            fault = f"more than {MAX_DEPTH} folders deep; name it in the command to enter it"
            faulty_items += [InputItem(parent / name, fault=fault) for name in subfolders]
            subfolders.clear()
        skip_reasons = {
            name: _find_folder_skip_reason(parent / name, search) for name in subfolders
        }
        subfolders[:] = sorted(name for name, reason in skip_reasons.items() if reason is None)
        selected_items: list[InputItem] = []
        for name, is_file in sorted(
            [(entry, False) for entry in skip_reasons] + [(entry, True) for entry in names]
        ):
            path = parent / name
            reason = (
                _find_file_skip_reason(path, relative_path / name, search)
                if is_file
                else skip_reasons[name]
            )
            if reason is not None:
                inputs.left_out_files.append((path, reason))
            elif is_file:
                selected_items.append(InputItem(path, relative_path))
        has_selected_items = has_selected_items or bool(selected_items)
        items += filter(search.is_in_shard, selected_items)
    if not (has_selected_items or faulty_items):
        faulty_items.append(_make_empty_folder_item(folder, search))
    inputs.items += [*sorted(items, key=lambda item: item.source), *faulty_items]


def _walk_folder(
    folder: Location, faulty_items: list[InputItem]
) -> Iterator[tuple[Location, Path, list[str], list[str]]]:
    """Yield each folder, its path relative to `folder`, and the names of its subfolders and files.

    As with `os.walk`, subfolders that the caller removes from the list are not entered. Folders
    that cannot be read, and unusable names, are added to `faulty_items`.
    """

    def add_fault(error: OSError, path: Location) -> None:
        fault = f"cannot read the folder '{path}': {format_reason(error)}"
        faulty_items.append(InputItem(path, fault=fault))

    if isinstance(folder, Path):
        for path, subfolders, names in os.walk(
            folder, onerror=lambda e: add_fault(e, Path(e.filename))
        ):
            yield Path(path), Path(path).relative_to(folder), subfolders, names
        return
    try:
        for parent, subfolders, names in walk(folder):
            for name in filter(_is_unsafe_name, [*subfolders, *names]):
                fault = f"the name of '{parent}/{name}' leads out of its folder"
                if not name:
                    fault = f"names in '{parent}' have an empty part, which no folder can have"
                faulty_items.append(InputItem(parent / name, fault=fault))
            subfolders[:] = [name for name in subfolders if not _is_unsafe_name(name)]
            relative_path = Path(PurePosixPath(parent.path).relative_to(folder.path))
            yield (
                parent,
                relative_path,
                subfolders,
                [name for name in names if not _is_unsafe_name(name)],
            )
    except OSError as error:
        add_fault(error, folder)


def _is_unsafe_name(name: str) -> bool:
    """Return whether a result of this name could be in another folder; stores allow any name."""
    is_path = "\0" in name or os.sep in name or "\\" in name
    return name in ("", ".", "..") or is_path or name != make_usable_name(name)


def _make_empty_folder_item(folder: Location, search: FileSearch) -> InputItem:
    """Return an item with the fault that a folder contains no file of the right kind."""
    kind = "file" if search.all_files else "redacted picture" if search.only_redacted else "picture"
    hint = "" if search.recursive else "; -r looks into its folders too"
    return InputItem(folder, fault=f"there is no {kind} in '{folder}'{hint}")


def _find_folder_skip_reason(path: Location, search: FileSearch) -> LeftOutReason | None:
    """Return why a folder is skipped, or None."""
    if _is_same_as_any(path, search.excluded_folders):
        return LeftOutReason.RESULT_FOLDER
    if isinstance(path, Path) and os.path.islink(path):  # a method of `Path` may raise an error
        return LeftOutReason.LINK
    enters_hidden_folders = search.all_files or search.is_restoring or search.only_redacted
    if path.name.startswith(".") and not enters_hidden_folders:
        return LeftOutReason.HIDDEN_FOLDER
    return None if search.recursive else LeftOutReason.UNENTERED_FOLDER


def _find_file_skip_reason(
    path: Location, relative_path: PurePath, search: FileSearch
) -> LeftOutReason | None:
    """Return why a file in a folder is skipped, or None."""
    from sudokucrypt.images import find_driver, may_be_picture
    from sudokucrypt.storage import UNFINISHED_SUFFIX

    driver = find_driver(path.suffix.lower())
    is_result_format = driver is not None and (driver.writer is not None or driver.name == "JPEG")
    allows_any_kind, is_local = bool(search.all_files), isinstance(path, Path)
    is_hidden = any(part.startswith(".") for part in relative_path.parts)

    def is_sought() -> bool:
        if search.only_redacted:
            return _is_redacted(path)
        return search.is_restoring and _is_protected(path)

    def is_protected() -> bool:
        if search.participle in _REDACTION_WORDS and _has_layers(path):
            return True
        return is_local and not (search.is_restoring or search.only_redacted) and _has_header(path)

    rules: tuple[tuple[LeftOutReason, Callable[[], bool]], ...] = (
        (LeftOutReason.LINK, lambda: is_local and os.path.islink(str(path))),
        (LeftOutReason.SPECIAL, lambda: is_local and _is_special_file(str(path))),
        (LeftOutReason.UNFINISHED, lambda: path.name.endswith(UNFINISHED_SUFFIX)),
        (LeftOutReason.SYSTEM, lambda: path.name.lower() in _SYSTEM_FILES),
        (LeftOutReason.HIDDEN, lambda: is_hidden and not (allows_any_kind or is_sought())),
        (LeftOutReason.RESULT, lambda: _is_result(path, search, is_result_format=is_result_format)),
        (LeftOutReason.PROTECTED, is_protected),
        (
            LeftOutReason.RESULT,
            lambda: search.manifest is not None and is_same_file(path, search.manifest),
        ),
        (LeftOutReason.KEY, lambda: _is_same_as_any(path, search.secret_files)),
        (
            LeftOutReason.SIDECAR,
            lambda: path.name.endswith(_SIDECAR_SUFFIXES) and not allows_any_kind,
        ),
        (LeftOutReason.OTHER, lambda: not allows_any_kind and not may_be_picture(path)),
        (LeftOutReason.NOT_REDACTED, lambda: search.only_redacted and not _is_redacted(path)),
    )
    return next((reason for reason, is_met in rules if is_met()), None)


def _is_result(path: Location, search: FileSearch, *, is_result_format: bool) -> bool:
    """Return whether an earlier run of this command made a file, by its name and content.

    Only files with the name of a result are read. For results of `redact` and `unredact` the name
    is enough: pictures without a cover that a key lifts do not show that they are results.
    """
    result_words = (
        _REDACTION_WORDS if search.participle in _REDACTION_WORDS else (search.participle,)
    )
    if not path.stem.endswith(tuple(f".{result_word}" for result_word in result_words)):
        return False
    if search.participle in (*_REDACTION_WORDS, "unredacted"):
        return True
    if not is_result_format:
        return False
    is_protected = _is_protected(path)
    if search.is_restoring and search.participle != "rekeyed":
        return not is_protected
    return is_protected or (search.participle == "scrambled" and _is_robust_picture(path))


def _is_robust_picture(path: Location) -> bool:
    from sudokucrypt.recipes import find_robust

    try:
        find_robust(path)
    except (FormatError, InvalidImageError, UnsupportedError):
        return False
    except DecryptionError:  # a robust picture that is damaged
        return True
    return True


def _is_special_file(path: str) -> bool:
    return os.path.exists(path) and not os.path.isfile(path)


def _is_protected(path: Location) -> bool:
    """Return whether a file has a header, even a damaged header or one in a sidecar."""
    from sudokucrypt.recipes import find_header

    try:
        return find_header(path) is not None
    except FormatError:
        return True  # a damaged header
    except SudokucryptError:
        return False


def _is_redacted(path: Location) -> bool:
    """Return whether a file has layers of covers, even damaged layers or layers in a sidecar."""
    from sudokucrypt.recipes.redaction_info import is_redacted

    try:
        return is_redacted(path)
    except FormatError:
        return True  # damaged layers
    except SudokucryptError:
        return False


def _has_layers(path: Location) -> bool:
    """Return whether a file itself has undamaged layers of covers."""
    from sudokucrypt.recipes.redaction_info import is_redacted

    with suppress(SudokucryptError):
        return is_redacted(path, sidecar=False)
    return False


def _has_header(path: Location) -> bool:
    """Return whether a file has an undamaged header near its start, whatever its name.

    A header that is damaged or of an unknown version does not count: otherwise a few bytes in a
    file would prevent it from being protected.
    """
    from sudokucrypt.recipes import find_header

    with suppress(OSError, SudokucryptError), open(str(path), "rb") as file:
        return b"sudokucrypt" in file.read(_HEADER_SEARCH_BYTES) and find_header(path) is not None
    return False


def _is_same_as_any(path: Location, locations: Iterable[Location]) -> bool:
    return any(is_same_file(path, location) for location in locations)
