"""Key streams that are used twice are found, alone and behind a map; ours never are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from sudokucrypt.analysis.attacks import (
    differential_attack,
    fixed_mask,
    masked_shuffle,
    random_images,
    reuse_attack,
)
from sudokucrypt.analysis.baselines import ArnoldMap, UniformShuffle
from tests.analysis.attacks.photographs import picture
from tests.analysis.attacks.schemes import NEW_MAPS, ONE_MAP

if TYPE_CHECKING:
    from sudokucrypt.analysis.attacks import AttackUnit, Combination

SECRET = picture("camera")[:128, :128]


@pytest.mark.parametrize("combination", ["exclusive-or", "sum"])
@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
def test_a_stream_used_twice_is_taken_off(combination: Combination, dtype: str) -> None:
    """Whatever puts the stream on the samples, one known image uncovers all others."""
    secret = SECRET.astype(dtype)
    result = reuse_attack(fixed_mask(seed=5, combination=combination), secret)
    assert np.array_equal(result.picture, secret)
    assert (result.recovered, result.combination, result.broken) == (1.0, combination, True)
    assert result.repeats
    assert not result.moves_only
    assert result.verdict.startswith("broken: the key stream repeats")


def test_bits_have_one_combination() -> None:
    """Pictures of one bit are uncovered too, where half of all guesses are right by chance."""
    secret = SECRET > 100
    result = reuse_attack(fixed_mask(), secret)
    assert np.array_equal(result.picture, secret)
    assert (result.expected, result.broken) == (0.5, True)
    assert not reuse_attack(UniformShuffle().scramble, secret).broken


@pytest.mark.parametrize("name", NEW_MAPS)
def test_our_schemes_use_no_stream_twice(name: str) -> None:
    """One sample in 256 agrees, as by chance, even if the salt is the same or left out."""
    result = reuse_attack(NEW_MAPS[name], SECRET)
    assert not result.broken
    if "blocks" in name:  # a block that stays in its place twice may agree
        assert result.recovered < 0.1
    else:
        assert abs(result.recovered - 1 / 256) < 6 * (1 / 256 / SECRET.size) ** 0.5
    assert result.repeats == ("deterministic" in name or "one salt" in name)
    assert result.moves_only == (name.split(",", maxsplit=1)[0] in {"salted", "deterministic"})
    assert ("equal images give equal results" in result.verdict) == result.repeats


@pytest.mark.parametrize("name", ONE_MAP)
def test_a_fixed_context_repeats_and_has_no_stream(name: str) -> None:
    """Equal images show, and what a map leaks is for other attacks to find."""
    result = reuse_attack(ONE_MAP[name], SECRET)
    assert result.repeats
    assert result.moves_only
    assert not result.broken
    assert result.verdict.startswith("no key stream to reuse")


@pytest.mark.parametrize("combination", ["exclusive-or", "sum"])
def test_a_map_behind_a_fixed_mask_is_found(combination: Combination) -> None:
    """Differences remove the mask, and a later picture comes back whole."""
    mask = fixed_mask(seed=8, combination=combination)

    def scheme(image: np.ndarray) -> np.ndarray:
        return mask(ArnoldMap().scramble(image))

    result = differential_attack(scheme, SECRET.shape)
    assert (result.recovered, result.changed, result.combination) == (1.0, 1, combination)
    assert result.queries == 2 + 3
    assert np.array_equal(result.restore(scheme(SECRET)), SECRET)
    assert result.npcr.value == 1 / SECRET.size
    assert result.npcr.passed is False
    assert result.uaci.passed is False
    assert "one changed sample changes 1 of 16384" in result.verdict


@pytest.mark.parametrize("dtype", ["bool", "uint16"])
@pytest.mark.parametrize("unit", ["pixel", "sample"])
def test_other_depths_and_colours(dtype: str, unit: AttackUnit) -> None:
    """The attack works for bits and for 16 bits; what moves pixels moves samples too."""
    result = differential_attack(masked_shuffle, (20, 30, 2), dtype=dtype, unit=unit)
    later = random_images((20, 30, 2), 1, dtype=dtype, seed=9)[0]
    assert result.recovered == 1.0
    assert np.array_equal(result.restore(masked_shuffle(later)), later)


@pytest.mark.parametrize("name", ONE_MAP)
def test_a_fixed_context_changes_one_sample(name: str) -> None:
    """Position-only schemes fail npcr and uaci by their nature, and fall to differences."""
    result = differential_attack(ONE_MAP[name], (128, 128))
    assert (result.changed, result.recovered, result.broken) == (1, 1.0, True)


@pytest.mark.parametrize("name", NEW_MAPS)
def test_ours_change_nearly_all(name: str) -> None:
    """One changed sample gives another result altogether, and differences give no map."""
    result = differential_attack(NEW_MAPS[name], (512, 512))
    assert result.recovered < 0.001
    assert not result.broken
    assert result.changed > 0.97 * 512 * 512
