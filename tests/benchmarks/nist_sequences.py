"""Run the NIST tests on many sequences from the operating system, and time one.

``python tests/benchmarks/nist_sequences.py [SEQUENCES [BITS]]``: 100 of 1,000,000 bits by default,
which takes minutes. Of the 188 proportions of truly random sequences three or four lie outside
their intervals; what counts is the smallest exact p-value of all of them together.
"""

import os
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent.parent))  # when run as a script

from sudokucrypt.analysis.randomness import nist_tests, run_nist_tests, summarise_sequences


def main(sequences: int = 100, bits: int = 1_000_000) -> None:
    """Print the seconds of each test, then what the summary finds unusual."""
    total = 0.0
    data = os.urandom(-(-bits // 8))
    for name, test in nist_tests().items():
        start = time.perf_counter()
        test(data)
        seconds = time.perf_counter() - start
        total += seconds
        print(f"{name:28}{seconds:8.3f} s")
    print(f"{'all':28}{total:8.3f} s")
    results = [run_nist_tests(os.urandom(-(-bits // 8))) for _ in range(sequences)]
    rows = summarise_sequences(results)
    for row in rows:
        if not row.inside or row.uniform is False:
            print(
                f"{row.name} {row.label}: proportion {row.proportion:.4f} of {row.sequences}, "
                f"interval {row.lower:.4f}..{row.upper:.4f}, uniformity {row.uniformity}"
            )
    least = min(row.proportion_p_value for row in rows) * len(rows)
    uniformities = [row.uniformity for row in rows if row.uniformity is not None]
    print(f"inside their interval: {sum(row.inside for row in rows)} of {len(rows)} proportions")
    print(f"smallest proportion, all rows together: p = {min(1.0, least):.4f}")
    if uniformities:
        spread = min(1.0, min(uniformities) * len(uniformities))
        print(f"smallest uniformity, all rows together: p = {spread:.4f}")
    for name in nist_tests():
        verdicts = [result.passed for every in results for result in every if result.name == name]
        tested = sum(verdict is not None for verdict in verdicts)
        print(f"{name:28}{verdicts.count(True):5} of {tested} passed")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
