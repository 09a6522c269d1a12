"""An independent proof of a step, only from the cells, houses and digits that it names."""

from itertools import takewhile

from sudokucrypt.sudoku.deducing.levels import Technique
from sudokucrypt.sudoku.deducing.steps import Step
from sudokucrypt.sudoku.model.variant import Variant

Candidates = list[set[int]]
Placement = tuple[int, int]


def list_candidates(variant: Variant, givens: list[int]) -> Candidates:
    """Return the candidates of all cells that givens in peers do not exclude."""
    candidates = [set(range(variant.digits)) for _ in givens]
    for cell, digit in enumerate(givens):
        if digit >= 0:
            candidates[cell] = {digit}
            for peer in variant.peers(cell).tolist():
                if givens[peer] < 0:
                    candidates[peer].discard(digit)
    return candidates


def is_proved(step: Step, candidates: Candidates, cell: int, digit: int) -> bool:
    """Return whether a cell cannot contain a digit, for the reasons that the step names.

    Each cell of the step needs a digit, and each of its digits needs a place in each of its houses
    that has as many cells as there are digits. If these needs cannot be met together while the
    digit is in the cell, the candidate is refuted. A puzzle with one solution also needs a third
    digit in the cells of a unique loop or rectangle, which come first. A bivalue grave concerns the
    whole grid; it is recognized since all other cells have two candidates.
    """
    variant = step.variant
    needs = [[(position, value) for value in candidates[position]] for position in step.cells]
    for house in step.houses:
        positions = variant.houses[house].cells
        if len(positions) == variant.digits:
            needs += [
                [(position, value) for position in positions if value in candidates[position]]
                for value in step.digits
            ]
    if step.technique is Technique.BIVALUE_GRAVE:
        pairs = [
            len(each) for position, each in enumerate(candidates) if position not in step.cells
        ]
        return set(pairs) <= {1, 2}
    corners: tuple[int, ...] = ()
    if step.technique in (Technique.UNIQUE_RECTANGLE, Technique.UNIQUE_LOOP):
        # The loop comes first; the cells of a subset after it have other digits.
        pair = set(step.digits)
        corners = tuple(takewhile(lambda position: pair <= candidates[position], step.cells))
    return not _can_meet(needs, [(cell, digit)], variant, corners)


def _can_meet(
    needs: list[list[Placement]],
    placements: list[Placement],
    variant: Variant,
    corners: tuple[int, ...],
) -> bool:
    """Return whether each need can be met in addition to the given placements."""
    open_needs = [
        [placement for placement in need if _agrees(placement, placements, variant)]
        for need in needs
        if not any(placement in placements for placement in need)
    ]
    if not open_needs:
        return not corners or len({digit for cell, digit in placements if cell in corners}) > 2
    shortest = min(open_needs, key=len)
    return any(
        _can_meet(open_needs, [*placements, placement], variant, corners) for placement in shortest
    )


def _agrees(placement: Placement, placements: list[Placement], variant: Variant) -> bool:
    cell, digit = placement
    peers = variant.peers(cell)
    return not any(
        (other == cell and value != digit) or (value == digit and other in peers)
        for other, value in placements
    )
