"""The jigsaw: blocks are put together again, however they are turned; verdicts say how far."""

from collections.abc import Callable

import numpy as np
import pytest

from sudokucrypt.analysis import BASELINES, run_attack, specimens
from sudokucrypt.analysis.attacks import Outcome, jigsaw_attack
from sudokucrypt.analysis.attacks.blocks import COUNT, TURN_GROUPS, likely_turns
from sudokucrypt.analysis.attacks.jigsaw import MAX_BLOCKS
from sudokucrypt.analysis.baselines import BlockShuffle
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


def cut(name: str, across: int = 8) -> tuple[AnyArray, int]:
    """Return a photograph of at most 512 pixels a side cut to square blocks, and their side."""
    image = picture(name)
    image = image[:: -(-len(image) // 512), :: -(-len(image) // 512)]
    side = min(image.shape[:2]) // across
    return image[: across * side, : across * side], side


def turning(
    side: int, *, rotated: bool = False, mirrored: bool = False, inverted: bool = False
) -> Callable[[AnyArray], AnyArray]:
    """Return a scheme that moves blocks, and turns each as a coin or a die falls."""

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
    """Plain block permutation hides almost nothing: above 0.9 of the joints come back."""
    image, side = cut(name)
    result = jigsaw_attack(BlockShuffle(side, seed=3).scramble, image)
    assert (result.blocks, result.block_size, result.turns) == (64, side, "not rotated")
    assert result.recovered > 0.9
    assert result.verdict.startswith("broken: the picture was reassembled almost completely")
    assert f"blocks of {side} pixels a side, as steps between neighbouring" in result.verdict
    assert "they are not rotated" in result.verdict


@pytest.mark.slow
def test_turned_blocks_of_photographs() -> None:
    """Rotated and mirrored, 64 a photograph: 0.8 of the joints come back on 6 of 8."""
    shares = []
    for name in PHOTOGRAPHS:
        image, side = cut(name)
        result = jigsaw_attack(turning(side, rotated=True, mirrored=True), image, block_size=side)
        assert result.turns == "rotated and mirrored"
        assert (result.recovered >= 0.5) == (result.outcome is Outcome.BROKEN)
        shares.append(result.recovered)
    assert sum(share >= 0.8 for share in shares) >= 6, shares


@pytest.mark.parametrize("turns", TURN_GROUPS)
def test_what_was_done_to_blocks_is_found_and_undone(turns: str) -> None:
    """Each kind of turns is named, and the picture that comes back is upright and no negative."""
    image, side = cut("chelsea.jpg")
    changes = turns.removeprefix("not rotated")
    options = {word: word in changes for word in ("rotated", "mirrored", "inverted")}
    result = jigsaw_attack(turning(side, **options), image)
    assert (result.turns, result.block_size) == (turns, side)
    assert result.direct == result.recovered == result.largest == 1
    assert np.array_equal(result.picture, image)
    assert not np.array_equal(result.seen, image)
    assert f"if they are {turns}; 1.00 of the joints are correct" in result.verdict


@pytest.mark.slow
def test_part_of_a_picture_is_a_leak() -> None:
    """A fifth of the joints of 1024 blocks, a hundred times what chance gives, shows parts."""
    image, side = cut("camera", 32)
    result = jigsaw_attack(BlockShuffle(side, seed=3).scramble, image)
    assert result.blocks == 1024
    assert 0.2 < result.recovered < 0.5
    assert result.chance < 0.002
    assert result.outcome is Outcome.LEAKS
    assert result.verdict.startswith("leaks: some of the picture was reassembled")


def test_our_blocks_fall_whatever_the_salt() -> None:
    """One scrambled picture will do; masked samples, and smaller blocks than guessed, give none."""
    image, side = cut("astronaut")
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
    """Encrypted pictures and moved pixels have no steps at equal distances."""
    result = jigsaw_attack(oracle, cut("astronaut")[0])
    assert (result.block_size, result.blocks, result.turns) == (None, None, None)
    assert result.outcome is Outcome.NOTHING
    assert result.recovered == 0
    assert result.verdict.endswith("show no blocks")


def test_what_chance_gives_is_no_finding() -> None:
    """A constant picture comes back whole, as it does from any order of its blocks."""
    nine = np.full((16, 20), 9, dtype=np.uint8)
    result = jigsaw_attack(BlockShuffle(4).scramble, nine, block_size=4)
    assert (result.direct, result.recovered, result.largest, result.chance) == (1, 1, 1, 1)
    assert result.outcome is Outcome.NOTHING
    result = jigsaw_attack(BlockShuffle(4).scramble, np.zeros((19, 22, 3), "u1"), block_size=4)
    assert result.picture.shape == result.seen.shape == (16, 20, 3)
    assert result.blocks == 20


@pytest.mark.parametrize("dtype", [np.bool_, np.uint16])
def test_samples_of_every_depth(dtype: type) -> None:
    """Bits and samples of 16 bits are inverted within their levels, and come back as they were."""
    image = cut("camera")[0]
    image = image > 127 if dtype is np.bool_ else image.astype(dtype) * 257
    result = jigsaw_attack(turning(64, inverted=True), image)
    assert result.picture.dtype == image.dtype
    assert np.mean(result.picture == image) > (0.3 if dtype is np.bool_ else 0.9)


def test_many_blocks_are_cut_to_the_middle_of_the_picture() -> None:
    """Of a picture of more blocks than are taken, as many as that are scrambled and joined."""
    image = np.tile(np.arange(256, dtype=np.uint8), (128, 1))
    seen: list[AnyArray] = []

    def oracle(plain: AnyArray) -> AnyArray:
        seen.append(plain)
        return BlockShuffle(2).scramble(plain)

    result = jigsaw_attack(oracle, image, block_size=2)
    assert [plain.shape for plain in seen] == [(44, 92)]
    assert np.array_equal(seen[0], image[42:86, 82:174])
    assert result.blocks == 22 * 46 <= MAX_BLOCKS


def test_likely_turns() -> None:
    """Turns that occur more than others are those of a kind; equally many are all of them."""
    assert likely_turns(np.zeros(COUNT, dtype=np.int64)) == "rotated and mirrored"
    assert likely_turns(np.full(COUNT, 10)) == "rotated, mirrored and inverted"
    for kind, ways in TURN_GROUPS.items():
        pairs = np.full(COUNT, 5)
        pairs[8:] = 1
        pairs[list(ways)] += 40
        assert likely_turns(pairs) == kind


def test_the_attack_finds_sizes_unless_they_are_stated() -> None:
    """Its option of 0 is no size; schemes that state one, and numbers that are given, count."""
    photo = next(each for each in specimens(128) if each.name == "clouds")

    def sizes(options: dict[str, int]) -> list[object]:
        runs = run_attack("jigsaw", photo, [BASELINES["block"]], options=options).runs
        return [
            (run.finding.details["block_size"], run.finding.details["estimated"])
            for run in runs
            if run.finding is not None
        ]

    assert sizes({}) == [(16, False), (32, True)]
    assert sizes({"block_size": 8}) == [(16, False), (8, False)]
