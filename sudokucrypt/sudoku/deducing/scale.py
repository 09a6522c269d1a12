"""The scale of ratings: a number for each step, by its technique and the length of its chains.

It follows the scale of Sudoku Explainer (N. Juillerat, 2006) as its successor Sukaku Explainer
has it, where the rating of a puzzle is that of its hardest step.
"""

from sudokucrypt.sudoku.deducing.levels import Technique

RATINGS = {
    Technique.HIDDEN_SINGLE: 1.2,
    Technique.NAKED_SINGLE: 2.3,
    Technique.LOCKED_CANDIDATES: 2.6,
    Technique.NAKED_PAIR: 3.0,
    Technique.X_WING: 3.2,
    Technique.HIDDEN_PAIR: 3.4,
    Technique.NAKED_TRIPLE: 3.6,
    Technique.SWORDFISH: 3.8,
    Technique.HIDDEN_TRIPLE: 4.0,
    Technique.TURBOT_FISH: 4.1,
    Technique.XY_WING: 4.2,
    Technique.FINNED_X_WING: 4.3,
    Technique.X_CHAIN: 4.3,
    Technique.XYZ_WING: 4.4,
    Technique.UNIQUE_RECTANGLE: 4.5,
    Technique.NAKED_QUAD: 5.0,
    Technique.JELLYFISH: 5.2,
    Technique.HIDDEN_QUAD: 5.4,
    Technique.COLORING: 5.4,
    Technique.WXYZ_WING: 5.5,
    Technique.VWXYZ_WING: 6.2,
    Technique.W_WING: 6.6,
    Technique.XY_CHAIN: 6.6,
    Technique.CHAIN: 7.0,
    Technique.FINNED_SWORDFISH: 7.4,
    Technique.FINNED_JELLYFISH: 7.5,
    Technique.NISHIO: 7.5,
    Technique.FORCING_CHAINS: 8.0,
    Technique.FORCING_NET: 8.5,
    Technique.TRIAL: 10.0,
}
"""The least rating of each technique, in the order in which steps are looked for."""

_STEP = 0.1


def longer(nodes: int) -> float:
    """Return what chains of this many candidates add: more at 7, 9, 11, 15, 19, 27, 35, ..."""
    # The bounds grow by a half and by a third in turn, as 6, 8, 10, 14, 18, 26 do.
    added, bound, thirds = 0.0, 6, False
    while nodes > bound:
        added += _STEP
        bound = 2 + ((bound - 2) * 4 // 3 if thirds else (bound - 2) * 3 // 2)
        thirds = not thirds
    return added
