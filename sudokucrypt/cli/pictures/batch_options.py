"""The options of commands that work on one file or on many: inputs, outputs, and how."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sudokucrypt.cli.extensions import Command, option_group
from sudokucrypt.cli.inputs import SourcePath
from sudokucrypt.cli.options import FILE, PATH
from sudokucrypt.options import option

if TYPE_CHECKING:
    from sudokucrypt.storage import Location


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


@dataclass(frozen=True, kw_only=True)
class BatchOptions:
    """What was said on the command line about inputs, outputs and how to get through them."""

    sources: tuple[Location, ...]
    output: str | None = option(
        None,
        "A file, whose suffix chooses the format, a folder, or - for stdout. By default each "
        "result is written beside its input.",
        "-o, --output OUT",
        type=FILE,
        heading="Where",
        everyday=True,
    )
    template: str | None = option(
        None,
        "Pattern for the names of results, by default {name}.{word}{suffix}; {stem} is {name} "
        "without its suffix, and {random} hides it: decrypting a file gives its name back.",
        "--name TEMPLATE",
        heading="Where",
    )
    recursive: bool = option(
        False, "Include subfolders.", "-r, --recursive", heading="What", everyday=True
    )
    listing: bool = option(
        False,
        "Print everything that was left out of folders, and why.",
        "--list",
        heading="What",
    )
    jobs: int | None = option(
        None,
        "Process N inputs in parallel, with all N in memory. By default 1, or one per core with "
        "--dask local.",
        "--jobs N",
        unit="inputs",
        least=1,
        most=1024,
    )
    manifest: Path | None = option(
        None,
        "Add a line of JSON to FILE for each input; --resume skips what FILE says is done.",
        "--manifest FILE",
        type=PATH,
        heading="Where",
    )
    shard: tuple[int, int] | None = option(
        None,
        "Work on part I of N of the inputs; the parts do not overlap.",
        "--shard I/N",
        type=_Shard(),
        heading="What",
    )
    cluster: str | None = option(
        None,
        "Use the workers of a Dask cluster, or with 'local' processes of this machine. No key is "
        "sent: every worker reads the key file itself. Results that exist and match are kept, as "
        "with --resume.",
        "--dask ADDRESS",
    )
    dry_run: bool = option(False, "Print what would be written, and do nothing.", heading="Where")

    def has_several(self) -> bool:
        """Return whether there may be several pictures."""
        from sudokucrypt.storage import is_folder

        return len(self.sources) > 1 or self.shard is not None or any(map(is_folder, self.sources))

    @property
    def to_stdout(self) -> bool:
        """Whether a picture goes to stdout."""
        return self.output == "-" or (self.output is None and Path("-") in self.sources)


@dataclass(frozen=True, kw_only=True)
class Pruning:
    """What was said on the command line about results whose original is gone."""

    prune: bool  # whether they are removed
    yes: bool  # whether that is done without asking


@dataclass(frozen=True, kw_only=True)
class UnredactBatchOptions(BatchOptions):
    """The same for `unredact`, which lists what is in its inputs."""

    listing: bool = option(
        False,
        "Print what is covered and which keys lift it, and what was left out of folders; write "
        "nothing.",
        "--list",
        heading="What",
        everyday=True,
    )


def batch_options(command: Command, kind: type = BatchOptions) -> Command:
    """Give a command its inputs and outputs, as one parameter ``batch``."""
    inputs = click.argument("sources", metavar="IN...", nargs=-1, required=True, type=SourcePath())
    return inputs(option_group("batch", kind)(command))


def unredact_options(command: Command) -> Command:
    """Give `unredact` the same."""
    return batch_options(command, UnredactBatchOptions)
