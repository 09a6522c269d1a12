"""Which bits of the key count: each is flipped once, and many keys are compared."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from hashlib import sha256
from math import log2

import numpy as np

from sudokucrypt.analysis.attacks import contract, probing
from sudokucrypt.analysis.attacks.unit_maps import random_images
from sudokucrypt.analysis.schemes import KEY_BYTES, report_key
from sudokucrypt.errors import SudokucryptError, UnsupportedError
from sudokucrypt.typing import AnyArray

# The scheme runs once for each bit of the key and more: small pictures keep that cheap.
_SAMPLES = 16 * 16
_LARGE = (256, 256)
# Pairs of this many keys collide for key spaces of less than about 18 bits.
_KEYS = 768
# A key space of this many bits is searched with a few graphics cards in a day.
SEARCHED = 48


def _flipped(*indices: int) -> bytes:
    """Return the first key with some bits changed."""
    changed = sum(1 << index for index in indices)
    return (int.from_bytes(report_key(0), "big") ^ changed).to_bytes(KEY_BYTES, "big")


def _idle(result: Callable[[bytes], bytes], indices: Sequence[int]) -> list[int]:
    """Return which of these bits of the key leave a result as it is."""
    first, random = result(_flipped()), probing.generator(19)
    # Most often none counts, which changes of random halves show; so does a sum of bits.
    halves = [_flipped(*random.permutation(indices)[::2].tolist()) for _ in range(8)]
    if all(result(each) == first for each in halves):
        return list(indices)
    return [index for index in indices if result(_flipped(index)) == first]


def _hashed(image: AnyArray, key: bytes) -> AnyArray:
    """Put on a stream of the first byte of the key, however it is hashed."""
    seed = int.from_bytes(sha256(key[:1]).digest(), "big")
    return image ^ random_images(image.shape, 1, dtype=image.dtype, seed=seed)[0]


@contract.attack(
    name="key-bits",
    threat="key search",
    title="Key bits",
    summary="Count the bits of the key that change the result.",
    needs="the scheme itself, to run it under other keys",
    method="Each of the 256 bits of the key is flipped once; bits that change nothing do not "
    "count. Results under many other keys are compared: equal ones show that there are few keys. "
    "Whoever can try all keys needs no other attack.",
    control=lambda: contract.Target(
        name="a stream of one byte of the key",
        oracle=lambda image: _hashed(image, report_key(0)),
        keyed=_hashed,
    ),
    details={"bits": "how many bits of the key count, or null if two runs with one key differ"},
)
def _run(target: contract.Target, plain: AnyArray) -> contract.Finding:
    keyed = target.keyed
    if keyed is None:
        raise UnsupportedError("the scheme cannot be run under other keys")
    key, runs = report_key(0), 0

    def result(other: bytes, image: AnyArray) -> bytes:
        nonlocal runs
        runs += 1
        return keyed(image.copy(), other).tobytes()

    def under_first(image: AnyArray) -> AnyArray:
        return np.asarray(keyed(image.copy(), key))

    small = probing.small_target(under_first, plain, samples=_SAMPLES)
    small = probing.noise(probing.generator(5), small)
    first = result(key, small)
    seen = np.frombuffer(first, small.dtype).reshape(small.shape)
    if first != result(key, small):
        text = "two runs with one key differ, so that nothing shows which bits count"
        return probing.nothing(seen, small, queries=runs, text=text, bits=None)
    # Amounts of shifts are taken modulo the sides: in a large image more bits count.
    large = probing.noise(probing.generator(5), np.resize(small, _LARGE + small.shape[2:]))
    idle = _idle(partial(result, image=small), range(8 * KEY_BYTES))
    drawn = [result(report_key(index), small) for index in range(_KEYS)]
    pairs = sum(drawn.count(each) - 1 for each in drawn) / 2
    with suppress(SudokucryptError):  # of schemes that take no such image
        idle = _idle(partial(result, image=large), idle) if idle else []
        if pairs:
            alike = next(each for each in drawn if drawn.count(each) > 1)
            keys = (report_key(index) for index, each in enumerate(drawn) if each == alike)
            pairs *= result(next(keys), large) == result(next(keys), large)
    bits = float(8 * KEY_BYTES - len(idle))
    if pairs > 0:
        bits = min(bits, log2(_KEYS * (_KEYS - 1) / 2 / pairs))
    outcome = contract.Outcome.BROKEN if bits <= SEARCHED else contract.Outcome.NOTHING
    words = (
        "no secret: the key changes nothing" if bits == 0 else f"{bits:.3g} bits of the key count"
    )
    if 0 < bits <= SEARCHED:
        words += ", and all keys can be tried"
    return contract.Finding(
        outcome=outcome,
        verdict=contract.verdict_of(outcome, words),
        queries=runs,
        recovered=float(outcome is contract.Outcome.BROKEN),
        seen=seen,
        # Whoever tries all keys has the picture.
        picture=small if outcome is contract.Outcome.BROKEN else seen,
        plain=small,
        details={"bits": bits},
    )
