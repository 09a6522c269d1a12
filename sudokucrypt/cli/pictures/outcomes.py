"""The outcome of each input, in plain values that manifests and other machines can hold."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Generic, TypeVar

from sudokucrypt.cli.finding import first_names
from sudokucrypt.cli.messages import (
    code_of,
    describe,
    hint_of,
    rough_note,
    say,
    say_growth,
    say_renamed,
)
from sudokucrypt.errors import OutputExistsError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sudokucrypt.recipes import FileReport

_Thing = TypeVar("_Thing")
# The exit code of results that were written, of which some layers stay covered.
PARTIAL = 7
_FEW = 3  # how many things of one kind a line names


@dataclass(frozen=True, kw_only=True)
class InputOutcome:
    """The outcome of one input."""

    source: str  # the input, as it was named or found
    target: str | None = None  # what was written or kept; none for a stream
    error: str | None = None  # what went wrong
    of_many: str | None = None  # what is said of several results that exist, for that error
    hint: str | None = None  # what to do about it
    code: int = 0  # the exit code of the error, else 0
    kept: bool = False  # whether the result was there already
    recorded: bool = False  # whether it was not looked into, since a manifest has it
    # ``"file"`` where the bytes of a file were encrypted or restored, ``"areas"`` where they were
    # covered or lifted, and ``"pixels"`` otherwise.
    mode: str | None = None
    # Why pixels were protected of a file that could have stayed what it is.
    reason: str | None = None
    # Sizes of what was read and written.
    source_bytes: int | None = None
    target_bytes: int | None = None
    tag: str | None = None  # the tag of the protected picture in hexadecimal digits, if it has one
    seconds: float = 0.0  # what it took
    shape: tuple[int, ...] = ()
    dropped: tuple[str, ...] = ()  # what the input carries, and the result does not
    rough: str | None = None  # what must be said of a robust picture
    renamed: str | None = None  # the sealed name of a restored file, if it was changed
    sealed: bool = False  # whether it is a picture with covers that can be lifted
    covered: int = 0  # how many layers of a lifted picture stay covered

    @classmethod
    def of(cls, source: str, report: FileReport) -> InputOutcome:
        """Return the outcome of an input that was worked on."""
        return cls(
            source=source,
            target=None if report.target is None else str(report.target),
            kept=report.kept,
            mode=report.mode,
            reason=report.pixels_because,
            source_bytes=report.source_bytes,
            target_bytes=report.target_bytes,
            tag=None if report.tag is None else report.tag.hex(),
            shape=report.shape,
            dropped=report.dropped,
            rough=rough_note(report),
            renamed=report.renamed,
            sealed=bool(getattr(report, "layers", 0)),
            covered=len(getattr(report, "covered", ())),
        )

    @classmethod
    def failed(cls, source: str, error: Exception) -> InputOutcome:
        """Return the outcome of an input that could not be worked on."""
        return cls(
            source=source,
            error=describe(error),
            of_many=error.of_many if isinstance(error, OutputExistsError) else None,
            hint=hint_of(error),
            code=code_of(error),
        )


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
        return {thing: count for thing, (_, count) in sorted(self._met.items(), key=_first)}


def _first(item: tuple[object, tuple[tuple[int, int], int]]) -> tuple[int, int]:
    return item[1][0]


@dataclass
class Summary:
    """The outcome of many inputs: counts, and each failure with the number of its input."""

    word: str  # what was done, as in "scrambled"
    done: int = 0
    kept: int = 0
    failures: dict[int, InputOutcome] = field(default_factory=dict)
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

    def add(self, index: int, outcome: InputOutcome) -> None:
        """Count the outcome of the input with this index."""
        if outcome.error is not None:
            self.failures[index] = outcome
            return
        self.partial |= outcome.covered > 0
        if outcome.kept:
            self.kept += 1
            return
        self.done += 1
        self.sealed += outcome.sealed
        if outcome.rough:
            self._rough.add(outcome.rough, index)
        if outcome.mode == "pixels":
            read, written = self._bytes
            self._bytes = read + (outcome.source_bytes or 0), written + (outcome.target_bytes or 0)
        if outcome.renamed is not None:
            self.renamed[index] = outcome.renamed, str(outcome.target)
        for position, name in enumerate(outcome.dropped):
            self._dropped.add(name, index, position)
        if outcome.reason is not None:
            self._reasons.add(outcome.reason, index)
        if self.smallest is None or max(outcome.shape[:2]) < max(self.smallest[:2]):
            self.smallest = outcome.shape

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
        codes = {outcome.code for outcome in self.failures.values()}
        return min(codes, default=PARTIAL * self.partial) if len(codes) < 2 else 1

    def _say_failures(self, *, resumed: bool) -> None:
        """Print failures that are alike in one line, if they are many, and each hint once."""
        failures = [outcome for _, outcome in sorted(self.failures.items())]
        alike: dict[tuple[str, str], list[str]] = {}
        for outcome in failures:
            alike.setdefault(_in_general(outcome), []).append(outcome.source)
        for outcome in failures:
            if len(alike[_in_general(outcome)]) <= _FEW:
                text, source = str(outcome.error), outcome.source
                say("error", text if f"{source}'" in text else f"'{source}': {text}")
        for (before, after), names in alike.items():
            if len(names) > _FEW:
                say("error", f"{before}{len(names)} inputs{after}: {first_names(names)}")
        for hint in dict.fromkeys(outcome.hint for outcome in failures):
            if hint:
                say("hint", hint)
        if not resumed and any(outcome.of_many is not None for outcome in failures):
            say("hint", "--resume keeps results that are complete, and makes the others")


def _in_general(outcome: InputOutcome) -> tuple[str, str]:
    """Return the error without the names of files, as the text around their number."""
    if outcome.of_many is not None:
        return "the results of ", f" {outcome.of_many}"
    text = str(outcome.error).replace(outcome.source, "FILE")
    # The result of an input is called after it.
    result = rf"'[^']*(?<=['/]){re.escape(PurePath(outcome.source).name)}\.[^']*'"
    return re.sub(result, "'FILE'", text) + ", for ", ""


def say_pixels(word: str, reasons: Mapping[str, int]) -> None:
    """Say of how many files the pixels were protected, and why they did not stay files."""
    for reason, count in reasons.items():
        what = "the pixels" if count == 1 else f"the pixels of {count} pictures"
        say("note", f"{word} {what} ({reason}); 'encrypt' keeps the very file")
