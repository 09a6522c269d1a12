"""Why each technique is right, in a sentence with the cells and digits of a step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudokucrypt.sudoku.deducing.levels import Technique
from sudokucrypt.sudoku.model.boxes import cell_name
from sudokucrypt.sudoku.model.text import symbol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudokucrypt.sudoku.deducing.steps import Step

_NAKED = "{cells} hold only {digits}, so that no other cell of {first} can hold them: {gone}."
_HIDDEN = "In {first}, {digits} can only go into {cells}, which hold nothing else: {gone}."
_DIRECT_LOCKED = (
    "In {first}, {digits} can only go into {cells}, which are all in {second}, so that in {last} "
    "only {filled} is left for {placed}."
)
_DIRECT_HIDDEN = (
    "In {first}, {set} can only go into {cells}, which hold nothing else, so that only {filled} "
    "is left for {placed}."
)
_FISH = "In {bases}, {digits} can only go into {cells}, which lie in {covers}: {gone}."
_FINNED = (
    "In {bases}, {digits} can only go into {covers} or into {fins}. Without {fins}, no other cell "
    "of {covers} holds it; what lies there and sees {fins} fails either way: {gone}."
)
_BENT = (
    "If {pair} does not hold {digits}, it holds its other candidate, which leaves {others} as many "
    "candidates as cells, so that one of them holds {digits}. What sees each of {cells} that can "
    "hold it fails either way: {gone}."
)
_CYCLE = "The chain closes a cycle, of which every second candidate is right ({reason}): {gone}."
_BRANCHED = range(Technique.NISHIO, Technique.TRIAL)
_MOST_LINKS = 5  # that somebody can follow in a sentence
_NET = "What follows leaves nothing else ({reason}): {gone}."
_CHAIN = "Either the first or the last candidate of the chain is right ({reason}): {gone}."

# What is filled in: cells, digits and houses of a step, its chains, and what goes.
SENTENCES = {
    Technique.NAKED_SINGLE: "{digits} is the only candidate left in {cells}.",
    Technique.HIDDEN_SINGLE: "In {first}, {digits} can only go into {cells}.",
    **dict.fromkeys((Technique.DIRECT_POINTING, Technique.DIRECT_CLAIMING), _DIRECT_LOCKED),
    **dict.fromkeys((Technique.DIRECT_HIDDEN_PAIR, Technique.DIRECT_HIDDEN_TRIPLE), _DIRECT_HIDDEN),
    **dict.fromkeys(
        (Technique.CAGE, Technique.THERMOMETER, Technique.CONSTRAINT, Technique.CAGE_TOTAL),
        "{rule}: {gone}.",
    ),
    Technique.LOCKED_CANDIDATES: "In {first}, {digits} can only go into {cells}, which are all in "
    "{last}, so that it stands nowhere else there: {gone}.",
    **dict.fromkeys((Technique.NAKED_PAIR, Technique.NAKED_TRIPLE, Technique.NAKED_QUAD), _NAKED),
    **dict.fromkeys(
        (Technique.HIDDEN_PAIR, Technique.HIDDEN_TRIPLE, Technique.HIDDEN_QUAD), _HIDDEN
    ),
    **dict.fromkeys((Technique.X_WING, Technique.SWORDFISH, Technique.JELLYFISH), _FISH),
    **dict.fromkeys(
        (Technique.FINNED_X_WING, Technique.FINNED_SWORDFISH, Technique.FINNED_JELLYFISH), _FINNED
    ),
    Technique.XY_WING: "Whatever the first of {cells} holds, one of the other two holds {digits}: "
    "{gone}.",
    Technique.W_WING: "{cells} hold the same pair, and {first} needs one of its digits in a cell "
    "that sees one of them, so that one of the two holds the other digit: {gone}.",
    **dict.fromkeys((Technique.XYZ_WING, Technique.WXYZ_WING, Technique.VWXYZ_WING), _BENT),
    Technique.UNIQUE_RECTANGLE: "If {cells} came down to {digits} in the corners of a rectangle, "
    "these could be exchanged, and there would be two solutions: {gone}.",
    Technique.UNIQUE_LOOP: "If {cells} came down to {digits} in a loop, these could be exchanged, "
    "and there would be two solutions: {gone}.",
    Technique.BIVALUE_GRAVE: "If {cells} came down to two candidates as all other cells have, each "
    "digit would have two places everywhere, and there would be two solutions: {gone}.",
    **dict.fromkeys((Technique.X_CYCLE, Technique.XY_CYCLE, Technique.CYCLE), _CYCLE),
    **dict.fromkeys(
        (Technique.TURBOT_FISH, Technique.X_CHAIN, Technique.XY_CHAIN, Technique.CHAIN), _CHAIN
    ),
    Technique.NISHIO: "Supposing the candidate leaves its digit no cell ({reason}): {gone}.",
    Technique.FORCING_CHAINS: "Each possibility leads to the same ({reason}): {gone}.",
    **dict.fromkeys(
        (Technique.FORCING_NET, Technique.FORCING_NET_WITH_SUBSETS, Technique.NESTED_NET), _NET
    ),
    Technique.TRIAL: "A search finds no solution with {digits} in {cells}.",
}


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
    return SENTENCES[step.technique].format(
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
