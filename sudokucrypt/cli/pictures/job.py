"""What a command does with each of its inputs."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

import click

from sudokucrypt.cli.options import binary_stdout
from sudokucrypt.cli.pictures.outcomes import Failure, Outcome
from sudokucrypt.errors import InvalidImageError
from sudokucrypt.frozen import Frozen
from sudokucrypt.keys import CostlyDerivationError
from sudokucrypt.recipes.naming import DEFAULT_NAME, ResultNaming
from sudokucrypt.recipes.sinks import Claims, RunTarget
from sudokucrypt.storage import get_file_size, parse_location

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import BinaryIO

    import numpy as np
    from numpy.typing import NDArray

    from sudokucrypt.cli.keys.secret_options import SecretOptions
    from sudokucrypt.cli.options import Item
    from sudokucrypt.cli.pictures.boxes import Box
    from sudokucrypt.cli.pictures.regions import LayerOptions
    from sudokucrypt.keys import ProtectingKey, RestoringKey
    from sudokucrypt.recipes import FileReport
    from sudokucrypt.recipes.options import StoreOptions
    from sudokucrypt.storage import Location

# The index of an input, the input, and what a manifest says of its result.
InputTask: TypeAlias = "tuple[int, Item, FileReport | None]"

Done: TypeAlias = "tuple[int, Outcome]"


class Work(Frozen):
    """What a command does, regardless of its inputs: its settings, and keys."""

    # The function for files: it takes source, target, and keys or layers; and options.
    recipe: Callable[..., FileReport]
    options: StoreOptions  # how it is to be done
    secrets: tuple[SecretOptions, ...]  # where the keys come from
    # The keys themselves, which no other process gets: it reads its own.
    keys: tuple[RestoringKey | ProtectingKey, ...] = field(repr=False)
    layers: tuple[LayerOptions, ...] = ()  # what is covered in each picture
    searches: bool = False  # whether a dry run does it too, since it writes nothing
    found: dict[str, list[Box]] | None = None  # what was covered in which input, if asked for
    closing: str = ""  # what is said at the end if something was sealed

    @property
    def word(self) -> str:
        """What is done, as in "scrambled"."""
        return self.options.word


class Naming(Frozen):
    """What the results of a run are called, and where they go; no file is read for it."""

    output: str | None = None  # as it was given: ``-``, the name of the only result, or a folder
    folder: Location | None = None  # that folder, if it is one
    template: str = DEFAULT_NAME  # how results are named in folders

    def name_result(self, item: Item, word: str) -> Location | ResultNaming | None:
        """Return what names the result of an input, with which `word` was done; none for stdout."""
        if self.output == "-" or (item.piped and self.output is None):
            return None
        if self.output is not None and self.folder is None:
            return parse_location(self.output)
        return ResultNaming(
            source=Path("stdin") if item.piped else item.source,
            word=word,
            folder=None if self.folder is None else self.folder / item.folder,
            template=self.template,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Job:
    """What is done with each input of a run; it is built once, with all that was read for it."""

    work: Work
    naming: Naming
    items: Sequence[Item] = ()
    claims: Claims = field(default_factory=Claims)  # what results may not replace
    secret_files: Sequence[Path] = ()  # those that hold keys and passphrases
    # The pixels that each mask file chooses.
    masks: Mapping[Path, NDArray[np.bool_]] = field(default_factory=dict)

    def name_result(self, item: Item) -> Location | ResultNaming | None:
        """Return what names the result of an input; none for stdout."""
        return self.naming.name_result(item, self.work.word)

    def target(self, item: Item, claims: Claims | None = None) -> RunTarget | BinaryIO:
        """Return where the result of an input goes, which replaces none of these claims."""
        if (named := self.name_result(item)) is None:
            return binary_stdout("a picture")
        return RunTarget(named, claims or self.claims)

    def run(
        self, item: Item, *, threads: int | None = None, claims: Claims | None = None
    ) -> FileReport:
        """Work on one input."""
        if item.fault:
            raise InvalidImageError(item.fault)
        work, options, layers = self.work, self.work.options, self.work.layers
        if threads is not None and options.threads is None:
            options = replace(options, threads=threads)
        content, target = item.content(), self.target(item, claims)
        if not layers:
            return work.recipe(content, target, *work.keys, options=options)
        from sudokucrypt.cli.pictures.regions import layers_in

        boxes: list[Box] = []
        chosen = layers_in(layers, item)
        made = [layer.for_picture(item, work.keys, self.masks, boxes) for layer in chosen]
        report = work.recipe(content, target, made, options=options)
        if work.found is not None:
            work.found[str(item.source)] = boxes
        return report

    def outcome(
        self,
        item: Item,
        *,
        threads: int,
        known: FileReport | None = None,
        claims: Claims | None = None,
    ) -> Outcome:
        """Return the outcome of one input, unless what a manifest says of its result still holds.

        Only what stops the whole run is raised, or puts the input off.
        """
        source, begun = str(item.source), time.perf_counter()
        if known is not None and known.target is not None:
            sizes = get_file_size(item.source), get_file_size(known.target)
            if sizes == (known.source_bytes, known.target_bytes):
                return Outcome(source=source, result=known, recorded=True)
        result: FileReport | Failure
        try:
            result = self.run(item, threads=threads, claims=claims)
        except (click.ClickException, CostlyDerivationError):
            raise
        except Exception as error:
            result = Failure.of(error)
        seconds = round(time.perf_counter() - begun, 6)
        return Outcome(source=source, result=result, seconds=seconds)


def read_masks(work: Work) -> dict[Path, NDArray[np.bool_]]:
    """Return the pixels that each mask file chooses, read once for all inputs."""
    files = dict.fromkeys(layer.region.mask_file for layer in work.layers)
    if not files:
        return {}
    from sudokucrypt.cli.pictures.regions import read_mask

    return {path: read_mask(path, work.options.max_pixels) for path in files if path}


class Engine(Protocol):
    """What works on inputs."""

    def outcomes(self, tasks: Iterable[InputTask]) -> Iterator[list[Done]]:
        """Work on inputs, and yield the outcomes, in any order."""
        ...

    def stop(self) -> Iterator[list[Done]]:
        """Begin nothing more, and yield the outcomes that were not yielded yet."""
        ...
