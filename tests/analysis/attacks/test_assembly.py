"""Blocks are found, turned and joined: costs, assembly and scores follow their definitions."""

from itertools import product

import numpy as np
import pytest

from sudokucrypt.analysis import BASELINES
from sudokucrypt.analysis.attacks import blocks as turns
from sudokucrypt.analysis.attacks import jigsaw_attack
from sudokucrypt.analysis.attacks.assembly import (
    Assembly,
    BlockIdentities,
    _around,
    _cheapest,
    assemble,
)
from sudokucrypt.analysis.attacks.blocks import (
    COUNT,
    TURN_GROUPS,
    BlockEdges,
    apply_turn,
    block_evidence,
    estimate_block_size,
    joint_costs,
    partners,
)
from sudokucrypt.analysis.baselines import BlockShuffle
from sudokucrypt.typing import AnyArray
from tests.analysis.attacks.test_jigsaw import PHOTOGRAPHS
from tests.analysis.pictures import picture

ALL = tuple(range(COUNT))


def waves(side: int) -> AnyArray:
    """A smooth picture without symmetries."""
    rows, columns = np.mgrid[:side, :side]
    levels: AnyArray = 127 + 60 * np.sin(rows / 5) + 60 * np.cos(columns / 7 + rows / 9)
    return levels.astype(np.uint8)


def cut(image: AnyArray, side: int) -> AnyArray:
    """The square blocks of an image of one channel."""
    tops = product(range(0, image.shape[0], side), range(0, image.shape[1], side))
    return np.array([image[r : r + side, c : c + side, None] for r, c in tops])


def one_way(left: AnyArray, right: AnyArray) -> float:
    """Mahalanobis gradient compatibility as Gallagher defines it, from left to right."""
    left, right = left.astype(float), right.astype(float)
    steps = left[:, -1] - left[:, -2]
    unit = np.eye(steps.shape[1])
    seen = np.concatenate([steps, 0 * unit[:1], unit, -unit])
    spread = np.linalg.inv(np.cov(seen, rowvar=False).reshape(unit.shape))
    gaps = right[:, 0] - left[:, -1] - steps.mean(axis=0)
    return float(np.einsum("kc,cd,kd->", gaps, spread, gaps))


@pytest.mark.parametrize("channels", [1, 3])
def test_costs_are_those_of_the_definition(channels: int) -> None:
    """One matrix product gives what pixels one by one give, in every turn and on every side."""
    blocks = np.random.default_rng(1).integers(0, 256, (3, 5, 5, channels), dtype=np.uint8)
    edges = BlockEdges(blocks, 256)
    for turn in range(COUNT):
        others = apply_turn(blocks, turn, 256)
        right, below = edges.costs(0, turn), edges.costs(1, turn)
        for i, j in product(range(3), repeat=2):
            flat = [each.swapaxes(0, 1) for each in (blocks[i], others[j])]
            for table, (one, other) in ((right, (blocks[i], others[j])), (below, flat)):
                expected = one_way(one, other) + one_way(other[:, ::-1], one[:, ::-1])
                assert table[i, j] == pytest.approx(np.inf if i == j else expected)


def test_edges_of_a_ramp_find_their_neighbours() -> None:
    """On a smooth picture the cheapest joint is the right one, and neither is turned."""
    edges = BlockEdges(cut(waves(24), 8), 256)
    right, below, left, above = joint_costs(edges, (0,))[:, 0]
    assert np.argmin(right, axis=1)[[0, 1, 3, 4, 6, 7]].tolist() == [1, 2, 4, 5, 7, 8]
    assert np.argmin(below, axis=1)[:6].tolist() == [3, 4, 5, 6, 7, 8]
    assert np.isinf(np.diag(right)).all()
    assert np.allclose(left, right.T)
    assert np.allclose(above, below.T)
    pairs = partners(edges)
    assert pairs.argmax() == 0
    assert pairs[0] >= 12


def test_costs_are_relative_to_the_next_best() -> None:
    """Each joint is divided by the cheapest other one of either edge, whatever the turns."""
    blocks = np.random.default_rng(2).integers(0, 256, (4, 3, 3, 1), dtype=np.uint8)
    edges, ways = BlockEdges(blocks, 256), TURN_GROUPS["rotated"]
    plain = np.array([[edges.costs(side, turn) for turn in ways] for side in range(4)])
    table = joint_costs(edges, ways)
    for number, i, j in product(range(4), range(4), range(4)):
        if i != j:
            own = np.delete(plain[0, :, i].reshape(-1), 4 * number + j).min()
            # The edge of the other block that lies at the joint after a quarter turn to the left or
            # to the right, two, or none.
            facing = {0: 2, 3: 3, 5: 1, 6: 0}[ways[number]]
            values = np.sort(plain[facing, :, j].reshape(-1))
            same = np.isclose(values[0], plain[0, number, i, j])
            other = values[1] if same else values[0]
            expected = plain[0, number, i, j] / min(own, other)
            assert table[0, number, i, j] == pytest.approx(expected, rel=1e-4)


def test_assembly_uses_each_block_once_and_follows_cheap_joints() -> None:
    """Whatever the costs; if the right joints cost 0 and all others 1, the board is the picture."""
    for shape, ways in product(((1, 2), (1, 9), (7, 1), (5, 6)), ((0,), ALL)):
        count = shape[0] * shape[1]
        rng = np.random.default_rng(count)
        board = assemble(rng.random((4, len(ways), count, count), "f4"), ways, shape)
        assert board.blocks.shape == shape
        assert sorted(board.blocks.reshape(-1).tolist()) == list(range(count))
        assert set(board.turns.reshape(-1).tolist()) <= set(ways)
    costs = np.ones((4, 1, 20, 20), dtype=np.float32)
    number = np.random.default_rng(1).permutation(20).reshape(4, 5)
    for side, (one, other) in enumerate(
        ((number[:, :-1], number[:, 1:]), (number[:-1], number[1:]))
    ):
        costs[side, 0, one, other] = costs[side + 2, 0, other, one] = 0
    assert np.array_equal(assemble(costs, (0,), (4, 5)).blocks, number)


@pytest.mark.parametrize("shape", [(4, 4), (3, 5)])
def test_turned_blocks_are_joined_up_to_a_turn_of_the_whole(shape: tuple[int, int]) -> None:
    """Turned and inverted blocks of a smooth picture make that picture, turned or not."""
    image = waves(40)[: 8 * shape[0], : 8 * shape[1]]
    plain = cut(image, 8)
    rng = np.random.default_rng(3)
    order, chosen = rng.permutation(len(plain)), rng.integers(0, COUNT, len(plain))
    pieces = np.array(
        [apply_turn(plain[k : k + 1], t, 256)[0] for k, t in zip(order, chosen, strict=True)]
    )
    board = assemble(joint_costs(BlockEdges(pieces, 256), ALL), ALL, shape)
    contents = BlockIdentities(plain, pieces, shape, 256)
    assert np.array_equal(contents.upright(board).picture(pieces, 256)[..., 0], image)
    for turn in ALL if shape[0] == shape[1] else (2, 6, 12):
        scores = contents.scores(board.turn(turn), ALL)
        assert (scores.joints, scores.largest) == (1, 1)
    assert contents.scores(contents.upright(board), ALL).direct == 1


def test_scores_of_known_boards() -> None:
    """Columns that change places keep their upright joints; chance gives one joint a side in n."""
    rng = np.random.default_rng(2)
    plain = rng.integers(0, 256, (12, 4, 4, 1), dtype=np.uint8)
    contents = BlockIdentities(plain, plain, (3, 4), 256)
    number = np.arange(12).reshape(3, 4)
    moved = Assembly(number[:, [0, 2, 1, 3]], np.zeros((3, 4), dtype=np.int64))
    scores = contents.scores(moved, (0,))
    assert (scores.count, scores.direct, scores.joints) == (17, 0.5, 8 / 17)
    assert scores.largest == 3 / 12
    # 9 joints across and 8 down of 132 ordered pairs each, for blocks that are not turned.
    assert scores.chance == pytest.approx((9 * 9 + 8 * 8) / 132 / 17, rel=0.6)


def test_scores_of_what_the_attack_finds() -> None:
    """They are counted as in a picture whose blocks are told apart one by one."""
    image = np.random.default_rng(2).integers(0, 256, (12, 16), dtype=np.uint8)
    result = jigsaw_attack(lambda plain: plain, image, block_size=4)
    truth = [block.tobytes() for block in cut(image, 4)]
    actual = [block.tobytes() for block in cut(result.picture, 4)]
    assert result.direct == np.mean(
        [one == other for one, other in zip(truth, actual, strict=True)]
    )


BLOCKS = np.random.default_rng(1).integers(0, 10, (2, 3, 3, 2), dtype=np.uint8)


def test_turns_make_a_group() -> None:
    """One turn after the other is the turn of the table, and each is undone by another."""
    for one, other in product(range(turns.COUNT), repeat=2):
        both = apply_turn(apply_turn(BLOCKS, one, 10), other, 10)
        assert np.array_equal(both, apply_turn(BLOCKS, int(turns.COMPOSED[other, one]), 10))
    for turn, back in enumerate(turns.INVERSE.tolist()):
        assert np.array_equal(apply_turn(apply_turn(BLOCKS, turn, 10), back, 10), BLOCKS)
    for ways in turns.TURN_GROUPS.values():
        assert set(turns.COMPOSED[np.ix_(ways, ways)].reshape(-1).tolist()) == set(ways)


def test_sides_follow() -> None:
    """The sides of a block lie where the table says, and facing sides are opposite."""
    marked = np.zeros((4, 3, 3, 1), dtype=np.uint8)
    for side, (row, column) in enumerate(turns.SIDES):
        marked[side, 1 + row, 1 + column] = 1
        down, right = turns.SIDES[turns.FACING[side]]
        assert (down, right) == (-row, -column)
    for turn in range(8):
        assert np.array_equal(apply_turn(marked, turn, 2), marked[turns.TURNED_SIDES[turn]])


@pytest.mark.slow
def test_block_sizes_of_photographs() -> None:
    """Of 8 photographs with blocks of 8, 16 and 32 pixels all 24 show, of other sizes too."""
    for name in PHOTOGRAPHS:
        for side in (8, 16, 32, 11, 37):  # few of which divide the pictures
            scrambled = BlockShuffle(side, seed=3).scramble(picture(name))
            assert estimate_block_size(scrambled) == side, (name, side)


def test_a_block_size_of_a_photograph_shows() -> None:
    """Its divisors and multiples show less."""
    evidence = block_evidence(BlockShuffle(12).scramble(picture("camera")))
    assert evidence.argmax() == 12
    assert max(np.delete(evidence, 12)) < evidence[12] / 2


@pytest.mark.parametrize("name", ["uniform", "row-column", "hilbert", "logistic-sort"])
def test_moved_pixels_show_no_blocks(name: str) -> None:
    """Nor does noise."""
    scrambled = BASELINES[name].fixed(picture("camera"), bytes(range(32))).pixels
    assert estimate_block_size(scrambled) is None


def test_noise_and_constant_pictures_show_no_blocks() -> None:
    """Whatever their size; pictures of a few pixels have no blocks to be found."""
    rng = np.random.default_rng(6)
    for shape in ((40, 64), (128, 128, 3), (16, 300)):
        assert estimate_block_size(rng.integers(0, 256, shape, dtype=np.uint8)) is None
    for shape in ((64, 64), (1, 1), (1, 9), (2, 3), (4, 4)):
        assert estimate_block_size(np.full(shape, 7, dtype=np.uint16)) is None


def test_joints_are_tried_once_each_and_the_cheapest_first() -> None:
    """Of few blocks all joints are tried, each from one of its two sides."""
    costs = np.random.default_rng(2).random((2, 3, 5, 5), dtype=np.float32)
    joints = _cheapest(costs)
    assert len(set(joints)) == len(joints) == 2 * 3 * (5 * 4 // 2)
    assert all(first < second for _, _, first, second in joints)
    prices = [costs[joint] for joint in joints]
    assert prices == sorted(prices)


def test_a_block_has_its_neighbours_in_the_order_of_its_sides() -> None:
    """Costs of a cell are those of the sides that meet there."""
    assert _around((5, 7)) == [(5, 8), (6, 7), (5, 6), (4, 7)]
