"""Affine schemes are found by four images, and others are not."""

import numpy as np
import pytest

from sudokucrypt.analysis.attacks import Oracle, Outcome, affine_attack, random_images
from sudokucrypt.analysis.attacks.affine import _different
from sudokucrypt.analysis.baselines import BitShuffle, ChainAdd, ChainXor, GrayEtc, SBox
from tests.analysis.attacks.schemes import encrypting, scrambling
from tests.analysis.attacks.targets import added_and_masked

SHAPE = (60, 80)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "uint16"])
@pytest.mark.parametrize(
    ("scheme", "combination"),
    [
        (ChainXor(2).scramble, "exclusive-or"),
        (ChainAdd(2).scramble, "sum"),
        (BitShuffle().scramble, "exclusive-or"),
        (GrayEtc().scramble, "exclusive-or"),
    ],
)
def test_affine_schemes_foretell_all(scheme: Oracle, combination: str, dtype: str) -> None:
    """Three results give the fourth, for each depth."""
    result = affine_attack(scheme, SHAPE, dtype=dtype)
    assert (result.recovered, result.outcome) == (1.0, Outcome.BROKEN)
    if dtype != "bool":  # where sums are exclusive-or
        assert result.combination == combination
    bits = {"bool": 1, "uint8": 8, "uint16": 16}[dtype]
    assert f"{60 * 80 * bits + 1} chosen images give every later one" in result.verdict


@pytest.mark.parametrize("scheme", [SBox().scramble, scrambling(), encrypting()])
def test_others_foretell_what_chance_does(scheme: Oracle) -> None:
    """One sample in 253 of an S-box, as three of its 256 results are taken; else one in 256."""
    result = affine_attack(scheme, SHAPE)
    assert (result.outcome, result.planes) == (Outcome.NOTHING, 0)
    mean = 60 * 80 / 255
    assert abs(result.recovered * 60 * 80 - mean) < 5 * mean**0.5


def test_sums_and_exclusive_or_mixed_show_their_lowest_bits() -> None:
    """They are not affine, and their lowest bits are."""
    result = affine_attack(lambda image: added_and_masked(image, bytes(range(32))), SHAPE)
    assert (result.outcome, result.planes) == (Outcome.LEAKS, 1)
    assert result.recovered < 0.05


@pytest.mark.parametrize("scheme", [np.zeros_like, lambda image: np.full_like(image, 7)])
def test_results_that_never_change_foretell_nothing(scheme: Oracle) -> None:
    """The constant is no attack on what is behind it."""
    assert affine_attack(scheme, SHAPE).outcome is Outcome.NOTHING


@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
def test_images_differ_at_each_place(dtype: str) -> None:
    """Else the same sample on both sides would foretell itself."""
    images = _different(np.zeros((50, 50, 3), dtype))
    a, b, c = images
    fourth = a ^ b ^ c
    for one, other in ((a, b), (b, c), (a, c), (fourth, a), (fourth, b), (fourth, c)):
        assert (one != other).all()
    assert np.array_equal(a, random_images((50, 50, 3), 1, dtype=dtype)[0])
