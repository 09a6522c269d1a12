"""The jigsaw attack: blocks that are only moved are put together again, without any query."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.analysis.attacks import attack
from sudokucrypt.analysis.attacks.assembly import assemble, edge_costs
from sudokucrypt.analysis.baselines import BlockShuffle
from sudokucrypt.analysis.inputs import checked_image
from sudokucrypt.errors import InvalidImageError, InvalidParameterError
from sudokucrypt.typing import AnyArray, IntArray

MAX_BLOCKS = 2048
"""Most blocks of a picture: tables hold the square of their number."""

_Cell: TypeAlias = tuple[int, int]
_Joint: TypeAlias = tuple[bool, int, int]


@dataclass(frozen=True, kw_only=True, eq=False)
class JigsawResult:
    """What the attack found; all shares are 0..1.

    `direct` is the share of blocks in their right place, `neighbour` that of right joints between
    neighbouring blocks, and `largest` the largest part whose joints are all right, as a share of
    all blocks. `scrambled` is what the attacker has, cut to whole blocks, and `picture` what the
    attacker makes of it.
    """

    block_size: int
    blocks: int
    direct: float
    neighbour: float
    largest: float
    scrambled: AnyArray
    picture: AnyArray
    verdict: str

    @property
    def broken(self) -> bool:
        """Whether the picture can be seen."""
        return self.neighbour >= attack.BROKEN


def jigsaw_attack(oracle: attack.Oracle, image: ArrayLike, *, block_size: int) -> JigsawResult:
    """Put the blocks of a scrambled picture together by how well their edges fit.

    The plain picture is cut to whole blocks first, two or more and at most 2048, whose side in
    pixels the attacker sees or guesses: 2 or more. It is scrambled once and afterwards serves to
    score the attack only.

    The attacker uses one scrambled picture and no knowledge of key or plain image; salt is no
    obstacle. Blocks of equal content count as the same block. Flat regions, noise, drawings and
    small blocks are harder; blocks that are turned, mirrored or inverted besides, as in schemes for
    compression, are not tried.
    Source: T. Chuman, W. Sirichotedumrong, H. Kiya, 2019, doi:10.1109/TIFS.2018.2881677; scores
    after A. C. Gallagher, 2012, doi:10.1109/CVPR.2012.6247699.

    Examples
    --------
    >>> from sudokucrypt.analysis.baselines import BlockShuffle
    >>> waves = np.sin(np.add.outer(np.arange(64) ** 2 / 900, np.arange(64) ** 1.5 / 70))
    >>> picture = np.uint8(127 + 120 * waves)
    >>> jigsaw_attack(BlockShuffle(16).scramble, picture, block_size=16).neighbour
    1.0
    """
    pixels, _ = checked_image(image)
    if isinstance(block_size, bool) or not isinstance(block_size, int) or block_size < 2:
        raise InvalidParameterError(
            f"a block has 2 pixels a side or more, not {block_size!r}",
            hint="single pixels have no edges to fit; use chosen_plaintext_attack",
        )
    shape = pixels.shape[0] // block_size, pixels.shape[1] // block_size
    count = shape[0] * shape[1]
    if count < 2:
        raise InvalidImageError(
            f"an image of {pixels.shape[0]}x{pixels.shape[1]} has no two blocks of {block_size}"
        )
    if count > MAX_BLOCKS:
        raise InvalidParameterError(
            f"{count} blocks are too many, {MAX_BLOCKS} are taken",
            hint="take larger blocks or a smaller image",
        )
    plain = np.asarray(image)[: shape[0] * block_size, : shape[1] * block_size]
    scrambled = attack.query(oracle, np.ascontiguousarray(plain))
    pieces = _cut(scrambled, block_size)
    board = assemble(*edge_costs(pieces), shape)
    placed = pieces[board.reshape(-1)]
    tiles = placed.reshape(*shape, block_size, block_size, -1)
    picture = tiles.swapaxes(1, 2).reshape(scrambled.shape)
    truth, found = _contents(_cut(plain, block_size), placed)
    truth, found = truth.reshape(shape), found.reshape(shape)
    direct = float((truth == found).mean())
    neighbour, largest = _joint_scores(truth, found)
    return JigsawResult(
        block_size=block_size,
        blocks=truth.size,
        direct=direct,
        neighbour=neighbour,
        largest=largest,
        scrambled=scrambled,
        picture=picture,
        verdict=_verdict(truth.size, direct, neighbour, largest),
    )


def _cut(image: AnyArray, b: int) -> AnyArray:
    """Return the blocks of an image in reading order, of shape (n, b, b, C)."""
    rows, columns = image.shape[0] // b, image.shape[1] // b
    grid = image.reshape(rows, b, columns, b, -1).swapaxes(1, 2)
    return np.ascontiguousarray(grid.reshape(rows * columns, b, b, -1))


def _contents(plain: AnyArray, found: AnyArray) -> tuple[IntArray, IntArray]:
    """Return numbers for what blocks show; -1 for what is no block of the plain image."""
    numbers: dict[bytes, int] = {}
    truth = [numbers.setdefault(block.tobytes(), len(numbers)) for block in plain]
    return np.array(truth), np.array([numbers.get(block.tobytes(), -1) for block in found])


def _joints(board: IntArray) -> Iterator[tuple[_Joint, _Cell, _Cell]]:
    """Yield for each joint what it joins and how, and both places."""
    for row, column in np.ndindex(board.shape):
        for below in (False, True):
            other = (row + 1, column) if below else (row, column + 1)
            if other[0] < board.shape[0] and other[1] < board.shape[1]:
                joint = below, int(board[row, column]), int(board[other])
                yield joint, (row, column), other


def _joint_scores(truth: IntArray, found: IntArray) -> tuple[float, float]:
    """Return the share of right joints, and of blocks in the largest part that they make."""
    due = Counter(joint for joint, _, _ in _joints(truth))
    total = due.total()
    part = {cell: {cell} for cell in np.ndindex(found.shape)}
    for joint, one, other in _joints(found):
        if due[joint] == 0:
            continue
        due[joint] -= 1
        if part[one] is not part[other]:
            part[one] |= part[other]
            for cell in part[other]:
                part[cell] = part[one]
    largest = max(map(len, part.values()))
    return 1 - due.total() / total, largest / truth.size if largest > 1 else 0.0


def _verdict(blocks: int, direct: float, neighbour: float, largest: float) -> str:
    scores = (
        f"{neighbour:.2f} of the joints are right, {direct:.2f} of the blocks are in place, and "
        f"the largest right part has {largest:.2f} of them"
    )
    if neighbour >= 0.9:
        how = "broken: the picture was put together again almost wholly"
    elif neighbour >= attack.BROKEN:
        how = "broken: much of the picture was put together again"
    else:
        how = "not broken by this attack"
    return f"{how}, from {blocks} blocks of one scrambled picture and nothing else; {scores}"


@attack.attack(
    name="jigsaw",
    title="Jigsaw",
    summary="Put scrambled blocks together by their edges.",
    needs="one result, of blocks of a size that is seen or guessed",
    method="The attacker has one result and nothing else, and puts blocks together whose "
    "edges fit.",
    control=lambda *, block_size: attack.Target(
        name="block", oracle=BlockShuffle(block_size).scramble
    ),
    options=(
        attack.AttackOption(
            name="block_size",
            metavar="B",
            default=32,
            least=2,
            most=65535,
            text="Side of the blocks in pixels.",
        ),
    ),
    blocks=True,
    details={
        "block_size": "the side of a block in pixels",
        "blocks": "how many there are",
        "direct": "the share of blocks in their places",
        "neighbour": "the share of joints that are right",
        "largest": "the share of blocks in the largest part without fault",
    },
)
def _run(target: attack.Target, plain: AnyArray, *, block_size: int) -> attack.Finding:
    result = jigsaw_attack(target.oracle, plain, block_size=target.block_size or block_size)
    names = ("block_size", "blocks", "direct", "neighbour", "largest")
    views = {"seen": result.scrambled, "picture": result.picture}
    return attack.finding_of(result, *names, recovered=result.neighbour, **views)
