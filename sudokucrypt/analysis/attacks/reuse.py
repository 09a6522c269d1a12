"""What results under one key have in common: equal images, and a key stream used twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.analysis.attacks.attack import (
    ATTACKS,
    BROKEN,
    Attack,
    Finding,
    Oracle,
    Outcome,
    Target,
    query,
)
from sudokucrypt.analysis.attacks.labels import Labels, random_images
from sudokucrypt.analysis.attacks.recovered import share_in_words
from sudokucrypt.analysis.baselines import UniformShuffle
from sudokucrypt.typing import AnyArray

Operation: TypeAlias = Callable[[AnyArray, AnyArray], AnyArray]


Combination: TypeAlias = Literal["exclusive-or", "sum"]
"""Exclusive-or of the bits, or the sum modulo the number of levels."""

REMOVERS: Mapping[Combination, Operation] = MappingProxyType(
    {"exclusive-or": np.bitwise_xor, "sum": np.subtract}
)
"""What takes a stream off samples of an unsigned dtype again."""

ADDERS: Mapping[Combination, Operation] = MappingProxyType(
    {"exclusive-or": np.bitwise_xor, "sum": np.add}
)
"""What puts a stream on samples of an unsigned dtype."""


def combinations_for(image: AnyArray) -> tuple[Combination, ...]:
    """Return the ways that differ for samples like these: bits have one only."""
    return ("exclusive-or",) if image.dtype == np.bool_ else ("exclusive-or", "sum")


def fixed_mask(*, seed: int = 0, combination: Combination = "exclusive-or") -> Oracle:
    """Return a scheme that puts one key stream on every image.

    Parameters
    ----------
    seed : int
        0 or more; it stands for the key.
    combination : {"exclusive-or", "sum"}
        How the stream is put on samples of dtype uint8 or uint16.

    Examples
    --------
    >>> import numpy as np
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

    Parameters
    ----------
    repeats : bool
        Whether one image gave the same result twice: then equal images show.
    moves_only : bool
        Whether results hold the samples of their images, in whatever order.
    combination : {"exclusive-or", "sum"}
        How a key stream was taken to be put on samples; the one that explains more.
    recovered : float
        The share of samples of a second image that came back right, 0..1.
    expected : float
        The same share for a scheme that uses no stream twice: 1/L for L levels.
    picture : ndarray of shape (M, N) or (M, N, C)
        What the attacker takes the picture to be.
    verdict : str
        The result in words.
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
        return self.recovered - self.expected >= BROKEN * (1 - self.expected)


def reuse_attack(oracle: Oracle, picture: ArrayLike) -> ReuseResult:
    """Take the key stream from one known image, and take it off the results of others.

    Parameters
    ----------
    oracle : callable
        The scheme under one key, in the use that is to be judged: with a fresh salt each time,
        with one salt, or with none. Takes an image, returns one of the same shape and dtype.
    picture : array_like of shape (M, N) or (M, N, C), dtype bool, uint8 or uint16
        A picture that the attacker has only the result of.

    Returns
    -------
    ReuseResult
        With what the attacker takes the picture to be.

    Notes
    -----
    A stream k that is used twice falls out: (p1 ^ k) ^ (p2 ^ k) ^ p1 = p2, and likewise for sums.
    The share is measured on an image p2 of uniform samples, of which unrelated guesses are right
    with chance 1/L; photographs would agree by chance more often. A scheme that only moves units
    has no stream: see `chosen_plaintext_attack`.

    References
    ----------
    E. Dawson, L. Nielsen, Automated cryptanalysis of XOR plaintext strings, 1996,
    doi:10.1080/0161-119691884870.

    Examples
    --------
    >>> result = reuse_attack(lambda image: image ^ 0x5A, np.eye(16, dtype=np.uint8))
    >>> result.broken, result.repeats, result.picture[3, 2:5].tolist()
    (True, True, [0, 1, 0])
    """
    target = np.asarray(picture)
    labels = Labels.like(target, "sample")
    known, second = random_images(target.shape, 2, dtype=target.dtype)
    seen, again, hidden = (query(oracle, image) for image in (known, known, second))
    protected = query(oracle, target)
    shares: dict[Combination, float] = {}
    for combination in combinations_for(target):
        remove = REMOVERS[combination]
        guess = remove(hidden, remove(seen, known))
        shares[combination] = float((guess == second).mean())
    best = max(shares, key=lambda combination: shares[combination])
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
    return replace(result, verdict=_verdict(result))


def _verdict(result: ReuseResult) -> str:
    share = share_in_words(result.recovered, f"{result.picture.size} samples")
    equal = (
        "equal images give equal results"
        if result.repeats
        else "even equal images give different results"
    )
    if result.broken:
        return (
            f"broken: the key stream repeats; one known image gave {share} of another one, by "
            f"{result.combination}; {equal}"
        )
    if result.moves_only:
        return f"no key stream to reuse, since samples are only moved; {equal}"
    return (
        f"not broken by this attack: no key stream was used twice, and {share} came back (by "
        f"chance {result.expected:.4f}); {equal}"
    )


def _run(target: Target, plain: AnyArray) -> Finding:
    result = reuse_attack(target.oracle, plain)
    names = ("repeats", "moves_only", "combination", "expected")
    return Finding(
        outcome=Outcome.BROKEN if result.broken else Outcome.NOTHING,
        verdict=result.verdict,
        queries=1,
        recovered=result.recovered,
        seen=query(target.oracle, plain),
        picture=result.picture,
        details={name: getattr(result, name) for name in names},
    )


ATTACKS.register(
    Attack(
        name="reuse",
        title="Reuse of salt and key stream",
        summary="Find equal images, and key streams that are used twice.",
        needs="one image and its result, and looks for a key stream used twice",
        method="The attacker has one image and its result, takes the key stream from them, and "
        "takes that off the result of another image.",
        run=_run,
        control=lambda: Target(name="one mask", oracle=fixed_mask()),
        details={
            "repeats": "whether one image gave one result twice",
            "moves_only": "whether samples kept their values",
            "combination": 'how the key stream was taken off, `"exclusive-or"` or `"sum"`',
            "expected": "the share that comes back by chance",
        },
    )
)
