"""The sum of +1 for ones and -1 for zeros as it runs: how far it strays, and where it stays."""

from collections.abc import Callable
from math import erfc, floor, sqrt, trunc

import numpy as np

from sudokucrypt.analysis.inputs import require
from sudokucrypt.analysis.randomness.bits import BitArray, BitsLike, checked_bits
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
    sums = np.cumsum(2 * sequence.astype(np.int64) - 1)
    rest = sums[-1] - np.append(0, sums[:-1])
    strays = [int(np.abs(walk).max()) for walk in (sums, rest)]
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
    walk, cycle, cycles = _cycles(sequence)
    if enforce_length and (unfit := _unfit(setting, cycles)):
        return unfit
    pairs = []
    for state in _NEAR:
        visits = np.bincount(cycle[walk == state], minlength=cycles)
        counts = np.bincount(np.minimum(visits, _MOST), minlength=_MOST + 1)
        pairs.append(chi_square(counts, visit_shares(state)))
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
    walk, _, cycles = _cycles(sequence)
    if enforce_length and (unfit := _unfit(setting, cycles)):
        return unfit
    near = walk[np.abs(walk) <= max(_FAR)] + max(_FAR)
    visits = np.bincount(near, minlength=2 * max(_FAR) + 1)[np.array(_FAR) + max(_FAR)]
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


def _cycles(sequence: BitArray) -> tuple[IntArray, IntArray, int]:
    """Return the running sum, for each of its places the number of its cycle, and how many."""
    walk = np.cumsum(2 * sequence.astype(np.int64) - 1)
    cycle = np.append(0, np.cumsum(walk == 0)[:-1])
    return walk, cycle, int(cycle[-1]) + 1


def _unfit(setting: Setting, cycles: int) -> RandomnessResult | None:
    """Return the result for a walk that has too few steps or cycles, None for any other."""
    if setting.length < _LONG_WALK:
        return setting.too_short(_LONG_WALK)
    needed = max(0.005 * sqrt(setting.length), _FEWEST_CYCLES)
    if cycles >= needed:
        return None
    note = f"{cycles} cycles, and the test needs {needed:.0f}"
    return setting.not_applicable(note, details={"cycles": cycles})
