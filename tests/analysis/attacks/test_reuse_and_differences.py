"""Key streams that are used twice are found, alone and behind a map."""

import numpy as np
import pytest

from sudokucrypt.analysis import attacks
from sudokucrypt.analysis.baselines import ArnoldMap, UniformShuffle
from sudokucrypt.typing import AnyArray
from tests.analysis.pictures import picture

SECRET = picture("camera")[:128, :128]


@pytest.mark.parametrize("combination", ["exclusive-or", "sum", "difference"])
@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
def test_a_stream_used_twice_is_taken_off(combination: attacks.Combination, dtype: str) -> None:
    """Whatever puts the stream on the samples, one known image uncovers all others."""
    secret = SECRET.astype(dtype)
    result = attacks.reuse_attack(attacks.fixed_mask(seed=5, combination=combination), secret)
    assert np.array_equal(result.picture, secret)
    assert (result.recovered, result.combination, result.broken) == (1.0, combination, True)
    assert (result.repeats, result.moves_only) == (True, False)
    assert result.verdict.startswith("broken: the key stream repeats")
    secret = SECRET > 100  # bits have one combination, and half of all guesses are right by chance
    result = attacks.reuse_attack(attacks.fixed_mask(), secret)
    assert np.array_equal(result.picture, secret)
    assert (result.expected, result.broken) == (0.5, True)
    assert not attacks.reuse_attack(UniformShuffle().scramble, secret).broken


@pytest.mark.parametrize("combination", ["exclusive-or", "sum", "difference"])
def test_a_map_behind_a_fixed_mask_is_found(combination: attacks.Combination) -> None:
    """Differences remove the mask, and a later picture comes back whole."""
    mask = attacks.fixed_mask(seed=8, combination=combination)

    def scheme(image: AnyArray) -> AnyArray:
        return mask(ArnoldMap().scramble(image))

    result = attacks.differential_attack(scheme, SECRET.shape)
    assert (result.recovered, result.changed, result.combination) == (1.0, 1, combination)
    assert result.queries == 2 + 3
    assert np.array_equal(result.restore(scheme(SECRET)), SECRET)
    assert (result.npcr.value, result.npcr.passed) == (1 / SECRET.size, False)
    assert result.uaci.passed is False
    assert "one changed sample changes 1 of 16384" in result.verdict


@pytest.mark.parametrize("dtype", ["bool", "uint16"])
@pytest.mark.parametrize("unit", ["pixel", "sample"])
def test_other_depths_and_colours(dtype: str, unit: attacks.AttackUnit) -> None:
    """The attack works for bits and for 16 bits; what moves pixels moves samples too."""
    result = attacks.differential_attack(
        attacks.masked_shuffle, (20, 30, 2), dtype=dtype, unit=unit
    )
    later = attacks.random_images((20, 30, 2), 1, dtype=dtype, seed=9)[0]
    assert result.recovered == 1.0
    assert np.array_equal(result.restore(attacks.masked_shuffle(later)), later)


@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
@pytest.mark.parametrize(
    "chain",
    [attacks.Chain("exclusive-or"), attacks.Chain("sum", 3), attacks.Chain("sum", backward=True)],
)
@pytest.mark.parametrize("combination", ["exclusive-or", "sum", "difference"])
def test_a_map_and_a_mask_behind_a_chain_are_found(
    combination: attacks.Combination, chain: attacks.Chain, dtype: str
) -> None:
    """Differences of neighbours undo the chain, whatever put it and the mask on."""
    mask = attacks.fixed_mask(seed=8, combination=combination)
    join = np.bitwise_xor if chain.combination == "exclusive-or" else np.add

    def scheme(image: AnyArray) -> AnyArray:
        links = mask(UniformShuffle(1).scramble(image)).reshape(-1, chain.step)
        links = links[:: -1 if chain.backward else 1]
        links = join.accumulate(links, axis=0, dtype=links.dtype)
        return links[:: -1 if chain.backward else 1].reshape(image.shape)

    result = attacks.differential_attack(scheme, (30, 40, 3), dtype=dtype)
    later = attacks.random_images((30, 40, 3), 1, dtype=dtype, seed=9)[0]
    assert (result.recovered, result.chain) == (1.0, chain)
    assert np.array_equal(result.restore(scheme(later)), later)
    seen = scheme(later)
    links = chain.undo(seen)
    assert np.array_equal(links, mask(UniformShuffle(1).scramble(later)))
    assert np.array_equal(seen, scheme(later))


def test_a_stream_that_is_used_again_in_part_leaks() -> None:
    """Where a tenth of it stays, more comes back than by chance, and the picture is not seen."""
    numbers = iter(range(100))
    stays = np.arange(SECRET.size).reshape(SECRET.shape) % 10 == 0

    def scheme(image: AnyArray) -> AnyArray:
        new = attacks.fixed_mask(seed=next(numbers) + 9)(image)
        return np.where(stays, attacks.fixed_mask()(image), new)

    result = attacks.reuse_attack(scheme, SECRET)
    assert result.outcome is attacks.Outcome.LEAKS
    assert result.recovered == pytest.approx(0.1 + 0.9 / 256, abs=0.005)
    assert "in part" in result.verdict
