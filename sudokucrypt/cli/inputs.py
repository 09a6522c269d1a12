"""What a command works on, one file at a time."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from typing import BinaryIO

    from sudokucrypt.storage import Location

_FIELDS = {"stem", "name", "random", "word", "suffix"}
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
        from sudokucrypt.remote import Url
        from sudokucrypt.storage import parse_location

        if not value:
            self.fail("the name is empty", param, ctx)
        location = parse_location(value)
        if isinstance(location, Url):
            return location
        if str(value).lower().startswith("file://"):
            value = location
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        return path.absolute() if path == _STREAM and str(value) != "-" else path


@dataclass(frozen=True)
class Item:
    """One file to work on."""

    source: Location
    folder: Path = field(default_factory=Path)  # relative to the folder that was named
    fault: str = ""  # why a folder gives no files

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


def binary_stdout() -> BinaryIO:
    """Return stdout for a result that is not for the terminal."""
    if stdout_is_closed():
        raise click.UsageError("stdout is closed")
    if sys.stdout.isatty():
        raise click.UsageError("the result is not for the terminal; name a file with -o")
    return sys.stdout.buffer


def stdout_is_closed() -> bool:
    """Return whether our parent closed stdout; `main` opens a device in its place, by number."""
    return sys.stdout is None or getattr(sys.stdout, "name", None) == 1


def require_template(template: str) -> None:
    """Raise `click.UsageError` for a template that makes no file name."""
    from string import Formatter

    try:
        fields = {name for _, name, _, _ in Formatter().parse(template) if name is not None}
        template.format_map(dict.fromkeys(_FIELDS, ""))
    except (AttributeError, LookupError, ValueError):
        fields = set()
    if not fields <= _FIELDS or not fields & {"stem", "name", "random"} or "/" in template:
        known = ", ".join(f"{{{name}}}" for name in sorted(_FIELDS))
        raise click.UsageError(
            f"the name template {template!r} must be a file name with {{stem}}, {{name}} or "
            f"{{random}}, and may use {known}"
        )
