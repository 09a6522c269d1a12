"""Test the outcomes of all attacks on weak and strong schemes of many kinds."""

import json
import os
import tomllib
from collections.abc import Callable
from itertools import count
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from PIL import Image
from scipy import stats

from sudokucrypt import Key, encrypt, scramble
from sudokucrypt.analysis import BASELINES, MeasuredScheme
from sudokucrypt.analysis.attacks import (
    ATTACKS,
    Finding,
    Outcome,
    Target,
    chosen_plaintext_attack,
    differential_attack,
    visible,
)
from sudokucrypt.analysis.attacks.contract import MIN_BROKEN_SHARE, judge_share
from sudokucrypt.analysis.schemes import SchemeResult, report_key
from sudokucrypt.cli.analysis.schemes import load_schemes
from sudokucrypt.cli.program import cli
from sudokucrypt.typing import AnyArray
from tests.analysis.attacks.schemes import NEW_MAPS, ONE_MAP
from tests.analysis.ciphers import make_cipher
from tests.analysis.pictures import picture

FACE = np.ascontiguousarray(picture("camera")[100:164, 200:264])
SECRET = picture("camera")[:128, :128]
VERDICTS: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("verdicts.toml").read_text(encoding="utf-8")
)
WEAK = [name.removeprefix("baseline: ") for name in VERDICTS if name.startswith("baseline")]

FURTHER = {
    "chosen-ciphertext",
    "feistel",
    "influence",
    "key-bits",
    "layers",
    "propagation",
    "repeats",
    "s-boxes",
    "streams",
    "subspace",
    "summary",
    "superposition",
    "visible",
}
"""Attacks that tests/analysis/test_families.py tests on its own ciphers."""


def run_all_attacks(oracle: Callable[[AnyArray], AnyArray], plain: AnyArray) -> dict[str, Finding]:
    """Return the finding of each attack with its default options."""
    target = Target(name="target", oracle=oracle)
    return {
        name: attack.run(target, plain, **attack.complete_options({}))
        for name, attack in ATTACKS.items()
        if attack.takes == "pixels" and not attack.blocks and name not in FURTHER
    }


def make_oracle(name: str, *, salted: bool) -> Callable[[AnyArray], AnyArray]:
    """Return the scheme of this name under one key, or under a new key for each image."""
    kind, _, short = name.rpartition(": ")
    if kind == "ours":
        return {**ONE_MAP, **NEW_MAPS}[short]
    if kind == "baseline":
        return BASELINES[short].oracle(report_key(0), fixed=True)
    run, numbers = make_cipher(VERDICTS[name]["stages"]), count()
    return lambda image: run(image, report_key(next(numbers) if salted else 0))


@pytest.mark.parametrize("name", VERDICTS)
def test_verdicts_are_true(name: str) -> None:
    """The attacks listed for a scheme break it, and no others; leaks are at least those listed."""
    row, plain = VERDICTS[name], SECRET if name.startswith("ours") else FACE
    result = run_all_attacks(make_oracle(name, salted="salted" in row), plain)
    broken, leaks = (
        {attack for attack, each in result.items() if each.outcome is outcome}
        for outcome in (Outcome.BROKEN, Outcome.LEAKS)
    )
    assert broken == set(row.get("broken", "").split())
    assert leaks >= set(row.get("leaks", "").split())
    if not broken and "few" not in row:  # one of few blocks may stay in place by chance
        assert leaks == set(row.get("leaks", "").split())
    for attack in row.get("shown", "").split():
        assert np.mean(result[attack].picture == plain) > 0.99
        assert not np.array_equal(result[attack].seen, plain)
    reuse = result["reuse"]
    for field, words in (
        ("repeats", "equal images give equal results"),
        ("moves_only", "no key stream to reuse"),
    ):
        assert reuse.details[field] == row.get(field, reuse.details[field])
        assert (words in reuse.verdict) == reuse.details[field]
    if reuse.details["moves_only"]:
        assert reuse.recovered <= reuse.details["expected"]
    if "lines" in row:
        assert set(result["row-column"].details.values()) == {0}
        low, high = row["changed"]
        assert low <= result["differential"].details["changed_samples"] <= high


def test_a_map_serves_images_of_any_order_in_memory() -> None:
    """A recovered map restores a later picture, in any memory order, with the expected queries."""
    chosen, differences = (
        attack(ONE_MAP["context"], SECRET.shape)
        for attack in (chosen_plaintext_attack, differential_attack)
    )
    scrambled = ONE_MAP["context"](SECRET)
    for result in (chosen, differences):
        assert np.array_equal(result.restore(scrambled), SECRET)
        assert np.array_equal(result.restore(np.asfortranarray(scrambled)), SECRET)
    assert (chosen.queries, differences.queries) == (2, 5)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name == "s-box" else pytest.mark.nightly) for name in WEAK],
)
def test_reports_find_each_weak_scheme_broken(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The security report of each weak scheme on a photograph says that it is broken."""
    monkeypatch.chdir(tmp_path)
    Image.fromarray(picture("astronaut")[50:178, 80:240]).save("photo.png")
    options = ("--quick",) if name == "s-box" else ()
    command_result = CliRunner().invoke(cli, ("security-report", name, "photo.png", *options))
    assert command_result.exit_code == 0, command_result.stderr
    data = json.loads(Path(f"{name}-security.json").read_text(encoding="utf-8"))
    assert "broken" in json.dumps(data["attacks"])
    assert "it is broken by" in Path(f"{name}-security.html").read_text(encoding="utf-8")


def encrypt_by_aes(image: AnyArray, key: bytes) -> SchemeResult:
    """Encrypt the samples by AES-CTR with a new nonce for each image."""
    encryptor = Cipher(algorithms.AES256(key), modes.CTR(os.urandom(16))).encryptor()
    stream = np.frombuffer(encryptor.update(image.tobytes()), image.dtype)
    return SchemeResult(stream.reshape(image.shape))


STRONG = {
    "encrypt": lambda image, key: SchemeResult(encrypt(image, Key(key)).pixels),
    "encrypt, without salt": lambda image, key: SchemeResult(
        encrypt(image, Key(key), deterministic=True).pixels
    ),
    "scramble": lambda image, key: SchemeResult(scramble(image, Key(key)).pixels),
    "scramble, without salt": lambda image, key: SchemeResult(
        scramble(image, Key(key), deterministic=True).pixels
    ),
    "aes": encrypt_by_aes,
}


@pytest.mark.parametrize("runs", [1, pytest.param(20, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("name", STRONG)
def test_nothing_is_found_in_strong_schemes(name: str, runs: int) -> None:
    """In runs under different keys, no attack finds anything in strong schemes."""
    scheme = MeasuredScheme(name=name, fixed=STRONG[name], limits="for tests")
    plain = np.ascontiguousarray(picture("astronaut")[50:146, 180:276])
    for index in range(runs):
        image = plain if index % 2 else np.ascontiguousarray(plain[..., 1])
        result = run_all_attacks(scheme.oracle(report_key(index), fixed=True), image)
        assert {each.outcome for each in result.values()} == {Outcome.NOTHING}, index


@pytest.mark.nightly
def test_the_jigsaw_finds_nothing_in_strong_schemes() -> None:
    """In 20 runs under different keys, the jigsaw breaks no strong scheme."""
    plain = picture("camera")[100:228, 200:328]
    jigsaw = ATTACKS["jigsaw"]
    for index in range(20):
        for name, fixed in STRONG.items():
            oracle = MeasuredScheme(name=name, fixed=fixed, limits="").oracle(
                report_key(index), fixed=True
            )
            target = Target(name=name, oracle=oracle)
            assert (
                jigsaw.run(target, plain, **jigsaw.complete_options({})).outcome
                is not Outcome.BROKEN
            )


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["encrypt", "uniform", pytest.param("bit-shuffle", marks=pytest.mark.nightly)]
)
def test_each_attack_takes_seconds(name: str) -> None:
    """Each attack on 512 x 512 pixels takes at most 20 seconds of processor time."""
    plain = picture("camera")
    oracle = load_schemes()[name].oracle(report_key(0), fixed=True)
    for attack in ATTACKS.values():
        if attack.blocks or attack.takes != "pixels" or attack.name in FURTHER:
            continue
        start = process_time()
        attack.run(Target(name=name, oracle=oracle), plain, **attack.complete_options({}))
        assert process_time() - start < 20, attack.name


def test_a_leak_begins_beyond_five_deviations_and_four() -> None:
    """Of 100 expected right guesses, up to 154 are chance; of none, up to 4."""
    for hits, outcome in ((154, Outcome.NOTHING), (155, Outcome.LEAKS), (2081, Outcome.BROKEN)):
        assert judge_share(hits / 10_000, chance=0.01, trials=10_000) is outcome
    for hits, outcome in ((4, Outcome.NOTHING), (5, Outcome.LEAKS)):
        assert judge_share(hits / 1000, chance=0, trials=1000) is outcome


@pytest.mark.parametrize("trials", [10, 1000, 10**6])
@pytest.mark.parametrize("chance", [1e-6, 1 / 256, 0.5])
def test_outcomes_allow_for_chance(chance: float, trials: int) -> None:
    """Chance gives a leak less than once in a million attacks; a fifth beyond chance is a break."""
    hits = np.arange(trials + 1) if trials <= 1000 else np.arange(0, trials + 1, 97)
    result = [judge_share(hit / trials, chance=chance, trials=trials) for hit in hits.tolist()]
    first = next(
        (hit for hit, one in zip(hits, result, strict=True) if one != "nothing found"), None
    )
    if first is None:
        assert (chance, trials) == (0.5, 10)
        return
    assert stats.binom.sf(first - 1, trials, chance) < 1e-6
    assert first <= chance * trials + 6 * (chance * trials) ** 0.5 + 102
    order = [Outcome.NOTHING, Outcome.LEAKS, Outcome.BROKEN]
    ranks = [order.index(one) for one in result]
    assert ranks == sorted(ranks)
    for hit, one in zip(hits, result, strict=True):
        assert (
            hit / trials - chance >= MIN_BROKEN_SHARE * (1 - chance)
        ) or one is not Outcome.BROKEN


@pytest.mark.parametrize("depth", [1, 8, 16])
def test_similarities_are_one_for_equal_pictures(depth: int) -> None:
    """All similarities are 1 for equal pictures but those of two planes, and small for noise."""
    rng = np.random.default_rng(depth)
    waves = np.add.outer(np.sin(np.arange(64) / 9), np.cos(np.arange(80) / 7)) / 4 + 0.5
    noise = rng.random(waves.shape)
    dtype = np.uint16 if depth == 16 else np.uint8 if depth == 8 else np.bool_
    image, other = ((each * (2**depth - 1)).round().astype(dtype) for each in (waves, noise))
    similarities = list(visible._iterate_similarities(image, image))
    names = [name for name, _, _ in similarities]
    assert {"equal samples", "plane 0", "means of 8 x 8", "edges"} <= {*names}
    for name, value, count_of_samples in similarities:
        assert "in plane" in name or value == pytest.approx(1), name
        assert count_of_samples == (
            80 if name.startswith("means") else 64 * 79 if name == "edges" else 64 * 80
        )
    for name, value, count_of_samples in visible._iterate_similarities(image, other):
        assert abs(value) < 5 / count_of_samples**0.5, name
    assert {name for name, *_ in visible._iterate_similarities(image, other)} == {*names}
