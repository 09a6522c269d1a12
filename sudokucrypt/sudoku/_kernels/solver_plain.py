"""The fallback of the 9x9 solver: the general search, which here chooses cells like the kernel.

Digits are the numbers 0..8, and -1 is an open cell.
"""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.kernels.names import lowest_bit
from sudokucrypt.sudoku._kernels import search_plain
from sudokucrypt.sudoku.model.variant import Variant

BatchDigits = NDArray[np.int8]


class Search(search_plain.Search):
    """A search for all solutions of one puzzle, which can be interrupted and continued.

    At each node the search draws all conclusions from locked candidates and singles. Then it
    chooses a cell, tries its lowest digit, and strikes that digit out.
    """

    def __init__(self, cells: BatchDigits) -> None:
        # Copying the tables of an empty puzzle takes a tenth of the time of making them.
        for name, value in _get_empty_search_fields().items():
            setattr(self, name, value.copy() if isinstance(value, list) else value)
        self.learns_weights, self.max_failures = 0, 1 << 62
        givens = enumerate(cells.tolist())
        self.is_over = not all(
            self.keep_only_digit(cell, digit) for cell, digit in givens if digit >= 0
        )

    def choose_trial(self) -> int:
        """Set the next cell to try: the first with two candidates in the band with most such cells.

        If no cell has two candidates, it is the first cell with the fewest. Returns 0 if every cell
        has one candidate.
        """
        counts = [bits.bit_count() for bits in self.candidates]
        # Prefer cells with two candidates, which halve the work, in the band with most such cells.
        pairs = [counts[band : band + 27].count(2) for band in (0, 27, 54)]
        fewest_candidates = min((count for count in counts if count > 1), default=0)
        if not fewest_candidates:
            return 0
        self.next_cell = counts.index(
            fewest_candidates, 27 * pairs.index(max(pairs)) if fewest_candidates == 2 else 0
        )
        self.next_digit = lowest_bit(self.candidates[self.next_cell])
        return 1


@cache
def _get_empty_search_fields() -> dict[str, Any]:
    rules, cells = Variant.standard().rules, np.full(81, -1, dtype=np.int32)
    return vars(search_plain.Search(*rules, cells, None, None, branches_on_places=False))


def solve_many(
    puzzles: BatchDigits, first: BatchDigits, counts: NDArray[np.int64], start: int, stop: int,
    limit: int, budget: int,
) -> None:  # fmt: skip
    """Count the solutions of the puzzles start..stop-1, each up to `limit`, and write the first.

    `puzzles` and `first` have the shape (N, 81). A puzzle that needs more than `budget` nodes gets
    the count -1; for a puzzle without solutions, its row of `first` is unchanged.
    """
    for position in range(start, stop):
        search = Search(puzzles[position])
        count = search.advance(first[position : position + 1], limit, budget)
        counts[position] = count if search.finished or count == limit else -1
