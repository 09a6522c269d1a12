"""Test that attacks break weak ciphers of many families, and never accuse strong ones.

The attacks were written with the weak ciphers at hand, so their number is a training score.
"""

import os
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from itertools import product

import numpy as np
import pytest

from sudokucrypt.analysis import NamedImage, report_key, run_attack, scheme_from_function
from sudokucrypt.analysis.attacks import ATTACKS, Outcome, Target
from sudokucrypt.analysis.attacks.streams import _iterate_congruential_streams
from sudokucrypt.typing import AnyArray
from tests.analysis.attacks.test_verdicts import FURTHER
from tests.analysis.ciphers import ROWS, make_cipher
from tests.analysis.families import BROKEN, SECURE, make_bytes, make_order
from tests.analysis.fresh import FRESH_BROKEN, FRESH_SECURE
from tests.analysis.papers import PAPERS_BROKEN, PAPERS_SECURE
from tests.analysis.pictures import picture

PICTURES = {
    "gray": NamedImage(
        name="gray", pixels=np.ascontiguousarray(picture("camera")[100:164, 200:264])
    ),
    "color": NamedImage(
        name="color", pixels=np.ascontiguousarray(picture("astronaut")[100:164, 200:264])
    ),
}
# Quick attacks, each of which breaks several families; a cipher must fall to one of them.
QUICK_ATTACKS = ("repeats", "feistel", "streams", "subspace", "layers", "key-bits", "visible")
DOCUMENTED = {
    "families": (BROKEN, 58),
    "fresh": (FRESH_BROKEN, 26),
    "papers": (PAPERS_BROKEN, 48),
}
"""The weak ciphers of each group, and the number of broken ones in docs/explanation/attacks.md."""
SECURE |= FRESH_SECURE | PAPERS_SECURE


def is_broken(name: str, plain: NamedImage) -> bool:
    """Return whether one of the quick attacks breaks a cipher."""
    scheme = scheme_from_function((BROKEN | FRESH_BROKEN | PAPERS_BROKEN)[name], name=name)
    return any(
        run_attack(attack, plain, [scheme], control=False).runs[-1].broken
        for attack in QUICK_ATTACKS
    )


# Generators of C libraries, Java and textbooks, and the lowest bits of the bytes of their output.
GENERATORS = (
    ((1103515245, 12345, 2**31), (0, 8, 16, 23)),
    ((1103515245, 12345, 2**32), (24,)),
    ((214013, 2531011, 2**32), (0, 8, 16, 23, 24)),
    ((22695477, 1, 2**32), (0, 8, 16, 24)),
    ((134775813, 1, 2**32), (0, 8, 16, 24)),
    ((1664525, 1013904223, 2**32), (0, 8, 16, 24)),
    ((69069, 1, 2**32), (0, 8, 16, 24)),
    *(((multiplier, 0, 2**31 - 1), (0, 23)) for multiplier in (16807, 48271, 69621)),
    ((25214903917, 11, 2**48), (16, 24, 32, 40)),
    ((6364136223846793005, 1442695040888963407, 2**64), (24, 32, 48, 56)),
    ((6364136223846793005, 1, 2**64), (32, 33, 48, 56)),
    ((2862933555777941757, 3037000493, 2**64), (32, 48, 56)),
    ((3935559000370003845, 2691343689449507681, 2**64), (32, 48, 56)),
)


@pytest.mark.parametrize(("parameters", "shifts"), GENERATORS)
def test_generators_in_common_use_are_continued(
    parameters: tuple[int, int, int], shifts: tuple[int, ...]
) -> None:
    """From 64 bytes of a generator in common use, all that follow are known."""
    multiplier, increment, modulus = parameters
    for shift in shifts:
        state, output = 123456789123456789 % modulus, []
        for _ in range(300):
            output.append(state >> shift & 255)
            state = (multiplier * state + increment) % modulus
        known_stream = np.array(output[:64], np.uint8)
        ((_, stream),) = _iterate_congruential_streams(known_stream, len(output))
        assert stream.tolist() == output


@pytest.mark.parametrize("kind", ["gray", pytest.param("color", marks=pytest.mark.nightly)])
@pytest.mark.parametrize("group", DOCUMENTED)
def test_ciphers_of_many_families_fall(group: str, kind: str) -> None:
    """Quick attacks break at least the documented number of weak ciphers."""
    ciphers, least_count = DOCUMENTED[group]
    missed_names = [name for name in ciphers if not is_broken(name, PICTURES[kind])]
    assert len(ciphers) - len(missed_names) >= least_count, missed_names


@pytest.mark.parametrize(
    ("kind", "keys"),
    [
        ("gray", 1),
        pytest.param("color", 1, marks=pytest.mark.nightly),
        pytest.param("gray", 20, marks=pytest.mark.nightly),
    ],
)
@pytest.mark.parametrize("name", SECURE)
def test_secure_ciphers_of_many_kinds_are_not_called_broken(
    name: str, kind: str, keys: int
) -> None:
    """No attack finds anything in a strong cipher, under any key."""
    scheme = scheme_from_function(SECURE[name], name=name)
    # With one key, only the attacks that were written for these families are run.
    names = QUICK_ATTACKS if keys == 1 and kind == "gray" else tuple(ATTACKS)
    for attack in names:
        for seed in range(keys):
            if ATTACKS[attack].takes == "pixels" and not ATTACKS[attack].blocks:
                run = run_attack(attack, PICTURES[kind], [scheme], seed=seed, control=False).runs[0]
                assert run.outcome in {None, Outcome.NOTHING}, run.finding


def test_secure_schemes_of_16_bits_are_not_called_broken() -> None:
    """No attack finds anything in 16-bit samples under AES-CTR."""
    plain = PICTURES["gray"]
    deep = NamedImage(name="deep", pixels=plain.pixels.astype(np.uint16) * 257)
    scheme = scheme_from_function(SECURE["aes-ctr"])
    assert scheme.fixed(deep.pixels, report_key(0)).pixels.dtype == np.uint16
    for attack in ATTACKS.values():
        if attack.takes == "pixels" and not attack.blocks:
            run = run_attack(attack.name, deep, [scheme], control=False).runs[0]
            assert run.outcome in {None, Outcome.NOTHING}, run.finding


def substitute_both_ways(
    image: AnyArray, key: bytes, *, passes: int = 2, moves_samples: bool = True
) -> AnyArray:
    """Apply an optional map, and chains through an S-box from both ends."""
    box = make_order(256, key, 1).tolist()
    order = make_order(image.size, key) if moves_samples else slice(None)
    values = image.reshape(-1)[order].tolist()
    for number in range(passes):
        previous, results = 7, []
        for value, mask in zip(values, make_bytes(image.size, key, number).tolist(), strict=True):
            previous = box[(value + previous & 255) ^ mask]
            results.append(previous)
        values = results[::-1]
    return np.array(values, np.uint8).reshape(image.shape)


def turn_stream_rows(image: AnyArray, key: bytes) -> AnyArray:
    """Mask by one row of a fresh stream, rotated by another amount in each row."""
    nonce = os.urandom(12)
    stream, steps = make_bytes(image[0].size, key, nonce), make_bytes(len(image), nonce).tolist()
    rows = [np.roll(stream, step).reshape(image[0].shape) for step in steps]
    return np.asarray(image ^ np.stack(rows))


def mask_and_move(image: AnyArray, key: bytes) -> AnyArray:
    """Mask by a fresh xorshift of 32 bits, then apply a map that never changes."""
    state, stream = int.from_bytes(sha256(key + os.urandom(8)).digest()[:4]) or 1, []
    for _ in range(image.size):
        state ^= state << 13 & 0xFFFFFFFF
        state ^= state >> 17
        state ^= state << 5 & 0xFFFFFFFF
        stream.append(state >> 24)
    masked_samples = image.reshape(-1) ^ np.array(stream, np.uint8)
    return masked_samples[make_order(image.size, key)].reshape(image.shape)


def chain_columns(image: AnyArray, key: bytes, *, add: bool = False) -> AnyArray:
    """Apply a fixed mask, and chains down the columns from a fresh row."""
    first_row = make_bytes(image[0].size, key, os.urandom(12)).reshape(1, *image.shape[1:])
    masked_image = image ^ make_bytes(image.size, key).reshape(image.shape)
    operation = np.add if add else np.bitwise_xor
    rows = np.concatenate([first_row, masked_image])
    return np.asarray(operation.accumulate(rows, axis=0, dtype=np.uint8)[1:])


def mask_by_congruential_generator(
    image: AnyArray,
    key: bytes,
    *,
    multiplier: int,
    increment: int,
    bits: int,
    from_end: bool = False,
) -> AnyArray:
    """Add the highest bytes of the states of a congruential generator with a fresh seed."""
    state, stream = int.from_bytes(sha256(key + os.urandom(8)).digest()[:8]) % 2**bits, []
    for _ in range(image.size):
        state = (multiplier * state + increment) % 2**bits
        stream.append(state >> bits - 8)
    return image + np.array(stream[:: -1 if from_end else 1], np.uint8).reshape(image.shape)


def mask_by_lagged_generator(image: AnyArray, key: bytes) -> AnyArray:
    """Mask by low bytes of a lagged Fibonacci generator, as in Knuth's generator."""
    states = make_bytes(4 * 55, key, os.urandom(8)).view(np.uint32).tolist()
    for index in range(image.size):
        states.append(states[index] + states[index + 31] & 0xFFFFFFFF)
    return np.asarray(
        image ^ np.array(states[55:], np.uint32).astype(np.uint8).reshape(image.shape)
    )


class FeistelOfBits:
    """A Feistel network of three rounds over two parts of the bits of each sample."""

    def __init__(self, part: int) -> None:
        self.part = part

    def _run(self, image: AnyArray, key: bytes, round_numbers: tuple[int, ...]) -> AnyArray:
        for round_number in round_numbers:
            target = np.uint8(self.part if round_number % 2 else 255 ^ self.part)
            source = (image & ~target).tobytes()
            image = (
                image
                ^ make_bytes(image.size, key, round_number, source).reshape(image.shape) & target
            )
        return image

    def encrypt(self, image: AnyArray, key: bytes) -> AnyArray:
        return self._run(image, key, (0, 1, 2))

    def decrypt(self, image: AnyArray, key: bytes) -> AnyArray:
        return self._run(image, key, (2, 1, 0))


def start_freshly(image: AnyArray, key: bytes) -> AnyArray:
    """Mask four samples by a nonce, then chain through an S-box from both ends."""
    masked_samples = image.reshape(-1).copy()
    masked_samples[:4] += np.frombuffer(os.urandom(4), np.uint8)
    return substitute_both_ways(masked_samples.reshape(image.shape), key, moves_samples=False)


def pad_low_bits(image: AnyArray, key: bytes) -> AnyArray:
    """Apply a map, and a one-time pad on four low bits of gray or one bit of color samples."""
    moved_image = image.reshape(-1)[make_order(image.size, key)].reshape(image.shape)
    pad = np.frombuffer(os.urandom(image.size), np.uint8).reshape(image.shape)
    return np.asarray(moved_image ^ pad & (15 if image.ndim == 2 else 1))


CASES: dict[str, tuple[str, object]] = {
    "chains both ways": ("repeats", substitute_both_ways),
    "three chains": ("repeats", partial(substitute_both_ways, passes=3)),
    "a fresh start of chains": ("repeats", start_freshly),
    "a pad of low bits": ("subspace", pad_low_bits),
    "turned rows": ("repeats", turn_stream_rows),
    "a register behind a map": ("subspace", mask_and_move),
    "chains of columns": ("subspace", chain_columns),
    "chains of columns by sums": ("subspace", partial(chain_columns, add=True)),
    "a generator of 64 bits": (
        "streams",
        partial(
            mask_by_congruential_generator,
            multiplier=6364136223846793005,
            increment=1442695040888963407,
            bits=64,
        ),
    ),
    "a generator of 48 bits": (
        "streams",
        partial(
            mask_by_congruential_generator,
            multiplier=25214903917,
            increment=11,
            bits=48,
            from_end=True,
        ),
    ),
    "sums of two states": ("streams", mask_by_lagged_generator),
    "nibbles": ("feistel", FeistelOfBits(0xF0)),
    "pairs of bits": ("feistel", FeistelOfBits(0xCC)),
    "bits in turns": ("feistel", FeistelOfBits(0xAA)),
} | {
    name: (attack, PAPERS_BROKEN[name])
    for attack, names in {
        "streams": "tent lorenz small-noise seeds-of-blocks overlapping wide-geffe "
        "words-of-congruence odd-modulus odd-modulus-low nibbles-in-tables",
        "visible": "doubled-nibbles carried-products",
        "repeats": "hash-code",
        "key-bits": "unkeyed",
    }.items()
    for name in names.split()
}


@pytest.mark.parametrize("kind", ["gray", pytest.param("color", marks=pytest.mark.nightly)])
@pytest.mark.parametrize("name", CASES)
def test_weak_kinds_of_ciphers_are_broken(name: str, kind: str) -> None:
    """The attack that is named for a weak cipher breaks it, with fresh nonces and without."""
    attack, function = CASES[name]
    scheme = scheme_from_function(function)
    run = run_attack(attack, PICTURES[kind], [scheme], control=False).runs[0]
    assert run.broken, run


def repeat_nonce(image: AnyArray, key: bytes) -> AnyArray:
    """Return a secure result in which a nonce is repeated and a sum is fixed, which is harmless."""
    result = (image ^ make_bytes(image.size, key, os.urandom(12)).reshape(image.shape)).reshape(-1)
    result[:4] = np.frombuffer(os.urandom(2) * 2, np.uint8)
    result[4] = np.bitwise_xor.reduce(result[5:])
    return result.reshape(image.shape)


def share_pads(image: AnyArray, _: bytes) -> AnyArray:
    """Mask pairs of rows by a shared pad, and replace the second row by a copy of the first."""
    result = image ^ np.frombuffer(os.urandom(image.size), np.uint8).reshape(image.shape)
    result[1::2] = result[: 2 * (len(result) // 2) : 2]
    return result


def choose_carrier(image: AnyArray, key: bytes, *, synthetic: bool = False) -> AnyArray:
    """Put a masked quarter into one of three photographs, chosen at random or by a hash."""
    nonce = sha256(key + image.tobytes()).digest() if synthetic else os.urandom(16)
    photo = PICTURES["color"].pixels[..., nonce[0] % 3]
    result = np.resize(photo, image.shape)
    quarter = image.reshape(-1)[: image.size // 4]
    result.reshape(-1)[: quarter.size] = quarter ^ make_bytes(quarter.size, key, nonce)
    return result


@pytest.mark.parametrize(
    ("function", "attacks"),
    [
        (choose_carrier, ("repeats", "subspace")),
        (partial(choose_carrier, synthetic=True), ("repeats", "subspace")),
        (repeat_nonce, ("subspace",)),
        (share_pads, ("subspace",)),
    ],
)
def test_agreement_of_results_alone_is_no_leak(
    function: Callable[..., AnyArray], attacks: tuple[str, ...]
) -> None:
    """Equal parts of results that do not depend on the picture are no leak."""
    scheme = scheme_from_function(function)
    for attack, seed in product(attacks, range(5)):
        run = run_attack(attack, PICTURES["gray"], [scheme], seed=seed, control=False).runs[0]
        assert run.outcome is Outcome.NOTHING, run


PLAIN = NamedImage(
    name="camera", pixels=np.ascontiguousarray(picture("camera")[100:228:2, 200:328:2])
)
# Ciphers on which an attack takes ten seconds or more.
SLOW_CIPHERS = {"pairs", "nonlinear-twice", "stream-of-what-came", "zhu", "sbox-both-ways"}
# The attacks named in ciphers.toml.
NAMES = sorted({*FURTHER, "affine", "codebook"})


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.nightly if name in SLOW_CIPHERS else [])
        for name in ROWS["broken"]
    ],
)
def test_broken_ciphers_are_broken(name: str) -> None:
    """The attack that is named in ciphers.toml breaks the weak cipher."""
    stages, attack = ROWS["broken"][name]
    scheme = scheme_from_function(make_cipher(stages), name=name)
    assert run_attack(attack, PLAIN, [scheme], control=False).runs[0].broken


@pytest.mark.parametrize("keys", [1, pytest.param(20, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("name", ROWS["secure"])
def test_secure_ciphers_are_not_called_broken(name: str, keys: int) -> None:
    """The attacks of ciphers.toml find nothing in the strong ciphers, under any key."""
    function = make_cipher(ROWS["secure"][name])
    for index in range(keys):
        key = report_key(index)
        oracle = scheme_from_function(function).oracle(key, fixed=True)
        target = Target(name=name, oracle=oracle, keyed=function)
        for attack in NAMES:
            if ATTACKS[attack].threat != "chosen ciphertext":
                result = ATTACKS[attack].run(target, PLAIN.pixels)
                assert result.outcome is Outcome.NOTHING, result.verdict
