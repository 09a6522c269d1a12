"""Run the fifteen NIST tests on key streams of this package, and on bits that must fail.

Usage: python nist_on_key_streams.py PICTURE [SEQUENCES [BITS]]
"""

from __future__ import annotations

import sys

import numpy as np
from PIL import Image

from sudokucrypt import KeyStream
from sudokucrypt.analysis.randomness import (
    RandomnessResult,
    bits_from_stream,
    run_nist_tests,
    summarize_sequences,
)

SIDE = 200
"""The number of bits in a row of the picture, and the number of rows."""


def make_key_streams(count: int, length: int) -> list[np.ndarray]:
    """Return the key streams of the keys 0, 1, 2, ..."""
    return [bits_from_stream(KeyStream(key.to_bytes(32, "big")), length) for key in range(count)]


def make_periodic_bits(length: int) -> np.ndarray:
    """Return the same 1000 bits of a key stream, repeatedly."""
    return np.resize(bits_from_stream(KeyStream(bytes(32)), 1000), length)


def make_biased_bits(length: int) -> np.ndarray:
    """Return bits that are 1 with probability 5/8."""
    first, second, third = make_key_streams(3, length)
    bits: np.ndarray = first | (second & third)
    return bits


def print_table(results: list[tuple[RandomnessResult, ...]]) -> None:
    """Print for each test the number of passing sequences, and the smallest p-value."""
    for group in zip(*results, strict=True):
        tested = [result for result in group if result.verdict == "tested"]
        if tested:
            passed = sum(bool(result.passed) for result in tested)
            least = min(p_value for result in tested for p_value in result.p_values)
            print(f"  {group[0].name:26} {passed:3} of {len(tested):3}  smallest p {least:.6f}")
        else:
            print(f"  {group[0].name:26} {group[0].verdict}: {group[0].note}")


def draw(sequences: list[np.ndarray], target: str) -> None:
    """Write the first bits of each sequence as black and white pixels, side by side."""
    panels = [sequence[: SIDE * SIDE].reshape(SIDE, SIDE) * 255 for sequence in sequences]
    framed_panels = [np.pad(panel, 10, constant_values=127) for panel in panels]
    Image.fromarray(np.hstack(framed_panels).astype(np.uint8)).save(target)


def main(target: str, sequences: int = 10, bits: int = 1_000_000) -> None:
    """Test key streams, then two sequences that are not random."""
    draw([make_key_streams(1, bits)[0], make_periodic_bits(bits), make_biased_bits(bits)], target)
    print(f"{sequences} key streams of {bits} bits:")
    results = [run_nist_tests(stream) for stream in make_key_streams(sequences, bits)]
    print_table(results)
    rows = summarize_sequences(results)
    outside = [row for row in rows if not row.inside]
    print(f"  {len(rows) - len(outside)} of {len(rows)} proportions inside their intervals")
    chance = min(1.0, len(rows) * min(row.proportion_p_value for row in rows))
    print(f"  chance of a proportion as low as the lowest: {chance:.3f}")
    for name, control in (("periodic", make_periodic_bits), ("biased", make_biased_bits)):
        print(f"control, {name}:")
        failed_tests = [
            result.name for result in run_nist_tests(control(bits)) if result.passed is False
        ]
        print(f"  fails {', '.join(failed_tests)}")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
