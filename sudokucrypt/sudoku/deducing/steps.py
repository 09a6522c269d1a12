"""Steps of a solution by hand, and how they read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sudokucrypt.sudoku.deducing.levels import Technique
from sudokucrypt.sudoku.model.boxes import cell_name
from sudokucrypt.sudoku.model.text import symbol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sudokucrypt.sudoku.model.variant import Variant


_FAILING = range(Technique.NISHIO, Technique.TRIAL)  # a chain of theirs that comes alone fails
_BUT = "but"  # between two chains that contradict each other


@dataclass(frozen=True, slots=True)
class Link:
    """A digit in a cell or in one of several cells, as a part of a chain. Numbers are from 0."""

    cells: tuple[int, ...]
    # None, and no cells, between two chains from the same start, of which the second refutes what
    # the first ends with.
    digit: int | None
    # Where the digit has no other place; None if it is the last candidate of its cell, or what the
    # chain begins with.
    house: int | None
    # Whether the digit is right; a chain can begin with one that is supposed wrong.
    right: bool = True


@dataclass(frozen=True, slots=True)
class Step:
    """A conclusion and its reasons. Cells, digits and houses are numbers from 0.

    >>> from sudokucrypt.sudoku.model.variant import Variant
    >>> step = Step(Technique.HIDDEN_SINGLE, (3,), (8,), (0,), ((12, 8),), Variant.standard(),
    ...             1.5, placed=(3, 8))
    >>> str(step)
    'hidden single: 9 in r1c4 (row 1)'
    """

    technique: Technique  #: How it is concluded.
    cells: tuple[int, ...]  #: Those that it rests on, for a single the one that is filled.
    digits: tuple[int, ...]  #: What it is about, lowest first.
    houses: tuple[int, ...]  #: None of them for naked singles, most wings and trials.
    #: The candidates that go. Those of a digit that is placed are in the cells that see it.
    struck: tuple[tuple[int, int], ...]
    variant: Variant = field(repr=False)
    rating: float = 0.0  #: How hard it is, on the scale of `grade`.
    #: The chains of what follows, if there are any. A chain that comes alone begins with a
    #: candidate that is supposed to be wrong, so that its last one is right; for nishio and nets,
    #: and if there are several, with one that is supposed to be right, or as its link says.
    chains: tuple[tuple[Link, ...], ...] = ()
    rule: str = ""  #: What a constraint demands, in words, where the step follows from one.
    placed: tuple[int, int] | None = None  #: The cell that is filled and its digit, or None.

    def __str__(self) -> str:
        """Return the text form, which counts rows, columns and houses from 1 as people do."""
        label = self.technique.label
        if self.rule:
            reason = f"{label}: {self.rule}"
        elif self.chains:
            reason = f"{label}: {self.reason()}"
        else:
            reason = f"{label}: {self.symbols(self.digits)} in {self.names(self.cells)}"
            if self.houses:
                names = ", ".join(self.variant.houses[house].name for house in self.houses)
                reason += f" ({names})"
        if self.placed:
            cell, digit = self.placed
            single = self.technique <= Technique.HIDDEN_SINGLE
            return (
                reason if single else f"{reason}: {self.symbols((digit,))} in {self.names((cell,))}"
            )
        if self.technique is Technique.TRIAL:
            return f"{reason} fails"
        return f"{reason}: {self.gone()}"

    def gone(self) -> str:
        """Return the candidates that go, such as ``no 9 in r2c8``."""
        digits_in: dict[tuple[int, ...], list[int]] = {}
        for digit in sorted({digit for _, digit in self.struck}):
            cells = tuple(cell for cell, struck in self.struck if struck == digit)
            digits_in.setdefault(cells, []).append(digit)
        parts = []
        for cells, digits in digits_in.items():
            *others, last = (self.symbols((digit,)) for digit in digits)
            parts.append(
                f"no {' or '.join(filter(None, (', '.join(others), last)))} in {self.names(cells)}"
            )
        return ", ".join(parts)

    def reason(self) -> str:
        """Return the conclusion and its reasons in words."""
        then = [
            ", then ".join(map(self._link, chain)).replace(f", then {_BUT}, then", f"; {_BUT}")
            for chain in self.chains
        ]
        if len(then) > 1:
            return f"either {'; or '.join(then)}"
        return f"{'if' if self.technique in _FAILING else 'if not'} {then[0]}"

    def ends(self) -> str:
        """Return where each chain begins and ends."""
        parts = []
        for chain in self.chains:
            ends = [
                link
                for link, following in zip(chain, [*chain[1:], None], strict=True)
                if link.digit is not None and (following is None or following.digit is None)
            ]
            parts.append(
                f"{self._link(chain[0])} leads to {' but also to '.join(map(self._link, ends))}"
            )
        return ", and ".join(parts)

    def _link(self, link: Link) -> str:
        if link.digit is None:
            return _BUT
        digit = self.symbols((link.digit,))
        name = "" if link.house is None else self.variant.houses[link.house].name
        if not link.right:
            return f"no {digit} in {self.names(link.cells)}"
        cells = " or ".join(self.names((cell,)) for cell in link.cells)
        return f"{digit} in {cells}" + (f" ({name})" if name else "")

    def symbols(self, digits: Iterable[int]) -> str:
        """Return digits as texts have them."""
        return " ".join(symbol(digit, self.variant.digits) for digit in digits)

    def names(self, cells: Iterable[int]) -> str:
        """Return the names of cells."""
        positions = (self.variant.cells[cell] for cell in cells)
        return " ".join(cell_name(*position) for position in positions)


_BRANCHED = range(Technique.NISHIO, Technique.TRIAL)
_MOST_LINKS = 5  # that somebody can follow in a sentence


def explain(step: Step) -> str:
    """Return why a step is right, as a person would say it; cells and houses count from 1.

    Parameters
    ----------
    step : Step
        A step, from `deductions`.

    Examples
    --------
    >>> from sudokucrypt.sudoku import deductions
    >>> explain(next(deductions("1... ..2. .3.. ...4")))
    'In box 1, 2 can only go into r1c2.'
    """
    variant = step.variant
    houses = [variant.houses[house].name for house in step.houses]
    cells = [cell_name(*variant.cells[cell]) for cell in step.cells]
    half = len(houses) // 2  # a fish has its bases first, and then as many covers
    return step.technique.sentence.format(
        cells=_join_names(cells),
        digits=_join_names([symbol(digit, variant.digits) for digit in step.digits]),
        first=houses[0] if houses else "",
        second=houses[1] if len(houses) > 1 else "",
        filled=step.names([step.placed[0]]) if step.placed else "",
        placed=step.symbols([step.placed[1]]) if step.placed else "",
        set=_join_names(
            [step.symbols([digit]) for digit in step.digits if (step.placed or (0, -1))[1] != digit]
        ),
        last=houses[-1] if houses else "",
        bases=_join_names(houses[:half]),
        covers=_join_names(houses[half:]),
        # The names of cells begin with small letters.
        rule=step.rule if step.rule[1:2].isdigit() else step.rule[:1].upper() + step.rule[1:],
        pair=cells[-1] if cells else "",
        others=_join_names(cells[:-1]),
        fins=_join_names(_list_fins(step, half)) or "a fin",
        reason=_tell_reason(step),
        gone="" if step.placed else step.gone(),
    )


def _join_names(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else ""


def _list_fins(step: Step, half: int) -> list[str]:
    """Return the cells of a fish that are in none of its covers."""
    covered = {cell for house in step.houses[half:] for cell in step.variant.houses[house].cells}
    return [step.names([cell]) for cell in step.cells if cell not in covered]


def _tell_reason(step: Step) -> str:
    """Return the links of chains; of many only where they begin and end."""
    links = sum(map(len, step.chains))
    if step.technique not in _BRANCHED or links <= _MOST_LINKS:
        return step.reason() if step.chains else ""
    return f"{step.ends()}; a trace lists all {links} links"
