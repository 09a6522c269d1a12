"""``encrypt --update``: keep up-to-date results, and prune results without an original."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sudokucrypt.cli.finding import FileSearch, find_items, join_first_paths
from sudokucrypt.cli.interrupts import was_interrupted
from sudokucrypt.cli.messages import say
from sudokucrypt.cli.options import InputItem
from sudokucrypt.cli.pictures.outcomes import Outcome
from sudokucrypt.errors import SudokucryptError, format_reason
from sudokucrypt.images import get_suffix, kept_name
from sudokucrypt.keys import defer_costly_derivations
from sudokucrypt.recipes.naming import ResultNaming, find_original_name, name_sidecar
from sudokucrypt.recipes.sinks import Sink, read_sidecar
from sudokucrypt.recipes.sources import SourceFile
from sudokucrypt.recipes.updating import find_current_result, open_file_result, require_updatable
from sudokucrypt.remote import Url
from sudokucrypt.storage import decode_in_this_locale, encode_for_every_locale, exists, is_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sudokucrypt.cli.options import BatchOptions, PruningOptions
    from sudokucrypt.cli.pictures.job import InputOutcome, InputTask, Job
    from sudokucrypt.header import Header
    from sudokucrypt.images import EmbeddedFile
    from sudokucrypt.keys import ProtectingKey
    from sudokucrypt.recipes.options import EncryptOptions
    from sudokucrypt.storage import Location


_HEADER_SEARCH_BYTES = 1 << 14  # bytes at the start of a file that are searched for a header
_FREELY_PRUNED_COUNT = 3  # this number of results is never too large for --prune --yes to remove

# Kept results are reported in groups of this size, since each write to a manifest waits for the
# disk.
_GROUP_SIZE = 256


@dataclass(frozen=True, eq=False, kw_only=True)
class StaleResult:
    """A result whose original is gone."""

    location: Location
    original_paths: tuple[Location, ...]  # possible paths of the original, one in each input folder
    header: Header
    file: EmbeddedFile  # the sealed name, size and time of the original
    identity: tuple[int, ...]  # changes when another file replaces the result

    def is_original_folder_empty(self) -> bool:
        """Return whether the original's folder is empty, which suggests an unmounted disk."""
        for original_path in self.original_paths:
            if (
                isinstance(original_path, Path)
                and (folder := _find_existing_folder(original_path)) is not None
            ):
                with suppress(OSError), os.scandir(folder) as entries:
                    if next(entries, None) is None:
                        return True
        return False

    def is_unchanged(self) -> bool:
        """Return whether the original is still gone, and the result is the same file."""
        return (
            all(map(_is_gone, self.original_paths))
            and _get_file_identity(self.location) == self.identity
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Update:
    """An update of folders: which results are kept, and which have no original any more."""

    options: EncryptOptions
    key: ProtectingKey
    job: Job
    batch: BatchOptions
    pruning: PruningOptions
    stale_results: Sequence[StaleResult] = ()
    # Number of inputs, also renamed ones, that had a result when the run began. If it is 0, the
    # folder contains results of other inputs, and is not pruned.
    earlier_result_count: int = 0

    @classmethod
    def for_job(
        cls, batch: BatchOptions, job: Job, options: EncryptOptions, pruning: PruningOptions
    ) -> Update:
        """Plan the update of a job; raise an error for options that prevent it."""
        key: ProtectingKey = job.work.keys[0]  # type: ignore[assignment] # it protects
        require_updatable(key, options)
        if "{random}" in job.naming.template:
            raise click.UsageError("results with random names cannot be found again")
        update = cls(options=options, key=key, job=job, batch=batch, pruning=pruning)
        file_items = [item for item in job.items if not (item.fault or item.is_stdin)]
        results = [update._predict_location(item.source, item.folder) for item in file_items]
        # This precedes all writing, to find and count only results of earlier runs.
        stale_results = update._find_stale_results(
            {*results, *(item.source for item in file_items)}
        )
        earlier_result_count = _count_renamed_inputs(file_items, stale_results) + sum(
            map(exists, results)
        )
        return replace(
            update, stale_results=stale_results, earlier_result_count=earlier_result_count
        )

    def iterate_outdated_inputs(
        self, tasks: Iterator[InputTask], report: Callable[[list[InputOutcome]], None]
    ) -> Iterator[InputTask]:
        """Yield the inputs that need work, and report those whose results are up to date."""
        outcomes: list[InputOutcome] = []
        for task in tasks:
            index, item, _ = task
            if (outcome := self._find_kept_outcome(item)) is not None:
                outcomes.append((index, outcome))
            if outcomes and (outcome is None or len(outcomes) == _GROUP_SIZE):
                report(outcomes)  # before `yield`, since a stopped run never resumes this generator
                outcomes = []
            if outcome is None:
                yield task
        if outcomes:
            report(outcomes)

    def _find_kept_outcome(self, item: InputItem) -> Outcome | None:
        """Return the outcome of an input if its times show that its result is up to date."""
        if self.options.checksum or item.fault or item.is_stdin:
            return None
        try:
            sink = Sink.for_target(
                item.source, self.job.make_target(item), replace(self.options, replace=True)
            )
            report, _ = find_current_result(sink, self.key, self.options)
        except SudokucryptError:
            return None  # the work on this input will raise and report the same error
        return None if report is None else Outcome(source=str(item.source), result=report)

    def _find_stale_results(self, known_files: set[Location]) -> list[StaleResult]:
        """Return results whose original is in none of the folders of the command line.

        This key must open the result, and this run would have given it this name. Files in
        `known_files`, the inputs and their results, are skipped.
        """
        folders = [source for source in self.batch.sources if is_folder(source)]
        output = self.job.naming.folder
        if self.job.naming.output is not None and output is None:
            return []
        folders_and_roots = (
            [(output, folders)]
            if output is not None
            else [(folder, [folder]) for folder in folders]
        )
        search = FileSearch(
            participle="updated",
            recursive=self.batch.recursive,
            all_files=True,
            is_restoring=True,
            secret_files=tuple(self.job.secret_files),
            excluded_folders=tuple(folders),  # files in the input folders are not results
        )
        stale_results: list[StaleResult] = []
        for folder, input_folders in folders_and_roots:
            if not input_folders or not is_folder(folder):
                continue
            for found_item in find_items([folder], search).items:
                if not found_item.fault and found_item.source not in known_files:
                    stale_results += self._examine_item(found_item, input_folders)
        return stale_results

    def handle_stale_results(self, *, has_failures: bool, is_dry_run: bool = False) -> bool:
        """List results whose original is gone; with ``--prune``, remove them if it is safe.

        Return False if removing failed for any result.
        """
        if not self.stale_results:
            return True
        if self.batch.listing:
            for result in self.stale_results:
                click.echo(f"{result.location}: result whose original is gone")
        count = (
            f"{len(self.stale_results)} {'result' if len(self.stale_results) == 1 else 'results'}"
        )
        names = join_first_paths([result.location for result in self.stale_results])
        say("note", f"{count} without original: {names}")
        if not self.pruning.prune:
            say("hint", "--prune removes them, and --list prints all")
            return True
        if (reason := self._find_obstacle(has_failures=has_failures)) is not None:
            say("warning", f"none was removed, since {reason}")
        elif is_dry_run:
            say("note", "would be removed")
        elif self._ask_to_prune(count):
            removed_count = sum(map(_remove_result, self.stale_results))
            say("note", f"{removed_count} removed")
            return removed_count == len(self.stale_results)
        else:
            advice = (
                "answer y to remove them" if self.pruning.skips_question else "--yes does not ask"
            )
            say("note", f"none was removed; {advice}")
        return True

    def _find_obstacle(self, *, has_failures: bool) -> str | None:
        """Return the reason why nothing may be removed, or None."""
        if has_failures:
            return "not all inputs were encrypted"
        if not self.earlier_result_count:
            return "the other results there are of no file in this folder"
        if any(isinstance(result.location, Url) for result in self.stale_results):
            return "they are not on this computer; remove them with what stores them"
        return None

    def _ask_to_prune(self, count: str) -> bool:
        """Return whether to remove results; ask without ``--yes``, or if there are too many."""
        has_too_many_results = len(self.stale_results) > max(
            self.earlier_result_count, _FREELY_PRUNED_COUNT
        )
        empty_folder_count = sum(result.is_original_folder_empty() for result in self.stale_results)
        if self.pruning.skips_question and not (has_too_many_results or empty_folder_count):
            return True
        reason = ", more than there are with one" if has_too_many_results else ""
        if empty_folder_count:
            reason += f", {empty_folder_count} of them of folders that are empty or not mounted"
        question = f"sudokucrypt: remove {count} without original{reason}?"
        if sys.stdin is None:  # nobody can answer
            return False
        try:
            return click.confirm(question, err=True)
        except click.Abort:
            if was_interrupted():
                raise
            return False
        finally:
            if not sys.stdin.isatty():
                click.echo(err=True)  # end the line of the question, as a terminal would

    def _examine_item(
        self, found_item: InputItem, input_folders: Sequence[Location]
    ) -> Iterator[StaleResult]:
        """Yield a found file if it is a result whose original is gone."""
        location = found_item.source
        # The file may be crafted to cost much time.
        defer_costly_derivations(self.key, deferring=True)
        try:
            result = SourceFile.read(location)
            if b"sudokucrypt" not in result.read_start(_HEADER_SEARCH_BYTES):
                return
            opened_file, file = open_file_result(result, self.key, self.options.max_pixels)
        except SudokucryptError:
            return
        finally:
            defer_costly_derivations(self.key, deferring=False)
        for name in dict.fromkeys([find_original_name(location), decode_in_this_locale(file.name)]):
            original_paths = tuple(root / found_item.folder / name for root in input_folders)
            if kept_name(encode_for_every_locale(name)) != file.name:
                continue
            if self._predict_location(original_paths[0], found_item.folder) != location:
                continue
            if all(map(_is_gone, original_paths)):
                yield StaleResult(
                    location=location,
                    original_paths=original_paths,
                    header=opened_file.stored_header,
                    file=file,
                    identity=_get_file_identity(location),
                )
            return

    def _predict_location(self, source: Location, folder: Path) -> Location:
        """Return the location that this run gives to the result of a file."""
        naming = self.job.name_result(InputItem(source, folder))
        if isinstance(naming, ResultNaming):
            return naming.make_path(get_suffix(self.options.format or "PNG"))
        return source  # -o names the result of a single input


def _count_renamed_inputs(files: Sequence[InputItem], stale_results: Sequence[StaleResult]) -> int:
    """Return the number of renamed inputs: those with the size and time of a missing original."""
    sizes_and_times = {(result.file.size, result.file.time) for result in stale_results}
    renamed_count = 0
    for file in [item.source for item in files if sizes_and_times]:
        with suppress(OSError):  # such an input fails later, with its own message
            status = os.stat(str(file))
            renamed_count += (status.st_size, status.st_mtime_ns) in sizes_and_times
    return renamed_count


def _is_gone(original_location: Location) -> bool:
    """Return whether it is certain that no file or link, not even a broken link, has this path."""
    if isinstance(original_location, Url):
        return not exists(original_location)
    try:
        os.lstat(original_location)
    except (FileNotFoundError, NotADirectoryError):
        folder = _find_existing_folder(original_location)
        return folder is not None and os.path.exists(folder)
    except (OSError, ValueError):
        return False
    return False


def _find_existing_folder(original_path: Path) -> Path | None:
    """Return the nearest existing folder above a file that is gone."""
    return next(filter(os.path.lexists, original_path.parents), None)


def _get_file_identity(location: Location) -> tuple[int, ...]:
    """Return values that change when a local file changes; an empty tuple for URLs."""
    if isinstance(location, Url):
        return ()
    try:
        status = os.lstat(location)
    except OSError:
        return ()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _remove_result(stale_result: StaleResult) -> bool:
    """Remove a result and its sidecar; return whether the result is gone."""
    location = stale_result.location
    if not exists(location):
        return True  # another run has removed it
    if not isinstance(location, Path) or not stale_result.is_unchanged():
        say("warning", f"'{location}' was not removed, since it or its original changed")
        return False
    sidecar = name_sidecar(location)
    try:
        # The sidecar is removed first: if the run stops here, no sidecar is left without its
        # picture.
        if exists(sidecar) and read_sidecar(sidecar) == stale_result.header:
            Path(str(sidecar)).unlink(missing_ok=True)
        location.unlink(missing_ok=True)
    except (OSError, SudokucryptError) as error:
        reason = format_reason(error) if isinstance(error, OSError) else str(error)
        say("warning", f"'{location}' was not removed: {reason}")
        return False
    return True
