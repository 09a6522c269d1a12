"""The tests of NIST on bits of any origin: what `analyze` measures in bits."""

from dataclasses import dataclass

from sudokucrypt.analysis.progress import Steps
from sudokucrypt.analysis.randomness import (
    BitsLike,
    RandomnessResult,
    SequencesSummary,
    nist_tests,
    split_bits,
    summarise_sequences,
)
from sudokucrypt.analysis.randomness.bit_sequences import checked_bits
from sudokucrypt.analysis.randomness.outcome import Reference
from sudokucrypt.typing import ProgressCallback

SEQUENCE = 1_000_000
"""Bits of a sequence, as SP 800-22 asks for; what is left after whole ones is not tested."""


@dataclass(frozen=True, eq=False, kw_only=True)
class BitsFigures:
    """What the fifteen tests gave on a number of bits.

    `randomness` is of the first sequence of a million bits, or of all if there are fewer than two
    million, and `sequences` of all whole sequences, with a row for each p-value.
    """

    name: str
    length: int
    randomness: tuple[RandomnessResult, ...]
    sequences: tuple[SequencesSummary, ...]
    reference: Reference


def measure_bits(
    bits: BitsLike,
    *,
    name: str = "bits",
    reference: Reference = "corrected",
    progress: ProgressCallback | None = None,
) -> BitsFigures:
    """Run the tests of NIST SP 800-22 on bytes, or on an array of the numbers 0 and 1.

    `name` is what reports call the bits, and `reference` the set of constants, as in
    `sudokucrypt.analysis.randomness`. `progress` is called with the tests that are done and their
    number. Raises `InvalidParameterError` for what are no bits.

    Parameters
    ----------
    bits : bytes or array_like of 0 and 1
        The bits that are tested; a byte gives eight, the highest first.
    name : str, default "bits"
        What reports call them.
    reference : {"corrected", "sts-2.1.2"}, default "corrected"
        The constants: exact ones, or those of the program that NIST publishes.
    progress : callable, optional
        Called with the number of tests done and the number of all tests.

    Examples
    --------
    >>> measure_bits(bytes(1000), name="zeros").sequences[0].proportion
    0.0
    """
    sequence = checked_bits(bits)
    several = len(sequence) >= 2 * SEQUENCE
    parts = list(split_bits(sequence, SEQUENCE)) if several else [sequence]
    tests = list(nist_tests(reference=reference).values())
    steps = Steps(len(parts) * len(tests), progress)
    results = [tuple(steps.after(test(part)) for test in tests) for part in parts]
    return BitsFigures(
        name=name,
        length=len(sequence),
        randomness=results[0],
        sequences=summarise_sequences(results),
        reference=reference,
    )
