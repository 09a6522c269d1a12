"""Which bits of the key count, and where: each is flipped, and many keys are compared."""

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

# The scheme runs once for each bit of the key and more: small pictures keep that cheap.
_SAMPLES = 16 * 16
_LARGE = (256, 256)
# Pairs of this many keys collide for key spaces of up to about 22 bits.
_KEYS = 4096
_FEW_SAMPLES = 8 * 8
# The share of samples reached by a bit of the key that may be equal by chance in all pictures, and
# the most pictures, for schemes whose results have few levels.
_MISSED, _MOST_PICTURES = 0.001, 50
# A key space of this many bits is searched with a few graphics cards in a day.
SEARCHED = 48

_Result = Callable[[bytes, AnyArray], AnyArray]


def _flip_bits(*indices: int) -> bytes:
    """Return the first key with some bits changed."""
    changed = sum(1 << index for index in indices)
    return (int.from_bytes(report_key(0), "big") ^ changed).to_bytes(KEY_BYTES, "big")


def _reach(result: _Result, like: AnyArray, indices: Sequence[int]) -> NDArray[np.bool_]:
    """Return which samples of a result each of these bits of the key changes."""
    reach = np.zeros((len(indices), like.size), bool)
    random, left = probing.make_generator(5), 1.0
    for _ in range(_MOST_PICTURES):
        image = probing.draw_noise(random, like)
        first = result(_flip_bits(), image)
        for row, index in enumerate(indices):
            reach[row] |= (result(_flip_bits(index), image) != first).reshape(-1)
        equal = float(np.mean(result(report_key(1), image) == first))
        # Where even another key changes nothing, more pictures would show nothing more.
        left *= equal if equal < 1 else 0
        if left < _MISSED:
            break
    return reach


def _count_equal_pairs(result: _Result, small: AnyArray) -> float:
    """Return how many pairs of random keys give one result."""
    drawn = Counter(result(report_key(index), small).tobytes() for index in range(_KEYS))
    return sum(count * (count - 1) for count in drawn.values()) / 2


def _find_first_pair(result: _Result, small: AnyArray) -> tuple[bytes, bytes]:
    """Return two keys that give one result."""
    before: dict[bytes, bytes] = {}
    for key in map(report_key, range(_KEYS)):
        seen = result(key, small).tobytes()
        if seen in before:
            break
        before[seen] = key
    return before[seen], key


def _check_on_large(
    result: _Result, small: AnyArray, reach: NDArray[np.bool_], few: AnyArray, pairs: float
) -> tuple[NDArray[np.bool_], float]:
    """Return the same on a large image: amounts of shifts, taken modulo its sides, have more bits.

    Most of the time nothing is left to check.
    """
    large = np.resize(small, _LARGE + small.shape[2:])
    idle = np.flatnonzero(~reach.any(axis=1))
    if _count_fewest_bits(reach) <= SEARCHED:
        reach = _reach(result, large, range(8 * KEY_BYTES))
    elif len(idle):
        more = _reach(result, large, idle.tolist()).any(axis=1)
        reach[idle[more]] = True
    if pairs:
        noise = probing.draw_noise(probing.make_generator(5), large)
        first, second = (result(key, noise) for key in _find_first_pair(result, few))
        pairs *= np.array_equal(first, second)
    return reach, pairs


def _describe(bits: float, share: float, pairs: float, space: float, part: int) -> str:
    """Describe the measurements in words."""
    if bits == 0:
        return "no secret: the key changes nothing"
    words = f"{bits:.3g} bits of the key have an effect, each on {share:.2f} of the result"
    if pairs:
        words += f"; of {_KEYS} keys {pairs:.0f} pairs give one result, as of {space:.1f} bits"
    if space <= SEARCHED:
        return f"{words}, and all keys can be tried"
    if part <= SEARCHED:
        return f"{words}; some samples depend on {part} of them, so parts are searched alone"
    return f"{words}, and the size of the space is not shown"


@lru_cache(maxsize=1024)
def _stream(key: bytes, shape: tuple[int, ...], dtype: str) -> AnyArray:
    seed = int.from_bytes(sha256(key).digest(), "big")
    return random_images(shape, 1, dtype=np.dtype(dtype), seed=seed)[0]


def _mask_by_first_byte(image: AnyArray, key: bytes) -> AnyArray:
    """Put on a stream of the first byte of the key, however it is hashed."""
    return np.asarray(image ^ _stream(key[:1], image.shape, image.dtype.name))


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
        "bits": "how many bits of the key count, or null if two runs with one key differ",
        "reach": "the share of the result that a bit of the key changes, on average, or null",
        "part_bits": "how many bits of the key reach the sample that fewest reach, or null",
    },
)
def _run(target: contract.Target, plain: AnyArray) -> contract.Finding:
    """Count the bits of the key that change the result, and how much of it.

    Needs: the scheme itself, to run it under other keys

    Each of the 256 bits of the key is flipped once; bits that change nothing do not count, and
    bits that reach only a part of the result are searched with that part. Results under 4,096
    other keys are compared: equal ones show that there are few keys. Sources of randomness are
    held still. Anyone who can try all keys needs no other attack.
    """
    keyed = target.keyed
    if keyed is None:
        raise UnsupportedError("the scheme cannot be run under other keys")
    runs = 0

    def result(key: bytes, image: AnyArray) -> AnyArray:
        nonlocal runs
        runs += 1
        return np.asarray(keyed(image.copy(), key))

    def under_first(image: AnyArray) -> AnyArray:
        return result(report_key(0), image)

    small = probing.shrink_target(under_first, plain, samples=_SAMPLES)
    small = probing.draw_noise(probing.make_generator(5), small)
    seen = under_first(small)
    # The nonce may be all that an inverse needs, and a part of the result.
    if target.inverse is not None and not np.array_equal(seen, small):
        with suppress(SudokucryptError):  # of inverses that notice a wrong key
            restored = target.inverse(seen, report_key(1))
            text = "no secret: the inverse restores results under another key"
            finding = probing.judge(seen, restored, small, queries=runs, text=text, bits=0.0)
            if finding.broken:
                return finding
    missing = {"bits": None, "reach": None, "part_bits": None}
    if not np.array_equal(seen, under_first(small)):
        text = "two runs with one key differ, so that nothing shows which bits count"
        return probing.report_nothing(seen, small, queries=runs, text=text, **missing)
    reach = _reach(result, small, range(8 * KEY_BYTES))
    if target.still and not reach.any():
        text = "the key changes nothing as long as sources of randomness are held still"
        return probing.report_nothing(seen, small, queries=runs, text=text, **missing)
    few = small
    with suppress(SudokucryptError):  # of schemes that take no such image
        few = probing.shrink_target(under_first, plain, samples=_FEW_SAMPLES)
    few = probing.draw_noise(probing.make_generator(6), few)
    pairs = _count_equal_pairs(result, few)
    with suppress(SudokucryptError):  # of schemes that take no such image
        reach, pairs = _check_on_large(result, small, reach, few, pairs)
    bits, part = float(np.count_nonzero(reach.any(axis=1))), _count_fewest_bits(reach)
    share = float(reach[reach.any(axis=1)].mean()) if bits else 0.0
    space = bits if not pairs else min(bits, log2(_KEYS * (_KEYS - 1) / 2 / pairs))
    words = _describe(bits, share, pairs, space, part)
    broken = min(space, part) <= SEARCHED
    outcome = contract.Outcome.BROKEN if broken else contract.Outcome.NOTHING
    return contract.Finding(
        outcome=outcome,
        text=words,
        queries=runs,
        recovered=float(broken),
        seen=seen,
        # Anyone who tries all keys has the picture.
        picture=small if broken else seen,
        plain=small,
        details={"bits": space, "reach": share, "part_bits": part},
    )


def _count_fewest_bits(reach: NDArray[np.bool_]) -> int:
    """Return how many bits reach a sample, for a sample in a hundred that fewest reach.

    Samples that no bit reaches are not secret, which shows elsewhere.
    """
    counts = np.sort(reach.sum(axis=0))
    counts = counts[counts > 0]
    return int(counts[len(counts) // 100]) if len(counts) else 0
