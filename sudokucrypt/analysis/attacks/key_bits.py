"""Measure which bits of the key change the result and where, and compare results of many keys."""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from math import log2

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.analysis.attacks import contract, probing
from sudokucrypt.analysis.attacks.unit_maps import random_images
from sudokucrypt.analysis.schemes import KEY_BYTES, report_key
from sudokucrypt.errors import SudokucryptError, UnsupportedError
from sudokucrypt.typing import AnyArray

# At most this many samples, since the scheme runs at least once for each bit of the key.
_MAX_SAMPLES = 16 * 16
_LARGE_IMAGE_SHAPE = (256, 256)
# The number of random keys: in key spaces of up to about 22 bits, some pairs of them have equal
# results.
_KEY_COUNT = 4096
_MAX_TINY_SAMPLES = 8 * 8
# Pictures are added until the share of samples that another key leaves equal by chance in all of
# them is below the first value, up to the second number of pictures. The latter matters for
# schemes whose results have few levels.
_MAX_CHANCE_EQUAL_SHARE, _MAX_TEST_IMAGES = 0.001, 50
# A key space of this many bits can be searched in a day with a few graphics cards.
MAX_SEARCHABLE_BITS = 48

_KeyedScheme = Callable[[bytes, AnyArray], AnyArray]


def _flip_key_bits(*indices: int) -> bytes:
    """Return the first key with some bits changed."""
    flip_mask = sum(1 << index for index in indices)
    return (int.from_bytes(report_key(0), "big") ^ flip_mask).to_bytes(KEY_BYTES, "big")


def _find_changed_samples(
    run: _KeyedScheme, template: AnyArray, indices: Sequence[int]
) -> NDArray[np.bool_]:
    """Return a mask of the samples of a result that each of these bits of the key changes."""
    changes = np.zeros((len(indices), template.size), bool)
    generator, equal_share = probing.make_generator(5), 1.0
    for _ in range(_MAX_TEST_IMAGES):
        image = probing.draw_noise(generator, template)
        first_result = run(_flip_key_bits(), image)
        for row, index in enumerate(indices):
            changes[row] |= (run(_flip_key_bits(index), image) != first_result).reshape(-1)
        equal_share_in_image = float(np.mean(run(report_key(1), image) == first_result))
        # If even a different key changes no sample, further pictures would not show anything.
        equal_share *= equal_share_in_image if equal_share_in_image < 1 else 0
        if equal_share < _MAX_CHANCE_EQUAL_SHARE:
            break
    return changes


def _count_equal_pairs(run: _KeyedScheme, small_picture: AnyArray) -> float:
    """Return the number of pairs of random keys that give the same result."""
    counts = Counter(run(report_key(index), small_picture).tobytes() for index in range(_KEY_COUNT))
    return sum(count * (count - 1) for count in counts.values()) / 2


def _find_equal_keys(run: _KeyedScheme, small_picture: AnyArray) -> tuple[bytes, bytes]:
    """Return two keys that give the same result."""
    keys_by_result: dict[bytes, bytes] = {}
    for key in map(report_key, range(_KEY_COUNT)):
        result_bytes = run(key, small_picture).tobytes()
        if result_bytes in keys_by_result:
            break
        keys_by_result[result_bytes] = key
    return keys_by_result[result_bytes], key


def _measure_on_large_image(
    run: _KeyedScheme,
    small_picture: AnyArray,
    changes: NDArray[np.bool_],
    tiny_picture: AnyArray,
    equal_pair_count: float,
) -> tuple[NDArray[np.bool_], float]:
    """Repeat measurements on a large image if few or unused key bits or equal results are found.

    Some schemes take key values modulo the sides of the image, so more bits count on a large one.
    """
    large_picture = np.resize(small_picture, _LARGE_IMAGE_SHAPE + small_picture.shape[2:])
    unused_bits = np.flatnonzero(~changes.any(axis=1))
    if _count_min_sample_key_bits(changes) <= MAX_SEARCHABLE_BITS:
        changes = _find_changed_samples(run, large_picture, range(8 * KEY_BYTES))
    elif len(unused_bits):
        is_used = _find_changed_samples(run, large_picture, unused_bits.tolist()).any(axis=1)
        changes[unused_bits[is_used]] = True
    if equal_pair_count:
        noise = probing.draw_noise(probing.make_generator(5), large_picture)
        first, second = (run(key, noise) for key in _find_equal_keys(run, tiny_picture))
        equal_pair_count *= np.array_equal(first, second)
    return changes, equal_pair_count


def _describe_measurements(
    used_bit_count: float,
    mean_changed_share: float,
    equal_pair_count: float,
    key_space_bits: float,
    min_sample_key_bits: int,
) -> str:
    """Return the measurements as a text."""
    if used_bit_count == 0:
        return "no secret: the key changes nothing"
    text = (
        f"{used_bit_count:.3g} bits of the key have an effect, each on {mean_changed_share:.2f} of "
        "the result"
    )
    if equal_pair_count:
        text += (
            f"; of {_KEY_COUNT} keys {equal_pair_count:.0f} pairs give one result, as with "
            f"{key_space_bits:.1f} bits"
        )
    if key_space_bits <= MAX_SEARCHABLE_BITS:
        return f"{text}, and all keys can be tried"
    if min_sample_key_bits <= MAX_SEARCHABLE_BITS:
        text += f"; some samples depend on only {min_sample_key_bits} of them"
        return f"{text}, so keys are searched in parts"
    return f"{text}, so the size of the key space remains unknown"


@lru_cache(maxsize=1024)
def _draw_stream(key: bytes, shape: tuple[int, ...], dtype: str) -> AnyArray:
    seed = int.from_bytes(sha256(key).digest(), "big")
    return random_images(shape, 1, dtype=np.dtype(dtype), seed=seed)[0]


def _mask_by_first_byte(image: AnyArray, key: bytes) -> AnyArray:
    """Mask an image by a stream that depends only on the first byte of the key."""
    return np.asarray(image ^ _draw_stream(key[:1], image.shape, image.dtype.name))


@contract.attack(
    name="key-bits",
    threat="key search",
    title="Key bits",
    control=lambda: contract.Target(
        name="a stream of one byte of the key",
        oracle=lambda image: _mask_by_first_byte(image, report_key(0)),
        keyed=_mask_by_first_byte,
    ),
    details={
        "bits": "the number of effective bits of the key, or null if two runs with one key differ",
        "reach": "the mean share of the result that a bit of the key changes, or null",
        "part_bits": "the number of key bits that the least dependent samples depend on, or null",
    },
)
def _run_attack(target: contract.Target, picture: AnyArray) -> contract.Finding:
    """Count the key bits that change the result, and the share of the result that they change.

    Needs: the scheme itself, to run it under other keys

    Each of the 256 bits of the key is flipped once. Bits that change nothing do not count, and if
    a part of the result depends on few bits, these can be searched with this part only. Results
    under 4,096 other keys are compared: equal results show that there are few different keys.
    Sources of randomness are frozen. Anyone who can try all keys needs no other attack.
    """
    keyed_scheme = target.keyed
    if keyed_scheme is None:
        raise UnsupportedError("the scheme cannot be run under other keys")
    run_count = 0

    def run_scheme(key: bytes, image: AnyArray) -> AnyArray:
        nonlocal run_count
        run_count += 1
        return np.asarray(keyed_scheme(image.copy(), key))

    def run_with_first_key(image: AnyArray) -> AnyArray:
        return run_scheme(report_key(0), image)

    small_picture = probing.shrink_picture(run_with_first_key, picture, max_samples=_MAX_SAMPLES)
    small_picture = probing.draw_noise(probing.make_generator(5), small_picture)
    target_result = run_with_first_key(small_picture)
    # An inverse may need only the nonce and no key, if the nonce is part of the result.
    if target.inverse is not None and not np.array_equal(target_result, small_picture):
        with suppress(SudokucryptError):  # an inverse may detect the wrong key
            restored_picture = target.inverse(target_result, report_key(1))
            text = "no secret: the inverse restores results under another key"
            finding = probing.judge_guess(
                target_result,
                restored_picture,
                small_picture,
                queries=run_count,
                text=text,
                bits=0.0,
            )
            if finding.broken:
                return finding
    empty_details = {"bits": None, "reach": None, "part_bits": None}
    if not np.array_equal(target_result, run_with_first_key(small_picture)):
        text = "two runs with one key differ, so effective bits of the key cannot be found"
        return probing.report_nothing(
            target_result, small_picture, queries=run_count, text=text, **empty_details
        )
    changes = _find_changed_samples(run_scheme, small_picture, range(8 * KEY_BYTES))
    if target.still and not changes.any():
        text = "the key changes nothing while sources of randomness are frozen"
        return probing.report_nothing(
            target_result, small_picture, queries=run_count, text=text, **empty_details
        )
    tiny_picture = small_picture
    with suppress(SudokucryptError):  # some schemes refuse such an image
        tiny_picture = probing.shrink_picture(
            run_with_first_key, picture, max_samples=_MAX_TINY_SAMPLES
        )
    tiny_picture = probing.draw_noise(probing.make_generator(6), tiny_picture)
    equal_pair_count = _count_equal_pairs(run_scheme, tiny_picture)
    with suppress(SudokucryptError):  # some schemes refuse such an image
        changes, equal_pair_count = _measure_on_large_image(
            run_scheme, small_picture, changes, tiny_picture, equal_pair_count
        )
    used_bit_count, min_sample_key_bits = (
        float(np.count_nonzero(changes.any(axis=1))),
        _count_min_sample_key_bits(changes),
    )
    mean_changed_share = float(changes[changes.any(axis=1)].mean()) if used_bit_count else 0.0
    key_space_bits = (
        used_bit_count
        if not equal_pair_count
        else min(used_bit_count, log2(_KEY_COUNT * (_KEY_COUNT - 1) / 2 / equal_pair_count))
    )
    text = _describe_measurements(
        used_bit_count, mean_changed_share, equal_pair_count, key_space_bits, min_sample_key_bits
    )
    is_broken = min(key_space_bits, min_sample_key_bits) <= MAX_SEARCHABLE_BITS
    outcome = contract.Outcome.BROKEN if is_broken else contract.Outcome.NOTHING
    return contract.Finding(
        outcome=outcome,
        text=text,
        queries=run_count,
        recovered=float(is_broken),
        seen=target_result,
        # An attacker who tries all keys recovers the picture.
        picture=small_picture if is_broken else target_result,
        plain=small_picture,
        details={
            "bits": key_space_bits,
            "reach": mean_changed_share,
            "part_bits": min_sample_key_bits,
        },
    )


def _count_min_sample_key_bits(changes: NDArray[np.bool_]) -> int:
    """Return the first percentile, over samples, of the number of key bits that change a sample.

    Samples that no bit changes are left out, since other attacks find them.
    """
    counts = np.sort(changes.sum(axis=0))
    counts = counts[counts > 0]
    return int(counts[len(counts) // 100]) if len(counts) else 0
