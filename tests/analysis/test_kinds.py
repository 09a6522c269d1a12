"""Kinds of weakness that no family has for itself: each attack finds them behind maps and masks."""

import os
from collections.abc import Callable
from functools import partial
from hashlib import sha256

import numpy as np
import pytest

from sudokucrypt.analysis import NamedImage, run_attack, scheme_from_function
from sudokucrypt.analysis.attacks import Outcome
from sudokucrypt.typing import AnyArray
from tests.analysis.families import bytes_of, order_of
from tests.analysis.pictures import picture

PICTURES = {
    "gray": np.ascontiguousarray(picture("camera")[100:164, 200:264]),
    "color": np.ascontiguousarray(picture("astronaut")[100:164, 200:264]),
}


def substituted_both_ways(
    image: AnyArray, key: bytes, *, passes: int = 2, moved: bool = True
) -> AnyArray:
    """A map, if wanted, and chains through an S-box from both ends: every sample changes all."""
    box = order_of(256, key, 1).tolist()
    order = order_of(image.size, key) if moved else slice(None)
    values = image.reshape(-1)[order].tolist()
    for turn in range(passes):
        before, results = 7, []
        for value, mask in zip(values, bytes_of(image.size, key, turn).tolist(), strict=True):
            before = box[(value + before & 255) ^ mask]
            results.append(before)
        values = results[::-1]
    return np.array(values, np.uint8).reshape(image.shape)


def turned_rows(image: AnyArray, key: bytes) -> AnyArray:
    """One row of a fresh stream, turned by other amounts in each row."""
    nonce = os.urandom(12)
    stream, steps = bytes_of(image[0].size, key, nonce), bytes_of(len(image), nonce).tolist()
    rows = [np.roll(stream, step).reshape(image[0].shape) for step in steps]
    return np.asarray(image ^ np.stack(rows))


def register_behind_a_map(image: AnyArray, key: bytes) -> AnyArray:
    """A fresh xorshift of 32 bits, and then a map that never changes."""
    x, stream = int.from_bytes(sha256(key + os.urandom(8)).digest()[:4]) or 1, []
    for _ in range(image.size):
        x ^= x << 13 & 0xFFFFFFFF
        x ^= x >> 17
        x ^= x << 5 & 0xFFFFFFFF
        stream.append(x >> 24)
    masked = image.reshape(-1) ^ np.array(stream, np.uint8)
    return masked[order_of(image.size, key)].reshape(image.shape)


def chained_columns(image: AnyArray, key: bytes, *, add: bool = False) -> AnyArray:
    """A mask that never changes, and chains down the columns from a fresh row."""
    first = bytes_of(image[0].size, key, os.urandom(12)).reshape(1, *image.shape[1:])
    masked = image ^ bytes_of(image.size, key).reshape(image.shape)
    join = np.add if add else np.bitwise_xor
    rows = np.concatenate([first, masked])
    return np.asarray(join.accumulate(rows, axis=0, dtype=np.uint8)[1:])


def congruential(
    image: AnyArray, key: bytes, *, a: int, c: int, bits: int, back: bool = False
) -> AnyArray:
    """The highest bytes of the states of a generator with a fresh seed."""
    state, stream = int.from_bytes(sha256(key + os.urandom(8)).digest()[:8]) % 2**bits, []
    for _ in range(image.size):
        state = (a * state + c) % 2**bits
        stream.append(state >> bits - 8)
    return image + np.array(stream[:: -1 if back else 1], np.uint8).reshape(image.shape)


def lagged(image: AnyArray, key: bytes) -> AnyArray:
    """Low bytes of sums modulo 2^32 of two states before, as in Knuth's generator."""
    states = bytes_of(4 * 55, key, os.urandom(8)).view(np.uint32).tolist()
    for index in range(image.size):
        states.append(states[index] + states[index + 31] & 0xFFFFFFFF)
    return np.asarray(
        image ^ np.array(states[55:], np.uint32).astype(np.uint8).reshape(image.shape)
    )


class FeistelOfBits:
    """Three rounds over parts of the bits of each sample."""

    def __init__(self, part: int) -> None:
        self.part = part

    def _run(self, image: AnyArray, key: bytes, turns: tuple[int, ...]) -> AnyArray:
        for turn in turns:
            target = np.uint8(self.part if turn % 2 else 255 ^ self.part)
            source = (image & ~target).tobytes()
            image = image ^ bytes_of(image.size, key, turn, source).reshape(image.shape) & target
        return image

    def encrypt(self, image: AnyArray, key: bytes) -> AnyArray:
        return self._run(image, key, (0, 1, 2))

    def decrypt(self, image: AnyArray, key: bytes) -> AnyArray:
        return self._run(image, key, (2, 1, 0))


def fresh_start(image: AnyArray, key: bytes) -> AnyArray:
    """Four samples masked anew, before chains through an S-box from both ends."""
    begun = image.reshape(-1).copy()
    begun[:4] += np.frombuffer(os.urandom(4), np.uint8)
    return substituted_both_ways(begun.reshape(image.shape), key, moved=False)


def low_pad(image: AnyArray, key: bytes) -> AnyArray:
    """A map, and a one-time pad of four low bits of gray samples, or one of colored ones."""
    moved = image.reshape(-1)[order_of(image.size, key)].reshape(image.shape)
    pad = np.frombuffer(os.urandom(image.size), np.uint8).reshape(image.shape)
    return np.asarray(moved ^ pad & (15 if image.ndim == 2 else 1))


CASES: dict[str, tuple[str, object]] = {
    "chains both ways": ("repeats", substituted_both_ways),
    "three chains": ("repeats", partial(substituted_both_ways, passes=3)),
    "a fresh start of chains": ("repeats", fresh_start),
    "a pad of low bits": ("subspace", low_pad),
    "turned rows": ("repeats", turned_rows),
    "a register behind a map": ("subspace", register_behind_a_map),
    "chains of columns": ("subspace", chained_columns),
    "chains of columns by sums": ("subspace", partial(chained_columns, add=True)),
    "a generator of 64 bits": (
        "streams",
        partial(congruential, a=6364136223846793005, c=1442695040888963407, bits=64),
    ),
    "a generator of 48 bits": (
        "streams",
        partial(congruential, a=25214903917, c=11, bits=48, back=True),
    ),
    "sums of two states": ("streams", lagged),
    "nibbles": ("feistel", FeistelOfBits(0xF0)),
    "pairs of bits": ("feistel", FeistelOfBits(0xCC)),
    "bits in turns": ("feistel", FeistelOfBits(0xAA)),
}


@pytest.mark.parametrize("kind", ["gray", pytest.param("color", marks=pytest.mark.nightly)])
@pytest.mark.parametrize("name", CASES)
def test_weak_kinds_fall(name: str, kind: str) -> None:
    """The attack that is made for a kind breaks it, with fresh nonces and without."""
    attack, function = CASES[name]
    plain = NamedImage(name=kind, pixels=PICTURES[kind])
    run = run_attack(attack, plain, [scheme_from_function(function)], control=False).runs[0]
    assert run.broken, run


def repeated_nonce(image: AnyArray, key: bytes) -> AnyArray:
    """Results that are not free, which says nothing of the picture: a nonce twice, and a sum."""
    result = (image ^ bytes_of(image.size, key, os.urandom(12)).reshape(image.shape)).reshape(-1)
    result[:4] = np.frombuffer(os.urandom(2) * 2, np.uint8)
    result[4] = np.bitwise_xor.reduce(result[5:])
    return result.reshape(image.shape)


def equal_pads(image: AnyArray, _: bytes) -> AnyArray:
    """A pad that two rows share, of which the second row shows nothing else."""
    result = image ^ np.frombuffer(os.urandom(image.size), np.uint8).reshape(image.shape)
    result[1::2] = result[: 2 * (len(result) // 2) : 2]
    return result


def one_of_three_carriers(image: AnyArray, key: bytes, *, synthetic: bool = False) -> AnyArray:
    """A masked quarter in one of three photographs, by chance or by a hash of the picture."""
    nonce = sha256(key + image.tobytes()).digest() if synthetic else os.urandom(16)
    photo = PICTURES["color"][..., nonce[0] % 3]
    result = np.resize(photo, image.shape)
    quarter = image.reshape(-1)[: image.size // 4]
    result.reshape(-1)[: quarter.size] = quarter ^ bytes_of(quarter.size, key, nonce)
    return result


@pytest.mark.parametrize("synthetic", [False, True])
def test_few_carriers_are_no_few_states(synthetic: bool) -> None:
    """Results that share a photograph share nothing of a picture."""
    plain = NamedImage(name="gray", pixels=PICTURES["gray"])
    scheme = scheme_from_function(partial(one_of_three_carriers, synthetic=synthetic))
    for seed in range(5):
        for attack in ("repeats", "subspace"):
            run = run_attack(attack, plain, [scheme], seed=seed, control=False).runs[0]
            assert run.outcome is Outcome.NOTHING, run


@pytest.mark.parametrize("function", [repeated_nonce, equal_pads])
def test_redundant_results_are_not_accused(function: Callable[..., AnyArray]) -> None:
    """What follows from the rest of a result, whatever the picture, is no stream of few bits."""
    plain = NamedImage(name="gray", pixels=PICTURES["gray"])
    for seed in range(5):
        run = run_attack("subspace", plain, [scheme_from_function(function)], seed=seed).runs[0]
        assert run.outcome is Outcome.NOTHING, run
