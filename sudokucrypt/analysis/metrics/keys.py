"""Measure the effect of one flipped bit of the key or of the image, and the key space."""

from collections.abc import Iterator
from functools import partial
from math import inf, lgamma, log, sqrt
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.analysis.inputs import check_image, check_image_pair
from sudokucrypt.analysis.metrics.metric import metric
from sudokucrypt.analysis.metrics.quality import judge_changed_share
from sudokucrypt.analysis.results import SIGNIFICANCE_LEVEL, Measurement, make_normal_measurement
from sudokucrypt.analysis.schemes import KeyedMap
from sudokucrypt.errors import DecryptionError, InvalidParameterError
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray, RandomSource

_SALT_NOTE = "two runs with one key differ, so this value says nothing about the key: fix the salt"
_SECURITY_NOTE = "a pass does not prove security"


@metric(
    "key",
    "scheme",
    "share of samples that change if one bit of the key is flipped",
    figures=("key_sensitivity_encrypt", "key_sensitivity_decrypt"),
)
def key_sensitivity(
    encrypt: KeyedMap,
    image: ArrayLike,
    key: bytes,
    *,
    decrypt: KeyedMap | None = None,
    flips: int = 16,
    levels: int | None = None,
    level: float = SIGNIFICANCE_LEVEL,
    source: RandomSource | None = None,
) -> tuple[Measurement, ...]:
    """Flip single bits of the key and count the samples that change, in encryption and decryption.

    "key_sensitivity_encrypt" is the share of samples in which the results under both keys differ.
    With `decrypt`, "key_sensitivity_decrypt" is the share of samples in which the image restored
    with a wrong key differs from the plain image; a `DecryptionError` counts as all samples. All
    flips are tested together as in `npcr`; the expected share is (L - 1) / L. A scheme that only
    moves samples cannot reach it for an image with an uneven histogram: with shares p of the
    levels, unrelated permutations change only 1 - sum of p^2, which the note states.

    Source: G. Alvarez, S. Li, 2006, arXiv:nlin/0611017.

    Parameters
    ----------
    encrypt : callable
        The scheme with its salt fixed: takes an image and a key.
    image : array_like of shape (M, N) or (M, N, C), bool, uint8 or uint16
        The image that is measured; it is not changed.
    key : bytes
        The key whose bits are flipped, one byte or more.
    decrypt : callable, optional
        The inverse of `encrypt`: takes a result and a key.
    flips : int, default 16
        The number of bits that are flipped, one at a time, each at most once.
    levels : int, optional
        The number L of levels: samples are 0..L-1. By default every level of the dtype.
    level : float, default 0.05
        The level of significance, between 0 and 1: the share of random images that the test
        rejects.
    source : RandomSource, optional
        The stream of random choices; by default ``seeded_draws(0)``, so that results repeat.

    Examples
    --------
    >>> def shift(image: AnyArray, key: bytes) -> AnyArray:
    ...     return image + np.uint8(key[0])
    >>> results = key_sensitivity(shift, np.zeros((64, 64), dtype=np.uint8), b"k", flips=4)
    >>> results[0].name, results[0].value
    ('key_sensitivity_encrypt', 1.0)
    """
    samples, levels = check_image(image, levels=levels)
    plain = np.asarray(image)  # the scheme gets the original dtype
    # The scheme is run twice with one key: if it draws a salt, its results would look sensitive
    # even to a key that it does not use.
    result = _query_result(encrypt, plain, key, levels)
    shares = np.bincount(samples.ravel()) / plain.size
    notes = [
        _SECURITY_NOTE,
        f"unrelated permutations of this image would change {1 - float(np.sum(shares**2)):.6f}",
    ]
    if not np.array_equal(result, _query_result(encrypt, plain, key, levels)):
        notes.append(_SALT_NOTE)
    changed_sample_count = lost_sample_count = refused_key_count = tried_key_count = 0
    for wrong_key in _iterate_flipped_keys(key, flips, source):
        tried_key_count += 1
        changed_sample_count += int(
            np.count_nonzero(result != _query_result(encrypt, plain, wrong_key, levels))
        )
        if decrypt is not None:
            # A refused key restores nothing, so all samples count as changed.
            try:
                lost_sample_count += int(
                    np.count_nonzero(plain != _query_result(decrypt, result, wrong_key, levels))
                )
            except DecryptionError:
                refused_key_count += 1
    rows = [("key_sensitivity_encrypt", changed_sample_count, notes)]
    if decrypt is not None:
        decrypt_notes = [
            *notes,
            f"{refused_key_count} of {tried_key_count} wrong keys were refused",
        ]
        rows.append(
            (
                "key_sensitivity_decrypt",
                lost_sample_count + refused_key_count * plain.size,
                decrypt_notes,
            )
        )
    total = tried_key_count * plain.size
    return tuple(
        judge_changed_share(name, count, total, levels=levels, level=level, note="; ".join(texts))
        for name, count, texts in rows
    )


def _query_result(scheme: KeyedMap, image: AnyArray, key: bytes, levels: int) -> AnyArray:
    """Return the result of a scheme, or raise `InvalidImageError` if its shape or dtype differs."""
    result = np.asarray(scheme(image.copy(), key))
    check_image_pair(image, result, levels=levels)
    return result


def _iterate_flipped_keys(key: bytes, flips: int, source: RandomSource | None) -> Iterator[bytes]:
    """Yield keys that differ from `key` in one bit, a different bit for each."""
    if not key or flips < 1:
        raise InvalidParameterError(
            "the test needs a key of at least one byte, and at least one flip"
        )
    source = seeded_draws(0) if source is None else source
    for bit in source.permutations([8 * len(key)])[:flips].tolist():
        flipped_key = bytearray(key)
        flipped_key[bit // 8] ^= 1 << bit % 8
        yield bytes(flipped_key)


def avalanche(
    encrypt: KeyedMap,
    image: ArrayLike,
    key: bytes,
    *,
    of: Literal["key", "image"] = "key",
    flips: int = 16,
    level: float = SIGNIFICANCE_LEVEL,
    source: RandomSource | None = None,
) -> Measurement:
    """Flip single bits of the key or of the image, and count the bits of the result that change.

    The name is "avalanche_key" or "avalanche_image". All bits of the dtype are counted; bits of the
    image are drawn independently. A share of T random bits has mean 1/2 and deviation
    1 / (2 sqrt(T)), with T = bits x flips. A scheme that only moves samples moves a flipped bit of
    the image and changes no other bit.
    Source: A. F. Webster, S. E. Tavares, 1985, doi:10.1007/3-540-39799-X_41.

    Parameters
    ----------
    encrypt : callable
        The scheme with its salt fixed: takes an image and a key.
    image : array_like of shape (M, N) or (M, N, C), bool, uint8 or uint16
        The image that is measured; it is not changed.
    key : bytes
        The key, one byte or more.
    of : {"key", "image"}, default "key"
        Whether bits of the key or of the image are flipped.
    flips : int, default 16
        The number of bits that are flipped, one at a time.
    level : float, default 0.05
        The level of significance, between 0 and 1: the share of random images that the test
        rejects.
    source : RandomSource, optional
        The stream of random choices; by default ``seeded_draws(0)``, so that results repeat.
    """
    if of not in {"key", "image"}:
        raise InvalidParameterError(f"bits are flipped in the key or in the image, not in {of!r}")
    _, levels = check_image(image)
    plain = np.asarray(image)
    source = seeded_draws(0) if source is None else source
    result = _query_result(encrypt, plain, key, levels)
    has_new_salt = not np.array_equal(result, _query_result(encrypt, plain, key, levels))
    sample_bits = levels.bit_length() - 1
    changed_bits = trials = 0
    if of == "key":
        inputs = ((plain, wrong_key) for wrong_key in _iterate_flipped_keys(key, flips, source))
    else:
        inputs = (
            (flipped_image, key)
            for flipped_image in _iterate_flipped_images(plain, sample_bits, flips, source)
        )
    for run_inputs in inputs:
        trials += 1
        bits = np.ascontiguousarray(result ^ _query_result(encrypt, *run_inputs, levels)).view(
            np.uint8
        )
        changed_bits += int(np.unpackbits(bits).sum())
    total = trials * plain.size * sample_bits
    name, note = f"avalanche_{of}", _SALT_NOTE if has_new_salt else _SECURITY_NOTE
    return make_normal_measurement(
        name, changed_bits / total, 0.5, 1 / (2 * sqrt(total)), level, note=note
    )


def _iterate_flipped_images(
    image: AnyArray, sample_bits: int, flips: int, source: RandomSource
) -> Iterator[AnyArray]:
    if flips < 1:
        raise InvalidParameterError("the test needs at least one flip")
    for _ in range(flips):
        flipped_image = image.copy()
        index, bit = source.below(image.size), source.below(sample_bits)
        flipped_image.ravel()[index] ^= 1 << bit
        yield flipped_image


def key_space_bits(key_bits: float, *, units: int | None = None, log2_maps: float = inf) -> float:
    """Return the key space that a scheme actually uses, in bits: the least of three bounds.

    The bounds are the length or the entropy of the key; the binary logarithm of units! for a scheme
    that only moves units; and the binary logarithm of the number of maps of the scheme, if known.
    An exhaustive search takes 2 to this power trials; structure of the scheme may make a search far
    cheaper.

    Parameters
    ----------
    key_bits : float
        The length of the key in bits, or the entropy of its source, 0 or more.
    units : int, optional
        The number of units of a scheme that only moves units; by default there is no such bound.
    log2_maps : float, default inf
        The binary logarithm of the number of different maps of the scheme.

    Examples
    --------
    >>> key_space_bits(256), round(key_space_bits(256, units=16), 3)
    (256.0, 44.25)
    """
    if key_bits < 0 or log2_maps < 0 or (units is not None and units < 0):
        raise InvalidParameterError("bits, units and maps cannot be negative")
    return float(min(key_bits, log2_maps, inf if units is None else lgamma(units + 1) / log(2)))


for _flipped_input in ("key", "image"):
    metric(
        "key",
        "scheme",
        f"share of bits that change if one bit of the {_flipped_input} is flipped",
        name=f"avalanche_{_flipped_input}",
    )(partial(avalanche, of=_flipped_input))
