"""Verdicts on ciphers of many tastes: the broken are called broken, and the secure never."""

import numpy as np
import pytest

from sudokucrypt.analysis import ATTACKS, NamedImage, report_key, run_attack, scheme_from_function
from sudokucrypt.analysis.attacks import Outcome, Target
from tests.analysis.attacks.test_verdicts import FURTHER
from tests.analysis.ciphers import ROWS, cipher
from tests.analysis.pictures import picture

PLAIN = NamedImage(
    name="camera", pixels=np.ascontiguousarray(picture("camera")[100:228:2, 200:328:2])
)
# Those that take an attack ten seconds or more.
LONG = {"pairs", "nonlinear-twice", "stream-of-what-came", "zhu", "sbox-both-ways"}
# The attacks that one figure of each row of ciphers.toml rests on.
NAMES = sorted({*FURTHER, "affine", "codebook"})


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.nightly if name in LONG else [])
        for name in ROWS["broken"]
    ],
)
def test_broken_ciphers_are_broken(name: str) -> None:
    """The attack that is meant for it sees the picture."""
    stages, attack = ROWS["broken"][name]
    scheme = scheme_from_function(cipher(stages), name=name)
    assert run_attack(attack, PLAIN, [scheme], control=False).runs[0].broken


@pytest.mark.parametrize("keys", [1, pytest.param(20, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("name", ROWS["secure"])
def test_secure_ciphers_are_not_accused(name: str, keys: int) -> None:
    """Nothing more than chance is found under any key."""
    run = cipher(ROWS["secure"][name])
    for index in range(keys):
        key = report_key(index)
        oracle = scheme_from_function(run).oracle(key, fixed=True)
        target = Target(name=name, oracle=oracle, keyed=run)
        for attack in NAMES:
            if ATTACKS[attack].threat != "chosen ciphertext":
                result = ATTACKS[attack].run(target, PLAIN.pixels)
                assert result.outcome is Outcome.NOTHING, result.verdict
