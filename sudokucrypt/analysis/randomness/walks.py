"""The sum of +1 for ones and -1 for zeros as it runs: how far it strays, and where it stays."""

from collections.abc import Callable, Iterator
from math import erfc, floor, sqrt, trunc

import numpy as np

from sudokucrypt.analysis.inputs import require
from sudokucrypt.analysis.randomness.bits import CHUNK, BitArray, BitsLike, checked_bits
from sudokucrypt.analysis.randomness.counts import SHORTEST
from sudokucrypt.analysis.randomness.outcome import (
    LEVEL,
    RandomnessResult,
    Reference,
    Setting,
    checked_reference,
    chi_square,
)
from sudokucrypt.typing import IntArray


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
    n >= 100. The reference program rounds the limits of the sums towards zero and not down, which
    makes no difference for long sequences.
    """
    sequence = checked_bits(bits)
    rounded = trunc if checked_reference(reference) else floor
    length = len(sequence)
    setting = Setting("cumulative_sums", "2.13", length, level)
    if enforce_length and length < SHORTEST:
        return setting.too_short(SHORTEST)
    low = high = end = 0
    for walk in _walks(sequence):
        low, high, end = min(low, int(walk.min())), max(high, int(walk.max())), int(walk[-1])
    strays = [max(high, -low), max(end - low, high - end)]
    p_values = [_stray_tail(stray, length, rounded) for stray in strays]
    return setting.tested(strays, p_values, labels=("forward", "backward"))


def _stray_tail(stray: int, length: int, rounded: Callable[[float], int]) -> float:
    """Return how often a random walk strays so far or further."""
    below = require("scipy.special").ndtr
    step, ratio = stray / sqrt(length), length / stray
    last = rounded((ratio - 1) / 4)
    once = np.arange(rounded((1 - ratio) / 4), last + 1)
    twice = np.arange(rounded((-3 - ratio) / 4), last + 1)
    inside = np.sum(below((4 * once + 1) * step) - below((4 * once - 1) * step))
    outside = np.sum(below((4 * twice + 3) * step) - below((4 * twice + 1) * step))
    return float(np.clip(1 - inside + outside, 0, 1))


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
    be incomplete. For each state, labelled "-4" to "+4", Pearson's statistic of the cycles with
    0, 1, 2, 3, 4, and 5 or more visits. The chance of k > 0 visits of state x is
    (1 - 1/(2 abs(x)))^(k-1) / (4 x^2). Needs n >= 1,000,000, and is not applicable below
    max(0.005 sqrt(n), 500) cycles: to 38% of all random sequences of a million bits.
    """
    sequence = checked_bits(bits)
    setting = Setting("random_excursions", "2.14", len(sequence), level)
    counts = [np.zeros(_MOST + 1, dtype=int) for _ in _NEAR]
    visits = [0] * len(_NEAR)  # of the cycle that goes on
    for walk in _walks(sequence):
        cycle = np.cumsum(walk == 0)
        for place, state in enumerate(_NEAR):
            found = np.bincount(cycle[walk == state], minlength=cycle[-1] + 1)
            found[0] += visits[place]
            visits[place] = int(found[-1])
            counts[place] += np.bincount(np.minimum(found[:-1], _MOST), minlength=_MOST + 1)
    for place, last in enumerate(visits):
        counts[place][min(last, _MOST)] += walk[-1] != 0
    cycles = int(counts[0].sum())
    if enforce_length and (unfit := _unfit(setting, cycles)):
        return unfit
    pairs = [chi_square(*each) for each in zip(counts, map(visit_shares, _NEAR), strict=True)]
    statistics, p_values = zip(*pairs, strict=True)
    labels = [f"{state:+d}" for state in _NEAR]
    return setting.tested(statistics, p_values, labels=labels, details={"cycles": cycles})


def random_excursions_variant(
    bits: BitsLike, *, level: float = LEVEL, enforce_length: bool = True
) -> RandomnessResult:
    """Test how often the running sum visits the states -9..9 (sections 2.15 and 3.15).

    For J cycles and V visits of state x, labelled "-9" to "+9", the statistic is V and the p-value
    erfc(abs(V - J) / sqrt(2 J (4 abs(x) - 2))). Needs as many bits and cycles as
    `random_excursions`.
    """
    sequence = checked_bits(bits)
    setting = Setting("random_excursions_variant", "2.15", len(sequence), level)
    most = max(_FAR)
    counts = np.zeros(2 * most + 1, dtype=int)
    for walk in _walks(sequence):
        counts += np.bincount(walk[np.abs(walk) <= most] + most, minlength=len(counts))
    cycles = int(counts[most] + (walk[-1] != 0))
    visits = np.delete(counts, most)
    if enforce_length and (unfit := _unfit(setting, cycles)):
        return unfit
    p_values = [
        erfc(abs(int(count) - cycles) / sqrt(2 * cycles * (4 * abs(state) - 2)))
        for state, count in zip(_FAR, visits, strict=True)
    ]
    labels = [f"{state:+d}" for state in _FAR]
    return setting.tested(visits.tolist(), p_values, labels=labels, details={"cycles": cycles})


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


def _unfit(setting: Setting, cycles: int) -> RandomnessResult | None:
    """Return the result for a walk that has too few steps or cycles, None for any other."""
    if setting.length < _LONG_WALK:
        return setting.too_short(_LONG_WALK)
    needed = max(0.005 * sqrt(setting.length), _FEWEST_CYCLES)
    if cycles >= needed:
        return None
    note = f"{cycles} cycles, and the test needs {needed:.0f}"
    return setting.not_applicable(note, details={"cycles": cycles})
