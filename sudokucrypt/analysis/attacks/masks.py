"""Combine samples with key streams, and attack key streams that are used twice."""

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.analysis.attacks import contract
from sudokucrypt.analysis.attacks.unit_maps import ImageUnits, keeps_units, random_images
from sudokucrypt.analysis.baselines import UniformShuffle
from sudokucrypt.typing import AnyArray

Combination: TypeAlias = Literal["exclusive-or", "sum", "difference"]
"""The operation that combines samples p and stream k, modulo the levels: p ^ k, p + k, or k - p."""

_Operation: TypeAlias = Callable[[AnyArray, AnyArray], AnyArray]

# Functions that compute the result from samples and stream, two arrays of one unsigned dtype.
STREAM_ADDERS: dict[Combination, _Operation] = {
    "exclusive-or": np.bitwise_xor,
    "sum": np.add,
    "difference": lambda plain, stream: stream - plain,
}

# Functions of result and stream that give the samples.
STREAM_REMOVERS: dict[Combination, _Operation] = STREAM_ADDERS | {"sum": np.subtract}

# Functions of result and samples that give the stream.
STREAM_FINDERS: dict[Combination, _Operation] = {
    "exclusive-or": np.bitwise_xor,
    "sum": np.subtract,
    "difference": np.add,
}


def list_combinations(image: AnyArray) -> tuple[Combination, ...]:
    """Return the combinations that give different results for this dtype: only one for bits."""
    return ("exclusive-or",) if image.dtype == np.bool_ else tuple(STREAM_ADDERS)


def fixed_mask(*, seed: int = 0, combination: Combination = "exclusive-or") -> contract.Oracle:
    """Return a scheme that masks every image by the same key stream.

    Parameters
    ----------
    seed : int, default 0
        The number that determines the key stream, 0 or more.
    combination : {"exclusive-or", "sum", "difference"}, default "exclusive-or"
        The operation that combines stream and samples.

    Examples
    --------
    >>> scheme = fixed_mask(seed=1)
    >>> scheme(scheme(np.arange(6, dtype=np.uint8).reshape(2, 3))).tolist()
    [[0, 1, 2], [3, 4, 5]]
    """

    def run_scheme(image: AnyArray) -> AnyArray:
        stream = random_images(image.shape, 1, dtype=image.dtype, seed=seed)[0]
        return STREAM_ADDERS[combination](image, stream)

    return run_scheme


def masked_shuffle(image: AnyArray) -> AnyArray:
    """Permute all pixels by one fixed map, then mask them with one fixed key stream.

    Parameters
    ----------
    image : ndarray of shape (M, N) or (M, N, C), bool, uint8 or uint16
        The image.
    """
    return fixed_mask()(UniformShuffle().scramble(image))


def reuse_attack(oracle: contract.Oracle, picture: ArrayLike) -> contract.Finding:
    """Compute the key stream from one known image, and remove it from results of other images.

    The oracle uses a fresh salt for each image, one fixed salt, or no salt, depending on the use to
    judge. Of `picture`, the attacker has only the result.

    A stream k that is used twice cancels: (p1 ^ k) ^ (p2 ^ k) ^ p1 = p2, and similarly for sums
    p + k and differences k - p. The share is measured on an image p2 of uniform samples, which
    unrelated guesses match with a probability of 1/L; photographs would agree more often by chance.
    A scheme that only moves units has no stream, even if many units stay in place: see
    `chosen_plaintext_attack`.

    Details are `repeats`, whether one image gave the same result twice, so that results reveal
    equal images; `moves_samples_only`, whether results contain the samples or the bits of their
    images in any order; `combination`, the operation that recovers most; and `expected`, the share
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
    plain = np.asarray(picture)
    units = ImageUnits.from_image(plain, "sample")
    known_image, other_image = _draw_two_images(plain)
    first_result, second_result, other_result, target_result = contract.query_all(
        oracle, (known_image, known_image, other_image, plain)
    )
    shares, pictures = {}, {}
    for combination in list_combinations(plain):
        stream = STREAM_FINDERS[combination](first_result, known_image)
        shares[combination] = float(
            (STREAM_REMOVERS[combination](other_result, stream) == other_image).mean()
        )
        pictures[combination] = STREAM_REMOVERS[combination](target_result, stream)
    best_combination = max(shares, key=shares.__getitem__)
    moves_samples_only = _moves_samples_only(oracle, known_image)
    chance_share, has_equal_results = (
        1 / units.levels,
        bool(np.array_equal(first_result, second_result)),
    )
    outcome = contract.judge_share(
        shares[best_combination], chance=chance_share, trials=units.count
    )
    share = units.format_share(shares[best_combination])
    text = (
        f"no key stream was used twice, and {share} were recovered (by chance {chance_share:.4f})"
    )
    # If a scheme only moves samples, the samples that stay in place agree with the second image,
    # although no stream was found.
    if moves_samples_only:
        outcome = contract.Outcome.NOTHING
        text = "no key stream to reuse, since units are only moved"
    elif outcome is not contract.Outcome.NOTHING:
        text = (
            f"the key stream repeats; one known image gave {share} of another one, by "
            f"{best_combination}"
        )
        if outcome is contract.Outcome.LEAKS:
            text = f"a key stream repeats in part, or some samples stay: {text.partition('; ')[2]}"
    repeat_text = (
        "equal images give equal" if has_equal_results else "even equal images give different"
    )
    return contract.Finding(
        outcome=outcome,
        text=f"{text}; {repeat_text} results",
        queries=1,
        recovered=min(shares[best_combination], chance_share)
        if moves_samples_only
        else shares[best_combination],
        seen=target_result,
        picture=target_result if moves_samples_only else pictures[best_combination],
        details={
            "repeats": has_equal_results,
            "moves_only": moves_samples_only,
            "combination": best_combination,
            "expected": chance_share,
        },
    )


def _draw_two_images(template: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return two random images that differ in every sample, unless samples are bits."""
    # If a sample were equal in both, an unchanged result would look like a stream that was found.
    first, second = random_images(template.shape, 2, dtype=template.dtype)
    if template.dtype == np.bool_:
        return first, second
    return first, first ^ np.maximum(second, 1)


def _moves_samples_only(oracle: contract.Oracle, image: AnyArray) -> bool:
    """Return whether each result consists of the samples, or the bits, of its image."""
    return keeps_units(oracle, image, "sample") or keeps_units(oracle, image, "bit")


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
def _run_attack(target: contract.Target, picture: AnyArray) -> contract.Finding:
    """Find equal images, and key streams that are used twice.

    Needs: one image and its result; looks for a key stream used twice

    The attacker has one image and its result, computes the key stream from them, and removes it
    from the result of another image.
    """
    return reuse_attack(target.oracle, picture)
