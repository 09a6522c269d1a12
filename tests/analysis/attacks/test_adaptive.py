"""Adaptive chosen plaintext: keys from the content of the image do not stop chosen images."""

import numpy as np
import pytest

from sudokucrypt.analysis import specimens
from sudokucrypt.analysis.attacks import Oracle, Outcome, adaptive_attack
from sudokucrypt.analysis.attacks.adaptive import MAX_IMAGES
from sudokucrypt.analysis.baselines import BitShuffle, ContentKeyedShuffle, UniformShuffle
from sudokucrypt.typing import AnyArray
from tests.analysis.attacks.schemes import seed_of
from tests.analysis.pictures import picture

CAT = picture("chelsea.jpg")[100:190, 150:247]


def by_sum(image: AnyArray) -> AnyArray:
    return UniformShuffle(int(image.sum())).scramble(image)


def by_histogram(image: AnyArray) -> AnyArray:
    return UniformShuffle(seed_of(np.bincount(image.reshape(-1)))).scramble(image)


def by_number_of_bits(image: AnyArray) -> AnyArray:
    return BitShuffle(int(np.bitwise_count(image).sum())).scramble(image)


@pytest.mark.parametrize(
    "scheme",
    [by_sum, by_histogram, ContentKeyedShuffle(3).scramble, UniformShuffle().scramble],
)
@pytest.mark.parametrize("secret", [CAT, CAT[..., 0]], ids=["color", "gray"])
def test_maps_of_the_content_fall(scheme: Oracle, secret: AnyArray) -> None:
    """The target comes back from a few images that hold its samples."""
    result = adaptive_attack(scheme, scheme(secret))
    assert result.broken
    assert result.queries <= 6
    assert np.mean(result.restore(scheme(secret)) == secret) > 0.99
    assert result.recovered > 0.99
    assert "another target takes others" in result.verdict


def test_bits_are_traced_too() -> None:
    """A map of bits that depends on how many there are."""
    secret = CAT[..., 1]
    result = adaptive_attack(by_number_of_bits, by_number_of_bits(secret))
    assert (result.unit, result.broken) == ("bit", True)
    assert np.mean(result.restore(by_number_of_bits(secret)) == secret) > 0.95


def test_pictures_of_few_levels_take_many_images() -> None:
    """Text takes more than a photograph, and of one level there is nothing to recover."""
    pictures = {each.name: each.pixels for each in specimens(64)}
    result = adaptive_attack(by_sum, by_sum(pictures["text"]))
    assert np.mean(result.restore(by_sum(pictures["text"])) == pictures["text"]) > 0.99
    assert 12 < result.queries < MAX_IMAGES
    result = adaptive_attack(by_sum, pictures["black"])
    assert (result.outcome, result.queries) == (Outcome.NOTHING, MAX_IMAGES)
