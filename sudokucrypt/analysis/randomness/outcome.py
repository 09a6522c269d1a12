"""What a test of randomness returns: statistics, p-values and a verdict."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.analysis.inputs import optional_library
from sudokucrypt.analysis.randomness.bit_sequences import BitArray, BitsLike, checked_bits
from sudokucrypt.analysis.results import checked_level
from sudokucrypt.errors import InvalidParameterError

LEVEL = 0.01
"""The level of significance of SP 800-22, and not the 0.05 of the other metrics."""

Reference: TypeAlias = Literal["corrected", "sts-2.1.2"]
"""Exact constants, or those of the reference program, which some published results rest on."""

Verdict: TypeAlias = Literal["tested", "too short", "not applicable"]
"""Whether a test ran; one that did not has neither passed nor failed."""


@dataclass(frozen=True, kw_only=True)
class RandomnessResult:
    """The outcome of one test on one sequence of bits, of this length.

    The name is a stable one, such as "block_frequency". Unless the verdict is "tested" there are no
    p-values, and the note says why; else there is a statistic and a p-value for each label, which
    is empty where there is one. `details` are lengths and counts that the figures rest on, such as
    "block_length".
    """

    name: str
    section: str
    length: int
    verdict: Verdict = "tested"
    labels: tuple[str, ...] = ()
    statistics: tuple[float, ...] = ()
    p_values: tuple[float, ...] = ()
    level: float = LEVEL
    details: Mapping[str, int] = field(default_factory=dict, hash=False)
    note: str = ""

    @property
    def passed(self) -> bool | None:
        """Whether no p-value lies below level / number of p-values; None if not tested.

        The division (Bonferroni) keeps the share of random sequences that fail at the level or
        below, for tests of 148 p-values as for those of one.
        """
        if self.verdict != "tested":
            return None
        return min(self.p_values) >= self.level / len(self.p_values)

    @property
    def rejected(self) -> tuple[str, ...]:
        """The labels whose p-values, looked at one by one, lie below the level."""
        pairs = zip(self.labels, self.p_values, strict=True)
        return tuple(label for label, p_value in pairs if p_value < self.level)


@dataclass(frozen=True)
class Setting:
    """What all results of one call of a test share."""

    name: str
    section: str
    length: int
    level: float

    def __post_init__(self) -> None:
        checked_level(self.level)

    def tested(
        self,
        statistics: Sequence[float],
        p_values: Sequence[float],
        *,
        labels: Sequence[str] = ("",),
        details: Mapping[str, int] | None = None,
        note: str = "",
    ) -> RandomnessResult:
        """Return the result of a test that was done."""
        return RandomnessResult(
            **vars(self),
            labels=tuple(labels),
            statistics=tuple(map(float, statistics)),
            p_values=tuple(map(float, p_values)),
            details=details or {},
            note=note,
        )

    def too_short(self, bits: int, *, details: Mapping[str, int] | None = None) -> RandomnessResult:
        """Return the result for a sequence of fewer bits than the test needs."""
        note = f"{self.length} bits, and the test needs {bits}"
        return RandomnessResult(**vars(self), verdict="too short", details=details or {}, note=note)


def begun(name: str, section: str, bits: BitsLike, level: float) -> tuple[BitArray, int, Setting]:
    """Return the bits of a sequence, how many there are, and the setting of a test on them."""
    sequence = checked_bits(bits)
    return sequence, len(sequence), Setting(name, section, len(sequence), level)


def checked_reference(reference: Reference) -> bool:
    """Return whether the constants of the reference program are wanted."""
    if reference not in {"corrected", "sts-2.1.2"}:
        raise InvalidParameterError(f"a reference is corrected or sts-2.1.2, not {reference!r}")
    return reference == "sts-2.1.2"


def chi_square(counts: ArrayLike, probabilities: ArrayLike) -> tuple[float, float]:
    """Return statistic and p-value of counts of classes with known probabilities.

    >>> [round(x, 6) for x in chi_square([16, 34], [0.5, 0.5])]
    [6.48, 0.010909]
    """
    observed, shares = np.asarray(counts, dtype=float), np.asarray(probabilities, dtype=float)
    expected = observed.sum() * shares
    statistic = float(np.sum((observed - expected) ** 2 / expected))
    return statistic, upper_tail(statistic, len(observed) - 1)


def upper_tail(statistic: float, freedom: float) -> float:
    """Return how often a chi-square variable with these degrees of freedom is at least this."""
    with optional_library("scipy"):
        from scipy import special
    return float(special.gammaincc(freedom / 2, max(statistic, 0.0) / 2))
