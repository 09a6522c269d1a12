"""Our own schemes: one map for all images falls to every attack, a map for each image to none."""

import numpy as np
import pytest

from sudokucrypt.analysis import attacks
from tests.analysis.attacks.schemes import NEW_MAPS, ONE_MAP
from tests.analysis.pictures import picture

SHAPE = (128, 128)
SECRET = picture("camera")[:128, :128]
USUAL = ("salted", "salted, blocks", "encrypt")
NEW = [pytest.param(name, marks=[] if name in USUAL else pytest.mark.slow) for name in NEW_MAPS]


@pytest.mark.parametrize("name", ONE_MAP)
def test_a_fixed_context_falls(name: str) -> None:
    """Scrambling under one context is one map, and a later picture comes back without the key."""
    oracle = ONE_MAP[name]
    chosen = attacks.chosen_plaintext_attack(oracle, SHAPE)
    differences = attacks.differential_attack(oracle, SHAPE)
    scrambled = oracle(SECRET)
    for result in (chosen, differences):
        assert (result.recovered, result.broken) == (1.0, True)
        assert np.array_equal(result.restore(scrambled), SECRET)
        assert np.array_equal(result.restore(np.asfortranarray(scrambled)), SECRET)
    assert (chosen.queries, differences.queries, differences.changed) == (2, 5, 1)
    known = attacks.known_plaintext_attack(oracle, attacks.random_images(SHAPE, 4))
    assert known.recovered_after == pytest.approx(known.expected_after, abs=0.05)
    assert known.recovered > 0.999


@pytest.mark.parametrize("name", NEW)
def test_maps_of_their_own_do_not_fall(name: str) -> None:
    """With salt, without, and encrypted: next to nothing of a map holds for other images."""
    oracle = NEW_MAPS[name]
    blocks = "blocks" in name  # 64 of them: one may stay in its place
    chosen = attacks.chosen_plaintext_attack(oracle, SHAPE)
    assert chosen.verdict.startswith("nothing found: the map from 2 chosen images")
    known = attacks.known_plaintext_attack(oracle, attacks.random_images(SHAPE, 4))
    differences = attacks.differential_attack(oracle, SHAPE)
    assert differences.changed > (0.8 if blocks else 0.97) * SECRET.size
    for share in (chosen.recovered, known.recovered, differences.recovered):
        assert share < (0.1 if blocks else 0.002)


@pytest.mark.parametrize("name", [*ONE_MAP, *NEW])
def test_no_line_is_kept(name: str) -> None:
    """Not one row or column of 128 is found again in whole rounds, blocks included."""
    result = attacks.row_column_attack({**ONE_MAP, **NEW_MAPS}[name], SHAPE)
    assert result.rows_found == result.columns_found == 0
    assert result.rows_kept == result.columns_kept == 0
    assert result.recovered < 0.05
    assert result.verdict.startswith("nothing found: 0 of 128 rows")


@pytest.mark.parametrize("name", [*ONE_MAP, *NEW])
def test_no_stream_is_used_twice(name: str) -> None:
    """One sample in 256 agrees, as by chance, even if the salt is the same or left out."""
    result = attacks.reuse_attack({**ONE_MAP, **NEW_MAPS}[name], SECRET)
    moved = name.split(",", maxsplit=1)[0] in {"context", "salted", "deterministic"}
    assert not result.broken
    assert result.moves_only == moved
    assert result.repeats == any(word in name for word in ("context", "deterministic", "one salt"))
    assert ("equal images give equal results" in result.verdict) == result.repeats
    assert ("no key stream to reuse" in result.verdict) == moved
    if name in NEW_MAPS and "blocks" not in name:
        assert abs(result.recovered - 1 / 256) < 6 * (1 / 256 / SECRET.size) ** 0.5
