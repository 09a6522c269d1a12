"""The options of commands that work on one file or on many: inputs, outputs, and how."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sudokucrypt.cli import options as shared
from sudokucrypt.cli.extensions import option, option_group
from sudokucrypt.cli.inputs import SourcePath

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sudokucrypt.storage import Location


@dataclass(frozen=True, kw_only=True)
class BatchOptions:
    """What was said on the command line about inputs, outputs and how to get through them."""

    sources: tuple[Location, ...]
    output: str | None
    name: str | None
    recursive: bool
    listing: bool
    jobs: int | None
    resume: bool
    force: bool
    manifest: Path | None
    shard: tuple[int, int] | None
    cluster: str | None
    max_pixels: int | None
    threads: int | None
    dry_run: bool
    file_format: str | None = None  # only some commands let the user choose one

    @property
    def several(self) -> bool:
        """Whether there may be several pictures."""
        from sudokucrypt.storage import is_folder

        return len(self.sources) > 1 or self.shard is not None or any(map(is_folder, self.sources))

    @property
    def to_stdout(self) -> bool:
        """Whether a picture goes to stdout."""
        return self.output == "-" or (self.output is None and Path("-") in self.sources)

    def of_recipe(self, own: Mapping[str, Any]) -> dict[str, Any]:
        """Return all options of a recipe: its own, and those that all recipes share."""
        return {
            **own,
            **({} if self.file_format is None else {"format": self.file_format}),
            "max_pixels": self.max_pixels,
            "threads": self.threads,
            "replace": self.force,
            "resume": self.resume,
        }


class _Formats(click.Choice[str]):
    """The formats that can be written, which are looked up only when one is named."""

    def __init__(self) -> None:
        self.case_sensitive = False

    @cached_property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        from sudokucrypt.images import writable_formats

        return writable_formats()


class _Shard(click.ParamType[tuple[int, int]]):
    """A part of the inputs: its number, and how many there are."""

    name = "shard"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Return both numbers."""
        if isinstance(value, tuple):
            return value
        if not re.fullmatch(r"[1-9]\d{0,8}/[1-9]\d{0,8}", value, re.ASCII):
            self.fail(f"a part is I/N, such as 1/8, not {value!r}", param, ctx)
        part, parts = map(int, value.split("/"))
        if part > parts:
            self.fail(f"there is no part {part} of {parts}", param, ctx)
        return part, parts


_NAMING = (
    click.argument("sources", metavar="IN...", nargs=-1, required=True, type=SourcePath()),
    option(
        "-o, --output OUT",
        "A file, whose suffix chooses the format, a folder, or - for stdout. By default each "
        "result is written beside its input.",
        type=shared.FILE,
        heading="Where",
        everyday=True,
    ),
    option(
        "--name TEMPLATE",
        "Pattern for the names of results, by default {name}.{word}{suffix}; {stem} is {name} "
        "without its suffix, and {random} hides it: decrypting a file gives its name back.",
        heading="Where",
    ),
    option("-r, --recursive", "Include subfolders.", heading="What", everyday=True),
)

_RUNNING = (
    option(
        "--jobs N",
        "Process N inputs in parallel, with all N in memory. By default 1, or one per core with "
        "--dask local.",
        type=click.IntRange(1, 1024),
        heading="How",
    ),
    option(
        "--resume",
        "Skip results that exist and match what this run would write.",
        heading="Where",
        everyday=True,
    ),
    option("--force", "Replace existing output.", heading="Where", everyday=True),
    option(
        "--manifest FILE",
        "Add a line of JSON to FILE for each input; --resume skips what FILE says is done.",
        type=shared.PATH,
        heading="Where",
    ),
    option(
        "--shard I/N",
        "Work on part I of N of the inputs; the parts do not overlap.",
        type=_Shard(),
        heading="What",
    ),
    option(
        "--dask ADDRESS",
        "Use the workers of a Dask cluster, or with 'local' processes of this machine. No key is "
        "sent: every worker reads the key file itself. Results that exist and match are kept, as "
        "with --resume.",
        name="cluster",
        heading="How",
    ),
    shared.max_pixels_option,
    option(
        "--threads N", "Threads for each picture; by default one per core.", type=int, heading="How"
    ),
    option("--dry-run", "Print what would be written, and do nothing.", heading="Where"),
)

_LEFT_OUT = option(
    "--list",
    "Print everything that was left out of folders, and why.",
    name="listing",
    heading="What",
)
_FORMAT = option(
    "--format",
    "Output format; overrides the suffix.",
    name="file_format",
    type=_Formats(),
    heading="Where",
)
_COVERED = option(
    "--list",
    "Print what is covered and which keys lift it, and what was left out of folders; write "
    "nothing.",
    name="listing",
    heading="What",
    everyday=True,
)

# Give a command its inputs and outputs, as one parameter ``batch``: one that lets the user choose
# the format of results, one that does not, and one that lists what is in its inputs.
batch_options = option_group("batch", BatchOptions, *_NAMING, _LEFT_OUT, *_RUNNING, _FORMAT)
redact_options = option_group("batch", BatchOptions, *_NAMING, _LEFT_OUT, *_RUNNING)
unredact_options = option_group("batch", BatchOptions, *_NAMING, _COVERED, *_RUNNING)
