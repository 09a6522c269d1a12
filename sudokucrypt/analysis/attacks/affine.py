"""Affine schemes: the results of four images show that all results follow from some of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import DTypeLike

from sudokucrypt.analysis.attacks import attack, unit_maps
from sudokucrypt.analysis.attacks.differential import differential_attack
from sudokucrypt.analysis.attacks.masks import Combination, combinations_for
from sudokucrypt.analysis.baselines import ChainXor
from sudokucrypt.typing import AnyArray

# From this share of right guesses on a bit of samples counts as affine; half is chance.
_PLANE = 0.75

# Of fewer samples three quarters may be right by chance.
_FEWEST = 256

_Join: TypeAlias = Callable[[AnyArray, AnyArray, AnyArray], AnyArray]

_JOINED: dict[Combination, _Join] = {
    "exclusive-or": lambda a, b, c: a ^ b ^ c,
    "sum": lambda a, b, c: a - b + c,
}


@dataclass(frozen=True, kw_only=True, eq=False)
class AffineResult(attack.AttackResult):
    """What the attack found.

    `recovered` is the share of samples of a fourth result that follow from three others, 0..1, and
    `combination` the way that explains more of them: exclusive-or or sum. `planes` counts the bits
    of samples that follow by exclusive-or for three quarters of the samples or more.
    """

    combination: Combination
    planes: int


def affine_attack(
    oracle: attack.Oracle, shape: tuple[int, ...], *, dtype: DTypeLike = np.uint8
) -> AffineResult:
    """Test whether f(a) ^ f(b) ^ f(c) = f(a ^ b ^ c), or f(a) - f(b) + f(c) = f(a - b + c).

    `shape` and `dtype` are those of the images to attack. The images are random, and their samples
    at one position differ, as samples of results must that count as predicted.

    Moving units, masks, chains of exclusive-or or of sums, and matrices are affine, in whatever
    number and order. Then the results for as many images as there are bits, and one more, give the
    scheme away as a system of linear equations: diffusion and any number of rounds make it no
    harder. By chance one sample in L follows. Bits of samples that follow although samples do not
    show sums and exclusive-or mixed, of which the lowest bits are affine.
    """
    image = unit_maps.blank(shape, dtype)
    a, b, c = _different(image)
    seen = attack.query_all(oracle, (a, b, c))
    # A sample that never changes would follow from any three results.
    moving = (seen[0] != seen[1]) & (seen[1] != seen[2])
    shares: dict[Combination, float] = {}
    planes = 0
    for combination in combinations_for(image)[:2]:
        fourth = attack.query(oracle, _JOINED[combination](a, b, c))
        guess = _JOINED[combination](*seen)
        shares[combination] = float((guess == fourth)[moving].mean()) if moving.any() else 0.0
        if combination == "exclusive-or":
            planes = _affine_planes((guess ^ fourth)[moving])
    best = max(shares, key=shares.__getitem__)
    units = unit_maps.ImageUnits.like(image, "sample")
    # Three levels are taken at each position, and none of them may be the fourth.
    chance = 1 / max(2, units.levels - 3)
    trials = int(np.count_nonzero(moving))
    outcome = attack.outcome_of(shares[best], chance=chance, trials=trials)
    share = units.in_words(shares[best])
    words = f"three results foretell {share} of a fourth, by {best}"
    # A system of linear equations over bits has one unknown column a bit, and the constant.
    bits = unit_maps.ImageUnits.like(image, "bit").count
    if outcome is attack.Outcome.BROKEN:
        much = "every later one" if shares[best] == 1 else "as much of every later one"
        words += f"; {bits + 1} chosen images give {much} as linear equations"
    elif planes:
        outcome = attack.Outcome.LEAKS
        words += f" (by chance {chance:.4f}), and {planes} of the bits of each sample"
    else:
        words += f" (by chance {chance:.4f})"
    return AffineResult(
        combination=best,
        planes=planes,
        recovered=shares[best],
        outcome=outcome,
        verdict=attack.verdict_of(outcome, words),
    )


def _different(image: AnyArray) -> list[AnyArray]:
    """Return three random images, like one, that differ at each position; bits cannot."""
    # Equal samples in two of the images would predict themselves.
    first, second, third = unit_maps.random_images(image.shape, 3, dtype=image.dtype)
    if image.dtype == np.bool_:
        return [first, second, third]
    np.maximum(second, 1, out=second)
    again = (third == 0) | (third == second)
    third[again] = np.where(second[again] == 1, 2, 1)
    return [first, first ^ second, first ^ third]


def _affine_planes(wrong: AnyArray) -> int:
    """Return how many bits of samples are right nearly everywhere, of samples in one axis."""
    if wrong.size < _FEWEST:
        return 0
    bits = unit_maps.ImageUnits.like(wrong[None], "bit").split(wrong).reshape(wrong.size, -1)
    return int(np.count_nonzero((bits == 0).mean(axis=0) >= _PLANE))


@attack.attack(
    name="affine",
    title="Affine structure",
    summary="Test whether results follow from each other by exclusive-or or sums.",
    needs="four images of the attacker's choice",
    method="The attacker has three random images scrambled, and a fourth that is their "
    "exclusive-or, or their alternating sum. If its result is that of the three results, the "
    "scheme is a system of linear equations, however many rounds it has. The picture is recovered "
    "if differences undo the scheme.",
    control=lambda: attack.Target(name="one map and a chain", oracle=ChainXor().scramble),
    details={
        "combination": 'how results follow from each other, `"exclusive-or"` or `"sum"`',
        "planes": "how many bits of samples follow by exclusive-or",
    },
)
def _run(target: attack.Target, plain: AnyArray) -> attack.Finding:
    result = affine_attack(target.oracle, plain.shape, dtype=plain.dtype)
    seen = picture = attack.query(target.oracle, plain)
    if result.broken:
        behind = differential_attack(target.oracle, plain.shape, dtype=plain.dtype, unit="sample")
        picture = behind.restore(seen) if behind.broken else seen
    return result.finding(seen, picture, queries=5)
