"""The jigsaw: blocks are put together again, and the scores say how well."""

import numpy as np
import pytest

from sudokucrypt import InvalidImageError, InvalidParameterError
from sudokucrypt.analysis.attacks import jigsaw_attack
from sudokucrypt.analysis.attacks.assembly import assemble, edge_costs
from sudokucrypt.analysis.attacks.jigsaw import MAX_BLOCKS
from sudokucrypt.analysis.baselines import BlockShuffle
from tests.analysis.attacks.schemes import encrypting, scrambling
from tests.analysis.pictures import picture


def eight_by_eight(name: str) -> tuple[np.ndarray, int]:
    """Return a photograph cut to 64 blocks, and their side."""
    image = picture(name)[::2, ::2]
    side = min(image.shape[:2]) // 8
    return image[: 8 * side, : 8 * side], side


@pytest.mark.parametrize("name", ["astronaut", "chelsea.jpg"])
def test_photographs_of_64_blocks(name: str) -> None:
    """Plain block permutation hides almost nothing: above 0.9 of the joints come back."""
    image, side = eight_by_eight(name)
    result = jigsaw_attack(BlockShuffle(side, seed=3).scramble, image, block_size=side)
    assert result.blocks == 64
    assert result.neighbour > 0.9
    assert result.verdict.startswith("broken: the picture was put together again almost")


def test_our_blocks_fall_whatever_the_salt() -> None:
    """One scrambled picture will do; masked samples, and smaller blocks than guessed, give none."""
    image, side = eight_by_eight("astronaut")
    for context in (None, "album"):
        oracle = scrambling(unit="block", block_size=side, context=context)
        result = jigsaw_attack(oracle, image, block_size=side)
        assert result.neighbour > 0.9
        assert np.mean(result.picture == image) > 0.9
        assert not np.array_equal(result.scrambled, image)
    for oracle in (encrypting(), scrambling(unit="block", block_size=8)):
        result = jigsaw_attack(oracle, image, block_size=side)
        assert (result.direct, result.neighbour, result.largest) == (0, 0, 0)
        assert result.verdict.startswith("not broken by this attack, from 64 blocks")


def test_scores_of_known_assemblies() -> None:
    """A picture whose columns of blocks change places has all upright joints right, one by one."""
    rng = np.random.default_rng(2)
    image = rng.integers(0, 256, (12, 16), dtype=np.uint8)
    result = jigsaw_attack(lambda plain: plain, image, block_size=4)
    truth, found = (
        whole.reshape(3, 4, 4, 4).swapaxes(1, 2).reshape(12, 16)
        for whole in (image, result.picture)
    )
    board = np.array([int(np.flatnonzero((truth == block).all(axis=1))[0]) for block in found])
    assert sorted(board.tolist()) == list(range(12))
    board = board.reshape(3, 4)
    across = (board[:, 1:] - board[:, :-1] == 1) & (board[:, 1:] % 4 != 0)
    down = board[1:] - board[:-1] == 4
    assert result.direct == np.mean(board.reshape(-1) == np.arange(12))
    assert result.neighbour == pytest.approx((across.sum() + down.sum()) / 17)


def test_equal_blocks_count_as_one() -> None:
    """A constant picture cannot be wrong; what lies beyond whole blocks is cut off."""
    nine = np.full((16, 20), 9, dtype=np.uint8)
    result = jigsaw_attack(BlockShuffle(4).scramble, nine, block_size=4)
    assert (result.direct, result.neighbour, result.largest) == (1, 1, 1)
    result = jigsaw_attack(BlockShuffle(4).scramble, np.zeros((19, 22, 3), "u1"), block_size=4)
    assert result.picture.shape == result.scrambled.shape == (16, 20, 3)
    assert result.blocks == 20


def test_edges_of_a_ramp_find_their_neighbours() -> None:
    """On a smooth picture the cheapest joint is the right one, across and down."""
    rows, columns = np.mgrid[:24, :24]
    image = (127 + 60 * np.sin(rows / 5) + 60 * np.cos(columns / 7 + rows / 9)).astype(np.uint8)
    blocks = np.array(
        [image[r : r + 8, c : c + 8, None] for r in range(0, 24, 8) for c in range(0, 24, 8)]
    )
    right, down = edge_costs(blocks)
    assert np.argmin(right, axis=1)[[0, 1, 3, 4, 6, 7]].tolist() == [1, 2, 4, 5, 7, 8]
    assert np.argmin(down, axis=1)[:6].tolist() == [3, 4, 5, 6, 7, 8]
    assert np.isinf(np.diag(right)).all()
    # Both sides of a joint count alike: mirroring turns left into right and no more.
    mirrored = edge_costs(blocks[:, :, ::-1])
    assert np.allclose(mirrored[0], right.T)
    assert np.allclose(mirrored[1], down)
    assert np.allclose(edge_costs(blocks.swapaxes(1, 2))[0], down)


def test_assembly_uses_each_block_once_and_follows_cheap_joints() -> None:
    """Whatever the costs; if the right joints cost 0 and all others 1, the board is the picture."""
    for shape in ((1, 2), (1, 9), (7, 1), (5, 6)):
        count = shape[0] * shape[1]
        right, down = np.random.default_rng(count).random((2, count, count))
        board = assemble(right, down, shape)
        assert board.shape == shape
        assert sorted(board.reshape(-1).tolist()) == list(range(count))
    right, down = np.ones((2, 20, 20))
    number = np.random.default_rng(1).permutation(20).reshape(4, 5)
    right[number[:, :-1], number[:, 1:]] = 0
    down[number[:-1], number[1:]] = 0
    assert np.array_equal(assemble(right, down, (4, 5)), number)


def test_sizes_and_numbers_of_blocks_are_checked() -> None:
    """Two pixels a side and two blocks are the least, and memory sets the most."""
    for size in (1, True, 2.0):
        with pytest.raises(InvalidParameterError, match="2 pixels a side"):
            jigsaw_attack(lambda image: image, np.zeros((8, 8), "u1"), block_size=size)  # type: ignore[arg-type]
    with pytest.raises(InvalidImageError, match="no two blocks"):
        jigsaw_attack(lambda image: image, np.zeros((8, 15), "u1"), block_size=8)
    with pytest.raises(InvalidParameterError, match=f"{MAX_BLOCKS} are taken"):
        jigsaw_attack(lambda image: image, np.zeros((128, 256), "u1"), block_size=2)
