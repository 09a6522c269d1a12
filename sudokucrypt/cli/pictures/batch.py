"""Work on one file or on many: in parallel, with a summary, and never stopped by a bad one."""

from __future__ import annotations

import os
import sys
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

import click

from sudokucrypt.cli import options as shared
from sudokucrypt.cli.extensions import gathered, option
from sudokucrypt.cli.finding import Search, find_items, first_names
from sudokucrypt.cli.inputs import DEFAULT_NAME, Item, Naming, SourcePath
from sudokucrypt.cli.messages import code_of, describe, hint_of, progress_bar, say, say_done
from sudokucrypt.errors import InvalidImageError, OutputExistsError
from sudokucrypt.storage import require_free, same_file
from sudokucrypt.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sudokucrypt.recipes import FileReport

    Target: TypeAlias = Path | BinaryIO | Callable[[str, str | None], Path]
    Work: TypeAlias = Callable[..., FileReport]


_FEW = 3  # how many things of one kind a line names


@dataclass(frozen=True, kw_only=True)
class BatchOptions:
    """What was said on the command line about inputs, outputs and how to get through them."""

    sources: tuple[Path, ...]
    output: str | None
    name: str
    recursive: bool
    listing: bool
    jobs: int
    resume: bool
    force: bool
    file_format: str | None
    max_pixels: int | None
    threads: int | None

    @property
    def several(self) -> bool:
        """Whether there may be several pictures."""
        return len(self.sources) > 1 or any(map(os.path.isdir, self.sources))

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
            output=None if self.output in (None, "-") else Path(str(self.output)),
            secrets=tuple(secrets),
        )


def run(
    options: BatchOptions,
    word: str,
    work: Work,
    *,
    secrets: Sequence[Path] = (),
    all_files: bool | None = None,
    restoring: bool = False,
) -> Sequence[FileReport]:
    """Work on all inputs, and return what was done, without what was there already.

    `word` says what is done, as in "scrambled"; `work` takes a source, a target and the options
    that all commands share; `secrets`, `all_files` and `restoring` are
    those of `Search`. The only input fails
    with its own error; several end in a `click.exceptions.Exit` with the code that all failures
    share, else 1.
    """
    if options.resume and options.force:
        raise click.UsageError("--resume keeps what --force would replace; give one of them")
    search = options.search(word, secrets, all_files=all_files, restoring=restoring)
    found = find_items(options.sources, search)
    items = found.items
    several = options.several and (len(items) > 1 or not items[0].fault)
    batch = _Batch(options, word, work, _naming(options, word, several=several), search.secrets)
    if options.listing:
        found.list_left_out()
    else:
        found.say_left_out(all_files=all_files)
    if not several:
        report = batch.process(items[0])
        if not report.kept:
            _say_ways(word, [report])
        say_done(report, named=options.output is not None)
        return [] if report.kept else [report]
    return _run_several(items, batch, min(options.jobs, len(items)))


def _naming(options: BatchOptions, word: str, *, several: bool) -> Naming | None:
    """Return how results are named, none if the one result has its name already."""
    output = options.output
    if output == "-":
        if several:
            raise click.UsageError("several pictures do not fit into stdout; name a folder")
        return None
    if output is None:
        return Naming(options.name, word, None, resume=options.resume)
    folder = Path(output)
    is_folder = os.path.isdir(output) or output.endswith("/")
    if several or is_folder:
        if not is_folder and (folder.suffix or os.path.lexists(output)):
            raise click.UsageError(
                f"several pictures go to a folder; write '{output}/' if '{output}' is one"
            )
        return Naming(options.name, word, folder)
    if options.name != DEFAULT_NAME:
        raise click.UsageError("--name is for results that -o does not name")
    return None


@dataclass(frozen=True)
class _Batch:
    """Everything that working on one item takes."""

    options: BatchOptions
    word: str
    work: Work
    naming: Naming | None
    secrets: Sequence[Path]

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
            return self._apart(Path(output or ""))
        return lambda suffix, sealed: self._apart(naming.place(item, suffix, sealed))

    def _apart(self, place: Path) -> Path:
        """Return the place of a result; a secret is not replaced, since all would be lost."""
        if any(same_file(place, secret) for secret in self.secrets):
            require_free(place, secret=True)
        return place


def _run_several(items: Sequence[Item], batch: _Batch, jobs: int) -> Sequence[FileReport]:
    """Work on several pictures; failures are kept for the end."""
    with Workers() as workers:
        threads = max(1, workers.threads // jobs)
    reports: list[FileReport] = []
    failures: dict[Future[FileReport], Exception] = {}
    kept = 0
    pool = ThreadPoolExecutor(jobs)
    futures: dict[Future[FileReport], Item] = {}
    try:
        futures.update((pool.submit(batch.process, item, threads=threads), item) for item in items)
        with progress_bar(batch.word) as advance:
            for future in as_completed(futures):
                try:
                    report = future.result()
                except click.ClickException:
                    raise
                except Exception as error:
                    failures[future] = error
                else:
                    kept += report.kept
                    reports += [] if report.kept else [report]
                advance(len(reports) + kept + len(failures), len(items))
    except BaseException:
        pool.shutdown(cancel_futures=True)  # what has begun is finished, so no file is cut
        ended = [future for future in futures if future.done() and not future.cancelled()]
        finished = sum(future.exception() is None for future in ended)
        say("note", f"stopped after {finished} of {len(items)}; --resume goes on from there")
        raise
    pool.shutdown()
    _say_failures([(i.source, failures[f]) for f, i in futures.items() if f in failures])
    _say_ways(batch.word, reports)
    left_out = dict.fromkeys(name for report in reports for name in report.left_out)
    if left_out:
        say("note", f"not carried over from some: {', '.join(left_out)}; the samples are exact")
    there = f", {kept} there already" if batch.options.resume else ""
    say("note", f"{len(reports)} {batch.word}{there}, {len(failures)} failed")
    if failures:
        codes = {code_of(error) for error in failures.values()}
        raise click.exceptions.Exit(codes.pop() if len(codes) == 1 else 1)
    return reports


def _say_failures(failures: Sequence[tuple[Path, Exception]]) -> None:
    """Print one line for each failure, and each hint once; what exists has one line for all."""
    there = [source for source, error in failures if isinstance(error, OutputExistsError)]
    together = len(there) > _FEW
    for source, error in failures:
        if together and isinstance(error, OutputExistsError):
            continue
        text = describe(error)
        say("error", text if str(source) in text else f"'{source}': {text}")
    if together:
        say("error", f"the results of {len(there)} inputs exist: {first_names(there)}")
    for hint in dict.fromkeys(hint_of(error) for _, error in failures):
        if hint:
            say("hint", hint)
    if there:
        say("hint", "--resume keeps results that are complete, and makes the others")


def _say_ways(word: str, reports: Sequence[FileReport]) -> None:
    """Say what was encrypted, pixels or files, and why, where nobody chose."""
    counts = Counter(report.way for report in reports if report.way is not None)
    for as_file in (True, False):
        reasons = {way.reason: count for way, count in counts.items() if way.as_file is as_file}
        if not reasons:
            continue
        total = sum(reasons.values())
        listed = [f"{n} {why}" if total > 1 else why for why, n in reasons.items()]
        more = [f"{len(listed) - _FEW} other reasons"] if len(listed) > _FEW else []
        shown = ", ".join(listed[:_FEW] + more)
        if as_file:
            what = "the file as it is" if total == 1 else f"{total} files as they are"
            say("note", f"{word} {what} ({shown})")
        else:
            what = "the pixels" if total == 1 else f"the pixels of {total} pictures"
            say("note", f"{word} {what} ({shown}); --as file keeps the very file")


class _Formats(click.Choice[str]):
    """The formats that can be written, which are looked up only when one is named."""

    def __init__(self) -> None:
        self.case_sensitive = False

    @cached_property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        from sudokucrypt.images import writable_formats

        return writable_formats()


batch_options = gathered(
    "batch",
    BatchOptions,
    click.argument("sources", metavar="IN...", nargs=-1, required=True, type=SourcePath()),
    option(
        "-o, --output OUT",
        "A file (.png, .tiff, .webp or .gif), a folder, or - for stdout. By default each "
        "result is written beside its input, in a lossless format.",
        type=click.Path(),
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
        "Process N inputs in parallel; all of them are in memory.",
        type=click.IntRange(1, 1024),
        default=1,
    ),
    option("--resume", "Skip results that exist and match what this run would write."),
    option("--force", "Replace existing output."),
    option("--format", "Output format; overrides the suffix.", name="file_format", type=_Formats()),
    shared.max_pixels_option,
    option(
        "--threads N",
        "Threads for each picture; by default one per core.",
        type=int,
    ),
)
"""Gives a command its inputs and outputs, as one parameter ``batch``."""
