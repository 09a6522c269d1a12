"""Test that known stretches of streams are continued, with streams whose generator is known."""

import random
from collections.abc import Callable

import numpy as np
import pytest

from sudokucrypt.analysis.attacks import Outcome, stream_statistics, streams
from sudokucrypt.typing import AnyArray

KNOWN, COUNT = 1 << 17, 3 << 16
SECRET = 1103515245 * 4 + 1, 12345, 2**31 - 1
"""Multiplier, increment and modulus of a generator that is in no list."""


def list_states(multiplier: int, increment: int, modulus: int, count: int) -> list[int]:
    state, states = 123456789123456789 % modulus, []
    for _ in range(count):
        states.append(state)
        state = (multiplier * state + increment) % modulus
    return states


def make_lagged(combine: Callable[[int, int], int], lags: tuple[int, int]) -> AnyArray:
    values = [*np.random.default_rng(3).integers(0, 256, 64).tolist()]
    for index in range(64, COUNT):
        values.append(combine(values[index - lags[0]], values[index - lags[1]]) & 255)
    return np.array(values, np.uint8)


LONG_STREAMS: dict[str, Callable[[], AnyArray]] = {
    "a period of 37": lambda: np.resize(np.arange(37) ** 2, COUNT),
    "the Mersenne Twister, 1 to a word": lambda: np.array(
        [*map(random.Random(1).getrandbits, [8] * COUNT)]  # noqa: S311
    ),
    "the Mersenne Twister, 4 to a word": lambda: np.frombuffer(
        random.Random(1).randbytes(COUNT),  # noqa: S311
        np.uint8,
    ),
    "the add of the samples 24 and 55 before": lambda: make_lagged(int.__add__, (24, 55)),
    "the subtract of the samples 24 and 64 before": lambda: make_lagged(int.__sub__, (24, 64)),
    "the subtract of the samples 55 and 1 before": lambda: make_lagged(int.__sub__, (55, 1)),
    "the bitwise_xor of the samples 2 and 63 before": lambda: make_lagged(int.__xor__, (2, 63)),
    "a congruential generator modulo a power of two": lambda: np.array(
        [state >> 24 for state in list_states(69069, 12345, 2**32, COUNT)]
    ),
}


@pytest.mark.parametrize("name", LONG_STREAMS)
def test_long_streams_follow_their_rule(name: str) -> None:
    """Every rule that the end of a known stretch follows gives the rest without a wrong sample.

    Unknown carries make samples wrong that follow from a congruential generator.
    """
    stream = LONG_STREAMS[name]().astype(np.uint8)
    found = {
        rule.name: continued
        for rule in streams._iterate_recurrences(stream[:KNOWN])
        if (continued := rule.continue_stream(stream[:KNOWN], COUNT)) is not None
    }
    assert name in found
    for rule_name, continued in found.items():
        least_share = 0.3 if "power of two" in rule_name else 1
        assert np.mean(continued[KNOWN:] == stream[KNOWN:]) >= least_share


def test_rules_need_a_stretch_as_long_as_their_lags() -> None:
    """A rule is checked on the last 256 samples, if the longest lag reaches back from all."""
    rule = streams._Recurrence("a period of 5", np.array([5]), lambda rows: rows[0])
    stream = np.resize(np.arange(5, dtype=np.uint8), 300)
    assert rule.continue_stream(stream[:260], 300) is None
    for length in (261, 270):
        continued = rule.continue_stream(stream[:length], 300)
        assert continued is not None
        assert continued.tolist() == stream.tolist()
    for wrong_count, is_continued in ((179, True), (180, False)):  # 0.3 of 256 are 76.8
        spoiled = stream[:280].copy()
        spoiled[-wrong_count:] += np.arange(wrong_count, dtype=np.uint8)
        spoiled[-wrong_count] = 99
        assert (rule.continue_stream(spoiled, 300) is not None) == is_continued


@pytest.mark.parametrize(
    ("low_bytes", "parameters", "read"),
    [
        (False, SECRET, lambda state: state * 256 // SECRET[2]),
        (False, (SECRET[0], 7, 2**32), lambda state: state >> 24),
        (True, SECRET, lambda state: state & 255),
    ],
)
def test_secret_generators_are_found_by_their_bytes(
    low_bytes: bool, parameters: tuple[int, int, int], read: Callable[[int], int]
) -> None:
    """High or low bytes of a generator with secret parameters are continued nearly always."""
    stream = np.array([read(state) for state in list_states(*parameters, 1500)], np.uint8)
    ((name, continued),) = streams._iterate_high_byte_streams(
        stream[:1000], 1500, with_low_bytes=low_bytes
    )
    assert np.mean(continued == stream) > 0.97
    multiplier, modulus = (int(each) for each in name[len("a byte of ") :].split(" x modulo "))
    assert parameters[2] % modulus == 0
    assert (multiplier - parameters[0]) % modulus == 0


def test_noise_is_no_secret_generator() -> None:
    """In uniform bytes no relation is short."""
    noise = np.random.default_rng(1).integers(0, 256, 1000, dtype=np.uint8)
    assert not [*streams._iterate_high_byte_streams(noise, 1500, with_low_bytes=False)]
    assert not [*streams._iterate_congruential_streams(noise, 1500)]
    assert not [*streams._iterate_word_streams(noise, 1500)]
    assert not [*streams._iterate_register_streams(noise, 1500)]
    long_noise = np.random.default_rng(2).integers(0, 256, KNOWN, dtype=np.uint8)
    for rule in streams._iterate_recurrences(long_noise):
        assert rule.continue_stream(long_noise, COUNT) is None


COMMON = [
    (1103515245, 12345, 2**32, (0, 8, 16, 23, 24)),  # glibc
    (1664525, 1013904223, 2**32, (0, 8, 16, 24)),  # Numerical Recipes
    (214013, 2531011, 2**32, (0, 8, 16, 23, 24)),  # Visual C
    (69069, 1, 2**32, (0, 8, 16, 24)),  # VAX
    (22695477, 1, 2**32, (0, 8, 16, 24)),  # Borland C
    (134775813, 1, 2**32, (0, 8, 16, 24)),  # Turbo Pascal
    (25214903917, 11, 2**48, (16, 24, 32, 40)),  # Java
    (6364136223846793005, 1442695040888963407, 2**64, (24, 32, 48, 56)),  # Knuth
    (6364136223846793005, 1, 2**64, (32, 33, 48, 56)),  # newlib
    (2862933555777941757, 3037000493, 2**64, (32, 48, 56)),  # L'Ecuyer
    (3935559000370003845, 2691343689449507681, 2**64, (32, 48, 56)),  # L'Ecuyer
    *((multiplier, 0, 2**31 - 1, (0, 23)) for multiplier in (16807, 48271, 69621)),
]
"""Generators in common use: multiplier, increment, modulus, and lowest bits of the bytes."""


@pytest.mark.parametrize(
    ("multiplier", "increment", "modulus", "shift"),
    [(*generator, shift) for *generator, shifts in COMMON for shift in shifts],
)
def test_generators_in_common_use_are_continued(
    multiplier: int, increment: int, modulus: int, shift: int
) -> None:
    """A byte of each state gives all later ones."""
    states = list_states(multiplier, increment, modulus, 300)
    stream = np.array([state >> shift & 255 for state in states], np.uint8)
    ((name, continued),) = streams._iterate_congruential_streams(stream[:40], 300)
    assert np.array_equal(continued, stream)
    # Modulo a power of two, bits above the byte do not matter; modulo a prime they turn around.
    least_modulus = modulus if modulus % 2 else 256 << shift
    bits = f"bits {shift} to {shift + 7}" if modulus % 2 == 0 or not shift else ""
    rule = f"{multiplier % least_modulus} x + {increment % least_modulus} modulo {least_modulus}"
    assert name.startswith(f"{rule}, {bits}")


@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize("width", range(2, 9))
def test_words_of_generators_are_continued(width: int, order: str) -> None:
    """Twelve whole states give multiplier, increment and modulus, in either order of bytes."""
    modulus = 2 ** (8 * width) - 59
    multiplier, increment = 0xD1342543DE82EF95 % modulus, 0x2545F4914F6CDD1D % modulus
    states = list_states(multiplier, increment, modulus, 60)
    stream = np.frombuffer(
        b"".join(state.to_bytes(width, "big" if order == "big" else "little") for state in states),
        np.uint8,
    )
    ((name, continued),) = streams._iterate_word_streams(stream[: 20 * width], len(stream) - 1)
    assert name == f"{multiplier} x + {increment} modulo {modulus}, {width} bytes of each"
    assert continued.tolist() == stream[:-1].tolist()
    spoiled = stream[: 20 * width].copy()
    spoiled[-1] ^= 1
    assert not [*streams._iterate_word_streams(spoiled, len(stream))]


@pytest.mark.parametrize("length", [1, 7, 16, 44])
def test_registers_are_continued_if_they_are_short(length: int) -> None:
    """A register of less than 0.45 of the known bits is continued, and no longer one."""
    bits = [*np.random.default_rng(length).integers(0, 2, length - 1).tolist(), 1]
    for index in range(length, 900):
        bits.append(bits[index - length] ^ (bits[index - length + 1] if length > 1 else 0))
    stream = np.array(bits, np.uint8)
    continued = streams._continue_bits(stream[:100], 900)
    assert continued is not None
    assert continued.tolist() == bits
    least_count = int(length / 0.45) + 1
    assert streams._continue_bits(stream[: max(1, 2 * length)], 900) is None or length == 1
    if length > 1:
        assert streams._continue_bits(stream[:least_count], 900) is not None
    names = [name for name, _ in streams._iterate_register_streams(np.packbits(stream)[:100], 112)]
    assert "a register of bits, the highest first" in names
    names = [
        name
        for name, _ in streams._iterate_register_streams(
            np.packbits(stream, bitorder="little")[:100], 112
        )
    ]
    assert "a register of bits, the lowest first" in names


def test_lattices_are_reduced() -> None:
    """A reduced basis has the volume of the first one, short coefficients, and Lovasz's order."""
    basis = streams._reduce_lattice(48271, 2**31 - 1, 8)
    assert abs(streams._compute_determinant(basis)) == (2**31 - 1) ** 7
    multiples = [pow(48271, index, 2**31 - 1) for index in range(8)]
    for row in basis:
        assert all(
            (row[0] * each - other) % (2**31 - 1) == 0
            for each, other in zip(multiples, row, strict=True)
        )
    triangle = np.linalg.qr(basis.astype(float).T)[1]
    diagonal = np.diag(triangle)
    assert (np.abs(np.triu(triangle, 1)) <= 0.5001 * np.abs(diagonal)[:, None]).all()
    above = np.diag(triangle, 1)
    assert (diagonal[1:] ** 2 + above**2 >= 0.7499 * diagonal[:-1] ** 2).all()


@pytest.mark.parametrize(
    ("matrix", "determinant"),
    [
        ([[7]], 7),
        ([[0, 2], [3, 5]], -6),
        ([[0, 0], [3, 5]], 0),
        ([[2, 1, 3], [4, 2, 7], [1, 5, 6]], 2 * (12 - 35) - (24 - 7) + 3 * (20 - 2)),
        ([[10**30, 1], [1, 10**30]], 10**60 - 1),
    ],
)
def test_determinants_are_exact(matrix: list[list[int]], determinant: int) -> None:
    """Determinants of integers of any size are exact, also if pivots are 0."""
    assert streams._compute_determinant(np.array(matrix, object)) == determinant


def test_states_of_a_lattice_are_found() -> None:
    """The number whose multiples are near given targets is found."""
    state, targets = 0x1234567, list[int]()
    for index in range(9):
        targets.append((state * pow(16807, index, 2**31 - 1) % (2**31 - 1) >> 20 << 20) + (1 << 19))
    assert streams._find_nearest_multiplicand(16807, 2**31 - 1, targets) == state


def list_guesses(learned: AnyArray, stream: AnyArray, lag: int) -> tuple[list[int], list[int]]:
    """Return guesses by two and by four neighbors at some positions, by their definitions."""
    positions = range(3 * lag, len(stream) - 3 * lag)
    counts = np.full((256, 256), 0.5)
    np.add.at(counts, (learned[:-lag], learned[lag:]), 1)
    by_two, by_four = [], []
    for place in positions:
        by_two.append(
            int(np.log(counts[stream[place - lag]] * counts[:, stream[place + lag]]).argmax())
        )
        middles = [
            middle
            for middle in range(3 * lag, len(learned) - 3 * lag)
            if all(
                learned[middle + step * lag] == stream[place + step * lag]
                for step in (-3, -1, 1, 3)
            )
        ]
        by_four.append(int(learned[middles[0]]) if middles else 0)
    return by_two, by_four


@pytest.mark.parametrize("lag", [1, 3])
def test_guesses_from_neighbors_are_those_of_the_definition(lag: int) -> None:
    """Samples are guessed by counts of pairs, and by equal neighbors of another stream."""
    steps = np.resize([3, 250, 7, 7, 90, 3, 251, 8], 120)
    learned, stream = (
        steps.astype(np.uint8),
        np.resize(steps[lag:][:50] + (np.arange(50) == 20), 60).astype(np.uint8),
    )
    positions = np.arange(3 * lag, len(stream) - 3 * lag)
    by_two, by_four = list_guesses(learned, stream, lag)
    assert (
        stream_statistics._guess_from_two_neighbors(learned, stream, positions, lag).tolist()
        == by_two
    )
    assert (
        stream_statistics._guess_from_four_neighbors(learned, stream, positions, lag).tolist()
        == by_four
    )


@pytest.mark.parametrize("kind", ["exclusive-or", "sum", "table", "mask", "uniform"])
def test_biased_streams_show_a_picture(kind: str) -> None:
    """A picture is the likeliest one in many results, if a stream has a common value."""
    source = np.random.default_rng(4)
    table, key = source.permutation(256).astype(np.uint8), source.integers(0, 256, 64 * 64)

    def encrypt(image: AnyArray) -> AnyArray:
        stream = source.integers(0, 256, image.shape, dtype=np.uint8)
        if kind != "uniform":
            stream[source.random(image.shape) < 0.1] = 77
        if kind == "sum":
            return image + stream
        result = table[image] ^ stream if kind == "table" else image ^ stream
        return result ^ np.resize(key, image.shape).astype(np.uint8) if kind == "mask" else result

    noise = source.integers(0, 256, (512, 512), dtype=np.uint8)
    plain = (np.arange(64).reshape(8, 8) * 37).astype(np.uint8)
    findings = [*stream_statistics.guess_from_biases(encrypt, plain, noise, encrypt(noise))]
    if kind == "uniform":
        assert not findings
        return
    best = max(findings, key=lambda each: each.recovered)
    assert (best.outcome, best.recovered) == (Outcome.BROKEN, 1)
    assert np.array_equal(best.picture, plain)
    assert {each.queries for each in findings} == {2048}
    assert best.generator.endswith("commoner, so 1024 results show the picture")


def test_tables_are_likelihoods_of_changes() -> None:
    """A table holds log-likelihoods of changes by each common value, also of those never seen."""
    plain, change = (
        np.arange(600).astype(np.uint8),
        np.resize([77, 77, 77, 5], 600).astype(np.uint8),
    )
    result = plain ^ change
    tables = list(stream_statistics._find_likelihood_tables(plain, result))
    levels = np.arange(256)
    seen = np.bincount(change, minlength=256)
    assert np.allclose(tables[0], np.log(seen + 0.5)[levels ^ levels[:, None]])
    pairs = np.zeros((256, 256))
    np.add.at(pairs, (plain, result), 1)
    expected = pairs.sum(axis=1)[:, None] * pairs.sum(axis=0) / 600
    assert np.allclose(tables[-1], np.log((pairs + 0.5) / (expected + 0.5)))
