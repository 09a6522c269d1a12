"""The work of a run: its settings, keys and inputs, and how one input is processed."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

import click

from sudokucrypt.cli.options import get_binary_stdout
from sudokucrypt.cli.pictures.outcomes import Failure, Outcome
from sudokucrypt.errors import InvalidImageError
from sudokucrypt.frozen import FrozenObject
from sudokucrypt.keys import CostlyDerivationError
from sudokucrypt.recipes.naming import DEFAULT_TEMPLATE, ResultNaming
from sudokucrypt.recipes.sinks import Claims, RunTarget
from sudokucrypt.storage import get_file_size, parse_location

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import BinaryIO

    import numpy as np
    from numpy.typing import NDArray

    from sudokucrypt.cli.keys.secret_options import SecretOptions
    from sudokucrypt.cli.options import InputItem
    from sudokucrypt.cli.pictures.boxes import Box
    from sudokucrypt.cli.pictures.regions import LayerOptions
    from sudokucrypt.keys import ProtectingKey, RestoringKey
    from sudokucrypt.recipes import FileReport
    from sudokucrypt.recipes.options import StoreOptions
    from sudokucrypt.storage import Location

# The index of an input, the input, and the report that a manifest has of its result, or None.
InputTask: TypeAlias = "tuple[int, InputItem, FileReport | None]"

# The index of an input, and its outcome.
InputOutcome: TypeAlias = "tuple[int, Outcome]"


class RunSettings(FrozenObject):
    """The settings and keys of a run, without its inputs."""

    # The function that processes one file, called with source, target, keys or layers, and options.
    recipe: Callable[..., FileReport]
    options: StoreOptions  # the options of `recipe`
    secret_options: tuple[SecretOptions, ...]  # the options that say where the keys are
    # The keys themselves. They are not sent to other processes, which read them by
    # `secret_options`.
    keys: tuple[RestoringKey | ProtectingKey, ...] = field(repr=False)
    layers: tuple[LayerOptions, ...] = ()  # the areas to cover in each picture, with their keys
    only_searches: bool = False  # whether `recipe` only searches, so that a dry run calls it too
    # The boxes that were covered in each input; None unless --boxes-out asks for them.
    found_boxes: dict[str, list[Box]] | None = None
    closing_note: str = ""  # the note that a run ends with if a result has covers that a key lifts

    @property
    def participle(self) -> str:
        """The past participle of what the command does, such as "scrambled"."""
        return self.options.participle


class Naming(FrozenObject):
    """The rules by which a run names its results, from options only."""

    output: str | None = None  # value of -o: ``-``, the name of the only result, or a folder
    folder: Location | None = None  # `output`, if it is a folder
    template: str = DEFAULT_TEMPLATE  # the template of file names of results in folders

    def name_result(self, item: InputItem, participle: str) -> Location | ResultNaming | None:
        """Return the location of a result, or the rule that gives it; None for stdout.

        `participle` is what the command does, such as "scrambled"; it becomes part of the name.
        """
        if self.output == "-" or (item.is_stdin and self.output is None):
            return None
        if self.output is not None and self.folder is None:
            return parse_location(self.output)
        return ResultNaming(
            source=Path("stdin") if item.is_stdin else item.source,
            participle=participle,
            folder=None if self.folder is None else self.folder / item.folder,
            template=self.template,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Job:
    """The work of a run, its inputs, and everything that was read once for all of them."""

    work: RunSettings
    naming: Naming
    items: Sequence[InputItem] = ()
    claims: Claims = field(default_factory=Claims)  # files that results must not replace
    secret_files: Sequence[Path] = ()  # the files of keys and passphrases
    # For each mask file, the pixels to cover.
    masks: Mapping[Path, NDArray[np.bool_]] = field(default_factory=dict)

    def name_result(self, item: InputItem) -> Location | ResultNaming | None:
        """Return the location of a result, or the rule that gives it; None for stdout."""
        return self.naming.name_result(item, self.work.participle)

    def make_target(self, item: InputItem, claims: Claims | None = None) -> RunTarget | BinaryIO:
        """Make the target of a result: stdout, or a location that replaces no claimed file."""
        if (naming := self.name_result(item)) is None:
            return get_binary_stdout("a picture")
        return RunTarget(naming, claims or self.claims)

    def run(
        self, item: InputItem, *, threads: int | None = None, claims: Claims | None = None
    ) -> FileReport:
        """Process one input and write its result; raise its error."""
        if item.fault:
            raise InvalidImageError(item.fault)
        work, options, layers = self.work, self.work.options, self.work.layers
        if threads is not None and options.threads is None:
            options = replace(options, threads=threads)
        content, target = item.get_file_source(), self.make_target(item, claims)
        if not layers:
            return work.recipe(content, target, *work.keys, options=options)
        from sudokucrypt.cli.pictures.regions import select_layers

        boxes: list[Box] = []
        item_layers = select_layers(layers, item)
        covering_layers = [
            layer.make_layer(item, work.keys, self.masks, boxes) for layer in item_layers
        ]
        report = work.recipe(content, target, covering_layers, options=options)
        if work.found_boxes is not None:
            work.found_boxes[str(item.source)] = boxes
        return report

    def find_outcome(
        self,
        item: InputItem,
        *,
        threads: int,
        known_report: FileReport | None = None,
        claims: Claims | None = None,
    ) -> Outcome:
        """Process one input, and return its outcome; failures are not raised.

        If both files still have the sizes that `known_report` of a manifest gives, that report
        is returned. Raised are only errors that stop the whole run, or defer this input.
        """
        source, start_time = str(item.source), time.perf_counter()
        if known_report is not None and known_report.target is not None:
            sizes = get_file_size(item.source), get_file_size(known_report.target)
            if sizes == (known_report.source_bytes, known_report.target_bytes):
                return Outcome(source=source, result=known_report, is_recorded=True)
        result: FileReport | Failure
        try:
            result = self.run(item, threads=threads, claims=claims)
        except (click.ClickException, CostlyDerivationError):
            raise
        except Exception as error:
            result = Failure.from_error(error)
        seconds = round(time.perf_counter() - start_time, 6)
        return Outcome(source=source, result=result, seconds=seconds)


def read_masks(work: RunSettings) -> dict[Path, NDArray[np.bool_]]:
    """Read all mask files; return the pixels that each of them selects."""
    mask_files = dict.fromkeys(layer.region.mask_file for layer in work.layers)
    if not mask_files:
        return {}
    from sudokucrypt.cli.pictures.regions import read_mask

    return {path: read_mask(path, work.options.max_pixels) for path in mask_files if path}


class Engine(Protocol):
    """A way to process the inputs of a run: threads, processes or a Dask cluster."""

    def run_tasks(self, tasks: Iterable[InputTask]) -> Iterator[list[InputOutcome]]:
        """Process inputs, and yield their outcomes in any order."""
        ...

    def stop(self) -> Iterator[list[InputOutcome]]:
        """Begin no further input, finish those that were begun, and yield their outcomes."""
        ...
