"""What is right about assembled blocks: scores that need the plain picture, as no attacker has.

Turning a whole picture makes it no less plain. Blocks and pairs of neighbours that differ from
those of the plain picture only in that way are therefore as good as they are.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from sudokucrypt.analysis.attacks.turns import COMPOSED, COUNT, FACING, TURNED_SIDES, apply_turn
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray, IntArray

# Assemblies that are drawn at random, to see what chance gives.
_SHUFFLES = 32

# Fixed, so that a report gives the same scores by chance each time.
_SEED = 1


@dataclass(frozen=True, eq=False)
class Assembly:
    """Which block lies where, and how it is turned: two arrays of shape (rows, columns)."""

    blocks: IntArray
    turns: IntArray

    def turned(self, turn: int) -> "Assembly":
        """Return the assembly after a turn of the whole."""
        pair = np.stack([self.blocks, COMPOSED[turn][self.turns]])[..., None]
        return Assembly(*apply_turn(pair, turn & 7, 0)[..., 0])

    def picture(self, pieces: AnyArray, levels: int) -> AnyArray:
        """Return what it shows, of shape (M, N, C), with these blocks of shape (n, b, b, C)."""
        placed = pieces[self.blocks.reshape(-1)]
        turns = self.turns.reshape(-1)
        for turn in set(turns.tolist()):
            placed[turns == turn] = apply_turn(placed[turns == turn], turn, levels)
        _, b, _, channels = pieces.shape
        rows, columns = self.blocks.shape
        tiles = placed.reshape(rows, columns, b, b, channels).swapaxes(1, 2)
        return tiles.reshape(rows * b, columns * b, channels)


@dataclass(frozen=True, kw_only=True)
class Scores:
    """Shares 0..1, of which `joints` and `chance` are of that number of joints.

    `direct` are blocks in their right position, `joints` the right joints between neighbouring
    blocks, `largest` the blocks of the largest part whose joints are all right, and `chance` the
    right joints that blocks joined at random score on average.
    """

    count: int
    direct: float
    joints: float
    largest: float
    chance: float


class BlockIdentities:
    """What blocks show, as numbers: equal ones for equal blocks, in each of the sixteen turns."""

    def __init__(
        self, plain: AnyArray, pieces: AnyArray, shape: tuple[int, int], levels: int
    ) -> None:
        numbers: dict[bytes, int] = {}
        self._plain, self._pieces = (
            np.array(
                [
                    [
                        numbers.setdefault(
                            blake2b(block.tobytes(), digest_size=16).digest(), len(numbers)
                        )
                        for block in apply_turn(blocks, turn, levels)
                    ]
                    for turn in range(COUNT)
                ]
            ).T
            for blocks in (plain, pieces)
        )
        self._plain = self._plain.reshape(*shape, COUNT)
        self._count = len(numbers)

    def upright(self, assembly: Assembly) -> Assembly:
        """Return an assembly after that turn of the whole after which most blocks look right."""
        # No attacker can know which way up the picture was; the score shows it as a viewer would.
        right = np.isin(self._shown(assembly), self._plain[..., 0]).sum(axis=(0, 1)).tolist()
        views = (assembly.turned(turn) for turn in np.argsort(right, kind="stable")[::-1].tolist())
        return next(view for view in views if view.blocks.shape == assembly.blocks.shape)

    def scores(self, assembly: Assembly, group: tuple[int, ...]) -> Scores:
        """Return how much of an assembly is right, and how much of random ones with these turns."""
        due, joints = self._joints(self._plain), self._joints(self._shown(assembly))
        shares = [
            _shared(due, self._joints(self._shown(other))) / len(due)
            for other in _random_assemblies(assembly.blocks.shape, group)
        ]
        return Scores(
            count=len(due),
            direct=float((self._shown(assembly) == self._plain)[..., 0].mean()),
            joints=_shared(due, joints) / len(due),
            largest=_largest(due, joints, assembly.blocks.shape),
            chance=float(np.mean(shares)),
        )

    def _shown(self, assembly: Assembly) -> IntArray:
        """Return what an assembly shows at each position after each turn, of shape (M, N, 16)."""
        turns = COMPOSED[:, assembly.turns].transpose(1, 2, 0)
        return self._pieces[assembly.blocks[..., None], turns]

    def _joints(self, shown: IntArray) -> IntArray:
        """Return a number for each joint, those to the right first: what meets on which side.

        Of the sixteen turns in which both blocks can be seen, the one with the least number counts.
        """
        joints = []
        for side, (one, other) in enumerate(_joint_pairs(shown)):
            sides = TURNED_SIDES[:, side]
            # A joint to the left or above is that of the other block to the right or below.
            back = sides > 1
            first, second = np.where(back, other, one), np.where(back, one, other)
            below = np.where(back, FACING[sides], sides)
            # The pair and the side as one integer, so that turns of the whole can be compared by
            # minimum.
            numbers = (first * self._count + second) * 2 + below
            joints.append(numbers.min(axis=-1).reshape(-1))
        return np.concatenate(joints)


def _joint_pairs(positions: IntArray) -> tuple[tuple[IntArray, IntArray], ...]:
    """Return what is to the left and right of each joint, and what above and below."""
    return (positions[:, :-1], positions[:, 1:]), (positions[:-1], positions[1:])


def _random_assemblies(shape: tuple[int, ...], group: tuple[int, ...]) -> Iterator[Assembly]:
    """Yield assemblies of the blocks in any order, each after any of these turns."""
    draws, count = seeded_draws(_SEED), shape[0] * shape[1]
    for _ in range(_SHUFFLES):
        order = draws.permutations([count])
        turns = np.array(group)[draws.below_each(np.full(count, len(group)))]
        yield Assembly(order.reshape(shape), turns.reshape(shape))


def _shared(due: IntArray, joints: IntArray) -> int:
    """Count the joints that both have, each as often as both have it."""
    return (Counter(due.tolist()) & Counter(joints.tolist())).total()


def _largest(due: IntArray, joints: IntArray, shape: tuple[int, ...]) -> float:
    """Return the share of positions in the largest part that right joints make."""
    left = Counter(due.tolist())
    positions = np.arange(shape[0] * shape[1])
    part = [{position} for position in positions.tolist()]
    ends = [
        np.stack(pair, axis=-1).reshape(-1, 2) for pair in _joint_pairs(positions.reshape(shape))
    ]
    for joint, (first, second) in zip(joints.tolist(), np.concatenate(ends).tolist(), strict=True):
        # A joint that occurs twice in the picture may be right twice, and no more often.
        if left[joint] == 0:
            continue
        left[joint] -= 1
        # Sets are shared by all their members: to unite two is to hand the larger one on.
        if part[first] is not part[second]:
            part[first] |= part[second]
            for position in part[second]:
                part[position] = part[first]
    largest = max(map(len, part))
    return largest / len(part) if largest > 1 else 0.0
