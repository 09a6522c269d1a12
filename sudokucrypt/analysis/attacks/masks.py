"""Masks: a key stream used twice, and the map behind a mask that stays."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from sudokucrypt.analysis.attacks import attack
from sudokucrypt.analysis.attacks.maps import Labels, RecoveredMap, random_images
from sudokucrypt.analysis.attacks.plaintext import chosen_plaintext_attack
from sudokucrypt.analysis.baselines import UniformShuffle
from sudokucrypt.analysis.inputs import checked_pair
from sudokucrypt.analysis.metrics.quality import npcr, uaci
from sudokucrypt.analysis.results import Measurement
from sudokucrypt.typing import AnyArray

Combination: TypeAlias = Literal["exclusive-or", "sum"]
"""Exclusive-or of the bits, or the sum modulo the number of levels."""

ADDERS: dict[Combination, Callable[..., AnyArray]] = {"exclusive-or": np.bitwise_xor, "sum": np.add}
"""What puts a stream on samples of an unsigned dtype."""

REMOVERS = ADDERS | {"sum": np.subtract}
"""What takes it off again."""


def combinations_for(image: AnyArray) -> tuple[Combination, ...]:
    """Return the ways that differ for samples like these: bits have one only."""
    return ("exclusive-or",) if image.dtype == np.bool_ else ("exclusive-or", "sum")


def fixed_mask(*, seed: int = 0, combination: Combination = "exclusive-or") -> attack.Oracle:
    """Return a scheme that puts one key stream, which a seed stands for, on every image.

    Examples
    --------
    >>> scheme = fixed_mask(seed=1)
    >>> scheme(scheme(np.arange(6, dtype=np.uint8).reshape(2, 3))).tolist()
    [[0, 1, 2], [3, 4, 5]]
    """

    def scheme(image: AnyArray) -> AnyArray:
        stream = random_images(image.shape, 1, dtype=image.dtype, seed=seed)[0]
        return ADDERS[combination](image, stream)

    return scheme


def masked_shuffle(image: AnyArray) -> AnyArray:
    """Move all pixels by one map, then put one key stream on them: what many schemes come to."""
    return fixed_mask()(UniformShuffle().scramble(image))


@dataclass(frozen=True, kw_only=True, eq=False)
class ReuseResult:
    """What the attack found.

    `repeats` says whether one image gave the same result twice, so that equal images show, and
    `moves_only` whether results hold the samples of their images, in whatever order. `combination`
    is the way to take off a key stream that explains more. `recovered` is the share of samples of a
    second image that came back right, 0..1, and `expected` the same for a scheme that uses no
    stream twice: 1/L for L levels. `picture` is what the attacker takes the picture to be.
    """

    repeats: bool
    moves_only: bool
    combination: Combination
    recovered: float
    expected: float
    picture: AnyArray
    verdict: str

    @property
    def broken(self) -> bool:
        """Whether other images leak through a known one: half of what chance leaves, or more."""
        return self.recovered - self.expected >= attack.BROKEN * (1 - self.expected)


def reuse_attack(oracle: attack.Oracle, picture: ArrayLike) -> ReuseResult:
    """Take the key stream from one known image, and take it off the results of others.

    The oracle is in the use that is to be judged: with a fresh salt each time, with one salt, or
    with none. The attacker has only the result of `picture`.

    A stream k that is used twice falls out: (p1 ^ k) ^ (p2 ^ k) ^ p1 = p2, and likewise for sums.
    The share is measured on an image p2 of uniform samples, of which unrelated guesses are right
    with chance 1/L; photographs would agree by chance more often. A scheme that only moves units
    has no stream: see `chosen_plaintext_attack`.
    Source: E. Dawson, L. Nielsen, 1996, doi:10.1080/0161-119691884870.

    Examples
    --------
    >>> result = reuse_attack(lambda image: image ^ 0x5A, np.eye(16, dtype=np.uint8))
    >>> result.broken, result.repeats, result.picture[3, 2:5].tolist()
    (True, True, [0, 1, 0])
    """
    target = np.asarray(picture)
    labels = Labels.like(target, "sample")
    known, second = random_images(target.shape, 2, dtype=target.dtype)
    seen, again, hidden = (attack.query(oracle, image) for image in (known, known, second))
    protected = attack.query(oracle, target)
    shares: dict[Combination, float] = {}
    for combination in combinations_for(target):
        remove = REMOVERS[combination]
        shares[combination] = float((remove(hidden, remove(seen, known)) == second).mean())
    best = max(shares, key=shares.__getitem__)
    remove = REMOVERS[best]
    result = ReuseResult(
        repeats=bool(np.array_equal(seen, again)),
        moves_only=bool(np.array_equal(np.sort(seen, axis=None), np.sort(known, axis=None))),
        combination=best,
        recovered=shares[best],
        expected=1 / labels.levels,
        picture=remove(protected, remove(seen, known)),
        verdict="",
    )
    share = labels.in_words(result.recovered)
    verdict = attack.judged(
        result.broken,
        f"the key stream repeats; one known image gave {share} of another one, by {best}",
        f"no key stream was used twice, and {share} came back (by chance {result.expected:.4f})",
    )
    if result.moves_only and not result.broken:
        verdict = "no key stream to reuse, since samples are only moved"
    equal = "equal images give equal results"
    if not result.repeats:
        equal = "even equal images give different results"
    return replace(result, verdict=f"{verdict}; {equal}")


@attack.attack(
    name="reuse",
    title="Reuse of salt and key stream",
    summary="Find equal images, and key streams that are used twice.",
    needs="one image and its result, and looks for a key stream used twice",
    method="The attacker has one image and its result, takes the key stream from them, and "
    "takes that off the result of another image.",
    control=lambda: attack.Target(name="one mask", oracle=fixed_mask()),
    details={
        "repeats": "whether one image gave one result twice",
        "moves_only": "whether samples kept their values",
        "combination": 'how the key stream was taken off, `"exclusive-or"` or `"sum"`',
        "expected": "the share that comes back by chance",
    },
)
def _run_reuse(target: attack.Target, plain: AnyArray) -> attack.Finding:
    result = reuse_attack(target.oracle, plain)
    names = ("repeats", "moves_only", "combination", "expected")
    views = {"seen": attack.query(target.oracle, plain), "picture": result.picture}
    return attack.finding_of(result, *names, queries=1, recovered=result.recovered, **views)


@dataclass(frozen=True, kw_only=True, eq=False)
class DifferentialResult(RecoveredMap):
    """What the attack found: a mask, the `RecoveredMap` behind it, and how results differ.

    `changed` is how many samples of the result one changed sample of an image changes; `npcr` and
    `uaci` are of the same two results. `combination` is the way to take differences that explains
    more. `mask` is the result for an image of zeros: the mask if it is the same for all images.
    """

    queries: int
    changed: int
    npcr: Measurement
    uaci: Measurement
    combination: Combination
    mask: AnyArray

    def restore(self, scrambled: ArrayLike) -> AnyArray:
        """Return what mask and map make of the result of a later image."""
        checked_pair(scrambled, self.mask)
        return super().restore(REMOVERS[self.combination](np.asarray(scrambled), self.mask))


def differential_attack(
    oracle: attack.Oracle,
    shape: tuple[int, ...],
    *,
    dtype: DTypeLike = np.uint8,
    unit: attack.AttackUnit = "pixel",
) -> DifferentialResult:
    """Look at how results differ, and recover a map behind a mask that is the same each time.

    Arguments are as in `chosen_plaintext_attack`; the map and the share of it that holds for other
    images come back. One sample in the middle is changed by 1 for npcr and uaci. Then the result
    for zeros is taken off all others, which removes a mask that does not depend on the image, and
    the rest is `chosen_plaintext_attack`: ceil(log_L(K)) + 1 images. A scheme in which one sample
    changes nearly all others gives nothing, whether by diffusion or by a fresh salt.
    Source: E. Solak, C. Cokal, O. T. Yildiz, T. Biyikoglu, 2010, doi:10.1142/S0218127410026563.

    Examples
    --------
    >>> from sudokucrypt.analysis.baselines import ArnoldMap
    >>> masked = differential_attack(lambda image: ArnoldMap().scramble(image) ^ 90, (64, 64))
    >>> masked.recovered, masked.changed
    (1.0, 1)
    """
    labels = Labels(shape, dtype, unit)
    image = random_images(shape, 1, dtype=dtype)[0]
    changed = image.copy()
    changed.reshape(-1)[image.size // 2] ^= 1
    results = attack.query(oracle, image), attack.query(oracle, changed)
    zeros = np.zeros(shape, dtype=dtype)
    mask = attack.query(oracle, zeros)

    def unmasked(way: Combination) -> attack.Oracle:
        return lambda image: REMOVERS[way](attack.query(oracle, image), mask)

    attacks = {
        way: chosen_plaintext_attack(unmasked(way), shape, dtype=dtype, unit=unit)
        for way in combinations_for(zeros)
    }
    best = max(attacks, key=lambda way: attacks[way].recovered)
    found = attacks[best]
    count = int(np.count_nonzero(results[0] != results[1]))
    one = f"one changed sample changes {count} of {image.size}"
    share = labels.in_words(found.recovered)
    return DifferentialResult(
        unit=unit,
        queries=found.queries + 3,
        changed=count,
        npcr=npcr(*results),
        uaci=uaci(*results),
        combination=best,
        mask=mask,
        sources=found.sources,
        recovered=found.recovered,
        verdict=attack.judged(
            found.recovered >= attack.BROKEN,
            f"differences gave the places of {share}; {one}",
            f"differences are right for {share} in later images (by chance 1 in {labels.count}); "
            f"{one}",
        ),
    )


@attack.attack(
    name="differential",
    title="Differences",
    summary="Take off a fixed mask, then recover the map.",
    needs="images of the attacker's choice; takes off a mask that is always the same",
    method="The attacker has the result for zeros taken off all others, so that a mask that "
    "is the same for all images falls away, and then goes on as with chosen plaintext.",
    control=lambda: attack.Target(name="one map and one mask", oracle=masked_shuffle),
    details={
        "changed_samples": "how many samples of the result one changed sample changes",
        "combination": 'how the mask was taken off, `"exclusive-or"` or `"sum"`',
    },
)
def _run_differential(target: attack.Target, plain: AnyArray) -> attack.Finding:
    result = differential_attack(target.oracle, plain.shape, dtype=plain.dtype, unit=target.unit)
    details = {"changed_samples": result.changed, "combination": result.combination}
    return result.finding(
        attack.query(target.oracle, plain), queries=result.queries, details=details
    )
