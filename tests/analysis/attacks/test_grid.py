"""Blocks show how large they are."""

import numpy as np
import pytest

from sudokucrypt.analysis import BASELINES
from sudokucrypt.analysis.attacks.block_grid import block_evidence, estimated_block_size
from sudokucrypt.analysis.baselines import BlockShuffle
from tests.analysis.attacks.test_jigsaw import PHOTOGRAPHS
from tests.analysis.pictures import picture


@pytest.mark.slow
def test_block_sizes_of_photographs() -> None:
    """Of 8 photographs with blocks of 8, 16 and 32 pixels all 24 show, of other sizes too."""
    for name in PHOTOGRAPHS:
        for side in (8, 16, 32, 11, 37):  # few of which divide the pictures
            scrambled = BlockShuffle(side, seed=3).scramble(picture(name))
            assert estimated_block_size(scrambled) == side, (name, side)


def test_a_block_size_of_a_photograph_shows() -> None:
    """Its divisors and multiples show less."""
    evidence = block_evidence(BlockShuffle(12).scramble(picture("camera")))
    assert evidence.argmax() == 12
    assert max(np.delete(evidence, 12)) < evidence[12] / 2


@pytest.mark.parametrize("name", ["uniform", "row-column", "hilbert", "logistic-sort"])
def test_moved_pixels_show_no_blocks(name: str) -> None:
    """Nor does noise."""
    scrambled = BASELINES[name].fixed(picture("camera"), bytes(range(32))).pixels
    assert estimated_block_size(scrambled) is None


def test_noise_and_constant_pictures_show_no_blocks() -> None:
    """Whatever their size; pictures of a few pixels have no blocks to be found."""
    rng = np.random.default_rng(6)
    for shape in ((40, 64), (128, 128, 3), (16, 300)):
        assert estimated_block_size(rng.integers(0, 256, shape, dtype=np.uint8)) is None
    for shape in ((64, 64), (1, 1), (1, 9), (2, 3), (4, 4)):
        assert estimated_block_size(np.full(shape, 7, dtype=np.uint16)) is None
