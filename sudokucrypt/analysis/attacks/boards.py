"""What is right about a board of blocks: scores that need the plain picture, and no attacker has.

Turning a whole picture makes it no less plain. Blocks and pairs of neighbours that differ from
those of the plain picture only in that way are therefore as good as they are.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from sudokucrypt.analysis.attacks.turns import COMPOSED, COUNT, FACING, TURNED_SIDES, turned
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray, IntArray

_SHUFFLES = 32
"""Boards that are put together by lot, to see what chance gives."""

_SEED = 1


@dataclass(frozen=True, eq=False)
class Board:
    """Which block lies where, and how it is turned: two arrays of shape (rows, columns)."""

    blocks: IntArray
    turns: IntArray

    def turned(self, turn: int) -> "Board":
        """Return the board after a turn of the whole."""
        pair = np.stack([self.blocks, COMPOSED[turn][self.turns]])[..., None]
        return Board(*turned(pair, turn & 7, 0)[..., 0])

    def picture(self, pieces: AnyArray, levels: int) -> AnyArray:
        """Return what it shows, of shape (M, N, C), with these blocks of shape (n, b, b, C)."""
        placed = pieces[self.blocks.reshape(-1)]
        turns = self.turns.reshape(-1)
        for turn in set(turns.tolist()):
            placed[turns == turn] = turned(placed[turns == turn], turn, levels)
        _, b, _, channels = pieces.shape
        rows, columns = self.blocks.shape
        tiles = placed.reshape(rows, columns, b, b, channels).swapaxes(1, 2)
        return tiles.reshape(rows * b, columns * b, channels)


@dataclass(frozen=True, kw_only=True)
class Scores:
    """Shares 0..1, of which `joints` and `chance` are of that number of joints.

    `direct` are blocks in their right place, `joints` the right joints between neighbouring
    blocks, `largest` the blocks of the largest part whose joints are all right, and `chance` the
    right joints of boards that are put together by lot, on the average.
    """

    count: int
    direct: float
    joints: float
    largest: float
    chance: float


class Contents:
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
                        for block in turned(blocks, turn, levels)
                    ]
                    for turn in range(COUNT)
                ]
            ).T
            for blocks in (plain, pieces)
        )
        self._plain = self._plain.reshape(*shape, COUNT)
        self._count = len(numbers)

    def upright(self, board: Board) -> Board:
        """Return a board after that turn of the whole after which most blocks look right."""
        right = np.isin(self._shown(board), self._plain[..., 0]).sum(axis=(0, 1)).tolist()
        views = (board.turned(turn) for turn in np.argsort(right, kind="stable")[::-1].tolist())
        return next(view for view in views if view.blocks.shape == board.blocks.shape)

    def scores(self, board: Board, ways: tuple[int, ...]) -> Scores:
        """Return how much of a board is right, beside boards by lot with blocks in these turns."""
        due, found = self._joints(self._plain), self._joints(self._shown(board))
        shares = [
            _shared(due, self._joints(self._shown(lot))) / len(due)
            for lot in _by_lot(board.blocks.shape, ways)
        ]
        return Scores(
            count=len(due),
            direct=float((self._shown(board) == self._plain)[..., 0].mean()),
            joints=_shared(due, found) / len(due),
            largest=_largest(due, found, board.blocks.shape),
            chance=float(np.mean(shares)),
        )

    def _shown(self, board: Board) -> IntArray:
        """Return what a board shows at each place after each turn, of shape (M, N, 16)."""
        turns = COMPOSED[:, board.turns].transpose(1, 2, 0)
        return self._pieces[board.blocks[..., None], turns]

    def _joints(self, shown: IntArray) -> IntArray:
        """Return a number for each joint, those to the right first: what is joined, and how.

        Of the sixteen ways to see both blocks, the one with the least number counts.
        """
        found = []
        for side, (one, other) in enumerate(_neighbours(shown)):
            sides = TURNED_SIDES[:, side]
            back = sides > 1
            first, second = np.where(back, other, one), np.where(back, one, other)
            below = np.where(back, FACING[sides], sides)
            numbers = (first * self._count + second) * 2 + below
            found.append(numbers.min(axis=-1).reshape(-1))
        return np.concatenate(found)


def _neighbours(places: IntArray) -> tuple[tuple[IntArray, IntArray], ...]:
    """Return what is to the left and right of each joint, and what above and below."""
    return (places[:, :-1], places[:, 1:]), (places[:-1], places[1:])


def _by_lot(shape: tuple[int, ...], ways: tuple[int, ...]) -> Iterator[Board]:
    """Yield boards with the blocks in any order, each turned in any of these ways."""
    draws, count = seeded_draws(_SEED), shape[0] * shape[1]
    for _ in range(_SHUFFLES):
        order = draws.permutations([count])
        turns = np.array(ways)[draws.below_each(np.full(count, len(ways)))]
        yield Board(order.reshape(shape), turns.reshape(shape))


def _shared(due: IntArray, found: IntArray) -> int:
    """Count the joints that both have, each as often as both have it."""
    return (Counter(due.tolist()) & Counter(found.tolist())).total()


def _largest(due: IntArray, found: IntArray, shape: tuple[int, ...]) -> float:
    """Return the share of places in the largest part that right joints make."""
    left = Counter(due.tolist())
    places = np.arange(shape[0] * shape[1])
    part = [{place} for place in places.tolist()]
    ends = [np.stack(pair, axis=-1).reshape(-1, 2) for pair in _neighbours(places.reshape(shape))]
    for joint, (one, other) in zip(found.tolist(), np.concatenate(ends).tolist(), strict=True):
        if left[joint] == 0:
            continue
        left[joint] -= 1
        if part[one] is not part[other]:
            part[one] |= part[other]
            for place in part[other]:
                part[place] = part[one]
    largest = max(map(len, part))
    return largest / len(part) if largest > 1 else 0.0
