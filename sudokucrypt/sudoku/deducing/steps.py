"""Steps of a solution by hand, and their text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sudokucrypt.sudoku.deducing.levels import Technique
from sudokucrypt.sudoku.model.boxes import get_cell_name
from sudokucrypt.sudoku.model.text import get_symbol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sudokucrypt.sudoku.model.variant import Variant


# Techniques in which a single chain refutes its start.
_REFUTING_TECHNIQUES = range(Technique.NISHIO, Technique.TRIAL)
_CONTRADICTION_WORD = "but"  # the word between two chains that contradict each other


@dataclass(frozen=True, slots=True)
class Link:
    """A part of a chain: a digit in a cell or in one of several cells. Numbers count from 0."""

    cells: tuple[int, ...]
    # None in a separator, a link without cells between two chains that begin at the same candidate
    # and contradict each other.
    digit: int | None
    # The house in which the digit has no other place; None if it is the last candidate of its cell,
    # or the start of the chain.
    house: int | None
    # Whether the link says that the digit is right; a chain can begin by supposing that a digit is
    # wrong.
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

    technique: Technique  #: The technique of the conclusion.
    cells: tuple[int, ...]  #: The cells that justify the step; for a single, the filled cell.
    digits: tuple[int, ...]  #: The digits involved, in increasing order.
    houses: tuple[int, ...]  #: The houses involved; empty for naked singles and most wings.
    #: The candidates that are struck, as cells and digits. If the step fills a cell, they are in
    #: the peers of that cell.
    struck: tuple[tuple[int, int], ...]
    variant: Variant = field(repr=False)  #: The rules of the puzzle.
    rating: float = 0.0  #: The difficulty on the scale of `grade`.
    #: The chains of the reasoning. A single chain begins with a candidate that is supposed to be
    #: wrong, and proves its last candidate; for nishio and nets, and if there are several chains,
    #: the first candidate is supposed to be right, unless its link says otherwise.
    chains: tuple[tuple[Link, ...], ...] = ()
    rule: str = ""  #: The sentence of the constraint from which the step follows, or "".
    placed: tuple[int, int] | None = None  #: The filled cell and its digit, or None.

    def __str__(self) -> str:
        """Return the text form, in which rows, columns and houses count from 1."""
        label = self.technique.label
        if self.rule:
            reason = f"{label}: {self.rule}"
        elif self.chains:
            reason = f"{label}: {self.format_reason()}"
        else:
            reason = (
                f"{label}: {self.format_digits(self.digits)} in {self.format_cells(self.cells)}"
            )
            if self.houses:
                names = ", ".join(self.variant.houses[house].name for house in self.houses)
                reason += f" ({names})"
        if self.placed:
            cell, digit = self.placed
            is_single = self.technique <= Technique.HIDDEN_SINGLE
            return (
                reason
                if is_single
                else f"{reason}: {self.format_digits((digit,))} in {self.format_cells((cell,))}"
            )
        if self.technique is Technique.TRIAL:
            return f"{reason} fails"
        return f"{reason}: {self.format_struck()}"

    def format_struck(self) -> str:
        """Return the struck candidates as text, such as ``no 9 in r2c8``."""
        digits_by_cells: dict[tuple[int, ...], list[int]] = {}
        for digit in sorted({digit for _, digit in self.struck}):
            cells = tuple(cell for cell, struck_digit in self.struck if struck_digit == digit)
            digits_by_cells.setdefault(cells, []).append(digit)
        phrases = []
        for cells, digits in digits_by_cells.items():
            *other_digits, last_digit = (self.format_digits((digit,)) for digit in digits)
            names = " or ".join(filter(None, (", ".join(other_digits), last_digit)))
            phrases.append(f"no {names} in {self.format_cells(cells)}")
        return ", ".join(phrases)

    def format_reason(self) -> str:
        """Return the chains as text."""
        chains = [
            ", then ".join(map(self._format_link, chain)).replace(
                f", then {_CONTRADICTION_WORD}, then", f"; {_CONTRADICTION_WORD}"
            )
            for chain in self.chains
        ]
        if len(chains) > 1:
            return f"either {'; or '.join(chains)}"
        return f"{'if' if self.technique in _REFUTING_TECHNIQUES else 'if not'} {chains[0]}"

    def format_ends(self) -> str:
        """Return the first and the last link of each chain as text."""
        phrases = []
        for chain in self.chains:
            ends = [
                link
                for link, next_link in zip(chain, [*chain[1:], None], strict=True)
                if link.digit is not None and (next_link is None or next_link.digit is None)
            ]
            ends_text = " but also to ".join(map(self._format_link, ends))
            phrases.append(f"{self._format_link(chain[0])} leads to {ends_text}")
        return ", and ".join(phrases)

    def _format_link(self, link: Link) -> str:
        if link.digit is None:
            return _CONTRADICTION_WORD
        digit = self.format_digits((link.digit,))
        name = "" if link.house is None else self.variant.houses[link.house].name
        if not link.right:
            return f"no {digit} in {self.format_cells(link.cells)}"
        cells = " or ".join(self.format_cells((cell,)) for cell in link.cells)
        return f"{digit} in {cells}" + (f" ({name})" if name else "")

    def format_digits(self, digits: Iterable[int]) -> str:
        """Return digits as text, separated by spaces."""
        return " ".join(get_symbol(digit, self.variant.digits) for digit in digits)

    def format_cells(self, cells: Iterable[int]) -> str:
        """Return the names of cells as text, separated by spaces."""
        positions = (self.variant.cells[cell] for cell in cells)
        return " ".join(get_cell_name(*position) for position in positions)


_MAX_LINKS = 5  # the largest number of links that a reader can follow in a sentence


def explain(step: Step) -> str:
    """Return a sentence that explains why a step is right; cells and houses count from 1.

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
    cells = [get_cell_name(*variant.cells[cell]) for cell in step.cells]
    base_count = len(houses) // 2  # a fish lists its bases first, then equally many covers
    return step.technique.sentence.format(
        cells=_join_names(cells),
        digits=_join_names([get_symbol(digit, variant.digits) for digit in step.digits]),
        first=houses[0] if houses else "",
        second=houses[1] if len(houses) > 1 else "",
        filled=step.format_cells([step.placed[0]]) if step.placed else "",
        placed=step.format_digits([step.placed[1]]) if step.placed else "",
        set=_join_names(
            [
                step.format_digits([digit])
                for digit in step.digits
                if (step.placed or (0, -1))[1] != digit
            ]
        ),
        last=houses[-1] if houses else "",
        bases=_join_names(houses[:base_count]),
        covers=_join_names(houses[base_count:]),
        # A sentence may begin with the name of a cell, which has a lowercase letter.
        rule=step.rule if step.rule[1:2].isdigit() else step.rule[:1].upper() + step.rule[1:],
        pair=cells[-1] if cells else "",
        others=_join_names(cells[:-1]),
        fins=_join_names(_list_fin_names(step, base_count)) or "a fin",
        reason=_format_reason(step),
        gone="" if step.placed else step.format_struck(),
    )


def _join_names(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else ""


def _list_fin_names(step: Step, base_count: int) -> list[str]:
    """Return the names of the fins of a fish, that is, its cells outside the covers."""
    covered_cells = {
        cell for house in step.houses[base_count:] for cell in step.variant.houses[house].cells
    }
    return [step.format_cells([cell]) for cell in step.cells if cell not in covered_cells]


def _format_reason(step: Step) -> str:
    """Return all links of chains as text, or only their ends if there are too many."""
    link_count = sum(map(len, step.chains))
    if step.technique not in _REFUTING_TECHNIQUES or link_count <= _MAX_LINKS:
        return step.format_reason() if step.chains else ""
    return f"{step.format_ends()}; a trace lists all {link_count} links"
