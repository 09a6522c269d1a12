"""Ciphers of many families: those that fall are called broken, and the others never.

The attacks were made with the broken ones at hand, so that their number is a training score.
"""

import numpy as np
import pytest

from sudokucrypt.analysis import NamedImage, report_key, run_attack, scheme_from_function
from sudokucrypt.analysis.attacks import ATTACKS, Outcome
from tests.analysis.families import BROKEN, SECURE
from tests.analysis.fresh import FRESH_BROKEN, FRESH_SECURE
from tests.analysis.pictures import picture

PICTURES = {
    "gray": NamedImage(
        name="gray", pixels=np.ascontiguousarray(picture("camera")[100:164, 200:264])
    ),
    "color": NamedImage(
        name="color", pixels=np.ascontiguousarray(picture("astronaut")[100:164, 200:264])
    ),
}
# The quick ones, each of which breaks several families; one of them is enough.
ENOUGH = ("repeats", "feistel", "streams", "subspace", "layers", "key-bits")
DOCUMENTED = {"families": (BROKEN, 58), "fresh": (FRESH_BROKEN, 26)}
"""How many of the broken ones docs/explanation/attacks.md says are called broken, at least."""
SECURE |= FRESH_SECURE


def is_broken(name: str, plain: NamedImage) -> bool:
    """Return whether one of the quick attacks breaks a cipher."""
    scheme = scheme_from_function((BROKEN | FRESH_BROKEN)[name], name=name)
    return any(
        run_attack(attack, plain, [scheme], control=False).runs[-1].broken for attack in ENOUGH
    )


@pytest.mark.parametrize("kind", ["gray", pytest.param("color", marks=pytest.mark.nightly)])
@pytest.mark.parametrize("group", DOCUMENTED)
def test_ciphers_of_many_families_fall(group: str, kind: str) -> None:
    """Two of sixty may be missed, and two of those that were written later."""
    ciphers, least = DOCUMENTED[group]
    missed = [name for name in ciphers if not is_broken(name, PICTURES[kind])]
    assert len(ciphers) - len(missed) >= least, missed


@pytest.mark.parametrize(
    ("kind", "keys"),
    [
        ("gray", 1),
        pytest.param("color", 1, marks=pytest.mark.nightly),
        pytest.param("gray", 20, marks=pytest.mark.nightly),
    ],
)
@pytest.mark.parametrize("name", SECURE)
def test_secure_ciphers_of_many_kinds_are_not_accused(name: str, kind: str, keys: int) -> None:
    """No attack finds anything, under any key."""
    scheme = scheme_from_function(SECURE[name], name=name)
    # One key is tried by the attacks that were made for these families.
    names = ENOUGH if keys == 1 and kind == "gray" else tuple(ATTACKS)
    for attack in names:
        for seed in range(keys):
            if ATTACKS[attack].takes == "pixels" and not ATTACKS[attack].blocks:
                run = run_attack(attack, PICTURES[kind], [scheme], seed=seed, control=False).runs[0]
                assert run.outcome in {None, Outcome.NOTHING}, run.finding


def test_wider_samples_are_not_accused_either() -> None:
    """Of 16 bits, under a mode that hides everything."""
    plain = PICTURES["gray"]
    deep = NamedImage(name="deep", pixels=plain.pixels.astype(np.uint16) * 257)
    scheme = scheme_from_function(SECURE["aes-ctr"])
    assert scheme.fixed(deep.pixels, report_key(0)).pixels.dtype == np.uint16
    for attack in ATTACKS.values():
        if attack.takes == "pixels" and not attack.blocks:
            run = run_attack(attack.name, deep, [scheme], control=False).runs[0]
            assert run.outcome in {None, Outcome.NOTHING}, run.finding
