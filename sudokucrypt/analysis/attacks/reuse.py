"""What results under one key have in common: equal images, and a key stream used twice."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.analysis.attacks.combining import REMOVERS, Combination, combinations_for
from sudokucrypt.analysis.attacks.labels import Labels, asked, random_images
from sudokucrypt.analysis.attacks.recovered import BROKEN, share_in_words

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from sudokucrypt.analysis.attacks.labels import Oracle
    from sudokucrypt.typing import AnyArray


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

    Raises
    ------
    InvalidImageError
        If the shape or dtype is not taken, or the scheme changes it.

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
    seen, again, hidden = (asked(oracle, image) for image in (known, known, second))
    protected = asked(oracle, target)
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
