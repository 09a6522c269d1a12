"""Work on one file or on many: in parallel, with a summary, and never stopped by a bad one."""

from __future__ import annotations

import re
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

import click

from sudokucrypt.cli import options as shared
from sudokucrypt.cli.extensions import option, option_group
from sudokucrypt.cli.finding import Search, find_items
from sudokucrypt.cli.inputs import DEFAULT_NAME, Item, Naming, SourcePath, taken
from sudokucrypt.cli.messages import progress_bar, say, say_done
from sudokucrypt.cli.pictures.flow import DeferredBatch, Threads
from sudokucrypt.cli.pictures.manifest import Manifest, Record
from sudokucrypt.cli.pictures.orders import RemoteTask, run_id
from sudokucrypt.cli.pictures.outcomes import Outcome, Summary, attempt, say_ways
from sudokucrypt.errors import InvalidImageError, SudokucryptError
from sudokucrypt.storage import (
    exists,
    is_folder,
    parse_location,
    require_free,
    same_file,
    size_of,
)
from sudokucrypt.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sudokucrypt.cli.pictures.cluster import Cluster
    from sudokucrypt.cli.pictures.flow import Done, Engine
    from sudokucrypt.keys import RestoringKey
    from sudokucrypt.recipes import FileReport
    from sudokucrypt.storage import Location

    Target: TypeAlias = Location | BinaryIO | Callable[[str, str | None], Location]
    Work: TypeAlias = Callable[..., FileReport]


@dataclass(frozen=True, kw_only=True)
class BatchOptions:
    """What was said on the command line about inputs, outputs and how to get through them."""

    sources: tuple[Location, ...]
    output: str | None
    name: str
    recursive: bool
    listing: bool
    jobs: int | None
    resume: bool
    force: bool
    manifest: Path | None
    shard: tuple[int, int] | None
    cluster: str | None
    file_format: str | None
    max_pixels: int | None
    threads: int | None

    @property
    def several(self) -> bool:
        """Whether there may be several pictures."""
        return len(self.sources) > 1 or self.shard is not None or any(map(is_folder, self.sources))

    @property
    def to_stdout(self) -> bool:
        """Whether a picture goes to stdout."""
        return self.output == "-" or (self.output is None and Path("-") in self.sources)

    def search(
        self, word: str, secrets: Sequence[Path], *, all_files: bool | None, restoring: bool
    ) -> Search:
        """Return what to look for in folders."""
        if self.listing and self.to_stdout:
            raise click.UsageError("--list prints to stdout, where the result goes")
        return Search(
            word=word,
            recursive=self.recursive,
            all_files=all_files,
            restoring=restoring,
            output=None if self.output in (None, "-") else parse_location(str(self.output)),
            secrets=tuple(secrets),
            manifest=self.manifest,
            shard=self.shard,
        )


def run(
    options: BatchOptions,
    word: str,
    work: Work,
    *,
    secrets: Sequence[Path] = (),
    keys: Sequence[RestoringKey] = (),
    all_files: bool | None = None,
    restoring: bool = False,
) -> tuple[int, ...] | None:
    """Work on all inputs, and return the shape of the smallest result that was made, if any was.

    `word` says what is done, as in "scrambled"; `work` takes a source, a target and the options
    that all commands share; `secrets`, `all_files` and `restoring` are those of `Search`, and
    `keys` those that `work` uses. The only input fails with its own error; several end in a
    `click.exceptions.Exit` with the code that all failures share, else 1.
    """
    if options.resume and options.force:
        raise click.UsageError("--resume keeps what --force would replace; give one of them")
    if (ordered := click.get_current_context().find_object(DeferredBatch)) is not None:
        naming = _naming(options, word, several=True, alone=False)
        ordered.work = Batch(options, word, work, naming, secrets, keys)
        return None
    search = options.search(word, secrets, all_files=all_files, restoring=restoring)
    found = find_items(options.sources, search)
    items = found.items
    several = options.several and (len(items) != 1 or not items[0].fault)
    naming = _naming(options, word, several=several)
    batch = Batch(options, word, work, naming, search.secrets, keys)
    if options.listing:
        found.list_left_out()
    else:
        found.say_left_out(all_files=all_files)
    with ExitStack() as stack:
        manifest = None
        if options.manifest is not None:
            how = {"resume": options.resume, "replace": options.force}
            manifest = stack.enter_context(Manifest(options.manifest, run_id(keys), **how))
        if not several:
            if options.cluster is not None:
                say("note", "a single input is worked on here, without --dask")
            return _run_one(items[0], batch, manifest)
        if options.cluster is None:
            engine: Engine = Threads(batch, min(options.jobs or 1, max(1, len(items))))
        else:
            engine = stack.enter_context(_cluster(options, keys))
        return _run_several(items, batch, engine, manifest)


def _cluster(options: BatchOptions, keys: Sequence[RestoringKey]) -> Cluster:
    """Return the cluster that was asked for."""
    from sudokucrypt.cli.pictures.cluster import Cluster

    address = str(options.cluster)
    if options.to_stdout or Path("-") in options.sources:
        raise click.UsageError("--dask takes files, not stdin and stdout")
    if options.jobs is not None and address != "local":
        raise click.UsageError("--jobs is for this machine; a cluster has its workers already")
    with Workers() as workers:
        jobs = options.jobs or workers.threads
    return Cluster(address, RemoteTask.given(keys), jobs=jobs)


def _naming(
    options: BatchOptions, word: str, *, several: bool, alone: bool = True
) -> Naming | None:
    """Return how results are named, none if the one result has its name already."""
    output = options.output
    if output == "-":
        if several:
            raise click.UsageError("several pictures do not fit into stdout; name a folder")
        return None
    if output is None:
        return Naming(options.name, word, None, resume=options.resume, alone=alone)
    folder = parse_location(output)
    to_folder = output.endswith("/") or is_folder(folder)
    if several or to_folder:
        if not to_folder and (folder.suffix or exists(folder)):
            raise click.UsageError(
                f"several pictures go to a folder; write '{output}/' if '{output}' is one"
            )
        return Naming(options.name, word, folder, alone=alone)
    if options.name != DEFAULT_NAME:
        raise click.UsageError("--name is for results that -o does not name")
    return None


@dataclass(frozen=True)
class Batch:
    """Everything that working on one item takes."""

    options: BatchOptions
    word: str
    work: Work
    naming: Naming | None
    secrets: Sequence[Path]
    keys: Sequence[RestoringKey] = ()

    def outcome(self, item: Item, *, threads: int, known: Record | None = None) -> Outcome:
        """Return what comes of one picture, unless a manifest knows it and it still stands."""
        source = str(item.source)
        if known is not None and known == Record(
            known.target, size_of(item.source), size_of(parse_location(known.target))
        ):
            return Outcome(source=source, target=known.target, kept=True, recorded=True)
        return attempt(source, lambda: self.process(item, threads=threads))

    def process(self, item: Item, *, threads: int | None = None) -> FileReport:
        """Work on one picture."""
        if item.fault:
            raise InvalidImageError(item.fault)
        options = self.options
        return self.work(
            item.content(),
            self._target(item),
            format=options.file_format,
            max_pixels=options.max_pixels,
            threads=threads if options.threads is None else options.threads,
            replace=options.force,
            resume=options.resume,
        )

    def _target(self, item: Item) -> Target:
        output = self.options.output
        if output == "-" or (item.piped and output is None):
            if sys.stdout is None:
                raise click.UsageError("stdout is closed")
            if sys.stdout.isatty():
                raise click.UsageError("a picture is not for the terminal; name a file with -o")
            return sys.stdout.buffer
        naming = self.naming
        if naming is None:
            return self._apart(parse_location(output or ""))
        return lambda suffix, sealed: self._apart(naming.place(item, suffix, sealed))

    def _apart(self, place: Location) -> Location:
        """Return the place of a result; a secret is not replaced, since all would be lost."""
        if any(same_file(place, secret) for secret in self.secrets):
            require_free(place, secret=True)
        return place


def _run_one(item: Item, batch: Batch, manifest: Manifest | None) -> tuple[int, ...] | None:
    """Work on the only input; its error is raised as it is."""
    source = str(item.source)
    try:
        report = batch.process(item)
    except SudokucryptError as error:
        if manifest is not None:
            manifest.write([Outcome.failed(source, error)])
        raise
    outcome = Outcome.of(source, report)
    if manifest is not None:
        manifest.write([outcome])
    if not report.kept and outcome.reason is not None:
        say_ways(batch.word, {(outcome.mode, outcome.reason): 1})
    say_done(report, named=batch.options.output is not None)
    return None if report.kept else report.shape


def _run_several(
    items: Sequence[Item], batch: Batch, engine: Engine, manifest: Manifest | None
) -> tuple[int, ...] | None:
    """Work on several pictures; failures are kept for the end."""
    summary = Summary(batch.word)
    targets: set[int] = set()

    def checked(outcome: Outcome) -> Outcome:
        if outcome.target is None:
            return outcome
        if hash(outcome.target) in targets:
            return Outcome.failed(outcome.source, taken(outcome.target))
        targets.add(hash(outcome.target))
        return outcome

    def take(done: Sequence[Done]) -> None:
        done = [(number, checked(outcome)) for number, outcome in done]
        for number, outcome in done:
            summary.add(number, outcome)
        if manifest is not None:
            manifest.write(outcome for _, outcome in done)

    resumed = manifest if batch.options.resume else None
    tasks = (
        (number, item, None if resumed is None else resumed.known(str(item.source)))
        for number, item in enumerate(items)
    )
    try:
        with progress_bar(batch.word) as advance:
            for done in engine.outcomes(tasks):
                take(done)
                advance(summary.count, len(items))
    except BaseException:
        for done in engine.stop():
            take(done)
        finished = summary.done + summary.kept
        say("note", f"stopped after {finished} of {len(items)}; --resume goes on from there")
        raise
    return _ended(summary, batch)


def _ended(summary: Summary, batch: Batch) -> tuple[int, ...] | None:
    """Print the summary, and leave with its exit code if something failed."""
    summary.say(resumed=batch.options.resume or batch.options.cluster is not None)
    if code := summary.code():
        raise click.exceptions.Exit(code)
    return summary.smallest


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


batch_options = option_group(
    "batch",
    BatchOptions,
    click.argument("sources", metavar="IN...", nargs=-1, required=True, type=SourcePath()),
    option(
        "-o, --output OUT",
        "A file, whose suffix chooses the format, a folder, or - for stdout. By default each "
        "result is written beside its input.",
        type=shared.FILE,
    ),
    option(
        "--name TEMPLATE",
        "Pattern for the names of results; {name} is the full name of the input.",
        default=DEFAULT_NAME,
    ),
    option("-r, --recursive", "Include subfolders."),
    option("--list", "Print everything that was left out of folders, and why.", name="listing"),
    option(
        "--jobs N",
        "Process N inputs in parallel, with all N in memory. By default 1, or one per core with "
        "--dask local.",
        type=click.IntRange(1, 1024),
    ),
    option("--resume", "Skip results that exist and match what this run would write."),
    option("--force", "Replace existing output."),
    option(
        "--manifest FILE",
        "Add a line of JSON to FILE for each input; --resume skips what FILE says is done.",
        type=shared.PATH,
    ),
    option(
        "--shard I/N",
        "Work on part I of N of the inputs; the parts do not overlap.",
        type=_Shard(),
    ),
    option(
        "--dask ADDRESS",
        "Use the workers of a Dask cluster, or with 'local' processes of this machine. No key is "
        "sent: every worker reads the key file itself. Results that exist and match are kept, as "
        "with --resume.",
        name="cluster",
    ),
    option("--format", "Output format; overrides the suffix.", name="file_format", type=_Formats()),
    shared.max_pixels_option,
    option(
        "--threads N",
        "Threads for each picture; by default one per core.",
        type=int,
    ),
)
"""Gives a command its inputs and outputs, as one parameter ``batch``."""
