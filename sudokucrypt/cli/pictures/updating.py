"""``encrypt --update``: results that are kept, and those whose original is gone."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sudokucrypt.cli.finding import FileSearch, find_items, list_first_names
from sudokucrypt.cli.interrupts import was_interrupted
from sudokucrypt.cli.messages import say
from sudokucrypt.cli.options import Item
from sudokucrypt.cli.pictures.outcomes import Outcome
from sudokucrypt.errors import SudokucryptError, format_reason
from sudokucrypt.images import kept_name, suffix_of
from sudokucrypt.keys import defer_costly
from sudokucrypt.recipes.naming import ResultNaming, name_sidecar, original_name
from sudokucrypt.recipes.sinks import Sink, read_sidecar
from sudokucrypt.recipes.sources import SourceFile
from sudokucrypt.recipes.updating import find_current, open_file_result, require_updatable
from sudokucrypt.remote import Url
from sudokucrypt.storage import decode_in_this_locale, encode_for_every_locale, exists, is_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sudokucrypt.cli.options import BatchOptions, Pruning
    from sudokucrypt.cli.pictures.job import Done, InputTask, Job
    from sudokucrypt.header import Header
    from sudokucrypt.images import EmbeddedFile
    from sudokucrypt.keys import ProtectingKey
    from sudokucrypt.recipes.options import EncryptOptions
    from sudokucrypt.storage import Location


_START = 1 << 14  # bytes of a file that are searched for a header
_FEW = 3  # results that are removed without asking, if that was said, whatever else is there

# How many results that are kept are reported at a time, since a manifest waits for the disk.
_AT_A_TIME = 256


@dataclass(frozen=True, eq=False, kw_only=True)
class StaleResult:
    """A result whose original is gone."""

    location: Location
    originals: tuple[Location, ...]  # where it would be, in each folder that was named
    header: Header
    file: EmbeddedFile  # what is sealed about the original
    identity: tuple[int, ...]  # what shows that the result is still the one that was opened

    def is_of_empty_folder(self) -> bool:
        """Return whether its original was in a folder that is empty, as without its disk."""
        for original in self.originals:
            if isinstance(original, Path) and (folder := _find_folder(original)) is not None:
                with suppress(OSError), os.scandir(folder) as entries:
                    if next(entries, None) is None:
                        return True
        return False

    def is_unchanged(self) -> bool:
        """Return whether the original is still gone, and the result is the same file."""
        return all(map(_is_gone, self.originals)) and _identify(self.location) == self.identity


@dataclass(frozen=True, eq=False, kw_only=True)
class Update:
    """The update of folders: what is kept, and results whose original is gone."""

    options: EncryptOptions
    key: ProtectingKey
    job: Job
    batch: BatchOptions
    pruning: Pruning
    stale: Sequence[StaleResult] = ()  # the results whose original is gone
    # How many results of these inputs were there when the run began, some renamed since. Without
    # any, the folder of results is one of other inputs, and not pruned.
    former: int = 0

    @classmethod
    def of(cls, batch: BatchOptions, job: Job, options: EncryptOptions, pruning: Pruning) -> Update:
        """Return the update that a job is, or raise an error for unsuitable options."""
        key: ProtectingKey = job.work.keys[0]  # type: ignore[assignment] # it protects
        require_updatable(key, options)
        if "{random}" in job.naming.template:
            raise click.UsageError("results with random names cannot be found again")
        update = cls(options=options, key=key, job=job, batch=batch, pruning=pruning)
        files = [item for item in job.items if not (item.fault or item.piped)]
        results = [update._predict_result(item.source, item.folder) for item in files]
        # Before the run writes anything.
        stale = update._find_stale({*results, *(item.source for item in files)})
        former = _count_renamed(files, stale) + sum(map(exists, results))
        return replace(update, stale=stale, former=former)

    def keep_current(
        self, tasks: Iterator[InputTask], take: Callable[[list[Done]], None]
    ) -> Iterator[InputTask]:
        """Yield the inputs that are worked on, and report results that are up to date."""
        kept: list[Done] = []
        for task in tasks:
            index, item, _ = task
            if (outcome := self._find_kept(item)) is not None:
                kept.append((index, outcome))
            if kept and (outcome is None or len(kept) == _AT_A_TIME):
                take(kept)  # before it waits: nobody takes them once the run was stopped
                kept = []
            if outcome is None:
                yield task
        if kept:
            take(kept)

    def _find_kept(self, item: Item) -> Outcome | None:
        """Return the outcome of an input whose result is up to date, if that is quickly seen."""
        if self.options.checksum or item.fault or item.piped:
            return None
        try:
            sink = Sink.for_target(
                item.source, self.job.target(item), replace(self.options, replace=True)
            )
            report, _ = find_current(sink, self.key, self.options)
        except SudokucryptError:
            return None  # the same comes again where it is reported
        return None if report is None else Outcome(source=str(item.source), result=report)

    def _find_stale(self, known: set[Location]) -> list[StaleResult]:
        """Return the results in folders whose original is gone from all folders that were named.

        Only a result counts that this key opens, that this run would write for the original that
        is gone, and that is not `known` as an input or as the result of one.
        """
        folders = [source for source in self.batch.sources if is_folder(source)]
        output = self.job.naming.folder
        if self.job.naming.output is not None and output is None:
            return []
        places = [(output, folders)] if output is not None else [(one, [one]) for one in folders]
        search = FileSearch(
            word="updated",
            recursive=self.batch.recursive,
            all_files=True,
            restoring=True,
            secrets=tuple(self.job.secret_files),
            excluded=tuple(folders),  # what is in an input is no result of another one
        )
        stale: list[StaleResult] = []
        for place, roots in places:
            if not roots or not is_folder(place):
                continue
            for found in find_items([place], search).items:
                if not found.fault and found.source not in known:
                    stale += self._look_at(found, roots)
        return stale

    def deal_with_stale(self, *, failed: bool, dry: bool = False) -> bool:
        """List results whose original is gone, and remove them if that is asked for and safe.

        Return whether all were removed that were to be.
        """
        if not self.stale:
            return True
        if self.batch.listing:
            for one in self.stale:
                click.echo(f"{one.location}: result whose original is gone")
        count = f"{len(self.stale)} {'result' if len(self.stale) == 1 else 'results'}"
        names = list_first_names([one.location for one in self.stale])
        say("note", f"{count} without original: {names}")
        if not self.pruning.prune:
            say("hint", "--prune removes them, and --list prints all")
            return True
        if (reason := self._find_obstacle(failed=failed)) is not None:
            say("warning", f"none was removed, since {reason}")
        elif dry:
            say("note", "would be removed")
        elif self._ask_to_prune(count):
            removed = sum(map(_remove, self.stale))
            say("note", f"{removed} removed")
            return removed == len(self.stale)
        else:
            instead = "answer y to remove them" if self.pruning.yes else "--yes does not ask"
            say("note", f"none was removed; {instead}")
        return True

    def _find_obstacle(self, *, failed: bool) -> str | None:
        """Return why no result is removed, if none may be."""
        if failed:
            return "not all inputs were encrypted"
        if not self.former:
            return "the other results there are of no file in this folder"
        if any(isinstance(one.location, Url) for one in self.stale):
            return "they are not on this computer; remove them with what stores them"
        return None

    def _ask_to_prune(self, count: str) -> bool:
        """Return whether results are to be removed, which is asked if they are most of all."""
        many = len(self.stale) > max(self.former, _FEW)
        emptied = sum(one.is_of_empty_folder() for one in self.stale)
        if self.pruning.yes and not (many or emptied):
            return True
        more = ", more than there are with one" if many else ""
        if emptied:
            more += f", {emptied} of them of folders that are empty or not mounted"
        question = f"sudokucrypt: remove {count} without original{more}?"
        if sys.stdin is None:  # nobody is there to answer
            return False
        try:
            return click.confirm(question, err=True)
        except click.Abort:
            if was_interrupted():
                raise
            return False
        finally:
            if not sys.stdin.isatty():
                click.echo(err=True)  # the line that a terminal ends with the answer

    def _look_at(self, found: Item, roots: Sequence[Location]) -> Iterator[StaleResult]:
        """Yield the result at a location, if its original is gone."""
        location = found.source
        defer_costly(self.key, deferring=True)  # anyone may have put a file there
        try:
            result = SourceFile.read(location)
            if b"sudokucrypt" not in result.read_start(_START):
                return
            opened, file = open_file_result(result, self.key, self.options.max_pixels)
        except SudokucryptError:
            return
        finally:
            defer_costly(self.key, deferring=False)
        for name in dict.fromkeys([original_name(location), decode_in_this_locale(file.name)]):
            originals = tuple(root / found.folder / name for root in roots)
            if kept_name(encode_for_every_locale(name)) != file.name:
                continue
            if self._predict_result(originals[0], found.folder) != location:
                continue
            if all(map(_is_gone, originals)):
                yield StaleResult(
                    location=location,
                    originals=originals,
                    header=opened.stored,
                    file=file,
                    identity=_identify(location),
                )
            return

    def _predict_result(self, source: Location, folder: Path) -> Location:
        """Return where the result of a file goes."""
        named = self.job.name_result(Item(source, folder))
        if isinstance(named, ResultNaming):
            return named.make_path(suffix_of(self.options.format or "PNG"))
        return source  # the only input, whose result has a name of its own


def _count_renamed(files: Sequence[Item], stale: Sequence[StaleResult]) -> int:
    """Return how many inputs may be originals that are gone under another name."""
    sizes = {(one.file.size, one.file.time) for one in stale}
    renamed = 0
    for file in [item.source for item in files if sizes]:
        with suppress(OSError):  # what cannot be looked at fails later
            status = os.stat(str(file))
            renamed += (status.st_size, status.st_mtime_ns) in sizes
    return renamed


def _is_gone(original: Location) -> bool:
    """Return whether it is sure that nothing is there, not even a link that leads nowhere."""
    if isinstance(original, Url):
        return not exists(original)
    try:
        os.lstat(original)
    except (FileNotFoundError, NotADirectoryError):
        folder = _find_folder(original)
        return folder is not None and os.path.exists(folder)
    except (OSError, ValueError):
        return False
    return False


def _find_folder(original: Path) -> Path | None:
    """Return the folder of a file that is gone, or the first one above it that is there."""
    return next(filter(os.path.lexists, original.parents), None)


def _identify(location: Location) -> tuple[int, ...]:
    """Return what changes with a file, if it is one of this computer."""
    if isinstance(location, Url):
        return ()
    try:
        status = os.lstat(location)
    except OSError:
        return ()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _remove(stale: StaleResult) -> bool:
    """Remove a result with its sidecar, and return whether it is gone."""
    location = stale.location
    if not exists(location):
        return True  # another run has removed it
    if not isinstance(location, Path) or not stale.is_unchanged():
        say("warning", f"'{location}' was not removed, since it or its original changed")
        return False
    sidecar = name_sidecar(location)
    try:
        # First, so that it does not stay without its picture when the run is stopped here.
        if exists(sidecar) and read_sidecar(sidecar) == stale.header:
            Path(str(sidecar)).unlink(missing_ok=True)
        location.unlink(missing_ok=True)
    except (OSError, SudokucryptError) as error:
        reason = format_reason(error) if isinstance(error, OSError) else str(error)
        say("warning", f"'{location}' was not removed: {reason}")
        return False
    return True
