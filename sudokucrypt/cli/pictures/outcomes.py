"""The outcome of each input, and what is said of many."""

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
# The exit code of results that were written, of which some layers stay covered.
PARTIAL = 7
_FEW = 3  # how many things of one kind a line names


class Failure(FrozenValue):
    """Why nothing was made of an input, in values that other processes can have."""

    error: str  # what went wrong
    hint: str | None  # what to do about it
    code: int  # the exit code

    @classmethod
    def of(cls, error: Exception) -> Failure:
        """Return the failure that an error is."""
        return cls(error=describe(error), hint=find_hint(error), code=find_exit_code(error))


class Outcome(FrozenValue):
    """The outcome of one input: its report, which is printed and recorded, or its failure."""

    source: str  # the input, as it was named or found
    result: FileReport | Failure
    seconds: float = 0.0  # what it took
    recorded: bool = False  # whether it was not looked into, since a manifest has its report


class Tally(Generic[_Thing]):
    """How often each thing was met, in the order of the inputs, whichever is ready first."""

    def __init__(self) -> None:
        self._met: dict[_Thing, tuple[tuple[int, int], int]] = {}

    def add(self, thing: _Thing, index: int, position: int = 0) -> None:
        """Count what is at this position in the outcome of the input with this index."""
        first, count = self._met.get(thing, ((index, position), 0))
        self._met[thing] = min(first, (index, position)), count + 1

    def counts(self) -> dict[_Thing, int]:
        """Return all counts."""
        return {thing: count for thing, (_, count) in sorted(self._met.items(), key=_get_first)}


def _get_first(item: tuple[object, tuple[tuple[int, int], int]]) -> tuple[int, int]:
    return item[1][0]


@dataclass
class Summary:
    """The outcome of many inputs: counts, and failures by the numbers of their inputs."""

    word: str  # what was done, as in "scrambled"
    done: int = 0
    kept: int = 0
    failures: dict[int, tuple[str, Failure]] = field(default_factory=dict)  # with their names
    partial: bool = False  # whether layers of any result stay covered
    renamed: dict[int, tuple[str, str]] = field(default_factory=dict)
    smallest: tuple[int, ...] | None = None  # of the results that were made
    sealed: int = 0  # how many of these have covers that can be lifted
    _reasons: Tally[str] = field(default_factory=Tally)
    _dropped: Tally[str] = field(default_factory=Tally)
    _rough: Tally[str] = field(default_factory=Tally)
    _bytes: tuple[int, int] = 0, 0  # of all pictures whose pixels were protected, before and after

    @property
    def count(self) -> int:
        """How many inputs were worked on."""
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
            read, written = self._bytes
            self._bytes = read + (report.source_bytes or 0), written + (report.target_bytes or 0)
        if report.renamed is not None:
            self.renamed[index] = report.renamed, str(report.target)
        for position, name in enumerate(report.dropped):
            self._dropped.add(name, index, position)
        if report.pixels_because is not None:
            self._reasons.add(report.pixels_because, index)
        if self.smallest is None or max(report.shape[:2]) < max(self.smallest[:2]):
            self.smallest = report.shape

    def say(self, *, resumed: bool) -> None:
        """Say all of it; `resumed` says whether results may have been there already."""
        say_pixels(self.word, self._reasons.counts())
        renamed = [names for _, names in sorted(self.renamed.items())]
        for sealed, target in renamed[:_FEW]:
            say_renamed(sealed, target)
        if len(renamed) > _FEW:
            say("note", f"{len(renamed) - _FEW} more sealed names were changed")
        if dropped := self._dropped.counts():
            names = ", ".join(dropped)
            exact = "" if self._rough.counts() else "; the samples are exact"
            say("note", f"not carried over from some: {names}{exact}")
        rough = Counter(self._rough.counts())
        for note, count in rough.most_common(_FEW):
            say("note", f"{count} {'pictures' if count > 1 else 'picture'}: {note}")
        if len(rough) > _FEW:
            say("note", "the others were restored with similar quality")
        say_growth(*self._bytes)
        there = f", {self.kept} already there" if resumed or self.kept else ""
        say("note", f"{self.done} {self.word}{there}, {len(self.failures)} failed")
        self._say_failures(resumed=resumed)  # last, where they are seen

    def code(self) -> int:
        """Return the exit code that all failures share, else 1.

        Without any it is 0, or `PARTIAL` if layers stay covered.
        """
        codes = {failure.code for _, failure in self.failures.values()}
        return min(codes, default=PARTIAL * self.partial) if len(codes) < 2 else 1

    def _say_failures(self, *, resumed: bool) -> None:
        """Print one of many equal failures, the names of the others, and each hint once."""
        failures = [each for _, each in sorted(self.failures.items())]
        alike: dict[str, list[str]] = {}
        for source, failure in failures:
            alike.setdefault(_remove_names(source, failure), []).append(source)
        for source, failure in failures:
            group = alike[_remove_names(source, failure)]
            if not group:
                continue
            text = failure.error
            say("error", text if f"{source}'" in text else f"'{source}': {text}")
            if len(group) > _FEW:
                names = list_first_names(group[1:])
                say("error", f"the same for {len(group) - 1} more inputs: {names}")
                group.clear()  # they are all said
        for hint in dict.fromkeys(failure.hint for _, failure in failures):
            if hint:
                say("hint", hint)
        exists = find_exit_code(OutputExistsError(""))
        if not resumed and any(failure.code == exists for _, failure in failures):
            say("hint", "--resume keeps results that are complete, and makes the others")


def _remove_names(source: str, failure: Failure) -> str:
    """Return what an error has in common with others like it: all but its input and result."""
    name = re.escape(PurePath(source).name)
    return re.sub(f"'[^']*{name}[^']*'", "", failure.error)


def say_pixels(word: str, reasons: Mapping[str, int]) -> None:
    """Say of how many files the pixels were protected, and why they did not stay files."""
    for reason, count in reasons.items():
        what = "the pixels" if count == 1 else f"the pixels of {count} pictures"
        say("note", f"{word} {what} ({reason}); 'encrypt' keeps the very file")
