"""What a command works on, and what its results are called."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from string import Formatter
from threading import Lock
from typing import Any, BinaryIO

import click

from sudokucrypt.errors import InvalidParameterError, SudokucryptError, reason_of
from sudokucrypt.remote import Url
from sudokucrypt.storage import Location, parse_location

DEFAULT_NAME = "{stem}.{word}{suffix}"
_FIELDS = {"stem", "name", "word", "suffix"}
_STREAM = Path("-")


class SourcePath(click.Path):
    """The argument for an input: a path, a URL, or ``-`` for stdin; ``./-`` is such a file."""

    def __init__(self) -> None:
        super().__init__(readable=False)  # reading tells, and stops none of the other inputs

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:
        """Return a `Path`, which would not keep the dot, and would make one of no name."""
        if not value:
            self.fail("the name is empty", param, ctx)
        if isinstance(place := parse_location(value), Url):
            return place
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        return path.absolute() if path == _STREAM and str(value) != "-" else path


@dataclass(frozen=True)
class Item:
    """One file to work on."""

    source: Location
    folder: Path = field(default_factory=Path)  # relative to the folder that was named
    fault: str = ""  # why a folder gives no files
    name_collision: bool = (
        False  # another result would get the same name but for the suffix of its input
    )

    @property
    def piped(self) -> bool:
        """Whether it comes from stdin."""
        return self.source == _STREAM

    def content(self) -> Location | BinaryIO:
        """Return the file, or stdin; typing a picture is not possible."""
        if not self.piped:
            return self.source
        if sys.stdin is None:
            raise click.UsageError("stdin is closed")
        if sys.stdin.isatty():
            raise click.UsageError("a picture does not come from the terminal; name a file")
        return sys.stdin.buffer


class Naming:
    """What results are called and where they go; no two inputs may lead to one output.

    Where others name results too, who gathers them sees to that, and this one is not `alone`.
    """

    def __init__(
        self,
        template: str,
        word: str,
        folder: Location | None,
        *,
        resume: bool = False,
        alone: bool = True,
    ) -> None:
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
        self._resume = resume
        self._alone = alone
        self._taken: set[Location] = set()
        self._lock = Lock()

    def place(self, item: Item, suffix: str, sealed: str | None = None) -> Location:
        """Return the path of a result, and keep it from being given away again.

        A file that is restored has the name that is `sealed` in it, unless a template was chosen.
        """
        from sudokucrypt.recipes.transfer import plain_stem, sealed_path

        named = Path("stdin") if item.piped else item.source
        folder = item.source.parent if self._folder is None else self._folder / item.folder
        if sealed is None or self._template != DEFAULT_NAME:
            stem = named.name if item.name_collision else plain_stem(named)
            fields = {"stem": stem, "name": named.name, "word": self._word, "suffix": suffix}
            path = folder / self._template.format(**fields)
        elif self._folder is None:
            path = sealed_path(folder, sealed, resume=self._resume)
        else:
            path = folder / sealed
        with self._lock:
            if path in self._taken:
                raise taken(path)
            if self._alone:
                self._taken.add(path)
        if isinstance(folder, Path) and self._folder is not None:
            make_folder(folder)
        return path


def make_folder(folder: Path) -> None:
    """Make a folder for results unless it is there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = reason_of(error)
        raise SudokucryptError(f"cannot make the folder '{folder}': {reason}") from error


def taken(path: object) -> InvalidParameterError:
    """Return the error for a second input that would lead to one output."""
    return InvalidParameterError(
        f"another input is written to '{path}' too",
        hint="tell them apart with --name '{name}.{word}{suffix}', "
        "or write them to different folders",
    )
