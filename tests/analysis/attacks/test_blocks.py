"""Test attacks on blocks: the jigsaw, and the ranking of neighbors of mirrored blocks."""

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from sudokucrypt import Key, encrypt
from sudokucrypt.analysis import BASELINES, run_attack, specimens
from sudokucrypt.analysis.attacks import Outcome, jigsaw_attack, mirrored_attack
from sudokucrypt.analysis.attacks import blocks as turns
from sudokucrypt.analysis.attacks.assembly import (
    Assembly,
    BlockIdentities,
    _find_neighbors,
    _measure_largest_part,
    _sort_joints,
    assemble_blocks,
)
from sudokucrypt.analysis.attacks.blocks import (
    TURN_COUNT,
    TURN_GROUPS,
    BlockEdges,
    _find_two_least_costs,
    apply_turn,
    choose_turn_group,
    compute_joint_costs,
    count_partner_pairs,
    crop_to_blocks,
    estimate_block_size,
    measure_block_evidence,
)
from sudokucrypt.analysis.attacks.jigsaw import MAX_BLOCKS
from sudokucrypt.analysis.attacks.mirrored import (
    _COSINE_BASIS,
    _GUESSED_FREQUENCY_COUNT,
    BLOCK_SIDE,
    _compute_fitted_costs,
    _compute_squared_distances,
)
from sudokucrypt.analysis.baselines import BlockShuffle
from sudokucrypt.robust import moved_blocks
from sudokucrypt.typing import AnyArray
from tests.analysis.attacks.schemes import encrypting, scrambling
from tests.analysis.pictures import picture

PHOTOGRAPHS = [
    "astronaut",
    "camera",
    "chelsea.jpg",
    "coffee",
    "rocket",
    "retina",
    "hubble_deep_field",
    "clock",
]


def crop_photograph(name: str, across: int = 8) -> tuple[AnyArray, int]:
    """Return a photograph of at most 512 pixels a side, cropped to blocks, and their side."""
    image = picture(name)
    image = image[:: -(-len(image) // 512), :: -(-len(image) // 512)]
    side = min(image.shape[:2]) // across
    return image[: across * side, : across * side], side


def scramble_and_turn_blocks(
    side: int, *, rotated: bool = False, mirrored: bool = False, inverted: bool = False
) -> Callable[[AnyArray], AnyArray]:
    """Return a scheme that moves blocks, and turns each at random as the options allow."""

    def scramble(image: AnyArray) -> AnyArray:
        rng = np.random.default_rng(5)
        moved = BlockShuffle(side, seed=3).scramble(image)
        for top in range(0, len(image) - side + 1, side):
            for left in range(0, image.shape[1] - side + 1, side):
                block = moved[top : top + side, left : left + side]
                quarters, mirror, invert = rng.integers(0, (4, 4, 2))
                new = np.rot90(block, quarters if rotated else 0)
                new = new[:: -1 if mirror & 1 and mirrored else 1]
                new = new[:, :: -1 if mirror & 2 and mirrored else 1]
                block[...] = ~new if invert and inverted else new
        return moved

    return scramble


@pytest.mark.parametrize("name", ["astronaut", "chelsea.jpg"])
def test_photographs_of_64_blocks(name: str) -> None:
    """More than 0.9 of the joints of permuted blocks of photographs are recovered."""
    image, side = crop_photograph(name)
    result = jigsaw_attack(BlockShuffle(side, seed=3).scramble, image)
    assert (result.blocks, result.block_size, result.turns) == (64, side, "not rotated")
    assert result.recovered > 0.9
    assert result.verdict.startswith("broken: the picture was reassembled almost completely")
    assert f"blocks of {side} pixels a side, as steps between neighboring" in result.verdict
    assert "they are not rotated" in result.verdict


@pytest.mark.slow
def test_turned_blocks_of_photographs() -> None:
    """For 64 rotated and mirrored blocks, 0.8 of the joints of 6 in 8 photographs are recovered."""
    shares = []
    for name in PHOTOGRAPHS:
        image, side = crop_photograph(name)
        result = jigsaw_attack(
            scramble_and_turn_blocks(side, rotated=True, mirrored=True), image, block_size=side
        )
        assert result.turns == "rotated and mirrored"
        assert (result.recovered >= 0.5) == (result.outcome is Outcome.BROKEN)
        shares.append(result.recovered)
    assert sum(share >= 0.8 for share in shares) >= 6, shares


@pytest.mark.parametrize("turns", TURN_GROUPS)
def test_what_was_done_to_blocks_is_found_and_undone(turns: str) -> None:
    """The group of turns is identified, and the restored picture equals the original."""
    image, side = crop_photograph("chelsea.jpg")
    changes = turns.removeprefix("not rotated")
    options = {word: word in changes for word in ("rotated", "mirrored", "inverted")}
    result = jigsaw_attack(scramble_and_turn_blocks(side, **options), image)
    assert (result.turns, result.block_size) == (turns, side)
    assert result.direct == result.recovered == result.largest == 1
    assert np.array_equal(result.picture, image)
    assert not np.array_equal(result.seen, image)
    assert f"if they are {turns}; 1.00 of the joints are correct" in result.verdict


@pytest.mark.slow
def test_part_of_a_picture_is_a_leak() -> None:
    """If a fifth of the joints of 1024 blocks are right, the outcome is a leak and not a break."""
    image, side = crop_photograph("camera", 32)
    result = jigsaw_attack(BlockShuffle(side, seed=3).scramble, image)
    assert result.blocks == 1024
    assert 0.2 < result.recovered < 0.5
    assert result.chance < 0.002
    assert result.outcome is Outcome.LEAKS
    assert result.verdict.startswith("leaks: some of the picture was reassembled")


def test_our_blocks_fall_whatever_the_salt() -> None:
    """Our scrambled blocks are reassembled with any salt; encrypted or smaller blocks are not."""
    image, side = crop_photograph("astronaut")
    for context in (None, "album"):
        oracle = scrambling(unit="block", block_size=side, context=context)
        result = jigsaw_attack(oracle, image)
        assert result.recovered > 0.9
        assert np.mean(result.picture == image) > 0.9
    for oracle in (encrypting(), scrambling(unit="block", block_size=8)):
        result = jigsaw_attack(oracle, image, block_size=side)
        assert (result.direct, result.recovered, result.largest) == (0, 0, 0)
        assert result.verdict.startswith("nothing found: no more of the picture")


@pytest.mark.parametrize("oracle", [encrypting(), scrambling()])
def test_where_no_blocks_show_there_is_nothing_to_join(
    oracle: Callable[[AnyArray], AnyArray],
) -> None:
    """In encrypted pictures and moved pixels, the jigsaw finds no blocks."""
    result = jigsaw_attack(oracle, crop_photograph("astronaut")[0])
    assert (result.block_size, result.blocks, result.turns) == (None, None, None)
    assert result.outcome is Outcome.NOTHING
    assert result.recovered == 0
    assert result.verdict.endswith("show no blocks")


def test_a_constant_picture_is_no_finding() -> None:
    """A constant picture, which any order of blocks restores, is no finding."""
    nine = np.full((16, 20), 9, dtype=np.uint8)
    result = jigsaw_attack(BlockShuffle(4).scramble, nine, block_size=4)
    assert (
        result.direct,
        result.recovered,
        result.largest,
        result.chance,
    ) == (1, 1, 1, 1)
    assert result.outcome is Outcome.NOTHING
    result = jigsaw_attack(BlockShuffle(4).scramble, np.zeros((19, 22, 3), "u1"), block_size=4)
    assert result.picture.shape == result.seen.shape == (16, 20, 3)
    assert result.blocks == 20


@pytest.mark.parametrize("dtype", [np.bool_, np.uint16])
def test_samples_of_every_depth(dtype: type) -> None:
    """Inverted blocks of bits and of 16-bit samples are restored in their dtype."""
    image = crop_photograph("camera")[0]
    image = image > 127 if dtype is np.bool_ else image.astype(dtype) * 257
    result = jigsaw_attack(scramble_and_turn_blocks(64, inverted=True), image)
    assert result.picture.dtype == image.dtype
    assert np.mean(result.picture == image) > (0.3 if dtype is np.bool_ else 0.9)


def test_many_blocks_are_cut_to_the_middle_of_the_picture() -> None:
    """A picture with too many blocks is cropped to its middle before it is scrambled."""
    image = np.tile(np.arange(256, dtype=np.uint8), (128, 1))
    results: list[AnyArray] = []

    def oracle(plain: AnyArray) -> AnyArray:
        results.append(plain)
        return BlockShuffle(2).scramble(plain)

    result = jigsaw_attack(oracle, image, block_size=2)
    assert [plain.shape for plain in results] == [(44, 92)]
    assert np.array_equal(results[0], image[42:86, 82:174])
    assert result.blocks == 22 * 46 <= MAX_BLOCKS


@pytest.mark.parametrize(
    ("shape", "most", "blocks"),
    [
        ((9, 9), 9, (3, 3)),
        ((4, 100), 16, (1, 16)),
        ((100, 4), 16, (16, 1)),
        ((30, 60), 50, (5, 10)),
    ],
)
def test_middles_have_about_the_proportions_of_the_image(
    shape: tuple[int, int], most: int, blocks: tuple[int, int]
) -> None:
    """The middle has at most the given number of blocks, and lies as far from both edges."""
    image = np.add.outer(np.arange(2 * shape[0]) * 256, np.arange(2 * shape[1]))
    middle, sides = crop_to_blocks(image, 2, max_blocks=most)
    assert sides == blocks
    assert middle.shape == (2 * blocks[0], 2 * blocks[1])
    corner = [(side - block) // 2 * 2 for side, block in zip(shape, blocks, strict=True)]
    assert divmod(int(middle[0, 0]), 256) == tuple(corner)


def test_likely_turns() -> None:
    """`choose_turn_group` returns the group of the most frequent turns, or all for equal counts."""
    assert choose_turn_group(np.zeros(TURN_COUNT, dtype=np.int64)) == "rotated and mirrored"
    assert choose_turn_group(np.full(TURN_COUNT, 10)) == "rotated, mirrored and inverted"
    for name, group in TURN_GROUPS.items():
        pairs = np.full(TURN_COUNT, 5)
        pairs[8:] = 1
        pairs[list(group)] += 40
        assert choose_turn_group(pairs) == name


def test_the_attack_finds_sizes_unless_they_are_stated() -> None:
    """The block size is the stated one, then the option, and estimated if both are missing."""
    photo = next(each for each in specimens(128) if each.name == "clouds")

    def find_sizes(options: dict[str, int]) -> list[object]:
        runs = run_attack("jigsaw", photo, [BASELINES["block"]], options=options).runs
        return [
            (run.finding.details["block_size"], run.finding.details["estimated"])
            for run in runs
            if run.finding is not None
        ]

    assert find_sizes({}) == [(16, False), (32, True)]
    assert find_sizes({"block_size": 8}) == [(16, False), (8, False)]


ALL_TURNS = tuple(range(TURN_COUNT))


def draw_waves(side: int) -> AnyArray:
    """Return a smooth picture without symmetries."""
    rows, columns = np.mgrid[:side, :side]
    levels: AnyArray = 127 + 60 * np.sin(rows / 5) + 60 * np.cos(columns / 7 + rows / 9)
    return levels.astype(np.uint8)


def cut_squares(image: AnyArray, side: int) -> AnyArray:
    """Return the square blocks of an image of one channel."""
    tops = product(range(0, image.shape[0], side), range(0, image.shape[1], side))
    return np.array([image[r : r + side, c : c + side, None] for r, c in tops])


def measure_gradient_cost(left: AnyArray, right: AnyArray) -> float:
    """Return Gallagher's Mahalanobis gradient compatibility from a left to a right block."""
    left, right = left.astype(float), right.astype(float)
    steps = left[:, -1] - left[:, -2]
    unit = np.eye(steps.shape[1])
    samples = np.concatenate([steps, 0 * unit[:1], unit, -unit])
    spread = np.linalg.inv(np.cov(samples, rowvar=False).reshape(unit.shape))
    gaps = right[:, 0] - left[:, -1] - steps.mean(axis=0)
    return float(np.einsum("kc,cd,kd->", gaps, spread, gaps))


@pytest.mark.parametrize("channels", [1, 3])
def test_costs_are_those_of_the_definition(channels: int) -> None:
    """Costs from matrix products equal the definition, for every turn and side."""
    blocks = np.random.default_rng(1).integers(0, 256, (3, 5, 5, channels), dtype=np.uint8)
    edges = BlockEdges(blocks, 256)
    for turn in range(TURN_COUNT):
        others = apply_turn(blocks, turn, 256)
        right, below = edges.compute_costs(0, turn), edges.compute_costs(1, turn)
        for first, second in product(range(3), repeat=2):
            transposed_blocks = [each.swapaxes(0, 1) for each in (blocks[first], others[second])]
            for table, (one, other) in (
                (right, (blocks[first], others[second])),
                (below, transposed_blocks),
            ):
                expected = measure_gradient_cost(one, other) + measure_gradient_cost(
                    other[:, ::-1], one[:, ::-1]
                )
                assert table[first, second] == pytest.approx(
                    np.inf if first == second else expected
                )


def test_edges_of_a_ramp_find_their_neighbors() -> None:
    """In a smooth picture the cheapest joints connect true neighbors, without turns."""
    edges = BlockEdges(cut_squares(draw_waves(24), 8), 256)
    right, below, left, above = compute_joint_costs(edges, (0,))[:, 0]
    assert np.argmin(right, axis=1)[[0, 1, 3, 4, 6, 7]].tolist() == [1, 2, 4, 5, 7, 8]
    assert np.argmin(below, axis=1)[:6].tolist() == [3, 4, 5, 6, 7, 8]
    assert np.isinf(np.diag(right)).all()
    assert np.allclose(left, right.T)
    assert np.allclose(above, below.T)
    pairs = count_partner_pairs(edges)
    assert pairs.argmax() == 0
    assert pairs[0] >= 12


def test_costs_are_relative_to_the_next_best() -> None:
    """The cost of each joint is divided by the cheapest other cost of either edge."""
    blocks = np.random.default_rng(2).integers(0, 256, (4, 3, 3, 1), dtype=np.uint8)
    edges, group = BlockEdges(blocks, 256), TURN_GROUPS["rotated"]
    plain = np.array([[edges.compute_costs(side, turn) for turn in group] for side in range(4)])
    table = compute_joint_costs(edges, group)
    for turn_index, first, second in product(range(4), range(4), range(4)):
        if first != second:
            own_cost = np.delete(plain[0, :, first].reshape(-1), 4 * turn_index + second).min()
            # The edge of the other block that lies at the joint after a quarter turn to the left or
            # to the right, two, or none.
            facing = {0: 2, 3: 3, 5: 1, 6: 0}[group[turn_index]]
            values = np.sort(plain[facing, :, second].reshape(-1))
            is_same = np.isclose(values[0], plain[0, turn_index, first, second])
            other_cost = values[1] if is_same else values[0]
            expected = plain[0, turn_index, first, second] / min(own_cost, other_cost)
            assert table[0, turn_index, first, second] == pytest.approx(expected, rel=1e-4)


def test_assembly_uses_each_block_once_and_follows_cheap_joints() -> None:
    """Every block is used once; if true joints cost 0 and others 1, the picture is restored."""
    for shape, group in product(((1, 2), (1, 9), (7, 1), (5, 6)), ((0,), ALL_TURNS)):
        count = shape[0] * shape[1]
        rng = np.random.default_rng(count)
        assembly = assemble_blocks(rng.random((4, len(group), count, count), "f4"), group, shape)
        assert assembly.blocks.shape == shape
        assert sorted(assembly.blocks.reshape(-1).tolist()) == list(range(count))
        assert set(assembly.turns.reshape(-1).tolist()) <= set(group)
    costs = np.ones((4, 1, 20, 20), dtype=np.float32)
    numbers = np.random.default_rng(1).permutation(20).reshape(4, 5)
    for side, (one, other) in enumerate(
        ((numbers[:, :-1], numbers[:, 1:]), (numbers[:-1], numbers[1:]))
    ):
        costs[side, 0, one, other] = costs[side + 2, 0, other, one] = 0
    assert np.array_equal(assemble_blocks(costs, (0,), (4, 5)).blocks, numbers)


@pytest.mark.parametrize("shape", [(4, 4), (3, 5)])
def test_turned_blocks_are_joined_up_to_a_turn_of_the_whole(shape: tuple[int, int]) -> None:
    """Turned and inverted blocks of a smooth picture are assembled, up to a turn of the whole."""
    image = draw_waves(40)[: 8 * shape[0], : 8 * shape[1]]
    plain = cut_squares(image, 8)
    rng = np.random.default_rng(3)
    order, block_turns = rng.permutation(len(plain)), rng.integers(0, TURN_COUNT, len(plain))
    pieces = np.array(
        [
            apply_turn(plain[number : number + 1], turn, 256)[0]
            for number, turn in zip(order, block_turns, strict=True)
        ]
    )
    assembly = assemble_blocks(
        compute_joint_costs(BlockEdges(pieces, 256), ALL_TURNS), ALL_TURNS, shape
    )
    contents = BlockIdentities(plain, pieces, shape, 256)
    assert np.array_equal(
        contents.turn_upright(assembly).render_picture(pieces, 256)[..., 0], image
    )
    for turn in ALL_TURNS if shape[0] == shape[1] else (2, 6, 12):
        scores = contents.score_assembly(assembly.turn(turn), ALL_TURNS)
        assert (scores.joints, scores.largest) == (1, 1)
    assert contents.score_assembly(contents.turn_upright(assembly), ALL_TURNS).direct == 1


def test_the_two_smallest_costs_are_in_order() -> None:
    """Each row gives its least two entries, the least one first, also if they are equal."""
    table = np.array([[5, 3, 9, 1], [2, 2, 8, 7], [4, 9, 1, 0]], dtype=np.float32)
    assert _find_two_least_costs(table).tolist() == [[1, 3], [2, 2], [0, 1]]


def test_equal_joints_are_right_as_often_as_they_are() -> None:
    """A joint that the picture has twice connects twice, and no third time."""
    true_joints = np.array([5, 5, 7, 8])
    assert _measure_largest_part(true_joints, np.array([5, 5, 7, 8]), (1, 5)) == 1
    assert _measure_largest_part(true_joints, np.array([5, 5, 5, 8]), (1, 5)) == 3 / 5
    assert _measure_largest_part(true_joints, np.array([6, 5, 9, 9]), (1, 5)) == 2 / 5
    assert _measure_largest_part(true_joints, np.array([6, 6, 9, 9]), (1, 5)) == 0


def test_scores_of_known_boards() -> None:
    """An assembly with two exchanged columns has the scores that are counted by hand."""
    rng = np.random.default_rng(2)
    plain = rng.integers(0, 256, (12, 4, 4, 1), dtype=np.uint8)
    contents = BlockIdentities(plain, plain, (3, 4), 256)
    numbers = np.arange(12).reshape(3, 4)
    moved_assembly = Assembly(numbers[:, [0, 2, 1, 3]], np.zeros((3, 4), dtype=np.int64))
    scores = contents.score_assembly(moved_assembly, (0,))
    assert (scores.count, scores.direct, scores.joints) == (17, 0.5, 8 / 17)
    assert scores.largest == 3 / 12
    # 9 horizontal and 8 vertical joints, of 132 ordered pairs each, for blocks that are not turned.
    assert scores.chance == pytest.approx((9 * 9 + 8 * 8) / 132 / 17, rel=0.6)


def test_scores_of_what_the_attack_finds() -> None:
    """The share of blocks in place equals a direct comparison of all blocks."""
    image = np.random.default_rng(2).integers(0, 256, (12, 16), dtype=np.uint8)
    result = jigsaw_attack(lambda plain: plain, image, block_size=4)
    truth = [block.tobytes() for block in cut_squares(image, 4)]
    actual = [block.tobytes() for block in cut_squares(result.picture, 4)]
    assert result.direct == np.mean(
        [one == other for one, other in zip(truth, actual, strict=True)]
    )


BLOCKS = np.random.default_rng(1).integers(0, 10, (2, 3, 3, 2), dtype=np.uint8)


def test_turns_make_a_group() -> None:
    """`COMPOSED_TURNS` and `INVERSE_TURNS` contain the compositions and the inverses of turns."""
    for one, other in product(range(turns.TURN_COUNT), repeat=2):
        turned = apply_turn(apply_turn(BLOCKS, one, 10), other, 10)
        assert np.array_equal(turned, apply_turn(BLOCKS, int(turns.COMPOSED_TURNS[other, one]), 10))
    for turn, inverse_turn in enumerate(turns.INVERSE_TURNS.tolist()):
        assert np.array_equal(apply_turn(apply_turn(BLOCKS, turn, 10), inverse_turn, 10), BLOCKS)
    for group in turns.TURN_GROUPS.values():
        assert set(turns.COMPOSED_TURNS[np.ix_(group, group)].reshape(-1).tolist()) == set(group)


def test_turned_sides_and_facing_sides_are_right() -> None:
    """`TURNED_SIDES` gives the sides of turned blocks, and `OPPOSITE` the opposite sides."""
    marked = np.zeros((4, 3, 3, 1), dtype=np.uint8)
    for side, (row, column) in enumerate(turns.SIDES):
        marked[side, 1 + row, 1 + column] = 1
        down, right = turns.SIDES[turns.OPPOSITE_SIDES[side]]
        assert (down, right) == (-row, -column)
    for turn in range(8):
        assert np.array_equal(apply_turn(marked, turn, 2), marked[turns.TURNED_SIDES[turn]])


@pytest.mark.slow
def test_block_sizes_of_photographs() -> None:
    """The block size of 8 photographs is estimated right for five sizes."""
    for name in PHOTOGRAPHS:
        for side in (8, 16, 32, 11, 37):  # few of which divide the pictures
            scrambled = BlockShuffle(side, seed=3).scramble(picture(name))
            assert estimate_block_size(scrambled) == side, (name, side)


def test_a_block_size_of_a_photograph_shows() -> None:
    """The evidence of the true block size is more than twice that of all other sizes."""
    evidence = measure_block_evidence(BlockShuffle(12).scramble(picture("camera")))
    assert evidence.argmax() == 12
    assert max(np.delete(evidence, 12)) < evidence[12] / 2


@pytest.mark.parametrize("name", ["uniform", "row-column", "hilbert", "logistic-sort"])
def test_moved_pixels_show_no_blocks(name: str) -> None:
    """Pictures whose pixels moved one by one have no estimated block size."""
    scrambled = BASELINES[name].fixed(picture("camera"), bytes(range(32))).pixels
    assert estimate_block_size(scrambled) is None


def test_noise_and_constant_pictures_show_no_blocks() -> None:
    """Noise and constant pictures, also of few pixels, have no estimated block size."""
    rng = np.random.default_rng(6)
    for shape in ((40, 64), (128, 128, 3), (16, 300)):
        assert estimate_block_size(rng.integers(0, 256, shape, dtype=np.uint8)) is None
    for shape in ((64, 64), (1, 1), (1, 9), (2, 3), (4, 4)):
        assert estimate_block_size(np.full(shape, 7, dtype=np.uint16)) is None


def test_joints_are_tried_once_each_and_the_cheapest_first() -> None:
    """With few blocks, every joint is listed once, in order of increasing cost."""
    costs = np.random.default_rng(2).random((2, 3, 5, 5), dtype=np.float32)
    joints = _sort_joints(costs)
    assert len(set(joints)) == len(joints) == 2 * 3 * (5 * 4 // 2)
    assert all(first < second for _, _, first, second in joints)
    joint_costs = [costs[joint] for joint in joints]
    assert joint_costs == sorted(joint_costs)


def test_a_block_has_its_neighbors_in_the_order_of_its_sides() -> None:
    """The neighbors of a cell are listed in the order right, below, left, above."""
    assert _find_neighbors((5, 7)) == [(5, 8), (6, 7), (5, 6), (4, 7)]


KEY = Key(bytes(range(32)))
PHOTO = np.ascontiguousarray(picture("camera")[170:266, 170:266])


def test_plain_blocks_fall_and_mirrored_ones_hardly() -> None:
    """More than a fifth of the neighbors of moved blocks are ranked first, of ours under 0.05."""
    control = mirrored_attack(BlockShuffle(8).scramble, PHOTO)
    assert control.outcome is Outcome.BROKEN
    assert control.edges > 0.2
    assert control.known == 1
    result = mirrored_attack(lambda image: moved_blocks(image, KEY, salt=bytes(16)), PHOTO)
    assert result.outcome is not Outcome.BROKEN
    assert result.edges < 0.05
    assert result.known > 0.9  # the blocks of a known picture can be located


def test_encryption_leaves_no_blocks() -> None:
    """In an encrypted picture no block is identified, and nothing is found."""
    result = mirrored_attack(lambda image: encrypt(image, KEY).pixels, PHOTO)
    assert (result.outcome, result.known, result.recovered) == (Outcome.NOTHING, 0, 0)


@pytest.mark.parametrize(
    "pixels", [np.dstack([PHOTO] * 3), PHOTO.astype(np.uint16) * 257, PHOTO[:8, :64], PHOTO[3:101]]
)
def test_images_of_any_kind_are_cut_to_whole_blocks(pixels: np.ndarray) -> None:
    """Color images, 16-bit images and sides that are no multiples of 8 are attacked too."""
    result = mirrored_attack(lambda image: image, pixels)
    assert result.blocks == (pixels.shape[0] // 8) * (pixels.shape[1] // 8)
    assert result.recovered > 0.2


def test_guessed_signs_fit_best() -> None:
    """Changed signs of low frequencies give equal costs, at most those of the original signs."""
    spectra = np.random.default_rng(5).normal(size=(3, BLOCK_SIDE, BLOCK_SIDE))
    mirrored = spectra.copy()
    mirrored[1, :_GUESSED_FREQUENCY_COUNT, 1] *= -1
    costs = _compute_fitted_costs(spectra)
    assert np.allclose(costs, _compute_fitted_costs(mirrored))
    blocks = _COSINE_BASIS.T @ spectra @ _COSINE_BASIS
    assert (costs < _compute_squared_distances(blocks[:, :, -1], blocks[:, :, 0]) + 1e-9).all()
