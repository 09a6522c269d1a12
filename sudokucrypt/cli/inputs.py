"""Which pictures a command works on, and what their results are called."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from string import Formatter
from threading import Lock
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from sudokucrypt.errors import InvalidParameterError, SudokucryptError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DEFAULT_NAME = "{stem}.{word}{suffix}"
_FIELDS = {"stem", "name", "word", "suffix"}
_STREAM = Path("-")


class SourcePath(click.Path):
    """The argument for an input: a path, or ``-`` for stdin; ``./-`` is a file of that name."""

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:
        """Return a `Path`, which would not keep the dot."""
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        return path.absolute() if path == _STREAM and str(value) != "-" else path


@dataclass(frozen=True)
class Item:
    """One picture to work on."""

    source: Path
    folder: Path = field(default_factory=Path)  # relative to the folder that was named
    fault: str = ""  # why a folder gives no pictures

    @property
    def piped(self) -> bool:
        """Whether it comes from stdin."""
        return self.source == _STREAM

    def content(self) -> Path | BinaryIO:
        """Return the file, or stdin; typing a picture is not possible."""
        if not self.piped:
            return self.source
        if sys.stdin is None:
            raise click.UsageError("stdin is closed")
        if sys.stdin.isatty():
            raise click.UsageError("a picture does not come from the terminal; name a file")
        return sys.stdin.buffer


def find_items(sources: Sequence[Path], *, recursive: bool, word: str) -> list[Item]:
    """Return the pictures that the arguments name.

    A folder stands for the files in it that begin or are named like pictures; hidden files are
    left out, and so are those that carry `word` in their name because the same command made them.
    A folder without pictures, or that cannot be read, is an item with a fault.
    """
    items: list[Item] = []
    for source in sources:
        if not os.path.isdir(source):  # a method would not take any name
            items.append(Item(source))
            continue
        found = list(_pictures_in(source, recursive=recursive, word=word))
        if not found:
            deeper = "" if recursive else "; -r looks into its folders too"
            found = [Item(source, fault=f"there is no picture in '{source}'{deeper}")]
        items += found
    if sum(item.piped for item in items) > 1:
        raise click.UsageError("stdin can be read only once")
    return items


def _pictures_in(folder: Path, *, recursive: bool, word: str) -> Iterator[Item]:
    from sudokucrypt.images import may_be_picture

    closed: list[OSError] = []
    found: list[Path] = []
    for place, folders, names in os.walk(folder, onerror=closed.append):
        folders[:] = [name for name in folders if recursive and not name.startswith(".")]
        found += [Path(place, name) for name in names if not name.startswith(".")]
    for path in sorted(found):
        if not path.stem.endswith(f".{word}") and may_be_picture(path):
            yield Item(path, path.parent.relative_to(folder))
    for error in closed:
        reason = (error.strerror or str(error)).lower()
        path = Path(error.filename)
        yield Item(path, fault=f"cannot read the folder '{path}': {reason}")


class Naming:
    """What results are called and where they go; no two inputs may lead to one output."""

    def __init__(self, template: str, word: str, folder: Path | None) -> None:
        try:
            fields = {name for _, name, _, _ in Formatter().parse(template) if name is not None}
            template.format_map(dict.fromkeys(_FIELDS, ""))
        except (AttributeError, LookupError, ValueError):
            fields = set()
        if not fields <= _FIELDS or not fields & {"stem", "name"} or "/" in template:
            known = ", ".join(f"{{{name}}}" for name in sorted(_FIELDS))
            raise click.UsageError(
                f"the name template {template!r} must be a file name with {{stem}} or {{name}}, "
                f"and may use {known}"
            )
        self._template = template
        self._word = word
        self._folder = folder
        self._taken: set[Path] = set()
        self._lock = Lock()

    def place(self, item: Item, suffix: str) -> Path:
        """Return the path of a result, and keep it from being given away again."""
        from sudokucrypt.recipes import plain_stem

        named = Path("stdin") if item.piped else item.source
        name = self._template.format(
            stem=plain_stem(named), name=named.name, word=self._word, suffix=suffix
        )
        folder = item.source.parent if self._folder is None else self._folder / item.folder
        path = folder / name
        with self._lock:
            if path in self._taken:
                raise InvalidParameterError(
                    f"another input is written to '{path}' too",
                    hint="tell them apart with --name '{name}.{word}{suffix}', "
                    "or write them to different folders",
                )
            self._taken.add(path)
        if self._folder is not None:
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                reason = (error.strerror or str(error)).lower()
                raise SudokucryptError(f"cannot make the folder '{folder}': {reason}") from error
        return path
