"""Whether ones and zeros are equally frequent: in runs, in blocks, and in the sum as it runs."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from math import erfc, floor, sqrt, trunc
from typing import Any

import numpy as np

from sudokucrypt.analysis.inputs import optional_library
from sudokucrypt.analysis.randomness.bit_sequences import (
    CHUNK,
    LEVEL,
    BitArray,
    BitsLike,
    RandomnessResult,
    Reference,
    Setting,
    begin,
    blocks_of,
    checked_reference,
    chi_square,
    upper_tail,
)
from sudokucrypt.options import checked_integer
from sudokucrypt.typing import IntArray

# Bits that tests of frequencies need, by simulation; sections 2.1.7 to 2.3.7 ask for 100.
#
# Of 100 random bits the frequency test rejects 1.2% at the level 0.01, of 104 it is 0.8%.
SHORTEST = 104


def frequency(
    bits: BitsLike, *, level: float = LEVEL, enforce_length: bool = True
) -> RandomnessResult:
    r"""Test whether ones and zeros are equally frequent (section 2.1).

    The statistic is abs(ones - zeros) / sqrt(n), the p-value erfc(statistic / sqrt(2)). Needs
    n >= 104.

    Bits are 0 and 1 in an array of shape (n,), or bytes, which give eight each, the highest first.
    `RandomnessResult` judges by the `level` of significance, in 0..1. Without `enforce_length`
    there are p-values for sequences that are shorter than the document allows, such as its worked
    examples; they are rough.

    Parameters
    ----------
    bits : array_like of shape (n,) of 0 and 1, or bytes
        The sequence; a byte gives eight bits, the highest first.
    level : float, default 0.01
        The level of significance, between 0 and 1: the share of random sequences that the test
        rejects.
    enforce_length : bool, default True
        Whether a sequence that is shorter than the document allows has no p-values. With False it
        has some, which are rough.

    Examples
    --------
    >>> result = frequency(b"\x55\x00" * 10)
    >>> round(result.statistics[0], 6), result.passed
    (6.324555, False)
    """
    sequence, length, setting = begin("frequency", "2.1", bits, level)
    if enforce_length and length < SHORTEST:
        return setting.too_short(SHORTEST)
    statistic = abs(2 * int(np.count_nonzero(sequence)) - length) / sqrt(length)
    return setting.make_result([statistic], [erfc(statistic / sqrt(2))])


def block_frequency(
    bits: BitsLike, *, block_length: int = 128, level: float = LEVEL, enforce_length: bool = True
) -> RandomnessResult:
    """Test whether ones and zeros are equally frequent in each block (section 2.2).

    The statistic is 4 M times the sum of (share of ones - 1/2)^2 over the N blocks, chi-square with
    N degrees of freedom; bits after the last block are dropped. Needs n >= 104 and one block. The
    document advises a `block_length` M >= 20, M > n / 100 and fewer than 100 blocks; its own
    results for a million bits have M = 128.

    Parameters
    ----------
    bits : array_like of shape (n,) of 0 and 1, or bytes
        The sequence; a byte gives eight bits, the highest first.
    block_length : int, default 128
        The number M of bits in a block, 1 or more.
    level : float, default 0.01
        The level of significance, between 0 and 1: the share of random sequences that the test
        rejects.
    enforce_length : bool, default True
        Whether a sequence that is shorter than the document allows has no p-values. With False it
        has some, which are rough.
    """
    sequence, length, setting = begin("block_frequency", "2.2", bits, level)
    checked_integer("block_length", block_length)
    blocks = length // block_length
    needed = max(SHORTEST if enforce_length else 0, block_length)
    if length < needed:
        return setting.too_short(needed, details={"block_length": block_length})
    total = 0
    for table in blocks_of(sequence, block_length):
        ones = table.sum(axis=1, dtype=int)
        total += int(np.sum((2 * ones - block_length) ** 2))
    statistic = total / block_length
    details = {"block_length": block_length, "blocks": blocks}
    return setting.make_result([statistic], [upper_tail(statistic, blocks)], details=details)


# For each block length the longest runs of the first class (or less) and the last (or more).
_CLASSES = {8: (1, 4), 128: (4, 9), 10_000: (10, 16)}

# The shortest sequences for which these block lengths are used.
_FROM = {8: 128, 128: 6272, 10_000: 750_000}

# What the reference program has for blocks of 10,000; the first should be .0866.
_STS_LONGEST = (0.0882, 0.2092, 0.2483, 0.1933, 0.1208, 0.0675, 0.0727)


def runs(bits: BitsLike, *, level: float = LEVEL, enforce_length: bool = True) -> RandomnessResult:
    """Test whether bits change too often or too seldom (section 2.3).

    The statistic V is the number of runs, stretches of equal bits. With p the share of ones, the
    p-value is erfc(abs(V - 2 n p (1 - p)) / (2 sqrt(2 n) p (1 - p))). If p is off 1/2 by
    2 / sqrt(n) or more it is 0, as the document has it, and the note says so. Needs n >= 104.

    Parameters
    ----------
    bits : array_like of shape (n,) of 0 and 1, or bytes
        The sequence; a byte gives eight bits, the highest first.
    level : float, default 0.01
        The level of significance, between 0 and 1: the share of random sequences that the test
        rejects.
    enforce_length : bool, default True
        Whether a sequence that is shorter than the document allows has no p-values. With False it
        has some, which are rough.
    """
    sequence, length, setting = begin("runs", "2.3", bits, level)
    if enforce_length and length < SHORTEST:
        return setting.too_short(SHORTEST)
    changes = 1 + int(np.count_nonzero(sequence[1:] != sequence[:-1]))
    share = np.count_nonzero(sequence) / length
    # The document's precondition: the law of runs holds for balanced bits only.
    if abs(share - 0.5) >= min(0.5, 2 / sqrt(length)):
        return setting.make_result(
            [changes], [0.0], note="ones are too rare or frequent to test runs"
        )
    spread = share * (1 - share)
    p_value = erfc(abs(changes - 2 * length * spread) / (2 * sqrt(2 * length) * spread))
    return setting.make_result([changes], [p_value])


def longest_run(
    bits: BitsLike, *, level: float = LEVEL, reference: Reference = "corrected"
) -> RandomnessResult:
    """Test how long the longest run of ones in each block is (sections 2.4 and 3.4).

    Pearson's statistic over classes of longest runs. Blocks have 8 bits, from 6272 bits on 128, and
    from 750,000 on 10,000. Needs n >= 128. For blocks of 10,000 bits the probabilities of the
    reference program and the document are off by up to 0.0016.

    Parameters
    ----------
    bits : array_like of shape (n,) of 0 and 1, or bytes
        The sequence; a byte gives eight bits, the highest first.
    level : float, default 0.01
        The level of significance, between 0 and 1: the share of random sequences that the test
        rejects.
    reference : {"corrected", "sts-2.1.2"}, default "corrected"
        The constants: exact ones, or those of the program that NIST publishes.
    """
    sequence, length, setting = begin("longest_run", "2.4", bits, level)
    old = checked_reference(reference)
    if length < min(_FROM.values()):
        return setting.too_short(min(_FROM.values()))
    block_length = max(size for size, least in _FROM.items() if length >= least)
    blocks = length // block_length
    first, last = _CLASSES[block_length]
    counts, positions = np.zeros(last - first + 1, dtype=int), np.arange(1, block_length + 1)
    for table in blocks_of(sequence, block_length):
        # The longest run of each row: how far each one is from the last zero.
        zeros = np.maximum.accumulate(np.where(table == 0, positions, 0), axis=1)
        longest = np.clip((positions - zeros).max(axis=1), first, last)
        counts += np.bincount(longest - first, minlength=len(counts))
    shares = _STS_LONGEST if old and block_length == 10_000 else longest_run_shares(block_length)
    statistic, p_value = chi_square(counts, shares)
    details = {"block_length": block_length, "blocks": blocks}
    return setting.make_result([statistic], [p_value], details=details)


@lru_cache
def longest_run_shares(block_length: int) -> tuple[float, ...]:
    """Return the probability of each class of longest runs in a block.

    The chance f(k) that k bits hold no run above r follows f(k) = f(k-1) - f(k-r-2) / 2^(r+2):
    a first such run ends at bit k if a zero and r + 1 ones end there.
    """
    first, last = _CLASSES[block_length]
    # The law of the longest run by recurrence, without enumerating blocks.
    below = [0.0]
    for longest in range(first, last):
        chance = [1.0] * (longest + 1) + [1 - 0.5 ** (longest + 1)]
        while len(chance) <= block_length:
            chance.append(chance[-1] - chance[-longest - 2] * 0.5 ** (longest + 2))
        below.append(chance[-1])
    return tuple(np.diff([*below, 1.0]).tolist())


def cumulative_sums(
    bits: BitsLike,
    *,
    level: float = LEVEL,
    reference: Reference = "corrected",
    enforce_length: bool = True,
) -> RandomnessResult:
    """Test how far the running sum of +1 for ones and -1 for zeros strays from 0 (2.13 and 3.13).

    "forward" and "backward", the statistic is the largest distance. The p-value is the limit law of
    the maximum of a random walk, two sums of differences of the normal distribution function. Needs
    n >= 104. The reference program rounds the limits of the sums towards zero and not down, which
    makes no difference for long sequences.

    Parameters
    ----------
    bits : array_like of shape (n,) of 0 and 1, or bytes
        The sequence; a byte gives eight bits, the highest first.
    level : float, default 0.01
        The level of significance, between 0 and 1: the share of random sequences that the test
        rejects.
    reference : {"corrected", "sts-2.1.2"}, default "corrected"
        The constants: exact ones, or those of the program that NIST publishes.
    enforce_length : bool, default True
        Whether a sequence that is shorter than the document allows has no p-values. With False it
        has some, which are rough.
    """
    sequence, length, setting = begin("cumulative_sums", "2.13", bits, level)
    rounded = trunc if checked_reference(reference) else floor
    if enforce_length and length < SHORTEST:
        return setting.too_short(SHORTEST)
    low = high = end = 0
    for walk in _walks(sequence):
        low, high, end = min(low, int(walk.min())), max(high, int(walk.max())), int(walk[-1])
    # Backward sums are those of the whole less the forward ones: one walk gives both.
    strays = [max(high, -low), max(end - low, high - end)]
    p_values = [_stray_tail(stray, length, rounded) for stray in strays]
    return setting.make_result(strays, p_values, labels=("forward", "backward"))


def _stray_tail(stray: int, length: int, rounded: Callable[[float], int]) -> float:
    """Return how often a random walk strays so far or further."""
    with optional_library("scipy"):
        from scipy.special import ndtr
    step, ratio = stray / sqrt(length), length / stray
    last = rounded((ratio - 1) / 4)
    once = np.arange(rounded((1 - ratio) / 4), last + 1)
    twice = np.arange(rounded((-3 - ratio) / 4), last + 1)
    inside = np.sum(ndtr((4 * once + 1) * step) - ndtr((4 * once - 1) * step))
    outside = np.sum(ndtr((4 * twice + 3) * step) - ndtr((4 * twice + 1) * step))
    return float(np.clip(1 - inside + outside, 0, 1))


# SP 800-22, 2.14 and 2.15: bits and cycles below which the figures mean nothing, and the states.
_LONG_WALK = 1_000_000
_FEWEST_CYCLES = 500
_NEAR = (-4, -3, -2, -1, 1, 2, 3, 4)
_FAR = tuple(state for state in range(-9, 10) if state)
_MOST = 5


def random_excursions(
    bits: BitsLike, *, level: float = LEVEL, enforce_length: bool = True
) -> RandomnessResult:
    """Test how often each cycle of the running sum visits the states -4..4 (2.14 and 3.14).

    A cycle runs from one zero of the sum of +1 for ones and -1 for zeros to the next; the last may
    be incomplete. For each state, labeled "-4" to "+4", Pearson's statistic of the cycles with
    0, 1, 2, 3, 4, and 5 or more visits. The chance of k > 0 visits of state x is
    (1 - 1/(2 abs(x)))^(k-1) / (4 x^2). Needs n >= 1,000,000, and is not applicable below
    max(0.005 sqrt(n), 500) cycles: to 38% of all random sequences of a million bits.

    Parameters
    ----------
    bits : array_like of shape (n,) of 0 and 1, or bytes
        The sequence; a byte gives eight bits, the highest first.
    level : float, default 0.01
        The level of significance, between 0 and 1: the share of random sequences that the test
        rejects.
    enforce_length : bool, default True
        Whether a sequence that is shorter than the document allows has no p-values. With False it
        has some, which are rough.
    """
    sequence, _, setting = begin("random_excursions", "2.14", bits, level)
    counts = [np.zeros(_MOST + 1, dtype=int) for _ in _NEAR]
    visits = [0] * len(_NEAR)  # of the cycle that goes on
    for walk in _walks(sequence):
        cycle = np.cumsum(walk == 0)
        for index, state in enumerate(_NEAR):
            cycle_visits = np.bincount(cycle[walk == state], minlength=cycle[-1] + 1)
            cycle_visits[0] += visits[index]
            visits[index] = int(cycle_visits[-1])
            counts[index] += np.bincount(np.minimum(cycle_visits[:-1], _MOST), minlength=_MOST + 1)
    for index, last in enumerate(visits):
        counts[index][min(last, _MOST)] += walk[-1] != 0
    cycles = int(counts[0].sum())
    if enforce_length and (unfit := _refuse_short_walk(setting, cycles)):
        return unfit
    pairs = [chi_square(*each) for each in zip(counts, map(visit_shares, _NEAR), strict=True)]
    statistics, p_values = zip(*pairs, strict=True)
    labels = [f"{state:+d}" for state in _NEAR]
    return setting.make_result(statistics, p_values, labels=labels, details={"cycles": cycles})


def random_excursions_variant(
    bits: BitsLike, *, level: float = LEVEL, enforce_length: bool = True
) -> RandomnessResult:
    """Test how often the running sum visits the states -9..9 (sections 2.15 and 3.15).

    For J cycles and V visits of state x, labeled "-9" to "+9", the statistic is V and the p-value
    erfc(abs(V - J) / sqrt(2 J (4 abs(x) - 2))). Needs as many bits and cycles as
    `random_excursions`.

    Parameters
    ----------
    bits : array_like of shape (n,) of 0 and 1, or bytes
        The sequence; a byte gives eight bits, the highest first.
    level : float, default 0.01
        The level of significance, between 0 and 1: the share of random sequences that the test
        rejects.
    enforce_length : bool, default True
        Whether a sequence that is shorter than the document allows has no p-values. With False it
        has some, which are rough.
    """
    sequence, _, setting = begin("random_excursions_variant", "2.15", bits, level)
    most = max(_FAR)
    counts = np.zeros(2 * most + 1, dtype=int)
    for walk in _walks(sequence):
        counts += np.bincount(walk[np.abs(walk) <= most] + most, minlength=len(counts))
    cycles = int(counts[most] + (walk[-1] != 0))
    visits = np.delete(counts, most)
    if enforce_length and (unfit := _refuse_short_walk(setting, cycles)):
        return unfit
    p_values = [
        erfc(abs(int(count) - cycles) / sqrt(2 * cycles * (4 * abs(state) - 2)))
        for state, count in zip(_FAR, visits, strict=True)
    ]
    labels = [f"{state:+d}" for state in _FAR]
    return setting.make_result(visits.tolist(), p_values, labels=labels, details={"cycles": cycles})


def visit_shares(state: int) -> list[float]:
    """Return the chance of 0, 1, 2, 3, 4, and 5 or more visits of a state in one cycle."""
    leave = 1 / (2 * abs(state))
    shares = [1 - leave, *(leave**2 * (1 - leave) ** (k - 1) for k in range(1, _MOST))]
    return [*shares, 1 - sum(shares)]


def _walks(sequence: BitArray) -> Iterator[IntArray]:
    """Yield the running sum, chunk by chunk."""
    end = 0
    for start in range(0, len(sequence), CHUNK):
        walk = end + np.cumsum(2 * sequence[start : start + CHUNK].astype(np.int64) - 1)
        end = walk[-1]
        yield walk


def _refuse_short_walk(setting: Setting, cycles: int) -> RandomnessResult | None:
    """Return the result for a walk that has too few steps or cycles, None for any other."""
    if setting.length < _LONG_WALK:
        return setting.too_short(_LONG_WALK)
    needed = max(0.005 * sqrt(setting.length), _FEWEST_CYCLES)
    if cycles >= needed:
        return None
    note = f"{cycles} cycles, and the test needs {needed:.0f}"
    fields: dict[str, Any] = {**vars(setting), "details": {"cycles": cycles}}
    return RandomnessResult(verdict="not applicable", note=note, **fields)
