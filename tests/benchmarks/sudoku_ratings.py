"""Measure how well ratings agree with those of another program, in a file of rated puzzles.

Run the module by hand. Each line of the file has a puzzle and its rating. The numbers of the scale
were chosen with the odd lines, not counting comments, so the even lines are the test. Every step is
checked.
"""

import sys
import time
from pathlib import Path

from scipy import stats

from sudokucrypt.sudoku import SudokuPuzzle, deductions, solve


def main() -> None:
    """Print the rank correlation and the times for the odd and the even lines of a file."""
    lines = Path(sys.argv[1]).read_text("utf-8").splitlines()
    rated = [line.split() for line in lines if line and not line.startswith("#")]
    for name, chosen_lines in (("odd", rated[0::2]), ("even", rated[1::2])):
        results = [_rate_puzzle(SudokuPuzzle.from_text(text)) for text, _ in chosen_lines]
        ours = [rating for rating, _ in results]
        theirs = [float(rating) for _, rating in chosen_lines]
        gaps = [abs(one - other) for one, other in zip(ours, theirs, strict=True)]
        print(
            f"{name}: {len(chosen_lines)} puzzles, rank correlation "
            f"{stats.spearmanr(ours, theirs).statistic:.3f}, "
            f"same {sum(gap < 0.05 for gap in gaps) / len(gaps):.0%}, "
            f"within 0.2 {sum(gap < 0.25 for gap in gaps) / len(gaps):.0%}, "
            f"{sum(spent for _, spent in results) / len(results):.2f} s each, "
            f"{max(spent for _, spent in results):.2f} s at most",
            flush=True,
        )


def _rate_puzzle(puzzle: SudokuPuzzle) -> tuple[float, float]:
    """Check every step of a puzzle, and return its rating and the seconds it took."""
    solution = solve(puzzle).givens
    start = time.process_time()
    steps = list(deductions(puzzle))
    spent = time.process_time() - start
    for step in steps:
        if any(solution[cell] == digit for cell, digit in step.struck):
            raise AssertionError(f"{puzzle.to_text()}: {step}")
        if step.placed and solution[step.placed[0]] != step.placed[1]:
            raise AssertionError(f"{puzzle.to_text()}: {step}")
    return max(step.rating for step in steps), spent


if __name__ == "__main__":
    main()
