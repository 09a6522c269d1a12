"""Why each technique is right, in a sentence with the cells and digits of a step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudokucrypt.sudoku.deducing.levels import Technique
from sudokucrypt.sudoku.model.boxes import cell_name
from sudokucrypt.sudoku.model.text import symbol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudokucrypt.sudoku.deducing.steps import Step

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
