"""Verdicts are true: of schemes of any taste, of the weak ones in the package, of strong ones."""

import json
import os
from collections.abc import Callable
from itertools import count
from pathlib import Path
from time import process_time

import numpy as np
import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from PIL import Image
from scipy import stats

from sudokucrypt import Key, encrypt, scramble
from sudokucrypt.analysis import BASELINES, MeasuredScheme, NamedImage, run_attack
from sudokucrypt.analysis.attacks import ATTACKS, Outcome, Target
from sudokucrypt.analysis.attacks.attack import BROKEN, outcome_of
from sudokucrypt.analysis.schemes import SchemeResult, report_key
from sudokucrypt.cli.analysis.schemes import all_schemes
from sudokucrypt.cli.program import cli
from sudokucrypt.typing import AnyArray
from tests.analysis.attacks.targets import TRUTHS, Truth
from tests.analysis.pictures import picture

FACE = np.ascontiguousarray(picture("camera")[100:164, 200:264])
WEAK = ["bit-shuffle", "chain-add", "chain-xor", "content-keyed", "dna", "ele", "etc-color",
        "etc-gray", "le", "row-column", "s-box"]  # fmt: skip
PHOTOGRAPHS = ("camera", "astronaut", "chelsea.jpg")


def outcomes(oracle: Callable[[AnyArray], AnyArray], plain: AnyArray) -> dict[str, Outcome]:
    """What each attack finds with its default options."""
    target = Target(name="target", oracle=oracle)
    return {
        name: attack.run(target, plain, **attack.checked({})).outcome
        for name, attack in ATTACKS.items()
        if attack.takes == "pixels" and not attack.blocks
    }


@pytest.mark.parametrize("truth", TRUTHS, ids=lambda truth: truth.cipher.__name__)
def test_schemes_of_other_tastes_get_true_verdicts(truth: Truth) -> None:
    """Those attacks break a scheme that it is open to, and one that none breaks is not blamed."""
    numbers = count()

    def oracle(image: AnyArray) -> AnyArray:
        return truth.cipher(image, report_key(next(numbers) if truth.salted else 0))

    found = outcomes(oracle, FACE)
    broken, leaks = (
        {name for name, outcome in found.items() if outcome is wanted}
        for wanted in (Outcome.BROKEN, Outcome.LEAKS)
    )
    assert broken == set(truth.broken.split())
    assert leaks >= set(truth.leaks.split())
    if not broken:
        assert leaks == set(truth.leaks.split())


@pytest.mark.parametrize("name", WEAK)
def test_each_weak_scheme_of_the_literature_falls(name: str) -> None:
    """Some attack breaks it on a photograph, and shows it."""
    plain = NamedImage(name="face", pixels=FACE)
    found = [
        run_attack(attack.name, plain, [BASELINES[name]])
        for attack in ATTACKS.values()
        if attack.takes == "pixels" and not attack.blocks
    ]
    findings = [each.runs[0].finding for each in found if each.runs[0].broken]
    assert any(
        one is not None
        and np.mean(one.picture == FACE) > 0.99
        and not np.array_equal(one.seen, FACE)
        for one in findings
    )
    if name == "content-keyed":
        assert {each.attack.name for each in found if each.runs[0].broken} == {"adaptive"}


@pytest.mark.slow
@pytest.mark.parametrize("name", WEAK)
def test_reports_find_each_weak_scheme_broken(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the default options, on three photographs."""
    monkeypatch.chdir(tmp_path)
    for photograph in PHOTOGRAPHS:
        Image.fromarray(picture(photograph)[50:178, 80:240]).save("photo.png")
        arguments = ("security-report", name, "photo.png", "--force")
        done = CliRunner().invoke(cli, arguments, catch_exceptions=False)
        assert done.exit_code == 0, done.stderr
        data = json.loads(Path(f"{name}-security.json").read_text(encoding="utf-8"))
        assert "broken" in json.dumps(data["attacks"])
        assert "it is broken by" in Path(f"{name}-security.html").read_text(encoding="utf-8")


def aes_of_the_pixels(image: AnyArray, key: bytes) -> SchemeResult:
    """AES-CTR with a new nonce for each image, over its samples."""
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
    "aes": aes_of_the_pixels,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", STRONG)
def test_nothing_is_found_in_strong_schemes(name: str) -> None:
    """In 20 runs, each under a key of its own, no attack finds more than chance explains."""
    scheme = MeasuredScheme(name=name, fixed=STRONG[name], limits="for tests")
    plain = np.ascontiguousarray(picture("astronaut")[50:146, 180:276])
    for number in range(20):
        image = plain if number % 2 else np.ascontiguousarray(plain[..., 1])
        found = outcomes(scheme.oracle(report_key(number), fixed=True), image)
        assert set(found.values()) == {Outcome.NOTHING}, (number, found)


@pytest.mark.slow
def test_the_jigsaw_finds_nothing_in_strong_schemes() -> None:
    """In 20 runs under keys of their own."""
    plain = picture("camera")[100:228, 200:328]
    jigsaw = ATTACKS["jigsaw"]
    for number in range(20):
        for name, fixed in STRONG.items():
            oracle = MeasuredScheme(name=name, fixed=fixed, limits="").oracle(
                report_key(number), fixed=True
            )
            target = Target(name=name, oracle=oracle)
            assert jigsaw.run(target, plain, **jigsaw.checked({})).outcome is not Outcome.BROKEN


@pytest.mark.slow
@pytest.mark.parametrize("name", ["encrypt", "uniform", "bit-shuffle"])
def test_each_attack_takes_seconds(name: str) -> None:
    """On 512 x 512 pixels, at most 20 seconds of processor time."""
    plain = picture("camera")
    oracle = all_schemes()[name].oracle(report_key(0), fixed=True)
    for attack in ATTACKS.values():
        if attack.blocks or attack.takes != "pixels":
            continue
        start = process_time()
        attack.run(Target(name=name, oracle=oracle), plain, **attack.checked({}))
        assert process_time() - start < 20, attack.name


@pytest.mark.parametrize("trials", [10, 1000, 10**6])
@pytest.mark.parametrize("chance", [1e-6, 1 / 256, 0.5])
def test_outcomes_allow_for_chance(chance: float, trials: int) -> None:
    """Guesses leak by chance less than once in a million attacks, and break from a fifth on."""
    hits = np.arange(trials + 1) if trials <= 1000 else np.arange(0, trials + 1, 97)
    found = [outcome_of(hit / trials, chance=chance, trials=trials) for hit in hits.tolist()]
    first = next(
        (hit for hit, one in zip(hits, found, strict=True) if one != "nothing found"), None
    )
    if first is None:
        assert (chance, trials) == (0.5, 10)
        return
    assert stats.binom.sf(first - 1, trials, chance) < 1e-6
    assert first <= chance * trials + 6 * (chance * trials) ** 0.5 + 102
    order = [Outcome.NOTHING, Outcome.LEAKS, Outcome.BROKEN]
    ranks = [order.index(one) for one in found]
    assert ranks == sorted(ranks)
    for hit, one in zip(hits, found, strict=True):
        assert (hit / trials - chance >= BROKEN * (1 - chance)) or one is not Outcome.BROKEN
