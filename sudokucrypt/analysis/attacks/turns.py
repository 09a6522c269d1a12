"""The sixteen ways to put a block down: in eight orientations, each of them inverted or not."""

from itertools import product

import numpy as np

from sudokucrypt.typing import AnyArray, IntArray

# Turn 0 leaves a block as it is. Bit 0 transposes it, bit 1 then turns it upside down, bit 2
# mirrors it from left to right, and bit 3 inverts its samples.
COUNT = 16

# Steps to the neighbours of a block: right, below, left, above.
SIDES = ((0, 1), (1, 0), (0, -1), (-1, 0))

# What schemes do to blocks, as groups of turns: two of one group make another one of it.
TURN_GROUPS: dict[str, tuple[int, ...]] = {
    "not rotated": (0,),
    "inverted": (0, 8),
    "mirrored": (0, 2, 4, 6),
    "mirrored and inverted": (0, 2, 4, 6, 8, 10, 12, 14),
    "rotated": (0, 3, 5, 6),
    "rotated and inverted": (0, 3, 5, 6, 8, 11, 13, 14),
    "rotated and mirrored": tuple(range(8)),
    "rotated, mirrored and inverted": tuple(range(COUNT)),
}


def apply_turn(blocks: AnyArray, turn: int, levels: int) -> AnyArray:
    """Return blocks of shape (n, b, b, C) after a turn; inverted they hold levels - 1 - sample."""
    if turn & 1:
        blocks = blocks.swapaxes(1, 2)
    blocks = blocks[:, :: -1 if turn & 2 else 1, :: -1 if turn & 4 else 1]
    return blocks.dtype.type(levels - 1) - blocks if turn & 8 else blocks


def _matrix(turn: int) -> IntArray:
    """Return what a turn does to a step (row, column), in the third place with inversion."""
    # As matrices, turns are composed by multiplication, so that no table needs to be written by
    # hand.
    signs = [-1 if turn & bit else 1 for bit in (2, 4, 8)]
    return np.diag(signs) @ np.eye(3, dtype=np.int64)[[1, 0, 2] if turn & 1 else [0, 1, 2]]


# What each turn does to a step, as matrices of shape (16, 2, 2).
STEPS = np.array([_matrix(turn)[:2, :2] for turn in range(COUNT)])

_NUMBERS = {_matrix(turn).tobytes(): turn for turn in range(COUNT)}

# Entry (s, t) is the turn that does t first and then s.
COMPOSED = np.zeros((COUNT, COUNT), dtype=np.int64)

for _second, _first in product(range(COUNT), repeat=2):
    COMPOSED[_second, _first] = _NUMBERS[(_matrix(_second) @ _matrix(_first)).tobytes()]

# Which turn undoes each.
INVERSE = np.argmin(COMPOSED, axis=1)

# Entry (t, a) is the side on which side a of a block lies after the turn t.
TURNED_SIDES = np.array(
    [[SIDES.index(tuple((matrix @ side).tolist())) for side in SIDES] for matrix in STEPS]
)

# The opposite of each side.
FACING = np.array([2, 3, 0, 1])
