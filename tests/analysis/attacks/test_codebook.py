"""Codebooks: whatever becomes of samples one by one, constant images decode it."""

import numpy as np
import pytest

from sudokucrypt.analysis.attacks import Oracle, Outcome, codebook_attack, random_images
from sudokucrypt.analysis.baselines import ChainXor, DnaCoding, SBox, UniformShuffle
from sudokucrypt.typing import AnyArray
from tests.analysis.attacks.schemes import encrypting, scrambling
from tests.analysis.pictures import picture

SECRET = picture("chelsea.jpg")[100:140, 150:200]
KEYS = random_images(SECRET.shape, 1, seed=5)[0]


def turned_tables(image: AnyArray) -> AnyArray:
    """A table for each place: the levels, rolled and then looked up."""
    return SBox(3).scramble(image + KEYS) - KEYS[::-1]


@pytest.mark.parametrize(
    "scheme",
    [
        SBox(4).scramble,
        DnaCoding(4).scramble,
        turned_tables,
        lambda image: KEYS - image,
        lambda image: UniformShuffle(2).scramble(turned_tables(UniformShuffle().scramble(image))),
    ],
)
def test_substitutions_fall_before_and_behind_a_map(scheme: Oracle) -> None:
    """The picture comes back whole, from an image for each level and those for the map."""
    result = codebook_attack(scheme, SECRET)
    assert (result.recovered, result.outcome) == (1.0, Outcome.BROKEN)
    assert np.array_equal(result.picture, SECRET)
    assert (result.queries, result.decoded.shape) == (2 + 256 + 2, SECRET.shape)
    assert result.spread <= 1 / 16


def test_bits_have_a_codebook_of_two_images() -> None:
    """Two levels take two images."""
    secret = SECRET[..., 0] > 120
    result = codebook_attack(lambda image: UniformShuffle().scramble(~image), secret)
    assert np.array_equal(result.picture, secret)
    assert result.queries == 2 + 2 + 11


@pytest.mark.parametrize("scheme", [ChainXor().scramble, scrambling(), encrypting()])
def test_no_codebook_is_made_where_samples_depend_on_others(scheme: Oracle) -> None:
    """Two images show that, under diffusion as with a new map for each image."""
    asked = []

    def counting(image: AnyArray) -> AnyArray:
        asked.append(image.shape)
        return scheme(image)

    result = codebook_attack(counting, SECRET)
    assert (result.outcome, result.queries, len(asked)) == (Outcome.NOTHING, 2, 3)
    assert result.spread > 0.9
    assert result.verdict.startswith("nothing found: one sample in 16 changes 0.9")


def test_levels_that_become_one_are_not_told_apart() -> None:
    """A scheme that drops the lowest bit gives every other level back, the higher of two."""
    secret = SECRET[..., 0]
    result = codebook_attack(lambda image: image // 2 * 2, secret)
    assert np.array_equal(result.decoded, secret | 1)
    assert not result.broken
