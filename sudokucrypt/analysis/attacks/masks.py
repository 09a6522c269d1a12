"""Masks: streams that are put on samples, and the attack on one that is used twice."""

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.analysis.attacks import contract
from sudokucrypt.analysis.attacks.unit_maps import ImageUnits, has_units, random_images
from sudokucrypt.analysis.baselines import UniformShuffle
from sudokucrypt.typing import AnyArray

Combination: TypeAlias = Literal["exclusive-or", "sum", "difference"]
"""How a stream k is put on samples p modulo the number of levels: p ^ k, p + k, or k - p."""

_Operation: TypeAlias = Callable[[AnyArray, AnyArray], AnyArray]

# What makes results of samples and their stream, both of one unsigned dtype.
ADDERS: dict[Combination, _Operation] = {
    "exclusive-or": np.bitwise_xor,
    "sum": np.add,
    "difference": lambda plain, stream: stream - plain,
}

# What makes samples of their results and the stream.
REMOVERS: dict[Combination, _Operation] = ADDERS | {"sum": np.subtract}

# What makes the stream of results and their samples.
FINDERS: dict[Combination, _Operation] = {
    "exclusive-or": np.bitwise_xor,
    "sum": np.subtract,
    "difference": np.add,
}


def list_combinations(image: AnyArray) -> tuple[Combination, ...]:
    """Return the combinations that differ for samples like these: bits have one only."""
    return ("exclusive-or",) if image.dtype == np.bool_ else tuple(ADDERS)


def fixed_mask(*, seed: int = 0, combination: Combination = "exclusive-or") -> contract.Oracle:
    """Return a scheme that puts one key stream, which a seed stands for, on every image.

    Parameters
    ----------
    seed : int, default 0
        The number that the key stream follows from, 0 or more.
    combination : {"exclusive-or", "sum", "difference"}, default "exclusive-or"
        How stream and samples are joined.

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
    """Move all pixels by one map, then put one key stream on them: what many schemes come to.

    Parameters
    ----------
    image : ndarray of shape (M, N) or (M, N, C), bool, uint8 or uint16
        The image.
    """
    return fixed_mask()(UniformShuffle().scramble(image))


def reuse_attack(oracle: contract.Oracle, picture: ArrayLike) -> contract.Finding:
    """Take the key stream from one known image, and remove it from the results of others.

    The oracle is in the use that is to be judged: with a fresh salt each time, with one salt, or
    with none. The attacker has only the result of `picture`.

    A stream k that is used twice falls out: (p1 ^ k) ^ (p2 ^ k) ^ p1 = p2, and likewise for sums
    p + k and differences k - p. The share is measured on an image p2 of uniform samples, of which
    unrelated guesses are right with chance 1/L; photographs would agree by chance more often. A
    scheme that only moves units has no stream, however many stay in place: see
    `chosen_plaintext_attack`.

    Details are `repeats`, whether one image gave the same result twice, so that equal images show;
    `moves_only`, whether results hold the samples or the bits of their images, in any order;
    `combination`, the way to remove a key stream that explains more; and `expected`, the share
    that chance recovers, 1/L for L levels.
    Source: E. Dawson, L. Nielsen, 1996, doi:10.1080/0161-119691884870.

    Parameters
    ----------
    oracle : callable
        The scheme under one key: takes an image, and returns one of its shape and dtype.
    picture : ndarray of shape (M, N) or (M, N, C), bool, uint8 or uint16
        The picture that the attacker is after.

    Examples
    --------
    >>> result = reuse_attack(lambda image: image ^ 0x5A, np.eye(16, dtype=np.uint8))
    >>> result.broken, result.repeats, result.picture[3, 2:5].tolist()
    (True, True, [0, 1, 0])
    """
    target = np.asarray(picture)
    units = ImageUnits.like(target, "sample")
    known, second = _draw_two_images(target)
    seen, again, hidden, protected = contract.query_all(oracle, (known, known, second, target))
    shares, pictures = {}, {}
    for combination in list_combinations(target):
        stream = FINDERS[combination](seen, known)
        shares[combination] = float((REMOVERS[combination](hidden, stream) == second).mean())
        pictures[combination] = REMOVERS[combination](protected, stream)
    best = max(shares, key=shares.__getitem__)
    moves_only = _moves_only(oracle, known)
    expected, repeats = 1 / units.levels, bool(np.array_equal(seen, again))
    outcome = contract.judge_share(shares[best], chance=expected, trials=units.count)
    share = units.in_words(shares[best])
    words = f"no key stream was used twice, and {share} came back (by chance {expected:.4f})"
    # Samples that stay in place agree with the second image by their position, not by a stream.
    if moves_only:
        outcome = contract.Outcome.NOTHING
        words = "no key stream to reuse, since units are only moved"
    elif outcome is not contract.Outcome.NOTHING:
        words = f"the key stream repeats; one known image gave {share} of another one, by {best}"
        if outcome is contract.Outcome.LEAKS:
            words = (
                f"a key stream repeats in part, or some samples stay: {words.partition('; ')[2]}"
            )
    even = "equal images give equal" if repeats else "even equal images give different"
    return contract.Finding(
        outcome=outcome,
        text=f"{words}; {even} results",
        queries=1,
        recovered=min(shares[best], expected) if moves_only else shares[best],
        seen=protected,
        picture=protected if moves_only else pictures[best],
        details={
            "repeats": repeats,
            "moves_only": moves_only,
            "combination": best,
            "expected": expected,
        },
    )


def _draw_two_images(like: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return two random images of which no sample agrees: equal ones need no stream to be equal."""
    # Where both agree, a result that equals the first would count as a stream that was found.
    first, second = random_images(like.shape, 2, dtype=like.dtype)
    if like.dtype == np.bool_:
        return first, second
    return first, first ^ np.maximum(second, 1)


def _moves_only(oracle: contract.Oracle, image: AnyArray) -> bool:
    """Return whether results have the samples of their images, or the bits."""
    return has_units(oracle, image, "sample") or has_units(oracle, image, "bit")


@contract.attack(
    name="reuse",
    threat="known",
    title="Reuse of salt and key stream",
    control=lambda: contract.Target(name="one mask", oracle=fixed_mask()),
    details={
        "repeats": "whether one image gave the same result twice",
        "moves_only": "whether samples or bits were only moved",
        "combination": 'how the key stream was removed, `"exclusive-or"`, `"sum"` or '
        '`"difference"`',
        "expected": "the share recovered by chance",
    },
)
def _run_reuse(target: contract.Target, plain: AnyArray) -> contract.Finding:
    """Find equal images, and key streams that are used twice.

    Needs: one image and its result; looks for a key stream used twice

    The attacker has one image and its result, computes the key stream from them, and removes it
    from the result of another image.
    """
    return reuse_attack(target.oracle, plain)
