"""Outcomes of single inputs, and the summary of a run with many inputs."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Generic, TypeVar

from sudokucrypt.cli.finding import list_first_names
from sudokucrypt.cli.messages import (
    describe,
    find_exit_code,
    find_hint,
    make_rough_note,
    say,
    say_growth,
    say_renamed,
)
from sudokucrypt.errors import OutputExistsError
from sudokucrypt.frozen import FrozenValue

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sudokucrypt.recipes import FileReport

_Thing = TypeVar("_Thing")
# The exit code of a run that wrote all results, but left some layers of a result covered.
PARTIAL = 7
_MAX_NAMES = 3  # names of one kind that are printed; the others are only counted


class Failure(FrozenValue):
    """Why an input has no result: plain text and a number, which other processes can be sent."""

    error: str  # what went wrong
    hint: str | None  # what to do about it
    code: int  # the exit code

    @classmethod
    def of(cls, error: Exception) -> Failure:
        """Describe an error as a failure."""
        return cls(error=describe(error), hint=find_hint(error), code=find_exit_code(error))


class Outcome(FrozenValue):
    """The outcome of one input: its report, which is printed and recorded, or its failure."""

    source: str  # path or URL of the input, as given on the command line or found in a folder
    result: FileReport | Failure
    seconds: float = 0.0  # time that the work on this input took
    recorded: bool = False  # whether `result` is from a manifest, and the input was not read


class Tally(Generic[_Thing]):
    """Counts of equal things, in the order of the inputs, although inputs finish in any order."""

    def __init__(self) -> None:
        self._met: dict[_Thing, tuple[tuple[int, int], int]] = {}

    def add(self, thing: _Thing, index: int, position: int = 0) -> None:
        """Count a thing that the outcome of input `index` lists at `position`."""
        first, count = self._met.get(thing, ((index, position), 0))
        self._met[thing] = min(first, (index, position)), count + 1

    def counts(self) -> dict[_Thing, int]:
        """Return how often each thing was added, sorted by its first input."""
        return {
            thing: count for thing, (_, count) in sorted(self._met.items(), key=_get_first_position)
        }


def _get_first_position(item: tuple[object, tuple[tuple[int, int], int]]) -> tuple[int, int]:
    return item[1][0]


@dataclass
class Summary:
    """The outcome of a run: numbers of results, and the failures by the index of their input."""

    word: str  # what was done, as in "scrambled"
    done: int = 0
    kept: int = 0
    # The path of each input that failed, and why.
    failures: dict[int, tuple[str, Failure]] = field(default_factory=dict)
    partial: bool = False  # whether layers of any result stay covered
    renamed: dict[int, tuple[str, str]] = field(default_factory=dict)
    smallest: tuple[int, ...] | None = None  # shape of the smallest picture that was written
    sealed: int = 0  # number of written pictures with covers that a key lifts
    _reasons: Tally[str] = field(default_factory=Tally)
    _dropped: Tally[str] = field(default_factory=Tally)
    _rough: Tally[str] = field(default_factory=Tally)
    _bytes: tuple[int, int] = 0, 0  # total size of inputs and results in mode "pixels"

    @property
    def count(self) -> int:
        """The number of inputs that are finished: done, kept or failed."""
        return self.done + self.kept + len(self.failures)

    def add(self, index: int, outcome: Outcome) -> None:
        """Count the outcome of the input with this index."""
        report = outcome.result
        if isinstance(report, Failure):
            self.failures[index] = outcome.source, report
            return
        self.partial |= bool(report.covered)
        if report.kept:
            self.kept += 1
            return
        self.done += 1
        self.sealed += report.layers > 0
        if rough := make_rough_note(report):
            self._rough.add(rough, index)
        if report.mode == "pixels":
            input_bytes, output_bytes = self._bytes
            self._bytes = (
                input_bytes + (report.source_bytes or 0),
                output_bytes + (report.target_bytes or 0),
            )
        if report.renamed is not None:
            self.renamed[index] = report.renamed, str(report.target)
        for position, name in enumerate(report.dropped):
            self._dropped.add(name, index, position)
        if report.pixels_because is not None:
            self._reasons.add(report.pixels_because, index)
        if self.smallest is None or max(report.shape[:2]) < max(self.smallest[:2]):
            self.smallest = report.shape

    def say(self, *, resumed: bool) -> None:
        """Print the summary; `resumed`: also count results that existed before the run."""
        say_pixels(self.word, self._reasons.counts())
        renamed = [names for _, names in sorted(self.renamed.items())]
        for sealed, target in renamed[:_MAX_NAMES]:
            say_renamed(sealed, target)
        if len(renamed) > _MAX_NAMES:
            say("note", f"{len(renamed) - _MAX_NAMES} more sealed names were changed")
        if dropped := self._dropped.counts():
            names = ", ".join(dropped)
            exact = "" if self._rough.counts() else "; the samples are exact"
            say("note", f"not carried over from some: {names}{exact}")
        rough = Counter(self._rough.counts())
        for note, count in rough.most_common(_MAX_NAMES):
            say("note", f"{count} {'pictures' if count > 1 else 'picture'}: {note}")
        if len(rough) > _MAX_NAMES:
            say("note", "the others were restored with similar quality")
        say_growth(*self._bytes)
        already_there = f", {self.kept} already there" if resumed or self.kept else ""
        say("note", f"{self.done} {self.word}{already_there}, {len(self.failures)} failed")
        self._say_failures(resumed=resumed)  # last, where they are seen

    def code(self) -> int:
        """Return the exit code that all failures share, or 1 if their codes differ.

        Without failures it is `PARTIAL` if a result still has covered layers, otherwise 0.
        """
        codes = {failure.code for _, failure in self.failures.values()}
        return min(codes, default=PARTIAL * self.partial) if len(codes) < 2 else 1

    def _say_failures(self, *, resumed: bool) -> None:
        """Print each kind of failure once with the names of its inputs, and each hint once."""
        failures = [failure_pair for _, failure_pair in sorted(self.failures.items())]
        groups: dict[str, list[str]] = {}
        for source, failure in failures:
            groups.setdefault(_remove_names(source, failure), []).append(source)
        for source, failure in failures:
            group = groups[_remove_names(source, failure)]
            if not group:
                continue
            text = failure.error
            say("error", text if f"{source}'" in text else f"'{source}': {text}")
            if len(group) > _MAX_NAMES:
                names = list_first_names(group[1:])
                say("error", f"the same for {len(group) - 1} more inputs: {names}")
                group.clear()  # all inputs of this group have been named
        for hint in dict.fromkeys(failure.hint for _, failure in failures):
            if hint:
                say("hint", hint)
        exists = find_exit_code(OutputExistsError(""))
        if not resumed and any(failure.code == exists for _, failure in failures):
            say("hint", "--resume keeps results that are complete, and makes the others")


def _remove_names(source: str, failure: Failure) -> str:
    """Return the message of a failure without the quoted names of its input and result."""
    name = re.escape(PurePath(source).name)
    return re.sub(f"'[^']*{name}[^']*'", "", failure.error)


def say_pixels(word: str, reasons: Mapping[str, int]) -> None:
    """Print how many pictures were protected as pixels instead of as files, for each reason."""
    for reason, count in reasons.items():
        subject = "the pixels" if count == 1 else f"the pixels of {count} pictures"
        say("note", f"{word} {subject} ({reason}); 'encrypt' keeps the very file")
