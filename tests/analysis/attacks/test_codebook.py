"""Codebooks: whatever becomes of samples one by one or beside a neighbour, constant images show."""

import numpy as np
import pytest

from sudokucrypt.analysis.attacks import Oracle, Outcome, codebook_attack, random_images
from sudokucrypt.analysis.baselines import SBox, UniformShuffle
from sudokucrypt.typing import AnyArray
from tests.analysis.attacks.schemes import encrypting
from tests.analysis.pictures import picture

SECRET = picture("camera")[100:164:2, 200:264:2]
KEYS = random_images(SECRET.shape, 1, seed=5)[0]


def turned_tables(image: AnyArray) -> AnyArray:
    """A table for each place: the levels, rolled and then looked up."""
    return SBox(3).scramble(image + KEYS) - KEYS[::-1]


@pytest.mark.parametrize(
    "scheme",
    [
        turned_tables,
        lambda image: KEYS - image,
        lambda image: UniformShuffle(2).scramble(turned_tables(UniformShuffle().scramble(image))),
    ],
)
def test_substitutions_fall_before_and_behind_a_map(scheme: Oracle) -> None:
    """Hardly a sample is missing, from three images for each level and those for the map."""
    result = codebook_attack(scheme, SECRET)
    assert result.outcome is Outcome.BROKEN
    assert np.mean(result.picture == SECRET) == result.recovered > 0.85
    assert result.queries == 3 + 768 + 6


def test_nothing_is_asked_twice_of_a_salted_scheme() -> None:
    """Two more images show that the salt is fresh, and no book is filled."""
    result = codebook_attack(encrypting(), SECRET)
    assert (result.outcome, result.queries) == (Outcome.NOTHING, 3)
