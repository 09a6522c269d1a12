"""Outcomes of single inputs, and the summary of a run with many inputs."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Generic, TypeVar

from sudokucrypt.cli.finding import join_first_paths
from sudokucrypt.cli.messages import (
    describe_error,
    find_exit_code,
    find_hint,
    make_inexactness_note,
    say,
    say_growth,
    say_sealed_name,
)
from sudokucrypt.errors import OutputExistsError
from sudokucrypt.frozen import FrozenValue

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sudokucrypt.recipes import FileReport

_Thing = TypeVar("_Thing")
# The exit code of a run that wrote all results, but left some layers of a result covered.
PARTIAL_EXIT_CODE = 7
_MAX_NAMES = 3  # maximum number of printed names of one kind; others are only counted


class Failure(FrozenValue):
    """The reason why an input has no result, as plain values that other processes can receive."""

    error: str  # what went wrong
    hint: str | None  # what to do about it
    code: int  # the exit code

    @classmethod
    def from_error(cls, error: Exception) -> Failure:
        """Describe an error as a failure."""
        return cls(error=describe_error(error), hint=find_hint(error), code=find_exit_code(error))


class Outcome(FrozenValue):
    """The outcome of one input: its report, which is printed and recorded, or its failure."""

    source: str  # path or URL of the input, as given on the command line or found in a folder
    result: FileReport | Failure
    seconds: float = 0.0  # time that the work on this input took
    is_recorded: bool = False  # whether `result` is from a manifest, and the input was not read


class Tally(Generic[_Thing]):
    """Counts of equal values, in the order of the inputs, which may finish in any order."""

    def __init__(self) -> None:
        self._positions_and_counts: dict[_Thing, tuple[tuple[int, int], int]] = {}

    def add(self, value: _Thing, index: int, position: int = 0) -> None:
        """Count a thing that the outcome of input `index` lists at `position`."""
        first_position, count = self._positions_and_counts.get(value, ((index, position), 0))
        self._positions_and_counts[value] = min(first_position, (index, position)), count + 1

    def list_counts(self) -> dict[_Thing, int]:
        """Return how often each thing was added, sorted by its first input."""
        return {
            value: count
            for value, (_, count) in sorted(
                self._positions_and_counts.items(), key=_get_first_position
            )
        }


def _get_first_position(item: tuple[object, tuple[tuple[int, int], int]]) -> tuple[int, int]:
    return item[1][0]


@dataclass
class Summary:
    """The outcome of a run: numbers of results, and the failures by the index of their input."""

    participle: str  # what was done, as in "scrambled"
    done_count: int = 0
    kept_count: int = 0
    # The path of each input that failed, and why.
    failures: dict[int, tuple[str, Failure]] = field(default_factory=dict)
    has_covered_layers: bool = False  # whether layers of any result stay covered
    renamed_files: dict[int, tuple[str, str]] = field(default_factory=dict)
    smallest_shape: tuple[int, ...] | None = None  # shape of the smallest picture that was written
    sealed_count: int = 0  # number of written pictures with covers that a key lifts
    _reasons_for_pixels: Tally[str] = field(default_factory=Tally)
    _dropped_metadata_names: Tally[str] = field(default_factory=Tally)
    _inexactness_notes: Tally[str] = field(default_factory=Tally)
    _pixel_mode_sizes: tuple[int, int] = 0, 0  # total size of inputs and results in mode "pixels"

    @property
    def count(self) -> int:
        """The number of inputs that are finished: done, kept or failed."""
        return self.done_count + self.kept_count + len(self.failures)

    def add(self, index: int, outcome: Outcome) -> None:
        """Count the outcome of the input with this index."""
        report = outcome.result
        if isinstance(report, Failure):
            self.failures[index] = outcome.source, report
            return
        self.has_covered_layers |= bool(report.covered)
        if report.kept:
            self.kept_count += 1
            return
        self.done_count += 1
        self.sealed_count += report.layers > 0
        if inexactness_note := make_inexactness_note(report):
            self._inexactness_notes.add(inexactness_note, index)
        if report.mode == "pixels":
            input_bytes, output_bytes = self._pixel_mode_sizes
            self._pixel_mode_sizes = (
                input_bytes + (report.source_bytes or 0),
                output_bytes + (report.target_bytes or 0),
            )
        if report.renamed is not None:
            self.renamed_files[index] = report.renamed, str(report.target)
        for position, name in enumerate(report.dropped):
            self._dropped_metadata_names.add(name, index, position)
        if report.pixels_because is not None:
            self._reasons_for_pixels.add(report.pixels_because, index)
        if self.smallest_shape is None or max(report.shape[:2]) < max(self.smallest_shape[:2]):
            self.smallest_shape = report.shape

    def print_summary(self, *, is_resumed: bool) -> None:
        """Print the summary; `is_resumed`: also count results that existed before the run."""
        say_reasons_for_pixels(self.participle, self._reasons_for_pixels.list_counts())
        renamed_pairs = [names for _, names in sorted(self.renamed_files.items())]
        for sealed_name, target in renamed_pairs[:_MAX_NAMES]:
            say_sealed_name(sealed_name, target)
        if len(renamed_pairs) > _MAX_NAMES:
            say("note", f"{len(renamed_pairs) - _MAX_NAMES} more sealed names were changed")
        if dropped_counts := self._dropped_metadata_names.list_counts():
            names = ", ".join(dropped_counts)
            exactness_text = (
                "" if self._inexactness_notes.list_counts() else "; the samples are exact"
            )
            say("note", f"not carried over from some: {names}{exactness_text}")
        note_counts = Counter(self._inexactness_notes.list_counts())
        for note, count in note_counts.most_common(_MAX_NAMES):
            say("note", f"{count} {'pictures' if count > 1 else 'picture'}: {note}")
        if len(note_counts) > _MAX_NAMES:
            say("note", "the others were restored with similar quality")
        say_growth(*self._pixel_mode_sizes)
        kept_text = f", {self.kept_count} already there" if is_resumed or self.kept_count else ""
        say("note", f"{self.done_count} {self.participle}{kept_text}, {len(self.failures)} failed")
        self._say_failures(is_resumed=is_resumed)  # printed last, where users see the failures

    def find_exit_code(self) -> int:
        """Return the exit code that all failures share, or 1 if their codes differ.

        Without failures it is `PARTIAL_EXIT_CODE` if a result still has covered layers, otherwise
        0.
        """
        codes = {failure.code for _, failure in self.failures.values()}
        return (
            min(codes, default=PARTIAL_EXIT_CODE * self.has_covered_layers) if len(codes) < 2 else 1
        )

    def _say_failures(self, *, is_resumed: bool) -> None:
        """Print each kind of failure once with the names of its inputs, and each hint once."""
        failures = [failure_pair for _, failure_pair in sorted(self.failures.items())]
        groups: dict[str, list[str]] = {}
        for source, failure in failures:
            groups.setdefault(_get_nameless_message(source, failure), []).append(source)
        for source, failure in failures:
            sources = groups[_get_nameless_message(source, failure)]
            if not sources:
                continue
            message = failure.error
            say("error", message if f"{source}'" in message else f"'{source}': {message}")
            if len(sources) > _MAX_NAMES:
                names = join_first_paths(sources[1:])
                say("error", f"the same for {len(sources) - 1} more inputs: {names}")
                sources.clear()  # all inputs of this group have been named
        for hint in dict.fromkeys(failure.hint for _, failure in failures):
            if hint:
                say("hint", hint)
        output_exists_code = find_exit_code(OutputExistsError(""))
        if not is_resumed and any(failure.code == output_exists_code for _, failure in failures):
            say("hint", "--resume keeps results that are complete, and makes the others")


def _get_nameless_message(source: str, failure: Failure) -> str:
    """Return the message of a failure without the quoted names of its input and result."""
    name = re.escape(PurePath(source).name)
    return re.sub(f"'[^']*{name}[^']*'", "", failure.error)


def say_reasons_for_pixels(participle: str, counts_by_reason: Mapping[str, int]) -> None:
    """Print how many pictures were protected as pixels instead of as files, for each reason."""
    for reason, count in counts_by_reason.items():
        subject = "the pixels" if count == 1 else f"the pixels of {count} pictures"
        say("note", f"{participle} {subject} ({reason}); 'encrypt' keeps the very file")
